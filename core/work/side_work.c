#include "core/work/side_work.h"
#include "core/vessel/volume.h"
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_MAX = 4096 };

struct ht_side_work {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ht_status (*work)(void *user); /* NULL: none, or done */
  void *user;
  int threads; /* threads of OpenMP */
  int ends;
  ht_status status; /* status of the last work done */
  char message[MESSAGE_MAX];
};

/* Runs the work and keeps its message, which is per thread, for the caller. */
static void do_work(ht_side_work *side) {
  omp_set_num_threads(side->threads);
  ht_status status = side->work(side->user);
  if (status != HT_OK) snprintf(side->message, sizeof side->message, "%s", ht_error_message());
  pthread_mutex_lock(&side->lock);
  side->status = status;
  side->work = NULL;
  pthread_cond_broadcast(&side->changed);
  pthread_mutex_unlock(&side->lock);
}

static void *serve(void *user) {
  ht_side_work *side = user;
  for (;;) {
    pthread_mutex_lock(&side->lock);
    while (!side->work && !side->ends) pthread_cond_wait(&side->changed, &side->lock);
    int ends = !side->work;
    pthread_mutex_unlock(&side->lock);
    if (ends) return NULL;
    do_work(side);
  }
}

ht_status ht_side_work_make(ht_side_work **side) {
  ht_side_work *made;
  *side = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "a thread"));
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->changed, NULL);
  if (pthread_create(&made->thread, NULL, serve, made) == 0) {
    *side = made;
    return HT_OK;
  }
  pthread_cond_destroy(&made->changed);
  pthread_mutex_destroy(&made->lock);
  free(made);
  return ht_fail(HT_ERR_MEMORY, "the system gives no further thread");
}

ht_status ht_side_work_begin(ht_side_work *side, ht_status (*work)(void *user), void *user) {
  if (!side) return work(user);
  HT_TRY(ht_side_work_wait(side));
  pthread_mutex_lock(&side->lock);
  side->user = user;
  side->work = work;
  int threads = omp_get_max_threads();
  side->threads = threads > 1 ? threads - 1 : 1;
  pthread_cond_broadcast(&side->changed);
  pthread_mutex_unlock(&side->lock);
  return HT_OK;
}

ht_status ht_side_work_wait(ht_side_work *side) {
  if (!side) return HT_OK;
  pthread_mutex_lock(&side->lock);
  while (side->work) pthread_cond_wait(&side->changed, &side->lock);
  ht_status status = side->status;
  side->status = HT_OK;
  pthread_mutex_unlock(&side->lock);
  return status == HT_OK ? HT_OK : ht_fail(status, "%s", side->message);
}

void ht_side_work_free(ht_side_work *side) {
  if (!side) return;
  pthread_mutex_lock(&side->lock);
  while (side->work) pthread_cond_wait(&side->changed, &side->lock);
  side->ends = 1;
  pthread_cond_broadcast(&side->changed);
  pthread_mutex_unlock(&side->lock);
  pthread_join(side->thread, NULL);
  pthread_cond_destroy(&side->changed);
  pthread_mutex_destroy(&side->lock);
  free(side);
}
