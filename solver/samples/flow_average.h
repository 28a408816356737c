/* Means of a flow over samples of it, and the energy of what fluctuates about them. Private to
 * solver/. */
#ifndef HT_FLOW_AVERAGE_H
#define HT_FLOW_AVERAGE_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"
#include "core/formats/state_stream.h"

/* The mean of velocity, pressure and stress: 40 bytes per node. */
typedef struct {
  ht_flow mean; /* these three arrays are owned; the rest is that of the flow it was made for */
  int count;    /* samples */
  double fastest_m_s; /* of these samples, in the vessel */
} ht_flow_average;

/* Makes an average, of no sample yet. HT_ERR_MEMORY. Free it, also after a failure. */
ht_status ht_flow_average_make(const ht_flow *flow, ht_flow_average *average);
void ht_flow_average_add(const ht_domain *domain, const ht_flow *flow, ht_flow_average *average);

/* Forgets the samples. */
void ht_flow_average_clear(ht_flow_average *average);

/* Moves the samples so far to a stream or from it; a load needs an average that is made. */
ht_status ht_flow_average_move(ht_flow_average *average, ht_state *stream);

/* The mean becomes the flow; the average has the flow's arrays then. */
void ht_flow_average_swap(ht_flow *flow, ht_flow_average *average);
void ht_flow_average_free(ht_flow_average *average);

/* Phase averages of the velocity: u = <u>(phase) + u', with <u> the mean over the beats at one
 * phase. The kinetic energy of u', rho/2 <u'.u'>, is estimated with the samples - 1 (Welford,
 * Technometrics 4 (1962) 419). 16 bytes per node and phase. A flow without beats has one phase. */
typedef struct {
  int64_t nodes;
  int phases;
  int count[HT_TKE_PHASES]; /* samples of each phase */
  float *mean;              /* [phases][nodes][3] m/s; owned */
  float *square;            /* [phases][nodes] sum of |u'|^2, m2/s2; owned */
} ht_turbulence;

/* Makes the sums, of no sample yet. HT_ERR_MEMORY. Free it, also after a failure. */
ht_status ht_turbulence_make(int64_t nodes, int phases, ht_turbulence *turbulence);
void ht_turbulence_add(int phase, const ht_flow *flow, ht_turbulence *turbulence);
void ht_turbulence_clear(ht_turbulence *turbulence);

/* Moves the samples so far. A load makes the struct, zeroed before, where the one saved was made.
 * HT_ERR_MEMORY. */
ht_status ht_turbulence_move(int64_t nodes, ht_turbulence *turbulence, ht_state *stream);

/* Gives the flow its tke_j_m3 and tke_peak_j_m3, and the statistics the energy in the vessel at
 * each phase (not their times). Nothing where a phase has fewer than 2 samples. HT_ERR_MEMORY. */
ht_status ht_turbulence_result(const ht_turbulence *turbulence, const ht_domain *domain,
                               ht_flow *flow, ht_flow_stats *stats);
void ht_turbulence_free(ht_turbulence *turbulence);

/* sqrt(sum |a - b|^2 / sum |a|^2) over [count] numbers; NaN where a is 0. */
double ht_relative_change(const float *a, const float *b, int64_t count);

/* Returns the change between two velocities of a flow, [nodes][3], over the vessel's own nodes: an
 * extension is no part of the results. */
double ht_vessel_change(const ht_domain *domain, const ht_flow *flow, const float *a,
                        const float *b);

#endif
