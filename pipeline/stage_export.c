#include "beat_csv.h"
#include "console.h"
#include "draw_mask.h"
#include "mask_quality.h"
#include "main_path.h"
#include "run_need.h"
#include "run_outcome.h"
#include "run_record.h"
#include "stages.h"
#include "summary.h"
#include <stdio.h>
#include <string.h>

static ht_status write_images(ht_run *run) {
  char path[HT_PATH_MAX];
  const ht_progress *progress = ht_console_progress();
  HT_TRY(ht_run_path(run, HT_FILE_VELOCITY, path));
  HT_TRY(ht_export_velocity(path, &run->domain, &run->result.flow, &run->mask.grid));
  HT_TRY(ht_progress_report(progress, "export", 1, 7, HT_FILE_PRESSURE));
  HT_TRY(ht_run_path(run, HT_FILE_PRESSURE, path));
  HT_TRY(ht_export_pressure(path, &run->domain, &run->result.flow, &run->mask.grid));
  HT_TRY(ht_progress_report(progress, "export", 2, 7, HT_FILE_FLOW_VTI));
  HT_TRY(ht_run_path(run, HT_FILE_FLOW_VTI, path));
  HT_TRY(ht_export_vti(path, &run->domain, &run->result.flow, &run->mask.grid));
  HT_TRY(ht_run_path(run, HT_FILE_PHASE_VTI, path));
  if (run->result.phase.velocity_m_s)
    HT_TRY(ht_export_vti(path, &run->domain, &run->result.phase, &run->mask.grid));
  return ht_progress_report(progress, "export", 3, 7, HT_FILE_WALL);
}

static ht_status write_wall(ht_run *run, ht_surface *surface) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_surface_build(&run->domain, surface));
  HT_TRY(ht_surface_load(surface, &run->domain, &run->result.flow));
  HT_TRY(ht_surface_resolve(surface, &run->result.flow,
                            run->result.cycle.samples ? &run->result.cycle : NULL));
  ht_surface_stats(surface, &run->result.wall);
  if (run->result.cycle.samples)
    ht_cycle_stats_of(surface, &run->result.cycle, &run->result.cycle_stats);
  ht_summary_warn_wall(&run->result.wall);
  HT_TRY(ht_run_path(run, HT_FILE_WALL, path));
  HT_TRY(ht_export_vtp_cycle(path, surface, run->result.cycle.samples ? &run->result.cycle : NULL));
  return ht_progress_report(ht_console_progress(), "export", 4, 7, "pictures");
}

static ht_status draw_phase(const ht_run *run, const ht_picture_text *text) {
  char path[HT_PATH_MAX], name[HT_NAME_MAX + 48];
  if (!run->result.phase.velocity_m_s) return HT_OK;
  snprintf(name, sizeof name, "%.*s, %.3g s after the beat's start", HT_NAME_MAX, text->name,
           run->result.stats.phase_time_s);
  const ht_picture_text of_phase = {name, text->mark};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/velocity_phase.png", path));
  return ht_picture_velocity(path, &run->domain, &run->result.phase, &of_phase);
}

static ht_status draw_cycle(const ht_run *run, const ht_surface *surface,
                            const ht_picture_text *text) {
  char path[HT_PATH_MAX];
  if (run->result.cycle.samples == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/tawss.png", path));
  HT_TRY(ht_picture_tawss(path, surface, &run->result.cycle, &run->placed.openings, text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/osi.png", path));
  return ht_picture_osi(path, surface, &run->result.cycle, &run->placed.openings, text);
}

/* ---- the beat ---- */

/* For the error of a mean: ten parts of some 20 samples. */
enum { BATCHES = 10 };

/* What the mean numbers come from. */
static const ht_beat *beat_of(const ht_run *run) {
  return run->result.batches.beats > 0 ? &run->result.batches : &run->result.beat;
}

/* A steady flow is a beat of one sample. */
static ht_status measure_steady(ht_run *run) {
  ht_vessel_path path;
  HT_TRY(ht_main_path_find(&run->mask, &run->placed.openings, &path));
  ht_status status =
      ht_beat_of_steady(&path, &run->result.flow, &run->result.stats, &run->result.beat);
  ht_vessel_path_free(&path);
  return status;
}

static ht_status write_waveforms(const ht_run *run, const ht_picture_text *text) {
  char path[HT_PATH_MAX];
  const ht_beat *beat = &run->result.beat;
  const ht_flow_stats *stats = &run->result.stats;
  HT_TRY(ht_run_path(run, HT_FILE_WAVEFORMS, path));
  HT_TRY(ht_beat_write_waveforms(path, beat, stats));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/flow_beat.png", path));
  HT_TRY(ht_picture_beat_flow(path, beat, stats, text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/pressure_beat.png", path));
  return ht_picture_beat_pressure(path, beat, stats, text);
}

static ht_status write_centreline(const ht_run *run, const ht_picture_text *text) {
  char path[HT_PATH_MAX];
  const ht_beat *beat = beat_of(run);
  HT_TRY(ht_run_path(run, HT_FILE_CENTRELINE, path));
  HT_TRY(ht_beat_write_centreline(path, beat, &run->result.stats));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/centreline.png", path));
  HT_TRY(ht_picture_centreline(path, beat, &run->result.stats, text));
  if (beat->period_s == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_LINE_BEAT, path));
  return ht_beat_write_centreline_beat(path, beat);
}

/* A pulsatile flow that an earlier version computed has no beat. */
static ht_status write_beat(ht_run *run, const ht_picture_text *text) {
  ht_run_result *result = &run->result;
  if (result->stats.period_s == 0 && result->beat.samples == 0) HT_TRY(measure_steady(run));
  if (result->stats.period_s == 0 && result->beat.samples > 1)
    HT_TRY(ht_beat_batch(&result->beat, BATCHES, &result->batches));
  HT_TRY(ht_gradient_of(beat_of(run), &result->gradient));
  ht_summary_warn_averaged(run);
  if (result->beat.samples == 0) return HT_OK;
  if (result->beat.samples > 1) HT_TRY(write_waveforms(run, text));
  return result->beat.stations > 1 ? write_centreline(run, text) : HT_OK;
}

static ht_status write_pictures(ht_run *run, const ht_surface *surface) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_progress *progress = ht_console_progress();
  const ht_picture_text text = {ht_run_name(run, folder),
                                ht_flow_fault_words(ht_flow_fault_of(&run->result.stats))};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/velocity.png", path));
  HT_TRY(ht_picture_velocity(path, &run->domain, &run->result.flow, &text));
  HT_TRY(ht_progress_report(progress, "export", 5, 7, "pictures"));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/wall.png", path));
  HT_TRY(ht_picture_wall(path, surface, &run->placed.openings, &text));
  HT_TRY(draw_phase(run, &text));
  HT_TRY(draw_cycle(run, surface, &text));
  HT_TRY(write_beat(run, &text));
  HT_TRY(ht_progress_report(progress, "export", 6, 7, "pictures"));
  /* The segmentation has drawn the mask, but not a mask edited since. */
  if (!run->mask_edited) return HT_OK;
  HT_TRY(ht_run_draw_mask(run));
  return ht_run_show_quality(run);
}

ht_status ht_stage_export(ht_run *run) {
  ht_surface surface = {0};
  HT_TRY(ht_need_flow(run));
  ht_run_judge(run);
  HT_TRY(ht_need_tiling(run));
  if (run->first == HT_STAGE_EXPORT) HT_TRY(ht_run_write_openings(run)); /* those of this flow */
  ht_folder_drop_sensitivity(run->folder);
  ht_summary_warn(run);
  ht_status status = write_images(run);
  if (status == HT_OK) status = write_wall(run, &surface);
  if (status == HT_OK) status = write_pictures(run, &surface);
  ht_surface_free(&surface);
  return status;
}
