/* The loss of a sponge: its fit, and where it is used beyond the flows of the fit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sponge_loss.h"
#include <math.h>

/* The filtered flow has settled after these updates. */
enum { MANY = 100 };

static double settled_loss(ht_outlet_state *outlet, double flow_m3_s) {
  double loss_pa = 0;
  for (int k = 0; k < MANY; k++) loss_pa = ht_sponge_loss_follow(outlet, flow_m3_s);
  return loss_pa;
}

/* A loss of 3 q + 2 q |q|, fitted to flows from -1 to 2. */
static ht_outlet_state fitted(void) {
  ht_outlet_state outlet = {.is_plain = 1};
  ht_sponge_sums *sums = &outlet.sums;
  ht_domain domain = {.ports = 1};
  ht_solve_run run = {.domain = &domain, .outlet = {&outlet}};
  for (int k = -10; k <= 20; k++) {
    double q = 0.1 * k, steep = q * fabs(q), loss = 3 * q + 2 * steep;
    sums->flow2 += q * q, sums->mixed += q * steep, sums->flow4 += steep * steep;
    sums->loss += loss * q, sums->loss_steep += loss * steep;
    sums->most_m3_s = fmax(sums->most_m3_s, fabs(q));
  }
  ht_sponge_loss_fit(&run, 0);
  return outlet;
}

static void test_fit(void **unused) {
  (void)unused;
  ht_outlet_state outlet = fitted();
  assert_true(fabs(settled_loss(&outlet, 1) - 5) < 1e-9);
  assert_true(fabs(settled_loss(&outlet, -0.5) + 2) < 1e-9);
}

/* A larger loss than any that was seen would drive the flow up further: a coarse aorta with
 * Windkessels blew up in its second beat. */
static void test_no_more_than_was_seen(void **unused) {
  (void)unused;
  ht_outlet_state outlet = fitted();
  assert_true(fabs(settled_loss(&outlet, 2) - 14) < 1e-9);
  assert_true(fabs(settled_loss(&outlet, 5) - 14) < 1e-9);
  assert_true(fabs(settled_loss(&outlet, -5) + 14) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit),
                                     cmocka_unit_test(test_no_more_than_was_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
