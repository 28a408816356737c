/* run/network: a network's periodic beat against closed forms, and the network of a mask. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "run/network/vessel_network.h"
#include "solver/inflow/windkessel_fit.h"
#include <complex.h>
#include <string.h>

static const double mean_ml_s = 5, swing_ml_s = 4, period_s = 0.8;
static const ht_windkessel rcr = {1e8, 8e-9, 1e9, 0};
static ht_waveform inflow;
static ht_network network;
static ht_network_beat beat;

static void begin(void) {
  ht_harmonics series = {.period_s = period_s, .mean_ml_s = mean_ml_s, .harmonics = 1};
  series.cosine_ml_s[0] = swing_ml_s;
  assert_int_equal(ht_waveform_series(&series, &inflow), HT_OK);
  memset(&network, 0, sizeof network);
}

static void add(int before, const ht_windkessel *w) {
  ht_network_element *e = &network.element[network.elements++];
  *e = (ht_network_element){.before = before, .is_outlet = w != NULL};
  if (w) e->windkessel = *w;
}

/* The complex resistance of a Windkessel to the harmonic. */
static double _Complex impedance(const ht_windkessel *w) {
  const double omega = 2 * HT_PI / period_s;
  return w->proximal_pa_s_m3 +
         w->distal_pa_s_m3 / (1 + I * omega * w->distal_pa_s_m3 * w->compliance_m3_pa);
}

HT_TEST(test_one_windkessel) {
  ht_windkessel_beat lumped;
  begin();
  add(-1, &rcr);
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_OK);
  const double mean_pa = 1e-6 * mean_ml_s * (rcr.proximal_pa_s_m3 + rcr.distal_pa_s_m3);
  const double swing_pa = 1e-6 * swing_ml_s * cabs(impedance(&rcr));
  assert_near(beat.mean_pa, mean_pa, 1e-4 * mean_pa);
  assert_near(beat.systolic_pa, mean_pa + swing_pa, 0.01 * swing_pa);
  assert_near(beat.diastolic_pa, mean_pa - swing_pa, 0.01 * swing_pa);
  ht_windkessel_periodic(&inflow, &rcr, &lumped);
  assert_near(beat.start_pa[0], lumped.start_pa, 0.01 * swing_pa);
  assert_near(beat.rest_start_pa[0], lumped.rest_start_pa, 0.01 * swing_pa);
}

/* Outlets of one time constant divide the flow by their resistances at every moment. */
HT_TEST(test_two_outlets) {
  const ht_windkessel half = {2e8, 4e-9, 2e9, 0}, quarter = {4e8, 2e-9, 4e9, 0};
  begin();
  add(-1, NULL);
  add(0, &half);
  add(0, &quarter);
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_OK);
  assert_near(beat.flow_m3_s[1], 2e-6 * mean_ml_s / 3, 1e-12);
  assert_near(beat.flow_m3_s[2], 1e-6 * mean_ml_s / 3, 1e-12);
  assert_near(beat.rest_start_pa[1], beat.rest_start_pa[2], 1e-6 * beat.rest_start_pa[1]);
  const double pa = 1e-6 * mean_ml_s / (1 / 2.2e9 + 1 / 4.4e9);
  assert_near(beat.mean_pa, pa, 1e-4 * pa);
}

HT_TEST(test_a_vessel_before_it) {
  const double omega = 2 * HT_PI / period_s, r = 4e7, l = 5e7, k = 2e13;
  begin();
  add(-1, &rcr);
  network.element[0].friction_pa_s_m3 = r;
  network.element[0].inertance_pa_s2_m3 = l;
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_OK);
  const double swing_pa = 2e-6 * swing_ml_s * cabs(impedance(&rcr) + r + I * omega * l);
  assert_near(beat.systolic_pa - beat.diastolic_pa, swing_pa, 0.01 * swing_pa);
  const double without_pa = beat.mean_pa;
  network.element[0].loss_pa_s2_m6 = k; /* its mean: k (mean^2 + swing^2 / 2) */
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_OK);
  const double loss_pa = 1e-12 * k * (mean_ml_s * mean_ml_s + swing_ml_s * swing_ml_s / 2);
  assert_near(beat.mean_pa - without_pa, loss_pa, 0.01 * loss_pa);
}

/* A further inlet brings its share to its junction. */
HT_TEST(test_two_inlets) {
  begin();
  add(-1, NULL);
  add(0, &rcr);
  add(0, NULL);
  network.element[2].source_share = 0.3;
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_OK);
  assert_near(beat.flow_m3_s[0], 0.7e-6 * mean_ml_s, 1e-12);
  assert_near(beat.flow_m3_s[1], 1e-6 * mean_ml_s, 1e-12);
  network.elements = 0;
  assert_int_equal(ht_network_periodic(&network, &inflow, &beat), HT_ERR_INTERNAL);
}

enum { SIDE = 22, LENGTH = 60, MIDDLE = 30 };
static const double middle = 10.5, radius = 5;

/* A pipe along z, and one that leaves it along x. */
static void make_fork(ht_mask *mask) {
  const ht_grid grid = {.dim = {2 * SIDE, SIDE, LENGTH},
                        .spacing_mm = {1, 1, 1},
                        .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % (2 * SIDE)), y = (double)(v / (2 * SIDE) % SIDE),
           z = (double)(v / (2 * SIDE * SIDE));
    mask->inside[v] = (uint8_t)(hypot(x - middle, y - middle) < radius ||
                                (x > middle && hypot(y - middle, z - MIDDLE) < radius - 1));
  }
}

HT_TEST(test_the_network_of_a_mask) {
  const ht_network_blood blood = {1000, 0.004};
  const ht_openings openings = {
      .count = 3,
      .item = {
          {.role = HT_ROLE_INLET, .centre_mm = {10.5, 10.5, 0}, .radius_mm = 5, .flow_ml_s = 5},
          {.role = HT_ROLE_OUTLET, .centre_mm = {10.5, 10.5, LENGTH - 1}, .radius_mm = 5},
          {.role = HT_ROLE_OUTLET, .centre_mm = {2 * SIDE - 1, 10.5, MIDDLE}, .radius_mm = 4}}};
  const ht_throat throat = {.area_mm2 = 0};
  const double extensions[3] = {1, 0, 2};
  ht_mask mask;
  int outlet[HT_OPENINGS_MAX];
  make_fork(&mask);
  assert_int_equal(
      ht_vessel_network_make(&mask, &openings, &throat, extensions, &blood, &network, outlet),
      HT_OK);
  assert_int_equal(network.elements, 3);
  assert_int_equal(outlet[0], -1);
  const ht_network_element *stem = &network.element[0], *on = &network.element[outlet[1]];
  assert_int_equal(stem->before, -1);
  assert_int_equal(on->before, 0);
  assert_int_equal(network.element[outlet[2]].before, 0);
  /* 8 mu l / (pi r^4) along z; the fronts of the fork are wider. */
  const double friction = 8 * 0.004 * 1e-3 * LENGTH / (HT_PI * pow(radius * 1e-3, 4));
  const double inertance = 1000 * 1e-3 * LENGTH / (HT_PI * pow(radius * 1e-3, 2));
  assert_near(stem->friction_pa_s_m3 + on->friction_pa_s_m3, friction, 0.3 * friction);
  assert_near(stem->inertance_pa_s2_m3 + on->inertance_pa_s2_m3, inertance, 0.2 * inertance);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_windkessel),        cmocka_unit_test(test_two_outlets),
      cmocka_unit_test(test_a_vessel_before_it),    cmocka_unit_test(test_two_inlets),
      cmocka_unit_test(test_the_network_of_a_mask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
