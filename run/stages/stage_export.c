#include "export/beat/beat_csv.h"
#include "export/files/result_files.h"
#include "export/pictures/pictures.h"
#include "run/process/console.h"
#include "run/mask/draw_mask.h"
#include "run/stages/flow_pictures.h"
#include "run/numbers/inflow_table.h"
#include "export/beat/jet.h"
#include "core/work/jobs.h"
#include "run/mask/mask_quality.h"
#include "run/mask/mask_warn.h"
#include "run/folder/picture_colours.h"
#include "run/numbers/plausibility.h"
#include "run/inputs/load_inputs.h"
#include "run/numbers/run_outcome.h"
#include "run/checkpoint/run_record.h"
#include "run/inputs/run_sac.h"
#include "run/checkpoint/run_series.h"
#include "run/stages/stage_dicom.h"
#include "run/stages/stage_report.h"
#include "run/stages/stages.h"
#include "run/numbers/summary.h"
#include "export/wall/wall_along.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the flow ---- */

static ht_status write_velocity(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_VELOCITY, path));
  return ht_export_velocity(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid);
}

static ht_status write_pressure(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_PRESSURE, path));
  return ht_export_pressure(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid);
}

static ht_status write_flow_vti(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_FLOW_VTI, path));
  return ht_export_vti(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid);
}

static ht_status write_phase_vti(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  char path[HT_PATH_MAX];
  if (!run->solved.phase.velocity_m_s) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_PHASE_VTI, path));
  return ht_export_vti(path, &run->domain, &run->solved.phase, &run->vessel.mask.grid);
}

/* ---- the wall ---- */

static ht_status load_wall(ht_run *run, ht_surface *surface) {
  HT_TRY(ht_flow_load_wall(run, surface));
  ht_surface_stats(surface, &run->measured.wall);
  if (ht_sampled_cycle(&run->sampled))
    ht_cycle_stats_of(surface, &run->sampled.cycle, &run->measured.cycle_stats);
  ht_summary_warn_wall(&run->measured.wall);
  ht_run_judge_plausible(&run->vessel.placed.openings, &run->ahead.path, &run->solved.stats,
                         &run->measured);
  return HT_OK;
}

static ht_status write_wall(void *user) {
  const ht_flow_results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL, path));
  return ht_export_vtp_cycle(path, &of->surface, ht_sampled_cycle(&of->run->sampled));
}

static ht_status write_wall_stl(void *user) {
  const ht_flow_results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_STL, path));
  return ht_export_wall_stl(path, &of->surface);
}

static ht_status write_wall_csv(void *user) {
  const ht_flow_results *of = user;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_WALL_CSV, path));
  return ht_export_wall_csv(path, &of->surface, ht_sampled_cycle(&of->run->sampled),
                            of->run->measured.sac_mesh.in_sac);
}

/* Returns the wall shear stress; that of a cycle is TAWSS. */
static const float *wss_of(const ht_flow_results *of) {
  const ht_wall_cycle *cycle = ht_sampled_cycle(&of->run->sampled);
  return cycle ? cycle->tawss_pa : of->surface.wss_mag_pa;
}

static ht_status write_wall_image(const ht_flow_results *of, const char *file, const float *values,
                                  const char *name, const char *about) {
  char path[HT_PATH_MAX];
  const ht_run *run = of->run;
  HT_TRY(ht_run_path(run, file, path));
  return ht_export_wall_image(path, &of->surface, values, &run->domain, &run->vessel.mask.grid,
                              name, about);
}

/* Writes the images of the wall; for a pulse TAWSS and OSI: each under a name that says which
 * stress it is. */
static ht_status write_wall_images(void *user) {
  const ht_flow_results *of = user;
  const ht_wall_cycle *cycle = ht_sampled_cycle(&of->run->sampled);
  if (!cycle)
    return write_wall_image(of, HT_FILE_WALL_WSS, of->surface.wss_mag_pa, "WSS",
                            "hemotile wall shear stress Pa");
  HT_TRY(write_wall_image(of, HT_FILE_WALL_TAWSS, cycle->tawss_pa, "TAWSS",
                          "hemotile wall shear stress, mean over the beat (TAWSS), Pa"));
  return write_wall_image(of, HT_FILE_WALL_OSI, cycle->osi, "OSI",
                          "hemotile oscillatory shear index, no unit");
}

static ht_status write_sac(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  return ht_run_write_sac(run->given.folder, &run->measured.sac_mesh);
}

static ht_status draw_osi(void *user) {
  const ht_flow_results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  if (!ht_sampled_cycle(&run->sampled)) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/osi.png", path));
  return ht_picture_osi(path, &of->surface, &run->sampled.cycle, &run->vessel.placed.openings,
                        &of->text);
}

/* ---- the beat ---- */

/* Number of batches for the error of a mean: ten parts of some 20 samples. */
enum { BATCHES = 10 };

/* Measures a steady flow, a beat of one sample. */
static ht_status measure_steady(ht_run *run) {
  HT_TRY(ht_need_path(run));
  return ht_beat_of_steady(&run->ahead.path, &run->solved.flow, &run->solved.stats,
                           &run->sampled.beat);
}

/* Measures the beat of a pulsatile flow that an earlier version computed without one. */
static ht_status measure_beat(ht_run *run) {
  const ht_solved *solved = &run->solved;
  ht_sampled *sampled = &run->sampled;
  ht_gradient *gradient = &run->measured.gradient;
  if (solved->stats.period_s == 0 && sampled->beat.samples == 0) HT_TRY(measure_steady(run));
  if (solved->stats.period_s == 0 && sampled->beat.samples > 1)
    HT_TRY(ht_beat_batch(&sampled->beat, BATCHES, &sampled->batches));
  HT_TRY(ht_gradient_of(ht_sampled_beat(sampled), gradient));
  gradient->is_pulsatile = solved->stats.period_s > 0;
  if (gradient->is_narrow) {
    HT_TRY(ht_need_path(run));
    ht_jet_angle(&run->ahead.path, solved->phase.velocity_m_s ? &solved->phase : &solved->flow,
                 gradient);
  }
  ht_summary_warn_pulse(run);
  ht_summary_warn_narrowing(gradient);
  ht_summary_warn_averaged(run);
  return HT_OK;
}

static ht_status write_waveforms(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  const ht_picture_text *text = &((const ht_flow_results *)user)->text;
  char path[HT_PATH_MAX];
  if (run->sampled.beat.samples < 2) return HT_OK;
  const ht_beat *beat = &run->sampled.beat;
  const ht_flow_stats *stats = &run->solved.stats;
  HT_TRY(ht_run_path(run, HT_FILE_WAVEFORMS, path));
  HT_TRY(ht_beat_write_waveforms(path, beat, stats));
  if (run->given.settings->inflow.period_s > 0) {
    HT_TRY(ht_run_path(run, HT_FILE_INFLOW, path));
    HT_TRY(ht_inflow_write(path, run->given.settings, &run->vessel.placed.openings));
  }
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/flow_beat.png", path));
  HT_TRY(ht_picture_beat_flow(path, beat, stats, text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/pressure_beat.png", path));
  return ht_picture_beat_pressure(path, beat, stats, text);
}

/* Writes the table of the stations, with the load of the wall around each. */
static ht_status write_stations(const ht_flow_results *of, const ht_beat *beat) {
  char path[HT_PATH_MAX];
  double *wss_pa;
  HT_TRY(ht_run_path(of->run, HT_FILE_CENTRELINE, path));
  HT_TRY(ht_alloc((void **)&wss_pa, (size_t)beat->stations, sizeof *wss_pa, "the centreline"));
  ht_status status = ht_wall_along(&of->surface, wss_of(of), beat->station, beat->stations, wss_pa);
  if (status == HT_OK)
    status = ht_beat_write_centreline(path, beat, &of->run->solved.stats, wss_pa);
  free(wss_pa);
  return status;
}

static ht_status write_centreline(void *user) {
  const ht_run *run = ((const ht_flow_results *)user)->run;
  const ht_picture_text *text = &((const ht_flow_results *)user)->text;
  char path[HT_PATH_MAX];
  if (run->sampled.beat.samples == 0 || run->sampled.beat.stations < 2) return HT_OK;
  const ht_beat *beat = ht_sampled_beat(&run->sampled);
  HT_TRY(write_stations(user, beat));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/centreline.png", path));
  HT_TRY(ht_picture_centreline(path, beat, &run->solved.stats, text));
  if (beat->period_s == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_LINE_BEAT, path));
  return ht_beat_write_centreline_beat(path, beat);
}

/* ---- all of them ---- */

/* Writes the files, the largest first. */
static ht_status write_files(ht_flow_results *of) {
  const ht_job files[] = {{write_flow_vti, of},    {write_phase_vti, of}, {write_velocity, of},
                          {draw_osi, of},          {write_wall_csv, of},  {write_wall, of},
                          {write_wall_images, of}, {write_pressure, of},  {write_waveforms, of},
                          {write_centreline, of},  {write_wall_stl, of},  {write_sac, of}};
  ht_job jobs[HT_JOBS_MAX];
  int count = 0;
  if (!of->run->given.no_pictures) {
    ht_flow_pictures(of, jobs);
    count = HT_FLOW_PICTURES;
    jobs[count++] = (ht_job){ht_draw_view, of};
  }
  memcpy(jobs + count, files, sizeof files);
  return ht_jobs_run(jobs, count + (int)(sizeof files / sizeof *files));
}

static ht_status write_results(ht_run *run, ht_flow_results *of) {
  const ht_progress *progress = ht_console_progress();
  char path[HT_PATH_MAX];
  ht_flow_results_begin(run, of);
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_take_wall(run, &of->surface));
  HT_TRY(measure_beat(run));
  HT_TRY(ht_progress_report(progress, "export", 1, 4, "the load on the wall"));
  if (!run->given.no_pictures) HT_TRY(ht_run_need_view(run));
  HT_TRY(load_wall(run, &of->surface));
  HT_TRY(ht_run_sac(run, &of->surface, run->ahead.ways));
  HT_TRY(ht_progress_report(progress, "export", 2, 4, "files and pictures"));
  HT_TRY(write_files(of));
  HT_TRY(ht_run_dicom_fields(run, &of->surface));
  if (run->sampled.series.samples > 0)
    HT_TRY(ht_progress_report(progress, "export", 3, 5, "the samples of the beat"));
  HT_TRY(ht_run_write_series(run, &of->surface, &of->text));
  HT_TRY(ht_progress_report(progress, "export", 3, 4, "pictures"));
  /* The segmentation has drawn the mask, but not one edited since. */
  if (!run->vessel.mask_edited) return HT_OK;
  HT_TRY(ht_run_draw_mask(run));
  return ht_run_show_quality(run);
}

/* Ends the pictures: without them colours.json says that they are missing. */
static ht_status end_pictures(const ht_run *run) {
  const ht_picture_colours asked = {run->given.settings->speed_high_m_s,
                                    run->given.settings->wss_high_pa, 0};
  if (!run->given.no_pictures) {
    ht_picture_colours_drop(run->given.folder);
    return HT_OK;
  }
  ht_console_note("the pictures of the flow and " HT_FILE_REPORT
                  " are left out (--no-pictures): `hemotile report %s` makes them",
                  run->given.typed);
  return ht_picture_colours_write(run->given.folder, &asked);
}

ht_status ht_stage_export(ht_run *run) {
  ht_flow_results of = {.run = run};
  HT_TRY(ht_need_flow(run));
  ht_run_judge(run->given.settings->steps, &run->solved);
  HT_TRY(ht_need_tiling(run));
  HT_TRY(ht_need_series(run));
  if (run->given.first == HT_STAGE_EXPORT)
    HT_TRY(ht_run_write_openings(run->given.folder, &run->vessel.placed)); /* those of this flow */
  ht_folder_drop_sensitivity(run->given.folder);
  ht_warn_again(run);
  ht_summary_warn(run);
  HT_TRY(ht_picture_colours_leave(run->given.folder));
  ht_status status = write_results(run, &of);
  ht_surface_free(&of.surface);
  return status == HT_OK ? end_pictures(run) : status;
}
