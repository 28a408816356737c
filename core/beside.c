#include "beside.h"
#include "volume.h"
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_MAX = 4096 };

struct ht_beside {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ht_status (*work)(void *user); /* NULL: none, or done */
  void *user;
  int threads; /* of OpenMP */
  int ends;
  ht_status status; /* of the work done last */
  char message[MESSAGE_MAX];
};

/* Messages are kept by thread: that of a failure goes with it to the caller. */
static void do_work(ht_beside *beside) {
  omp_set_num_threads(beside->threads);
  ht_status status = beside->work(beside->user);
  if (status != HT_OK) snprintf(beside->message, sizeof beside->message, "%s", ht_error_message());
  pthread_mutex_lock(&beside->lock);
  beside->status = status;
  beside->work = NULL;
  pthread_cond_broadcast(&beside->changed);
  pthread_mutex_unlock(&beside->lock);
}

static void *serve(void *user) {
  ht_beside *beside = user;
  for (;;) {
    pthread_mutex_lock(&beside->lock);
    while (!beside->work && !beside->ends) pthread_cond_wait(&beside->changed, &beside->lock);
    int ends = !beside->work;
    pthread_mutex_unlock(&beside->lock);
    if (ends) return NULL;
    do_work(beside);
  }
}

ht_status ht_beside_make(ht_beside **beside) {
  ht_beside *made;
  *beside = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "a thread"));
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->changed, NULL);
  if (pthread_create(&made->thread, NULL, serve, made) == 0) {
    *beside = made;
    return HT_OK;
  }
  pthread_cond_destroy(&made->changed);
  pthread_mutex_destroy(&made->lock);
  free(made);
  return ht_fail(HT_ERR_MEMORY, "the system gives no further thread");
}

ht_status ht_beside_begin(ht_beside *beside, ht_status (*work)(void *user), void *user) {
  if (!beside) return work(user);
  HT_TRY(ht_beside_wait(beside));
  pthread_mutex_lock(&beside->lock);
  beside->user = user;
  beside->work = work;
  int threads = omp_get_max_threads();
  beside->threads = threads > 1 ? threads - 1 : 1;
  pthread_cond_broadcast(&beside->changed);
  pthread_mutex_unlock(&beside->lock);
  return HT_OK;
}

ht_status ht_beside_wait(ht_beside *beside) {
  if (!beside) return HT_OK;
  pthread_mutex_lock(&beside->lock);
  while (beside->work) pthread_cond_wait(&beside->changed, &beside->lock);
  ht_status status = beside->status;
  beside->status = HT_OK;
  pthread_mutex_unlock(&beside->lock);
  return status == HT_OK ? HT_OK : ht_fail(status, "%s", beside->message);
}

void ht_beside_free(ht_beside *beside) {
  if (!beside) return;
  pthread_mutex_lock(&beside->lock);
  while (beside->work) pthread_cond_wait(&beside->changed, &beside->lock);
  beside->ends = 1;
  pthread_cond_broadcast(&beside->changed);
  pthread_mutex_unlock(&beside->lock);
  pthread_join(beside->thread, NULL);
  pthread_cond_destroy(&beside->changed);
  pthread_mutex_destroy(&beside->lock);
  free(beside);
}
