#define _POSIX_C_SOURCE 200809L
#include "thread_limit.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

void ht_thread_limit(int threads) {
  char text[16];
  if (threads <= 0) return;
  omp_set_num_threads(threads);
  snprintf(text, sizeof text, "%d", threads);
  (void)setenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", text, 1); /* it reads this when first used */
}
