#include "segment/edit/edit_merge.h"
#include "segment/surface/resample.h"
#include <math.h>
#include <string.h>

enum { NEAR = 2, AROUND = 10 /* voxels around these that the smooth surface depends on */ };

static int inside_at(const ht_mask *mask, const int first[3], const int at[3]) {
  int local[3];
  for (int a = 0; a < 3; a++) local[a] = at[a] - first[a];
  return ht_voxel_in_grid(mask->grid.dim, local) &&
         mask->inside[ht_voxel_index(mask->grid.dim, local)];
}

/* Makes a mask of the voxels near those that differ; *any 0: none does. */
static ht_status find_changed(const ht_edited *edited, const ht_mask *base, ht_edited *zone,
                              int *any) {
  const int origin[3] = {0, 0, 0};
  ht_mask changed = {0};
  HT_TRY(ht_mask_alloc(&edited->mask.grid, &changed));
  const int64_t voxels = ht_grid_voxels(&changed.grid);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(changed.grid.dim, v, at);
    for (int a = 0; a < 3; a++) at[a] += edited->first[a];
    changed.inside[v] = (edited->mask.inside[v] != 0) != inside_at(base, origin, at);
  }
  *any = ht_mask_count(&changed) > 0;
  ht_status status = *any ? ht_edited_begin(&changed, NULL, zone) : HT_OK;
  ht_mask_free(&changed);
  if (status != HT_OK || !*any) return status;
  const ht_edit_step grow = {.kind = HT_EDIT_GROW,
                             .radius_mm = NEAR * edited->lattice.spacing_mm[0]};
  ht_edit_delta delta;
  for (int a = 0; a < 3; a++) { /* beyond the window, as the smooth surface is */
    zone->within.first[a] -= NEAR;
    zone->within.last[a] += NEAR;
  }
  status = ht_edit_apply(&grow, NULL, zone, &delta);
  ht_edit_delta_free(&delta);
  return status;
}

/* Makes the smooth surface of the corrected mask around the box of `zone`, indices of its window.
 * The grid of its field ends where the scan does. */
static ht_status surface_of(const ht_edited *edited, const ht_edited *zone,
                            const ht_progress *progress, ht_isosurface *surface) {
  ht_box box = ht_box_of_mask(&zone->mask);
  ht_mask part;
  for (int a = 0; a < 3; a++) {
    const int to_lattice = zone->first[a] + edited->first[a];
    box.first[a] += to_lattice - AROUND;
    box.last[a] += to_lattice + AROUND;
    if (box.first[a] < edited->within.first[a]) box.first[a] = edited->within.first[a];
    if (box.last[a] > edited->within.last[a]) box.last[a] = edited->within.last[a];
    box.first[a] -= edited->first[a];
    box.last[a] -= edited->first[a];
  }
  HT_TRY(ht_mask_crop(&edited->mask, &box, &part));
  ht_status status = HT_OK;
  if (ht_mask_count(&part) > 0)
    status = ht_isosurface_of_mask(&part, progress, surface);
  else { /* all of it was removed */
    *surface = (ht_isosurface){.lower = 1, .upper = INFINITY};
    status = ht_volume_alloc(&part.grid, &surface->field);
  }
  ht_mask_free(&part);
  return status;
}

/* Finds the box of a mask's voxels in the indices of another grid, one voxel larger. */
static ht_box box_in(const ht_mask *mask, const ht_grid *grid) {
  const ht_box box = ht_box_of_mask(mask);
  ht_box to = {{0}, {0}};
  for (int corner = 0; corner < 8; corner++) {
    double index[3], place[3];
    for (int a = 0; a < 3; a++) index[a] = corner >> a & 1 ? box.last[a] : box.first[a];
    ht_grid_position(&mask->grid, index, place);
    ht_grid_index(grid, place, index);
    for (int a = 0; a < 3; a++) {
      const int low = (int)floor(index[a]) - 1, high = (int)ceil(index[a]) + 1;
      if (corner == 0 || low < to.first[a]) to.first[a] = low;
      if (corner == 0 || high > to.last[a]) to.last[a] = high;
    }
  }
  return to;
}

/* Makes a copy of `found` with room for the changes inside the scan. */
static ht_status with_room(const ht_mask *found, const ht_mask *zone, const ht_grid *scan,
                           ht_mask *merged) {
  ht_edited limits;
  HT_TRY(ht_edited_begin(found, scan, &limits));
  ht_box box = box_in(zone, &found->grid);
  for (int a = 0; a < 3; a++) {
    const int low = limits.within.first[a], high = limits.within.last[a];
    box.first[a] = box.first[a] < low ? low : box.first[a] > 0 ? 0 : box.first[a];
    if (box.last[a] > high) box.last[a] = high;
    if (box.last[a] < found->grid.dim[a] - 1) box.last[a] = found->grid.dim[a] - 1;
  }
  ht_edited_free(&limits);
  return ht_mask_crop(found, &box, merged);
}

static void take_surface(const ht_isosurface *surface, const ht_mask *zone, ht_mask *merged) {
  const int *dim = merged->grid.dim;
#pragma omp parallel for
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const double at[3] = {x, y, z};
        double place[3], index[3];
        int near[3];
        ht_grid_position(&merged->grid, at, place);
        ht_grid_index(&zone->grid, place, index);
        for (int a = 0; a < 3; a++) near[a] = (int)lround(index[a]);
        if (!ht_voxel_in_grid(zone->grid.dim, near) ||
            !zone->inside[ht_voxel_index(zone->grid.dim, near)])
          continue;
        ht_grid_index(&surface->field.grid, place, index);
        const double value = ht_volume_sample(&surface->field, index);
        merged->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] =
            value >= surface->lower && value <= surface->upper;
      }
}

ht_status ht_edited_onto(const ht_edited *edited, const ht_mask *base, const ht_mask *found,
                         const ht_grid *scan, const ht_progress *progress, ht_mask *merged) {
  ht_edited zone = {0};
  ht_isosurface surface = {0};
  int any;
  memset(merged, 0, sizeof *merged);
  ht_status status = find_changed(edited, base, &zone, &any);
  if (status == HT_OK && !any) {
    const ht_box all = {{0},
                        {found->grid.dim[0] - 1, found->grid.dim[1] - 1, found->grid.dim[2] - 1}};
    return ht_mask_crop(found, &all, merged);
  }
  if (status == HT_OK) status = surface_of(edited, &zone, progress, &surface);
  if (status == HT_OK) status = with_room(found, &zone.mask, scan, merged);
  if (status == HT_OK) take_surface(&surface, &zone.mask, merged);
  ht_isosurface_free(&surface);
  ht_edited_free(&zone);
  return status;
}
