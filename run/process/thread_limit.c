#define _GNU_SOURCE
#include "run/process/thread_limit.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "run/process/itk_threads.h"
#endif
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t stack_bytes = 2 << 20;

void ht_thread_stacks(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, stack_bytes) == 0)
    (void)pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/* Takes the variables that bind threads out of the environment; returns whether there was one. */
static int forget_binding(void) {
  static const char *const name[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  int any = 0;
  for (int i = 0; i < 3; i++) {
    any |= getenv(name[i]) != NULL;
    (void)unsetenv(name[i]);
  }
  return any;
}

int ht_thread_unbind(void) {
  enum { PROCESSORS = 1 << 16 };
  cpu_set_t all[PROCESSORS / CPU_SETSIZE];
  if (!forget_binding()) return 0;
  memset(all, 0, sizeof all);
  for (int place = 0; place < omp_get_num_places(); place++) {
    const int count = omp_get_place_num_procs(place);
    int *id = calloc((size_t)count + 1, sizeof *id);
    if (id) omp_get_place_proc_ids(place, id);
    for (int i = 0; id && i < count; i++) CPU_SET_S((size_t)id[i], sizeof all, all);
    free(id);
  }
  if (CPU_COUNT_S(sizeof all, all) > 0) (void)sched_setaffinity(0, sizeof all, all);
  return 1;
}

/* Explains an end of OpenMP: nothing of hemotile ends with code 1. The other threads may still run,
 * so it only prints a message. */
static void end(int code, void *user) {
  (void)user;
  if (code != EXIT_FAILURE) return;
  fputs(
      "hemotile: error: not enough memory for work on several threads (see the line above): give a "
      "smaller --threads, or raise the system's limits (ulimit -v, ulimit -u)\n",
      stderr);
  _exit(HT_ERR_MEMORY);
}

void ht_thread_failures(void) {
  (void)on_exit(end, NULL);
}

static void *wait_at(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* Counts how many of these threads can exist at one time: OpenMP and ITK end the program if they
 * cannot start one. */
static int count_possible(int wanted) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *thread = calloc((size_t)wanted + 1, sizeof *thread);
  int started = 0;
  pthread_mutex_lock(&gate);
  while (thread && started < wanted && pthread_create(&thread[started], NULL, wait_at, &gate) == 0)
    started++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  free(thread);
  return started;
}

static int itk_threads(void) {
#ifdef HEMOTILE_HAVE_IMAGING
  return ht_itk_threads();
#else
  return 0;
#endif
}

static ht_status start_itk(int threads) {
#ifdef HEMOTILE_HAVE_IMAGING
  if (threads == 0)
    return ht_fail(HT_ERR_MEMORY, "not even one thread can be started: raise the system's limits "
                                  "on memory and threads (ulimit -v, ulimit -u)");
  return ht_itk_threads_start(threads);
#else
  (void)threads;
  return HT_OK;
#endif
}

/* Starts OpenMP's threads; the main thread is one of them. */
static void start_openmp(void) {
#pragma omp parallel
  {}
}

ht_status ht_thread_limit(int threads, int *fewer) {
  char text[16];
  if (fewer) *fewer = 0;
  if (threads > 0) {
    omp_set_num_threads(threads);
    snprintf(text, sizeof text, "%d", threads);
    (void)setenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", text, 1); /* read at ITK's first use */
  }
  int itk = itk_threads(), omp = omp_get_max_threads(), wanted = itk + omp - 1;
  int possible = count_possible(wanted);
  if (possible < wanted) {
    itk = itk > 0 && possible > 0 ? 1 : 0;
    omp = 1 + (possible - itk) / 2; /* leave memory for the work itself */
    if (fewer) *fewer = omp;
    omp_set_num_threads(omp);
  }
  HT_TRY(start_itk(itk));
  start_openmp();
  return HT_OK;
}
