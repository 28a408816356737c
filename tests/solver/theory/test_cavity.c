/* Lid-driven cavities against published velocities; the cube at Re 100 and 400, for which there are
 * none here, against itself on finer grids. The errors are those of cavity_reference.h: relative,
 * in the L2 norm over the published points.
 *
 * Arguments: "gpu": on the CUDA backend; "long": Re 100, 400 and 1000 at 64 to 128 nodes a side, in
 * place of Re 100 at 8 to 32 (minutes on a GPU, hours on a CPU). */
#include "tests/check.h"
#include "validation/runs/cavity_run.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>

static ht_device device;

static ht_cavity cavity_of(ht_cavity_kind kind, int n, int reynolds, double lid_speed, int model,
                           ht_precision precision) {
  return (ht_cavity){.kind = kind,
                     .n = n,
                     .reynolds = reynolds,
                     .lid_speed = lid_speed,
                     .collision = HT_MODEL_COLLISION(model),
                     .compressibility = HT_MODEL_COMPRESSIBILITY(model),
                     .precision = precision};
}

static ht_cavity_flow run(ht_cavity cavity) {
  ht_cavity_flow flow;
  cavity.device = device;
  cavity.threads = 1;
  if (ht_cavity_run(&cavity, &flow) != HT_OK) fail_msg("%s", ht_error_message());
  print_message("%s, Re %d, %d nodes, lid %.4f, tau %.4f, %s, %s: %lld steps, changes by %.1e\n",
                cavity.kind == HT_CAVITY_CUBE ? "cube" : "plane", cavity.reynolds, cavity.n,
                cavity.lid_speed, flow.tau,
                ht_model_name(HT_MODEL(cavity.collision, cavity.compressibility)),
                ht_precision_name(cavity.precision), (long long)flow.steps, flow.change);
  assert_true(flow.change < 1e-5);
  return flow;
}

/* ---- against what is published ---- */

typedef struct {
  double u, v, extremes; /* relative */
} bars;

static double relative(double got, double expected) {
  return fabs(got / expected - 1);
}

static void check_extremes(const ht_cavity_plane *plane, int reynolds, double bar) {
  ht_cavity_extremes got, known;
  if (!ht_cavity_known_extremes(reynolds, &known)) return;
  ht_cavity_find_extremes(plane, &got);
  double error =
      fmax(relative(got.u_least, known.u_least),
           fmax(relative(got.v_most, known.v_most), relative(got.v_least, known.v_least)));
  print_message("  extremes %.5f %.5f %.5f, off by %.4f and less\n", got.u_least, got.v_most,
                got.v_least, error);
  assert_true(error <= bar);
}

static void check(ht_cavity cavity, bars bar) {
  ht_cavity_error error;
  ht_cavity_flow flow = run(cavity);
  assert_int_equal(ht_cavity_compare(&flow.plane, cavity.kind, cavity.reynolds, &error), HT_OK);
  assert_true(error.points > 0);
  print_message("  error of u %.4f, of v %.4f, at most %.4f of the lid's speed\n", error.u, error.v,
                error.most);
  assert_true(error.u <= bar.u);
  assert_true(error.v <= bar.v);
  if (cavity.kind == HT_CAVITY_PLANE) check_extremes(&flow.plane, cavity.reynolds, bar.extremes);
  ht_cavity_free(&flow);
}

static void test_plane_coarse(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++)
    check(cavity_of(HT_CAVITY_PLANE, 32, 100, 0.1, model, model % 2 ? HT_FP32 : HT_FP64),
          (bars){0.015, 0.04, 0.02});
}

static void test_plane(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model += 2)
    for (int p = HT_FP32; p <= HT_FP64; p++) {
      check(cavity_of(HT_CAVITY_PLANE, 128, 100, 0.05, model, (ht_precision)p),
            (bars){0.015, 0.035, 0.005});
      check(cavity_of(HT_CAVITY_PLANE, 128, 400, 0.05, model, (ht_precision)p),
            (bars){0.015, 0.02, 0});
      check(cavity_of(HT_CAVITY_PLANE, 128, 1000, 0.05, model, (ht_precision)p),
            (bars){0.03, 0.04, 0.01});
    }
}

static void test_cube(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model += 2) {
    check(cavity_of(HT_CAVITY_CUBE, 64, 1000, 0.1, model, HT_FP64), (bars){0.05, 0.05, 0});
    for (int p = HT_FP32; p <= HT_FP64; p++)
      check(cavity_of(HT_CAVITY_CUBE, 128, 1000, 0.05, model, (ht_precision)p),
            (bars){0.02, 0.02, 0});
  }
}

/* ---- against finer grids ---- */

/* Three numbers of nodes in one ratio, with the lid's speed in proportion to 1/n, so that tau
 * stays: what a spacing r times smaller changes falls to 1/r^2 at second order. The corners, where
 * the lid meets the walls, are singular. */
static void check_order(const int n[3], int reynolds, int model, ht_precision precision,
                        double least_order) {
  ht_cavity_flow flow[3];
  assert_int_equal(n[1] * n[1], n[0] * n[2]);
  for (int i = 0; i < 3; i++)
    flow[i] = run(cavity_of(HT_CAVITY_CUBE, n[i], reynolds, 1.6 / n[i], model, precision));
  double coarse = ht_cavity_apart(&flow[0].plane, &flow[1].plane);
  double fine = ht_cavity_apart(&flow[1].plane, &flow[2].plane);
  double ratio = (double)n[1] / n[0], order = log(coarse / fine) / log(ratio);
  print_message("  a spacing %.1f times smaller changes %.2e, then %.2e of the lid's speed: order "
                "%.2f\n",
                ratio, coarse, fine, order);
  assert_true(order >= least_order);
  for (int i = 0; i < 3; i++) ht_cavity_free(&flow[i]);
}

static void test_cube_order_coarse(void **unused) {
  (void)unused;
  check_order((int[3]){8, 12, 18}, 100, 0, HT_FP64, 1.7);
}

static void test_cube_order(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model += 2) {
    check_order((int[3]){24, 48, 96}, 100, model, HT_FP64, 1.7);
    check_order((int[3]){32, 64, 128}, 400, model, HT_FP64, 1.7);
  }
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plane_coarse),
      cmocka_unit_test(test_cube_order_coarse),
  };
  const struct CMUnitTest long_tests[] = {
      cmocka_unit_test(test_plane),
      cmocka_unit_test(test_cube_order),
      cmocka_unit_test(test_cube),
  };
  if (ht_has_argument(argc, argv, "long")) return cmocka_run_group_tests(long_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
