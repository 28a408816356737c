/* The correction of flow along a diagonal of the lattice (diagonal.h), against the theory of the
 * error that it corrects. With "gpu" as argument on the CUDA backend. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "chosen_device.h"
#include "nodes.h"
#include "voxel_fields.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double low_tau = 0.5024;
static ht_device device;

static ht_lattice_setup setup_of(double tau, int corrects) {
  return (ht_lattice_setup){.tau = tau,
                            .precision = HT_FP64,
                            .collision = HT_CUMULANT,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .device = device,
                            .threads = 1,
                            .periodic = {1, 1, 1},
                            .corrects_diagonals = corrects};
}

/* ---- the differences ---- */

/* w = x^3: a sixfold of its third derivative over 2. */
static void test_differences(void **unused) {
  (void)unused;
  const double cube[5] = {-8, -1, 0, 1, 8}, wall[5] = {-8, -1, 0, 0, 0};
  const double factor = diagonal_factor_f64(1 / 0.6);
  assert_true(fabs(factor - (1.0 / 6 - 0.02)) < 1e-15);
  assert_true(fabs(diagonal_force_f64(cube, 0, 0, factor) - 3 * factor) < 1e-15);
  assert_true(fabs(diagonal_force_f64(cube, 0, 1, factor) - 3 * factor) < 1e-15);
  assert_true(fabs(diagonal_force_f64(cube, 1, 0, factor) - 3 * factor) < 1e-15);
  assert_true(fabs(diagonal_force_f64(wall, 0, 1, factor) - 2.5 * factor) < 1e-15);
  assert_true(diagonal_force_f64(cube, 1, 1, factor) == 0);
  assert_true(fabs(carry_on_f64(2, 1, 0) - 3) < 1e-15); /* a line is carried on */
  assert_true(fabs(carry_on_f64(1, -1, 1)) < 1e-15);    /* a zigzag is not */
}

/* ---- a wave that the flow carries along itself ---- */

enum { WAVE = 12 }; /* nodes along x and y: 8.5 along the diagonal */

typedef struct {
  double speed, amplitude, viscosity;
} wave;

/* speed along (1, 1, 0), and amplitude sin k.x along (1, -1, 0). */
static void wave_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const wave *w = data;
  double k = 2 * HT_PI / WAVE, phase = k * (voxel[0] + voxel[1]), part = sqrt(0.5);
  double across = part * w->amplitude * sin(phase);
  flow->velocity[0] = part * w->speed + across;
  flow->velocity[1] = part * w->speed - across;
  flow->stress[0] = 2 * w->viscosity * part * w->amplitude * k * cos(phase);
  flow->stress[1] = -flow->stress[0];
}

static double complex coefficient(const ht_box *box) {
  double *state = ht_read_voxels(box->lattice, &box->tiling);
  double complex sum = 0;
  for (int64_t v = 0; v < 4 * WAVE * WAVE; v++) {
    int at[3];
    ht_voxel_place(box->tiling.dim, v, at);
    sum += (state[4 * v + 1] - state[4 * v + 2]) * cexp(-2 * HT_PI / WAVE * (at[0] + at[1]) * I);
  }
  free(state);
  return sum;
}

/* Speed of the wave over that of the flow, less 1; *viscosity: over what was asked for. */
static double watch_wave(double speed, int corrects, double *viscosity) {
  enum { SETTLING = 100, STEPS = 400 };
  ht_box box;
  ht_lattice_setup setup = setup_of(low_tau, corrects);
  wave w = {speed, 1e-4, (low_tau - 0.5) / 3};
  double k = 2 * HT_PI / WAVE * sqrt(2);
  ht_box_make((int[3]){WAVE, WAVE, 4}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, wave_at, &w);
  assert_int_equal(ht_lattice_step(box.lattice, SETTLING), HT_OK);
  double complex first = coefficient(&box);
  assert_int_equal(ht_lattice_step(box.lattice, STEPS), HT_OK);
  double complex ratio = coefficient(&box) / first;
  ht_box_free(&box);
  double turned = -carg(ratio), expected = k * speed * STEPS;
  turned += 2 * HT_PI * round((expected - turned) / (2 * HT_PI));
  *viscosity = -log(cabs(ratio)) / (k * k * STEPS) / w.viscosity;
  return turned / expected - 1;
}

/* Without the correction k_x^2 / 12 too slow. */
static void test_wave(void **unused) {
  (void)unused;
  const double error = -pow(2 * HT_PI / WAVE, 2) / 12;
  for (int fast = 0; fast < 2; fast++) {
    double speed = fast ? 0.1 : 0.05, viscosity[2], off[2];
    for (int corrects = 0; corrects < 2; corrects++)
      off[corrects] = watch_wave(speed, corrects, &viscosity[corrects]);
    print_message("wave, U %.2f: speed off by %.2f %% (theory %.2f %%), corrected by %.2f %%; "
                  "viscosity %.4f, corrected %.4f\n",
                  speed, 100 * off[0], 100 * error, 100 * off[1], viscosity[0], viscosity[1]);
    assert_true(fabs(off[0] - error) < 0.001);
    assert_true(fabs(off[1]) < 0.004);
    assert_true(fabs(viscosity[1] / viscosity[0] - 1) < 0.015);
  }
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_differences),
      cmocka_unit_test(test_wave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
