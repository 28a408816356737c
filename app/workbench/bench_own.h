/* The members of the workbench, for the files that keep them. */
#ifndef HT_BENCH_OWN_H
#define HT_BENCH_OWN_H

#include "app/workbench/bench.h"
#include "core/formats/json.h"
#include "app/workbench/server/fields.h"
#include "app/workbench/server/one_open.h"
#include <pthread.h>
#include <stdatomic.h>

/* Time between two looks at what runs; maximum number of cases, and of pages that follow one. */
enum { HT_BENCH_LOOK_US = 100000, HT_BENCH_CASES_MOST = 10000, HT_BENCH_STREAMS_MOST = 16 };

/* A case, by the number that the page calls it by. It lives as long as the server. */
typedef struct {
  int number;
  char folder[HT_PATH_MAX];
  ht_job *job; /* NULL until a page opens the case */
  ht_one_open lock;
  int scan;          /* entry of the scan that it is imported from (scans.h); -1: not known */
  char *row;         /* what the table shows of its folder; owned; NULL: not read yet */
  int64_t row_stamp; /* of the row (cases/case_row.h) */
  char *request;     /* body of the call that started its last command; owned; NULL: none */
  char request_name[16];
  int streams;   /* number of pages that follow its state */
  char *state;   /* the latest that they have; owned */
  int64_t stamp; /* changes with the state */
} ht_bench_case;

struct ht_bench {
  const char *start; /* folder of scans and cases; NULL: a workbench of one case */
  const char *pacs;  /* settings of an archive; NULL: none */
  ht_job_queue *queue;
  const ht_http_server *server;
  pthread_mutex_t lock;   /* of what follows, and of the members of the cases */
  pthread_cond_t changed; /* the state of a case */
  ht_bench_case **item;   /* [cases] */
  int cases;
  struct ht_scans *scans;        /* many/scans.c */
  struct ht_table *table;        /* many/table.c */
  struct ht_archive *archive;    /* many/archive.c */
  struct ht_waiting *waiting;    /* many/waiting.c */
  pthread_mutex_t estimating;    /* held while a vessel is measured */
  double copy_rate, copy_rate_s; /* of this machine's memory, bytes a second, and when measured */
  pthread_mutex_t changing;      /* held while the settings are changed */
  struct ht_bench_edits *edits;  /* the mask that the page corrects: mask_edits.c */
  _Atomic(struct ht_bench_measuring *) measuring; /* owned; NULL: nothing was measured yet */
};

/* Makes and frees the workbench with its queue. HT_ERR_MEMORY; errors of ht_job_queue_open(). */
ht_status ht_bench_open(ht_bench *of);
void ht_bench_close(ht_bench *of);

/* Finds the case of a folder, or adds it. HT_ERR_USAGE: too many; HT_ERR_MEMORY. */
ht_status ht_bench_add(ht_bench *of, const char *folder, ht_bench_case **added);

/* Returns the job of a case; NULL: it was not opened yet. */
ht_job *ht_bench_job(ht_bench *of, const ht_bench_case *one);

/* Returns the case of that number; NULL: there is none. */
ht_bench_case *ht_bench_find(ht_bench *of, int number);

/* Opens the case, unless it is open: only one workbench works in it. Errors of ht_one_open_lock(),
 * HT_ERR_MEMORY. */
ht_status ht_bench_open_case(ht_bench *of, ht_bench_case *one);

/* Returns the number of the case that a call names; -1: none. */
int ht_bench_number(const ht_http_call *call, const ht_bench *of);

/* Reads the body of a call into the target (fields.h). */
ht_status ht_bench_fields(ht_http_call *call, const ht_field *fields, void *target);

/* Sends JSON of a few numbers, as by printf; where the status is no HT_OK the error. */
__attribute__((format(printf, 3, 4))) void ht_bench_answer(ht_http_call *call, ht_status status,
                                                           const char *format, ...);

/* Sends a text that is JSON, and frees it; an error where it is NULL. */
void ht_bench_send_text(ht_http_call *call, char *text);

/* Returns the case of a call that was admitted. */
ht_bench_case *ht_bench_of_call(const ht_http_call *call, const ht_bench *of);

/* Admits a call to a table of addresses (ht_http_start): a part of a case needs a case that is
 * there, and opens it. */
int ht_bench_admit(ht_http_call *call, void *user, const ht_http_route *table);

/* Looks for changes of the cases that pages follow, once for all of them. */
void ht_bench_look(ht_bench *of);

/* Writes the state of the case as one line of JSON, which the caller frees; NULL without memory. */
char *ht_bench_state_text(ht_bench *of, ht_bench_case *one);

/* Adds a command's number, state and words to the current object. */
void ht_bench_put_job(const ht_job_state *job, ht_json *json);

/* Returns 1 while a command works in the folder that no job of this workbench started. */
int ht_bench_others_work(const char *folder, const ht_job_state *job);

/* Begin and end the parts that have members of their own. */
ht_status ht_scans_begin(ht_bench *of, const char *scan); /* `scan`: of a new case; NULL: none */
void ht_scans_sweep(ht_bench *of); /* removes dropped files of a workbench that was killed */
void ht_scans_step(ht_bench *of);  /* removes dropped files that were imported */
void ht_scans_end(ht_bench *of);
ht_status ht_table_begin(ht_bench *of);
void ht_table_end(ht_bench *of);
ht_status ht_waiting_begin(ht_bench *of);         /* after the table */
void ht_waiting_step(ht_bench *of);               /* keeps what waits */
void ht_waiting_put(ht_bench *of, ht_json *json); /* what an earlier workbench left */
void ht_waiting_end(ht_bench *of);
ht_status ht_archive_begin(ht_bench *of);
void ht_archive_end(ht_bench *of);

/* Remembers the request that started the command `name` of a case, to queue it again later. */
void ht_bench_remember(ht_bench *of, ht_bench_case *one, const char *name, const char *request);

/* Imports a scan into the folder of a new case, or of one whose import failed. `series`: as
 * --series; NULL: the only one; `phase` 0: the only one. */
ht_status ht_bench_import(ht_bench *of, ht_bench_case *one, const char *scan, const char *series,
                          int phase);

#endif
