#include "solver/inflow/outlets.h"
#include "core/numbers/units.h"
#include <math.h>
#include <string.h>

const char *const ht_outlet_words[] = {"pressure",  "area",       "murray",
                                       "fractions", "windkessel", NULL};

static const double sum_tolerance = 1e-3;

double ht_port_area_m2(const ht_domain *domain, int p) {
  const ht_port *port = &domain->port[p];
  double dx = ht_port_grid(domain, p).spacing_mm[0] * 1e-3, radius = port->opening.radius_mm * 1e-3;
  if (radius > 0) return HT_PI * radius * radius;
  return (double)port->nodes * dx * dx * fabs(port->direction[port->axis]);
}

int ht_widest_outlet(const ht_domain *domain) {
  int widest = -1;
  for (int p = 0; p < domain->ports; p++) {
    if (domain->port[p].opening.role != HT_ROLE_OUTLET) continue;
    if (widest < 0 || ht_port_area_m2(domain, p) > ht_port_area_m2(domain, widest)) widest = p;
  }
  return widest;
}

/* ---- shares ---- */

static ht_status check_fractions(const ht_domain *domain) {
  double sum = 0;
  for (int p = 0; p < domain->ports; p++) {
    const ht_opening *opening = &domain->port[p].opening;
    if (opening->role != HT_ROLE_OUTLET) continue;
    if (!(opening->flow_fraction > 0))
      return ht_fail(HT_ERR_CASE,
                     "the outlet '%s' has no flow_fraction: outlets.model fractions needs one "
                     "above 0 for every outlet",
                     opening->name);
    sum += opening->flow_fraction;
  }
  if (fabs(sum - 1) <= sum_tolerance) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the flow_fractions of all outlets add up to %g; their sum has to be 1 "
                 "(within %g)",
                 sum, sum_tolerance);
}

static double weight(const ht_domain *domain, int p, const ht_outlet_settings *settings) {
  double area = ht_port_area_m2(domain, p);
  switch (settings->model) {
  case HT_OUTLETS_FRACTIONS:
    return domain->port[p].opening.flow_fraction;
  case HT_OUTLETS_AREA:
    return area;
  default:
    return pow(sqrt(4 * area / HT_PI), settings->murray_exponent);
  }
}

ht_status ht_outlet_shares(const ht_domain *domain, const ht_outlet_settings *settings,
                           double share[HT_OPENINGS_MAX]) {
  double sum = 0;
  if (settings->model == HT_OUTLETS_FRACTIONS) HT_TRY(check_fractions(domain));
  for (int p = 0; p < domain->ports; p++) {
    share[p] = domain->port[p].opening.role == HT_ROLE_OUTLET ? weight(domain, p, settings) : 0;
    sum += share[p];
  }
  for (int p = 0; p < domain->ports && sum > 0; p++) share[p] /= sum;
  return HT_OK;
}

/* ---- Windkessel ---- */

static ht_status fit(const ht_domain *domain, int p, const ht_outlet_settings *settings,
                     double share, double flow_m3_s, ht_windkessel *w) {
  const ht_opening *opening = &domain->port[p].opening;
  double pressure_pa = settings->mean_pressure_pa - opening->pressure_pa;
  if (!(pressure_pa > 0 && settings->compliance_m3_pa > 0 && settings->wave_speed_m_s > 0))
    return ht_fail(HT_ERR_CASE,
                   "the outlet '%s' has no windkessel: give it one, or give outlets "
                   "mean_pressure_mmhg, compliance_ml_mmhg and wave_speed_m_s to fit it",
                   opening->name);
  double all = pressure_pa / (share * flow_m3_s);
  w->proximal_pa_s_m3 =
      settings->density_kg_m3 * settings->wave_speed_m_s / ht_port_area_m2(domain, p);
  w->compliance_m3_pa = share * settings->compliance_m3_pa;
  w->distal_pa_s_m3 = all - w->proximal_pa_s_m3;
  if (w->distal_pa_s_m3 > 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the windkessel of '%s' cannot be fitted: density * wave speed / area is %.3g Pa "
                 "s/m3, above mean pressure / mean flow, %.3g; give a higher mean pressure or a "
                 "lower wave speed",
                 opening->name, w->proximal_pa_s_m3, all);
}

ht_status ht_windkessel_make(const ht_domain *domain, int p, const ht_outlet_settings *settings,
                             double share, double flow_m3_s, ht_windkessel *w) {
  const ht_opening *opening = &domain->port[p].opening;
  *w = (ht_windkessel){opening->windkessel[0], opening->windkessel[1], opening->windkessel[2], 0};
  if (w->proximal_pa_s_m3 == 0 && w->compliance_m3_pa == 0 && w->distal_pa_s_m3 == 0)
    return fit(domain, p, settings, share, flow_m3_s, w);
  if (w->proximal_pa_s_m3 >= 0 && w->compliance_m3_pa > 0 && w->distal_pa_s_m3 > 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the windkessel of '%s' needs a proximal resistance of 0 or more, and a "
                 "compliance and a distal resistance above 0",
                 opening->name);
}

void ht_windkessel_step(ht_windkessel *w, double flow_m3_s, double dt_s) {
  w->stored_pa = (w->stored_pa + dt_s / w->compliance_m3_pa * flow_m3_s) /
                 (1 + dt_s / (w->distal_pa_s_m3 * w->compliance_m3_pa));
}

double ht_windkessel_pressure(const ht_windkessel *w, double flow_m3_s) {
  return w->proximal_pa_s_m3 * flow_m3_s + w->stored_pa;
}
