#include "solver/run/outlet_loss.h"
#include "solver/run/biexponential.h"
#include <math.h>

/* Share of a new flow that is taken over at each update of the outlets. */
static const double taken_over = 0.25;

void ht_outlet_loss_add(ht_solve_run *run, const double *flow_lu, double rate,
                        const double *pressure_pa, const double *port_pa) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    ht_loss_sums *sums = &run->outlet[p]->sums;
    double q = -ht_units_flow_m3_s(&run->plan.units, flow_lu[p]), steep = q * fabs(q);
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

/* Both parts of a loss are above 0: where the fit of both gives another sign, the linear one. */
static void fit(const ht_loss_sums *s, double loss[2]) {
  if (!(s->flow2 > 0)) return;
  double det = s->flow2 * s->flow4 - s->mixed * s->mixed;
  double linear = (s->loss * s->flow4 - s->loss_steep * s->mixed) / det;
  double steep = (s->loss_steep * s->flow2 - s->loss * s->mixed) / det;
  int both = det > 1e-6 * s->flow2 * s->flow4 && linear > 0 && steep > 0;
  loss[0] = both ? linear : fmax(0, s->loss / s->flow2);
  loss[1] = both ? steep : 0;
}

void ht_outlet_loss_fit(ht_solve_run *run, double remember, int whole) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p] || !(run->outlet[p]->sums.moments > 0)) continue;
    ht_loss_sums *s = &run->outlet[p]->sums;
    double *loss = run->outlet[p]->loss;
    fit(s, loss);
    run->outlet[p]->loss_most_m3_s = s->most_m3_s;
    if (s->moments >= whole)
      run->outlet[p]->offset_pa = (s->plain - loss[0] * s->flow - loss[1] * s->steep) / s->moments;
    s->most_m3_s *= remember, s->moments *= remember;
    s->flow *= remember, s->steep *= remember, s->plain *= remember;
    s->flow2 *= remember, s->mixed *= remember, s->flow4 *= remember;
    s->loss *= remember, s->loss_steep *= remember;
    s->rate2 *= remember, s->flow_rate *= remember, s->loss_rate *= remember;
  }
}

int ht_outlet_loss_is_known(const ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++)
    if (run->outlet[p] && run->outlet[p]->loss_most_m3_s > 0) return 1;
  return 0;
}

void ht_outlet_loss_fit_part(ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    const ht_loss_sums *s = &run->outlet[p]->sums;
    double linear = 0, *loss = run->outlet[p]->loss;
    if (!run->has_sponge &&
        ht_first_of_two(s->flow2, s->flow_rate, s->rate2, s->loss, s->loss_rate, &linear) &&
        linear > loss[0] && linear < run->outlet[p]->loss_coarse) {
      loss[0] = linear, loss[1] = 0;
      run->outlet[p]->loss_most_m3_s = fmax(run->outlet[p]->loss_most_m3_s, s->most_m3_s);
    }
    run->outlet[p]->sums = (ht_loss_sums){0};
  }
}

static int outlets_of(const ht_solve_run *run) {
  int outlets = 0;
  for (int p = 0; p < run->domain->ports; p++) outlets += run->outlet[p] != NULL;
  return outlets;
}

void ht_outlet_loss_hold(ht_solve_run *run, const double *pressure_pa, const double *port_pa,
                         double share) {
  int outlets = outlets_of(run);
  if (outlets == 1) share = fmin(share, 1);
  for (int p = 0; p < run->domain->ports; p++) {
    ht_outlet_state *outlet = run->outlet[p];
    if (!outlet) continue;
    outlet->loss[0] = outlet->loss[1] = 0;
    outlet->offset_pa += share * (pressure_pa[p] - port_pa[p] - outlet->offset_pa);
    if (outlets > 1) continue;
    outlet->offset_now_pa = outlet->offset_pa; /* on the lattice, its pressure is 0 */
    outlet->port_pa = outlet->pressure_pa - outlet->offset_pa;
  }
}

/* Poiseuille's loss between the opening and the port, Pa s/m3. */
static double friction_of(const ht_solve_run *run, const ht_port *port) {
  double length2_mm2 = 0, off_mm[3] = {0}, at_mm[3];
  for (int64_t i = 0; i < port->nodes; i++) {
    ht_grid_voxel_position(&run->domain->mask.grid, port->node[i], at_mm);
    for (int a = 0; a < 3; a++)
      off_mm[a] += (at_mm[a] - port->opening.centre_mm[a]) / (double)port->nodes;
  }
  for (int a = 0; a < 3; a++) length2_mm2 += off_mm[a] * off_mm[a];
  double length_m = 1e-3 * sqrt(length2_mm2), area_m2 = 1e-6 * port->opening.area_mm2;
  return 8 * HT_PI * run->plan.least_viscosity_pa_s * length_m / (area_m2 * area_m2);
}

void ht_outlet_loss_refine(ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    double *linear = &run->outlet[p]->loss[0];
    double friction = friction_of(run, &run->domain->port[p]);
    run->outlet[p]->loss_coarse = *linear;
    if (*linear > friction) *linear = (*linear + friction) / 2;
  }
}

double ht_outlet_loss_follow(ht_outlet_state *outlet, double flow_m3_s) {
  outlet->loss_flow_m3_s += taken_over * (flow_m3_s - outlet->loss_flow_m3_s);
  outlet->offset_now_pa += taken_over * (outlet->offset_pa - outlet->offset_now_pa);
  double most = outlet->loss_most_m3_s, flow = fmax(-most, fmin(most, outlet->loss_flow_m3_s));
  return outlet->offset_now_pa + (outlet->loss[0] + outlet->loss[1] * fabs(flow)) * flow;
}

double ht_outlet_loss_off(const ht_solve_run *run, const double *pressure_pa) {
  double high = -INFINITY, low = INFINITY, off_pa = 0;
  for (int p = 0; p < run->domain->ports; p++) {
    const ht_outlet_state *outlet = run->outlet[p];
    high = fmax(high, pressure_pa[p]), low = fmin(low, pressure_pa[p]);
    if (outlet && outlet->is_plain)
      off_pa = fmax(off_pa, fabs(pressure_pa[p] - outlet->pressure_pa));
  }
  return outlets_of(run) > 1 && off_pa > 0 ? off_pa / (high - low) : 0;
}
