/* The flow through the ports over a period of a pulse, by which their velocity is corrected to the
 * prescribed flow. Private to solver/. */
#ifndef HT_PORT_CORRECTION_H
#define HT_PORT_CORRECTION_H

#include "solver/run/step/solve_run.h"

/* Sums over a period for least squares: the flow through each port, the prescribed flow (voxels per
 * step), their products, and the products of both with the prescribed flow's rate of change per
 * step. Zeroed: none. */
typedef struct {
  double flow_lu[HT_OPENINGS_MAX], prescribed_lu[HT_OPENINGS_MAX];
  double product[HT_OPENINGS_MAX], square[HT_OPENINGS_MAX]; /* flow * prescribed, prescribed^2 */
  /* flow * rate, prescribed * rate, rate^2: */
  double by_rate[HT_OPENINGS_MAX], crossed[HT_OPENINGS_MAX], rate2[HT_OPENINGS_MAX];
} ht_port_sums;

/* The flow through the ports so far. Zeroed: no moment yet. */
typedef struct {
  ht_port_sums sums;
  int moments;                     /* in these sums */
  double rate;                     /* of all inlets' flow at the last of them, a step */
  double flow_lu[HT_OPENINGS_MAX]; /* into the ports at the last sample */
} ht_port_record;

/* Begins the sums of a period after step `step`. */
void ht_port_record_begin(int64_t step, ht_port_volume *volume, ht_port_record *record);

/* Measures the flow into the ports, and adds it where the inflow does not rise from rest any more.
 * HT_ERR_DEVICE. */
ht_status ht_port_record_add(const ht_port_drive *drive, int64_t step, ht_port_record *record);

/* Finds the mean flow into the ports over the sums, [ports] voxels per step. */
void ht_port_record_mean(const ht_port_volume *volume, int ports, const ht_port_record *record,
                         double *flow_lu);

/* Returns the largest relative error of a port's mean flow over the period. */
double ht_port_record_off(const ht_port_volume *volume, int ports, const ht_port_record *record);

/* Corrects by least squares, because the mean of a part of a period may be 0. The sums then
 * continue as if the ports had been correct. HT_ERR_DEVICE; so of the next two. */
ht_status ht_port_correct_early(ht_solve_run *run, ht_port_record *record);

/* Corrects by the mean flow of the period that ends. The harmonics' profiles are steeper at the
 * wall than that of the mean flow, so that a coarse lattice lets another share of them through:
 * they are corrected as well. */
ht_status ht_port_correct_period(ht_solve_run *run, const ht_port_record *record);

/* Corrects after a lead of a part of a beat. The flow lags some steps behind the prescribed one:
 * flow = factor * prescribed + other * rate, by least squares. A fit to the rise alone would take
 * the lag for too small a flow. */
ht_status ht_port_correct_lead(ht_solve_run *run, const ht_port_record *record);

#endif
