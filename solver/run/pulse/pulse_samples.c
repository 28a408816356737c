#include "solver/run/pulse/pulse_samples.h"
#include "solver/run/ports/outlet_loss.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/step/observer.h"
#include "solver/run/step/solve_step.h"
#include "solver/run/step/stepped_lattice.h"
#include <string.h>

int ht_pulse_learns_loss(const ht_pulse *pulse) {
  const ht_outlet_states *outlets = &pulse->run->outlets;
  return !outlets->has_sponge || !ht_outlet_loss_is_known(outlets);
}

static ht_status take(void *user) {
  ht_pulse *pulse = user;
  ht_solve_run *run = pulse->run;
  const ht_solve_setup *setup = &run->setup;
  const ht_beat_schedule *schedule = &pulse->schedule;
  ht_beat_sample *taken = &pulse->taken;
  ht_solve_results *to = &run->results;
  const int sample = taken->sample;
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  HT_TRY(ht_stepped_take(run, taken->reference_pa));
  ht_beat_results_add(schedule, sample, taken->is_first, taken->flow_lu, to, &pulse->results);
  ht_opening_nodes_take(to->flow, &to->openings);
  ht_opening_pressures(&to->openings, pressure_pa);
  ht_port_pressures(&to->openings, port_pa);
  ht_beat_pressures_add(pressure_pa, setup->domain->ports, schedule->samples,
                        sample == ht_beat_sample_at(schedule, 0), taken->is_first,
                        &pulse->results.pressure);
  if (taken->learns)
    ht_outlet_loss_add(&setup->plan.units, taken->flow_lu, 0, pressure_pa, port_pa, &run->outlets);
  const ht_flow_sample moment = {.time_s = ht_beat_sample_s(schedule, sample),
                                 .beat = pulse->results.count.counted,
                                 .index = sample,
                                 .is_peak = sample == schedule->peak,
                                 .begins = taken->is_first};
  return ht_observer_show(setup, to->flow, &moment, taken->flow_lu, pressure_pa);
}

/* Begins to take a sample that counts. The steps go on meanwhile, where the device allows it. */
static ht_status begin(ht_pulse *pulse, int place) {
  ht_solve_run *run = pulse->run;
  ht_beat_sample *taken = &pulse->taken;
  HT_TRY(ht_side_work_wait(run->results.side_work));
  HT_TRY(ht_observer_ready(run->setup.options));
  HT_TRY(ht_stepped_keep(run, 1));
  taken->sample = ht_beat_sample_at(&pulse->schedule, place);
  taken->is_first = place == 0 && pulse->results.count.counted == 0;
  taken->learns = run->step >= run->setup.plan.ramp_steps && ht_pulse_learns_loss(pulse);
  taken->reference_pa = ht_outlets_reference_pa(&run->setup, &run->outlets);
  memcpy(taken->flow_lu, pulse->ports.flow_lu, sizeof taken->flow_lu);
  ht_solve_results_set_step(run->step, &run->results);
  return ht_side_work_begin(run->results.side_work, take, pulse);
}

/* Follows the pressures before the samples that count. */
static ht_status follow_pressures(ht_pulse *pulse, int place) {
  ht_solve_run *run = pulse->run;
  const ht_solve_setup *setup = &run->setup;
  const ht_port_record *ports = &pulse->ports;
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  HT_TRY(ht_solve_read_pressures(run, pressure_pa, port_pa));
  ht_beat_pressures_add(pressure_pa, setup->domain->ports, pulse->schedule.samples, place == 0,
                        place == 0, &pulse->results.pressure);
  if (run->step >= setup->plan.ramp_steps)
    ht_outlet_loss_add(&setup->plan.units, ports->flow_lu, ports->rate, pressure_pa, port_pa,
                       &run->outlets);
  return HT_OK;
}

ht_status ht_pulse_sample(ht_pulse *pulse, int place) {
  ht_solve_run *run = pulse->run;
  const ht_beat_schedule *schedule = &pulse->schedule;
  const int counts = ht_beat_counts(schedule);
  const int tunes = run->cuff.is_used && ht_beat_tunes(schedule);
  ht_lattice_monitor seen;
  HT_TRY(ht_port_record_add(&run->drive, run->step, &pulse->ports));
  HT_TRY(ht_solve_watch(run, &seen)); /* keep only a finite flow */
  if (!counts || tunes) HT_TRY(follow_pressures(pulse, place));
  if (counts) return begin(pulse, place);
  if (ht_beat_sample_at(schedule, place) != schedule->peak) return HT_OK;
  HT_TRY(ht_solve_read(run));
  ht_beat_results_compare_peak(schedule, &run->results, &pulse->results);
  return HT_OK;
}
