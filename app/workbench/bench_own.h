/* The members of the workbench, for the files that keep them. */
#ifndef HT_BENCH_OWN_H
#define HT_BENCH_OWN_H

#include "app/workbench/bench.h"
#include "app/workbench/one_open.h"
#include <pthread.h>

/* Time between two looks at what runs; maximum number of cases, and of pages that follow one. */
enum { HT_BENCH_LOOK_US = 100000, HT_BENCH_CASES_MOST = 10000, HT_BENCH_STREAMS_MOST = 16 };

/* A case, by the number that the page calls it by. It lives as long as the server. */
typedef struct {
  int number;
  char folder[HT_PATH_MAX];
  ht_job *job; /* NULL until a page opens the case */
  ht_one_open lock;
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
};

/* Makes and frees the workbench with its queue. HT_ERR_MEMORY; errors of ht_job_queue_open(). */
ht_status ht_bench_open(ht_bench *of);
void ht_bench_close(ht_bench *of);

/* Finds the case of a folder, or adds it. HT_ERR_USAGE: too many; HT_ERR_MEMORY. */
ht_status ht_bench_add(ht_bench *of, const char *folder, ht_bench_case **added);

/* Returns the case of that number; NULL: there is none. */
ht_bench_case *ht_bench_find(ht_bench *of, int number);

/* Opens the case, unless it is open: only one workbench works in it. Errors of ht_one_open_lock(),
 * HT_ERR_MEMORY. */
ht_status ht_bench_open_case(ht_bench *of, ht_bench_case *one);

/* Returns the case of a call that was admitted. */
ht_bench_case *ht_bench_of_call(const ht_http_call *call, const ht_bench *of);

/* Admits a call to a table of addresses (ht_http_start): a part of a case needs a case that is
 * there, and opens it. */
int ht_bench_admit(ht_http_call *call, void *user, const ht_http_route *table);

/* Looks for changes of the cases that pages follow, once for all of them. */
void ht_bench_look(ht_bench *of);

/* Writes the state of the case as one line of JSON, which the caller frees; NULL without memory. */
char *ht_bench_state_text(ht_bench_case *one);

#endif
