#include "solver/run/lattice_run.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/ports/port_lattice.h"
#include "solver/run/pulse/pulse.h"
#include "solver/run/steady/steady.h"
#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t size, const char *text) {
  snprintf(to, size, "%s", text);
}

static void describe(const ht_solve_setup *setup, const ht_lattice *lattice, ht_flow_stats *stats) {
  const ht_plan *plan = &setup->plan;
  const ht_solver_options *options = setup->options;
  memset(stats, 0, sizeof *stats);
  stats->dx_m = plan->units.dx_m;
  stats->dt_s = plan->units.dt_s;
  stats->tau = plan->tau;
  stats->reynolds = plan->reynolds;
  stats->fluid_nodes = setup->tiling->nodes;
  stats->tiles = setup->tiling->tiles;
  stats->diagonals_corrected = ht_plan_corrects_diagonals(plan, options);
  int model = HT_MODEL(options->collision, options->compressibility);
  copy(stats->precision, sizeof stats->precision, ht_precision_words[options->precision]);
  copy(stats->collision, sizeof stats->collision, ht_collision_words[options->collision]);
  copy(stats->fluid, sizeof stats->fluid,
       ht_compressibility_words[HT_MODEL_COMPRESSIBILITY(model)]);
  copy(stats->device, sizeof stats->device, ht_lattice_device(lattice));
  copy(stats->by_host, sizeof stats->by_host, ht_lattice_by_host(lattice));
}

static ht_status create(void *user, const ht_lattice_setup *setup) {
  return ht_lattice_create(setup, (ht_lattice **)user);
}

ht_status ht_lattice_run_make(ht_solve_run *run) {
  HT_TRY(ht_port_lattice_set_up(&run->setup, &run->outlets, &run->drive, create, &run->lattice));
  describe(&run->setup, run->lattice, run->results.stats);
  return HT_OK;
}

ht_status ht_lattice_run_to_end(ht_solve_run *run) {
  return ht_solve_is_pulse(&run->setup) ? ht_pulse_solve(run) : ht_steady_solve(run);
}

void ht_lattice_run_free(ht_solve_run *run) {
  ht_lattice_free(run->lattice);
  run->lattice = NULL;
  ht_port_drive_free(&run->drive);
  ht_outlets_free(&run->outlets);
}
