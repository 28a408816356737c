#include "beat_csv.h"
#include "console.h"
#include "draw_mask.h"
#include "jet.h"
#include "jobs.h"
#include "mask_quality.h"
#include "mask_warn.h"
#include "run_need.h"
#include "run_outcome.h"
#include "run_record.h"
#include "run_sac.h"
#include "run_series.h"
#include "stage_dicom.h"
#include "stage_report.h"
#include "stages.h"
#include "summary.h"
#include "wall_along.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the results are made of. Files and pictures are made side by side, as jobs. */
typedef struct {
  ht_run *run;
  ht_surface surface;
  ht_picture_text text;
  char folder[HT_PATH_MAX]; /* of the text */
} results;

static const ht_wall_cycle *cycle_of(const ht_run *run) {
  return run->result.cycle.samples ? &run->result.cycle : NULL;
}

/* ---- the flow ---- */

static ht_status write_velocity(void *user) {
  const ht_run *run = ((const results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_VELOCITY, path));
  return ht_export_velocity(path, &run->domain, &run->result.flow, &run->mask.grid);
}

static ht_status write_pressure(void *user) {
  const ht_run *run = ((const results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_PRESSURE, path));
  return ht_export_pressure(path, &run->domain, &run->result.flow, &run->mask.grid);
}

static ht_status write_flow_vti(void *user) {
  const ht_run *run = ((const results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_FLOW_VTI, path));
  return ht_export_vti(path, &run->domain, &run->result.flow, &run->mask.grid);
}

static ht_status write_phase_vti(void *user) {
  const ht_run *run = ((const results *)user)->run;
  char path[HT_PATH_MAX];
  if (!run->result.phase.velocity_m_s) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_PHASE_VTI, path));
  return ht_export_vti(path, &run->domain, &run->result.phase, &run->mask.grid);
}

/* The text of a picture, with the moment of the beat or that it is a mean after the name. `text`
 * borrows `name`. */
enum { NAME_SIZE = HT_NAME_MAX + 48 };
static void name_flow(const results *of, int at_phase, char name[NAME_SIZE],
                      ht_picture_text *text) {
  const ht_flow_stats *stats = &of->run->result.stats;
  *text = of->text;
  if (stats->period_s == 0) return;
  if (at_phase)
    snprintf(name, NAME_SIZE, "%.*s, %.3g s after the beat's start", HT_NAME_MAX, of->text.name,
             stats->phase_time_s);
  else
    snprintf(name, NAME_SIZE, "%.*s, mean flow of the beat", HT_NAME_MAX, of->text.name);
  text->name = name;
}

static ht_status draw_velocity(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX], name[NAME_SIZE];
  ht_picture_text text;
  name_flow(of, 0, name, &text);
  HT_TRY(ht_run_path(of->run, HT_FOLDER_PICTURES "/velocity.png", path));
  return ht_picture_velocity(path, &of->run->domain, &of->run->result.flow, &text);
}

static ht_status draw_phase(void *user) {
  const results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX], name[NAME_SIZE];
  ht_picture_text text;
  if (!run->result.phase.velocity_m_s) return HT_OK;
  name_flow(of, 1, name, &text);
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/velocity_phase.png", path));
  return ht_picture_velocity(path, &run->domain, &run->result.phase, &text);
}

/* Of a pulse at the moment of flow_phase.vti, as in the report's view. */
static ht_status draw_streamlines(void *user) {
  const results *of = user;
  const ht_run *run = of->run;
  const int at_phase = run->result.phase.velocity_m_s != NULL;
  char path[HT_PATH_MAX], name[NAME_SIZE];
  ht_picture_text text;
  name_flow(of, at_phase, name, &text);
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/streamlines.png", path));
  return ht_picture_streamlines(path, &run->domain,
                                at_phase ? &run->result.phase : &run->result.flow, &text);
}

/* ---- the wall ---- */

static ht_status load_wall(ht_run *run, ht_surface *surface) {
  HT_TRY(ht_surface_load(surface, &run->domain, &run->result.flow));
  HT_TRY(ht_surface_resolve(surface, &run->result.flow, cycle_of(run)));
  ht_surface_stats(surface, &run->result.wall);
  if (cycle_of(run)) ht_cycle_stats_of(surface, &run->result.cycle, &run->result.cycle_stats);
  ht_summary_warn_wall(&run->result.wall);
  return HT_OK;
}

static ht_status write_wall(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL, path));
  return ht_export_vtp_cycle(path, &of->surface, cycle_of(of->run));
}

static ht_status write_wall_stl(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_STL, path));
  return ht_export_wall_stl(path, &of->surface);
}

static ht_status write_wall_csv(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_CSV, path));
  return ht_export_wall_csv(path, &of->surface, cycle_of(of->run), of->run->result.sac_mesh.in_sac);
}

/* What counts as the wall shear stress of a cycle is TAWSS. */
static const float *wss_of(const results *of) {
  const ht_wall_cycle *cycle = cycle_of(of->run);
  return cycle ? cycle->tawss_pa : of->surface.wss_mag_pa;
}

static ht_status write_wall_images(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_WSS, path));
  const int pulses = cycle_of(of->run) != NULL;
  HT_TRY(ht_export_wall_image(path, &of->surface, wss_of(of), &of->run->mask,
                              pulses ? "TAWSS" : "WSS",
                              pulses ? "hemotile wall shear stress, mean over the beat (TAWSS), Pa"
                                     : "hemotile wall shear stress Pa"));
  if (!pulses) return HT_OK;
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_OSI, path));
  return ht_export_wall_image(path, &of->surface, cycle_of(of->run)->osi, &of->run->mask, "OSI",
                              "hemotile oscillatory shear index, no unit");
}

static ht_status write_sac(void *user) {
  return ht_run_write_sac(((const results *)user)->run);
}

static ht_status draw_wall(void *user) {
  const results *of = user;
  char path[HT_PATH_MAX], name[NAME_SIZE];
  ht_picture_text text;
  name_flow(of, 0, name, &text);
  HT_TRY(ht_run_path(of->run, HT_FOLDER_PICTURES "/wall.png", path));
  return ht_picture_wall(path, &of->surface, &of->run->placed.openings, &text);
}

static ht_status draw_tawss(void *user) {
  const results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  if (!cycle_of(run)) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/tawss.png", path));
  return ht_picture_tawss(path, &of->surface, &run->result.cycle, &run->placed.openings, &of->text);
}

static ht_status draw_osi(void *user) {
  const results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  if (!cycle_of(run)) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/osi.png", path));
  return ht_picture_osi(path, &of->surface, &run->result.cycle, &run->placed.openings, &of->text);
}

static ht_status make_view(void *user) {
  const results *of = user;
  return ht_run_make_view(of->run, &of->surface);
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
  HT_TRY(ht_need_path(run));
  return ht_beat_of_steady(&run->path, &run->result.flow, &run->result.stats, &run->result.beat);
}

/* A pulsatile flow that an earlier version computed has no beat. */
static ht_status measure_beat(ht_run *run) {
  ht_run_result *result = &run->result;
  if (result->stats.period_s == 0 && result->beat.samples == 0) HT_TRY(measure_steady(run));
  if (result->stats.period_s == 0 && result->beat.samples > 1)
    HT_TRY(ht_beat_batch(&result->beat, BATCHES, &result->batches));
  HT_TRY(ht_gradient_of(beat_of(run), &result->gradient));
  if (result->gradient.is_narrow) {
    HT_TRY(ht_need_path(run));
    ht_jet_angle(&run->path, result->phase.velocity_m_s ? &result->phase : &result->flow,
                 &result->gradient);
  }
  ht_summary_warn_averaged(run);
  return HT_OK;
}

static ht_status write_waveforms(void *user) {
  const ht_run *run = ((const results *)user)->run;
  const ht_picture_text *text = &((const results *)user)->text;
  char path[HT_PATH_MAX];
  if (run->result.beat.samples < 2) return HT_OK;
  const ht_beat *beat = &run->result.beat;
  const ht_flow_stats *stats = &run->result.stats;
  HT_TRY(ht_run_path(run, HT_FILE_WAVEFORMS, path));
  HT_TRY(ht_beat_write_waveforms(path, beat, stats));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/flow_beat.png", path));
  HT_TRY(ht_picture_beat_flow(path, beat, stats, text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/pressure_beat.png", path));
  return ht_picture_beat_pressure(path, beat, stats, text);
}

/* The table of the stations, with the load of the wall around each. */
static ht_status write_stations(const results *of, const ht_beat *beat) {
  char path[HT_PATH_MAX];
  double *wss_pa;
  HT_TRY(ht_run_path(of->run, HT_FILE_CENTRELINE, path));
  HT_TRY(ht_alloc((void **)&wss_pa, (size_t)beat->stations, sizeof *wss_pa, "the centreline"));
  ht_status status = ht_wall_along(&of->surface, wss_of(of), beat->station, beat->stations, wss_pa);
  if (status == HT_OK)
    status = ht_beat_write_centreline(path, beat, &of->run->result.stats, wss_pa);
  free(wss_pa);
  return status;
}

static ht_status write_centreline(void *user) {
  const ht_run *run = ((const results *)user)->run;
  const ht_picture_text *text = &((const results *)user)->text;
  char path[HT_PATH_MAX];
  if (run->result.beat.samples == 0 || run->result.beat.stations < 2) return HT_OK;
  const ht_beat *beat = beat_of(run);
  HT_TRY(write_stations(user, beat));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/centreline.png", path));
  HT_TRY(ht_picture_centreline(path, beat, &run->result.stats, text));
  if (beat->period_s == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_LINE_BEAT, path));
  return ht_beat_write_centreline_beat(path, beat);
}

/* ---- all of them ---- */

/* The largest first. */
static ht_status write_files(results *of) {
  const ht_job jobs[] = {{draw_velocity, of},     {draw_phase, of},      {draw_streamlines, of},
                         {write_flow_vti, of},    {write_phase_vti, of}, {write_velocity, of},
                         {make_view, of},         {draw_wall, of},       {draw_tawss, of},
                         {draw_osi, of},          {write_wall_csv, of},  {write_wall, of},
                         {write_wall_images, of}, {write_pressure, of},  {write_waveforms, of},
                         {write_centreline, of},  {write_wall_stl, of},  {write_sac, of}};
  return ht_jobs_run(jobs, sizeof jobs / sizeof *jobs);
}

static ht_status write_results(ht_run *run, results *of) {
  const ht_progress *progress = ht_console_progress();
  char path[HT_PATH_MAX];
  of->text = (ht_picture_text){.name = ht_run_name(run, of->folder),
                               .mark = ht_flow_fault_words(ht_flow_fault_of(&run->result.stats)),
                               .speed_high_m_s = run->settings->speed_high_m_s,
                               .wss_high_pa = run->settings->wss_high_pa,
                               .lattice_mm = run->domain.mask.grid.spacing_mm[0]};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_take_wall(run, &of->surface));
  HT_TRY(measure_beat(run));
  HT_TRY(ht_progress_report(progress, "export", 1, 4, "the load on the wall"));
  HT_TRY(ht_run_need_view(run));
  HT_TRY(load_wall(run, &of->surface));
  HT_TRY(ht_run_sac(run, &of->surface, run->ways));
  HT_TRY(ht_progress_report(progress, "export", 2, 4, "files and pictures"));
  HT_TRY(write_files(of));
  HT_TRY(ht_run_dicom_fields(run, &of->surface));
  if (run->result.series.samples > 0)
    HT_TRY(ht_progress_report(progress, "export", 3, 5, "the samples of the beat"));
  HT_TRY(ht_run_write_series(run, &of->surface, &of->text));
  HT_TRY(ht_progress_report(progress, "export", 3, 4, "pictures"));
  /* The segmentation has drawn the mask, but not a mask edited since. */
  if (!run->mask_edited) return HT_OK;
  HT_TRY(ht_run_draw_mask(run));
  return ht_run_show_quality(run);
}

ht_status ht_stage_export(ht_run *run) {
  results of = {.run = run};
  HT_TRY(ht_need_flow(run));
  ht_flow_share_nodes(&run->result.phase, &run->result.flow);
  ht_run_judge(run);
  HT_TRY(ht_need_tiling(run));
  HT_TRY(ht_need_series(run));
  if (run->first == HT_STAGE_EXPORT) HT_TRY(ht_run_write_openings(run)); /* those of this flow */
  ht_folder_drop_sensitivity(run->folder);
  ht_warn_again(run);
  ht_summary_warn(run);
  ht_status status = write_results(run, &of);
  ht_surface_free(&of.surface);
  return status;
}
