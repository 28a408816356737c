#include "stage_report.h"
#include "console.h"
#include "run_need.h"

ht_status ht_run_write_report(const ht_run *run) {
  char folder[HT_PATH_MAX];
  return ht_report_write(run->folder, ht_run_name(run, folder), &run->view);
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
  HT_TRY(ht_run_write_report(run));
  ht_console_stage_end();
  return HT_OK;
}
