#include "run/mask/move_point.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double back[] = {0.5, -0.5, 1, -1, 2, -2}; /* radii; < 0: onward */
static const double like = 1.2;                         /* ratio of the widths of cut and vessel */
static const double most_turned_degrees = 45;

/* Returns 1 where the vessel is cut at a place by a section of about this radius, not much turned.
 */
static int is_cut_well(const ht_placed *placed, const double at_mm[3], double radius_mm) {
  double mm;
  int at = ht_placed_nearest(&placed->openings, at_mm, &mm);
  const ht_opening *one = &placed->openings.item[at];
  return at >= 0 && mm < radius_mm && one->role != HT_ROLE_WALL &&
         one->radius_mm < like * radius_mm && one->radius_mm > radius_mm / like &&
         ht_opening_turn_degrees(one) < most_turned_degrees;
}

/* Tries the point moved by a number of radii, back along the vessel or (< 0) onward. */
static ht_status try_moved(const ht_run *run, int p, double radii, ht_decide *decide,
                           ht_placed *placed, char typed[64], int *works) {
  const ht_segment_options *options = &run->given.settings->segment;
  const ht_segment_point *point = &run->manifest.segment.point[p];
  ht_points *points;
  double to_mm[3];
  HT_TRY(ht_alloc((void **)&points, 1, sizeof *points, "the points"));
  for (int r = 0; r < 3; r++)
    to_mm[r] = point->centre_mm[r] - radii * point->radius_mm * point->out[r];
  for (int q = 0; q < options->points; q++)
    memcpy(points->item[q].position_mm, options->point_mm[q], sizeof to_mm);
  points->count = p;
  snprintf(typed, 64, "%.1f,%.1f,%.1f", to_mm[0], to_mm[1], to_mm[2]);
  ht_status status = ht_points_add_typed(typed, "--to", points);
  points->count = options->points;
  if (status == HT_OK) status = ht_try_points(run, points, decide, placed);
  free(points);
  if (status == HT_ERR_INTERRUPTED || status == HT_ERR_MEMORY) return status;
  *works = status == HT_OK && is_cut_well(placed, to_mm, point->radius_mm);
  return HT_OK;
}

ht_status ht_suggest_point(const ht_run *run, ht_case *before, ht_decide *decide) {
  const int p = run->vessel.placed.lost_point - 1;
  ht_run fresh = *run;
  char message[3000], typed[64];
  int works = 0;
  ht_placed *placed;
  fresh.given.settings = before;
  if (p < 0 || p >= run->manifest.segment.points) return HT_ERR_OPENINGS;
  if (!(ht_length(run->manifest.segment.point[p].out) > 0)) return HT_ERR_OPENINGS;
  snprintf(message, sizeof message, "%s", ht_error_message());
  HT_TRY(ht_alloc((void **)&placed, 1, sizeof *placed, "the openings of a trial"));
  ht_status status = HT_OK;
  for (size_t n = 0; n < sizeof back / sizeof *back && status == HT_OK && !works; n++)
    status = try_moved(&fresh, p, back[n], decide, placed, typed, &works);
  free(placed);
  HT_TRY(status);
  if (!works) return ht_fail(HT_ERR_OPENINGS, "%s", message);
  return ht_fail(HT_ERR_OPENINGS, "%s. With point %d at %s the vessel can be cut: --%s=%s", message,
                 p + 1, typed, p == 0 ? "from" : "to", typed);
}
