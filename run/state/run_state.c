#include "run/state/run_state.h"
#include <stdlib.h>
#include <sys/stat.h>

ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]) {
  return ht_path_join(path, run->given.folder, name);
}

const ht_triangles *ht_run_walls(const ht_run *run) {
  if (run->given.settings->solver.walls != HT_WALLS_INTERPOLATED || run->vessel.mask_edited)
    return NULL;
  return run->imported.surface.corner ? &run->imported.surface
         : run->vessel.walls.corner   ? &run->vessel.walls
                                      : NULL;
}

void ht_imported_forget(ht_imported *imported) {
  ht_dicom_look_free(&imported->look);
  ht_input_stamps_free(&imported->stamps);
}

void ht_run_drop_domain(ht_run *run) {
  (void)ht_side_work_wait(run->ahead.side);
  ht_domain_free(&run->domain);
  ht_refined_free(&run->refined);
  ht_vessel_path_free(&run->ahead.path);
  ht_surface_free(&run->ahead.wall);
  ht_sac_ways_free(run->ahead.ways);
  run->ahead.ways = NULL;
}

static void free_imported(ht_imported *imported) {
  ht_path_list_free(&imported->files);
  ht_imported_forget(imported);
  ht_volume_free(&imported->scan);
  ht_mask_free(&imported->seen);
  ht_mask_free(&imported->drawn);
  ht_triangles_free(&imported->surface);
}

static void free_vessel(ht_run_vessel *vessel) {
  ht_triangles_free(&vessel->walls);
  ht_mask_free(&vessel->mask);
  free(vessel->throat);
}

static void free_sampled(ht_sampled *sampled) {
  (void)ht_beat_series_end(sampled->record, HT_ERR_INTERNAL);
  ht_beat_series_free(&sampled->series);
  ht_wall_cycle_free(&sampled->cycle);
  ht_wall_moments_free(&sampled->moments);
  ht_beat_free(&sampled->beat);
  ht_beat_free(&sampled->batches);
}

void ht_run_free(ht_run *run) {
  if (!run) return;
  ht_side_work_free(run->ahead.side);
  run->ahead.side = NULL;
  free(run->given.settings);
  free_imported(&run->imported);
  free_vessel(&run->vessel);
  ht_run_drop_domain(run);
  ht_tiling_free(&run->tiling);
  ht_flow_free(&run->solved.flow);
  ht_flow_free(&run->solved.phase);
  free_sampled(&run->sampled);
  ht_sac_mesh_free(&run->measured.sac_mesh);
  ht_report_view_free(&run->view);
  umask(run->given.umask);
  ht_console_warnings_to(NULL);
  free(run);
}
