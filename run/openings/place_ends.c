/* Openings where the vessel ends inside the mask. */
#include "segment/openings/ball.h"
#include "segment/openings/border.h"
#include "run/process/console.h"
#include "segment/openings/ends.h"
#include "run/openings/place_ends.h"
#include "run/openings/place_planes.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status insert(ht_openings *openings, const ht_opening *opening) {
  if (ht_openings_insert(openings, opening)) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS,
                 "more than %d openings: choose a smaller region around the vessel of interest, "
                 "or a higher threshold",
                 HT_OPENINGS_MAX);
}

int ht_place_is_named(const ht_case *settings, const ht_openings *found, const ht_opening *one) {
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    double other_mm, mm = ht_distance(asked->near_mm, one->centre_mm);
    if (!asked->has_near || mm > one->radius_mm + HT_NEAR_SLACK_MM) continue;
    ht_placed_nearest(found, asked->near_mm, &other_mm);
    if (mm < other_mm) return 1;
  }
  return 0;
}

/* Returns 1 where the mask still ends at the plane of a cut. Nodes within two voxels on either side
 * decide. */
int ht_place_ends_at(const ht_mask *mask, const ht_opening *opening) {
  const double dx = mask->grid.spacing_mm[0], reach = 1.2 * opening->radius_mm + 3 * dx;
  int inside = 0, beyond = 0, low[3], high[3], at[3];
  ht_grid_around(&mask->grid, opening->centre_mm, reach, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    const int64_t v = ht_voxel_index(mask->grid.dim, at);
    if (!mask->inside[v]) continue;
    double p[3], along = 0;
    ht_grid_voxel_position(&mask->grid, v, p);
    if (ht_distance(p, opening->centre_mm) > reach) continue;
    for (int a = 0; a < 3; a++) along += (p[a] - opening->centre_mm[a]) * opening->normal[a];
    inside += along > -2 * dx && along <= 0.25 * dx;
    beyond += along > 0.25 * dx && along < 2 * dx;
  }
  return inside > 0 && beyond == 0;
}

/* Returns 1 where the ball of a region cuts the vessel without an opening, so that the mask seems
 * to have a blind end. It is a cut if voxels fill half of its section in the outermost layer of the
 * ball; a dome only touches that layer. */
static int is_cut_by_ball(const ht_segment_options *region, const ht_mask *mask,
                          const ht_opening *end) {
  const double dx = mask->grid.spacing_mm[0], r = end->radius_mm;
  int low[3], high[3], at[3];
  int64_t filled = 0;
  if (!region->has_sphere) return 0;
  ht_grid_around(&mask->grid, end->centre_mm, 2 * r, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    const int64_t v = ht_voxel_index(mask->grid.dim, at);
    double p[3];
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, p);
    filled += ht_distance(p, end->centre_mm) < 2 * r &&
              ht_distance(p, region->sphere_mm) > region->sphere_radius_mm - 1.5 * dx;
  }
  double half_section_mm2 = 0.5 * HT_PI * r * r, layer = 1.5; /* voxels thick */
  return (double)filled * dx * dx > layer * half_section_mm2;
}

/* Notes a blind end; warns of one that is missed, and of all of a surface, where a vessel's end
 * that is not flat looks like a dome. */
static void tell_blind(const ht_case *settings, const ht_mask *mask, const ht_openings *openings,
                       const ht_opening *end) {
  const double *at = end->centre_mm;
  char share[100] = "";
  if (ht_placed_is_missed(openings, end))
    snprintf(share, sizeof share, ", though the outlets carry only %.0f %% of the inlet's flow",
             100 * ht_placed_outlet_share(openings));
  if (is_cut_by_ball(&settings->segment, mask, end))
    ht_console_warn("the ball of 'region' cuts the vessel near [%.1f, %.1f, %.1f] (LPS mm): closed "
                    "as wall, because it is not a vessel of nearly constant width there; choose "
                    "another ball, or give an opening with centre_mm and normal there",
                    at[0], at[1], at[2]);
  else if (settings->surface_spacing_mm > 0 || share[0])
    ht_console_warn(
        "a blind end at [%.1f, %.1f, %.1f] (LPS mm, radius %.2f mm) stays closed%s: right for "
        "an aneurysm; where a vessel continues, list it in the case's openings as {centre_mm: [X, "
        "Y, Z], normal: [X, Y, Z]}, a place inside before its end and the direction out",
        at[0], at[1], at[2], end->radius_mm, share);
  else
    ht_console_note("a blind end at [%.1f, %.1f, %.1f] (LPS mm, radius %.2f mm; a dome, or a short "
                    "stump): it stays closed",
                    at[0], at[1], at[2], end->radius_mm);
}

/* Closes stubs at the ball that are wider than long: their direction cannot be determined. */
static ht_status close_stubs(const ht_segment_options *region, const ht_mask *mask, ht_ends *ends) {
  for (int i = 0; i < ends->count; i++) {
    ht_end *one = &ends->item[i];
    int is = 1;
    if (one->kind == HT_END_OPEN && is_cut_by_ball(region, mask, &one->opening))
      HT_TRY(ht_end_is_steady(mask, &one->opening, &is));
    if (!is) one->kind = HT_END_BLIND;
  }
  return HT_OK;
}

/* Lists only a few: in a scan of bone there are dozens. */
void ht_place_tell_blind(const ht_case *settings, const ht_mask *mask, const ht_placed *placed) {
  const int most = 4;
  const ht_openings *blind = &placed->blind;
  for (int i = 0; i < blind->count && i < most; i++)
    tell_blind(settings, mask, &placed->openings, &blind->item[i]);
  if (blind->count > most)
    ht_console_note("%d more blind ends stay closed: pictures/projection.png shows the vessel",
                    blind->count - most);
}

static int is_at_one(const ht_openings *known, const ht_opening *one) {
  for (int i = 0; i < known->count; i++)
    if (ht_distance(known->item[i].centre_mm, one->centre_mm) <
        fmax(known->item[i].radius_mm, one->radius_mm))
      return 1;
  return 0;
}

/* Adds ends that were cut before: they keep their opening. */
static ht_status add_done(const ht_mask *mask, const ht_placed *before, ht_openings *known,
                          ht_openings *found) {
  for (int i = 0; before && i < before->openings.count; i++) {
    ht_opening one = before->openings.item[i];
    if (one.at_border || before->asked_cut[i] || !ht_place_ends_at(mask, &one)) continue;
    ht_opening bare = {.area_mm2 = one.area_mm2, .radius_mm = one.radius_mm};
    memcpy(bare.centre_mm, one.centre_mm, sizeof bare.centre_mm);
    memcpy(bare.normal, one.normal, sizeof bare.normal);
    memcpy(bare.direction, one.direction, sizeof bare.direction);
    HT_TRY(insert(found, &bare));
    if (known->count < HT_OPENINGS_MAX) known->item[known->count++] = bare;
  }
  return HT_OK;
}

/* Adds openings where the vessel leaves the ball of the region, as at the sides of a box. */
static ht_status add_at_ball(const ht_segment_options *region, const ht_mask *mask,
                             ht_openings *known, ht_openings *found) {
  ht_ends ends = {.count = 0};
  if (region->has_sphere && region->points == 0) /* between points it does not cut */
    HT_TRY(ht_ends_at_ball(mask, region->sphere_mm, region->sphere_radius_mm, &ends));
  for (int i = 0; i < ends.count; i++) {
    const ht_opening *one = &ends.item[i].opening;
    if (ends.item[i].kind != HT_END_OPEN || is_at_one(known, one)) continue;
    HT_TRY(insert(found, one));
    if (known->count < HT_OPENINGS_MAX) known->item[known->count++] = *one;
  }
  return HT_OK;
}

static void add(ht_openings *to, const ht_opening *one) {
  if (to->count < HT_OPENINGS_MAX) to->item[to->count++] = *one;
}

/* Returns 1 where an entry of the case names end i: it is nearer to it than to the other ends, and
 * to those found. */
static int is_named_of(const ht_case *settings, const ht_openings *found, const ht_openings *ends,
                       int i) {
  ht_openings others = *found;
  for (int j = 0; j < ends->count; j++)
    if (j != i) add(&others, &ends->item[j]);
  return ht_place_is_named(settings, &others, &ends->item[i]);
}

/* Adds the branches that the segmentation between points cut off: each is an opening, however its
 * end looks. */
static ht_status add_branches(const ht_case *settings, const ht_segment_report *report,
                              const ht_mask *mask, ht_placed *placed, ht_openings *known,
                              ht_openings *found) {
  double least_mm = 0.5 * HT_END_LEAST_ACROSS * mask->grid.spacing_mm[0];
  ht_openings ends = {0};
  int is_wide[HT_SEGMENT_BRANCHES_MAX];
  for (int b = 0; report && b < report->branches; b++) {
    const ht_segment_branch *branch = &report->branch[b];
    ht_opening one;
    HT_TRY(ht_end_at_branch(mask, branch->centre_mm, branch->direction, branch->radius_mm, &one));
    if (is_at_one(known, &one)) continue;
    is_wide[ends.count] = branch->is_tube && one.radius_mm >= least_mm;
    add(&ends, &one);
    add(known, &one);
  }
  for (int i = 0; i < ends.count; i++) {
    if (is_wide[i] || is_named_of(settings, found, &ends, i))
      HT_TRY(insert(found, &ends.item[i]));
    else
      ht_place_close(placed, &ends.item[i]);
  }
  return HT_OK;
}

/* Returns 1 where the end lies in the stretch that stays beyond the opening of a branch. */
static int is_behind_branch(const ht_segment_report *report, const ht_openings *known,
                            const ht_opening *end) {
  const double most = 4; /* radii */
  for (int i = 0; report && report->branches > 0 && i < known->count; i++) {
    const ht_opening *one = &known->item[i];
    double off[3];
    if (one->at_border) continue;
    for (int r = 0; r < 3; r++) off[r] = end->centre_mm[r] - one->centre_mm[r];
    if (ht_length(off) < most * one->radius_mm && ht_dot(off, one->normal) > -one->radius_mm)
      return 1;
  }
  return 0;
}

static void drop_behind(const ht_segment_report *report, const ht_openings *known, ht_ends *ends) {
  int count = 0;
  for (int i = 0; i < ends->count; i++)
    if (!is_behind_branch(report, known, &ends->item[i].opening))
      ends->item[count++] = ends->item[i];
  ends->count = count;
}

/* Closes a vessel that ends where something that touched it was left out: it may have been cut off
 * with that. */
static void close_cut(const ht_segment_report *report, ht_ends *ends) {
  for (int i = 0; i < ends->count; i++) {
    ht_end *end = &ends->item[i];
    const ht_opening *one = &end->opening;
    for (int c = 0; report && c < report->contacts && end->kind == HT_END_BLIND; c++)
      if (ht_distance(report->contact_mm[c], one->centre_mm) < 2 * one->radius_mm)
        end->kind = HT_END_THIN;
  }
}

ht_status ht_place_find_ends(const ht_case *settings, const ht_segment_report *report,
                             const ht_mask *mask, const ht_placed *before, ht_placed *placed,
                             ht_openings *found) {
  ht_openings known = {0}; /* candidates for the root: at the border, where there is one */
  ht_openings all = {0};
  ht_ends ends = {0};
  known = *found;
  HT_TRY(add_done(mask, before, &known, found));
  for (int i = 0; i < placed->openings.count && known.count < HT_OPENINGS_MAX; i++)
    known.item[known.count++] = placed->openings.item[i];
  HT_TRY(add_at_ball(&settings->segment, mask, &known, found));
  HT_TRY(add_branches(settings, report, mask, placed, &known, found));
  HT_TRY(ht_ends_find(mask, &known, &ends));
  drop_behind(report, &known, &ends);
  HT_TRY(close_stubs(&settings->segment, mask, &ends));
  close_cut(report, &ends);
  for (int i = 0; i < ends.count; i++)
    if (ends.item[i].kind == HT_END_BLIND)
      ht_openings_insert(&placed->blind, &ends.item[i].opening);
  for (int i = 0; i < ends.count; i++) add(&all, &ends.item[i].opening);
  for (int i = 0; i < ends.count; i++)
    if (ends.item[i].kind == HT_END_THIN) {
      if (is_named_of(settings, found, &all, i))
        ends.item[i].kind = HT_END_OPEN;
      else
        ht_place_close(placed, &ends.item[i].opening);
    }
  for (int i = 0; i < ends.count; i++)
    if (ends.item[i].kind == HT_END_OPEN) HT_TRY(insert(found, &ends.item[i].opening));
  return HT_OK;
}

static void keep_settings(const ht_opening *from, ht_opening *to) {
  ht_opening cut = *to;
  *to = *from;
  memcpy(to->centre_mm, cut.centre_mm, sizeof cut.centre_mm);
  memcpy(to->normal, cut.normal, sizeof cut.normal);
  memcpy(to->direction, cut.direction, sizeof cut.direction);
  to->area_mm2 = cut.area_mm2;
  to->radius_mm = cut.radius_mm;
}

/* Cuts at an end; undone where the cut takes the vessel at another opening away, as where the
 * branch comes round to the vessel again. */
static ht_status cut_end(ht_mask *mask, const ht_openings *openings, int i, ht_opening *cut) {
  const ht_opening *one = &openings->item[i];
  const size_t voxels = (size_t)ht_grid_voxels(&mask->grid);
  ht_mask before;
  HT_TRY(ht_mask_alloc(&mask->grid, &before));
  memcpy(before.inside, mask->inside, voxels);
  ht_status status = ht_openings_cut(mask, one->centre_mm, one->normal, 0, cut);
  int lost = status == HT_OK ? ht_place_lost(mask, &before, openings, 0) : -1;
  if (lost >= 0) {
    const double *there_mm = openings->item[lost].centre_mm;
    memcpy(mask->inside, before.inside, voxels);
    status = ht_fail(HT_ERR_OPENINGS,
                     "the cut there takes the vessel at another opening, [%.1f, %.1f, %.1f], away",
                     there_mm[0], there_mm[1], there_mm[2]);
  }
  ht_mask_free(&before);
  return status;
}

/* Fails for an end that the case asks for, with its reason. */
static ht_status refuse_end(const ht_opening *one, ht_status status) {
  char where[HT_NAME_MAX + 120];
  snprintf(where, sizeof where, "the %s at the vessel's end [%.1f, %.1f, %.1f] cannot be cut",
           ht_role_name(one->role), one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
  return ht_fail_in(status, where);
}

ht_status ht_place_cut_ends(ht_mask *mask, ht_placed *placed, int *cuts) {
  for (int i = 0; i < placed->openings.count; i++) {
    ht_opening *one = &placed->openings.item[i], cut;
    if (one->at_border || placed->asked_cut[i] || one->role == HT_ROLE_WALL) continue;
    if (ht_place_ends_at(mask, one)) continue;
    ht_status status = cut_end(mask, &placed->openings, i, &cut);
    if (status == HT_ERR_OPENINGS && one->role != HT_ROLE_NONE) return refuse_end(one, status);
    if (status == HT_ERR_OPENINGS) {
      ht_console_warn("the vessel's end at [%.1f, %.1f, %.1f] stays closed: %s", one->centre_mm[0],
                      one->centre_mm[1], one->centre_mm[2], ht_error_message());
      one->role = HT_ROLE_WALL;
      continue;
    }
    HT_TRY(status);
    keep_settings(one, &cut);
    *one = cut;
    placed->ends_cut++;
    ++*cuts;
  }
  return HT_OK;
}
