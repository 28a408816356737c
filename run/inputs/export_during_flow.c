#include "run/inputs/export_during_flow.h"
#include "core/machine/host_memory.h"
#include "segment/openings/main_path.h"
#include "run/inputs/run_sac.h"

static ht_status find_path(void *user) {
  ht_run *run = user;
  return ht_main_path_find(&run->vessel.mask, &run->vessel.placed.openings, &run->ahead.path);
}

static ht_status build_wall(void *user) {
  ht_run *run = user;
  return ht_surface_build(&run->domain, &run->ahead.wall);
}

ht_status ht_run_ahead_jobs(ht_run *run, ht_job *jobs, int *count) {
  jobs[(*count)++] = (ht_job){find_path, run};
  if (run->given.last != HT_STAGE_EXPORT) return HT_OK;
  return ht_run_sac_ways(&run->given.settings->sac, &run->vessel, &run->ahead.ways, jobs, count);
}

static ht_status make_all(void *user) {
  ht_run *run = user;
  ht_job jobs[HT_JOBS_MAX] = {{build_wall, run}};
  int exports = run->given.last == HT_STAGE_EXPORT, count = exports;
  HT_TRY(ht_run_ahead_jobs(run, jobs, &count));
  HT_TRY(ht_jobs_run(jobs, count));
  return exports ? ht_run_sac_find(run, &run->ahead.wall, run->ahead.ways) : HT_OK;
}

/* Returns 1 where there is more than enough memory: the solver takes its memory meanwhile, and
 * where that is short, a flow begins from rest, with other bits. */
static int has_plenty(int openings, const ht_grid *grid) {
  const double a_voxel = 20, plenty = 8; /* bytes of a path while it is searched */
  double free_bytes = ht_host_memory_free();
  double bytes = a_voxel * openings * (double)ht_grid_voxels(grid);
  return free_bytes == 0 || free_bytes > plenty * bytes;
}

ht_status ht_run_ahead_begin(ht_run *run) {
  if (!has_plenty(run->vessel.placed.openings.count, &run->domain.mask.grid)) return make_all(run);
  if (!run->ahead.side) (void)ht_side_work_make(&run->ahead.side);
  return ht_side_work_begin(run->ahead.side, make_all, run);
}

ht_status ht_run_ahead_wait(ht_run *run) {
  return ht_side_work_wait(run->ahead.side);
}
