#include "run/network/network.h"
#include "core/numbers/units.h"
#include <math.h>
#include <string.h>

static const double repeats = 1e-6;
enum { RAMP = 4 /* part of a beat in which a flow rises from rest */, CORRECTIONS = 12 };

typedef struct {
  const ht_network *network;
  double step_s, main_share;
  double flow_m3_s[HT_NETWORK_MAX], stored_pa[HT_NETWORK_MAX];
} state;

/* P(start) = a + b Q and P(end) = alpha + beta Q of an element; sums over the elements after it. */
typedef struct {
  double a, b, alpha, beta, end_pa;
  double conductance, driven, source_m3_s;
} part;

static void find_end(const state *s, int i, part *p) {
  const ht_network_element *e = &s->network->element[i];
  const ht_windkessel *w = &e->windkessel;
  if (!e->is_outlet) {
    p->alpha = (p->source_m3_s + p->driven) / p->conductance;
    p->beta = 1 / p->conductance;
    return;
  }
  const double kept = 1 / (1 + s->step_s / (w->distal_pa_s_m3 * w->compliance_m3_pa));
  p->alpha = e->distal_pa + kept * s->stored_pa[i];
  p->beta = w->proximal_pa_s_m3 + kept * s->step_s / w->compliance_m3_pa;
}

/* Eliminates the tree from its ends; root: the sums over the elements at the main inlet. */
static void eliminate(const state *s, double inflow_m3_s, part *of, part *root) {
  for (int i = s->network->elements - 1; i >= 0; i--) {
    const ht_network_element *e = &s->network->element[i];
    part *p = &of[i], *before = e->before < 0 ? root : &of[e->before];
    if (e->source_share > 0) {
      before->source_m3_s += e->source_share * inflow_m3_s;
      continue;
    }
    find_end(s, i, p);
    const double inertia = e->inertance_pa_s2_m3 / s->step_s, flow = s->flow_m3_s[i];
    p->a = p->alpha - inertia * flow;
    p->b = p->beta + e->friction_pa_s_m3 + e->loss_pa_s2_m6 * fabs(flow) + inertia;
    before->conductance += 1 / p->b;
    before->driven += p->a / p->b;
  }
}

/* Makes a step to the moment with this inflow; returns the static pressure at the main inlet. */
static double step(state *s, double inflow_m3_s) {
  part of[HT_NETWORK_MAX], root = {0};
  memset(of, 0, sizeof of);
  eliminate(s, inflow_m3_s, of, &root);
  const double main_m3_s = s->main_share * inflow_m3_s;
  const double inlet_pa = (main_m3_s + root.source_m3_s + root.driven) / root.conductance;
  for (int i = 0; i < s->network->elements; i++) {
    const ht_network_element *e = &s->network->element[i];
    const double start_pa = e->before < 0 ? inlet_pa : of[e->before].end_pa;
    s->flow_m3_s[i] =
        e->source_share > 0 ? -e->source_share * inflow_m3_s : (start_pa - of[i].a) / of[i].b;
    of[i].end_pa = of[i].alpha + of[i].beta * s->flow_m3_s[i];
    if (!e->is_outlet) continue;
    ht_windkessel w = e->windkessel;
    w.stored_pa = s->stored_pa[i];
    ht_windkessel_step(&w, s->flow_m3_s[i], s->step_s);
    s->stored_pa[i] = w.stored_pa;
  }
  return inlet_pa - s->network->inlet_pa_s2_m6 * main_m3_s * main_m3_s;
}

/* Runs a beat and measures it. rise: from rest. */
static void run_beat(state *s, const double *flow_m3_s, int rise, ht_network_beat *beat) {
  beat->systolic_pa = -INFINITY, beat->diastolic_pa = INFINITY, beat->mean_pa = 0;
  memset(beat->flow_m3_s, 0, sizeof beat->flow_m3_s);
  if (rise) memset(s->flow_m3_s, 0, sizeof s->flow_m3_s);
  for (int n = 1; n <= HT_NETWORK_MOMENTS; n++) {
    const int rises = rise && n * RAMP < HT_NETWORK_MOMENTS;
    const double part = rises ? 0.5 * (1 - cos(HT_PI * n * RAMP / HT_NETWORK_MOMENTS)) : 1;
    const double pressure_pa = step(s, part * flow_m3_s[n % HT_NETWORK_MOMENTS]);
    beat->systolic_pa = fmax(beat->systolic_pa, pressure_pa);
    beat->diastolic_pa = fmin(beat->diastolic_pa, pressure_pa);
    beat->mean_pa += pressure_pa / HT_NETWORK_MOMENTS;
    for (int i = 0; i < s->network->elements; i++)
      beat->flow_m3_s[i] += s->flow_m3_s[i] / HT_NETWORK_MOMENTS;
  }
}

/* Begins at the mean flow, divided as the Windkessels' resistances would. */
static void begin(const ht_network *network, double mean_m3_s, double step_s, state *s) {
  double conductance = 0, driven = 0;
  *s = (state){.network = network, .step_s = step_s, .main_share = 1};
  for (int i = 0; i < network->elements; i++) {
    const ht_network_element *e = &network->element[i];
    s->main_share -= e->source_share;
    if (!e->is_outlet) continue;
    const double resistance = e->windkessel.proximal_pa_s_m3 + e->windkessel.distal_pa_s_m3;
    conductance += 1 / resistance;
    driven += e->distal_pa / resistance;
  }
  const double pressure_pa = (mean_m3_s + driven) / conductance;
  for (int i = 0; i < network->elements; i++) {
    const ht_network_element *e = &network->element[i];
    if (!e->is_outlet) continue;
    const double resistance = e->windkessel.proximal_pa_s_m3 + e->windkessel.distal_pa_s_m3;
    s->stored_pa[i] = e->windkessel.distal_pa_s_m3 * (pressure_pa - e->distal_pa) / resistance;
  }
}

static double largest_change(const state *s, const double *before_pa) {
  double most = 0, change = 0;
  for (int i = 0; i < s->network->elements; i++) {
    most = fmax(most, fabs(s->stored_pa[i]));
    change = fmax(change, fabs(s->stored_pa[i] - before_pa[i]));
  }
  return most > 0 ? change / most : 0;
}

/* Returns the share of a difference that the slowest Windkessel alone keeps over a beat. */
static double most_kept(const ht_network *network, double period_s) {
  double most = 0;
  for (int i = 0; i < network->elements; i++) {
    const ht_windkessel *w = &network->element[i].windkessel;
    if (network->element[i].is_outlet)
      most = fmax(most, exp(-period_s / (w->distal_pa_s_m3 * w->compliance_m3_pa)));
  }
  return most;
}

/* Adds to the start what a beat from rest misses, over that share: outlets of one speed are right
 * at once, others after some corrections. A start that is forgotten within the beat stays. */
static void find_rest_start(const state *periodic, const double *flow_m3_s, double period_s,
                            ht_network_beat *beat) {
  const double kept = most_kept(periodic->network, period_s), forgotten = 0.01;
  memcpy(beat->rest_start_pa, beat->start_pa, sizeof beat->rest_start_pa);
  for (int n = 0; n < CORRECTIONS && kept > forgotten; n++) {
    state s = *periodic;
    ht_network_beat first;
    memcpy(s.stored_pa, beat->rest_start_pa, sizeof s.stored_pa);
    run_beat(&s, flow_m3_s, 1, &first);
    for (int i = 0; i < s.network->elements; i++)
      beat->rest_start_pa[i] += (beat->start_pa[i] - s.stored_pa[i]) / kept;
  }
}

ht_status ht_network_periodic(const ht_network *network, const ht_waveform *inflow,
                              ht_network_beat *beat) {
  double flow_m3_s[HT_NETWORK_MOMENTS], before_pa[HT_NETWORK_MAX], mean = 0;
  const double step_s = inflow->period_s / HT_NETWORK_MOMENTS;
  int outlets = 0;
  state s;
  memset(beat, 0, sizeof *beat);
  for (int i = 0; i < network->elements; i++) outlets += network->element[i].is_outlet;
  if (outlets == 0) return ht_fail(HT_ERR_INTERNAL, "a network without outlets");
  for (int n = 0; n < HT_NETWORK_MOMENTS; n++) {
    flow_m3_s[n] = 1e-6 * ht_waveform_value(inflow, n * step_s);
    mean += flow_m3_s[n] / HT_NETWORK_MOMENTS;
  }
  begin(network, mean, step_s, &s);
  do {
    memcpy(before_pa, s.stored_pa, sizeof before_pa);
    run_beat(&s, flow_m3_s, 0, beat);
  } while (++beat->beats < HT_NETWORK_BEATS_MAX && largest_change(&s, before_pa) > repeats);
  memcpy(beat->start_pa, s.stored_pa, sizeof beat->start_pa);
  if (beat->beats == HT_NETWORK_BEATS_MAX)
    return ht_fail(HT_ERR_INTERNAL, "a network that does not repeat after %d beats", beat->beats);
  find_rest_start(&s, flow_m3_s, inflow->period_s, beat);
  return HT_OK;
}
