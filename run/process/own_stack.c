#define _POSIX_C_SOURCE 200809L
#include "run/process/own_stack.h"
#include "core/status.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

typedef struct {
  int (*program)(int argc, char **argv);
  int argc, code;
  char **argv;
} start;

static void *run(void *user) {
  start *of = user;
  of->code = of->program(of->argc, of->argv);
  return NULL;
}

static int is_small(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < 1 << 20;
}

int ht_on_own_stack(int (*program)(int argc, char **argv), int argc, char **argv) {
  start of = {program, argc, HT_ERR_MEMORY, argv};
  pthread_attr_t attributes;
  pthread_t thread;
  if (!is_small()) return program(argc, argv);
  int made = pthread_attr_init(&attributes) == 0;
  made = made && pthread_attr_setstacksize(&attributes, 8 << 20) == 0 &&
         pthread_create(&thread, &attributes, run, &of) == 0;
  if (made)
    pthread_join(thread, NULL);
  else
    fputs("hemotile: error: the system's limit on the stack is too small (ulimit -s), and there is "
          "no memory for a larger one (ulimit -v)\n",
          stderr);
  return of.code;
}
