#include "segment/openings/border.h"
#include "segment/shape/flood.h"
#include "segment/openings/plane_direction.h"
#include "segment/shape/section.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS_A_VOXEL = 2, OUTER = 1, INNER = 2 };

static const double usual_search = 3;    /* radii of the vessel */
static const double longest_section = 2; /* radii, too: a tube cut at 75 degrees */
static const double neighbour = 1.8;     /* voxels: farther than sqrt(3), the farthest neighbour */

/* A plane through the mask. The coordinates of voxel `index` are at[] + sum over a of
 * step[a][] * index[a]: how far outward (voxels), and where on the section's sheet (pixels). */
typedef struct {
  const ht_mask *mask;
  double voxel_mm, pixel_mm; /* the smallest spacing, and its part */
  double centre_mm[3], normal[3], across[2][3];
  double at[3], step[3][3];
  double diameter, search; /* of the section, and around it; voxels and pixels */
  ht_section section;
} plane;

typedef struct {
  double outward; /* voxels */
  double pixel[2];
} plane_place;

/* ---- the plane ---- */

/* The three coordinates are linear in the voxel's index. */
static void set_coordinates(plane *p) {
  const ht_grid *grid = &p->mask->grid;
  const double *along[3] = {p->normal, p->across[0], p->across[1]};
  for (int c = 0; c < 3; c++) {
    double unit_mm = c == 0 ? p->voxel_mm : p->pixel_mm, column[3], from[3];
    for (int r = 0; r < 3; r++) from[r] = grid->origin_mm[r] - p->centre_mm[r];
    p->at[c] = ht_dot(from, along[c]) / unit_mm;
    for (int a = 0; a < 3; a++) {
      for (int r = 0; r < 3; r++) column[r] = grid->direction[r][a];
      p->step[a][c] = grid->spacing_mm[a] * ht_dot(column, along[c]) / unit_mm;
    }
  }
}

static plane_place place_of(const plane *p, const int at[3]) {
  double c[3];
  for (int k = 0; k < 3; k++)
    c[k] = p->at[k] + p->step[0][k] * at[0] + p->step[1][k] * at[1] + p->step[2][k] * at[2];
  return (plane_place){c[0], {c[1], c[2]}};
}

static ht_status plane_make(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                            plane *p) {
  const double *mm = mask->grid.spacing_mm;
  *p = (plane){.mask = mask, .voxel_mm = fmin(mm[0], fmin(mm[1], mm[2]))};
  p->pixel_mm = p->voxel_mm / PIXELS_A_VOXEL;
  memcpy(p->centre_mm, centre_mm, sizeof p->centre_mm);
  memcpy(p->normal, normal, sizeof p->normal);
  if (!ht_normalise(p->normal))
    return ht_fail(HT_ERR_OPENINGS,
                   "the normal of an opening is [%g, %g, %g]: give a direction that points out of "
                   "the vessel",
                   normal[0], normal[1], normal[2]);
  ht_span_across(p->normal, p->across);
  set_coordinates(p);
  return HT_OK;
}

/* ---- the section ---- */

static ht_status no_vessel_near(const plane *p, double search_mm) {
  const int *dim = p->mask->grid.dim;
  double best[3] = {0}, best_mm = INFINITY;
  int at[3];
  for (at[2] = 0; at[2] < dim[2]; at[2]++) {
    for (at[1] = 0; at[1] < dim[1]; at[1]++) {
      for (at[0] = 0; at[0] < dim[0]; at[0]++) {
        double position[3], index[3] = {at[0], at[1], at[2]};
        if (!p->mask->inside[ht_voxel_index(dim, at)]) continue;
        ht_grid_position(&p->mask->grid, index, position);
        double away_mm = ht_distance(position, p->centre_mm);
        if (away_mm >= best_mm) continue;
        best_mm = away_mm;
        memcpy(best, position, sizeof best);
      }
    }
  }
  if (isinf(best_mm)) return ht_fail(HT_ERR_OPENINGS, "the mask is empty: there is no vessel");
  char within[64] = "";
  if (search_mm > 0) snprintf(within, sizeof within, " within %.1f mm", search_mm);
  return ht_fail(HT_ERR_OPENINGS,
                 "no vessel lies on the plane at [%.1f, %.1f, %.1f]%s: the nearest vessel is at "
                 "[%.1f, %.1f, %.1f], %.1f mm off; move the centre there, or turn the normal so "
                 "that the plane crosses the vessel",
                 p->centre_mm[0], p->centre_mm[1], p->centre_mm[2], within, best[0], best[1],
                 best[2], best_mm);
}

/* The vessel on the plane nearest to its centre; fills in its part of the opening. */
static ht_status find_section(plane *p, double search_mm, ht_opening *opening) {
  double away, centroid[2], limit = search_mm > 0 ? search_mm / p->pixel_mm : INFINITY;
  ht_sheet sheet = ht_sheet_across(&p->mask->grid, p->centre_mm, p->across, p->pixel_mm);
  HT_TRY(ht_section_find(p->mask, &sheet, limit, &p->section, &away));
  double radius = sqrt((double)p->section.count / HT_PI); /* pixels */
  p->search = search_mm > 0 ? limit : usual_search * radius;
  if (p->section.count == 0 || away > p->search)
    return no_vessel_near(p, p->section.count ? p->search * p->pixel_mm : search_mm);
  double farthest = ht_section_spread(&p->section, centroid);
  double most = fmin(p->search, longest_section * radius + PIXELS_A_VOXEL);
  if (farthest > most)
    return ht_fail(
        HT_ERR_OPENINGS,
        "the plane at [%.1f, %.1f, %.1f] does not cross the vessel but runs along it: "
        "its section reaches %.1f mm from its middle, more than %.1f mm; turn the normal "
        "along the vessel, or move the centre away from where vessels meet",
        p->centre_mm[0], p->centre_mm[1], p->centre_mm[2], farthest * p->pixel_mm,
        most * p->pixel_mm);
  p->diameter = 2 * radius / PIXELS_A_VOXEL;
  for (int r = 0; r < 3; r++)
    opening->centre_mm[r] = p->centre_mm[r] + p->pixel_mm * (centroid[0] * p->across[0][r] +
                                                             centroid[1] * p->across[1][r]);
  memcpy(opening->normal, p->normal, sizeof opening->normal);
  HT_TRY(ht_plane_direction(p->mask, opening->centre_mm, p->normal, 2 * radius * p->pixel_mm,
                            opening->direction));
  ht_opening_set_plane_mm2(opening, (double)p->section.count * p->pixel_mm * p->pixel_mm);
  return ht_section_measure(&p->section);
}

/* ---- removal ---- */

typedef struct {
  const plane *plane;
  uint8_t *mark; /* [voxels] 0, OUTER or INNER */
  ht_stack todo;
  int slab_only; /* keep within one diameter of the plane */
  int met_inner; /* the outer piece leads round to the inner side */
} cutter;

static int is_beyond(const plane_place *place) {
  return place->outward > HT_PLANE_SLACK;
}

static double rim_distance(const plane *p, const plane_place *place) {
  return ht_section_at(&p->section, place->pixel[0], place->pixel[1]);
}

/* Both sides of the section, one neighbour deep. */
static ht_status mark_sides(cutter *c, int64_t counts[3]) {
  const plane *p = c->plane;
  const int *dim = p->mask->grid.dim;
  int at[3], low[3], high[3];
  double index[3], reach = p->search * p->pixel_mm + 3 * p->voxel_mm;
  ht_grid_index(&p->mask->grid, p->centre_mm, index);
  for (int a = 0; a < 3; a++) {
    low[a] = (int)fmax(0, floor(index[a] - 2 * reach / p->mask->grid.spacing_mm[a]));
    high[a] = (int)fmin(dim[a] - 1, ceil(index[a] + 2 * reach / p->mask->grid.spacing_mm[a]));
  }
  counts[OUTER] = counts[INNER] = 0;
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        int64_t voxel = ht_voxel_index(dim, at);
        plane_place place = place_of(p, at);
        if (!p->mask->inside[voxel] || fabs(place.outward) > neighbour) continue;
        if (rim_distance(p, &place) < -1) continue;
        c->mark[voxel] = is_beyond(&place) ? OUTER : INNER;
        counts[c->mark[voxel]]++;
        if (is_beyond(&place)) HT_TRY(ht_stack_push(&c->todo, voxel));
      }
    }
  }
  return HT_OK;
}

/* A step through the section itself, or out of the slab. */
static int is_barred(const cutter *c, const plane_place *from, const plane_place *to) {
  const plane *p = c->plane;
  const double rim = -1.5 * PIXELS_A_VOXEL;
  if (c->slab_only)
    return !is_beyond(to) || to->outward > p->diameter ||
           hypot(to->pixel[0], to->pixel[1]) > 2 * p->search;
  if (is_beyond(from) == is_beyond(to)) return 0;
  return rim_distance(p, from) >= rim || rim_distance(p, to) >= rim;
}

static ht_status spread(cutter *c, int64_t voxel) {
  const ht_mask *mask = c->plane->mask;
  int at[3], next[3];
  ht_voxel_place(mask->grid.dim, voxel, at);
  plane_place here = place_of(c->plane, at);
  for (int k = 0; k < 27; k++) {
    for (int a = 0, rest = k; a < 3; a++, rest /= 3) next[a] = at[a] + rest % 3 - 1;
    if (!ht_voxel_in_grid(mask->grid.dim, next)) continue;
    int64_t there = ht_voxel_index(mask->grid.dim, next);
    if (!mask->inside[there] || c->mark[there] == OUTER) continue;
    plane_place place = place_of(c->plane, next);
    if (is_barred(c, &here, &place)) continue;
    c->met_inner |= c->mark[there] == INNER;
    c->mark[there] = OUTER;
    HT_TRY(ht_stack_push(&c->todo, there));
  }
  return HT_OK;
}

static ht_status follow_outer(cutter *c, int64_t counts[3]) {
  memset(c->mark, 0, (size_t)ht_grid_voxels(&c->plane->mask->grid));
  c->todo.count = 0;
  HT_TRY(mark_sides(c, counts));
  while (c->todo.count > 0 && !c->met_inner) HT_TRY(spread(c, c->todo.item[--c->todo.count]));
  return HT_OK;
}

/* Marks the voxels to remove. Where the outer piece comes round to the inner side, only a slab. */
static ht_status mark_piece(cutter *c) {
  int64_t counts[3];
  HT_TRY(follow_outer(c, counts));
  if (counts[INNER] == 0)
    return ht_fail(
        HT_ERR_OPENINGS,
        "the plane at [%.1f, %.1f, %.1f] has no vessel on its inner side: the normal must "
        "point out of the part of the vessel to keep",
        c->plane->centre_mm[0], c->plane->centre_mm[1], c->plane->centre_mm[2]);
  if (!c->met_inner) return HT_OK;
  c->slab_only = 1;
  c->met_inner = 0;
  return follow_outer(c, counts);
}

static ht_status remove_piece(const plane *p, ht_mask *mask) {
  cutter c = {.plane = p};
  int64_t voxels = ht_grid_voxels(&mask->grid);
  HT_TRY(ht_alloc((void **)&c.mark, (size_t)voxels, 1, "the vessel beyond an opening"));
  ht_status status = mark_piece(&c);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (c.mark[v] == OUTER) mask->inside[v] = 0;
  free(c.mark);
  free(c.todo.item);
  return status;
}

ht_status ht_openings_cut(ht_mask *mask, const double centre_mm[3], const double normal[3],
                          double search_radius_mm, ht_opening *opening) {
  plane p;
  memset(opening, 0, sizeof *opening);
  HT_TRY(plane_make(mask, centre_mm, normal, &p));
  ht_status status = find_section(&p, search_radius_mm, opening);
  if (status == HT_OK) status = remove_piece(&p, mask);
  ht_section_free(&p.section);
  if (status != HT_OK) memset(opening, 0, sizeof *opening);
  return status;
}
