#include "solver/run/pulse/moment_balance.h"
#include <math.h>

void ht_moment_balance_add(const ht_domain *domain, const double *flow_lu, double time_s,
                           ht_moment_balance *balance) {
  double in_lu = 0, out_lu = 0;
  for (int p = 0; p < domain->ports; p++) {
    if (domain->port[p].opening.role == HT_ROLE_INLET)
      in_lu += flow_lu[p];
    else
      out_lu -= flow_lu[p];
  }
  balance->peak_lu = fmax(balance->peak_lu, fabs(in_lu));
  if (fabs(in_lu - out_lu) <= fabs(balance->in_lu - balance->out_lu)) return;
  balance->in_lu = in_lu;
  balance->out_lu = out_lu;
  balance->time_s = time_s;
}

void ht_moment_balance_record(const ht_moment_balance *balance, const ht_units *units,
                              ht_flow_stats *stats) {
  if (!(balance->peak_lu > 0)) return;
  stats->moment_imbalance = (balance->in_lu - balance->out_lu) / balance->peak_lu;
  stats->moment_in_ml_s = 1e6 * ht_units_flow_m3_s(units, balance->in_lu);
  stats->moment_out_ml_s = 1e6 * ht_units_flow_m3_s(units, balance->out_lu);
  stats->moment_time_s = balance->time_s;
}
