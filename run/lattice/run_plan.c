#include "run/lattice/run_plan.h"
#include "solver/lattice/device.h"
#include "solver/lattice/device_memory.h"
#include "solver/plan/coarse_choice.h"
#include "solver/plan/collision_choice.h"
#include "run/process/console.h"
#include "core/numbers/units.h"
#include "core/text/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

ht_solver_options ht_run_options(const ht_case *settings, const ht_openings *openings) {
  ht_solver_options options = ht_case_solver(settings);
  options.outlets = ht_place_outlet_model(settings, openings);
  return options;
}

ht_status ht_run_throat(const ht_case *settings, const ht_run_vessel *vessel,
                        const ht_openings *openings, ht_throat *throat) {
  double outflow_ml_s[HT_OPENINGS_MAX] = {0};
  ht_run_throat_found *found = vessel->throat;
  ht_place_outflows(settings, openings, outflow_ml_s);
  if (!found) return ht_throat_find(&vessel->mask, openings, outflow_ml_s, throat);
  if (found->mask_sha256[0] && !strcmp(found->mask_sha256, vessel->mask_sha256) &&
      !memcmp(&found->openings, openings, sizeof *openings) &&
      !memcmp(found->outflow_ml_s, outflow_ml_s, sizeof outflow_ml_s)) {
    *throat = found->throat;
    return HT_OK;
  }
  HT_TRY(ht_throat_find(&vessel->mask, openings, outflow_ml_s, throat));
  memcpy(found->mask_sha256, vessel->mask_sha256, sizeof found->mask_sha256);
  memcpy(&found->openings, openings, sizeof *openings);
  memcpy(found->outflow_ml_s, outflow_ml_s, sizeof outflow_ml_s);
  found->throat = *throat;
  return HT_OK;
}

double ht_run_peak_of_mean(const ht_solver_options *options) {
  double mean = options->waveform ? ht_waveform_mean(options->waveform) : 0;
  return mean > 0 ? ht_waveform_peak(options->waveform) / mean : 1;
}

static double throat_mm(const ht_throat *throat) {
  return 2 * sqrt(throat->area_mm2 / HT_PI);
}

static void record_throat(const ht_mask *mask, const ht_solver_options *options,
                          const ht_throat *throat, ht_flow_plan *plan) {
  plan->throat_flow_ml_s = throat->flow_ml_s;
  plan->throat_speed_m_s = throat->speed_m_s;
  memcpy(plan->throat_centre_mm, throat->centre_mm, sizeof plan->throat_centre_mm);
  plan->throat_mm = throat_mm(throat);
  plan->throat_peak_m_s = throat->speed_m_s * ht_run_peak_of_mean(options);
  plan->throat_nodes_across = plan->throat_mm / mask->grid.spacing_mm[0];
}

static void record_physiology(const ht_physiology *from, ht_flow_plan *plan) {
  const double per_mmhg_ml = 1e-6 / HT_PA_PER_MMHG;
  plan->heart_rate_per_min = from->heart.heart_rate_per_min;
  plan->cardiac_output_l_min = from->heart.output_l_min;
  plan->stroke_volume_ml = from->heart.stroke_ml;
  memcpy(plan->asked_mmhg, from->asked_mmhg, sizeof plan->asked_mmhg);
  plan->lumped_mmhg[0] = from->beat.systolic_pa / HT_PA_PER_MMHG;
  plan->lumped_mmhg[1] = from->beat.diastolic_pa / HT_PA_PER_MMHG;
  plan->proximal_mmhg_s_ml = from->whole.proximal_pa_s_m3 * per_mmhg_ml;
  plan->distal_mmhg_s_ml = from->whole.distal_pa_s_m3 * per_mmhg_ml;
  plan->compliance_ml_mmhg = from->whole.compliance_m3_pa / per_mmhg_ml;
}

/* Warns of a throat, which the solver computes; it refuses such an inlet. */
static void warn_of_throat(const ht_collision_choice *choice) {
  double most = ht_collision_limits_of(HT_CUMULANT)->cell_reynolds_max;
  if (choice->throat_cell_reynolds <= most) return;
  ht_console_warn("the cell Reynolds number in the throat is %.3g, and no collision is known to "
                  "bear more than %.0f: the flow may become unstable, and its numbers there are "
                  "rough; set %.2f times the --nodes-across",
                  choice->throat_cell_reynolds, most,
                  ceil(100 * choice->throat_cell_reynolds / most) / 100);
}

/* Judges a prescribed collision. It runs as before wherever the inlet allows it; the throat only
 * warns. */
static void judge_asked(const ht_solver_options *options, const ht_collision_choice *choice) {
  double most = ht_collision_limits_of(options->collision)->cell_reynolds_max;
  if (choice->throat_cell_reynolds <= 2 * most || choice->collision == options->collision) return;
  ht_console_warn("the cell Reynolds number in the throat is %.3g, far above the %.0f of %s, which "
                  "is prescribed: the flow may become unstable; --collision auto takes %s",
                  choice->throat_cell_reynolds, most, ht_collision_words[options->collision],
                  ht_collision_words[choice->collision]);
}

static ht_status choose_collision(const ht_domain *domain, int is_auto, ht_solver_options *options,
                                  ht_flow_plan *plan) {
  ht_collision_choice choice;
  HT_TRY(ht_collision_choose(domain, options, &choice));
  plan->inlet_cell_reynolds = choice.inlet_cell_reynolds;
  plan->throat_cell_reynolds = choice.throat_cell_reynolds;
  if (is_auto) {
    options->collision = choice.collision;
    ht_console_note("collision %s: %s", ht_collision_words[choice.collision], choice.why);
    snprintf(plan->collision_why, sizeof plan->collision_why, "auto: %s", choice.why);
  } else {
    judge_asked(options, &choice);
    snprintf(plan->collision_why, sizeof plan->collision_why, "prescribed");
  }
  warn_of_throat(&choice);
  snprintf(plan->collision, sizeof plan->collision, "%s", ht_collision_words[options->collision]);
  return HT_OK;
}

ht_status ht_run_record_start(const ht_domain *domain, const ht_solver_options *options,
                              ht_flow_plan *plan) {
  ht_coarse_choice coarse;
  HT_TRY(ht_coarse_choose(domain, options, &coarse));
  if (coarse.applies)
    snprintf(plan->start, sizeof plan->start,
             "the flow on a lattice of twice the spacing, %.1f nodes across the narrowest place, "
             "with %s",
             coarse.across, ht_collision_words[coarse.collision]);
  else
    snprintf(plan->start, sizeof plan->start, "rest: %s", coarse.why);
  return HT_OK;
}

/* Returns 1 where the pressure at the inlet is tuned to a cuff: an aorta at rest, whose outlets all
 * have fitted Windkessels. */
static int has_cuff(const ht_case *settings, const ht_physiology *physiology) {
  return physiology->is_all && settings->patient.state == HT_STATE_REST;
}

ht_status ht_run_flow_options(const ht_case *settings, const ht_run_vessel *vessel,
                              ht_solver_options *options, ht_throat *throat) {
  const ht_physiology *physiology = &vessel->physiology;
  HT_TRY(ht_run_throat(settings, vessel, &vessel->placed.openings, throat));
  options->throat_speed_m_s = throat->speed_m_s;
  options->throat_mm = throat_mm(throat);
  for (int k = 0; k < 2 && has_cuff(settings, physiology); k++)
    options->cuff_pa[k] = physiology->asked_mmhg[k] * HT_PA_PER_MMHG;
  return HT_OK;
}

ht_status ht_run_plan_flow(const ht_case *settings, const ht_run_vessel *vessel,
                           const ht_domain *domain, ht_solver_options *options, ht_flow_plan *to) {
  const ht_physiology *physiology = &vessel->physiology;
  ht_throat throat;
  ht_units units;
  ht_flow_plan plan = {.tunes = has_cuff(settings, physiology)};
  memset(to, 0, sizeof *to);
  HT_TRY(ht_run_flow_options(settings, vessel, options, &throat));
  record_throat(&vessel->mask, options, &throat, &plan);
  record_physiology(physiology, &plan);
  HT_TRY(choose_collision(domain, settings->collision < 0, options, &plan));
  HT_TRY(ht_solver_plan(domain, options, &units, NULL));
  HT_TRY(ht_run_record_start(domain, options, &plan));
  plan.throat_velocity_lu = ht_units_velocity_lu(&units, plan.throat_peak_m_s);
  *to = plan;
  return HT_OK;
}

int ht_run_collision(const ht_flow_stats *stats) {
  const char *word = stats->collision;
  int found = ht_word_find(ht_collision_words, word, strlen(word));
  return found < 0 ? 0 : found;
}

void ht_run_plan_tuned(const ht_flow_stats *stats, ht_flow_plan *plan) {
  const double per_mmhg_ml = 1e-6 / HT_PA_PER_MMHG;
  plan->refused_beats = stats->cuff_refused;
  if (stats->cuff_tuned == 0) return;
  plan->tuned_beats = stats->cuff_tuned;
  plan->proximal_mmhg_s_ml = stats->windkessel[0] * per_mmhg_ml;
  plan->compliance_ml_mmhg = stats->windkessel[1] / per_mmhg_ml;
  plan->distal_mmhg_s_ml = stats->windkessel[2] * per_mmhg_ml;
  for (int k = 0; k < 2; k++) plan->lumped_mmhg[k] = stats->lumped_pa[k] / HT_PA_PER_MMHG;
  ht_console_note("outlets: Windkessels tuned after %d beat%s to the pressure at the inlet: "
                  "resistance %.3g + %.3g mmHg s/mL, compliance %.3g mL/mmHg",
                  plan->tuned_beats, plan->tuned_beats == 1 ? "" : "s", plan->proximal_mmhg_s_ml,
                  plan->distal_mmhg_s_ml, plan->compliance_ml_mmhg);
}

static int has_solver(const ht_given *given) {
  return !given->dry && given->first <= HT_STAGE_SOLVE && given->last >= HT_STAGE_SOLVE;
}

int ht_run_has_idle_cores(const ht_given *given) {
  int on_gpu;
  if (!has_solver(given)) return 0;
  if (getenv("HEMOTILE_IDLE_CORES")) return 1;
  return ht_choose_device(given->settings->solver.device, &on_gpu) == HT_OK && on_gpu;
}

/* Wakes the GPU, which starts when its memory is first queried. The solver reports its faults. */
static ht_status wake(void *user) {
  const ht_case *settings = user;
  ht_device_memory memory;
  (void)ht_device_memory_describe(settings->solver.device, &memory);
  return HT_OK;
}

void ht_run_wake_gpu(const ht_given *given, ht_side_work **side) {
  if (!has_solver(given) || given->settings->solver.device == HT_DEVICE_CPU) return;
  if (ht_side_work_make(side) == HT_OK) (void)ht_side_work_begin(*side, wake, given->settings);
}
