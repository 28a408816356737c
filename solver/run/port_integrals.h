/* Sums over the samples of a period, by which the flow through the ports is corrected to the
 * prescribed one. Private to solver/. */
#ifndef HT_PORT_INTEGRALS_H
#define HT_PORT_INTEGRALS_H

#include "solver/solver.h"
#include "solver/run/biexponential.h"

/* Sums of the flow through each port, of the prescribed flow (voxels per step), and of the latter's
 * rate, per step. Zeroed: none. */
typedef struct {
  double flow_lu[HT_OPENINGS_MAX], asked_lu[HT_OPENINGS_MAX];
  double product[HT_OPENINGS_MAX], square[HT_OPENINGS_MAX]; /* of flow * asked, asked^2 */
  /* Sums of flow * rate, asked * rate, rate^2: */
  double by_rate[HT_OPENINGS_MAX], crossed[HT_OPENINGS_MAX], rate2[HT_OPENINGS_MAX];
} ht_port_sums;

static inline void ht_port_sums_add(ht_port_sums *sums, int port, double flow_lu, double asked_lu,
                                    double rate) {
  sums->flow_lu[port] += flow_lu;
  sums->asked_lu[port] += asked_lu;
  sums->product[port] += flow_lu * asked_lu;
  sums->square[port] += asked_lu * asked_lu;
  sums->by_rate[port] += flow_lu * rate;
  sums->crossed[port] += asked_lu * rate;
  sums->rate2[port] += rate * rate;
}

/* The fit flow = factor * asked + other * rate. 0: the two cannot be told apart. */
static inline int ht_port_sums_factor(const ht_port_sums *sums, int port, double *factor) {
  return ht_first_of_two(sums->square[port], sums->crossed[port], sums->rate2[port],
                         sums->product[port], sums->by_rate[port], factor);
}

/* The share of the swing that goes through, over a whole period of `samples` samples: flow = mean +
 * share * swing + other * rate, where the mean of the rate is 0. 0: it cannot be told. */
static inline double ht_port_sums_swing(const ht_port_sums *sums, int port, int samples) {
  double share = 0, mean = samples > 0 ? sums->asked_lu[port] / samples : 0;
  double square = sums->square[port] - mean * sums->asked_lu[port];
  double product = sums->product[port] - mean * sums->flow_lu[port];
  if (!(square > 0)) return 0;
  (void)ht_first_of_two(square, sums->crossed[port], sums->rate2[port], product,
                        sums->by_rate[port], &share);
  return share;
}

#endif
