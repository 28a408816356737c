/* Driven ports: flows that oscillate between two plates 16 nodes apart, against the exact solution
 * (Womersley, J. Physiol. 127 (1955) 553, in the plane: Landau & Lifshitz, Fluid Mechanics, section
 * 24). With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_device device;

/* nu = 1/60: the length is short against that of sound in a period, 870; what is left of the start
 * falls by exp(1) in 1560 steps. */
enum { LENGTH = 16, ACROSS = 16, DEPTH = 4, NODES = ACROSS * DEPTH, PERIOD = 1508, SETTLE = 6 };
static const double tau = 0.55, nu = 0.05 / 3;

static int64_t voxel[2][NODES];
static double speed[3 * NODES];

/* Response of the velocity to a pressure gradient of -1 * exp(i omega t) at a node's height. */
static double complex response(int y) {
  double omega = 2 * HT_PI / PERIOD, half = 0.5 * ACROSS, at = y + 0.5 - half;
  double complex lambda = csqrt(I * omega / nu);
  return (1 - ccosh(lambda * at) / ccosh(lambda * half)) / (I * omega);
}

static double parabola(int y) {
  double at = (y + 0.5) / ACROSS;
  return 4 * at * (1 - at);
}

static void set_ports(ht_lattice_port port[2]) {
  memset(port, 0, 2 * sizeof *port);
  for (int p = 0; p < 2; p++) {
    int x = p ? LENGTH - 1 : 0;
    for (int i = 0; i < NODES; i++)
      voxel[p][i] = x + LENGTH * (i % ACROSS + (int64_t)ACROSS * (i / ACROSS));
    port[p] = (ht_lattice_port){.kind = HT_PORT_PRESSURE,
                                .inward = p ? -1 : 1,
                                .direction = {p ? -1 : 1, 0, 0},
                                .nodes = NODES,
                                .voxel = voxel[p]};
  }
}

static void make_box(ht_lattice_setup *setup, ht_box *box) {
  setup->tau = tau;
  setup->device = device;
  setup->periodic[2] = 1;
  setup->ports = 2;
  ht_box_make((int[3]){LENGTH, ACROSS, DEPTH}, setup, box);
}

/* Steps through one period and compares the velocity across the middle at 8 phases: the largest
 * difference by the largest velocity. `exact`: at a height and a time. */
static double compare(ht_box *box, int64_t step, double (*exact)(int y, double t)) {
  double error = 0, size = 0;
  for (int phase = 0; phase < 8; phase++) {
    int64_t next = step + PERIOD / 8;
    assert_int_equal(ht_lattice_step(box->lattice, PERIOD / 8), HT_OK);
    double *state = ht_read_voxels(box->lattice, &box->tiling);
    for (int y = 0; y < ACROSS; y++) {
      double u = state[4 * (LENGTH / 2 + (int64_t)LENGTH * y) + 1], asked = exact(y, (double)next);
      error = fmax(error, fabs(u - asked));
      size = fmax(size, fabs(asked));
    }
    free(state);
    step = next;
  }
  return error / size;
}

/* ---- between two pressures, the flow reverses at both ---- */

static const double swing = 0.003; /* of the density */

static void drive_pressure(void *unused, int64_t step, double *coefficient) {
  (void)unused;
  double rise = fmin(1, (double)step / PERIOD);
  coefficient[0] = rise * cos(2 * HT_PI * (double)step / PERIOD);
}

static double exact_pressure(int y, double t) {
  double gradient = swing / 3 / (LENGTH - 1);
  return gradient * creal(response(y) * cexp(2 * HT_PI * I * t / PERIOD));
}

static void test_pressure(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++) {
    ht_lattice_port port[2];
    ht_box box;
    set_ports(port);
    port[0].modes = 1;
    port[0].density_lu = swing;
    ht_lattice_setup setup = {.precision = HT_FP64, .port = port, .drive = drive_pressure};
    ht_set_model(&setup, model);
    make_box(&setup, &box);
    assert_int_equal(ht_lattice_step(box.lattice, SETTLE * PERIOD), HT_OK);
    double error = compare(&box, SETTLE * PERIOD, exact_pressure);
    print_message("%s, between two pressures: velocity %.2f %% off\n", ht_model_name(model),
                  100 * error);
    assert_true(error < 0.03); /* at the walls, where the layer is 2.8 nodes thick */
    ht_box_free(&box);
  }
}

/* ---- three modes of velocity: a steady flow and the two parts of an oscillating one ---- */

static double mean_speed = 0.02, swing_speed = 0.03;

static double complex profile(int y) {
  return swing_speed * response(y) / cabs(response(ACROSS / 2));
}

static void drive_velocity(void *unused, int64_t step, double *coefficient) {
  (void)unused;
  double t = 2 * HT_PI * (double)step / PERIOD, rise = fmin(1, (double)step / PERIOD);
  coefficient[0] = rise;
  coefficient[1] = rise * cos(t);
  coefficient[2] = -rise * sin(t);
}

static double exact_velocity(int y, double t) {
  return mean_speed * parabola(y) + creal(profile(y) * cexp(2 * HT_PI * I * t / PERIOD));
}

static void make_driven(ht_lattice_port port[2], ht_box *box) {
  set_ports(port);
  for (int i = 0; i < NODES; i++) {
    speed[i] = mean_speed * parabola(i % ACROSS);
    speed[NODES + i] = creal(profile(i % ACROSS));
    speed[2 * NODES + i] = cimag(profile(i % ACROSS));
  }
  port[0].kind = HT_PORT_VELOCITY;
  port[0].modes = 3;
  port[0].speed_lu = speed;
  ht_lattice_setup setup = {.precision = HT_FP64, .port = port, .drive = drive_velocity};
  make_box(&setup, box);
}

static void test_modes(void **unused) {
  (void)unused;
  ht_lattice_port port[2];
  ht_box box;
  double flow[2];
  make_driven(port, &box);
  assert_int_equal(ht_lattice_step(box.lattice, SETTLE * PERIOD), HT_OK);
  double error = compare(&box, SETTLE * PERIOD, exact_velocity);
  print_message("three modes of velocity: %.2f %% off\n", 100 * error);
  assert_true(error < 0.02);
  assert_int_equal(ht_lattice_port_flow(box.lattice, flow), HT_OK);
  assert_int_equal(ht_lattice_scale_inflow(box.lattice, 0, 1.1), HT_OK);
  double before = flow[0];
  assert_int_equal(ht_lattice_step(box.lattice, PERIOD), HT_OK);
  assert_int_equal(ht_lattice_port_flow(box.lattice, flow), HT_OK);
  assert_near(flow[0] / before, 1.1, 0.002); /* every mode is scaled */
  ht_box_free(&box);
}

/* ---- what is refused ---- */

static void refused(ht_lattice_setup *setup) {
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_grid grid = ht_grid_make(LENGTH, ACROSS, DEPTH);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  memset(mask.inside, 1, (size_t)ht_grid_voxels(&grid));
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  setup->tiling = &tiling;
  setup->tau = tau;
  assert_int_equal(ht_lattice_create(setup, &lattice), HT_ERR_USAGE);
  assert_null(lattice);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void test_refused(void **unused) {
  (void)unused;
  ht_lattice_port port[2];
  ht_lattice_setup setup = {.ports = 2, .port = port};
  set_ports(port);
  port[0].modes = 1;
  refused(&setup); /* no drive */
  setup.drive = drive_pressure;
  port[0].modes = 2;
  refused(&setup); /* a pressure has one */
  /* The second port goes around the corner of the first and is driven by itself. */
  port[0].modes = port[1].modes = 1;
  port[1].axis = 2;
  port[1].inward = 1;
  port[1].nodes = 1;
  port[1].voxel = port[0].voxel;
  refused(&setup);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pressure), cmocka_unit_test(test_modes),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
