/* The correction of flow along a diagonal of the lattice (diagonal.h), against the theory of the
 * error that it corrects. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "phantom/geometry.h"
#include "solver/kernels/nodes.h"
#include "solver/kernels/start_noise.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include <complex.h>
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
  assert_near(factor, (1.0 / 6 - 0.02), 1e-15);
  assert_near(diagonal_force_f64(cube, 0, 0, factor), 3 * factor, 1e-15);
  assert_near(diagonal_force_f64(cube, 0, 1, factor), 3 * factor, 1e-15);
  assert_near(diagonal_force_f64(cube, 1, 0, factor), 3 * factor, 1e-15);
  assert_near(diagonal_force_f64(wall, 0, 1, factor), 2.5 * factor, 1e-15);
  assert_true(diagonal_force_f64(cube, 1, 1, factor) == 0);
  assert_near(carry_on_f64(2, carry_earlier_f64(1, 0)), 3, 1e-15);  /* a line is carried on */
  assert_near(carry_on_f64(1, carry_earlier_f64(-1, 1)), 0, 1e-15); /* a zigzag is not */
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

/* Speed of the wave over that of the flow, less 1; *viscosity: over the prescribed one. */
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

/* The wave without the correction is k_x^2 / 12 too slow. */
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
    assert_near(off[0], error, 0.001);
    assert_near(off[1], 0, 0.004);
    assert_near(viscosity[1] / viscosity[0], 1, 0.015);
  }
}

/* ---- a jet ---- */

enum { BOX = 40, DEPTH = 28 };
static const double radius = 6, edge = 2;

/* Flow of a round jet along (1, 1, 0), of a periodic array of them, as a function of the distance
 * from its axis. */
static void jet_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const double *speed = data, part = sqrt(0.5), apart = BOX;
  double along_x = voxel[0] - voxel[1] + 0.5;
  along_x -= apart * round(along_x / apart);
  double r = hypot(part * along_x, voxel[2] - 0.5 * (DEPTH - 1));
  flow->velocity[0] = flow->velocity[1] = part * *speed * 0.5 * (1 - tanh((r - radius) / edge));
}

/* Largest speed across the jet over its own after 400 steps. */
static double watch_jet(int corrects) {
  double speed = 0.1, most = 0;
  ht_box box;
  ht_lattice_setup setup = setup_of(low_tau, corrects);
  setup.precision = HT_FP32;
  ht_box_make((int[3]){BOX, BOX, DEPTH}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, jet_at, &speed);
  assert_int_equal(ht_lattice_step(box.lattice, 400), HT_OK);
  double *state = ht_read_voxels(box.lattice, &box.tiling);
  for (int64_t v = 0; v < BOX * BOX * DEPTH; v++)
    most = fmax(most, hypot(sqrt(0.5) * (state[4 * v + 1] - state[4 * v + 2]), state[4 * v + 3]));
  free(state);
  ht_box_free(&box);
  return most / speed;
}

static void test_jet(void **unused) {
  (void)unused;
  double plain = watch_jet(0), corrected = watch_jet(1);
  print_message("jet along a diagonal: speed across it %.1e of its own, corrected %.1e\n", plain,
                corrected);
  assert_true(plain > 8e-3 && corrected < 0.35 * plain);
}

/* ---- noise on a uniform flow ---- */

enum { SIDE = 16 };

static void noise_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const double *velocity = data;
  const uint64_t seed = 3 * (uint64_t)(voxel[0] + SIDE * (voxel[1] + SIDE * voxel[2]));
  for (int a = 0; a < 3; a++)
    flow->velocity[a] = velocity[a] + 1e-8 * ht_noise_at(seed + (uint64_t)a);
}

/* RMS deviation from the uniform flow. */
static double deviation(const ht_box *box, const double velocity[3]) {
  double *state = ht_read_voxels(box->lattice, &box->tiling), sum = 0;
  const int64_t nodes = SIDE * SIDE * 4;
  for (int64_t v = 0; v < nodes; v++)
    for (int a = 0; a < 3; a++) sum += pow(state[4 * v + 1 + a] - velocity[a], 2);
  free(state);
  return sqrt(sum / (double)nodes);
}

static void check_noise(const double velocity[3], const char *what) {
  ht_box box;
  ht_lattice_setup setup = setup_of(0.5005, 1);
  ht_box_make((int[3]){SIDE, SIDE, 4}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, noise_at, velocity);
  double first = deviation(&box, velocity);
  assert_int_equal(ht_lattice_step(box.lattice, 1000), HT_OK);
  double last = deviation(&box, velocity);
  print_message("noise on a flow of 0.15 %s: %.1e, after 1000 steps %.1e\n", what, first, last);
  assert_true(last < 0.5 * first);
  ht_box_free(&box);
}

static void test_noise(void **unused) {
  (void)unused;
  const double part = 0.15 * sqrt(0.5);
  check_noise((double[3]){0.15, 0, 0}, "along an axis");
  check_noise((double[3]){part, part, 0}, "along a diagonal");
}

/* ---- the rest ---- */

/* A state that is written replaces the velocities before it: twice from the same one is the same.
 */
static void test_written(void **unused) {
  (void)unused;
  enum { STEPS = 20, NODES = 4 * WAVE * WAVE };
  ht_box box;
  ht_lattice_setup setup = setup_of(low_tau, 1);
  wave w = {0.1, 1e-2, (low_tau - 0.5) / 3};
  double *state[2];
  ht_box_make((int[3]){WAVE, WAVE, 4}, &setup, &box);
  for (int k = 0; k < 2; k++) {
    ht_write_voxels(box.lattice, &box.tiling, wave_at, &w);
    assert_int_equal(ht_lattice_step(box.lattice, STEPS), HT_OK);
    state[k] = ht_read_voxels(box.lattice, &box.tiling);
  }
  assert_memory_equal(state[0], state[1], 4 * NODES * sizeof(double));
  free(state[0]);
  free(state[1]);
  ht_box_free(&box);
}

static void check_refused(ht_lattice_setup setup, const char *word) {
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice *lattice;
  assert_int_equal(ht_geometry_box((int[3]){4, 4, 4}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  setup.tiling = &tiling;
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), word));
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void test_refused(void **unused) {
  (void)unused;
  ht_lattice_setup setup = setup_of(low_tau, 1);
  setup.precision = HT_FP16;
  check_refused(setup, "fp16");
  setup = setup_of(low_tau, 1);
  setup.collision = HT_MRT;
  check_refused(setup, "cumulant");
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_differences), cmocka_unit_test(test_wave),
      cmocka_unit_test(test_jet),         cmocka_unit_test(test_noise),
      cmocka_unit_test(test_written),     cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
