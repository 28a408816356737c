/* Measures the samples of a pulse: the fields of all nodes, taken every few steps, by one rank and
 * by all of them. A round channel with interpolated walls and cumulants, 715,000 nodes by default:
 *
 *   mpirun -n 2 --bind-to none build/bin/measure_samples [cpu|gpu [across [length [samples]]]]
 *
 * Prints seconds of the steps, and milliseconds a sample: until the next steps may begin (keep), of
 * the fields on their way into arrays of floats (take; while the steps go on, where the device
 * allows it), of the whole, with which the steps take longer; of the same fields through the
 * distribution functions on the hosts (read), and of the nodes of a section alone (marked). Not a
 * test. */
#include "core/machine/clock.h"
#include "core/mpi/ranks.h"
#include "core/work/side_work.h"
#include "phantom/geometry.h"
#include "solver/lattice/lattice.h"
#include "solver/ranks/rank_serve.h"
#include "tiling/tiling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, VALUES = 10, READS = 3, MARKED_TILES = 100 };

typedef struct {
  ht_lattice *lattice;
  int64_t tiles;
  const ht_tiling *tiling;
  float *values;      /* [tiles][VALUES][64] */
  ht_side_work *side; /* NULL: no step may come in between */
  double take_s;
} sampling;

static void store(float *to, const double *from, int count) {
  for (int i = 0; i < count; i++) to[i] = (float)from[i];
}

static void store_tile(void *user, int64_t tile, const ht_lattice_fields *fields) {
  float *to = ((sampling *)user)->values + VALUES * 64 * tile;
  store(to, fields->density, 64);
  store(to + 64, fields->velocity, 3 * 64);
  store(to + 4 * 64, fields->stress, 6 * 64);
}

static ht_status take(void *user) {
  sampling *s = user;
  const double began = ht_clock_s();
  ht_status status = ht_lattice_visit(s->lattice, store_tile, s);
  s->take_s += ht_clock_s() - began;
  return status;
}

static ht_status time_steps(sampling *s, int64_t steps, double *sum) {
  const double began = ht_clock_s();
  HT_TRY(ht_lattice_step(s->lattice, steps));
  *sum += ht_clock_s() - began;
  return HT_OK;
}

static ht_status time_sample(sampling *s, double *keep_s) {
  HT_TRY(ht_side_work_wait(s->side));
  const double began = ht_clock_s();
  HT_TRY(ht_lattice_keep(s->lattice, 1));
  *keep_s += ht_clock_s() - began;
  return ht_side_work_begin(s->side, take, s);
}

static ht_status time_read(const sampling *s, double *seconds) {
  double *all;
  const int64_t n = 64 * s->tiles;
  HT_TRY(ht_alloc((void **)&all, (size_t)n, VALUES * sizeof *all, "the fields"));
  ht_lattice_fields fields = {.density = all, .velocity = all + n, .stress = all + 4 * n};
  const double began = ht_clock_s();
  ht_status status = HT_OK;
  for (int i = 0; i < READS && status == HT_OK; i++)
    status = ht_lattice_read(s->lattice, 0, s->tiles, &fields);
  *seconds = (ht_clock_s() - began) / READS;
  free(all);
  return status;
}

static ht_status read_marked(const sampling *s, double *values, double *seconds) {
  int64_t node[64 * MARKED_TILES], count = 0;
  for (int64_t t = 0; t < s->tiles && t < MARKED_TILES; t++)
    for (uint64_t left = s->tiling->inside[t]; left; left &= left - 1)
      node[count++] = 64 * t + __builtin_ctzll(left);
  ht_lattice_fields fields = {
      .density = values, .velocity = values + count, .stress = values + 4 * count};
  HT_TRY(ht_lattice_mark(s->lattice, count, node));
  HT_TRY(ht_lattice_read_marked(s->lattice, &fields));
  const double began = ht_clock_s();
  for (int i = 0; i < READS; i++) HT_TRY(ht_lattice_read_marked(s->lattice, &fields));
  *seconds = (ht_clock_s() - began) / READS;
  return HT_OK;
}

static ht_status time_marked(const sampling *s, double *seconds) {
  double *values;
  HT_TRY(ht_alloc((void **)&values, 64 * MARKED_TILES, VALUES * sizeof *values, "the nodes"));
  ht_status status = read_marked(s, values, seconds);
  free(values);
  return status;
}

/* The first steps and the first sample make graphs and rooms, and are not timed. */
static ht_status measure(sampling *s, int samples) {
  double steps_s = 0, alone_s = 0, keep_s = 0, read_s = 0, marked_s = 0, none = 0;
  HT_TRY(time_steps(s, 5 * STEPS, &none));
  HT_TRY(time_sample(s, &none));
  HT_TRY(ht_side_work_wait(s->side));
  for (int i = 0; i < samples; i++) HT_TRY(time_steps(s, STEPS, &alone_s));
  s->take_s = 0;
  const double began = ht_clock_s();
  for (int i = 0; i < samples; i++) {
    HT_TRY(time_sample(s, &keep_s));
    HT_TRY(time_steps(s, STEPS, &steps_s));
  }
  HT_TRY(ht_side_work_wait(s->side));
  const double whole_s = ht_clock_s() - began;
  HT_TRY(time_read(s, &read_s));
  HT_TRY(time_marked(s, &marked_s));
  const double each = 1e3 / samples;
  printf("%s: %d times %d steps %.3f s, with samples %.3f s; a sample: keep %.2f ms, take %.2f ms "
         "(%s), whole %.2f ms, read %.2f ms, marked %.2f ms\n",
         ht_lattice_device(s->lattice), samples, STEPS, alone_s, steps_s, each * keep_s,
         each * s->take_s, s->side ? "beside the steps" : "between the steps",
         each * (whole_s - alone_s), 1e3 * read_s, 1e3 * marked_s);
  fflush(stdout);
  return HT_OK;
}

static ht_status measure_lattice(ht_lattice_setup *setup, int alone, int samples) {
  sampling s = {.tiles = setup->tiling->tiles, .tiling = setup->tiling};
  setup->alone = alone;
  HT_TRY(ht_lattice_create(setup, &s.lattice));
  ht_status status =
      ht_alloc((void **)&s.values, (size_t)s.tiles, VALUES * 64 * sizeof *s.values, "the fields");
  if (status == HT_OK && ht_lattice_keeps_beside(s.lattice)) status = ht_side_work_make(&s.side);
  if (status == HT_OK) status = measure(&s, samples);
  ht_side_work_free(s.side);
  ht_lattice_free(s.lattice);
  free(s.values);
  return status;
}

static ht_status measure_both(int argc, char **argv) {
  const int across = argc > 2 ? atoi(argv[2]) : 64, length = argc > 3 ? atoi(argv[3]) : 222;
  const int samples = argc > 4 ? atoi(argv[4]) : 30;
  ht_mask mask;
  ht_tiling tiling;
  float *distance;
  HT_TRY(ht_geometry_channel(across, length, 1, &mask));
  HT_TRY(ht_tiling_build(&mask, NULL, &tiling));
  HT_TRY(ht_geometry_rough_walls(&mask, &distance));
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.51,
                            .noise_lu = 0.01,
                            .collision = HT_CUMULANT,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .corrects_diagonals = 1,
                            .wall_distance = distance};
  setup.device = argc > 1 && strcmp(argv[1], "gpu") == 0 ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
  printf("%lld nodes in %lld tiles\n", (long long)tiling.nodes, (long long)tiling.tiles);
  ht_status status = measure_lattice(&setup, 1, samples);
  if (status == HT_OK && ht_ranks() > 1) status = measure_lattice(&setup, 0, samples);
  free(distance);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
  return status;
}

static int no_signal(void) {
  return 0;
}

int main(int argc, char **argv) {
  ht_status status = ht_ranks_begin();
  if (status == HT_OK && ht_rank() == 0) {
    status = measure_both(argc, argv);
    if (ht_ranks() > 1) ht_rank_dismiss();
  } else if (status == HT_OK) {
    ht_rank_serve(no_signal);
  }
  if (status != HT_OK) fprintf(stderr, "measure_samples: %s\n", ht_error_message());
  ht_ranks_end();
  return (int)status;
}
