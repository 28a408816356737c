#include "run/mask/mask_warn.h"
#include "run/process/console.h"
#include "run/mask/mask_quality.h"
#include "run/openings/narrow_place.h"
#include <math.h>
#include <stdio.h>

/* Warns of pieces of a ready mask only, where the user drew every piece; in a scan the other pieces
 * are usually other vessels and bone. */
static void warn_of_pieces(const ht_case *settings, const ht_segment_report *report) {
  if (settings->mask[0] && report->components > 1)
    ht_console_warn("the mask has %d separate pieces: one is kept, with %.1f %% of its voxels; "
                    "segment.seed_mm in case.yaml chooses another",
                    report->components, 100 * report->kept_fraction);
}

/* Warns of a mask that was made from a surface, and is given without it (from another case's
 * folder). The lattice then shows the steps of the surface's voxels, which smoothing does not
 * remove: lines of wrong wall shear stress along the vessel. */
static void warn_of_surface(const ht_run *run) {
  double voxel_mm = run->given.settings->surface_spacing_mm,
         spacing_mm = run->vessel.mask.grid.spacing_mm[0];
  int is_surface = run->imported.surface.corner || run->manifest.surface_sha256[0];
  if (!run->given.settings->mask[0] || is_surface || voxel_mm <= 0.55 * spacing_mm) return;
  ht_console_warn("the voxels of the surface (%.3g mm) are larger than half the lattice spacing "
                  "(%.3g mm): the wall has their steps, and the wall shear stress may be off by 10 "
                  "per cent and more in lines along the vessel; import the surface again with "
                  "--surface-spacing %.2g, or use a coarser lattice",
                  voxel_mm, spacing_mm, 0.5 * spacing_mm);
}

void ht_warn_of_mask(const ht_run *run) {
  warn_of_pieces(run->given.settings, &run->manifest.segment);
  warn_of_surface(run);
}

/* Measures an edited mask again. The same warning appears only once. */
void ht_warn_again(const ht_run *run) {
  if (run->given.first > HT_STAGE_IMPORT && run->manifest.warning[0])
    ht_console_warn("%s", run->manifest.warning);
  if (run->given.first <= HT_STAGE_SEGMENT || run->vessel.mask_edited) return;
  ht_warn_of_mask(run);
  ht_run_warn_of_quality(run->given.settings, &run->manifest, &run->imported.scan);
}

enum { LISTED = 256, LISTED_NAMES = LISTED - 2 * HT_NAME_MAX };

/* Writes "9.5 lattice nodes across 'branch', 12.0 across 'outlet' and 1 more": the openings with at
 * least `least` and fewer than `enough` nodes across; returns their number. Rounded, because the
 * lattice is chosen before the opening is measured on it, so a request for 16 may give 15.8. */
static int list_coarse(const ht_domain *domain, int least, int enough, char text[LISTED]) {
  int count = 0, unnamed = 0, used = 0;
  for (int p = 0; p < domain->ports; p++) {
    const ht_opening *opening = &domain->port[p].opening;
    double across = 2 * opening->radius_mm / domain->mask.grid.spacing_mm[0];
    if (round(across) < least || round(across) >= enough) continue;
    if (used < LISTED_NAMES)
      used += snprintf(text + used, (size_t)(LISTED - used), "%s%.1f %sacross '%s'",
                       count ? ", " : "", across, count ? "" : "lattice nodes ", opening->name);
    else
      unnamed++;
    count++;
  }
  if (unnamed > 0) snprintf(text + used, (size_t)(LISTED - used), " and %d more", unnamed);
  return count;
}

void ht_warn_of_coarse_openings(const ht_domain *domain) {
  char text[LISTED];
  if (list_coarse(domain, 0, HT_FEWEST_NODES_ACROSS, text) > 0)
    ht_console_warn("only %s: the numbers there are coarse; at least %d are needed: set a smaller "
                    "--spacing or more --nodes-across",
                    text, HT_FEWEST_NODES_ACROSS);
  if (list_coarse(domain, HT_FEWEST_NODES_ACROSS, HT_WALL_NODES_ACROSS, text) > 0)
    ht_console_warn("%s: wall shear stress there may be off by 10 %% and more; it needs %d: set a "
                    "smaller --spacing or more --nodes-across",
                    text, HT_WALL_NODES_ACROSS);
}
