#include "solver/inflow/windkessel_fit.h"
#include "core/numbers/units.h"
#include <math.h>

enum { MOMENTS = 1000, HALVINGS = 40, RAMP = 4 /* of a period: its part */ };

static const double proximal_share = 0.056, most_of_pulse = 0.6;
static const double near_enough_pa = 0.01 * HT_PA_PER_MMHG;

typedef struct {
  double flow_m3_s[MOMENTS + 1]; /* evenly over the period, the first again at the end */
  double step_s, mean_m3_s, least_m3_s, most_m3_s;
} pulse;

static void sample(const ht_waveform *inflow, pulse *p) {
  p->step_s = inflow->period_s / MOMENTS;
  p->mean_m3_s = 0;
  p->least_m3_s = INFINITY;
  p->most_m3_s = -INFINITY;
  for (int n = 0; n <= MOMENTS; n++) {
    double flow = 1e-6 * ht_waveform_value(inflow, n * p->step_s);
    p->flow_m3_s[n] = flow;
    if (n < MOMENTS) p->mean_m3_s += flow / MOMENTS;
    p->least_m3_s = fmin(p->least_m3_s, flow);
    p->most_m3_s = fmax(p->most_m3_s, flow);
  }
}

/* S after a step: C dS/dt = Q - S / Rd by the trapezoidal rule. */
static double next(const pulse *p, const ht_windkessel *w, int n, double stored_pa) {
  double half = 0.5 * p->step_s / (w->distal_pa_s_m3 * w->compliance_m3_pa);
  double flow = 0.5 * (p->flow_m3_s[n] + p->flow_m3_s[n + 1]);
  return (stored_pa * (1 - half) + p->step_s / w->compliance_m3_pa * flow) / (1 + half);
}

/* The equation is linear: one period from 0 gives what is added, its factor what is kept. */
static void repeat(const pulse *p, const ht_windkessel *w, ht_windkessel_beat *beat) {
  double half = 0.5 * p->step_s / (w->distal_pa_s_m3 * w->compliance_m3_pa), stored_pa = 0;
  for (int n = 0; n < MOMENTS; n++) stored_pa = next(p, w, n, stored_pa);
  double kept = pow((1 - half) / (1 + half), MOMENTS);
  *beat = (ht_windkessel_beat){
      .systolic_pa = -INFINITY, .diastolic_pa = INFINITY, .start_pa = stored_pa / (1 - kept)};
  stored_pa = beat->start_pa;
  for (int n = 0; n < MOMENTS; n++) {
    double pressure_pa = w->proximal_pa_s_m3 * p->flow_m3_s[n] + stored_pa;
    beat->systolic_pa = fmax(beat->systolic_pa, pressure_pa);
    beat->diastolic_pa = fmin(beat->diastolic_pa, pressure_pa);
    beat->mean_pa += pressure_pa / MOMENTS;
    stored_pa = next(p, w, n, stored_pa);
  }
}

static void find_start(const pulse *p, const ht_windkessel *w, ht_windkessel_beat *beat) {
  pulse slow = *p;
  double half = 0.5 * p->step_s / (w->distal_pa_s_m3 * w->compliance_m3_pa), stored_pa = 0;
  for (int n = 0; n < MOMENTS / RAMP; n++)
    slow.flow_m3_s[n] *= 0.5 * (1 - cos(HT_PI * n * RAMP / MOMENTS));
  for (int n = 0; n < MOMENTS; n++) stored_pa = next(&slow, w, n, stored_pa);
  beat->rest_start_pa = (beat->start_pa - stored_pa) / pow((1 - half) / (1 + half), MOMENTS);
}

void ht_windkessel_periodic(const ht_waveform *inflow, const ht_windkessel *windkessel,
                            ht_windkessel_beat *beat) {
  pulse p;
  sample(inflow, &p);
  repeat(&p, windkessel, beat);
  find_start(&p, windkessel, beat);
}

/* The distal resistance with the diastolic pressure, which rises with it. */
static void fit_distal(const pulse *p, double diastolic_pa, double guess, ht_windkessel *w,
                       ht_windkessel_beat *beat) {
  double low = 1e-3 * guess, high = 1e3 * guess;
  for (int halving = 0; halving < HALVINGS; halving++) {
    w->distal_pa_s_m3 = sqrt(low * high);
    repeat(p, w, beat);
    if (beat->diastolic_pa < diastolic_pa)
      low = w->distal_pa_s_m3;
    else
      high = w->distal_pa_s_m3;
  }
}

/* The compliance with the systolic pressure, which falls with it. */
static void fit_compliance(const pulse *p, double systolic_pa, double diastolic_pa, double guess,
                           ht_windkessel *w, ht_windkessel_beat *beat) {
  double period_s = p->step_s * MOMENTS;
  double low = 1e-2 * period_s / guess, high = 1e3 * period_s / guess;
  for (int halving = 0; halving < HALVINGS; halving++) {
    w->compliance_m3_pa = sqrt(low * high);
    fit_distal(p, diastolic_pa, guess, w, beat);
    if (beat->systolic_pa > systolic_pa)
      low = w->compliance_m3_pa;
    else
      high = w->compliance_m3_pa;
  }
}

ht_status ht_windkessel_fit(const ht_waveform *inflow, double systolic_pa, double diastolic_pa,
                            ht_windkessel *w, ht_windkessel_beat *beat) {
  pulse p;
  *w = (ht_windkessel){0};
  *beat = (ht_windkessel_beat){0};
  if (!(diastolic_pa > 0 && systolic_pa > diastolic_pa))
    return ht_fail(HT_ERR_CASE,
                   "blood pressure %.3g over %.3g mmHg: both have to be above 0, and the first, "
                   "the systolic one, above the second",
                   systolic_pa / HT_PA_PER_MMHG, diastolic_pa / HT_PA_PER_MMHG);
  sample(inflow, &p);
  double total = (systolic_pa + 2 * diastolic_pa) / 3 / p.mean_m3_s;
  w->proximal_pa_s_m3 = fmin(proximal_share * total, most_of_pulse * (systolic_pa - diastolic_pa) /
                                                         (p.most_m3_s - p.least_m3_s));
  fit_compliance(&p, systolic_pa, diastolic_pa, total, w, beat);
  find_start(&p, w, beat);
  if (fabs(beat->systolic_pa - systolic_pa) <= near_enough_pa &&
      fabs(beat->diastolic_pa - diastolic_pa) <= near_enough_pa)
    return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "no Windkessel gives %.3g over %.3g mmHg with this flow (the nearest is %.3g over "
                 "%.3g): check the blood pressure, the cardiac output and the heart rate",
                 systolic_pa / HT_PA_PER_MMHG, diastolic_pa / HT_PA_PER_MMHG,
                 beat->systolic_pa / HT_PA_PER_MMHG, beat->diastolic_pa / HT_PA_PER_MMHG);
}
