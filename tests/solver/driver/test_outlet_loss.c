/* The loss between the vessel's end and an outlet's port: its fit, where it is used beyond the
 * flows of the fit, what a steady flow takes, and the first guess on a finer lattice. */
#include "tests/check.h"
#include "solver/run/ports/outlet_loss.h"

/* The filtered flow has settled after these updates. */
enum { MANY = 100 };

static double settled_loss(ht_outlet_state *outlet, double flow_m3_s) {
  double loss_pa = 0;
  for (int k = 0; k < MANY; k++) loss_pa = ht_outlet_loss_follow(outlet, flow_m3_s);
  return loss_pa;
}

/* A loss of 3 q + 2 q |q|, fitted to flows from -1 to 2. */
static ht_outlet_state fitted(double more_pa, int whole) {
  ht_outlet_state outlet = {.is_plain = 1};
  ht_loss_sums *sums = &outlet.sums;
  ht_outlet_states outlets = {.ports = 1, .of = {&outlet}};
  for (int k = -10; k <= 20; k++) {
    double q = 0.1 * k, steep = q * fabs(q), loss = 3 * q + 2 * steep;
    sums->moments += 1, sums->flow += q, sums->steep += steep, sums->plain += loss;
    sums->flow2 += q * q, sums->mixed += q * steep, sums->flow4 += steep * steep;
    sums->loss += loss * q, sums->loss_steep += loss * steep;
    sums->most_m3_s = fmax(sums->most_m3_s, fabs(q));
  }
  sums->plain += more_pa * sums->moments;
  ht_outlet_loss_fit(0, whole, &outlets);
  return outlet;
}

static void test_fit(void **unused) {
  (void)unused;
  ht_outlet_state outlet = fitted(0, MANY);
  assert_near(settled_loss(&outlet, 1), 5, 1e-9);
  assert_near(settled_loss(&outlet, -0.5) + 2, 0, 1e-9);
}

/* A larger loss than any that was seen would drive the flow up further: a coarse aorta with
 * Windkessels blew up in its second beat. */
static void test_no_more_than_was_seen(void **unused) {
  (void)unused;
  ht_outlet_state outlet = fitted(0, MANY);
  assert_near(settled_loss(&outlet, 2), 14, 1e-9);
  assert_near(settled_loss(&outlet, 5), 14, 1e-9);
  assert_near(settled_loss(&outlet, -5) + 14, 0, 1e-9);
}

/* The rest of the mean after a fit is a loss where the moments are those of a whole beat. */
static void test_mean_of_a_beat(void **unused) {
  (void)unused;
  ht_outlet_state outlet = fitted(7, MANY);
  assert_near(settled_loss(&outlet, 1), 5, 1e-9);
  outlet = fitted(7, 31);
  assert_near(settled_loss(&outlet, 1), 12, 1e-9);
}

/* Loss of 3 q + 5 r, r the rate: 3 q remains without the inertia. */
static double loss_of_part(double guess, double coarse) {
  ht_outlet_state outlet = {.is_plain = 1, .loss = {guess, 1}, .loss_coarse = coarse};
  ht_outlet_states outlets = {.ports = 1, .of = {&outlet}};
  const ht_units units = {.dx_m = 1, .dt_s = 1, .density_kg_m3 = 1};
  for (int k = 0; k < 7; k++) {
    const double q = sin(0.25 * k), rate = cos(0.25 * k), end_pa = 3 * q + 5 * rate, port_pa = 0;
    const double flow_lu = -ht_units_flow_lu(&units, q);
    ht_outlet_loss_add(&units, &flow_lu, rate, &end_pa, &port_pa, &outlets);
  }
  ht_outlet_loss_fit_part(&outlets);
  assert_true(outlet.sums.moments == 0);
  assert_true(outlet.loss[1] == (outlet.loss[0] == guess));
  return outlet.loss[0];
}

static void test_part_of_a_beat(void **unused) {
  (void)unused;
  assert_near(loss_of_part(2, 4), 3, 1e-9);
  assert_true(loss_of_part(3.5, 4) == 3.5 && loss_of_part(2, 2.5) == 2);
}

/* An outlet's port in a steady flow gets what is missing at the vessel's end: at once where it is
 * the only one, as this changes nothing on the lattice. */
static void test_hold(void **unused) {
  (void)unused;
  ht_outlet_state outlet[2] = {{.is_plain = 1, .pressure_pa = 50, .port_pa = 50},
                               {.is_plain = 1, .pressure_pa = 20, .port_pa = 20}};
  const double end_pa[3] = {90, 58, 17}, port_pa[3] = {99, 50, 20};
  ht_outlet_states outlets = {.ports = 3, .of = {NULL, &outlet[0], &outlet[1]}};
  assert_near(ht_outlet_loss_off(&outlets, end_pa), 8.0 / (90 - 17), 1e-12);
  ht_outlet_loss_hold(end_pa, port_pa, 1, &outlets);
  assert_true(outlet[0].port_pa == 50);
  assert_near(settled_loss(&outlet[0], 1), 8, 1e-9);
  assert_near(settled_loss(&outlet[1], 1) + 3, 0, 1e-9);
  ht_outlet_loss_hold((double[]){90, 60, 17}, port_pa, 0.5, &outlets);
  assert_near(settled_loss(&outlet[0], 1), 9, 1e-9);
  outlets.ports = 2;
  assert_true(ht_outlet_loss_off(&outlets, end_pa) == 0);
  ht_outlet_loss_hold(end_pa, port_pa, 1, &outlets);
  assert_near(outlet[0].port_pa, 42, 1e-9);
}

/* The part of a loss that goes with the flow changes with the spacing at the port, by what is above
 * the friction of 10 mm of a pipe of 1 mm2; a smaller one stays. */
static void test_refine(void **unused) {
  (void)unused;
  const double friction = 8 * HT_PI * 4e-3 * 0.01 / 1e-12;
  const double from_mm[] = {2, 1, 0.5}, refined[] = {2, 3, 5};
  int64_t node = 10;
  ht_domain domain = {.ports = 1, .mask.grid = ht_grid_make(11, 1, 1)}; /* 1 mm */
  domain.port[0] = (ht_port){.opening.area_mm2 = 1, .nodes = 1, .node = &node};
  for (int i = 0; i < 3; i++) {
    ht_outlet_state outlet = {.loss = {3 * friction, 5}, .offset_pa = 6};
    ht_outlet_states outlets = {.ports = 1, .of = {&outlet}};
    ht_outlet_loss_refine(&domain, from_mm[i], 4e-3, &outlets);
    assert_near(outlet.loss[0] / friction, refined[i], 1e-9);
    assert_true(outlet.loss[1] == 5 && outlet.offset_pa == 6);
    outlet.loss[0] = friction / 2;
    ht_outlet_loss_refine(&domain, from_mm[i], 4e-3, &outlets);
    assert_true(outlet.loss[0] == friction / 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit),
                                     cmocka_unit_test(test_no_more_than_was_seen),
                                     cmocka_unit_test(test_mean_of_a_beat),
                                     cmocka_unit_test(test_part_of_a_beat),
                                     cmocka_unit_test(test_hold),
                                     cmocka_unit_test(test_refine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
