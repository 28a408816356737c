#include "solver/run/pulse/port_correction.h"
#include "solver/run/ports/two_variable_fit.h"
#include <math.h>
#include <string.h>

/* ---- the sums ---- */

static void add_moment(ht_port_sums *sums, int port, double flow_lu, double prescribed_lu,
                       double rate) {
  sums->flow_lu[port] += flow_lu;
  sums->prescribed_lu[port] += prescribed_lu;
  sums->product[port] += flow_lu * prescribed_lu;
  sums->square[port] += prescribed_lu * prescribed_lu;
  sums->by_rate[port] += flow_lu * rate;
  sums->crossed[port] += prescribed_lu * rate;
  sums->rate2[port] += rate * rate;
}

/* Fits flow = factor * prescribed + other * rate. 0: the two cannot be told apart. */
static int fit_factor(const ht_port_sums *sums, int port, double *factor) {
  return ht_two_variable_fit(sums->square[port], sums->crossed[port], sums->rate2[port],
                             sums->product[port], sums->by_rate[port], factor);
}

/* Returns the share of the swing that goes through, over a whole period of `samples` samples: flow
 * = mean + share * swing + other * rate, where the mean of the rate is 0. 0: it cannot be told. */
static double fit_swing(const ht_port_sums *sums, int port, int samples) {
  double share = 0, mean = samples > 0 ? sums->prescribed_lu[port] / samples : 0;
  double square = sums->square[port] - mean * sums->prescribed_lu[port];
  double product = sums->product[port] - mean * sums->flow_lu[port];
  if (!(square > 0)) return 0;
  (void)ht_two_variable_fit(square, sums->crossed[port], sums->rate2[port], product,
                            sums->by_rate[port], &share);
  return share;
}

void ht_port_record_begin(int64_t step, ht_port_volume *volume, ht_port_record *record) {
  record->moments = 0;
  memset(&record->sums, 0, sizeof record->sums);
  ht_port_volume_begin(step, volume);
}

/* Finds the rate of change of the prescribed port flows, voxels per step^2. */
static void prescribed_rate(const ht_solve_setup *setup, int64_t step, double *rate) {
  double before[HT_OPENINGS_MAX];
  step += setup->plan.cycle_steps; /* of the wave, which has no begin there */
  ht_prescribed_flow(setup, step + 1, rate);
  ht_prescribed_flow(setup, step - 1, before);
  for (int p = 0; p < setup->domain->ports; p++) rate[p] = (rate[p] - before[p]) / 2;
}

ht_status ht_port_record_add(const ht_port_drive *drive, int64_t step, ht_port_record *record) {
  const ht_solve_setup *setup = drive->setup;
  double prescribed_lu[HT_OPENINGS_MAX], rate[HT_OPENINGS_MAX];
  HT_TRY(ht_port_drive_measure(drive, record->flow_lu, NULL));
  if (step < setup->plan.ramp_steps) return HT_OK;
  ht_prescribed_flow(setup, step, prescribed_lu);
  prescribed_rate(setup, step, rate);
  record->rate = 0;
  for (int p = 0; p < setup->domain->ports; p++) {
    record->rate += rate[p];
    add_moment(&record->sums, p, record->flow_lu[p], prescribed_lu[p], rate[p]);
  }
  record->moments++;
  return HT_OK;
}

void ht_port_record_mean(const ht_port_volume *volume, int ports, const ht_port_record *record,
                         double *flow_lu) {
  for (int p = 0; p < ports; p++)
    flow_lu[p] = record->moments > 0 ? record->sums.flow_lu[p] / record->moments : 0;
  ht_port_volume_mean(volume, ports, flow_lu, NULL);
}

/* Finds the flow and the prescribed flow over the period, both [ports] and in the same unit. */
static void find_flows(const ht_port_volume *volume, int ports, const ht_port_record *record,
                       double *flow_lu, double *prescribed_lu) {
  memcpy(flow_lu, record->sums.flow_lu, sizeof record->sums.flow_lu);
  memcpy(prescribed_lu, record->sums.prescribed_lu, sizeof record->sums.prescribed_lu);
  ht_port_volume_mean(volume, ports, flow_lu, prescribed_lu);
}

double ht_port_record_off(const ht_port_volume *volume, int ports, const ht_port_record *record) {
  double flow_lu[HT_OPENINGS_MAX], prescribed_lu[HT_OPENINGS_MAX], most = 0;
  find_flows(volume, ports, record, flow_lu, prescribed_lu);
  for (int p = 0; p < ports; p++)
    if (prescribed_lu[p] != 0) most = fmax(most, fabs(flow_lu[p] / prescribed_lu[p] - 1));
  return most;
}

/* ---- corrections ---- */

/* Waits for the sample that is being taken: its flow is that of the present ports. */
static ht_status correct(ht_solve_run *run, const double *flow_lu, const double *prescribed_lu) {
  HT_TRY(ht_side_work_wait(run->results.side_work));
  return ht_port_drive_correct(flow_lu, prescribed_lu, &run->drive);
}

ht_status ht_port_correct_early(ht_solve_run *run, ht_port_record *record) {
  ht_port_sums *sums = &record->sums;
  HT_TRY(correct(run, sums->product, sums->square));
  for (int p = 0; p < run->setup.domain->ports; p++) sums->product[p] = sums->square[p];
  return HT_OK;
}

ht_status ht_port_correct_period(ht_solve_run *run, const ht_port_record *record) {
  const double most = 0.1; /* sound may be in the flow */
  const ht_solve_setup *setup = &run->setup;
  const int ports = setup->domain->ports;
  double flow_lu[HT_OPENINGS_MAX], prescribed_lu[HT_OPENINGS_MAX], share[HT_OPENINGS_MAX] = {0};
  for (int p = 0; p < ports; p++)
    if (setup->plan.inlet[p] && setup->plan.inlet[p]->series.harmonics > 0)
      share[p] = fit_swing(&record->sums, p, record->moments);
  find_flows(&run->volume, ports, record, flow_lu, prescribed_lu);
  HT_TRY(correct(run, flow_lu, prescribed_lu));
  for (int p = 0; p < ports; p++) {
    if (!(share[p] > 0)) continue;
    double factor = flow_lu[p] / prescribed_lu[p] / share[p], *off = &run->drive.swing_off[p];
    if (fabs(factor - 1) <= most) *off = (1 + *off) * factor - 1;
  }
  return HT_OK;
}

ht_status ht_port_correct_lead(ht_solve_run *run, const ht_port_record *record) {
  double factor[HT_OPENINGS_MAX], one[HT_OPENINGS_MAX];
  for (int p = 0; p < run->setup.domain->ports; p++)
    one[p] = fit_factor(&record->sums, p, &factor[p]);
  return correct(run, factor, one);
}
