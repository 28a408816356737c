/* The plan by the vessel's throat: the time step, the collision, the estimate before a lattice. */
#include "tests/check.h"
#include "solver/plan/collision_choice.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/plan/plan.h"
#include "solver/plan/resolution.h"
#include "core/numbers/units.h"
#include <string.h>

static const double kinematic = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;
static const double spacing_mm = 0.3;

static void begin(double flow_ml_s, ht_domain *domain, ht_solver_options *options) {
  ht_solver_defaults(options);
  assert_int_equal(ht_pipe_domain(14, 20, 2, 1, spacing_mm, flow_ml_s, domain), HT_OK);
}

static double step_of(const ht_domain *domain, const ht_solver_options *options) {
  ht_units units;
  assert_int_equal(ht_solver_plan(domain, options, &units, NULL), HT_OK);
  return units.dt_s;
}

/* A throat that is no faster on the lattice than 0.12 changes no bit of the time step. */
static void test_the_throat_shortens_the_step(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  begin(1, &domain, &options);
  double alone = step_of(&domain, &options), dx_m = 1e-3 * spacing_mm;
  options.throat_speed_m_s = 0.11 * dx_m / alone;
  assert_true(step_of(&domain, &options) == alone);
  options.throat_speed_m_s = 0.24 * dx_m / alone;
  assert_near(step_of(&domain, &options) * options.throat_speed_m_s / dx_m, 0.12, 1e-9);
  options.max_velocity_lu = 0.15; /* then the throat may be as fast */
  alone = step_of(&domain, &options);
  assert_near(alone * options.throat_speed_m_s / dx_m, 0.15, 1e-9);
  options.max_velocity_lu = 0.05;
  options.throat_speed_m_s *= 100; /* tau stays allowed: what ran before a throat was known runs */
  ht_units units;
  ht_flow_stats stats;
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_OK);
  assert_true(stats.tau >= 0.502 && stats.tau < 0.5021);
  ht_domain_free(&domain);
}

/* A second outlet, 12,000 Pa below the first: 90 mmHg, where 0 was meant. */
static void test_pressures_are_a_slip(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_units units;
  begin(1, &domain, &options);
  ht_port *outlet = &domain.port[1];
  assert_int_equal(outlet->opening.role, HT_ROLE_OUTLET);
  domain.port[domain.ports++] = *outlet;
  outlet->opening.pressure_pa = 12000;
  assert_int_equal(ht_solver_plan(&domain, &options, &units, NULL), HT_ERR_UNSTABLE);
  assert_non_null(strstr(ht_error_message(), "differ by 12000 Pa (90 mmHg)"));
  domain.port[--domain.ports].node = NULL; /* the first outlet's */
  ht_domain_free(&domain);
}

/* The throat is as fast as the peak of the beat. */
static void test_the_throat_of_a_pulse(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_solver_reasons r;
  ht_waveform waveform;
  ht_harmonics series = {.period_s = 0.8, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0.8}};
  begin(0.5, &domain, &options);
  assert_int_equal(ht_waveform_series(&series, &waveform), HT_OK);
  options.waveform = &waveform;
  options.profile = HT_PROFILE_WOMERSLEY;
  options.throat_speed_m_s = 0.5;
  assert_int_equal(ht_solver_explain(&domain, &options, &r), HT_OK);
  assert_near(r.throat_speed_m_s, 0.9, 1e-6);
  assert_int_equal(r.step_of_throat, 1);
  assert_true(r.throat_speed_lu <= 0.12 && r.throat_speed_lu > 0.117);
  assert_near(r.throat_cell_reynolds, 0.9 * 1e-3 * spacing_mm / kinematic, 0.01);
  ht_domain_free(&domain);
}

/* The cheapest of those whose limit is not exceeded. */
static void test_the_cheapest_collision(void **unused) {
  (void)unused;
  assert_int_equal(ht_collision_for(1), HT_LBGK);
  assert_int_equal(ht_collision_for(25), HT_LBGK);
  assert_int_equal(ht_collision_for(25.1), HT_MRT);
  assert_int_equal(ht_collision_for(50), HT_MRT);
  assert_int_equal(ht_collision_for(500), HT_CUMULANT);
  assert_int_equal(ht_collision_for(1e9), ht_collision_most_capable());
  for (int c = 0; ht_collision_words[c]; c++) {
    const ht_collision_limits *limits = ht_collision_limits_of((ht_collision)c);
    assert_true(limits->cell_reynolds_max > 0 && limits->tau_min > 0.5 &&
                HT_COLLISION_DIRECTIONS(c) >= 19);
    assert_true(limits->cell_reynolds_max <=
                ht_collision_limits_of(ht_collision_most_capable())->cell_reynolds_max);
  }
}

/* The collision is chosen by inlet or throat, whichever is the faster. */
static void test_why_a_collision_is_chosen(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_collision_choice choice;
  begin(0.5, &domain, &options);
  assert_int_equal(ht_collision_choose(&domain, &options, &choice), HT_OK);
  assert_int_equal(choice.collision, HT_LBGK);
  assert_true(choice.throat_cell_reynolds == 0 && choice.inlet_cell_reynolds > 1);
  assert_non_null(strstr(choice.why, "at the inlet"));
  options.throat_speed_m_s = 40 * kinematic / (1e-3 * spacing_mm);
  assert_int_equal(ht_collision_choose(&domain, &options, &choice), HT_OK);
  assert_int_equal(choice.collision, HT_MRT);
  assert_near(choice.throat_cell_reynolds, 40, 1e-9);
  assert_non_null(strstr(choice.why, "in the throat is 40"));
  assert_non_null(strstr(choice.why, "more than the 25 of lbgk"));
  ht_domain_free(&domain);
}

/* Diagonals are corrected where cumulants run beyond the limits of the others, unless fp16 or the
 * key says no. */
static void test_when_diagonals_are_corrected(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_plan plan;
  begin(0.5, &domain, &options);
  options.collision = HT_CUMULANT;
  for (int fast = 0; fast < 2; fast++) {
    options.throat_speed_m_s = (fast ? 60 : 40) * kinematic / (1e-3 * spacing_mm);
    assert_int_equal(ht_plan_make(&domain, &options, &plan), HT_OK);
    assert_int_equal(ht_plan_has_jets(&plan, &options), fast);
    assert_int_equal(ht_plan_corrects_diagonals(&plan, &options), fast);
    options.precision = HT_FP16;
    assert_int_equal(ht_plan_corrects_diagonals(&plan, &options), 0);
    options.precision = HT_FP32;
    options.diagonal_correction = 0;
    assert_int_equal(ht_plan_corrects_diagonals(&plan, &options), 0);
    options.diagonal_correction = 1;
    ht_plan_free(&plan);
  }
  ht_domain_free(&domain);
}

/* The estimate needs no lattice, only the vessel's measures: it has the plan's step, and the order
 * of its steps. */
static void test_the_estimate(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_solver_options options;
  ht_solver_reasons r;
  ht_run_estimate estimate;
  begin(1, &domain, &options);
  assert_int_equal(ht_solver_explain(&domain, &options, &r), HT_OK);
  double nodes = (double)ht_mask_count(&domain.mask);
  ht_vessel_size vessel = {.widest_mm = 14 * spacing_mm,
                           .volume_mm3 = nodes * pow(spacing_mm, 3),
                           .speed_m_s = r.speed_m_s,
                           .flow_m3_s = 1e-6};
  ht_solver_estimate(&vessel, &options, spacing_mm, &estimate);
  assert_near(estimate.nodes, nodes, 1);
  assert_near(estimate.step_s, r.units.dt_s, 1e-9 * r.units.dt_s);
  assert_true(estimate.steps > 0.4 * (double)r.likely_steps);
  assert_true(estimate.steps < 2.5 * (double)r.likely_steps);
  ht_solver_estimate(&vessel, &options, spacing_mm / 2, &estimate);
  assert_near(estimate.nodes, 8 * nodes, 8);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_throat_shortens_the_step),
      cmocka_unit_test(test_pressures_are_a_slip),
      cmocka_unit_test(test_the_throat_of_a_pulse),
      cmocka_unit_test(test_the_cheapest_collision),
      cmocka_unit_test(test_why_a_collision_is_chosen),
      cmocka_unit_test(test_when_diagonals_are_corrected),
      cmocka_unit_test(test_the_estimate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
