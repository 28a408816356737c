#include "run/mask/see_vessels.h"
#include "run/inputs/load_inputs.h"
#include "run/process/console.h"
#include "segment/see.h"
#include <math.h>
#include <omp.h>

const double ht_seen_foreign_most = 0.1;
static const double seconds_a_voxel = 2e-6; /* of one thread */

/* Returns the seconds that the network takes on the CPU, about. */
static double seconds_of(const ht_run *run) {
  return seconds_a_voxel * (double)ht_grid_voxels(&run->imported.scan.grid) /
         fmax(1, omp_get_max_threads());
}

int ht_seen_is_quick(const ht_run *run) {
  const double quick_s = 60;
  return run->imported.seen.inside || seconds_of(run) <= quick_s;
}

/* Returns what the network sees at a voxel of a mask (HT_SEEN_...), and the voxel's place, LPS. */
static int seen_at(const ht_run *run, const ht_mask *mask, int64_t v, double position[3]) {
  const ht_mask *seen = &run->imported.seen;
  int at[3];
  ht_grid_voxel_position(&mask->grid, v, position);
  return seen->inside[ht_grid_nearest(&seen->grid, position, at)];
}

double ht_seen_foreign(const ht_run *run) {
  const ht_mask *mask = &run->vessel.mask;
  int64_t foreign = 0, all = 0;
  for (int64_t v = 0, voxels = ht_grid_voxels(&mask->grid); v < voxels; v++) {
    double position[3];
    if (!mask->inside[v]) continue;
    const int kind = seen_at(run, mask, v, position);
    foreign += kind == HT_SEEN_BACKGROUND || kind == HT_SEEN_HARD;
    all++;
  }
  return (double)foreign / fmax(1, (double)all);
}

double ht_seen_kept(const ht_run *run, const ht_mask *other) {
  const ht_mask *mask = &run->vessel.mask;
  int64_t kept = 0, all = 0;
  for (int64_t v = 0, voxels = ht_grid_voxels(&mask->grid); v < voxels; v++) {
    double position[3];
    int at[3];
    if (!mask->inside[v] || seen_at(run, mask, v, position) != HT_SEEN_ARTERY) continue;
    kept += other->inside[ht_grid_nearest(&other->grid, position, at)];
    all++;
  }
  return (double)kept / fmax(1, (double)all);
}

ht_status ht_need_seen(ht_run *run) {
  if (run->imported.seen.inside) return HT_OK;
  HT_TRY(ht_need_scan(run));
  ht_console_note(
      "a network looks for vessels (segment.learned): about %.0f s without a GPU, twice "
      "that next to much bone",
      fmax(1, seconds_of(run)));
  const ht_learned_options options = {.device =
                                          (ht_learned_device)run->given.settings->solver.device,
                                      .progress = ht_console_progress()};
  return ht_see(&run->imported.scan, &options, &run->imported.seen);
}

void ht_warn_of_foreign(const ht_run *run) {
  if (!run->imported.seen.inside) return;
  const double share = ht_seen_foreign(run);
  if (share > ht_seen_foreign_most)
    ht_console_warn("%.0f %% of the mask is bone, metal or tissue as a network sees it "
                    "(segment.learned): look at pictures/mask_on_scan.png; put two points into the "
                    "vessel if it is not this one",
                    100 * share);
}
