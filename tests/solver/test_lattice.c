/* The lattice on the CPU: conservation, symmetry, and that tiles and threads do not change the
 * flow. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "geometry.h"
#include "lattice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs closed vessels with noise and returns density and velocity by voxel, [voxels][4]. */
static double *run(const ht_mask *mask, const ht_tiling_options *placement, int threads,
                   ht_precision precision, int64_t steps) {
  ht_tiling tiling;
  ht_lattice *lattice;
  assert_int_equal(ht_tiling_build(mask, placement, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.6,
                            .precision = precision,
                            .device = HT_DEVICE_CPU,
                            .threads = threads,
                            .noise_lu = 0.05};
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, steps), HT_OK);
  int64_t n = tiling.tiles * 64;
  double *density = calloc((size_t)n, sizeof(double)),
         *velocity = calloc((size_t)n * 3, sizeof(double));
  ht_lattice_fields fields = {density, velocity, NULL};
  assert_int_equal(ht_lattice_read(lattice, 0, tiling.tiles, &fields), HT_OK);
  double *out = calloc((size_t)ht_grid_voxels(&mask->grid), 4 * sizeof(double));
  for (int64_t i = 0; i < n; i++) {
    const int32_t *p = tiling.position + 3 * (i / 64);
    if (!((tiling.inside[i / 64] >> (i % 64)) & 1)) continue;
    int64_t x = 4 * p[0] - tiling.origin[0] + (i & 3),
            y = 4 * p[1] - tiling.origin[1] + ((i >> 2) & 3);
    int64_t z = 4 * p[2] - tiling.origin[2] + ((i >> 4) & 3);
    double *to = out + 4 * (x + mask->grid.dim[0] * (y + mask->grid.dim[1] * z));
    to[0] = density[i];
    memcpy(to + 1, velocity + 3 * i, 3 * sizeof(double));
  }
  free(density);
  free(velocity);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  return out;
}

static ht_mask vessels(void) {
  ht_mask mask;
  assert_int_equal(ht_geometry_tubes((int[3]){37, 29, 33}, (double[2]){4, 6}, 0.25, 5, &mask),
                   HT_OK);
  return mask;
}

static double most_different(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* In a closed vessel nothing is lost: the total deviation of density stays to rounding. */
static void test_mass_is_conserved(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  double sum[2] = {0, 0}, size = 0;
  int64_t voxels = ht_grid_voxels(&mask.grid);
  for (int k = 0; k < 2; k++) {
    double *state = run(&mask, NULL, 0, HT_FP64, k ? 500 : 0);
    for (int64_t v = 0; v < voxels; v++) sum[k] += state[4 * v];
    for (int64_t v = 0; v < voxels; v++) size += fabs(state[4 * v]);
    free(state);
  }
  assert_true(size > 0);
  assert_true(fabs(sum[1] - sum[0]) <= 1e-12 * size);
  ht_mask_free(&mask);
}

static void test_placement_does_not_matter(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  int64_t count = 4 * ht_grid_voxels(&mask.grid);
  double *best = run(&mask, NULL, 0, HT_FP64, 200);
  for (int o = 0; o < 64; o += 7) {
    ht_tiling_options options = {1, {o & 3, (o >> 2) & 3, o >> 4}};
    double *other = run(&mask, &options, 0, HT_FP64, 200);
    assert_true(most_different(best, other, count) == 0);
    free(other);
  }
  free(best);
  ht_mask_free(&mask);
}

static void test_threads_do_not_matter(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  int64_t count = 4 * ht_grid_voxels(&mask.grid);
  for (int p = HT_FP32; p <= HT_FP64; p++) {
    double *one = run(&mask, NULL, 1, (ht_precision)p, 100);
    double *three = run(&mask, NULL, 3, (ht_precision)p, 100);
    assert_true(most_different(one, three, count) == 0);
    free(one);
    free(three);
  }
  ht_mask_free(&mask);
}

/* fp32 with shifted distribution functions follows fp64 to its own rounding times the steps'
 * growth. */
static void test_single_follows_double(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  int64_t count = 4 * ht_grid_voxels(&mask.grid);
  double *single = run(&mask, NULL, 0, HT_FP32, 200), *twice = run(&mask, NULL, 0, HT_FP64, 200);
  double size = 0;
  for (int64_t i = 0; i < count; i++) size = fmax(size, fabs(twice[i]));
  assert_true(most_different(single, twice, count) <= 1e-4 * size);
  free(single);
  free(twice);
  ht_mask_free(&mask);
}

static void test_refuses_bad_tau(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  ht_tiling tiling;
  ht_lattice *lattice;
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling, .tau = 0.5, .device = HT_DEVICE_CPU};
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_ERR_UNSTABLE);
  assert_null(lattice);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mass_is_conserved),
      cmocka_unit_test(test_placement_does_not_matter),
      cmocka_unit_test(test_threads_do_not_matter),
      cmocka_unit_test(test_single_follows_double),
      cmocka_unit_test(test_refuses_bad_tau),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
