/* A turned or mirrored vessel has the turned or mirrored flow: all 48 symmetries of the cube, with
 * ports and a sliding wall. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/ported_vessel.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <float.h>
#include <stdlib.h>

enum { STEPS = 60 };
static ht_device device;
static int corrects; /* diagonals, with cumulants */

static double *run(const ht_turn *turn, ht_ported_vessel *vessel, int model,
                   ht_precision precision) {
  ht_tiling tiling;
  ht_lattice_setup setup = {.precision = precision, .device = device, .threads = 1};
  ht_set_model(&setup, model);
  setup.corrects_diagonals = corrects;
  ht_ported_vessel_make(turn, vessel);
  assert_int_equal(ht_tiling_build(&vessel->mask, NULL, &tiling), HT_OK);
  double *state = ht_ported_vessel_run(vessel, &tiling, &setup, STEPS);
  ht_tiling_free(&tiling);
  return state;
}

static int is_solid(const double state[4]) {
  return state[0] == 0 && state[1] == 0 && state[2] == 0 && state[3] == 0;
}

/* Largest difference of the velocity, and of the density over the speed of sound squared, to the
 * turned `straight`; `size`: the largest velocity. Checks that solid voxels are the same. */
static double compare(const ht_turn *turn, const int dim[3], const double *straight,
                      const int turned_dim[3], const double *turned, double *size) {
  double most = 0;
  *size = 0;
  for (int64_t v = 0; v < (int64_t)dim[0] * dim[1] * dim[2]; v++) {
    int at[3], to[3];
    double expected[3];
    ht_voxel_place(dim, v, at);
    ht_turn_voxel(turn, dim, at, to);
    ht_turn_vector(turn, straight + 4 * v + 1, expected);
    int64_t there = to[0] + turned_dim[0] * (to[1] + (int64_t)turned_dim[1] * to[2]);
    most = fmax(most, fabs(turned[4 * there] - straight[4 * v]) / 3);
    assert_int_equal(is_solid(turned + 4 * there), is_solid(straight + 4 * v));
    for (int a = 0; a < 3; a++) {
      most = fmax(most, fabs(turned[4 * there + 1 + a] - expected[a]));
      *size = fmax(*size, fabs(expected[a]));
    }
  }
  return most;
}

/* Checks one of `every` of the 48. */
static void check_model(int model, ht_precision precision, int every) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  const ht_turn none = {{0, 1, 2}, {1, 1, 1}};
  double epsilon = precision == HT_FP64 ? DBL_EPSILON : FLT_EPSILON, worst = 0, size = 0;
  ht_ported_vessel straight;
  double *first = run(&none, &straight, model, precision);
  for (int i = 0; i < 48; i += every) {
    ht_turn turn = none;
    for (int a = 0; a < 3; a++) {
      turn.order[a] = orders[i / 8][a];
      turn.sign[a] = (i >> a) & 1 ? -1 : 1;
    }
    ht_ported_vessel turned;
    double *state = run(&turn, &turned, model, precision);
    worst = fmax(worst,
                 compare(&turn, straight.mask.grid.dim, first, turned.mask.grid.dim, state, &size));
    ht_ported_vessel_free(&turned);
    free(state);
  }
  print_message("%s %s: %.1e of the largest velocity, %.1f epsilon\n", ht_model_name(model),
                ht_precision_name(precision), worst / size, worst / size / epsilon);
  assert_near(size, 0.06, 0.05); /* a flow that would show a mistake */
  assert_near(worst / size, 0, STEPS * epsilon);
  ht_ported_vessel_free(&straight);
  free(first);
}

static void test_turned_flow(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++)
    check_model(model, model % 2 ? HT_FP32 : HT_FP64, 1);
}

static void test_turned_correction(void **unused) {
  (void)unused;
  corrects = 1;
  check_model(HT_MODEL_CUMULANT, HT_FP64, 7);
  corrects = 0;
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turned_flow),
                                     cmocka_unit_test(test_turned_correction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
