/* core/units: physical to lattice and back, and known values. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include <float.h>

static void assert_relative(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance * fabs(expected)))
    fail_msg("got %.17g, expected %.17g within %g relative", got, expected, tolerance);
}

/* A 0.2 mm lattice of a cerebral artery. */
static const ht_units artery = {2e-4, 2e-5, HT_BLOOD_DENSITY_KG_M3};

/* Computed by hand: nu = 0.0035 / 1060 = 3.30189e-6 m2/s; 3 * 3.30189e-6 * 2e-5 / 4e-8 =
 * 4.95283e-3. */
HT_TEST(tau_of_blood) {
  double tau = ht_units_tau(&artery, HT_BLOOD_VISCOSITY_PA_S);
  assert_relative(tau - 0.5, 3 * (0.0035 / 1060) * 2e-5 / 4e-8, 1e-12);
  assert_relative(tau, 0.50495283, 1e-7);
}

HT_TEST(velocity_round_trips) {
  assert_relative(ht_units_velocity_lu(&artery, 0.5), 0.05, 4 * DBL_EPSILON);
  const double values[] = {0.5, -1.3, 1e-9, 7};
  for (int i = 0; i < 4; i++)
    assert_relative(ht_units_velocity_m_s(&artery, ht_units_velocity_lu(&artery, values[i])),
                    values[i], 4 * DBL_EPSILON);
  assert_true(ht_units_velocity_m_s(&artery, 0) == 0);
}

/* Computed by hand: 1 mL/s = 1e-6 m3/s * 2e-5 s / 8e-12 m3 = 2.5 voxels a step. */
HT_TEST(flow_round_trips) {
  assert_relative(ht_units_flow_lu(&artery, 1e-6), 2.5, 8 * DBL_EPSILON);
  assert_relative(ht_units_flow_m3_s(&artery, 2.5), 1e-6, 8 * DBL_EPSILON);
}

/* The density differs from 1 by p / 35 333 Pa here: 1 mmHg (133 Pa) keeps 13 digits of its 16. */
HT_TEST(pressure_round_trips) {
  const double values[] = {133.322, -50, 16000};
  for (int i = 0; i < 3; i++)
    assert_relative(ht_units_pressure_pa(&artery, ht_units_density_lu(&artery, values[i])),
                    values[i], 1e-12);
  assert_true(ht_units_density_lu(&artery, 0) == 1);
  assert_true(ht_units_pressure_pa(&artery, 1) == 0);
}

/* rho (dx/dt)^2 = 1060 * 10^2. */
HT_TEST(stress_scales_with_the_squared_speed) {
  assert_relative(ht_units_stress_pa(&artery, 1), 106000, 4 * DBL_EPSILON);
  assert_relative(ht_units_pressure_pa(&artery, 1.003), 0.001 * 106000, 1e-12);
}

/* Poiseuille in a pipe: the wall shear 4 mu U / R must come out the same whether it is computed in
 * SI or in lattice units (viscosity from tau) and converted. */
HT_TEST(wall_shear_is_the_same_in_both_units) {
  const double mean_m_s = 0.3, radius_m = 2e-3;
  double si = 4 * HT_BLOOD_VISCOSITY_PA_S * mean_m_s / radius_m;
  double viscosity_lu = (ht_units_tau(&artery, HT_BLOOD_VISCOSITY_PA_S) - 0.5) / 3;
  double lattice =
      4 * viscosity_lu * ht_units_velocity_lu(&artery, mean_m_s) / (radius_m / artery.dx_m);
  /* tau - 1/2 loses two digits */
  assert_relative(ht_units_stress_pa(&artery, lattice), si, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tau_of_blood),
      cmocka_unit_test(velocity_round_trips),
      cmocka_unit_test(flow_round_trips),
      cmocka_unit_test(pressure_round_trips),
      cmocka_unit_test(stress_scales_with_the_squared_speed),
      cmocka_unit_test(wall_shear_is_the_same_in_both_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
