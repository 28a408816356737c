#include "stage_report.h"
#include "console.h"
#include "run_need.h"

ht_status ht_run_write_report(const ht_run *run) {
  char folder[HT_PATH_MAX];
  return ht_report_write(run->folder, ht_run_name(run, folder), &run->view);
}

ht_status ht_run_need_view(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_SCAN, path));
  if (run->settings->mask[0]) return HT_OK;
  if (ht_file_exists(path)) return ht_need_scan(run);
  ht_console_note("%s is not there: " HT_FILE_REPORT " has no slices of the scan", path);
  return HT_OK;
}

ht_status ht_run_make_view(ht_run *run, const ht_surface *surface) {
  const ht_run_result *result = &run->result;
  const ht_report_scene scene = {
      .surface = surface,
      .cycle = result->cycle.samples > 0 ? &result->cycle : NULL,
      .moments = &result->moments,
      .scan = run->settings->mask[0] ? NULL : &run->scan,
      .openings = &run->placed.openings,
      .domain = &run->domain,
      .flow = result->phase.velocity_m_s ? &result->phase : &result->flow,
      .flow_time_s = result->phase.velocity_m_s ? result->stats.phase_time_s : -1,
  };
  ht_report_view_free(&run->view);
  return ht_report_view_make(&scene, &run->view);
}

static ht_status view_of_folder(ht_run *run) {
  const ht_run_result *result = &run->result;
  ht_surface surface;
  HT_TRY(ht_run_need_view(run));
  HT_TRY(ht_run_take_wall(run, &surface));
  ht_status status = ht_surface_load(&surface, &run->domain, &result->flow);
  if (status == HT_OK)
    status = ht_surface_resolve(&surface, &result->flow,
                                result->cycle.samples > 0 ? &result->cycle : NULL);
  if (status == HT_OK) status = ht_run_make_view(run, &surface);
  ht_surface_free(&surface);
  return status;
}

ht_status ht_stage_report(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_SUMMARY, path));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: there is no such file: run `hemotile export %s` first, which also writes "
                   "the report",
                   path, run->typed);
  ht_console_stage("report", 1, 1);
  HT_TRY(ht_need_flow(run));
  HT_TRY(view_of_folder(run));
  HT_TRY(ht_run_write_report(run));
  ht_console_stage_end();
  return HT_OK;
}
