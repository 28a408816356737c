/* A program that runs beside this one. */
#ifndef HT_CHILD_H
#define HT_CHILD_H

#include "status.h"
#include <sys/types.h>

typedef struct {
  pid_t pid; /* 0: none */
  double began_s;
} ht_child;

/* Starts argv[0] with its arguments; what it prints goes to the end of `log`. `gpu` >= 0: the only
 * GPU that it sees. It ends with this process, by SIGTERM, however this one ends; Ctrl-C on the
 * terminal does not reach it. HT_ERR_WRITE: the log cannot be opened; HT_ERR_MEMORY: no process can
 * be started. */
ht_status ht_child_start(char *const *argv, const char *log, int gpu, ht_child *child);

/* 1 where the child has ended: then `exit_code` is its code, or 128 + the number of the signal that
 * ended it, and pid is 0. Does not wait. */
int ht_child_ended(ht_child *child, int *exit_code);

/* Asks it to end. */
void ht_child_stop(const ht_child *child);

#endif
