#include "solver/run/ports/fit_blood_pressure.h"
#include <math.h>
#include <stdlib.h>

/* Share of the difference that is taken over at once: all of it overshoots, as the vessel's part of
 * the pressure changes with the flow that the new Windkessels let out. */
static const double taken_over = 0.9;

static ht_status fit(const ht_solve_setup *setup, const double target_pa[2], ht_windkessel *whole,
                     ht_windkessel_beat *beat) {
  ht_waveform *inflow;
  HT_TRY(ht_alloc((void **)&inflow, 1, sizeof *inflow, "the waveform"));
  *inflow = *setup->options->waveform;
  ht_status status = ht_waveform_scale(inflow, 1e6 * setup->plan.flow_m3_s);
  if (status == HT_OK) status = ht_windkessel_fit(inflow, target_pa[0], target_pa[1], whole, beat);
  free(inflow);
  return status;
}

ht_status ht_cuff_begin(const ht_solve_setup *setup, ht_cuff *cuff) {
  const double *measured_pa = setup->options->cuff_pa;
  if (cuff->is_used || !(measured_pa[0] > 0) || !ht_solve_is_pulse(setup)) return HT_OK;
  if (setup->options->outlets != HT_OUTLETS_WINDKESSEL) return HT_OK;
  for (int k = 0; k < 2; k++) cuff->target_pa[k] = measured_pa[k];
  HT_TRY(fit(setup, cuff->target_pa, &cuff->whole, &cuff->beat));
  cuff->is_used = 1;
  return HT_OK;
}

static void change_outlet(const ht_cuff *cuff, const ht_windkessel *whole,
                          const ht_windkessel_beat *beat, ht_windkessel *outlet) {
  outlet->proximal_pa_s_m3 *= whole->proximal_pa_s_m3 / cuff->whole.proximal_pa_s_m3;
  outlet->compliance_m3_pa *= whole->compliance_m3_pa / cuff->whole.compliance_m3_pa;
  outlet->distal_pa_s_m3 *= whole->distal_pa_s_m3 / cuff->whole.distal_pa_s_m3;
  outlet->stored_pa += beat->start_pa - cuff->beat.start_pa;
}

static int main_inlet(const ht_solve_setup *setup) {
  int most = 0;
  for (int i = 1; i < setup->domain->ports; i++)
    if (ht_is_larger_inflow(setup->plan.inflow_m3_s[i], setup->plan.inflow_m3_s[most])) most = i;
  return most;
}

void ht_cuff_tune(const ht_solve_setup *setup, const double *highest_pa, const double *lowest_pa,
                  ht_outlet_states *outlets, ht_cuff *cuff) {
  const int inlet = main_inlet(setup);
  const double *measured_pa = setup->options->cuff_pa;
  double target_pa[2] = {cuff->target_pa[0] + taken_over * (measured_pa[0] - highest_pa[inlet]),
                         cuff->target_pa[1] + taken_over * (measured_pa[1] - lowest_pa[inlet])};
  ht_windkessel whole;
  ht_windkessel_beat beat;
  if (fit(setup, target_pa, &whole, &beat) != HT_OK) {
    cuff->refused++;
    return;
  }
  double proximal = whole.proximal_pa_s_m3 / cuff->whole.proximal_pa_s_m3;
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p]) continue;
    change_outlet(cuff, &whole, &beat, &outlets->of[p]->model);
    outlets->of[p]->lag_s *= proximal; /* the filter's lag goes with it */
  }
  for (int k = 0; k < 2; k++) cuff->target_pa[k] = target_pa[k];
  cuff->refused = 0; /* since the last one that was taken */
  cuff->whole = whole;
  cuff->beat = beat;
  cuff->tuned++;
}

void ht_cuff_record(const ht_cuff *cuff, ht_flow_stats *stats) {
  stats->cuff_tuned = cuff->tuned;
  stats->cuff_refused = cuff->refused;
  stats->windkessel[0] = cuff->whole.proximal_pa_s_m3;
  stats->windkessel[1] = cuff->whole.compliance_m3_pa;
  stats->windkessel[2] = cuff->whole.distal_pa_s_m3;
  for (int k = 0; k < 2; k++) stats->lumped_pa[k] = cuff->target_pa[k];
}
