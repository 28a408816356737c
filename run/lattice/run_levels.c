#include "run/lattice/run_levels.h"
#include "core/mpi/ranks.h"
#include "run/lattice/run_plan.h"
#include "run/openings/place_outlets.h"
#include "run/process/console.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/resolution.h"
#include <math.h>
#include <string.h>

/* Returns why the solver has one spacing for such a flow; NULL: it has levels. */
static const char *refusal(const ht_case *settings, const ht_solver_options *options) {
  if (settings->refine == HT_REFINE_NO) return "lattice.refine is no";
  if (options->precision == HT_FP16) return "flow.precision is fp16";
  if (options->blood.model != HT_NEWTONIAN) return "the viscosity depends on the shear";
  if (options->blood.eddies > 0) return "flow.eddies is above 0";
  if (ht_ranks() > 1) return "several processes share the flow";
  return NULL;
}

/* Returns the highest level that the collision allows, and why no higher one. */
static int most_level(const ht_levels_plan *plan, char why[HT_LEVELS_WHY]) {
  const ht_collision collision = plan->options->collision;
  const double tau_min = ht_collision_limits_of(collision)->tau_min;
  const int most = ht_refine_tau_level(plan->tau, tau_min, HT_COARSER_MOST);
  if (most < HT_COARSER_MOST)
    snprintf(why, HT_LEVELS_WHY,
             "tau would be %.6f; with %s it is at least %.4f, and not within %g of 1",
             0.5 + ldexp(plan->tau - 0.5, -most - 1), ht_collision_words[collision], tau_min,
             HT_REFINE_NEAR_1);
  return most;
}

ht_refine_rules ht_run_refine_rules(const ht_case *settings, const ht_levels_plan *plan,
                                    char why[HT_LEVELS_WHY]) {
  const ht_solver_options *options = plan->options;
  ht_refine_rules rules = {
      .spacing_mm = plan->spacing_mm,
      .across = ht_refine_across(settings->refine_across, options->throat_mm / plan->spacing_mm),
      .kinematic_m2_s = ht_solver_least_kinematic(options),
      .cell_reynolds_max = ht_collision_limits_of(options->collision)->cell_reynolds_max,
      .dx_plus_max = settings->refine_dx_plus,
      .inlet_cell_reynolds = plan->inlet_cell_reynolds};
  const char *refused = refusal(settings, options);
  why[0] = 0;
  if (refused)
    snprintf(why, HT_LEVELS_WHY, "%s", refused);
  else
    rules.most = most_level(plan, why);
  return rules;
}

ht_status ht_run_refine_vessel(const ht_case *settings, const ht_run_vessel *vessel,
                               const ht_openings *openings, const ht_domain *domain,
                               ht_refine_vessel *sections) {
  double outflow_ml_s[HT_OPENINGS_MAX] = {0};
  const ht_solver_options options = ht_case_solver(settings);
  ht_throat throat;
  memset(sections, 0, sizeof *sections);
  if (refusal(settings, &options)) return HT_OK;
  HT_TRY(ht_run_throat(settings, vessel, openings, &throat));
  ht_place_outflows(settings, openings, outflow_ml_s);
  const ht_refine_flow flow = {openings,
                               outflow_ml_s,
                               &throat,
                               ht_run_peak_of_mean(&options),
                               settings->refine_jet_diameters,
                               ht_solver_least_kinematic(&options)};
  return ht_refine_vessel_make(domain, &flow, sections);
}

static ht_status choose(ht_run *run, const ht_refine_rules *rules) {
  const ht_case_sac *sac = &run->given.settings->sac;
  ht_refine_vessel sections;
  double neck[2][3];
  memcpy(neck[0], sac->neck_mm, sizeof neck[0]);
  memcpy(neck[1], sac->neck_normal, sizeof neck[1]);
  ht_status status = ht_run_refine_vessel(run->given.settings, &run->vessel,
                                          &run->vessel.placed.openings, &run->domain, &sections);
  if (status == HT_OK)
    status = ht_refine_choose(&run->domain, &sections, rules,
                              sac->has_neck && sac->has_normal ? neck : NULL, &run->refined);
  ht_refine_vessel_free(&sections);
  return status;
}

/* Notes the levels; keeps them, or why there is one spacing, in the plan. */
static void tell(const ht_refined *refined, double spacing_mm, ht_flow_plan *plan) {
  char nodes[HT_REFINE_LEVELS][48] = {{0}};
  plan->levels = 0;
  if (!refined->coarser) {
    snprintf(plan->levels_why, sizeof plan->levels_why, "one spacing: %s", refined->why);
    return;
  }
  plan->levels = refined->levels;
  plan->levels_updates = refined->share;
  memcpy(plan->level_nodes, refined->nodes, sizeof plan->level_nodes);
  for (int level = 0; level < refined->levels; level++)
    snprintf(nodes[level], sizeof nodes[level], "%s%.2g nodes with %.3g mm", level ? ", " : "",
             refined->nodes[level], ldexp(spacing_mm, level));
  ht_refined_where(refined, plan->levels_why, sizeof plan->levels_why);
  ht_console_note("levels   %s%s%s: %.0f %% of the node updates of one spacing. The finest spacing "
                  "is, in per cent of the vessel, that of %s (lattice.refine: no has one spacing)",
                  nodes[0], nodes[1], nodes[2], 100 * refined->share, plan->levels_why);
}

/* Tells whether more of the vessel may be coarse than by default. */
static int has_looser_rules(const ht_case *settings) {
  return settings->refine_jet_diameters < HT_REFINE_USUAL_JET ||
         settings->refine_across < HT_REFINE_USUAL_ACROSS ||
         settings->refine_dx_plus > HT_REFINE_USUAL_DX_PLUS;
}

ht_status ht_run_refine(ht_run *run, ht_solver_options *options) {
  const ht_case *settings = run->given.settings;
  ht_flow_plan *plan = &run->manifest.plan;
  ht_solver_reasons reasons;
  const char *refused = refusal(settings, options);
  if (refused) {
    ht_refined_free(&run->refined);
    ht_refined_keep_one(refused, &run->refined);
    tell(&run->refined, 0, plan);
    if (ht_ranks() > 1 && settings->refine == HT_REFINE_AUTO) /* one process may have levels */
      ht_console_note("levels   one spacing: %s", refused);
    return HT_OK;
  }
  HT_TRY(ht_solver_explain(&run->domain, options, &reasons));
  const ht_levels_plan of = {options, 1e3 * reasons.units.dx_m, reasons.tau,
                             plan->inlet_cell_reynolds};
  ht_refined_free(&run->refined);
  const ht_refine_rules rules = ht_run_refine_rules(settings, &of, run->refined.why);
  if (rules.most > 0) HT_TRY(choose(run, &rules));
  tell(&run->refined, of.spacing_mm, plan);
  if (!run->refined.coarser) return HT_OK;
  if (options->collision == HT_CUMULANT && has_looser_rules(settings))
    ht_console_warn(
        "lattice.refine_jet, refine_across or refine_dx_plus let more of the vessel be coarse than "
        "by default: such rules changed the mean wall shear stress of two turbulent aortas by 5 to "
        "12 %%, its 99th percentile by 2 to 9 %% and the pressure drop by 1 to 4 %%: compare with "
        "a run with lattice.refine: no");
  options->coarser = run->refined.coarser;
  options->halvings = run->refined.levels - 1;
  return ht_run_record_start(&run->domain, options, plan);
}

double ht_run_finest_tau(const ht_flow_plan *plan, const ht_flow_stats *stats) {
  return 0.5 + ldexp(stats->tau - 0.5, plan->levels > 0 ? plan->levels - 1 : 0);
}

ht_status ht_run_recall_levels(ht_run *run) {
  const ht_flow_plan *plan = &run->manifest.plan;
  char why[HT_LEVELS_WHY];
  if (plan->levels == 0) return HT_OK;
  ht_solver_options options = ht_run_options(run->given.settings, &run->vessel.placed.openings);
  options.collision = (ht_collision)ht_run_collision(&run->solved.stats);
  options.throat_mm = plan->throat_mm;
  const ht_levels_plan of = {&options, run->domain.mask.grid.spacing_mm[0],
                             ht_run_finest_tau(plan, &run->solved.stats),
                             plan->inlet_cell_reynolds};
  const ht_refine_rules rules = ht_run_refine_rules(run->given.settings, &of, why);
  ht_refined_free(&run->refined);
  return rules.most > 0 ? choose(run, &rules) : HT_OK;
}
