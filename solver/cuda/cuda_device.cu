/* The GPU itself: whether one works, its memory, waiting for it. */
#include "solver/cuda/cuda_device.cuh"
#include "solver/lattice/device_memory.h"
#include "core/machine/find_gpu.cuh"
#include <cstdio>
#include <cstring>
#include <unistd.h>

int ht_cuda_available(char name[128], char why[256]) {
  return ht_find_gpu(name, why);
}

int ht_cuda_count(void) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

ht_status ht_cuda_use(int number) {
  return ht_cuda_check(cudaSetDevice(number), "being chosen");
}

ht_status ht_cuda_identify(char identity[HT_CUDA_IDENTITY]) {
  cudaDeviceProp device;
  int number = 0;
  char host[64] = "";
  HT_TRY(ht_cuda_check(cudaGetDevice(&number), "being described"));
  HT_TRY(ht_cuda_check(cudaGetDeviceProperties(&device, number), "being described"));
  gethostname(host, sizeof host - 1);
  int used = snprintf(identity, HT_CUDA_IDENTITY, "%s ", host);
  for (int i = 0; i < 16; i++)
    used += snprintf(identity + used, HT_CUDA_IDENTITY - (size_t)used, "%02x",
                     (unsigned char)device.uuid.bytes[i]);
  return HT_OK;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release Build ..." */
static void kernel_driver(char version[48]) {
  char line[256];
  snprintf(version, 48, "?");
  FILE *file = fopen("/proc/driver/nvidia/version", "r");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
      if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.') && version[0] == '?')
        snprintf(version, 48, "%.47s", word);
    if (version[0] != '?') break;
  }
  fclose(file);
}

ht_status ht_cuda_memory_describe(ht_device_memory *memory) {
  cudaDeviceProp device;
  int number = 0, clock_khz = 0, bus_bits = 0, version = 0;
  size_t available = 0, total = 0;
  char driver[48];
  HT_TRY(ht_cuda_check(cudaGetDevice(&number), "being described"));
  HT_TRY(ht_cuda_check(cudaGetDeviceProperties(&device, number), "being described"));
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, number);
  cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, number);
  cudaDriverGetVersion(&version);
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&available, &total), "asking for its memory"));
  kernel_driver(driver);
  snprintf(memory->name, sizeof memory->name, "%.127s", device.name);
  snprintf(memory->driver, sizeof memory->driver, "%s, CUDA %d.%d", driver, version / 1000,
           version % 1000 / 10);
  /* Two transfers a clock. */
  memory->bytes_per_s = 2.0 * 1e3 * clock_khz * (bus_bits / 8.0);
  memory->available_bytes = (int64_t)available;
  memory->total_bytes = (int64_t)total;
  return HT_OK;
}

ht_status ht_cuda_wait(void) {
  return ht_cuda_check(cudaDeviceSynchronize(), "finishing its work");
}
