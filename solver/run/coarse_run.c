#include "solver/run/coarse_run.h"
#include "solver/plan/coarse_choice.h"
#include "solver/run/coarse/coarse_domain.h"
#include "solver/run/lattice_run.h"
#include "solver/samples/flow_read.h"

static ht_solver_options coarse_options(const ht_solver_options *fine, ht_collision collision) {
  ht_solver_options options = ht_solver_of_one_spacing(fine);
  options.coarse_start = options.averages = options.max_cycles = 0;
  if (options.precision == HT_FP16) options.precision = HT_FP32; /* comes to rest */
  options.collision = collision;
  options.observe = NULL;
  options.enough = NULL;
  options.ready = NULL;
  options.keeping = NULL;
  return options;
}

/* Runs the flow on the coarse lattice, whose domain and tiling are made; its last state is in
 * coarse->flow. */
static ht_status run_coarse(const ht_solve_run *fine, ht_collision collision,
                            ht_coarse_flow *coarse) {
  const ht_solver_options options = coarse_options(fine->setup.options, collision);
  ht_solve_run run = {
      .setup = {.domain = &coarse->domain, .tiling = &coarse->tiling, .options = &options},
      .results = {.domain = &coarse->domain,
                  .tiling = &coarse->tiling,
                  .flow = &coarse->flow,
                  .stats = &coarse->stats},
      .progress = {.to = fine->progress.to, .lattice = "coarse lattice, "}};
  ht_solve_setup *setup = &run.setup;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_plan_make(setup->domain, &options, &setup->plan));
  if (ht_solve_is_pulse(setup)) run.span.last_beat = options.cycles - HT_COARSE_FINE_BEATS;
  HT_TRY_DONE(ht_flow_alloc(setup->domain, setup->tiling, &options, &coarse->flow));
  HT_TRY_DONE(ht_opening_nodes_find(setup->domain, &coarse->flow, &run.results.openings));
  HT_TRY_DONE(ht_lattice_run_make(&run));
  HT_TRY_DONE(ht_lattice_run_to_end(&run));
  coarse->beats = run.span.last_beat;
  status = ht_coarse_flow_keep(&run, coarse);
done:
  ht_opening_nodes_free(&run.results.openings);
  ht_lattice_run_free(&run);
  ht_plan_free(&setup->plan);
  return status;
}

ht_status ht_coarse_run(const ht_solve_run *fine, ht_coarse_flow *coarse) {
  const ht_domain *domain = fine->results.domain;
  ht_coarse_choice choice;
  HT_TRY(ht_coarse_choose(domain, fine->setup.options, &choice));
  if (!choice.applies) return HT_OK;
  ht_status status = ht_coarse_domain_make(domain, &coarse->domain);
  if (status == HT_OK) status = ht_tiling_build(&coarse->domain.mask, NULL, &coarse->tiling);
  if (status == HT_OK) status = run_coarse(fine, choice.collision, coarse);
  coarse->is_done = status == HT_OK;
  if (status != HT_OK) ht_coarse_flow_failed(status, coarse);
  return status == HT_ERR_INTERRUPTED ? status : HT_OK;
}
