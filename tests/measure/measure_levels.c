/* Measures the speed of a lattice of two levels over that of a uniform fine one: a pipe along x
 * with interpolated walls, its middle half fine, so with two interfaces. Prints a line of
 * docs/notes/solver/levels.md for each collision:
 *
 *   build/bin/measure_levels [nodes across [coarse nodes long [rounds]]]
 *
 * Nodes of the flow updated a second of the processor, each level's by its own steps; one thread,
 * both lattices in turn, the best round of each, so that other work on the machine matters little.
 * Not a test. */
#include "tests/check.h"
#include "tests/solver/common/level_box.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  double radius, middle;
  int length, is_fine;
} pipe;

static double wall(const double at[3], const void *data) {
  const pipe *p = data;
  return p->radius - hypot(at[1] - p->middle, at[2] - p->middle);
}

static int level_at(const double at[3], const void *data) {
  const pipe *p = data;
  return p->is_fine || (at[0] > p->length / 4 - 0.5 && at[0] < 3 * p->length / 4 - 0.5);
}

static void flow_at(const double at[3], const void *data, ht_voxel_flow *to) {
  to->velocity[0] = 0.003 * wall(at, data);
}

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t own_nodes(const ht_level_box *box, int level) {
  int64_t count = 0;
  const ht_tiling *tiling = ht_levels_tiling(box->levels, level);
  const uint64_t *own = ht_levels_own(box->levels, level);
  for (int64_t t = 0; t < tiling->tiles; t++)
    count += __builtin_popcountll(own ? own[t] : tiling->inside[t]);
  return count;
}

/* Seconds of a step of the box' coarsest level. */
static double step(ht_level_box *box, int steps) {
  const double begin = cpu_s();
  assert_int_equal(ht_levels_step(box->levels, steps), HT_OK);
  return (cpu_s() - begin) / steps;
}

static void make(const pipe *p, int across, int scale, int levels, ht_lattice_setup lattice,
                 ht_level_box *box) {
  static pipe scaled[2];
  pipe *own = &scaled[levels == 1];
  *own = *p;
  own->radius *= scale, own->middle = scale * (p->middle + 0.5) - 0.5, own->length *= scale;
  const int side = (across + 11) / 8 * 8;
  ht_level_box_shape shape = {.dim = {scale * p->length, scale * side, scale * side},
                              .levels = levels,
                              .interpolated = 1,
                              .wall = wall,
                              .level = levels > 1 ? level_at : NULL,
                              .data = own};
  lattice.tau = 0.5 + (lattice.tau - 0.5) * scale;
  ht_level_box_make(&shape, &lattice, box);
  ht_level_box_write(box, flow_at, own);
}

static void measure(int model, ht_precision precision, int across, int length, int rounds) {
  const pipe p = {
      .radius = across / 2.0 - 0.37, .middle = (across + 11) / 8 * 8 / 2 - 0.5, .length = length};
  ht_lattice_setup lattice = {.tau = 0.53,
                              .precision = precision,
                              .device = HT_DEVICE_CPU,
                              .threads = 1,
                              .periodic = {1, 0, 0}};
  ht_set_model(&lattice, model);
  ht_level_box levels, uniform;
  make(&p, across, 1, 2, lattice, &levels);
  make(&p, across, 2, 1, lattice, &uniform);
  const double updates = (double)own_nodes(&levels, 0) + 2 * (double)own_nodes(&levels, 1);
  const double fine = (double)own_nodes(&uniform, 0);
  double best[2] = {1e9, 1e9};
  for (int r = 0; r <= rounds; r++) {
    const double of[2] = {step(&levels, 16), step(&uniform, 16)};
    for (int i = 0; i < 2 && r > 0; i++) best[i] = of[i] < best[i] ? of[i] : best[i];
  }
  const double rate[2] = {1e-6 * updates / best[0], 1e-6 * fine / best[1]};
  printf("| %s, %s, %d across, %d long | %.1f | %.1f | %.2f |\n", ht_model_name(model),
         precision == HT_FP32 ? "fp32" : "fp64", across, length, rate[0], rate[1],
         rate[0] / rate[1]);
  fflush(stdout);
  ht_level_box_free(&levels);
  ht_level_box_free(&uniform);
}

int main(int argc, char **argv) {
  const int across = argc > 1 ? atoi(argv[1]) : 32, length = argc > 2 ? atoi(argv[2]) : 128;
  const int rounds = argc > 3 ? atoi(argv[3]) : 8;
  const int lbgk = HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE);
  measure(HT_MODEL_CUMULANT, HT_FP32, across, length, rounds);
  measure(HT_MODEL_CUMULANT, HT_FP64, across, length, rounds);
  measure(lbgk, HT_FP32, across, length, rounds);
  return 0;
}
