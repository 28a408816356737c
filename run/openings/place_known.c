/* Openings that are already known. */
#include "run/openings/place_known.h"
#include "segment/openings/border.h"
#include "run/process/console.h"
#include "run/openings/narrow_place.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

enum { LEAST_NODES = HT_OPENING_FEWEST_NODES, ENOUGH_NODES = HT_PLACE_ENOUGH_NODES };
static const double open_across = 2.1; /* nodes of the radius: more than LEAST_NODES everywhere */

int ht_place_of_plane(const ht_placed *known, const ht_case_opening *asked) {
  for (int i = 0; i < known->openings.count; i++) {
    const ht_opening *one = &known->openings.item[i];
    int same =
        known->asked_cut[i]
            ? memcmp(known->asked_centre_mm[i], asked->centre_mm, sizeof asked->centre_mm) == 0 &&
                  memcmp(known->asked_normal[i], asked->normal, sizeof asked->normal) == 0
            : !one->at_border && ht_distance(one->centre_mm, asked->centre_mm) < 1e-3 &&
                  ht_distance(one->normal, asked->normal) < 1e-3;
    if (same) return i;
  }
  return -1;
}

static int is_placed(const ht_placed *placed, const ht_placed *known, int i) {
  for (int k = 0; k < placed->openings.count; k++) {
    ht_case_opening plane = {.has_centre = 1};
    memcpy(plane.centre_mm, placed->asked_centre_mm[k], sizeof plane.centre_mm);
    memcpy(plane.normal, placed->asked_normal[k], sizeof plane.normal);
    if (placed->asked_cut[k] && ht_place_of_plane(known, &plane) == i) return 1;
  }
  return 0;
}

/* Finds the same opening as the border of this mask has it, its pressure on the plane where it was;
 * 0: there is none near. */
static int find_at_border(const ht_openings *border, double voxel_mm, int taken[HT_OPENINGS_MAX],
                          ht_opening *one) {
  int nearest = -1;
  double nearest_mm = one->radius_mm + 2 * voxel_mm;
  for (int b = 0; b < border->count; b++) {
    double mm = ht_distance(border->item[b].centre_mm, one->centre_mm);
    if (taken[b] || mm > nearest_mm || ht_dot(border->item[b].normal, one->normal) < 0.5) continue;
    nearest_mm = mm;
    nearest = b;
  }
  if (nearest < 0) return 0;
  taken[nearest] = 1;
  const ht_opening known = *one;
  *one = border->item[nearest];
  one->measured_off_mm = known.measured_off_mm;
  for (int r = 0; r < 3; r++)
    one->measured_off_mm += (known.centre_mm[r] - one->centre_mm[r]) * one->normal[r];
  return 1;
}

static ht_opening bare_of(const ht_opening *known) {
  ht_opening bare = {.area_mm2 = known->area_mm2,
                     .radius_mm = known->radius_mm,
                     .measured_off_mm = known->measured_off_mm,
                     .at_border = known->at_border,
                     .cut_off = known->cut_off};
  memcpy(bare.centre_mm, known->centre_mm, sizeof bare.centre_mm);
  memcpy(bare.normal, known->normal, sizeof bare.normal);
  memcpy(bare.direction, known->direction, sizeof bare.direction);
  return bare;
}

static void warn_of_coarse(const ht_opening *one, double voxel_mm) {
  ht_console_warn("the opening '%s' at [%.1f, %.1f, %.1f], radius %.2f mm, has fewer than %d nodes "
                  "on this lattice of %.3g mm: closed as wall, so no blood leaves there; with "
                  "--spacing %.2g it is open",
                  one->name, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2],
                  one->radius_mm, LEAST_NODES, voxel_mm, one->radius_mm / open_across);
}

/* Refuses to close an opening that the case names. */
static ht_status refuse_coarse(const ht_opening *one, double voxel_mm) {
  return ht_fail(HT_ERR_OPENINGS,
                 "the opening '%s' at [%.1f, %.1f, %.1f], radius %.2f mm, has fewer than %d nodes "
                 "on this lattice of %.3g mm: set --spacing %.2g, or more --nodes-across, or give "
                 "it the role wall",
                 one->name, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm,
                 LEAST_NODES, voxel_mm, one->radius_mm / open_across);
}

double ht_place_nodes(const ht_opening *one, double voxel_mm) {
  return HT_PI * pow(one->radius_mm / voxel_mm, 2);
}

/* Warns of few nodes: a branch three nodes across carries a tenth of its flow
 * (docs/segmentation.md). */
static void warn_of_few(const ht_opening *one, double voxel_mm) {
  double nodes = ht_place_nodes(one, voxel_mm);
  if (one->role == HT_ROLE_WALL || nodes >= ENOUGH_NODES) return;
  ht_console_warn(
      "the opening '%s' at [%.1f, %.1f, %.1f], radius %.2f mm, has some %.0f nodes on "
      "this lattice of %.3g mm: it is open, but so few nodes hold the blood back; where "
      "the outlets' pressures are given, its share of the flow may be a tenth of the "
      "true one; with --spacing %.2g it is %d nodes across",
      one->name, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm, nodes,
      voxel_mm, 2 * one->radius_mm / HT_FEWEST_NODES_ACROSS, HT_FEWEST_NODES_ACROSS);
}

ht_status ht_place_find_known(const ht_mask *mask, const ht_placed *known, ht_placed *placed,
                              ht_openings *found) {
  ht_openings border = {0};
  int taken[HT_OPENINGS_MAX] = {0}, ignored;
  double voxel_mm = mask->grid.spacing_mm[0];
  memset(found, 0, sizeof *found);
  HT_TRY(ht_openings_of_patches(mask, LEAST_NODES, &border, &ignored));
  placed->ignored = known->ignored;
  placed->thin_ends = known->thin_ends;
  placed->closed = known->closed;
  for (int i = 0; i < known->openings.count; i++) {
    const ht_opening *was = &known->openings.item[i];
    ht_opening one = bare_of(was);
    if (!was->at_border && is_placed(placed, known, i)) continue;
    int closed = was->at_border ? !find_at_border(&border, voxel_mm, taken, &one)
                                : ht_place_nodes(was, voxel_mm) < LEAST_NODES;
    if (closed) {
      if (was->role == HT_ROLE_WALL) continue;
      if (!ht_case_name_is_made_up(was->name)) return refuse_coarse(was, voxel_mm);
      warn_of_coarse(was, voxel_mm);
      continue;
    }
    warn_of_few(was, voxel_mm);
    if (!was->at_border && was->role == HT_ROLE_WALL) one.role = HT_ROLE_WALL;
    if (ht_case_name_is_made_up(was->name)) memcpy(one.name, was->name, sizeof one.name);
    found->item[found->count++] = one;
  }
  return HT_OK;
}
