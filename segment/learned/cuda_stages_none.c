/* Stands in for cuda_stages.cu where the program was built without a CUDA compiler. */
#include "segment/learned/work.h"
#include <stdio.h>

int ht_learned_cuda_find(char name[128], char why[256], double *free_bytes) {
  name[0] = 0, *free_bytes = 0;
  snprintf(why, 256, "this hemotile was built without CUDA");
  return 0;
}

double ht_learned_cuda_bytes(const ht_stream *stream) {
  (void)stream;
  return 0;
}

ht_status ht_learned_cuda_run(ht_learned_work *work) {
  (void)work;
  return ht_fail(HT_ERR_DEVICE, "this hemotile was built without CUDA");
}
