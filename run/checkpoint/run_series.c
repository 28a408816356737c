#include "run/checkpoint/run_series.h"
#include "export/files/series_files.h"
#include "run/process/console.h"
#include "core/work/jobs.h"
#include <string.h>

/* ---- from the solver ---- */

static void give_up(ht_sampled *sampled) {
  ht_console_warn("the samples of the beat are not kept, so there will be no files of them: %s",
                  ht_error_message());
  (void)ht_beat_series_end(sampled->record, HT_ERR_INTERNAL);
  sampled->record = NULL;
}

void ht_run_series_begin(ht_run *run, int64_t points, int samples, double period_s) {
  char path[HT_PATH_MAX];
  if (run->given.settings->beat_files == HT_BEAT_NONE) return;
  if (ht_run_path(run, HT_FILE_SERIES, path) != HT_OK ||
      ht_beat_series_begin(path, &run->domain, points, samples, period_s, run->vessel.mask_sha256,
                           &run->sampled.record) != HT_OK)
    give_up(&run->sampled);
}

void ht_run_series_sample(ht_sampled *sampled, const ht_flow_sample *sample,
                          const ht_surface *wall) {
  if (sampled->record && ht_beat_series_add(sampled->record, sample, wall) != HT_OK)
    give_up(sampled);
}

ht_status ht_run_series_drop(ht_sampled *sampled) {
  (void)ht_beat_series_end(sampled->record, HT_ERR_INTERNAL);
  sampled->record = NULL;
  return HT_OK;
}

void ht_run_series_end(ht_sampled *sampled) {
  if (!sampled->record) return;
  ht_status status = ht_beat_series_end(sampled->record, HT_OK);
  sampled->record = NULL;
  if (status != HT_OK) give_up(sampled);
}

/* ---- to the files ---- */

ht_status ht_need_series(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  if (run->given.settings->beat_files == HT_BEAT_NONE || run->sampled.series.samples > 0)
    return HT_OK;
  if (run->solved.stats.period_s == 0) {
    ht_console_note("the flow is steady: there are no files of a beat (export.beat_files)");
    return HT_OK;
  }
  HT_TRY(ht_run_path(run, HT_FILE_SERIES, path));
  if (!ht_file_exists(path)) {
    if (run->given.first < HT_STAGE_EXPORT) return HT_OK; /* warned of */
    return ht_fail(HT_ERR_CASE,
                   "%s is not there: the flow was computed without keeping the samples of its "
                   "beat: run `hemotile solve %s --beat-files animation` (or vtk, nifti, all) "
                   "first",
                   path, run->given.typed);
  }
  HT_TRY(ht_beat_series_open(path, &run->sampled.series, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) == 0) return HT_OK;
  ht_beat_series_free(&run->sampled.series);
  return ht_fail(HT_ERR_CASE, "%s belongs to another mask: run `hemotile solve %s` first", path,
                 run->given.typed);
}

/* Lanes that write the files of single samples, so that a lane compresses while another waits for
 * the disk. */
enum { LANES = 3 };

typedef struct {
  const ht_run *run;
  const ht_surface *surface;
  const ht_picture_text *text;
  char folder[HT_PATH_MAX];
  int lane;
} work;

static ht_status write_flows(void *user) {
  const work *of = user;
  const ht_run *run = of->run;
  return ht_export_series_vti(of->folder, &run->domain, &run->solved.flow, &run->vessel.mask.grid,
                              &run->sampled.series, of->lane, LANES);
}

static ht_status write_walls(void *user) {
  const work *of = user;
  return ht_export_series_vtp(of->folder, of->surface, &of->run->sampled.series, of->lane, LANES);
}

static ht_status write_lists(void *user) {
  const work *of = user;
  HT_TRY(ht_export_series_pvd(of->folder, &of->run->sampled.series, "flow", "vti"));
  return ht_export_series_pvd(of->folder, &of->run->sampled.series, "wall", "vtp");
}

static ht_status write_velocity(void *user) {
  const work *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, of->folder, "velocity.nii.gz"));
  return ht_export_series_velocity(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid,
                                   &run->sampled.series);
}

static ht_status write_pressure(void *user) {
  const work *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, of->folder, "pressure.nii.gz"));
  return ht_export_series_pressure(path, &run->domain, &run->solved.flow, &run->vessel.mask.grid,
                                   &run->sampled.series);
}

ht_status ht_run_draw_beat(const ht_run *run, const ht_surface *surface,
                           const ht_picture_text *words) {
  char path[HT_PATH_MAX];
  ht_picture_text text = *words;
  if (run->sampled.series.samples == 0) return HT_OK;
  if (run->solved.stats.averaged > 0) text.mark = "the LAST BEAT of a flow that does not repeat";
  HT_TRY(ht_run_path(run, HT_FILE_ANIMATION, path));
  return ht_picture_series(path, &run->domain, &run->solved.flow, surface, &run->sampled.series,
                           &text);
}

static ht_status draw_beat(void *user) {
  const work *of = user;
  return ht_run_draw_beat(of->run, of->surface, of->text);
}

ht_status ht_run_write_series(const ht_run *run, const ht_surface *surface,
                              const ht_picture_text *text) {
  int files = run->given.settings->beat_files, jobs = 0;
  ht_job job[2 * LANES + 4];
  work lane[LANES];
  if (run->sampled.series.samples == 0) return HT_OK;
  for (int n = 0; n < LANES; n++) {
    lane[n] = (work){.run = run, .surface = surface, .text = text, .lane = n};
    HT_TRY(ht_run_path(run, HT_FOLDER_SERIES, lane[n].folder));
  }
  if (files != HT_BEAT_ANIMATION) HT_TRY(ht_folder_make(lane[0].folder));
  const int vtk = files == HT_BEAT_VTK || files == HT_BEAT_ALL;
  const int nifti = files == HT_BEAT_NIFTI || files == HT_BEAT_ALL;
  if (!run->given.no_pictures) job[jobs++] = (ht_job){draw_beat, lane};
  if (nifti) job[jobs++] = (ht_job){write_velocity, lane};
  for (int n = 0; n < LANES && vtk; n++) {
    job[jobs++] = (ht_job){write_flows, &lane[n]};
    job[jobs++] = (ht_job){write_walls, &lane[n]};
  }
  if (nifti) job[jobs++] = (ht_job){write_pressure, lane};
  if (vtk) job[jobs++] = (ht_job){write_lists, lane};
  return ht_jobs_run(job, jobs);
}
