/* The speed and the memory of the learned network on this machine, and its outputs as they are, to
 * compare with PyTorch's (segment/learned/train/compare.py).
 *
 *   measure_learned NX NY NZ [device=cpu|cuda] [threads=N] [most=BYTES] [weights=FILE.htnet]
 *                   [scan=FILE] [raw=FILE]
 *
 * scan: NX NY NZ float32, x fastest; else random tubes in noise. raw: float32 [5][NZ][NY][NX].
 */
#include "core/machine/clock.h"
#include "core/machine/host_memory.h"
#include "segment/learned/learned.h"
#include "segment/learned/network.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Returns the value of an option `name=value`, or NULL. */
static const char *find_option(char **argv, const char *name) {
  const size_t length = strlen(name);
  for (; *argv; argv++)
    if (strncmp(*argv, name, length) == 0 && (*argv)[length] == '=') return *argv + length + 1;
  return NULL;
}

static double number_option(char **argv, const char *name) {
  const char *text = find_option(argv, name);
  return text ? atof(text) : 0;
}

static int end(const char *why) {
  fprintf(stderr, "measure_learned: %s\n", why);
  return 1;
}

/* Fills a scan with noise and bright tubes along x. */
static void make_scan(ht_volume *scan) {
  const int *dim = scan->grid.dim;
  uint32_t random = 1;
  for (int64_t v = 0; v < ht_grid_voxels(&scan->grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    random = random * 1664525u + 1013904223u;
    const int y = at[1] % 32 - 16, z = at[2] % 32 - 16;
    scan->values[v] = (float)(random >> 26) + (y * y + z * z < 25 ? 200 : 0);
  }
}

static int move_floats(const char *path, const char *mode, float *values, size_t count) {
  FILE *file = fopen(path, mode);
  if (!file) return 0;
  const size_t moved = mode[0] == 'r' ? fread(values, sizeof *values, count, file)
                                      : fwrite(values, sizeof *values, count, file);
  return fclose(file) == 0 && moved == count;
}

/* Prints the figures of what was found. */
static void print_found(const ht_learned *found) {
  const int64_t voxels = ht_grid_voxels(&found->grid);
  int64_t likely[3] = {0, 0, 0};
  struct rusage usage;
  for (int64_t v = 0; v < voxels; v++)
    likely[0] += found->artery[v] > 127, likely[1] += found->other[v] > 127,
        likely[2] += found->hard[v] > 127;
  getrusage(RUSAGE_SELF, &usage);
  printf("%d x %d x %d voxels on %s%s%s\n", found->grid.dim[0], found->grid.dim[1],
         found->grid.dim[2], found->device, found->why_cpu[0] ? ": " : "", found->why_cpu);
  printf("%.2f s, %.3g voxels/s, %.2f GMAC/s; %.0f MB for the work, %.0f MB of the process\n",
         found->seconds, (double)voxels / found->seconds, 40.8e-6 * (double)voxels / found->seconds,
         found->peak_bytes / 1e6, (double)usage.ru_maxrss / 1e3);
  printf("artery %.3f %%, other vessel %.3f %%, hard %.3f %%\n",
         100.0 * (double)likely[0] / (double)voxels, 100.0 * (double)likely[1] / (double)voxels,
         100.0 * (double)likely[2] / (double)voxels);
}

int main(int argc, char **argv) {
  if (argc < 4) return end("NX NY NZ are missing");
  const ht_grid grid = ht_grid_make(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
  const char *device = find_option(argv, "device"), *from = find_option(argv, "weights");
  const char *scan_path = find_option(argv, "scan"), *raw_path = find_option(argv, "raw");
  ht_learned_options options = {.threads = (int)number_option(argv, "threads"),
                                .most_bytes = number_option(argv, "most")};
  if (device) options.device = strcmp(device, "cpu") == 0 ? HT_LEARNED_CPU : HT_LEARNED_CUDA;
  const size_t voxels = (size_t)ht_grid_voxels(&grid);
  float *raw = raw_path ? malloc(HT_LEARNED_OUTPUTS * voxels * sizeof *raw) : NULL;
  ht_volume scan;
  ht_learned_weights weights;
  ht_learned found;
  ht_host_memory_give_back();
  if ((raw_path && !raw) || ht_volume_alloc(&grid, &scan) != HT_OK) return end("no memory");
  if (scan_path && !move_floats(scan_path, "rb", scan.values, voxels)) return end(scan_path);
  if (!scan_path) make_scan(&scan);
  if ((from ? ht_learned_weights_read(from, &weights) : ht_learned_weights_own(&weights)) !=
          HT_OK ||
      ht_learned_apply(&weights, &scan, &options, raw, &found) != HT_OK)
    return end(ht_error_message());
  print_found(&found);
  if (raw_path && !move_floats(raw_path, "wb", raw, HT_LEARNED_OUTPUTS * voxels))
    return end(raw_path);
  ht_learned_free(&found);
  ht_learned_weights_free(&weights);
  ht_volume_free(&scan);
  free(raw);
  return 0;
}
