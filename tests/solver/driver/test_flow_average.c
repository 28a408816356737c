/* Means of samples of a flow, and the energy of what fluctuates about them, against sums by hand.
 */
#include "tests/check.h"
#include "solver/samples/flow_average.h"
#include <stdlib.h>
#include <string.h>

enum { NODES = 27, SAMPLES = 7, PHASES = 2 };

static void make(ht_domain *domain, ht_flow *flow) {
  memset(domain, 0, sizeof *domain);
  memset(flow, 0, sizeof *flow);
  flow->grid = ht_grid_make(3, 3, 3);
  flow->grid.spacing_mm[0] = flow->grid.spacing_mm[1] = flow->grid.spacing_mm[2] = 2;
  assert_int_equal(ht_mask_alloc(&flow->grid, &domain->mask), HT_OK);
  flow->nodes = NODES;
  flow->density_kg_m3 = 1000;
  assert_int_equal(ht_node_map_of_mask(NODES, NULL, &flow->node_of), HT_OK);
  flow->velocity_m_s = malloc(3 * NODES * sizeof(float));
  flow->pressure_pa = malloc(NODES * sizeof(float));
  flow->stress_pa = malloc(6 * NODES * sizeof(float));
  for (int n = 0; n < NODES; n++) domain->mask.inside[n] = n < 9 ? HT_EXTENSION : HT_VESSEL;
}

/* Velocity of a sample at a phase: a mean that the phases share not, and a change with the
 * sample. */
static double velocity_at(int phase, int sample, int i) {
  return 0.1 * phase + 0.01 * i + 0.2 * sin(1.7 * sample + 0.4 * i + phase);
}

static void fill(ht_flow *flow, int phase, int sample) {
  for (int i = 0; i < 3 * NODES; i++) flow->velocity_m_s[i] = (float)velocity_at(phase, sample, i);
  for (int i = 0; i < NODES; i++) flow->pressure_pa[i] = (float)(i + sample);
  for (int i = 0; i < 6 * NODES; i++) flow->stress_pa[i] = (float)(i - sample);
}

/* Two passes. */
static double energy_j_m3(int phase, int node) {
  double energy = 0;
  for (int i = 3 * node; i < 3 * node + 3; i++) {
    double mean = 0, squares = 0;
    for (int k = 0; k < SAMPLES; k++) mean += velocity_at(phase, k, i) / SAMPLES;
    for (int k = 0; k < SAMPLES; k++) squares += pow(velocity_at(phase, k, i) - mean, 2);
    energy += 0.5 * 1000 * squares / (SAMPLES - 1);
  }
  return energy;
}

HT_TEST(test_energy) {
  ht_domain domain;
  ht_flow flow;
  ht_turbulence turbulence;
  ht_flow_stats stats = {.steps = 0};
  make(&domain, &flow);
  assert_int_equal(ht_turbulence_make(NODES, PHASES, &turbulence), HT_OK);
  fill(&flow, 0, 3);
  ht_turbulence_add(0, &flow, &turbulence); /* forgotten below */
  assert_int_equal(ht_turbulence_result(&turbulence, &domain, &flow, &stats), HT_OK);
  assert_null(flow.tke_j_m3); /* one sample has no fluctuation */
  ht_turbulence_clear(&turbulence);
  for (int k = 0; k < SAMPLES; k++)
    for (int phase = 0; phase < PHASES; phase++) {
      fill(&flow, phase, k);
      ht_turbulence_add(phase, &flow, &turbulence);
    }
  assert_int_equal(ht_turbulence_result(&turbulence, &domain, &flow, &stats), HT_OK);
  assert_int_equal(stats.tke_phases, PHASES);
  double mj[PHASES] = {0}, highest = 0;
  for (int phase = 0; phase < PHASES; phase++)
    for (int n = 9; n < NODES; n++) mj[phase] += 1e3 * 8e-9 * energy_j_m3(phase, n);
  int most = mj[1] > mj[0];
  for (int n = 0; n < NODES; n++) {
    double mean = 0.5 * (energy_j_m3(0, n) + energy_j_m3(1, n)), peak = energy_j_m3(most, n);
    assert_float_equal(flow.tke_j_m3[n], mean, 1e-5 * mean);
    assert_float_equal(flow.tke_peak_j_m3[n], peak, 1e-5 * peak);
    if (n >= 9) highest = fmax(highest, peak);
  }
  for (int phase = 0; phase < PHASES; phase++)
    assert_float_equal(stats.tke_mj[phase], mj[phase], 1e-5 * mj[phase]);
  assert_float_equal(stats.tke_highest_j_m3, highest, 1e-5 * highest);
  ht_turbulence_free(&turbulence);
  ht_flow_free(&flow);
  ht_domain_free(&domain);
}

HT_TEST(test_means) {
  ht_domain domain;
  ht_flow flow;
  ht_flow_average average;
  make(&domain, &flow);
  assert_int_equal(ht_flow_average_make(&flow, &average), HT_OK);
  for (int pass = 0; pass < 2; pass++) {
    ht_flow_average_clear(&average);
    for (int k = 0; k < SAMPLES; k++) {
      fill(&flow, 0, k);
      ht_flow_average_add(&domain, &flow, &average);
    }
  }
  assert_int_equal(average.count, SAMPLES);
  ht_flow_average_swap(&flow, &average);
  for (int i = 0; i < NODES; i++) assert_float_equal(flow.pressure_pa[i], i + 3, 1e-5);
  assert_float_equal(flow.stress_pa[10], 7, 1e-5);
  assert_float_equal(average.mean.pressure_pa[0], SAMPLES - 1, 1e-6); /* the last sample */
  ht_flow_average_free(&average);
  const float a[2] = {3, 4}, b[2] = {3, 5}, none[2] = {0, 0};
  assert_float_equal(ht_relative_change(a, b, 2), 0.2, 1e-12);
  assert_true(isnan(ht_relative_change(none, b, 2)));
  ht_flow_free(&flow);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy), cmocka_unit_test(test_means)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
