/* Keeps what a long flow has computed so far in a file, so that the same command goes on from it
 * after a stop, a time limit or a power cut.
 *
 * A flow that keeps is a series of parts (a resolution, an angle), each with its rows and curves
 * and a few numbers that later parts need. The file has those of the parts that are done and, of
 * the one that runs, the state of its solver. It is replaced whole.
 *
 * Little-endian, as the machine: 8 bytes "HTVALD02", then pieces as in state_stream.h, then 65
 * bytes: the checksum of all before as text, ended by 0 ("": it has none). */
#ifndef HT_VALIDATION_KEEP_H
#define HT_VALIDATION_KEEP_H

#include "core/disk/file.h"
#include "validation/flows/validation_types.h"
#include <stdio.h>

enum {
  HT_KEPT_PARTS = 32,
  HT_KEPT_BYTES = 1024, /* of a part's numbers */
  HT_KEPT_WHOSE = 256,
  HT_KEPT_SUM = 65
};

/* A checksum. It is the caller's, as a build without imaging has none (run/folder/hash.h). */
typedef struct {
  void *(*begin)(void); /* NULL: no memory */
  void (*add)(void *sum, const void *bytes, size_t size);
  void (*end)(void *sum, char text[HT_KEPT_SUM]); /* frees; `text` NULL: only that */
} ht_kept_sum;

typedef struct {
  uint64_t size;
  unsigned char bytes[HT_KEPT_BYTES];
} ht_kept_numbers;

struct ht_validation_keep {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  char whose[HT_KEPT_WHOSE];    /* the program and the options that the file belongs to */
  double every_s;               /* between two states of a part that runs */
  int64_t at_step;              /* for tests: see ht_solve_keeping */
  void (*hold)(int is_held);    /* around each writing; may be NULL */
  const ht_kept_sum *sum;       /* NULL: the file has none, and is not checked; borrowed */
  ht_validation_result *result; /* of the parts that are done; borrowed */
  int parts, next;              /* done; next: the one that the flow asks for */
  ht_kept_numbers part[HT_KEPT_PARTS];
  FILE *file;    /* open at the state of the part that runs; NULL: there is none to load */
  int64_t bytes; /* of that file before its checksum */
  ht_state state;
  ht_solve_keeping keeping;
  int64_t step;      /* of the state that was loaded or kept last; 0: none */
  int is_loaded;     /* 1: something was loaded */
  char trouble[512]; /* why the last writing failed; "" */
};

/* Opens FOLDER/NAME.kept where there is one, and takes what it has into `result`. A `restart`
 * removes it. The folder is made with the first writing. With `sum` a file's checksum is checked:
 * all of it is read once before. HT_ERR_CASE: it is that of another program or of other options;
 * HT_ERR_FORMAT: damaged; HT_ERR_MEMORY. `keep` stays at its place until its end. */
ht_status ht_validation_keep_begin(ht_validation_keep *keep, const char *folder, const char *name,
                                   const char *whose, int restart, const ht_kept_sum *sum,
                                   ht_validation_result *result);

/* Ends with the flow's `status`, which it returns: the file is removed once the flow is complete.
 * Where the flow diverged the parts that are done stay, without the state. */
ht_status ht_validation_keep_end(ht_validation_keep *keep, ht_status status);

/* ---- for the flows; all do nothing where nothing is kept ---- */

/* Tells whether an earlier run has done the next part; fills its numbers. */
int ht_validation_part_done(const ht_validation_options *options, void *numbers, size_t size);

/* Returns how the solver of the next part keeps its state; `move_observer` as in ht_solve_keeping.
 * NULL: nothing is kept. Rows and curves are added after it has run. */
const ht_solve_keeping *ht_validation_part_keeping(const ht_validation_options *options,
                                                   ht_status (*move_observer)(void *observe_user,
                                                                              const ht_flow *flow,
                                                                              ht_state *stream));

/* The next part is done: keeps it. What goes wrong is in `trouble`. */
void ht_validation_part_end(const ht_validation_options *options, const void *numbers, size_t size);

#endif
