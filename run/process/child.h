/* A program that runs in parallel with this one. */
#ifndef HT_CHILD_H
#define HT_CHILD_H

#include "core/disk/file.h"
#include <sys/types.h>

typedef struct {
  pid_t pid; /* 0: none */
  double began_s;
} ht_child;

/* Options for starting a program. */
typedef struct {
  const char *log;      /* its output is appended to this file */
  const char *variable; /* added to its environment, in place of a variable of the same name:
                           "GPU=1"; NULL: none */
  int death_signal;     /* signal that ends it with this process, however this one ends */
} ht_child_options;

/* Starts argv[0] with its arguments. Ctrl-C on the terminal does not reach it. HT_ERR_WRITE: the
 * log cannot be opened; HT_ERR_MEMORY: no process can be started. */
ht_status ht_child_start(char *const *argv, const ht_child_options *options, ht_child *child);

/* Returns 1 where the child has ended: then `exit_code` is its code, or 128 + the number of the
 * signal that ended it, and pid is 0. Does not wait. */
int ht_child_ended(ht_child *child, int *exit_code);

/* Asks it to end. */
void ht_child_stop(const ht_child *child);

#endif
