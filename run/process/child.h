/* A program that runs beside this one. */
#ifndef HT_CHILD_H
#define HT_CHILD_H

#include "core/disk/file.h"
#include <sys/types.h>

typedef struct {
  pid_t pid; /* 0: none */
  double began_s;
} ht_child;

/* How a program is started. */
typedef struct {
  const char *log;      /* what it prints goes to the end of this file */
  const char *variable; /* added to its environment, in place of one of the same name: "GPU=1";
                           NULL: none */
  int death_signal;     /* it ends with this process, by this signal, however this one ends */
} ht_child_options;

/* Starts argv[0] with its arguments. Ctrl-C on the terminal does not reach it. HT_ERR_WRITE: the
 * log cannot be opened; HT_ERR_MEMORY: no process can be started. */
ht_status ht_child_start(char *const *argv, const ht_child_options *options, ht_child *child);

/* 1 where the child has ended: then `exit_code` is its code, or 128 + the number of the signal that
 * ended it, and pid is 0. Does not wait. */
int ht_child_ended(ht_child *child, int *exit_code);

/* Asks it to end. */
void ht_child_stop(const ht_child *child);

/* The path of the running program, for argv[0] of another of it. HT_ERR_INTERNAL. */
ht_status ht_child_self(char path[HT_PATH_MAX]);

#endif
