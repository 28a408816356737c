/* Stands in for copy_rate_cuda.cu where the program was built without a CUDA compiler. */
#include "solver/copy_rate/copy_backend.h"
#include <stddef.h>

static ht_status none(void) {
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: this hemotile was built without CUDA");
}

ht_status ht_cuda_copy_create(int64_t half, void **state) {
  (void)half;
  *state = NULL;
  return none();
}

void ht_cuda_copy_free(void *state) {
  (void)state;
}

ht_status ht_cuda_copy_pass(void *state, int way, double *seconds) {
  (void)state, (void)way, (void)seconds;
  return none();
}
