#include "solver/run/ports/port_volume.h"
#include "solver/run/ports/port_drive.h"

void ht_port_volume_begin(int64_t step, ht_port_volume *volume) {
  *volume = (ht_port_volume){.from = step};
}

void ht_port_volume_add(const ht_solve_setup *setup, const ht_outlet_states *outlets, int64_t step,
                        const double *flow_lu, ht_port_volume *volume) {
  double prescribed_lu[HT_OPENINGS_MAX];
  if (!outlets->has_sponge && setup->options->outlets != HT_OUTLETS_WINDKESSEL) return;
  if (step <= setup->plan.ramp_steps) return;
  int64_t steps = step - (outlets->step > volume->from ? outlets->step : volume->from);
  ht_prescribed_flow(setup, step, prescribed_lu);
  for (int p = 0; p < setup->domain->ports; p++) {
    volume->flow_lu[p] += (double)steps * flow_lu[p];
    volume->prescribed_lu[p] += (double)steps * prescribed_lu[p];
  }
  volume->steps += steps;
}

void ht_port_volume_mean(const ht_port_volume *volume, int ports, double *flow_lu,
                         double *prescribed_lu) {
  if (volume->steps == 0) return;
  for (int p = 0; p < ports; p++) {
    flow_lu[p] = volume->flow_lu[p] / (double)volume->steps;
    if (prescribed_lu) prescribed_lu[p] = volume->prescribed_lu[p] / (double)volume->steps;
  }
}

ht_status ht_port_volume_move(int64_t step, ht_port_volume *volume, ht_state *stream) {
  HT_TRY(HT_STATE_OF(stream, volume->flow_lu));
  HT_TRY(HT_STATE_OF(stream, volume->prescribed_lu));
  HT_TRY(ht_state_count(stream, &volume->steps, 0, step));
  return ht_state_count(stream, &volume->from, 0, step);
}
