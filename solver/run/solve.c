/* Runs a domain to its steady state, or over the periods of its inflow. */
#include "solver/run/coarse_run.h"
#include "solver/run/lattice_run.h"
#include "solver/run/step/checkpoint.h"
#include "solver/samples/flow_read.h"
#include <stdio.h>
#include <string.h>

/* Makes the lattice, with the coarse flow on it or at rest. */
static ht_status make_lattice(ht_solve_run *run, ht_coarse_flow *coarse) {
  int64_t *ramp_steps = &run->setup.plan.ramp_steps;
  const int64_t from_rest = *ramp_steps;
  if (coarse->is_done) *ramp_steps = 0;
  HT_TRY(ht_lattice_run_make(run));
  if (!coarse->is_done || run->checkpoint.resume) return HT_OK;
  ht_status status = ht_coarse_flow_give(coarse, run);
  if (status == HT_OK) return HT_OK;
  ht_coarse_flow_failed(status, coarse);
  ht_lattice_run_free(run);
  *ramp_steps = from_rest;
  return ht_lattice_run_make(run);
}

static void describe_start(const ht_coarse_flow *coarse, ht_flow_stats *stats) {
  snprintf(stats->coarse_note, sizeof stats->coarse_note, "%s", coarse->note);
  if (!coarse->is_done) return;
  stats->coarse_steps = coarse->stats.steps;
  stats->coarse_seconds = coarse->stats.seconds;
  stats->coarse_off = coarse->off;
}

/* Runs on the domain's own lattice, with the plan and flow made. */
static ht_status run_fine(ht_solve_run *run, ht_coarse_flow *coarse) {
  ht_solve_progress *progress = &run->progress;
  ht_status status = HT_OK;
  HT_TRY_DONE(make_lattice(run, coarse));
  if (!progress->lattice[0] && run->results.stats->by_host[0])
    progress->lattice = "exchange by the host, ";
  describe_start(coarse, run->results.stats);
  run->span.from_coarse = coarse->is_done;
  ht_coarse_flow_free(coarse);
  status = ht_lattice_run_to_end(run);
done:
  ht_lattice_run_free(run);
  return status;
}

/* Runs once more, from rest, where the flow diverges after a coarse start. */
static ht_status run_fine_or_again(ht_solve_run *run, ht_coarse_flow *coarse) {
  const ht_solve_run before = *run;
  ht_status status = run_fine(run, coarse);
  if (status != HT_ERR_DIVERGED || !coarse->is_done) return status;
  *run = before;
  run->checkpoint.resume = NULL;
  run->progress.lattice = "from rest after all, ";
  coarse->is_done = 0;
  snprintf(coarse->note, sizeof coarse->note, "the run that began there became unstable");
  return run_fine(run, coarse);
}

/* Makes the levels of a lattice of several spacings; the run is then that of the coarsest. */
static ht_status make_levels(ht_solve_run *run, ht_level_domain *levels,
                             ht_solver_options *options) {
  ht_solve_setup *setup = &run->setup;
  *options = *setup->options;
  if (!options->coarser) return HT_OK;
  HT_TRY(ht_level_domain_make(setup->domain, options->coarser, options->halvings, levels));
  options->coarser = NULL;
  options->finer = options->halvings;
  options->halvings = 0;
  run->levels.domain = levels;
  setup->domain = &levels->coarsest;
  setup->options = options;
  return HT_OK;
}

ht_status ht_solve(const ht_domain *domain, const ht_tiling *tiling,
                   const ht_solver_options *options, const ht_progress *progress, ht_flow *flow,
                   ht_flow_stats *stats) {
  ht_state *resume = options->keeping ? options->keeping->resume : NULL;
  ht_level_domain levels = {0};
  ht_solver_options coarsest;
  ht_solve_run run = {.setup = {.domain = domain, .tiling = tiling, .options = options},
                      .results = {.domain = domain, .tiling = tiling, .flow = flow, .stats = stats},
                      .progress = {.to = progress, .lattice = ""},
                      .checkpoint = {.keeping = options->keeping, .resume = resume}};
  ht_coarse_flow coarse = {.is_done = 0};
  ht_status status = HT_OK;
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  HT_TRY_DONE(make_levels(&run, &levels, &coarsest));
  HT_TRY_DONE(ht_plan_make(run.setup.domain, run.setup.options, &run.setup.plan));
  HT_TRY_DONE(resume ? ht_checkpoint_move_start(resume, &coarse.is_done, coarse.note)
                     : ht_coarse_run(&run, &coarse));
  HT_TRY_DONE(ht_flow_alloc(domain, tiling, options, flow));
  HT_TRY_DONE(ht_opening_nodes_find(domain, flow, &run.results.openings));
  status = run_fine_or_again(&run, &coarse);
done:
  ht_coarse_flow_free(&coarse);
  if (status == HT_ERR_DIVERGED && !run.results.has_flow) ht_flow_free(flow);
  ht_opening_nodes_free(&run.results.openings);
  ht_plan_free(&run.setup.plan);
  ht_level_domain_free(&levels);
  return status;
}
