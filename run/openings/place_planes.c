/* Planes to cut at: their direction from the centreline, which way is out, and those that lie at
 * the border. */
#include "segment/openings/centreline.h"
#include "run/process/console.h"
#include "run/openings/place_planes.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

static const double border_slack = 2;     /* voxels */
static const double border_turn = 0.9962; /* cosine of 5 degrees: more is another cut */

static int lies_at(const ht_case_opening *asked, const ht_opening *border, double voxel_mm) {
  double off[3];
  /* A cut so near the border would leave no stretch that shows the vessel's direction. */
  if (asked->point > 0 && !asked->has_normal)
    return ht_distance(asked->centre_mm, border->centre_mm) <= border->radius_mm;
  for (int r = 0; r < 3; r++) off[r] = asked->centre_mm[r] - border->centre_mm[r];
  double along = ht_dot(off, border->normal), slack = border_slack * voxel_mm;
  double across = sqrt(fmax(0, ht_dot(off, off) - along * along));
  if (fabs(along) > slack || across > 0.5 * border->radius_mm + slack) return 0;
  if (!asked->has_normal) return 1;
  double size = sqrt(ht_dot(asked->normal, asked->normal));
  return fabs(ht_dot(asked->normal, border->normal)) > border_turn * size;
}

int ht_place_is_at_border(const ht_case_opening *asked, const ht_openings *border,
                          double voxel_mm) {
  for (int b = 0; asked->has_centre && b < border->count; b++)
    if (lies_at(asked, &border->item[b], voxel_mm)) return 1;
  return 0;
}

/* Lists the places of the other openings of the case. */
static int list_others(const ht_case *settings, int but, double others_mm[][3]) {
  int count = 0;
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *one = &settings->opening[a];
    if (a == but) continue;
    memcpy(others_mm[count++], one->has_near ? one->near_mm : one->centre_mm, sizeof one->near_mm);
  }
  return count;
}

ht_status ht_place_plane(ht_case *settings, int a, const ht_mask *mask) {
  ht_case_opening *asked = &settings->opening[a];
  double others_mm[HT_OPENINGS_MAX][3];
  int turned, pointed = asked->has_normal;
  if (pointed && !asked->finds_side) return HT_OK;
  if (!pointed) HT_TRY(ht_centreline_at(mask, asked->centre_mm, asked->centre_mm, asked->normal));
  int others = list_others(settings, a, others_mm);
  HT_TRY(ht_openings_face_out(mask, asked->centre_mm, (const double(*)[3])others_mm, others,
                              asked->normal, &turned));
  asked->has_normal = 1;
  asked->finds_side = 0;
  if (pointed && turned)
    ht_console_note("the plane '%s' at [%.1f, %.1f, %.1f] pointed into the vessel that stays: "
                    "turned round",
                    asked->name, asked->centre_mm[0], asked->centre_mm[1], asked->centre_mm[2]);
  return HT_OK;
}

static int has_vessel_near(const ht_mask *mask, const ht_opening *one) {
  const double reach = one->radius_mm + 2 * mask->grid.spacing_mm[0];
  int low[3], high[3], at[3];
  double p[3];
  ht_grid_around(&mask->grid, one->centre_mm, reach, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    const int64_t voxel = ht_voxel_index(mask->grid.dim, at);
    if (!mask->inside[voxel]) continue;
    ht_grid_voxel_position(&mask->grid, voxel, p);
    if (ht_distance(p, one->centre_mm) < reach) return 1;
  }
  return 0;
}

int ht_place_lost(const ht_mask *mask, const ht_mask *before, const ht_openings *openings,
                  int walls) {
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (!walls && one->role == HT_ROLE_WALL) continue;
    if (!has_vessel_near(mask, one) && (!before || has_vessel_near(before, one))) return i;
  }
  return -1;
}

/* Checks a cut: a plane that meets more than its own vessel cuts other openings off, too. */
ht_status ht_place_check_cut(const ht_case *settings, const ht_mask *mask,
                             const ht_case_opening *asked, const ht_openings *placed) {
  const int lost = ht_place_lost(mask, NULL, placed, 1);
  char where[HT_WHERE_MAX];
  if (lost < 0) return HT_OK;
  const double *there_mm = placed->item[lost].centre_mm;
  ht_case_opening_where(settings, asked, where);
  return ht_fail(HT_ERR_OPENINGS,
                 "%s: the cut here, at [%.1f, %.1f, %.1f] across [%.2f, %.2f, %.2f], "
                 "takes the vessel at another opening, [%.1f, %.1f, %.1f], away: it meets a "
                 "wider vessel, or its normal points the wrong way; move it along its branch, "
                 "or give its 'normal'",
                 where, asked->centre_mm[0], asked->centre_mm[1], asked->centre_mm[2],
                 asked->normal[0], asked->normal[1], asked->normal[2], there_mm[0], there_mm[1],
                 there_mm[2]);
}

/* Returns a place one voxel further in where the vessel ends at the plane itself, as at a flat end
 * of a surface: at the plane the mask's last layer is ragged. */
void ht_place_inside_end(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                         double inside_mm[3]) {
  const double voxel = mask->grid.spacing_mm[0], reach = 3 * voxel;
  int behind = 0, beyond = 0, low[3], high[3], at[3];
  double out[3];
  memcpy(out, normal, sizeof out);
  memcpy(inside_mm, centre_mm, sizeof out);
  if (!ht_normalise(out)) return;
  ht_grid_around(&mask->grid, centre_mm, reach, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    const int64_t v = ht_voxel_index(mask->grid.dim, at);
    double p[3];
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, p);
    for (int r = 0; r < 3; r++) p[r] -= centre_mm[r];
    if (ht_dot(p, p) > reach * reach) continue;
    behind += ht_dot(p, out) <= 0;
    beyond += ht_dot(p, out) > voxel;
  }
  for (int r = 0; r < 3 && behind && !beyond; r++) inside_mm[r] -= voxel * out[r];
}
