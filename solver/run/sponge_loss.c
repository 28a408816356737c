#include "sponge_loss.h"
#include <math.h>

/* Of a new flow, at each update of the outlets. */
static const double taken_over = 0.25;

void ht_sponge_loss_add(ht_solve_run *run, const double *flow_lu, const double *pressure_pa,
                        const double *port_pa) {
  if (!run->has_sponge || run->step < run->plan.ramp_steps) return;
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    ht_sponge_sums *sums = &run->outlet[p]->sums;
    double q = -ht_units_flow_m3_s(&run->plan.units, flow_lu[p]), steep = q * fabs(q);
    double loss_pa = pressure_pa[p] - port_pa[p];
    sums->most_m3_s = fmax(sums->most_m3_s, fabs(q));
    sums->flow2 += q * q;
    sums->mixed += q * steep;
    sums->flow4 += steep * steep;
    sums->loss += loss_pa * q;
    sums->loss_steep += loss_pa * steep;
  }
}

/* Both parts of a loss are above 0: where the fit of both gives another sign, the linear one. */
static void fit(const ht_sponge_sums *s, double loss[2]) {
  if (!(s->flow2 > 0)) return;
  double det = s->flow2 * s->flow4 - s->mixed * s->mixed;
  double linear = (s->loss * s->flow4 - s->loss_steep * s->mixed) / det;
  double steep = (s->loss_steep * s->flow2 - s->loss * s->mixed) / det;
  int both = det > 1e-6 * s->flow2 * s->flow4 && linear > 0 && steep > 0;
  loss[0] = both ? linear : fmax(0, s->loss / s->flow2);
  loss[1] = both ? steep : 0;
}

void ht_sponge_loss_fit(ht_solve_run *run, double remember) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    ht_sponge_sums *sums = &run->outlet[p]->sums;
    fit(sums, run->outlet[p]->loss);
    run->outlet[p]->loss_most_m3_s = sums->most_m3_s;
    sums->most_m3_s *= remember;
    sums->flow2 *= remember, sums->mixed *= remember, sums->flow4 *= remember;
    sums->loss *= remember, sums->loss_steep *= remember;
  }
}

double ht_sponge_loss_follow(ht_outlet_state *outlet, double flow_m3_s) {
  outlet->loss_flow_m3_s += taken_over * (flow_m3_s - outlet->loss_flow_m3_s);
  double most = outlet->loss_most_m3_s, flow = fmax(-most, fmin(most, outlet->loss_flow_m3_s));
  return (outlet->loss[0] + outlet->loss[1] * fabs(flow)) * flow;
}
