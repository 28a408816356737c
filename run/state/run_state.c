#define _GNU_SOURCE
#include "run/state/run_state.h"
#include "run/privacy/redact.h"
#include "run/state/sac_ways.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]) {
  return ht_path_join(path, run->folder, name);
}

const char *ht_name_in(const ht_case *settings, const char *results, char folder[HT_PATH_MAX]) {
  char whole[PATH_MAX];
  if (settings->name[0] && !ht_redact_holds(settings->name)) return settings->name;
  const char *path = realpath(results, whole) ? whole : results; /* may be "." */
  snprintf(folder, HT_PATH_MAX, "%s", ht_path_name(path));
  if (ht_redact_holds(folder)) snprintf(folder, HT_PATH_MAX, "case");
  return folder;
}

const char *ht_run_name(const ht_run *run, char folder[HT_PATH_MAX]) {
  return ht_name_in(run->settings, run->folder, folder);
}

const ht_beat *ht_run_beat(const ht_run *run) {
  return run->result.batches.beats > 0 ? &run->result.batches : &run->result.beat;
}

const ht_wall_cycle *ht_run_cycle(const ht_run *run) {
  return run->result.cycle.samples > 0 ? &run->result.cycle : NULL;
}

void ht_run_drop_domain(ht_run *run) {
  (void)ht_side_work_wait(run->side);
  ht_domain_free(&run->domain);
  ht_vessel_path_free(&run->path);
  ht_surface_free(&run->wall);
  ht_sac_ways_free(run->ways);
  run->ways = NULL;
}

void ht_run_forget_input(ht_run *run) {
  ht_dicom_look_free(&run->look);
  ht_input_stamps_free(&run->stamps);
}

void ht_run_free(ht_run *run) {
  if (!run) return;
  ht_side_work_free(run->side);
  run->side = NULL;
  free(run->settings);
  ht_path_list_free(&run->files);
  ht_run_forget_input(run);
  ht_volume_free(&run->scan);
  ht_mask_free(&run->drawn);
  ht_triangles_free(&run->surface);
  ht_triangles_free(&run->walls);
  ht_mask_free(&run->mask);
  free(run->throat);
  ht_run_drop_domain(run);
  ht_tiling_free(&run->tiling);
  ht_flow_free(&run->result.flow);
  ht_flow_free(&run->result.phase);
  (void)ht_beat_series_end(run->result.record, HT_ERR_INTERNAL);
  ht_beat_series_free(&run->result.series);
  ht_wall_cycle_free(&run->result.cycle);
  ht_wall_moments_free(&run->result.moments);
  ht_sac_mesh_free(&run->result.sac_mesh);
  ht_beat_free(&run->result.beat);
  ht_beat_free(&run->result.batches);
  ht_report_view_free(&run->view);
  free(run);
}
