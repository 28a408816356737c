/* Interpolated bounce-back: half-way where it has to be; fields are read and written through it;
 * and Poiseuille flow in tilted pipes. With "gpu" as argument on the CUDA backend; with "long" the
 * whole table, up to 48 nodes across, and the order. */
#include "tests/check.h"
#include "solver/kernels/start_noise.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/theory/tilted_pipe.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>

static ht_device device;

static double largest_difference(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* A channel between planes half a spacing beyond its nodes, periodic along x and y. */
enum { NX = 8, NY = 12, NZ = 9 };

/* Lambda (wall_links.h) is 3/16, with which half-way walls need no slip. */
static const double tau_without_slip = 0.5 + 0.43301270189221932;

static double *run_channel(const ht_mask *mask, const float *distance) {
  const ht_tiling_options at_corner = {.fixed_origin = 1};
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_lattice_setup setup = {.tau = tau_without_slip,
                            .precision = HT_FP64,
                            .device = device,
                            .periodic = {1, 1, 0},
                            .noise_lu = 0.05,
                            .wall_distance = distance,
                            .tiling = &tiling};
  assert_int_equal(ht_tiling_build(mask, &at_corner, &tiling), HT_OK);
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, 50), HT_OK);
  double *state = ht_read_voxels(lattice, &tiling);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  return state;
}

/* Walls half-way between the nodes are half-way bounce-back, but for the slip; others are not. */
static void test_half_way(void **unused) {
  (void)unused;
  const ht_grid grid = ht_grid_make(NX, NY, NZ + 2);
  const int64_t values = 4 * ht_grid_voxels(&grid);
  static float distance[NX * NY * (NZ + 2)];
  double *state[3];
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int k = 0; k < 3; k++) {
    for (int64_t v = 0; v < values / 4; v++) {
      double z = (double)(v / (NX * NY)), middle = 0.5 * (NZ + 1), off = k == 2 ? 0.1 : 0;
      distance[v] = (float)(0.5 * NZ - off - fabs(z - middle));
      mask.inside[v] = z > 0 && z < NZ + 1;
    }
    state[k] = run_channel(&mask, k ? distance : NULL);
  }
  assert_true(largest_difference(state[0], state[1], values) < 1e-15);
  assert_true(largest_difference(state[0], state[2], values) > 1e-4);
  for (int k = 0; k < 3; k++) free(state[k]);
  ht_mask_free(&mask);
}

static void noise_at(const int voxel[3], const void *unused, ht_voxel_flow *flow) {
  (void)unused;
  uint64_t place = (uint64_t)(voxel[0] + 100 * (voxel[1] + 100 * voxel[2]));
  flow->density = 0.01 * ht_noise_at(place);
  for (int a = 0; a < 3; a++) flow->velocity[a] = 0.05 * ht_noise_at(place + 1000000u * (a + 1));
}

/* Fields that are written are read, although the walls' values are interpolated in between. */
static void test_write_and_read(void **unused) {
  (void)unused;
  ht_tilted_pipe pipe;
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_lattice_cost cost;
  ht_voxel_flow wanted;
  double most = 0;
  ht_tilted_pipe_make(&(ht_tilted_pipe_case){10, 17, 0.7, 2}, &pipe);
  assert_int_equal(ht_tiling_build(&pipe.mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.7,
                            .precision = HT_FP64,
                            .device = device,
                            .wall_distance = pipe.distance};
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  ht_lattice_measure_cost(lattice, &cost);
  assert_true(cost.wall_links > tiling.nodes / 2);
  print_message("%lld links are interpolated, %lld in gaps are not\n", (long long)cost.wall_links,
                (long long)cost.half_way_links);
  assert_true(cost.half_way_links < cost.wall_links / 10);
  ht_write_voxels(lattice, &tiling, noise_at, NULL);
  double *state = ht_read_voxels(lattice, &tiling);
  for (int64_t v = 0; v < ht_grid_voxels(&pipe.mask.grid); v++) {
    int at[3];
    ht_voxel_place(pipe.mask.grid.dim, v, at);
    if (!pipe.mask.inside[v]) continue;
    noise_at(at, NULL, &wanted);
    for (int a = 0; a < 3; a++) most = fmax(most, fabs(state[4 * v + 1 + a] - wanted.velocity[a]));
  }
  assert_true(most < 1e-13);
  free(state);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  ht_tilted_pipe_free(&pipe);
}

/* ---- Poiseuille flow ---- */

static double run_pipe(int across, double degrees, double tau, int interpolated,
                       double *imbalance) {
  ht_tilted_pipe pipe;
  ht_tilted_pipe_result found;
  ht_lattice_setup setup = {.precision = HT_FP64, .device = device};
  ht_tilted_pipe_make(&(ht_tilted_pipe_case){across, degrees, tau, 0}, &pipe);
  ht_tilted_pipe_run(&pipe, interpolated ? pipe.distance : NULL, setup, &found);
  print_message("%s, %2g degrees, %2d nodes across, tau %g: velocity's L2 error %.5f, pressure "
                "gradient / exact %.4f, (in - out) / in %+.1e; %lld steps\n",
                interpolated ? "interpolated" : "half-way", degrees, across, tau, found.error,
                found.gradient, found.imbalance, (long long)found.steps);
  *imbalance = fabs(found.imbalance);
  ht_tilted_pipe_free(&pipe);
  return found.error;
}

static const double angle[] = {0, 17, 45};

/* Interpolated walls take away most of the error of the staircase. */
static void test_pipes(void **unused) {
  (void)unused;
  double imbalance;
  for (int a = 0; a < 3; a++) {
    double error = run_pipe(12, angle[a], 0.8, 1, &imbalance);
    assert_true(error < 0.004);
    assert_true(imbalance < 1e-5);
    assert_true(run_pipe(12, angle[a], 0.8, 0, &imbalance) > 8 * error);
  }
}

/* Near tau 1/2 the linear interpolation alone is off by all of the parabola: 0.012, 0.021, 0.023.
 */
static void test_low_viscosity(void **unused) {
  const double most[] = {0.005, 0.013, 0.018};
  double imbalance;
  (void)unused;
  for (int a = 0; a < 3; a++) assert_true(run_pipe(10, angle[a], 0.53, 1, &imbalance) < most[a]);
}

/* A plane channel at 45 degrees to two lattice axes: its layers of nodes lie (x - y) / sqrt(2)
 * apart, the walls 0.95 of that beyond the last ones. Flow along (1, 1, 0). */
enum { BOX = 20, LAYERS = 14 };
static const double channel_width = (LAYERS + 1 - 0.1) * 0.70710678118654752, most_lu = 0.1;

static double from_wall(const int voxel[3]) {
  int layer = (voxel[0] - voxel[1] + BOX) % BOX;
  if (layer > LAYERS + (BOX - LAYERS) / 2) layer -= BOX;
  return fmin(layer - 0.05, LAYERS + 1 - 0.05 - layer) * sqrt(0.5);
}

static double parabola(const int voxel[3]) {
  double y = 2 * from_wall(voxel) / channel_width;
  return most_lu * y * (2 - y);
}

static void parabola_at(const int voxel[3], const void *unused, ht_voxel_flow *flow) {
  (void)unused;
  flow->velocity[0] = flow->velocity[1] = sqrt(0.5) * parabola(voxel);
}

static ht_mask channel_at_45(float *distance) {
  const ht_grid grid = ht_grid_make(BOX, BOX, 4);
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    distance[v] = (float)from_wall(at);
    mask.inside[v] = distance[v] > 0;
  }
  return mask;
}

static void compare_channel(ht_lattice *lattice, const ht_tiling *tiling, const ht_mask *mask) {
  double *state = ht_read_voxels(lattice, tiling), along = 0, expected = 0, across = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    ht_voxel_place(mask->grid.dim, v, at);
    if (!mask->inside[v]) continue;
    const double *u = state + 4 * v + 1;
    along += sqrt(0.5) * (u[0] + u[1]);
    expected += parabola(at);
    across = fmax(across, sqrt(0.5) * fabs(u[0] - u[1]));
  }
  print_message("steep shear at 45 degrees: mean velocity %+.4f, largest across / along %.1e\n",
                along / expected - 1, across / most_lu);
  assert_near(along / expected, 1, 0.01);
  assert_true(across / most_lu < 1e-3);
  free(state);
}

/* A spacing of 7 times sqrt(viscosity / shear rate), as at the wall of an artery near its peak
 * flow: without the squares of the velocity (wall_links.h) the flow gains 2.3 % in these steps, and
 * has 2.8e-3 of its speed across it. */
static void test_steep_shear(void **unused) {
  (void)unused;
  static float distance[BOX * BOX * 4];
  const ht_tiling_options at_corner = {.fixed_origin = 1};
  const double tau = 0.502, force = 8 * (tau - 0.5) / 3 * most_lu / pow(channel_width, 2);
  ht_mask mask = channel_at_45(distance);
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_lattice_setup setup = {.tau = tau,
                            .precision = HT_FP64,
                            .collision = HT_CUMULANT,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .device = device,
                            .periodic = {1, 1, 1},
                            .acceleration_lu = {sqrt(0.5) * force, sqrt(0.5) * force, 0},
                            .wall_distance = distance,
                            .tiling = &tiling};
  assert_int_equal(ht_tiling_build(&mask, &at_corner, &tiling), HT_OK);
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  ht_write_voxels(lattice, &tiling, parabola_at, NULL);
  assert_int_equal(ht_lattice_step(lattice, 2000), HT_OK);
  compare_channel(lattice, &tiling, &mask);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* The order is the slope of a line through all sizes. */
static void test_order(void **unused) {
  (void)unused;
  const int across[] = {12, 16, 24, 48};
  for (int interpolated = 1; interpolated >= 0; interpolated--) {
    for (int a = 0; a < 3; a++) {
      double sum[4] = {0}, imbalance = 0;
      for (int n = 0; n < 4; n++) {
        double x = log(across[n]);
        double y = log(run_pipe(across[n], angle[a], 0.8, interpolated, &imbalance));
        sum[0] += x, sum[1] += y, sum[2] += x * x, sum[3] += x * y;
      }
      double order = -(sum[3] - sum[0] * sum[1] / 4) / (sum[2] - sum[0] * sum[0] / 4);
      print_message("%s, %g degrees: order %.2f\n", interpolated ? "interpolated" : "half-way",
                    angle[a], order);
      assert_true(!interpolated || order >= 1.8);
      assert_true(imbalance <= 1e-4); /* what the last steps still change; the bar is 1e-3 */
    }
  }
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_half_way), cmocka_unit_test(test_write_and_read),
      cmocka_unit_test(test_pipes), cmocka_unit_test(test_low_viscosity),
      cmocka_unit_test(test_steep_shear)};
  const struct CMUnitTest all[] = {cmocka_unit_test(test_order)};
  if (ht_has_argument(argc, argv, "long")) return cmocka_run_group_tests(all, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
