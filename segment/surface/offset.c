#include "segment/surface/offset.h"
#include "segment/voxels/component.h"
#include "segment/surface/follow.h"
#include "core/numbers/vector3.h"
#include "segment/voxels/vessel.h"
#include "segment/shape/wall_distance.h"
#include <stdlib.h>
#include <string.h>

/* Voxels: the largest offset by the distance from the smooth surface; the reach of the smoothing;
 * and the distance of a wall from the nearest voxel centre inward of it, in the mean of all
 * directions (1/2 where the wall lies along the lattice). */
static const double near = 2.5;
enum { SMOOTH_REACH = 8 };
static const double before = 0.2;

/* The voxels beyond an opening's plane, near it. */
typedef struct {
  const ht_opening *opening;
  double depth_mm, across_mm, voxel_mm;
} beyond;

static beyond beyond_of(const ht_opening *opening, double reach, double voxel_mm) {
  return (beyond){opening, reach, 1.5 * opening->radius_mm + reach, voxel_mm};
}

/* 1 where the voxel is in the zone; `inner` gets the position on the vessel's side of the plane. */
static int is_beyond(const ht_grid *grid, const beyond *zone, int64_t voxel, double inner[3]) {
  double p[3], off[3];
  ht_grid_voxel_position(grid, voxel, p);
  for (int r = 0; r < 3; r++) off[r] = p[r] - zone->opening->centre_mm[r];
  double out = ht_dot(off, zone->opening->normal);
  if (out <= 0.25 * zone->voxel_mm || out > zone->depth_mm) return 0;
  if (ht_dot(off, off) - out * out > zone->across_mm * zone->across_mm) return 0;
  for (int r = 0; r < 3; r++)
    inner[r] = p[r] - (out + 0.75 * zone->voxel_mm) * zone->opening->normal[r];
  return 1;
}

static int is_vessel_at(const ht_mask *mask, const double position_mm[3]) {
  double index[3];
  int at[3];
  ht_grid_index(&mask->grid, position_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)floor(index[a] + 0.5);
  return ht_voxel_in_grid(mask->grid.dim, at) && mask->inside[ht_voxel_index(mask->grid.dim, at)];
}

/* Continues the vessel beyond its planes, for the distances. */
static void go_on_beyond(const ht_mask *mask, const beyond *zone, ht_mask *longer) {
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double inner[3];
    if (is_beyond(&mask->grid, zone, v, inner) && is_vessel_at(mask, inner)) longer->inside[v] = 1;
  }
}

/* Near an opening's plane and beyond it the wall goes on straight along the vessel: the surface may
 * be closed there, by a cap that is no wall. */
static void go_on_straight(const beyond *zone, ht_volume *wall) {
  const double before = 2, from = 4; /* voxels before the plane: where replacement begins, and the
                                        source of its values */
  const ht_opening *one = zone->opening;
  double turn = ht_dot(one->direction, one->normal);
  for (int64_t v = 0; v < ht_grid_voxels(&wall->grid); v++) {
    double p[3], off[3], index[3];
    ht_grid_voxel_position(&wall->grid, v, p);
    for (int r = 0; r < 3; r++) off[r] = p[r] - one->centre_mm[r];
    double out = ht_dot(off, one->normal), along = ht_dot(off, one->direction);
    if (out <= -before * zone->voxel_mm || out > zone->depth_mm) continue;
    if (ht_dot(off, off) - along * along > zone->across_mm * zone->across_mm) continue;
    for (int r = 0; r < 3; r++) p[r] -= (out + from * zone->voxel_mm) / turn * one->direction[r];
    ht_grid_index(&wall->grid, p, index);
    wall->values[v] = (float)ht_volume_sample(wall, index);
  }
}

static void end_at_plane(const ht_mask *mask, const beyond *zone, ht_mask *moved) {
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double inner[3];
    if (is_beyond(&mask->grid, zone, v, inner)) moved->inside[v] &= mask->inside[v];
  }
}

/* Enlarges the mask by `room` on all sides; where the vessel touches the border it continues
 * straight. The box of the result: without that part, and with `room` elsewhere. */
static ht_status grow_grid(const ht_mask *mask, int room, ht_mask *grown, ht_box *kept) {
  ht_box box = ht_box_of_mask(mask), whole;
  const int *dim = mask->grid.dim;
  int low[3];
  for (int a = 0; a < 3; a++) {
    low[a] = whole.first[a] = -room;
    whole.last[a] = dim[a] - 1 + room;
    kept->first[a] = box.first[a] == 0 ? room : 0;
    kept->last[a] = whole.last[a] - whole.first[a] - (box.last[a] == dim[a] - 1 ? room : 0);
  }
  HT_TRY(ht_mask_crop(mask, &whole, grown));
  for (int64_t v = 0; v < ht_grid_voxels(&grown->grid); v++) {
    int at[3];
    ht_voxel_place(grown->grid.dim, v, at);
    for (int a = 0; a < 3; a++)
      at[a] = at[a] + low[a] < 0 ? 0 : at[a] + low[a] >= dim[a] ? dim[a] - 1 : at[a] + low[a];
    grown->inside[v] = mask->inside[ht_voxel_index(dim, at)] ? 1 : 0;
  }
  return HT_OK;
}

/* A move of the wall: its start, its length, and the distance from the moved wall (values NULL: not
 * requested, or not known). */
typedef struct {
  const ht_triangles *surface;
  double offset_mm;
  int wants_wall;
  ht_volume wall;
} move;

/* Moves the wall a little: by the distance from its smooth surface. */
static ht_status move_near(const ht_mask *longer, const ht_openings *openings, move *by,
                           ht_mask *moved) {
  ht_domain domain = {.mask = *longer};
  double offset = by->offset_mm / longer->grid.spacing_mm[0];
  ht_triangles exact = {0};
  if (by->surface) exact = *by->surface;
  exact.of_voxels = 0; /* smoothed distances grow by some per cent too little or too much */
  HT_TRY(ht_domain_measure_walls(&domain, &exact));
  double voxel_mm = longer->grid.spacing_mm[0];
  ht_volume wall = {.grid = longer->grid, .values = domain.wall_distance};
  for (int i = 0; i < openings->count && exact.corner; i++) {
    beyond zone = beyond_of(&openings->item[i], fabs(by->offset_mm) + (2 + SMOOTH_REACH) * voxel_mm,
                            voxel_mm);
    if (!zone.opening->at_border) go_on_straight(&zone, &wall);
  }
  for (int64_t v = 0; v < ht_grid_voxels(&longer->grid); v++) {
    wall.values[v] += (float)offset;
    moved->inside[v] = wall.values[v] >= 0;
  }
  if (exact.corner && !by->surface->of_voxels) ht_mask_drop_ridges(moved, wall.values);
  for (int64_t v = 0; v < ht_grid_voxels(&longer->grid); v++) wall.values[v] *= (float)voxel_mm;
  if (by->wants_wall)
    by->wall = wall;
  else
    free(domain.wall_distance);
  return HT_OK;
}

/* Moves the wall farther: by the distance to the nearest voxel centre on the other side. */
static ht_status move_far(const ht_mask *longer, double offset_mm, const ht_progress *progress,
                          ht_mask *moved) {
  ht_mask outer = {0};
  ht_volume distance = {0};
  int64_t voxels = ht_grid_voxels(&longer->grid);
  int thicker = offset_mm > 0;
  double least = fabs(offset_mm) + before * longer->grid.spacing_mm[0];
  HT_TRY(ht_mask_alloc(&longer->grid, &outer));
  for (int64_t v = 0; v < voxels; v++) outer.inside[v] = !longer->inside[v];
  ht_status status = ht_itk_distance(thicker ? longer : &outer, progress, &distance);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++) {
    double d = distance.values[v];
    moved->inside[v] = thicker ? d <= least : d >= least;
  }
  ht_volume_free(&distance);
  ht_mask_free(&outer);
  return status;
}

/* `grown` becomes the result on its own grid, `longer` is work of that size. */
static ht_status move_wall(const ht_openings *openings, move *by, const ht_progress *progress,
                           ht_mask *grown, ht_mask *longer, ht_mask *moved) {
  double offset_mm = by->offset_mm;
  double voxel = grown->grid.spacing_mm[0], reach = fabs(offset_mm) + 2 * voxel;
  memcpy(longer->inside, grown->inside, (size_t)ht_grid_voxels(&grown->grid));
  for (int i = 0; i < openings->count; i++) {
    beyond zone = beyond_of(&openings->item[i], reach + SMOOTH_REACH * voxel, voxel);
    if (!zone.opening->at_border) go_on_beyond(grown, &zone, longer);
  }
  HT_TRY(fabs(offset_mm) <= near * voxel ? move_near(longer, openings, by, moved)
                                         : move_far(longer, offset_mm, progress, moved));
  for (int i = 0; i < openings->count; i++) {
    beyond zone = beyond_of(&openings->item[i], 2 * reach + SMOOTH_REACH * voxel, voxel);
    if (!zone.opening->at_border) end_at_plane(grown, &zone, moved);
  }
  return HT_OK;
}

ht_status ht_mask_offset(const ht_mask *mask, const ht_openings *openings,
                         const ht_triangles *surface, double offset_mm, const ht_progress *progress,
                         ht_mask *moved, ht_volume *wall) {
  move by = {.surface = surface, .offset_mm = offset_mm, .wants_wall = wall != NULL};
  ht_mask grown = {0}, longer = {0}, whole = {0};
  ht_box kept;
  int room = (int)ceil(fabs(offset_mm) / mask->grid.spacing_mm[0]) + SMOOTH_REACH;
  memset(moved, 0, sizeof *moved);
  if (wall) memset(wall, 0, sizeof *wall);
  HT_TRY(grow_grid(mask, room, &grown, &kept));
  ht_status status = ht_mask_alloc(&grown.grid, &longer);
  if (status == HT_OK) status = ht_mask_alloc(&grown.grid, &whole);
  if (status == HT_OK) status = move_wall(openings, &by, progress, &grown, &longer, &whole);
  if (status == HT_OK) status = ht_mask_crop(&whole, &kept, moved);
  if (status == HT_OK && by.wall.values) status = ht_volume_crop(&by.wall, &kept, wall);
  if (status == HT_OK && ht_mask_count(moved) == 0) {
    ht_mask_free(moved);
    if (wall) ht_volume_free(wall);
    status = ht_fail(HT_ERR_VESSEL,
                     "nothing is left of the vessel when its wall moves in by %.3g "
                     "mm",
                     -offset_mm);
  }
  ht_mask_free(&grown);
  ht_mask_free(&longer);
  ht_mask_free(&whole);
  ht_volume_free(&by.wall);
  return status;
}
