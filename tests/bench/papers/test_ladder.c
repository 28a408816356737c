/* Every rung of the ladder against the CPU reference, in every precision. Skipped (77) where there
 * is no GPU. */
#include "tests/check.h"
#include "solver/kernels/directions.h"
#include "phantom/geometry.h"
#include "bench/papers/ladder/ladder.h"
#include "bench/papers/ladder/ladder_values.h"
#include "tests/solver/common/chosen_device.h"
#include "solver/lattice/lattice.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 };

static const double tau = 0.6, noise = 0.05;

typedef struct {
  const char *name;
  ht_mask mask;
  ht_tiling tiling;
  float *wall_distance; /* of interpolated walls */
} flow_case;

static flow_case cases[3];

static double *doubles(int64_t count) {
  double *made = calloc((size_t)count, sizeof *made);
  assert_non_null(made);
  return made;
}

static ht_ladder *make(const char *rung, flow_case *on, ht_precision precision, ht_step_kind kind) {
  ht_ladder *ladder;
  ht_ladder_setup setup = {.mask = &on->mask,
                           .tiling = &on->tiling,
                           .tau = tau,
                           .precision = precision,
                           .step_kind = kind,
                           .wall_distance = on->wall_distance,
                           .noise_lu = noise};
  ht_status status = ht_ladder_create(rung, &setup, &ladder);
  if (status != HT_OK) print_error("%s: %s\n", rung, ht_error_message());
  assert_int_equal(status, HT_OK);
  return ladder;
}

/* sqrt(sum |a - b|^2 / sum |b|^2) */
static double relative(const double *a, const double *b, int64_t count) {
  double difference = 0, all = 0;
  for (int64_t i = 0; i < count; i++) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    all += b[i] * b[i];
  }
  assert_true(all > 0);
  return sqrt(difference / all);
}

/* ---- the flow ---- */

/* Density and velocity of the CPU: [tiles][64] and after them [tiles][64][3]. wall_distance: NULL:
 * half-way walls. */
static double *reference(flow_case *on, ht_precision precision, const float *wall_distance) {
  ht_lattice *lattice;
  int64_t nodes = on->tiling.tiles * HT_TILE_NODES;
  double *made = doubles(4 * nodes);
  ht_lattice_setup setup = {.tiling = &on->tiling,
                            .tau = tau,
                            .precision = precision,
                            .device = HT_DEVICE_CPU,
                            .wall_distance = wall_distance,
                            .noise_lu = noise};
  ht_lattice_fields fields = {.density = made, .velocity = made + nodes};
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, STEPS), HT_OK);
  assert_int_equal(ht_lattice_read(lattice, 0, on->tiling.tiles, &fields), HT_OK);
  ht_lattice_free(lattice);
  return made;
}

/* Error of density or velocity, the larger. */
static double flow_error(const char *rung, flow_case *on, ht_precision precision,
                         const double *expected) {
  int64_t nodes = on->tiling.tiles * HT_TILE_NODES;
  double *got = doubles(4 * nodes);
  ht_ladder *ladder = make(rung, on, precision, HT_STEP_FLOW);
  assert_int_equal(ht_ladder_step(ladder, STEPS), HT_OK);
  assert_int_equal(ht_ladder_read(ladder, got, got + nodes), HT_OK);
  double density = relative(got, expected, nodes);
  double velocity = relative(got + nodes, expected + nodes, 3 * nodes);
  ht_ladder_free(ladder);
  free(got);
  return density > velocity ? density : velocity;
}

/* fp64 and fp32 against the CPU in the same precision, to the bars of the solver's own backends
 * (fp32 itself is up to 4e-7 away from fp64 here). fp16 against fp64: each step rounds a value to
 * 11 bits, and what is random grows as the root of the steps. */
static void check_flow(const char *rung, flow_case *on, const double *expected,
                       const double *expected_single) {
  double twice = flow_error(rung, on, HT_FP64, expected);
  double single = flow_error(rung, on, HT_FP32, expected_single);
  double half = flow_error(rung, on, HT_FP16, expected);
  print_message("%-8s %-15s relative difference fp64 %.1e, fp32 %.1e, fp16 %.1e\n", on->name, rung,
                twice, single, half);
  assert_true(twice <= 1e-12);
  assert_true(single <= 1e-5);
  assert_true(half <= sqrt(STEPS) * 0x1p-11);
}

/* Rungs with half-way walls, or those with interpolated ones. */
static void check_rungs(flow_case *on, int interpolated) {
  int count;
  const ht_ladder_rung *rung = ht_ladder_rungs(&count);
  const float *wall_distance = interpolated ? on->wall_distance : NULL;
  double *expected = reference(on, HT_FP64, wall_distance);
  double *expected_single = reference(on, HT_FP32, wall_distance);
  for (int r = 0; r < count; r++)
    if ((strcmp(rung[r].name, HT_LADDER_LIST_WALLS) == 0) == interpolated)
      check_flow(rung[r].name, on, expected, expected_single);
  free(expected), free(expected_single);
}

static void test_flow(void **unused) {
  (void)unused;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    for (int interpolated = 0; interpolated < 2; interpolated++)
      check_rungs(&cases[c], interpolated);
}

/* ---- the diagnostic steps ---- */

/* One propagation as the definition has it: [tiles][64][19]. */
static void propagate(const ht_tiling *tiling, const double *from, double *to) {
  for (int64_t n = 0; n < tiling->tiles * HT_TILE_NODES; n++) {
    int64_t tile = n / HT_TILE_NODES;
    int local = (int)(n % HT_TILE_NODES), slot, source;
    if (!((tiling->inside[tile] >> local) & 1)) continue;
    for (int q = 0; q < HT_Q19; q++) {
      ht_pull_source(local, q, &slot, &source);
      int64_t there = tiling->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
      int fluid = there >= 0 && ((tiling->inside[there] >> source) & 1);
      to[HT_Q19 * n + q] = fluid ? from[HT_Q19 * (HT_TILE_NODES * there + source) + q]
                                 : from[HT_Q19 * n + ht_opposite(q)];
    }
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Several steps of propagation move every value where it belongs and change none. */
static void check_propagation(const char *rung, flow_case *on, ht_precision precision) {
  int64_t count = on->tiling.tiles * HT_TILE_NODES * HT_Q19;
  size_t bytes = (size_t)count * sizeof(double);
  double *first = doubles(count), *expected = doubles(count), *got = doubles(count);
  ht_ladder *ladder = make(rung, on, precision, HT_STEP_PROPAGATE);
  assert_int_equal(ht_ladder_values(ladder, first), HT_OK);
  memcpy(got, first, bytes);
  for (int s = 0; s < 7; s++) {
    propagate(&on->tiling, got, expected);
    memcpy(got, expected, bytes);
  }
  assert_int_equal(ht_ladder_step(ladder, 7), HT_OK);
  assert_int_equal(ht_ladder_values(ladder, got), HT_OK);
  assert_memory_equal(got, expected, bytes);
  qsort(first, (size_t)count, sizeof(double), ascending);
  qsort(got, (size_t)count, sizeof(double), ascending);
  assert_memory_equal(got, first, bytes);
  ht_ladder_free(ladder);
  free(first), free(expected), free(got);
}

/* Steps that read and write leave every value where it was. */
static void check_read_write(const char *rung, flow_case *on, ht_precision precision) {
  int64_t count = on->tiling.tiles * HT_TILE_NODES * HT_Q19;
  double *first = doubles(count), *got = doubles(count);
  ht_ladder *ladder = make(rung, on, precision, HT_STEP_READ_WRITE);
  assert_int_equal(ht_ladder_values(ladder, first), HT_OK);
  assert_int_equal(ht_ladder_step(ladder, 3), HT_OK);
  assert_int_equal(ht_ladder_values(ladder, got), HT_OK);
  assert_memory_equal(got, first, (size_t)count * sizeof(double));
  ht_ladder_free(ladder);
  free(first), free(got);
}

static void test_diagnostic_steps(void **unused) {
  (void)unused;
  int count;
  const ht_ladder_rung *rung = ht_ladder_rungs(&count);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    for (int r = 0; r < count; r++)
      for (int precision = HT_FP32; precision <= HT_FP16; precision++) {
        check_propagation(rung[r].name, &cases[c], (ht_precision)precision);
        check_read_write(rung[r].name, &cases[c], (ht_precision)precision);
      }
}

/* ---- the rest ---- */

/* The least is two copies; a box at porosity 1 has no more than tables and rims besides. */
static void test_cost(void **unused) {
  (void)unused;
  int count;
  const ht_ladder_rung *rung = ht_ladder_rungs(&count);
  for (int r = 0; r < count; r++) {
    ht_lattice_cost cost;
    ht_ladder *ladder = make(rung[r].name, &cases[0], HT_FP64, HT_STEP_FLOW);
    ht_ladder_measure_cost(ladder, &cost);
    double bytes = (double)cost.bytes / (double)cases[0].tiling.nodes;
    print_message("%-15s %.0f B a node, %d registers, occupancy %.2f\n", rung[r].name, bytes,
                  cost.registers, cost.occupancy);
    assert_true(bytes >= 2 * HT_Q19 * 8);
    assert_true(cost.registers > 0 && cost.registers <= 255);
    assert_true(cost.occupancy > 0 && cost.occupancy <= 1);
    ht_ladder_free(ladder);
  }
}

static void test_refusals(void **unused) {
  (void)unused;
  ht_ladder *ladder;
  ht_ladder_setup setup = {.mask = &cases[0].mask, .tiling = &cases[0].tiling, .tau = tau};
  assert_int_equal(ht_ladder_create("tile-zigzig", &setup, &ladder), HT_ERR_USAGE);
  assert_null(ladder);
  setup.tau = 0.5;
  assert_int_equal(ht_ladder_create("list", &setup, &ladder), HT_ERR_UNSTABLE);
  assert_null(ladder);
  ht_ladder_free(NULL);
}

static int make_cases(void **unused) {
  (void)unused;
  cases[0].name = "cavity", cases[1].name = "vessels", cases[2].name = "spheres";
  if (ht_geometry_box((int[3]){20, 17, 23}, &cases[0].mask) != HT_OK) return 1;
  if (ht_geometry_tubes((int[3]){39, 29, 33}, (double[2]){3, 6}, 0.2, 3, &cases[1].mask) != HT_OK)
    return 1;
  if (ht_geometry_spheres((int[3]){30, 26, 21}, 6, 0.3, 5, &cases[2].mask) != HT_OK) return 1;
  for (int c = 0; c < 3; c++) {
    if (ht_tiling_build(&cases[c].mask, NULL, &cases[c].tiling) != HT_OK) return 1;
    if (ht_geometry_rough_walls(&cases[c].mask, &cases[c].wall_distance) != HT_OK) return 1;
  }
  return 0;
}

static int free_cases(void **unused) {
  (void)unused;
  for (int c = 0; c < 3; c++) {
    free(cases[c].wall_distance);
    ht_tiling_free(&cases[c].tiling);
    ht_mask_free(&cases[c].mask);
  }
  return 0;
}

int main(void) {
  ht_need_gpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flow),
      cmocka_unit_test(test_diagnostic_steps),
      cmocka_unit_test(test_cost),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, make_cases, free_cases);
}
