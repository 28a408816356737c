#include "solver/lattice/device_memory.h"
#include "core/machine/host_memory.h"
#include <stdio.h>
#include <string.h>

/* Memory rates of the manufacturers' data sheets, for devices whose name begins with `name`. Clock
 * times bus gives a number close to that of the data sheet, not the same. */
static const struct {
  const char *name;
  double bytes_per_s;
} data_sheets[] = {
    {"NVIDIA H200", 4.8e12},
    {"NVIDIA H100 80GB HBM3", 3.35e12},
    {"NVIDIA H100 PCIe", 2.0e12},
    {"NVIDIA H100 NVL", 3.9e12},
    {"NVIDIA A100-SXM4-80GB", 2.039e12},
    {"NVIDIA A100-SXM4-40GB", 1.555e12},
};

static void use_data_sheet(ht_device_memory *memory) {
  for (size_t i = 0; i < sizeof data_sheets / sizeof *data_sheets; i++) {
    if (strncmp(memory->name, data_sheets[i].name, strlen(data_sheets[i].name)) != 0) continue;
    memory->bytes_per_s = data_sheets[i].bytes_per_s;
    memory->from_datasheet = 1;
  }
}

/* The value of the first line "KEY...: value" of a file of /proc; "" where there is none. */
static void read_proc(const char *path, const char *key, char *value, int size) {
  char line[256];
  value[0] = 0;
  FILE *file = fopen(path, "r");
  if (!file) return;
  while (!value[0] && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
    char *begin = colon + 1 + strspn(colon + 1, " \t");
    begin[strcspn(begin, "\n")] = 0;
    snprintf(value, (size_t)size, "%s", begin);
  }
  fclose(file);
}

ht_status ht_device_memory_describe(ht_device device, ht_device_memory *memory) {
  int on_gpu;
  memset(memory, 0, sizeof *memory);
  HT_TRY(ht_choose_device(device, &on_gpu));
  memory->device = on_gpu ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
  if (on_gpu) {
    HT_TRY(ht_cuda_memory_describe(memory));
    use_data_sheet(memory);
    return HT_OK;
  }
  read_proc("/proc/cpuinfo", "model name", memory->name, sizeof memory->name);
  if (!memory->name[0]) snprintf(memory->name, sizeof memory->name, "CPU");
  memory->available_bytes = (int64_t)ht_host_memory_free();
  memory->total_bytes = (int64_t)ht_host_memory_total();
  return HT_OK;
}
