/* The place of the tiles, their order in memory and the number of threads do not change the flow: a
 * vessel with ports. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/ported_vessel.h"
#include "tiling/tile_order.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 };
static ht_device device;
static ht_ported_vessel vessel;
static int corrects; /* diagonals, with cumulants */

static double *run(const ht_tiling *tiling, int model, ht_precision precision, int threads) {
  ht_lattice_setup setup = {.precision = precision, .device = device, .threads = threads};
  ht_set_model(&setup, model);
  setup.corrects_diagonals = corrects;
  return ht_ported_vessel_run(&vessel, tiling, &setup, STEPS);
}

static int64_t values(void) {
  return 4 * ht_grid_voxels(&vessel.mask.grid);
}

/* sqrt(sum |a - b|^2 / sum |b|^2), over velocity and density */
static double relative(const double *a, const double *b) {
  double difference = 0, size = 0;
  for (int64_t i = 0; i < values(); i++) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  assert_true(size > 0);
  return sqrt(difference / size);
}

/* A shuffle (Fisher & Yates) by a generator of our own, the same everywhere. */
static int32_t *shuffled(int64_t count) {
  int32_t *place = calloc((size_t)count, sizeof *place);
  uint64_t random = 1;
  assert_non_null(place);
  for (int64_t i = 0; i < count; i++) place[i] = (int32_t)i;
  for (int64_t i = count - 1; i > 0; i--) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    int64_t other = (int64_t)((random >> 33) % (uint64_t)(i + 1));
    int32_t kept = place[i];
    place[i] = place[other];
    place[other] = kept;
  }
  return place;
}

static void check_same(const double *expected, const ht_tiling *tiling, int model,
                       ht_precision precision) {
  double *other = run(tiling, model, precision, 1);
  double epsilon = precision == HT_FP64 ? DBL_EPSILON : FLT_EPSILON;
  assert_true(relative(other, expected) <= 10 * epsilon);
  free(other);
}

static void test_origin(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++) {
    ht_precision precision = model == 1 ? HT_FP32 : HT_FP64;
    ht_tiling tiling;
    assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
    double *best = run(&tiling, model, precision, 1);
    ht_tiling_free(&tiling);
    for (int o = model; o < 64; o += HT_MODELS + 1) {
      ht_tiling_options options = {.fixed_origin = 1, .origin = {o & 3, (o >> 2) & 3, o >> 4}};
      assert_int_equal(ht_tiling_build(&vessel.mask, &options, &tiling), HT_OK);
      check_same(best, &tiling, model, precision);
      ht_tiling_free(&tiling);
    }
    free(best);
  }
}

static void check_order(const ht_tiling *tiling, int model, ht_precision precision,
                        const ht_tiling *other) {
  double *straight = run(tiling, model, precision, 1);
  check_same(straight, other, model, precision);
  free(straight);
}

static void test_shuffled(void **unused) {
  (void)unused;
  ht_tiling tiling, mixed;
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &mixed), HT_OK);
  int32_t *place = shuffled(tiling.tiles);
  assert_int_equal(ht_tiling_renumber(&mixed, place), HT_OK);
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) check_order(&tiling, model, (ht_precision)p, &mixed);
  free(place);
  ht_tiling_free(&mixed);
  ht_tiling_free(&tiling);
}

/* The orders that can be requested. */
static void test_order(void **unused) {
  (void)unused;
  ht_tiling tiling, other;
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
  for (int order = HT_ORDER_SWEEP; order <= HT_ORDER_BREADTH; order++) {
    ht_tiling_options options = {.order = (ht_tile_order)order};
    assert_int_equal(ht_tiling_build(&vessel.mask, &options, &other), HT_OK);
    check_order(&tiling, order % HT_MODELS, HT_FP64, &other);
    ht_tiling_free(&other);
  }
  ht_tiling_free(&tiling);
}

/* The result is the same bit for bit; on a GPU the same twice. */
static void test_threads(void **unused) {
  (void)unused;
  ht_tiling tiling;
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) {
      double *one = run(&tiling, model, (ht_precision)p, 1);
      for (int threads = 2; threads <= 5; threads += 3) {
        double *several = run(&tiling, model, (ht_precision)p, threads);
        assert_memory_equal(one, several, (size_t)values() * sizeof(double));
        free(several);
      }
      free(one);
    }
  ht_tiling_free(&tiling);
}

/* The force at walls, at ports and in tiles of any fill; bit for bit with several threads. */
static void test_correction(void **unused) {
  (void)unused;
  ht_tiling tiling;
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
  double *without = run(&tiling, HT_MODEL_CUMULANT, HT_FP64, 1);
  corrects = 1;
  double *best = run(&tiling, HT_MODEL_CUMULANT, HT_FP64, 1);
  double *several = run(&tiling, HT_MODEL_CUMULANT, HT_FP64, 3);
  assert_true(relative(without, best) > 1e-6);
  assert_memory_equal(best, several, (size_t)values() * sizeof(double));
  ht_tiling_free(&tiling);
  for (int o = 3; o < 64; o += 10) {
    ht_tiling_options options = {.fixed_origin = 1, .origin = {o & 3, (o >> 2) & 3, o >> 4}};
    assert_int_equal(ht_tiling_build(&vessel.mask, &options, &tiling), HT_OK);
    check_same(best, &tiling, HT_MODEL_CUMULANT, HT_FP64);
    ht_tiling_free(&tiling);
  }
  corrects = 0;
  free(without);
  free(best);
  free(several);
}

static int make_vessel(void **unused) {
  (void)unused;
  const ht_turn none = {{0, 1, 2}, {1, 1, 1}};
  ht_ported_vessel_make(&none, &vessel);
  return 0;
}

static int free_vessel(void **unused) {
  (void)unused;
  ht_ported_vessel_free(&vessel);
  return 0;
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_origin),     cmocka_unit_test(test_shuffled),
      cmocka_unit_test(test_order),      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_correction),
  };
  return cmocka_run_group_tests(tests, make_vessel, free_vessel);
}
