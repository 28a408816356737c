/* The CUDA backend against the CPU backend, on the same case. Skipped (77) where there is no GPU.
 */
#include "tests/check.h"
#include "tests/solver/common/compare_backends.h"
#include "phantom/geometry.h"
#include "tests/solver/common/pipe_domain.h"
#include "tests/solver/common/ported_vessel.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>

/* fp64 to 1e-12 relative; fp32 to 1e-5: rounding differs (fused multiply-add), nothing else. */
static void check(double twice, double single, const char *what) {
  print_message("%s: relative difference fp64 %.2e, fp32 %.2e\n", what, twice, single);
  assert_true(twice <= 1e-12);
  assert_true(single <= 1e-5);
}

static void check_model(ht_lattice_setup *setup, int model, int64_t steps, const char *what) {
  double difference[2];
  char name[128];
  ht_set_model(setup, model);
  for (int k = 0; k < 2; k++) {
    setup->precision = k ? HT_FP32 : HT_FP64;
    difference[k] = ht_compare_backends(setup, steps);
  }
  snprintf(name, sizeof name, "%s, %s", what, ht_model_name(model));
  check(difference[0], difference[1], name);
}

static void check_models(ht_lattice_setup *setup, int64_t steps, const char *what) {
  for (int model = 0; model < HT_MODELS; model++) check_model(setup, model, steps, what);
}

/* A network of tubes without openings, and its tiles. */
typedef struct {
  ht_mask mask;
  ht_tiling tiling;
} vessels;

static void make_vessels(const int dim[3], const double radius[2], double porosity, int seed,
                         vessels *made) {
  assert_int_equal(ht_geometry_tubes(dim, radius, porosity, (uint64_t)seed, &made->mask), HT_OK);
  assert_int_equal(ht_tiling_build(&made->mask, NULL, &made->tiling), HT_OK);
}

static void make_small_vessels(vessels *made) {
  make_vessels((int[3]){61, 47, 53}, (double[2]){5, 8}, 0.2, 3, made);
}

static void free_vessels(vessels *made) {
  ht_tiling_free(&made->tiling);
  ht_mask_free(&made->mask);
}

static void test_closed_vessels(void **unused) {
  (void)unused;
  vessels closed;
  make_small_vessels(&closed);
  ht_lattice_setup setup = {.tiling = &closed.tiling, .tau = 0.6, .noise_lu = 0.05};
  check_models(&setup, 1000, "closed vessels");
  free_vessels(&closed);
}

/* A body force on tile blocks, with and without walls, on packed blocks, and in portions. */
static void test_body_force(void **unused) {
  (void)unused;
  vessels closed;
  make_small_vessels(&closed);
  ht_lattice_setup setup = {.tiling = &closed.tiling,
                            .tau = 0.6,
                            .noise_lu = 0.05,
                            .acceleration_lu = {1e-4, -5e-5, 2e-5}};
  check_models(&setup, 201, "body force");
  setup.compact = 1;
  check_models(&setup, 200, "body force, compact");
  free_vessels(&closed);
}

/* Compares the correction of diagonals, also with eddies, whose viscosity is local, and where the
 * force goes through several portions. */
static void test_diagonals(void **unused) {
  (void)unused;
  vessels closed;
  make_small_vessels(&closed);
  ht_lattice_setup setup = {
      .tiling = &closed.tiling, .tau = 0.51, .noise_lu = 0.02, .corrects_diagonals = 1};
  for (setup.compact = 0; setup.compact < 2; setup.compact++)
    check_model(&setup, HT_MODEL_CUMULANT, 201, "diagonals corrected");
  setup.compact = 0;
  setup.law.eddies = 0.1;
  check_model(&setup, HT_MODEL_CUMULANT, 201, "diagonals corrected, eddies");
  free_vessels(&closed);
}

/* Storage of 16 bits rounds every value in every step, so the two go apart as soon as one last bit
 * of the arithmetic differs; by how much is what fp16 is good for. */
static void test_half_storage(void **unused) {
  (void)unused;
  vessels closed;
  make_small_vessels(&closed);
  ht_lattice_setup setup = {
      .tiling = &closed.tiling, .tau = 0.6, .precision = HT_FP16, .noise_lu = 0.05};
  for (int model = 0; model < HT_MODELS; model++) {
    ht_set_model(&setup, model);
    double difference = ht_compare_backends(&setup, 100);
    print_message("closed vessels, %s: relative difference fp16 %.2e\n", ht_model_name(model),
                  difference);
    assert_true(difference <= 2e-3);
  }
  free_vessels(&closed);
}

/* Compares the step in place: what is overwritten must have been read. The vessels are large enough
 * for several portions of a step. */
static void test_compact(void **unused) {
  (void)unused;
  vessels large;
  make_vessels((int[3]){90, 80, 160}, (double[2]){9, 13}, 0.3, 5, &large);
  ht_lattice_setup setup = {.tiling = &large.tiling, .tau = 0.6, .compact = 1, .noise_lu = 0.05};
  setup.precision = HT_FP64;
  double twice = ht_compare_backends(&setup, 101);
  setup.precision = HT_FP32;
  check(twice, ht_compare_backends(&setup, 100), "compact");
  free_vessels(&large);
}

/* A periodic channel of 16 x 12 x 20 whose wall below z = 0 slides along x. */
static void test_sliding_wall(void **unused) {
  (void)unused;
  enum { NX = 16, NY = 12, NZ = 20 };
  ht_mask mask;
  ht_tiling tiling;
  static int64_t voxel[NX * NY];
  for (int64_t i = 0; i < NX * NY; i++) voxel[i] = i;
  ht_lattice_port lid = {.kind = HT_PORT_MOVING_WALL,
                         .axis = 2,
                         .inward = 1,
                         .wall_lu = {0.04, 0.01, 0},
                         .nodes = NX * NY,
                         .voxel = voxel};
  assert_int_equal(ht_geometry_box((int[3]){NX, NY, NZ}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.7,
                            .noise_lu = 0.01,
                            .ramp_steps = 100,
                            .periodic = {1, 1, 0},
                            .ports = 1,
                            .port = &lid};
  check_models(&setup, 1000, "sliding wall");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* A box whose six faces prescribe velocity or pressure: its edges and corners are in several ports.
 */
static void test_edges_and_corners(void **unused) {
  (void)unused;
  enum { NX = 13, NY = 10, NZ = 11, MOST = NX * NZ };
  static int64_t voxel[6][MOST];
  static double speed[6][MOST];
  const double stream[3] = {0.8, -0.36, 0.48};
  const int dim[3] = {NX, NY, NZ};
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice_port port[6];
  for (int f = 0; f < 6; f++) {
    int axis = f / 2, inward = f % 2 ? -1 : 1, at[3], out = stream[axis] * inward < 0;
    port[f] = (ht_lattice_port){.kind = out ? HT_PORT_PRESSURE : HT_PORT_VELOCITY,
                                .axis = axis,
                                .inward = inward,
                                .voxel = voxel[f],
                                .speed_lu = speed[f]};
    for (int a = 0; a < 3; a++) port[f].direction[a] = out ? -stream[a] : stream[a];
    for (int64_t v = 0; v < NX * NY * NZ; v++) {
      ht_voxel_place(dim, v, at);
      if (at[axis] != (f % 2 ? dim[axis] - 1 : 0)) continue;
      speed[f][port[f].nodes] = 0.04 * fabs(stream[axis]);
      voxel[f][port[f].nodes++] = v;
    }
  }
  assert_int_equal(ht_geometry_box(dim, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.7, .noise_lu = 0.01, .ramp_steps = 100, .ports = 6, .port = port};
  check_models(&setup, 1000, "box of six ports");
  setup.compact = 1; /* 12 portions a step */
  check_models(&setup, 1000, "box of six ports, compact");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* The walls anywhere between the nodes; ports next to them, whose nodes are neighbours of walls. */
static void test_interpolated_walls(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  float *distance;
  assert_int_equal(ht_geometry_tubes((int[3]){90, 80, 160}, (double[2]){9, 13}, 0.3, 5, &mask),
                   HT_OK);
  assert_int_equal(ht_geometry_rough_walls(&mask, &distance), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.6, .noise_lu = 0.01, .wall_distance = distance};
  for (int compact = 0; compact < 2; compact++) {
    setup.compact = compact;
    setup.precision = HT_FP64;
    double twice = ht_compare_backends(&setup, 101);
    setup.precision = HT_FP32;
    check(twice, ht_compare_backends(&setup, 100),
          compact ? "interpolated walls, compact" : "interpolated walls");
  }
  setup.precision = HT_FP16;
  double half = ht_compare_backends(&setup, 50);
  print_message("interpolated walls: relative difference fp16 %.2e\n", half);
  assert_true(half <= 2e-3);
  free(distance);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void test_interpolated_pipes(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    ht_domain domain;
    assert_int_equal(ht_pipe_domain(14, 22, axis, axis == 1 ? -1 : 1, 0.2, 1, &domain), HT_OK);
    assert_int_equal(ht_geometry_rough_walls(&domain.mask, &domain.wall_distance), HT_OK);
    check(ht_compare_domain(&domain, HT_FP64, 0.7, 0.03, 1000),
          ht_compare_domain(&domain, HT_FP32, 0.7, 0.03, 1000), "pipe, interpolated walls");
    ht_domain_free(&domain);
  }
}

static void check_pipe(int axis, int sign, const char *what) {
  ht_domain domain;
  assert_int_equal(ht_pipe_domain(14, 22, axis, sign, 0.2, 1, &domain), HT_OK);
  /* Oblique to the planes, so that the transverse terms count. */
  for (int p = 0; p < 2; p++) {
    ht_port *port = &domain.port[p];
    port->direction[axis] = port->inward * 0.9;
    port->direction[(axis + 1) % 3] = 0.3;
    port->direction[(axis + 2) % 3] = -sqrt(1 - 0.81 - 0.09);
  }
  check(ht_compare_domain(&domain, HT_FP64, 0.7, 0.03, 1000),
        ht_compare_domain(&domain, HT_FP32, 0.7, 0.03, 1000), what);
  ht_domain_free(&domain);
}

static void test_pipes(void **unused) {
  (void)unused;
  check_pipe(0, 1, "pipe along +x");
  check_pipe(1, -1, "pipe along -y");
  check_pipe(2, 1, "pipe along +z");
}

/* ---- driven ports ---- */

enum { PULSE_MODES = 3, PULSE_NODES = 256 };
static const double pulse_period = 400;

/* Three modes at the inlet, and the outlet's pressure: all of them other at every step, the flow
 * turns back for a third of the period. */
static void drive_pulse(void *unused, int64_t step, double *coefficient) {
  double t = 2 * HT_PI * (double)step / pulse_period, rise = fmin(1, (double)step / 100);
  (void)unused;
  coefficient[0] = 0.5 * rise;
  coefficient[1] = rise * cos(t);
  coefficient[2] = 0.3 * rise * sin(3 * t);
  coefficient[3] = rise * sin(t);
}

/* The last third of the pipe, up to the outlet, is a sponge. */
static void check_sponge(const ht_mask *mask, ht_lattice_setup *setup) {
  static int64_t voxel[8 * PULSE_NODES];
  static float added[8 * PULSE_NODES];
  setup->sponge_nodes = ht_pipe_sponge(mask, voxel, added);
  assert_true(setup->sponge_nodes <= 8 * PULSE_NODES);
  setup->sponge_voxel = voxel;
  setup->sponge_lu = added;
  setup->tau = 0.51;
  for (setup->compact = 0; setup->compact < 2; setup->compact++)
    check_model(setup, HT_MODEL_CUMULANT, 1009, "pulse through a sponge");
  setup->compact = 0;
  setup->corrects_diagonals = 1;
  check_model(setup, HT_MODEL_CUMULANT, 1009, "pulse through a sponge, diagonals corrected");
}

/* Compares a pulse, with and without graphs: 1009 steps are 63 of 16 and one. Where blood comes in
 * through the outlet, its pressure is the total pressure. */
static void test_pulse(void **unused) {
  (void)unused;
  static double speed[PULSE_MODES * PULSE_NODES];
  ht_domain domain;
  ht_tiling tiling;
  ht_lattice_port port[2];
  ht_driven_pipe(PULSE_MODES, speed, &domain, &tiling, port);
  assert_true(port[0].nodes <= PULSE_NODES);
  for (int m = 0; m < PULSE_MODES; m++)
    for (int64_t i = 0; i < port[0].nodes; i++)
      speed[m * port[0].nodes + i] = 0.02 + 0.01 * cos((double)((m + 1) * i));
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.7, .ports = 2, .port = port, .drive = drive_pulse};
  check_models(&setup, 1009, "pulse in a pipe");
  setup.compact = 1;
  check_models(&setup, 1009, "pulse in a pipe, compact");
  check_sponge(&domain.mask, &setup);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

int main(void) {
  ht_need_gpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_vessels),
      cmocka_unit_test(test_body_force),
      cmocka_unit_test(test_diagonals),
      cmocka_unit_test(test_half_storage),
      cmocka_unit_test(test_compact),
      cmocka_unit_test(test_pipes),
      cmocka_unit_test(test_sliding_wall),
      cmocka_unit_test(test_edges_and_corners),
      cmocka_unit_test(test_pulse),
      cmocka_unit_test(test_interpolated_walls),
      cmocka_unit_test(test_interpolated_pipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
