#include "command_stage.h"
#include "console.h"
#include "summary.h"
#include <stdio.h>
#include <string.h>

static ht_status write_images(ht_run *run) {
  char path[HT_PATH_MAX];
  const ht_progress *progress = ht_console_progress();
  HT_TRY(ht_run_path(run, HT_FILE_VELOCITY, path));
  HT_TRY(ht_export_velocity(path, &run->domain, &run->flow, &run->mask.grid));
  HT_TRY(ht_progress_report(progress, "export", 1, 7, HT_FILE_PRESSURE));
  HT_TRY(ht_run_path(run, HT_FILE_PRESSURE, path));
  HT_TRY(ht_export_pressure(path, &run->domain, &run->flow, &run->mask.grid));
  HT_TRY(ht_progress_report(progress, "export", 2, 7, HT_FILE_FLOW_VTI));
  HT_TRY(ht_run_path(run, HT_FILE_FLOW_VTI, path));
  HT_TRY(ht_export_vti(path, &run->domain, &run->flow, &run->mask.grid));
  return ht_progress_report(progress, "export", 3, 7, HT_FILE_WALL);
}

static ht_status write_wall(ht_run *run, ht_surface *surface) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_surface_build(&run->domain, surface));
  HT_TRY(ht_surface_load(surface, &run->domain, &run->flow));
  ht_surface_stats(surface, &run->wall);
  if (run->cycle.samples) ht_cycle_stats_of(surface, &run->cycle, &run->cycle_stats);
  HT_TRY(ht_run_path(run, HT_FILE_WALL, path));
  HT_TRY(ht_export_vtp_cycle(path, surface, run->cycle.samples ? &run->cycle : NULL));
  return ht_progress_report(ht_console_progress(), "export", 4, 7, "pictures");
}

static ht_status draw_cycle(const ht_run *run, const ht_surface *surface,
                            const ht_picture_text *text) {
  char path[HT_PATH_MAX];
  if (run->cycle.samples == 0) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/tawss.png", path));
  HT_TRY(ht_picture_tawss(path, surface, &run->cycle, &run->placed.openings, text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/osi.png", path));
  return ht_picture_osi(path, surface, &run->cycle, &run->placed.openings, text);
}

static ht_status write_pictures(ht_run *run, const ht_surface *surface) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_progress *progress = ht_console_progress();
  const ht_picture_text text = {ht_run_name(run, folder),
                                ht_flow_fault_words(ht_flow_fault_of(&run->stats))};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/velocity.png", path));
  HT_TRY(ht_picture_velocity(path, &run->domain, &run->flow, &text));
  HT_TRY(ht_progress_report(progress, "export", 5, 7, "pictures"));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/wall.png", path));
  HT_TRY(ht_picture_wall(path, surface, &run->placed.openings, &text));
  HT_TRY(draw_cycle(run, surface, &text));
  HT_TRY(ht_progress_report(progress, "export", 6, 7, "pictures"));
  /* The segmentation drew them, unless the mask was edited since. */
  return run->mask_edited ? ht_run_draw_mask(run) : HT_OK;
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

static const ht_usage usage = {
    "export",
    "DIR",
    "write velocity images, wall data and pictures",
    "Writes the flow that `hemotile solve` left in the case folder DIR as velocity.nii.gz (m/s, "
    "LPS),\n"
    "pressure.nii.gz (Pa), flow.vti, wall.vtp (wall shear stress and pressure, Pa), pictures/ and\n"
    "summary.json.",
    "  hemotile export patient1",
    HT_TAKES_SENSITIVITY | HT_TAKES_UMASK,
};

int ht_command_export(int argc, char **argv) {
  return ht_command_on_folder(&usage, argc, argv, HT_STAGE_EXPORT);
}
