#include "solver/run/ports/outlet_loss.h"
#include "solver/run/ports/two_variable_fit.h"
#include <math.h>

/* Share of a new flow that is taken over at each update of the outlets. */
static const double taken_over = 0.25;

void ht_outlet_loss_add(const ht_units *units, const double *flow_lu, double rate,
                        const double *pressure_pa, const double *port_pa,
                        ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p]) continue;
    ht_loss_sums *sums = &outlets->of[p]->sums;
    double q = -ht_units_flow_m3_s(units, flow_lu[p]), steep = q * fabs(q);
    double loss_pa = pressure_pa[p] - port_pa[p];
    sums->most_m3_s = fmax(sums->most_m3_s, fabs(q));
    sums->moments += 1;
    sums->flow += q;
    sums->steep += steep;
    sums->plain += loss_pa;
    sums->flow2 += q * q;
    sums->mixed += q * steep;
    sums->flow4 += steep * steep;
    sums->loss += loss_pa * q;
    sums->loss_steep += loss_pa * steep;
    sums->rate2 += rate * rate;
    sums->flow_rate += q * rate;
    sums->loss_rate += loss_pa * rate;
  }
}

/* Fits a loss whose parts are both above 0: the linear one alone, where the fit of both gives
 * another sign. */
static void fit(const ht_loss_sums *s, double loss[2]) {
  if (!(s->flow2 > 0)) return;
  double det = s->flow2 * s->flow4 - s->mixed * s->mixed;
  double linear = (s->loss * s->flow4 - s->loss_steep * s->mixed) / det;
  double steep = (s->loss_steep * s->flow2 - s->loss * s->mixed) / det;
  int both = det > 1e-6 * s->flow2 * s->flow4 && linear > 0 && steep > 0;
  loss[0] = both ? linear : fmax(0, s->loss / s->flow2);
  loss[1] = both ? steep : 0;
}

void ht_outlet_loss_fit(double remember, int whole, ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p] || !(outlets->of[p]->sums.moments > 0)) continue;
    ht_loss_sums *s = &outlets->of[p]->sums;
    double *loss = outlets->of[p]->loss;
    fit(s, loss);
    outlets->of[p]->loss_most_m3_s = s->most_m3_s;
    if (s->moments >= whole)
      outlets->of[p]->offset_pa = (s->plain - loss[0] * s->flow - loss[1] * s->steep) / s->moments;
    s->most_m3_s *= remember, s->moments *= remember;
    s->flow *= remember, s->steep *= remember, s->plain *= remember;
    s->flow2 *= remember, s->mixed *= remember, s->flow4 *= remember;
    s->loss *= remember, s->loss_steep *= remember;
    s->rate2 *= remember, s->flow_rate *= remember, s->loss_rate *= remember;
  }
}

int ht_outlet_loss_is_known(const ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++)
    if (outlets->of[p] && outlets->of[p]->loss_most_m3_s > 0) return 1;
  return 0;
}

void ht_outlet_loss_fit_part(ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p]) continue;
    const ht_loss_sums *s = &outlets->of[p]->sums;
    double linear = 0, *loss = outlets->of[p]->loss;
    if (!outlets->has_sponge &&
        ht_two_variable_fit(s->flow2, s->flow_rate, s->rate2, s->loss, s->loss_rate, &linear) &&
        linear > loss[0] && linear < outlets->of[p]->loss_coarse) {
      loss[0] = linear, loss[1] = 0;
      outlets->of[p]->loss_most_m3_s = fmax(outlets->of[p]->loss_most_m3_s, s->most_m3_s);
    }
    outlets->of[p]->sums = (ht_loss_sums){0};
  }
}

static int count(const ht_outlet_states *outlets) {
  int found = 0;
  for (int p = 0; p < outlets->ports; p++) found += outlets->of[p] != NULL;
  return found;
}

void ht_outlet_loss_hold(const double *pressure_pa, const double *port_pa, double share,
                         ht_outlet_states *outlets) {
  int is_alone = count(outlets) == 1;
  if (is_alone) share = fmin(share, 1);
  for (int p = 0; p < outlets->ports; p++) {
    ht_outlet_state *outlet = outlets->of[p];
    if (!outlet) continue;
    outlet->loss[0] = outlet->loss[1] = 0;
    outlet->offset_pa += share * (pressure_pa[p] - port_pa[p] - outlet->offset_pa);
    if (!is_alone) continue;
    outlet->offset_now_pa = outlet->offset_pa; /* on the lattice, its pressure is 0 */
    outlet->port_pa = outlet->pressure_pa - outlet->offset_pa;
  }
}

/* Returns Poiseuille's loss between the opening and the port, Pa s/m3. */
static double friction_of(const ht_grid *grid, const ht_port *port, double viscosity_pa_s) {
  double length2_mm2 = 0, off_mm[3] = {0}, at_mm[3];
  for (int64_t i = 0; i < port->nodes; i++) {
    ht_grid_voxel_position(grid, port->node[i], at_mm);
    for (int a = 0; a < 3; a++)
      off_mm[a] += (at_mm[a] - port->opening.centre_mm[a]) / (double)port->nodes;
  }
  for (int a = 0; a < 3; a++) length2_mm2 += off_mm[a] * off_mm[a];
  double length_m = 1e-3 * sqrt(length2_mm2), area_m2 = 1e-6 * port->opening.area_mm2;
  return 8 * HT_PI * viscosity_pa_s * length_m / (area_m2 * area_m2);
}

void ht_outlet_loss_refine(const ht_domain *domain, double from_mm, double viscosity_pa_s,
                           ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p]) continue;
    double *linear = &outlets->of[p]->loss[0];
    const ht_grid grid = ht_port_grid(domain, p);
    double friction = friction_of(&grid, &domain->port[p], viscosity_pa_s);
    outlets->of[p]->loss_coarse = *linear;
    const double share = grid.spacing_mm[0] / from_mm;
    if (*linear > friction) *linear = share * *linear + (1 - share) * friction;
  }
}

double ht_outlet_loss_follow(ht_outlet_state *outlet, double flow_m3_s) {
  outlet->loss_flow_m3_s += taken_over * (flow_m3_s - outlet->loss_flow_m3_s);
  outlet->offset_now_pa += taken_over * (outlet->offset_pa - outlet->offset_now_pa);
  double most = outlet->loss_most_m3_s, flow = fmax(-most, fmin(most, outlet->loss_flow_m3_s));
  return outlet->offset_now_pa + (outlet->loss[0] + outlet->loss[1] * fabs(flow)) * flow;
}

double ht_outlet_loss_off(const ht_outlet_states *outlets, const double *pressure_pa) {
  double high = -INFINITY, low = INFINITY, off_pa = 0;
  for (int p = 0; p < outlets->ports; p++) {
    const ht_outlet_state *outlet = outlets->of[p];
    high = fmax(high, pressure_pa[p]), low = fmin(low, pressure_pa[p]);
    if (outlet && outlet->is_plain)
      off_pa = fmax(off_pa, fabs(pressure_pa[p] - outlet->pressure_pa));
  }
  return count(outlets) > 1 && off_pa > 0 ? off_pa / (high - low) : 0;
}
