#include "solver/lattice/device.h"
#include <stddef.h>
#include <stdio.h>

const char *const ht_device_words[] = {"auto", "cpu", "cuda", NULL};

static ht_status refuse_cuda(const char *why) {
  return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s; run with --device cpu, or auto", why);
}

ht_status ht_choose_device(ht_device asked, int *on_gpu) {
  char name[128], why[256];
  *on_gpu = asked != HT_DEVICE_CPU && ht_cuda_available(name, why);
  return asked == HT_DEVICE_CUDA && !*on_gpu ? refuse_cuda(why) : HT_OK;
}

ht_status ht_device_describe(ht_device device, char name[128], char why_no_gpu[256]) {
  why_no_gpu[0] = 0;
  if (device != HT_DEVICE_CPU && ht_cuda_available(name, why_no_gpu)) return HT_OK;
  if (device == HT_DEVICE_CUDA) return refuse_cuda(why_no_gpu);
  int threads = ht_cpu_threads(0);
  snprintf(name, 128, "CPU, %d thread%s, %s", threads, threads == 1 ? "" : "s",
           ht_cpu_instruction_set());
  return HT_OK;
}

ht_status ht_device_wait(ht_device device) {
  return device == HT_DEVICE_CUDA ? ht_cuda_wait() : HT_OK;
}
