/* Flow past a cylinder in a channel, cases 2D-1 (steady, Re 20) and 2D-2 (vortices, Re 100) of
 * Schafer & Turek, Notes Numer. Fluid Mech. 52 (1996) 547: drag, lift and Strouhal number. The
 * channel is 22 x 4.1 diameters, the cylinder's centre at (2, 2). */
#include "tests/check.h"
#include "bench/papers/plane_flows/plane_cylinder.h"

enum { ACROSS = 20 };

/* The error allowed for the staircase: its diameter is right to about a spacing, and in a channel
 * the forces are about proportional to the square of the diameter. */
static const double staircase = 2.0 / ACROSS;

static ht_plane_cylinder cylinder_of(double reynolds, double mean, int64_t ramp_steps) {
  return (ht_plane_cylinder){.diameter = ACROSS,
                             .reynolds = reynolds,
                             .mean = mean,
                             .ramp_steps = ramp_steps,
                             .precision = HT_FP32,
                             .device = HT_DEVICE_CPU};
}

static void expect(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* Published: drag 5.57 to 5.59, lift 0.0104 to 0.0110, length of recirculation 0.842 to 0.852. */
static void test_steady(void **unused) {
  (void)unused;
  const ht_plane_cylinder cylinder = cylinder_of(20, 0.03, 4000);
  ht_plane_cylinder_flow flow;
  double coefficient[2];
  int64_t steps;
  expect(ht_plane_cylinder_begin(&cylinder, &flow));
  expect(ht_plane_cylinder_settle(&cylinder, &flow, &steps));
  expect(ht_plane_cylinder_force(&cylinder, &flow, coefficient));
  double bubble = ht_plane_cylinder_bubble(&cylinder, &flow);
  print_message("Re 20: drag %.4f, lift %.4f, wake %.3f, %lld steps\n", coefficient[0],
                coefficient[1], bubble, (long long)steps);
  assert_near(coefficient[0] / 5.58, 1, staircase);
  assert_near(coefficient[1], 0.0107, staircase * coefficient[0]);
  assert_near(bubble / 0.847, 1, staircase);
  ht_plane_cylinder_free(&flow);
}

/* Published: largest drag 3.22 to 3.24, largest lift 0.99 to 1.01, Strouhal number 0.295 to 0.305.
 */
static void test_vortices(void **unused) {
  (void)unused;
  const ht_plane_cylinder cylinder = cylinder_of(100, 0.05, 5000);
  ht_plane_cylinder_flow flow;
  ht_plane_cylinder_wake wake;
  expect(ht_plane_cylinder_begin(&cylinder, &flow));
  expect(ht_plane_cylinder_shed(&cylinder, &flow, &wake));
  print_message("Re 100: drag %.4f, lift %.4f, Strouhal %.4f\n", wake.drag, wake.lift,
                wake.strouhal);
  assert_near(wake.drag / 3.23, 1, staircase);
  assert_near(wake.lift / 1.0, 1, staircase);
  assert_true(wake.strouhal >= 0.29 && wake.strouhal <= 0.31);
  ht_plane_cylinder_wake_free(&wake);
  ht_plane_cylinder_free(&flow);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steady),
                                     cmocka_unit_test(test_vortices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
