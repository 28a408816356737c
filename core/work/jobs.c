#define _POSIX_C_SOURCE 200809L /* strdup */
#include "core/work/jobs.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int (*stop_asked)(void);

void ht_jobs_stop_when(int (*asked)(void)) {
  stop_asked = asked;
}

static int is_stopped(void) {
  return stop_asked && stop_asked();
}

static ht_status stopped(void) {
  return ht_fail(HT_ERR_INTERRUPTED, "stopped as asked");
}

/* Keeps a job's message, which is per thread, for the thread that started the jobs. */
typedef struct {
  ht_status status;
  char *message;
} outcome;

static void run_one(const ht_job *job, outcome *of) {
  of->status = is_stopped() ? stopped() : job->run(job->user);
  of->message = of->status != HT_OK ? strdup(ht_error_message()) : NULL;
}

static void run_all(const ht_job *jobs, int count, outcome *of) {
#pragma omp parallel
#pragma omp single
  for (int n = 0; n < count; n++)
#pragma omp task firstprivate(n)
    run_one(&jobs[n], &of[n]);
}

ht_status ht_jobs_run(const ht_job *jobs, int count) {
  outcome of[HT_JOBS_MAX];
  ht_status first = HT_OK;
  if (count > HT_JOBS_MAX) return ht_fail(HT_ERR_INTERNAL, "%d jobs side by side", count);
  run_all(jobs, count, of);
  for (int n = 0; n < count; n++) {
    if (first == HT_OK && of[n].status != HT_OK)
      first = ht_fail(of[n].status, "%s", of[n].message ? of[n].message : "not enough memory");
    free(of[n].message);
  }
  return first;
}

typedef struct {
  void (*work)(void *user, int piece);
  void *user;
  int missing;
} spreading;

static void run_piece(spreading *s, int n) {
  if (!is_stopped()) {
    s->work(s->user, n);
    return;
  }
#pragma omp atomic write
  s->missing = 1;
}

ht_status ht_jobs_spread(int pieces, void (*work)(void *user, int piece), void *user) {
  spreading s = {work, user, 0};
  if (omp_in_parallel()) {
#pragma omp taskloop grainsize(1) shared(s)
    for (int n = 0; n < pieces; n++) run_piece(&s, n);
  } else {
#pragma omp parallel for schedule(dynamic)
    for (int n = 0; n < pieces; n++) run_piece(&s, n);
  }
  return s.missing ? stopped() : HT_OK;
}
