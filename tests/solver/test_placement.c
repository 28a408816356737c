/* Where the tiles lie, in which order they are stored and how many threads step them does not
 * change the flow: a vessel with ports. With "gpu" as argument on the CUDA backend. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ported_vessel.h"
#include "voxel_fields.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 };
static ht_device device;
static ht_ported_vessel vessel;

static double *run(const ht_tiling *tiling, int model, ht_precision precision, int threads) {
  ht_lattice_setup setup = {.precision = precision, .device = device, .threads = threads};
  ht_set_model(&setup, model);
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

/* Tile t of `from` becomes tile place[t]. */
static void reorder(const ht_tiling *from, const int32_t *place, ht_tiling *to) {
  size_t tiles = (size_t)from->tiles;
  *to = *from;
  to->position = calloc(tiles, 3 * sizeof(int32_t));
  to->neighbour = calloc(tiles, HT_TILE_NEIGHBOURS * sizeof(int32_t));
  to->inside = calloc(tiles, sizeof(uint64_t));
  assert_true(to->position && to->neighbour && to->inside);
  for (int64_t t = 0; t < from->tiles; t++) {
    memcpy(to->position + 3 * place[t], from->position + 3 * t, 3 * sizeof(int32_t));
    to->inside[place[t]] = from->inside[t];
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
      int32_t there = from->neighbour[HT_TILE_NEIGHBOURS * t + i];
      to->neighbour[HT_TILE_NEIGHBOURS * place[t] + i] = there < 0 ? -1 : place[there];
    }
  }
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

static void test_order(void **unused) {
  (void)unused;
  ht_tiling tiling, mixed;
  assert_int_equal(ht_tiling_build(&vessel.mask, NULL, &tiling), HT_OK);
  int32_t *place = shuffled(tiling.tiles);
  reorder(&tiling, place, &mixed);
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) {
      double *straight = run(&tiling, model, (ht_precision)p, 1);
      check_same(straight, &mixed, model, (ht_precision)p);
      free(straight);
    }
  free(place);
  ht_tiling_free(&mixed);
  ht_tiling_free(&tiling);
}

/* Bit for bit; on a GPU the same twice. */
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
  device = ht_test_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_origin),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, make_vessel, free_vessel);
}
