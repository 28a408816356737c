/* Models the speed of several GPUs on a geometry of the benchmark, from its parts, for
 * docs/performance.md:
 *   model_gpus GEOMETRY SIZE MFLUPS       SIZE 0: its own; MFLUPS: of one GPU
 * A step of N GPUs takes as long as the costliest part on one GPU, and `fixed` more: its first
 * blocks, the others, and the join of both streams follow each other. What crosses goes meanwhile;
 * it counts where it takes longer than the blocks that are no edge. */
#include "bench/measure/bench_geometry.h"
#include "solver/ranks/part_tables.h"
#include <stdio.h>
#include <stdlib.h>

static const int counts[] = {2, 4, 8, 64};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 64 };

/* Seconds and bytes per second. fixed: fitted to `vessels --size 380` on two H100. NVLink 4 of an
 * H100: 18 links of 25 GB/s each way; the network: 400 Gbit/s a GPU, by NCCL. */
static const double fixed = 8e-6, nvlink_begin = 10e-6, nvlink = 450e9, network_begin = 30e-6,
                    network = 50e9;

typedef struct {
  double seconds; /* of a step on one GPU */
} question;

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Time of a step on N GPUs that send at `rate`, `begin` after the edge. */
static double time_of(const ht_part_figures *part, int parts, double alone, double begin,
                      double rate) {
  double most = 0;
  for (int p = 0; p < parts; p++) {
    const double own = part[p].load * alone / parts;
    const double edge = own * (double)part[p].border_tiles / (double)part[p].tiles;
    const double sent = (double)larger((double)part[p].sent_bytes, (double)part[p].received_bytes);
    most = larger(most, fixed + edge + larger(own - edge, begin + sent / rate));
  }
  return most;
}

static ht_status look(void *user, const ht_lattice_tables *tables) {
  const question *asked = user;
  ht_part_figures part[MOST];
  int32_t *of_tile;
  HT_TRY(ht_alloc((void **)&of_tile, (size_t)tables->tiling->tiles, sizeof *of_tile, "parts"));
  printf("| GPUs | nodes each, 10^6 | load | edge, %% | MB to one | NVLink: factor | of N | "
         "network: factor | "
         "of N |\n|---|---|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < COUNTS; c++) {
    const int n = counts[c];
    double load = 0, edge = 0, bytes = 0;
    HT_TRY(ht_part_figures_find(tables, n, part, of_tile));
    for (int p = 0; p < n; p++) {
      load = larger(load, part[p].load);
      edge = larger(edge, (double)part[p].border_tiles / (double)part[p].tiles);
      bytes = larger(bytes, (double)part[p].received_bytes);
    }
    const double fast = asked->seconds / time_of(part, n, asked->seconds, nvlink_begin, nvlink);
    const double slow = asked->seconds / time_of(part, n, asked->seconds, network_begin, network);
    printf("| %d | %.2f | %.3f | %.1f | %.3f | %.2f | %.2f | %.2f | %.2f |\n", n,
           1e-6 * (double)tables->tiling->nodes / n, load, 100 * edge, 1e-6 * bytes, fast, fast / n,
           slow, slow / n);
  }
  free(of_tile);
  return HT_OK;
}

static ht_status run(const char *name, int size, double mflups) {
  ht_bench_geometry geometry;
  ht_bench_domain domain;
  HT_TRY(ht_bench_geometry_choose(name, size, 0, 1, &geometry));
  HT_TRY(ht_bench_domain_make(&geometry, &domain));
  question asked = {(double)domain.tiling.nodes / (1e6 * mflups)};
  const ht_lattice_setup setup = {
      .tiling = &domain.tiling, .tau = 0.6, .device = HT_DEVICE_CUDA, .precision = HT_FP32};
  printf("%s: %.2f million nodes, fp32, a step of %.0f microseconds on one GPU\n\n",
         domain.geometry.label, 1e-6 * (double)domain.tiling.nodes, 1e6 * asked.seconds);
  ht_status status = ht_lattice_look(&setup, look, &asked);
  ht_bench_domain_free(&domain);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  ht_status status = run(argv[1], atoi(argv[2]), atof(argv[3]));
  if (status != HT_OK) fprintf(stderr, "%s\n", ht_error_message());
  return (int)status;
}
