#include "export/files/result_files.h"
#include "run/folder/beat_file.h"
#include "run/process/console.h"
#include "run/folder/cycle_file.h"
#include "export/wall/cycle_record.h"
#include "run/folder/flow_file.h"
#include "core/work/jobs.h"
#include "run/folder/moments_file.h"
#include "export/beat/phase_record.h"
#include "run/checkpoint/run_checkpoint.h"
#include "run/openings/place_warn.h"
#include "run/lattice/run_explain.h"
#include "run/lattice/run_levels.h"
#include "run/lattice/within.h"
#include "run/inputs/load_inputs.h"
#include "run/numbers/run_outcome.h"
#include "run/lattice/run_plan.h"
#include "run/checkpoint/run_record.h"
#include "run/checkpoint/run_series.h"
#include "run/stages/stages.h"
#include "run/numbers/tile_report.h"
#include <math.h>
#include <string.h>

/* Removes the previous results before it writes the new openings and tiles: those in a folder
 * belong to its results. */
static ht_status write_inputs(const ht_run *run) {
  ht_folder_drop_after(run->given.folder, HT_STAGE_TILE);
  HT_TRY(ht_run_write_openings(run->given.folder, &run->vessel.placed));
  HT_TRY(ht_run_draw_levels(run));
  return run->given.first == HT_STAGE_SOLVE
             ? ht_run_write_tiling(&run->given, &run->domain, &run->tiling)
             : HT_OK;
}

/* Keeps a flow that diverged in a folder of its own, to show where; it is not a result. */
static void keep_diverged(ht_run *run) {
  char path[HT_PATH_MAX], message[2048];
  snprintf(message, sizeof message, "%s", ht_error_message());
  (void)write_inputs(run);
  ht_fail(HT_ERR_DIVERGED, "%s", message);
  if (!run->solved.flow.velocity_m_s) {
    ht_console_note("no state was kept: the flow diverged within its first steps");
    return;
  }
  if (ht_run_path(run, HT_FOLDER_DIVERGED, path) == HT_OK && ht_folder_make(path) == HT_OK &&
      ht_run_path(run, HT_FOLDER_DIVERGED "/flow.vti", path) == HT_OK &&
      ht_export_vti(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid) == HT_OK)
    ht_console_note("the last good state that was kept, of step %lld, is in %s; it is not a result",
                    (long long)run->solved.stats.steps, path);
  ht_fail(HT_ERR_DIVERGED, "%s", message);
}

/* Notes the viscosity range of non-Newtonian blood, and warns of settings that do not fit the
 * model. */
static void tell_blood(const ht_solver_options *options, const ht_units *units,
                       const ht_flow_stats *plan) {
  const ht_blood *blood = &options->blood;
  double least_pa_s, most_pa_s;
  ht_blood_range(blood, options->viscosity_pa_s, &least_pa_s, &most_pa_s);
  if (blood->model != HT_NEWTONIAN)
    ht_console_note(
        "blood: %s, from %.3g mPa s (tau %.4f; used for the Reynolds number) to %.3g mPa s "
        "at rest (tau %.4f)",
        ht_blood_words[blood->model], 1e3 * least_pa_s, plan->tau, 1e3 * most_pa_s,
        ht_units_tau(units, most_pa_s));
  if (blood->eddies > 0 && plan->reynolds < 2000)
    ht_console_warn(
        "flow.eddies (%g) raises the viscosity where the lattice does not resolve the shear, also "
        "in "
        "laminar flow, which is likely at a Reynolds number of %.0f: set it to 0 for laminar flow",
        blood->eddies, plan->reynolds);
}

/* Records of the samples of a flow. */
typedef struct {
  int pulses;   /* 0: a steady inflow, whose flow may not come to rest */
  int is_ready; /* the others are made, for `samples` per beat of `period_s` */
  int samples;
  double period_s;
  ht_cycle_record cycle; /* these three: pulsatile */
  ht_wall_moments moments;
  ht_phase_record phase;
  ht_beat_record beat;
  ht_run *run;
} records;

static ht_status observe(void *user, const ht_flow_sample *sample) {
  records *to = user;
  HT_TRY(ht_beat_record_sample(&to->beat, sample));
  if (!to->pulses) return HT_OK;
  HT_TRY(ht_phase_record_sample(&to->phase, sample));
  if (sample->begins) ht_wall_series_free(&to->cycle.series);
  HT_TRY(ht_cycle_record_sample(&to->cycle, sample));
  ht_wall_moments_keep(&to->moments, &to->cycle.surface, sample->index, sample->time_s);
  ht_run_series_sample(&to->run->sampled, sample, &to->cycle.surface);
  return HT_OK;
}

/* Moves the records to a checkpoint, or from it. */
static ht_status move_records(void *user, const ht_flow *flow, ht_state *stream) {
  records *of = user;
  ht_series_record *series = of->run->sampled.record;
  int has_series = series != NULL;
  HT_TRY(ht_beat_move(&of->beat.beat, stream));
  if (!of->pulses) return HT_OK;
  HT_TRY(ht_phase_record_move(&of->phase, flow, stream));
  HT_TRY(ht_wall_series_move(&of->cycle.series, of->cycle.surface.points, stream));
  HT_TRY(ht_wall_moments_move(&of->moments, stream));
  HT_TRY(ht_state_int(stream, &has_series, 0, has_series || !stream->is_loading));
  return has_series ? ht_beat_series_move(series, stream) : ht_run_series_drop(&of->run->sampled);
}

/* Standard error of the pressure drop below which no more beats are added. */
static const double error_mmhg = 1;

static int enough(void *user) {
  const records *of = user;
  ht_gradient gradient;
  if (ht_gradient_of(&of->beat.beat, &gradient) != HT_OK) return 1; /* the export says why */
  return ht_gradient_error(&of->beat.beat, &gradient) < error_mmhg;
}

/* Makes the records ready. They need the path and the wall, which may be made while the flow
 * starts. */
static ht_status make_ready(void *user) {
  records *to = user;
  ht_run *run = to->run;
  if (to->is_ready) return HT_OK;
  HT_TRY(ht_need_path(run));
  HT_TRY(ht_beat_record_begin(&run->ahead.path, to->samples, to->period_s, &to->beat));
  to->is_ready = 1;
  if (!to->pulses) return HT_OK;
  HT_TRY(ht_cycle_record_begin(&run->domain, &run->ahead.wall, to->period_s / to->samples,
                               &to->cycle));
  to->cycle.keeps_fits = ht_run_has_idle_cores(&run->given); /* else the steps take the time */
  ht_run_series_begin(run, to->cycle.surface.points, to->samples, to->period_s);
  return ht_wall_moments_begin(to->cycle.surface.points, to->samples, &to->moments);
}

static ht_status begin_records(ht_run *run, ht_solver_options *options, records *to) {
  double period_s = options->waveform ? options->waveform->period_s : 0;
  int samples = period_s > 0 ? options->samples : HT_AVERAGE_SAMPLES;
  double phase = run->given.settings->fields_at;
  *to = (records){.pulses = period_s > 0, .samples = samples, .period_s = period_s, .run = run};
  to->phase.index = phase < 0 ? -1 : (int)lround(phase * samples) % samples;
  options->observe = observe;
  options->enough = enough;
  options->ready = make_ready;
  options->observe_user = to;
  return ht_run_has_idle_cores(&run->given) ? HT_OK : make_ready(to);
}

/* Keeps the cycle: the wall's load of all beats that count is that of their mean beat. */
static ht_status keep_cycle(ht_run *run, records *from) {
  ht_wall_cycle *cycle = &run->sampled.cycle;
  int beats = run->solved.stats.beats > 1 ? run->solved.stats.beats : 1;
  HT_TRY(ht_cycle_record_result(&from->cycle, cycle));
  run->solved.stats.phase_time_s = from->phase.time_s;
  run->solved.phase = from->phase.flow;
  memset(&from->phase.flow, 0, sizeof from->phase.flow);
  run->sampled.moments = from->moments;
  memset(&from->moments, 0, sizeof from->moments);
  cycle->samples /= beats;
  cycle->period_s /= beats;
  return HT_OK;
}

/* Keeps the records; a steady flow needs no series. */
static ht_status keep_records(ht_run *run, records *from) {
  if (from->pulses) HT_TRY(keep_cycle(run, from));
  if (!from->pulses && run->solved.stats.averaged == 0) return HT_OK;
  run->sampled.beat = from->beat.beat;
  memset(&from->beat.beat, 0, sizeof from->beat.beat);
  return HT_OK;
}

/* Frees the records; the surface goes back to the run. */
static void free_records(records *of) {
  if (of->cycle.surface.points > 0) {
    of->run->ahead.wall = of->cycle.surface;
    memset(&of->cycle.surface, 0, sizeof of->cycle.surface);
  }
  ht_cycle_record_free(&of->cycle);
  ht_wall_moments_free(&of->moments);
  ht_beat_record_free(&of->beat);
  ht_flow_free(&of->phase.flow);
}

/* A flow that goes on from a checkpoint was begun on purpose. */
static ht_status solve_kept(ht_run *run, const ht_flow_stats *plan, const ht_run_needs *needs,
                            ht_solver_options *options) {
  ht_run_checkpoints kept;
  ht_status status = ht_run_checkpoints_begin(run, plan, options, move_records, &kept);
  if (status == HT_OK && !kept.resumes) status = ht_run_check_within(run, needs->longest_s);
  if (status == HT_OK)
    status = ht_solve(&run->domain, &run->tiling, options, ht_console_progress(), &run->solved.flow,
                      &run->solved.stats);
  return ht_run_checkpoints_end(&kept, status);
}

/* Records the wall's load, the openings and the centreline during the run. */
static ht_status run_solver(ht_run *run, const ht_flow_stats *plan, const ht_run_needs *needs,
                            ht_solver_options *options) {
  records record;
  ht_status status = begin_records(run, options, &record);
  if (status == HT_OK) status = solve_kept(run, plan, needs, options);
  if (status == HT_OK) status = keep_records(run, &record);
  free_records(&record);
  return status;
}

static void tell_start(const ht_flow_stats *stats, ht_flow_plan *plan) {
  if (stats->coarse_steps > 0)
    ht_console_note("started from the flow on a lattice of twice the spacing: %lld steps on that, "
                    "in %.3g s, %lld on the vessel's own, in %.3g s",
                    (long long)stats->coarse_steps, stats->coarse_seconds, (long long)stats->steps,
                    stats->seconds);
  if (stats->coarse_off != 0)
    ht_console_note(
        "the start had %.0f %% too %s flow through the openings for a correction of the "
        "whole vessel: the first steps correct it",
        100 * fabs(stats->coarse_off), stats->coarse_off > 0 ? "little" : "much");
  if (!stats->coarse_note[0]) return;
  ht_console_note("the lattice of twice the spacing gave no start, %s: the flow began from rest",
                  stats->coarse_note);
  snprintf(plan->start, sizeof plan->start,
           "rest: the lattice of twice the spacing gave no start, %s", stats->coarse_note);
}

static ht_status solve(ht_run *run) {
  ht_solver_options options = ht_run_options(run->given.settings, &run->vessel.placed.openings);
  HT_TRY(ht_run_plan_flow(run->given.settings, &run->vessel, &run->domain, &options,
                          &run->manifest.plan));
  HT_TRY(ht_run_refine(run, &options));
  ht_run_needs needs;
  HT_TRY(ht_run_explain(run, &options, &needs));
  ht_flow_stats plan;
  ht_units units;
  memset(&plan, 0, sizeof plan);
  HT_TRY(ht_solver_plan(&run->domain, &options, &units, &plan));
  tell_blood(&options, &units, &plan);
  return run_solver(run, &plan, &needs, &options);
}

static ht_status hash_flow(void *user) {
  ht_run *run = user;
  return ht_flow_hash(&run->solved.flow, run->manifest.flow_sha256);
}

static ht_status write_mean(void *user) {
  const ht_run *run = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_FLOW, path));
  return ht_flow_file_write(path, &run->solved.flow, &run->solved.stats, run->vessel.mask_sha256);
}

static ht_status write_phase(void *user) {
  const ht_run *run = user;
  char path[HT_PATH_MAX];
  if (!run->solved.phase.velocity_m_s) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_PHASE, path));
  return ht_flow_file_write(path, &run->solved.phase, &run->solved.stats, run->vessel.mask_sha256);
}

static ht_status write_cycle(void *user) {
  const ht_run *run = user;
  char path[HT_PATH_MAX];
  if (run->sampled.cycle.samples == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_CYCLE, path));
  return ht_cycle_file_write(path, &run->sampled.cycle, run->vessel.mask_sha256);
}

static ht_status write_moments(void *user) {
  const ht_run *run = user;
  char path[HT_PATH_MAX];
  if (run->sampled.moments.moments == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_MOMENTS, path));
  return ht_moments_file_write(path, &run->sampled.moments, run->vessel.mask_sha256);
}

static ht_status write_beat(void *user) {
  const ht_run *run = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_BEAT, path));
  return ht_beat_file_write(path, &run->sampled.beat, run->vessel.mask_sha256);
}

/* Writes all that belongs to the flow. */
static ht_status write_flow(ht_run *run) {
  const ht_job jobs[] = {{write_mean, run},  {hash_flow, run},     {write_phase, run},
                         {write_cycle, run}, {write_moments, run}, {write_beat, run}};
  enum { STEADY = 2 };
  int has_beat = run->sampled.beat.beats > 0;
  HT_TRY(write_inputs(run));
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_FLOW, run->manifest.flow_settings_sha256));
  HT_TRY(ht_machine_now(run->given.settings->solver.device, run->given.settings->solver.threads,
                        &run->manifest.machine));
  ht_folder_drop_beat(run->given.folder); /* they are not of the flow that is written now */
  HT_TRY(ht_jobs_run(jobs, has_beat ? sizeof jobs / sizeof *jobs : STEADY));
  if (has_beat) ht_run_series_end(&run->sampled);
  return HT_OK;
}

static void tell_exchange(const ht_flow_stats *stats) {
  if (stats->by_host[0])
    ht_console_note("the GPUs exchange by way of the host, not through each other's memory, which "
                    "can be slower than one GPU: %s (docs/cluster.md)",
                    stats->by_host);
}

ht_status ht_stage_solve(ht_run *run) {
  HT_TRY(ht_need_tiling(run));
  if (run->given.first == HT_STAGE_SOLVE)
    ht_place_tell(&run->vessel.placed.openings); /* of the mask in use */
  ht_status status = solve(run);
  if (status == HT_ERR_DIVERGED) {
    tell_start(&run->solved.stats, &run->manifest.plan);
    keep_diverged(run);
  }
  if (status != HT_OK && status != HT_ERR_NOT_STEADY) return status;
  run->solved.outcome = status;
  tell_exchange(&run->solved.stats);
  if (status != HT_OK)
    snprintf(run->solved.outcome_message, sizeof run->solved.outcome_message, "%s",
             ht_error_message());
  tell_start(&run->solved.stats, &run->manifest.plan);
  ht_run_plan_tuned(&run->solved.stats, &run->manifest.plan);
  ht_run_judge(run->given.settings->steps, &run->solved);
  if (run->solved.outcome == HT_OK && ht_flow_fault_of(&run->solved.stats) == HT_FLOW_NOT_STEADY)
    ht_console_note("not steady: stopped after %lld step%s as asked (steps: %lld, from --steps or "
                    "%s/" HT_FILE_CASE ")",
                    (long long)run->solved.stats.steps, run->solved.stats.steps == 1 ? "" : "s",
                    (long long)run->given.settings->steps, run->given.folder);
  HT_TRY(write_flow(run));
  ht_run_checkpoints_drop(run->given.folder);
  return HT_OK;
}
