/* Interpolated walls in the CPU's kernels, one for each instruction set and kind of storage,
 * against a plain loop over the links; and for any number of threads. */
#include "tests/check.h"
#include "solver/cpu/cpu_kernel.h"
#include "phantom/geometry.h"
#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include "solver/kernels/start_noise.h"
#include "tests/solver/cpu/stored_values.h"
#include "tiling/tiling.h"
#include "tests/solver/cpu/tube_links.h"
#include "solver/lattice/wall_links.h"
#include <stdlib.h>
#include <string.h>

/* ---- links with coefficients and values of any kind ---- */

typedef struct {
  ht_tube_links of;
  ht_lattice_tables tables;
  double *start; /* in [tiles][directions][64], what fp16 can hold */
} wall_case;

static double number(int64_t seed) {
  return (double)(float)ht_noise_at((uint64_t)seed);
}

/* Rounds as wall_links.c rounds the coefficients of a link. */
static float in_half(double value) {
  return ht_half_to_float(ht_half_from_float((float)value));
}

/* The link that replaces f_p of a node. Every third has no slip. */
static void add_link(ht_lattice_tables *tables, int64_t node, int p) {
  const int a_tile = HT_TILE_VALUES(tables->directions), q = ht_opposite(p);
  const int64_t i = tables->wall_links++, own = node / 64 * a_tile + node % 64;
  int slot, from;
  ht_pull_source((int)(node % 64), p, &slot, &from);
  int64_t beside = tables->neighbour[HT_TILE_NEIGHBOURS * (node / 64) + slot];
  tables->wall_link[i] = (ht_wall_link){.slot = own + 64 * p,
                                        .leaving = own + 64 * q,
                                        .near_coming = beside * a_tile + 64 * p + from,
                                        .near_leaving = beside * a_tile + 64 * q + from,
                                        .weight = in_half(0.9 * number(4 * i)),
                                        .here = in_half(number(4 * i + 1)),
                                        .near = in_half(number(4 * i + 2)),
                                        .across = in_half(number(4 * i + 3))};
  if (i % 3 == 0) tables->wall_link[i].near_leaving = -1;
}

static void add_tile(ht_lattice_tables *tables, int64_t tile) {
  const int64_t first = tables->wall_links;
  const uint32_t *links = tables->links + 64 * tile;
  for (int p = 1; p < tables->directions; p++)
    for (int n = 0; n < 64; n++)
      if (links[n] & 1 && (links[n] >> ht_opposite(p)) & 1 && !((links[n] >> p) & 1))
        add_link(tables, 64 * tile + n, p);
  if (tables->wall_links == first) return;
  ht_wall_tile *to = &tables->wall_tile[tables->wall_tiles];
  *to = (ht_wall_tile){.tile = tile,
                       .first = first,
                       .links = tables->wall_links - first,
                       .nodes = tables->tiling->inside[tile],
                       .sharing = 7};
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    to->beside[k] = k % 2 && tables->wall_tiles >= k ? (int32_t)tables->wall_tiles - k : -1;
  tables->wall_tiles++;
}

/* Value i is that of direction q of node n. */
static double start_of(int64_t i, int directions) {
  const int64_t n = i / HT_TILE_VALUES(directions) * 64 + i % 64;
  const int64_t q = i % HT_TILE_VALUES(directions) / 64;
  return ht_start_value(0.02, (uint64_t)(27 * n + q), 0, 0, 0, HT_Q19);
}

static void make_case(int directions, wall_case *c) {
  memset(c, 0, sizeof *c);
  ht_tube_links_make(directions, &c->of);
  c->start = ht_tube_start(&c->of, start_of);
  const size_t tiles = (size_t)c->of.tiling.tiles;
  c->tables = (ht_lattice_tables){.tiling = &c->of.tiling,
                                  .directions = directions,
                                  .neighbour = c->of.tiling.neighbour,
                                  .links = c->of.links,
                                  .wall_link = calloc(tiles * 640, sizeof(ht_wall_link)),
                                  .wall_tile = calloc(tiles, sizeof(ht_wall_tile))};
  for (int64_t t = 0; t < c->of.tiling.tiles; t++) add_tile(&c->tables, t);
  assert_true(c->tables.wall_links > 1000);
}

static void free_case(wall_case *c) {
  ht_tube_links_free(&c->of);
  free(c->start);
  free(c->tables.wall_link);
  free(c->tables.wall_tile);
}

/* ---- one step ---- */

/* Follows the links, by wall_links.h: `slip` before and after; [tiles][directions][64]. */
static void follow_links(const wall_case *c, int64_t step, double *slip, double *given,
                         double *arriving) {
  for (int64_t k = 0; k < c->tables.wall_tiles; k++) {
    const ht_wall_tile *tile = &c->tables.wall_tile[k];
    for (int64_t i = tile->first; i < tile->first + tile->links; i++) {
      const ht_wall_link *link = &c->tables.wall_link[i];
      double own = c->start[link->slot], leaving = c->start[link->leaving];
      double coming = c->start[link->near_coming];
      if (step % HT_SLIP_EVERY == 0 && link->near_leaving >= 0)
        slip[i] = HT_FOLLOW_SLIP(slip[i],
                                 (double)link->here * (leaving - own) +
                                     (double)link->near * (c->start[link->near_leaving] - coming) +
                                     (double)link->across * (coming - own));
      double change = fabs((double)link->weight) * ((link->weight < 0 ? leaving : coming) - own);
      arriving[link->leaving] += change + slip[i];
      given[k] += (change + slip[i]) / tile->sharing;
    }
  }
}

static double *reference(const wall_case *c, int64_t step, const double *given_before, double *slip,
                         double *given) {
  const int a_tile = HT_TILE_VALUES(c->tables.directions);
  double *arriving = calloc((size_t)c->of.values, sizeof *arriving), g[HT_Q_MOST];
  assert_non_null(arriving);
  for (int64_t n = 0; n < c->of.tiling.tiles * 64; n++) {
    if (!(c->tables.links[n] & 1)) continue;
    arrive_f64(c->start, c->tables.directions, c->of.tiling.neighbour, c->tables.links[n], n / 64,
               (int)(n % 64), g);
    for (int q = 0; q < c->tables.directions; q++)
      arriving[n / 64 * a_tile + 64 * q + n % 64] = g[q];
  }
  follow_links(c, step, slip, given, arriving);
  for (int64_t k = 0; k < c->tables.wall_tiles; k++) {
    const ht_wall_tile *tile = &c->tables.wall_tile[k];
    for (int n = 0; n < 64; n++)
      if ((tile->nodes >> n) & 1)
        arriving[tile->tile * a_tile + n] -= ht_wall_share(tile, given_before);
  }
  return arriving;
}

/* Some roundings of numbers up to 0.1; the storage's own; and given[]: of some hundred links. */
static void compare(const wall_case *c, const ht_cpu_walls *walls, const double *right,
                    const double *slip, const double *given, const void *target) {
  const ht_precision precision = c->tables.precision;
  const double rounding = precision == HT_FP64 ? 1e-16 : 5e-8;
  for (int64_t i = 0; i < c->of.values; i++) {
    double most = rounding + (precision == HT_FP16 ? fabs(right[i]) * 0x1p-10 + 0x1p-39 : 0);
    double value = ht_stored_value(
        target, ht_stored_place(c->tables.directions, c->of.tiling.tiles, i), precision);
    if (!(fabs(value - right[i]) <= most))
      fail_msg("fp kind %d, value %lld: %.9g, not %.9g", precision, (long long)i, value, right[i]);
  }
  for (int64_t i = 0; i < c->tables.wall_links; i++)
    assert_near(ht_cpu_wall_slip(&c->tables, walls, i), slip[i], 2 * rounding);
  for (int64_t k = 0; k < c->tables.wall_tiles; k++)
    assert_near(walls->given[k], given[k], 100 * rounding);
}

static void check_step(wall_case *c, ht_cpu_kernel kernel, ht_precision precision, int64_t step) {
  const size_t links = (size_t)c->tables.wall_links, tiles = (size_t)c->tables.wall_tiles;
  double *slip = calloc(links, sizeof *slip), *given = calloc(tiles, sizeof *given);
  ht_cpu_walls walls;
  c->tables.precision = precision;
  assert_int_equal(ht_cpu_walls_build(&c->tables, &walls), HT_OK);
  ht_cpu_walls_begin(&walls, step);
  for (size_t i = 0; i < links; i++) {
    if (i % 3) slip[i] = (double)(float)(0.01 * number((int64_t)i + 77));
    if (precision == HT_FP64)
      ((double *)walls.slip)[i] = slip[i];
    else
      ((float *)walls.slip)[i] = (float)slip[i];
  }
  for (size_t k = 0; k < tiles; k++) walls.given_before[k] = 0.001 * number((int64_t)k + 99);
  double *right = reference(c, step, walls.given_before, slip, given);
  void *source = ht_stored_values(c->tables.directions, c->of.tiling.tiles, c->start, precision);
  void *target = ht_stored_values(c->tables.directions, c->of.tiling.tiles, c->start, precision);
  ht_cpu_job job = {.tiles = c->of.tiling.tiles,
                    .neighbour = c->of.tiling.neighbour,
                    .wall_slot = c->of.slot,
                    .wall = c->of.wall,
                    .walls = &walls,
                    .source = source,
                    .target = target,
                    .ahead = 5,
                    .model = HT_CPU_PROPAGATE};
  kernel(&job, 0, c->of.tiling.tiles / 3);
  kernel(&job, c->of.tiling.tiles / 3, c->of.tiling.tiles);
  compare(c, &walls, right, slip, given, target);
  ht_cpu_walls_free(&walls);
  free(source);
  free(target);
  free(right);
  free(slip);
  free(given);
}

#define KERNELS(isa)                                                                               \
  {                                                                                                \
    {ht_cpu_step_f32_q19_##isa, ht_cpu_step_f64_q19_##isa, ht_cpu_step_f16_q19_##isa}, {           \
      ht_cpu_step_f32_q27_##isa, ht_cpu_step_f64_q27_##isa, ht_cpu_step_f16_q27_##isa              \
    }                                                                                              \
  }

static void test_every_instruction_set(void **unused) {
  static const ht_cpu_kernel base[2][3] = KERNELS(base);
  (void)unused;
  for (int set = 0; set < 2; set++) {
    wall_case c;
    make_case(set ? HT_Q27 : HT_Q19, &c);
    for (int precision = 0; precision < 3; precision++) {
      for (int64_t step = 0; step < 2; step++) {
        check_step(&c, base[set][precision], (ht_precision)precision, step);
#ifdef HEMOTILE_HAVE_WIDE
        static const ht_cpu_kernel avx2[2][3] = KERNELS(avx2), avx512[2][3] = KERNELS(avx512);
        const char *best = ht_cpu_instruction_set();
        if (strcmp(best, "baseline") != 0)
          check_step(&c, avx2[set][precision], (ht_precision)precision, step);
        if (strcmp(best, "AVX-512") == 0)
          check_step(&c, avx512[set][precision], (ht_precision)precision, step);
#endif
      }
    }
    free_case(&c);
  }
}

/* ---- threads ---- */

static double *run(const ht_tiling *tiling, const float *distance, int threads) {
  const ht_lattice_setup setup = {.tiling = tiling,
                                  .tau = 0.6,
                                  .precision = HT_FP32,
                                  .device = HT_DEVICE_CPU,
                                  .threads = threads,
                                  .wall_distance = distance,
                                  .noise_lu = 0.05};
  return ht_velocity_after(&setup, 12);
}

static void test_threads(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  float *distance;
  ht_tube_mask(&mask);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(ht_geometry_rough_walls(&mask, &distance), HT_OK);
  double *one = run(&tiling, distance, 1), *three = run(&tiling, distance, 3);
  double *half_way = run(&tiling, NULL, 1);
  const size_t size = (size_t)tiling.tiles * 64 * 3 * sizeof(double);
  assert_memory_equal(one, three, size);
  assert_memory_not_equal(one, half_way, size);
  free(one);
  free(three);
  free(half_way);
  free(distance);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_instruction_set),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
