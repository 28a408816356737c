#include "run/stages/stage_report.h"
#include "run/process/console.h"
#include "run/stages/flow_pictures.h"
#include "run/folder/picture_colours.h"
#include "run/inputs/load_inputs.h"
#include "run/checkpoint/run_series.h"
#include "run/stages/stage_dicom.h"

ht_status ht_run_write_report(const ht_given *given, const ht_report_view *view) {
  char folder[HT_PATH_MAX];
  return ht_report_write(given->folder, ht_run_name(given, folder), view);
}

ht_status ht_run_need_view(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_SCAN, path));
  if (run->given.settings->mask[0]) return HT_OK;
  if (ht_file_exists(path)) return ht_need_scan(run);
  ht_console_note("%s is not there: " HT_FILE_REPORT " has no slices of the scan", path);
  return HT_OK;
}

ht_status ht_draw_view(void *user) {
  const ht_flow_results *of = user;
  ht_run *run = of->run;
  const ht_solved *solved = &run->solved;
  const ht_report_scene scene = {
      .surface = &of->surface,
      .cycle = ht_sampled_cycle(&run->sampled),
      .moments = &run->sampled.moments,
      .scan = run->given.settings->mask[0] ? NULL : &run->imported.scan,
      .openings = &run->vessel.placed.openings,
      .domain = &run->domain,
      .flow = solved->phase.velocity_m_s ? &solved->phase : &solved->flow,
      .flow_time_s = solved->phase.velocity_m_s ? solved->stats.phase_time_s : -1,
      .speed_high_m_s = run->given.settings->speed_high_m_s,
      .wss_high_pa = run->given.settings->wss_high_pa,
  };
  ht_report_view_free(&run->view);
  return ht_report_view_make(&scene, &run->view);
}

/* Draws the view, and the pictures whose colours have a range, the largest first. */
static ht_status draw_all(ht_flow_results *of) {
  ht_job jobs[1 + HT_FLOW_PICTURES] = {{ht_draw_view, of}};
  ht_flow_pictures(of, jobs + 1);
  HT_TRY(ht_jobs_run(jobs, 1 + HT_FLOW_PICTURES));
  return ht_run_draw_beat(of->run, &of->surface, &of->text);
}

/* Reads the samples of the beat, where they are drawn or can be. */
static ht_status need_beat(ht_run *run) {
  char drawn[HT_PATH_MAX], samples[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_ANIMATION, drawn));
  HT_TRY(ht_run_path(run, HT_FILE_SERIES, samples));
  return ht_file_exists(drawn) || ht_file_exists(samples) ? ht_need_series(run) : HT_OK;
}

static ht_status make_all(ht_run *run, int redraw) {
  ht_flow_results of = {0};
  HT_TRY(ht_run_need_view(run));
  if (redraw) HT_TRY(need_beat(run));
  ht_flow_results_begin(run, &of);
  HT_TRY(ht_run_take_wall(run, &of.surface));
  ht_status status = ht_flow_load_wall(run, &of.surface);
  if (status == HT_OK) status = redraw ? draw_all(&of) : ht_draw_view(&of);
  ht_surface_free(&of.surface);
  return status == HT_OK ? ht_run_write_report(&run->given, &run->view) : status;
}

/* Draws all pictures again; until all are drawn, colours.json says so. */
static ht_status redraw_all(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_picture_colours colours = {run->given.settings->speed_high_m_s,
                                run->given.settings->wss_high_pa, 0};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_picture_colours_write(run->given.folder, &colours));
  HT_TRY(make_all(run, 1));
  HT_TRY(ht_run_dicom_pages(run));
  colours.complete = 1;
  return ht_picture_colours_write(run->given.folder, &colours);
}

ht_status ht_stage_report(ht_run *run, int redraw) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_SUMMARY, path));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: there is no such file: run `hemotile export %s` first, which also writes "
                   "the report",
                   path, run->given.typed);
  ht_console_stage("report", 1, 1);
  HT_TRY(ht_need_flow(run));
  HT_TRY(redraw ? redraw_all(run) : make_all(run, 0));
  ht_console_stage_end();
  return HT_OK;
}
