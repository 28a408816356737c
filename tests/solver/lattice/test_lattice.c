/* The lattice on the CPU: conservation, symmetry, and that tiles and threads do not change the
 * flow. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "solver/lattice/lattice.h"
#include "solver/kernels/start_noise.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include <float.h>
#include <stdlib.h>

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
  double *out = ht_read_voxels(lattice, &tiling);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  return out;
}

static ht_mask vessels(void) {
  ht_mask mask;
  assert_int_equal(ht_geometry_tubes((int[3]){25, 19, 22}, (double[2]){4, 6}, 0.25, 5, &mask),
                   HT_OK);
  return mask;
}

static double most_different(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* A closed vessel keeps its mass: the total deviation of density is constant to rounding. */
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
  assert_near(sum[1], sum[0], 1e-12 * size);
  ht_mask_free(&mask);
}

static void test_placement_does_not_matter(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  int64_t count = 4 * ht_grid_voxels(&mask.grid);
  double *best = run(&mask, NULL, 0, HT_FP64, 200);
  for (int o = 0; o < 64; o += 7) {
    ht_tiling_options options = {.fixed_origin = 1, .origin = {o & 3, (o >> 2) & 3, o >> 4}};
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

/* fp32 with shifted distribution functions follows fp64 to its own rounding, which grows as the
 * root of the steps (biased rounding would show as 1e-5 here). */
static void test_single_follows_double(void **unused) {
  (void)unused;
  enum { STEPS = 200 };
  ht_mask mask = vessels();
  int64_t count = 4 * ht_grid_voxels(&mask.grid);
  double *single = run(&mask, NULL, 0, HT_FP32, STEPS),
         *twice = run(&mask, NULL, 0, HT_FP64, STEPS);
  double size = 0;
  for (int64_t i = 0; i < count; i++) size = fmax(size, fabs(twice[i]));
  assert_true(most_different(single, twice, count) <= sqrt(STEPS) * FLT_EPSILON * size);
  free(single);
  free(twice);
  ht_mask_free(&mask);
}

/* Some flow, different in every voxel. */
static void any_flow(const int voxel[3], const void *unused, ht_voxel_flow *flow) {
  (void)unused;
  uint64_t place = 16 * (uint64_t)(voxel[0] + 100 * (voxel[1] + 100 * voxel[2]));
  flow->density = 0.05 * ht_noise_at(place);
  for (int a = 0; a < 3; a++) flow->velocity[a] = 0.1 * ht_noise_at(place + 1 + (uint64_t)a);
  for (int k = 0; k < 6; k++) flow->stress[k] = 0.01 * ht_noise_at(place + 4 + (uint64_t)k);
}

/* Largest difference between what any_flow() says and what a lattice gives back. */
static double lost(ht_lattice *lattice, const ht_tiling *tiling) {
  double rho[64], u[64][3], sigma[64][6], most = 0;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    ht_lattice_fields fields = {.density = rho, .velocity = u[0], .stress = sigma[0]};
    assert_int_equal(ht_lattice_read(lattice, t, 1, &fields), HT_OK);
    for (int n = 0; n < 64; n++) {
      const int32_t *p = tiling->position + 3 * t;
      const int at[3] = {4 * p[0] - tiling->origin[0] + (n & 3),
                         4 * p[1] - tiling->origin[1] + ((n >> 2) & 3),
                         4 * p[2] - tiling->origin[2] + (n >> 4)};
      ht_voxel_flow flow = {0};
      if ((tiling->inside[t] >> n) & 1) any_flow(at, NULL, &flow);
      most = fmax(most, fabs(rho[n] - flow.density));
      most = fmax(most, most_different(u[n], flow.velocity, 3));
      most = fmax(most, most_different(sigma[n], flow.stress, 6));
    }
  }
  return most;
}

/* A state that is written is read back unchanged, whatever was there before, and the next step
 * starts from it. */
static void test_write_is_read_again(void **unused) {
  (void)unused;
  ht_mask mask = vessels();
  ht_tiling tiling;
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) {
      ht_lattice *lattice;
      ht_lattice_setup setup = {.tiling = &tiling,
                                .tau = 0.6,
                                .precision = (ht_precision)p,
                                .device = HT_DEVICE_CPU,
                                .noise_lu = 0.01};
      ht_set_model(&setup, model);
      assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
      assert_int_equal(ht_lattice_step(lattice, 3), HT_OK);
      ht_write_voxels(lattice, &tiling, any_flow, NULL);
      assert_true(lost(lattice, &tiling) <= (p == HT_FP64 ? DBL_EPSILON : FLT_EPSILON));
      double *kept = ht_read_voxels(lattice, &tiling);
      assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
      assert_true(lost(lattice, &tiling) > 1e-3);
      ht_write_voxels(lattice, &tiling, any_flow, NULL);
      double *again = ht_read_voxels(lattice, &tiling);
      assert_true(most_different(kept, again, 4 * ht_grid_voxels(&mask.grid)) == 0);
      free(kept);
      free(again);
      ht_lattice_free(lattice);
    }
  ht_tiling_free(&tiling);
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
      cmocka_unit_test(test_write_is_read_again),
      cmocka_unit_test(test_refuses_bad_tau),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
