#include "solver/run/lattice_run.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/ports/port_lattice.h"
#include "solver/run/pulse/pulse.h"
#include "solver/run/steady/steady.h"
#include "solver/run/step/stepped_lattice.h"
#include "solver/samples/flow_read.h"
#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t size, const char *text) {
  snprintf(to, size, "%s", text);
}

static void describe_levels(const ht_solve_run *run, ht_flow_stats *stats) {
  ht_stepped_level level[HT_LEVELS_MOST];
  stats->levels = ht_stepped_levels(run, level);
  for (int l = 0; l < stats->levels; l++)
    for (int64_t t = 0; t < level[l].tiling->tiles; t++)
      stats->level_nodes[l] += __builtin_popcountll(level[l].nodes[t]);
}

static void describe(const ht_solve_run *run, ht_flow_stats *stats) {
  const ht_solve_setup *setup = &run->setup;
  const ht_lattice *lattice = run->lattice;
  const ht_plan *plan = &setup->plan;
  const ht_solver_options *options = setup->options;
  memset(stats, 0, sizeof *stats);
  stats->dx_m = plan->finest_dx_m;
  stats->dt_s = plan->units.dt_s;
  stats->tau = plan->tau;
  stats->reynolds = plan->reynolds;
  stats->fluid_nodes = run->results.tiling->nodes;
  stats->tiles = run->results.tiling->tiles;
  describe_levels(run, stats);
  stats->diagonals_corrected = ht_plan_corrects_diagonals(plan, options);
  int model = HT_MODEL(options->collision, options->compressibility);
  copy(stats->precision, sizeof stats->precision, ht_precision_words[options->precision]);
  copy(stats->collision, sizeof stats->collision, ht_collision_words[options->collision]);
  copy(stats->fluid, sizeof stats->fluid,
       ht_compressibility_words[HT_MODEL_COMPRESSIBILITY(model)]);
  copy(stats->device, sizeof stats->device, ht_lattice_device(lattice));
  copy(stats->by_host, sizeof stats->by_host, ht_lattice_by_host(lattice));
}

/* Makes the lattices of the levels. sponge: room for that of each. */
static ht_status create_lattices(ht_solve_run *run, const ht_lattice_setup *setup,
                                 ht_sponge *sponge) {
  ht_solve_levels *of = &run->levels;
  ht_level_setup level[HT_LEVELS_MOST];
  const ht_levels_setup levels = {of->domain->levels, level, *setup};
  for (int l = 0; l < levels.levels; l++) {
    HT_TRY(ht_port_sponge_make(&of->domain->domain[l], &run->outlets, &sponge[l]));
    level[l] = of->domain->level[l];
    level[l].drive_user = &run->drive.of_level[l];
    level[l].sponge_nodes = sponge[l].nodes;
    level[l].sponge_voxel = sponge[l].voxel;
    level[l].sponge_lu = sponge[l].viscosity_lu;
  }
  return ht_levels_create(&levels, &of->levels);
}

/* Finds the opening nodes of a level's ports; the finest level's are numbered as its lattice. */
static ht_status find_openings(const ht_solve_run *run, int number, ht_opening_nodes *openings) {
  const ht_solve_levels *of = &run->levels;
  const ht_domain *domain = &of->domain->domain[number];
  ht_flow flow = {0};
  if (number < of->domain->levels - 1)
    return ht_opening_nodes_find(domain, &of->flow.own[number], openings);
  ht_status status =
      ht_flow_alloc_some(domain, ht_levels_tiling(of->levels, number),
                         ht_levels_outer(of->levels, number), run->setup.options, &flow);
  if (status == HT_OK) status = ht_opening_nodes_find(domain, &flow, openings);
  ht_flow_free(&flow);
  return status;
}

/* Makes the levels, and what is read of them. */
static ht_status create_levels(ht_solve_run *run, const ht_lattice_setup *setup) {
  ht_solve_levels *of = &run->levels;
  ht_sponge sponge[HT_LEVELS_MOST] = {{0}};
  ht_status status = create_lattices(run, setup, sponge);
  for (int l = 0; l < HT_LEVELS_MOST; l++) ht_sponge_free(&sponge[l]);
  HT_TRY(status);
  run->lattice = ht_levels_lattice(of->levels, 0);
  run->setup.tiling = ht_levels_tiling(of->levels, 0);
  HT_TRY(
      ht_level_flow_make(of->domain, of->levels, run->setup.options, run->results.flow, &of->flow));
  for (int l = 0; l < of->domain->levels; l++) {
    run->drive.lattice[l] = ht_levels_lattice(of->levels, l);
    if (ht_level_domain_has_ports(of->domain, l)) HT_TRY(find_openings(run, l, &of->openings[l]));
  }
  return HT_OK;
}

static ht_status create(void *user, const ht_lattice_setup *setup) {
  ht_solve_run *run = user;
  if (run->levels.domain) return create_levels(run, setup);
  HT_TRY(ht_lattice_create(setup, &run->lattice));
  run->drive.lattice[0] = run->lattice;
  return HT_OK;
}

ht_status ht_lattice_run_make(ht_solve_run *run) {
  HT_TRY(ht_port_lattice_set_up(&run->setup, &run->outlets, &run->drive, create, run));
  describe(run, run->results.stats);
  return HT_OK;
}

ht_status ht_lattice_run_to_end(ht_solve_run *run) {
  return ht_solve_is_pulse(&run->setup) ? ht_pulse_solve(run) : ht_steady_solve(run);
}

void ht_lattice_run_free(ht_solve_run *run) {
  ht_solve_levels *levels = &run->levels;
  if (!levels->levels) ht_lattice_free(run->lattice);
  run->lattice = NULL;
  for (int l = 0; l < HT_LEVELS_MOST; l++) ht_opening_nodes_free(&levels->openings[l]);
  ht_level_flow_free(&levels->flow);
  ht_levels_free(levels->levels);
  levels->levels = NULL;
  ht_port_drive_free(&run->drive);
  ht_outlets_free(&run->outlets);
}
