#include "solver/run/step/stepped_lattice.h"
#include "solver/samples/flow_read.h"
#include <math.h>

static int has_levels(const ht_solve_run *run) {
  return run->levels.levels != NULL;
}

int ht_stepped_levels(const ht_solve_run *run, ht_stepped_level level[HT_LEVELS_MOST]) {
  const ht_levels *levels = run->levels.levels;
  const int count = levels ? run->levels.domain->levels : 1;
  const ht_tiling *tiling = run->setup.tiling;
  if (!levels) level[0] = (ht_stepped_level){run->lattice, tiling, tiling->inside, 1};
  for (int l = 0; l < count && levels; l++)
    level[l] = (ht_stepped_level){ht_levels_lattice(levels, l), ht_levels_tiling(levels, l),
                                  ht_levels_own(levels, l), pow(0.125, l)};
  return count;
}

ht_status ht_stepped_advance(ht_solve_run *run, int64_t steps) {
  return has_levels(run) ? ht_levels_step(run->levels.levels, steps)
                         : ht_lattice_step(run->lattice, steps);
}

ht_status ht_stepped_watch(ht_solve_run *run, ht_lattice_monitor *seen) {
  ht_stepped_level level[HT_LEVELS_MOST];
  const int count = ht_stepped_levels(run, level);
  HT_TRY(ht_lattice_watch(run->lattice, seen));
  for (int l = 1; l < count; l++) {
    ht_lattice_monitor of_level;
    HT_TRY(ht_lattice_watch(level[l].lattice, &of_level));
    if (of_level.change < 1) of_level.change *= 1 << l; /* its steps are shorter */
    seen->change = fmax(seen->change, of_level.change);
    if (isnan(of_level.max_speed) || of_level.max_speed > seen->max_speed) /* one NaN stays */
      seen->max_speed = of_level.max_speed;
  }
  return HT_OK;
}

ht_status ht_stepped_keep(ht_solve_run *run, int stays) {
  return has_levels(run) ? ht_level_flow_keep(&run->levels.flow, stays)
                         : ht_lattice_keep(run->lattice, stays);
}

ht_status ht_stepped_take(ht_solve_run *run, double reference_pa) {
  const ht_units *units = &run->setup.plan.units;
  return has_levels(run)
             ? ht_level_flow_take(&run->levels.flow, units, reference_pa, run->results.flow)
             : ht_flow_take(run->lattice, run->setup.tiling, units, reference_pa,
                            run->results.flow);
}

double ht_stepped_updates(const ht_solve_run *run) {
  ht_stepped_level level[HT_LEVELS_MOST];
  const int count = ht_stepped_levels(run, level);
  double updates = 0;
  for (int l = 0; l < count; l++) updates += (double)level[l].tiling->nodes * (1 << l);
  return updates;
}

ht_status ht_stepped_transfer(ht_solve_run *run, ht_state *stream) {
  return has_levels(run) ? ht_levels_transfer(run->levels.levels, stream)
                         : ht_lattice_transfer(run->lattice, stream);
}

ht_opening_nodes *ht_stepped_openings(ht_solve_run *run, int level) {
  return has_levels(run) ? &run->levels.openings[level] : &run->results.openings;
}
