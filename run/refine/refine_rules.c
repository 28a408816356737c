#include "run/refine/refine_rules.h"
#include <math.h>

double ht_planned_dx_plus(double speed_m_s, double diameter_mm, double kinematic_m2_s,
                          double spacing_mm) {
  const double diameter_m = 1e-3 * diameter_mm;
  if (!(speed_m_s > 0 && diameter_m > 0)) return 0;
  const double reynolds = speed_m_s * diameter_m / kinematic_m2_s;
  const double laminar = 8 * kinematic_m2_s * speed_m_s / diameter_m;
  const double turbulent = 0.0396 * speed_m_s * speed_m_s * pow(reynolds, -0.25);
  return 1e-3 * spacing_mm * sqrt(fmax(laminar, turbulent)) / kinematic_m2_s;
}

double ht_refine_across(double least, double throat_nodes) {
  return least * fmax(1, throat_nodes / HT_REFINE_INLET_ACROSS);
}

int ht_refine_width_level(const ht_refine_rules *rules, double diameter_mm) {
  int level = 0;
  while (level < rules->most && ldexp(rules->spacing_mm, level + 1) * rules->across <= diameter_mm)
    level++;
  return level;
}

int ht_refine_speed_level(const ht_refine_rules *rules, double speed_m_s) {
  const double cell = 1e-3 * rules->spacing_mm * speed_m_s / rules->kinematic_m2_s;
  int level = 0;
  while (level < rules->most && ldexp(cell, level + 1) <= rules->cell_reynolds_max) level++;
  return level;
}

int ht_refine_section_level(const ht_refine_rules *rules, const ht_refine_section *section,
                            ht_fine_reason *why) {
  const int wide = ht_refine_width_level(rules, section->diameter_mm);
  const int slow = ht_refine_speed_level(rules, section->speed_m_s);
  *why = HT_FINE_JET;
  if (section->is_jet) return 0;
  *why = wide <= slow ? HT_FINE_NARROW : HT_FINE_SPEED;
  return wide < slow ? wide : slow;
}

double ht_refine_jet_mm(double diameters, double speed_m_s, double diameter_mm,
                        double kinematic_m2_s) {
  const double reynolds = 1e-3 * speed_m_s * diameter_mm / kinematic_m2_s;
  return diameters * diameter_mm * (reynolds < HT_REFINE_TURBULENT ? HT_REFINE_LAMINAR_JET : 1);
}

double ht_refine_layer_mm(const ht_refine_rules *rules, const ht_refine_section *section,
                          int level) {
  if (level == 0) return 0;
  const double coarse = ldexp(rules->spacing_mm, level);
  const double dx_plus =
      ht_planned_dx_plus(section->speed_m_s, section->diameter_mm, rules->kinematic_m2_s, coarse);
  return dx_plus > rules->dx_plus_max ? HT_REFINE_LAYER * coarse / 2 : 0;
}

int ht_refine_end_level(const ht_refine_rules *rules, const ht_refine_end *end) {
  const int least = end->is_inlet ? HT_REFINE_INLET_ACROSS : HT_REFINE_OUTLET_ACROSS;
  const double cell = end->is_inlet ? HT_REFINE_INLET_SPEED * rules->inlet_cell_reynolds : 0;
  int level = 0;
  while (level < rules->most &&
         round(end->diameter_mm / ldexp(rules->spacing_mm, level + 1)) >= least &&
         ldexp(cell, level + 1) <= rules->cell_reynolds_max)
    level++;
  return level;
}

int ht_refine_tau_level(double tau, double tau_min, int most) {
  if (fabs(tau - 1) < HT_REFINE_NEAR_1) return 0;
  for (int level = 1; level <= most; level++) {
    const double there = 0.5 + ldexp(tau - 0.5, -level);
    if (there < tau_min || fabs(there - 1) < HT_REFINE_NEAR_1) return level - 1;
  }
  return most;
}

double ht_refine_work(int level) {
  return ldexp(1, -4 * level);
}
