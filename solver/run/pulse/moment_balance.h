/* Flow in and flow out at each sample of a beat. The blood is incompressible and the walls do not
 * move, so they are the same but for the lattice's sound (plan/sound.h). Private to solver/. */
#ifndef HT_MOMENT_BALANCE_H
#define HT_MOMENT_BALANCE_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"
#include "core/numbers/units.h"

/* Flow into all inlets and out of all outlets, voxels per step, at the sample where they differ
 * most, and its time; the largest inflow of all samples. Zeroed: no sample. */
typedef struct {
  double in_lu, out_lu, time_s, peak_lu;
} ht_moment_balance;

/* Takes the flow into each port, [domain->ports], at a sample. */
void ht_moment_balance_add(const ht_domain *domain, const double *flow_lu, double time_s,
                           ht_moment_balance *balance);

/* Records the balance as stats->moment_*. */
void ht_moment_balance_record(const ht_moment_balance *balance, const ht_units *units,
                              ht_flow_stats *stats);

#endif
