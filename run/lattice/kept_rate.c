#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "run/lattice/kept_rate.h"
#include "core/disk/config_folder.h"
#include "solver/copy_rate/copy_rate.h"
#include "solver/lattice/device_memory.h"
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MEASUREMENTS = 20 }; /* half a second on a quiet machine */

/* Rates outside are no rates of a memory. */
static const double least = 1e8, most = 1e14;

/* FNV-1a, 32 bits. */
static uint32_t hash_of(const char *text) {
  uint32_t hash = 2166136261u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

static ht_status find_path(int threads, char path[HT_PATH_MAX]) {
  char folder[HT_PATH_MAX], name[64];
  ht_device_memory memory;
  HT_TRY(ht_config_folder(folder));
  HT_TRY(ht_device_memory_describe(HT_DEVICE_CPU, &memory));
  HT_TRY(ht_folder_make(folder));
  snprintf(name, sizeof name, "copy_rate_%08x_%d", hash_of(memory.name), threads);
  return ht_path_join(path, folder, name);
}

static double read_rate(const char *path) {
  double rate = 0;
  FILE *file = ht_file_open(path);
  if (!file) return 0;
  if (fscanf(file, "%lf", &rate) != 1 || !(rate > least && rate < most)) rate = 0;
  fclose(file);
  return rate;
}

/* Links the file into place: of several processes the first keeps its rate. */
static void keep(const char *path, double rate) {
  char hidden[HT_PATH_MAX + 16];
  snprintf(hidden, sizeof hidden, "%s.XXXXXX", path);
  const int descriptor = mkstemp(hidden);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) return;
  const int is_written = fprintf(file, "%.6g\n", rate) > 0;
  if (fclose(file) == 0 && is_written && link(hidden, path) != 0 && !(read_rate(path) > 0))
    (void)rename(hidden, path); /* over a damaged one */
  (void)unlink(hidden);
}

/* Returns the best of many measurements: what else runs leaves the machine alone now and then. */
static double measure(int threads) {
  const int64_t bytes = (int64_t)128 << 20;
  double best = 0, rate;
  ht_copy *copy;
  if (ht_copy_create(HT_DEVICE_CPU, threads, bytes, &copy) != HT_OK) return 0;
  for (int n = 0; n < MEASUREMENTS; n++)
    if (ht_copy_measure(copy, &rate) == HT_OK && rate > best) best = rate;
  ht_copy_free(copy);
  return best;
}

double ht_kept_copy_rate(int threads, int measures) {
  char path[HT_PATH_MAX];
  double rate = 0;
  if (threads <= 0) threads = omp_get_max_threads();
  const int may_keep = find_path(threads, path) == HT_OK;
  if (may_keep && (rate = read_rate(path)) > 0) return rate;
  if (!measures) return 0;
  rate = measure(threads);
  if (!may_keep || !(rate > 0)) return rate;
  keep(path, rate);
  const double kept = read_rate(path);
  return kept > 0 ? kept : rate;
}
