/* Flow past a cylinder in a channel, cases 2D-1 (steady, Re 20) and 2D-2 (vortices, Re 100) of
 * Schafer & Turek, Notes Numer. Fluid Mech. 52 (1996) 547: drag, lift and Strouhal number. The
 * channel is 22 x 4.1 diameters, the cylinder's centre at (2, 2). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "plane_box.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  int diameter;
  double mean; /* velocity of the inflow */
  plane_box box;
  ht_plane *plane;
} channel;

static channel make_channel(int diameter, double reynolds, double mean, int64_t ramp) {
  int nx = 22 * diameter, ny = 41 * diameter / 10;
  channel made = {diameter, mean, plane_box_make(nx, ny), NULL};
  double *profile = calloc((size_t)ny, 2 * sizeof(double));
  ht_plane_port port[2] = {plane_box_port(&made.box, 0, HT_PORT_VELOCITY),
                           plane_box_port(&made.box, 1, HT_PORT_PRESSURE)};
  ht_plane_setup setup = plane_box_setup(&made.box, 0.5 + 3 * mean * diameter / reynolds);
  for (int i = 0; i < nx * ny; i++)
    if (hypot(i % nx + 0.5 - 2 * diameter, i / nx + 0.5 - 2 * diameter) < 0.5 * diameter)
      made.box.mask[i] = 0;
  for (int y = 0; y < ny; y++) profile[2 * y] = 6 * mean * (y + 0.5) * (ny - y - 0.5) / ny / ny;
  port[0].profile_lu = profile;
  setup.threads = 0; /* all */
  setup.precision = HT_FP32;
  setup.collision = HT_MRT;
  setup.ramp_steps = ramp;
  setup.ports = 2;
  setup.port = port;
  if (ht_plane_create(&setup, &made.plane) != HT_OK) fail_msg("%s", ht_error_message());
  free(profile);
  return made;
}

static void free_channel(channel *channel) {
  ht_plane_free(channel->plane);
  plane_box_free(&channel->box);
}

/* Drag and lift coefficient. */
static void measure(const channel *channel, double coefficient[2]) {
  int d = channel->diameter, box[4] = {d, d, 3 * d, 3 * d};
  assert_int_equal(ht_plane_force(channel->plane, box, coefficient), HT_OK);
  for (int a = 0; a < 2; a++) coefficient[a] *= 2 / (channel->mean * channel->mean * d);
}

/* A staircase is a cylinder to about a spacing, and in a channel the forces go about with the
 * square of the diameter: what they may be off by. */
static double staircase(const channel *channel) {
  return 2.0 / channel->diameter;
}

/* Published: drag 5.57 to 5.59, lift 0.0104 to 0.0110. */
static void test_steady(void **unused) {
  (void)unused;
  channel flow = make_channel(20, 20, 0.03, 4000);
  ht_lattice_monitor monitor;
  double coefficient[2];
  do {
    assert_int_equal(ht_plane_step(flow.plane, 2000), HT_OK);
    assert_int_equal(ht_plane_watch(flow.plane, &monitor), HT_OK);
    assert_true(monitor.max_speed < 0.1);
    assert_true(monitor.step < 400000);
  } while (monitor.change > 1e-8 || monitor.step < 20000);
  measure(&flow, coefficient);
  print_message("Re 20: drag %.4f, lift %.4f, %lld steps\n", coefficient[0], coefficient[1],
                (long long)monitor.step);
  assert_true(fabs(coefficient[0] / 5.58 - 1) < staircase(&flow));
  assert_true(fabs(coefficient[1] - 0.0107) < staircase(&flow) * coefficient[0]);
  free_channel(&flow);
}

/* Published: largest drag 3.22 to 3.24, largest lift 0.99 to 1.01, Strouhal number 0.295 to 0.305.
 */
static void test_vortices(void **unused) {
  (void)unused;
  enum { EVERY = 20 };
  channel flow = make_channel(20, 100, 0.05, 5000);
  double most[2] = {0}, coefficient[2], last = 0, first_rise = -1, rise = -1;
  int rises = 0;
  for (int64_t step = EVERY; rises < 11; step += EVERY) {
    assert_int_equal(ht_plane_step(flow.plane, EVERY), HT_OK);
    measure(&flow, coefficient);
    assert_true(fabs(coefficient[1]) < 3 && step < 400000);
    if (step > 40000) {
      for (int a = 0; a < 2; a++) most[a] = fmax(most[a], coefficient[a]);
      if (last < 0 && coefficient[1] >= 0) { /* ten whole periods */
        rise = (double)step - EVERY * coefficient[1] / (coefficient[1] - last);
        if (rises++ == 0) first_rise = rise;
      }
    }
    last = coefficient[1];
  }
  double strouhal = 10 * flow.diameter / (flow.mean * (rise - first_rise));
  print_message("Re 100: drag %.4f, lift %.4f, Strouhal %.4f\n", most[0], most[1], strouhal);
  assert_true(fabs(most[0] / 3.23 - 1) < staircase(&flow));
  assert_true(fabs(most[1] / 1.0 - 1) < staircase(&flow));
  assert_true(strouhal >= 0.29 && strouhal <= 0.31);
  free_channel(&flow);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steady),
                                     cmocka_unit_test(test_vortices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
