#include "core/numbers/units.h"

static const double cs2 = 1.0 / 3.0; /* squared speed of sound of D3Q19, lattice units */

double ht_units_tau(const ht_units *units, double viscosity_pa_s) {
  double kinematic_m2_s = viscosity_pa_s / units->density_kg_m3;
  return kinematic_m2_s * units->dt_s / (units->dx_m * units->dx_m) / cs2 + 0.5;
}

double ht_units_velocity_lu(const ht_units *units, double velocity_m_s) {
  return velocity_m_s * units->dt_s / units->dx_m;
}

double ht_units_velocity_m_s(const ht_units *units, double velocity_lu) {
  return velocity_lu * units->dx_m / units->dt_s;
}

double ht_units_flow_lu(const ht_units *units, double flow_m3_s) {
  return flow_m3_s * units->dt_s / (units->dx_m * units->dx_m * units->dx_m);
}

double ht_units_flow_m3_s(const ht_units *units, double flow_lu) {
  return flow_lu * (units->dx_m * units->dx_m * units->dx_m) / units->dt_s;
}

double ht_units_stress_pa(const ht_units *units, double stress_lu) {
  double speed_m_s = units->dx_m / units->dt_s;
  return stress_lu * units->density_kg_m3 * speed_m_s * speed_m_s;
}

double ht_units_pressure_pa(const ht_units *units, double density_lu) {
  return ht_units_stress_pa(units, (density_lu - 1) * cs2);
}

double ht_units_density_lu(const ht_units *units, double pressure_pa) {
  return 1 + pressure_pa / ht_units_stress_pa(units, cs2);
}
