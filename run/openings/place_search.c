/* Openings at the border and inside the mask. */
#include "run/openings/place_search.h"
#include "segment/openings/border.h"
#include "run/openings/place_ends.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

enum { LEAST_NAMED = 4 }; /* fewest nodes of a patch at the border that the case names */

/* Adds the thin openings at the border that the case names to those found. */
static ht_status add_named(const ht_case *settings, const ht_mask *mask, ht_placed *placed,
                           ht_openings *found) {
  ht_openings all = {0}, wide = {0};
  int smaller;
  if (placed->ignored == 0) return HT_OK;
  if (ht_openings_of_patches(mask, LEAST_NAMED, &all, &smaller) != HT_OK) return HT_OK;
  wide = *found;
  for (int i = wide.count; i < all.count; i++) { /* smaller than all that are found */
    if (!ht_place_is_named(settings, &wide, &all.item[i])) continue;
    ht_openings_insert(found, &all.item[i]);
    placed->ignored--;
  }
  return HT_OK;
}

/* Marks the openings that entries of the case name with 1. */
static void find_named(const ht_case *settings, const ht_openings *found,
                       int named[HT_OPENINGS_MAX]) {
  double mm;
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    const double *at_mm = asked->has_near ? asked->near_mm : asked->centre_mm;
    int nearest = ht_placed_nearest(found, at_mm, &mm);
    double slack_mm = asked->has_near ? HT_NEAR_SLACK_MM : 0; /* a plane lies at it */
    if (nearest >= 0 && mm < found->item[nearest].radius_mm + slack_mm) named[nearest] = 1;
  }
}

/* Closes openings so thin that hardly any blood leaves there, and that a lattice for the others
 * does not resolve. */
static void close_thin(const ht_case *settings, ht_placed *placed, ht_openings *found) {
  int named[HT_OPENINGS_MAX] = {0}, count = 0;
  double widest = 0;
  for (int i = 0; i < found->count; i++) widest = fmax(widest, found->item[i].radius_mm);
  for (int i = 0; i < placed->openings.count; i++)
    widest = fmax(widest, placed->openings.item[i].radius_mm);
  find_named(settings, found, named);
  for (int i = 0; i < found->count; i++)
    if (found->item[i].radius_mm < HT_PLACE_THIN * widest && !named[i])
      ht_place_close(placed, &found->item[i]);
    else
      found->item[count++] = found->item[i];
  found->count = count;
}

ht_status ht_place_search(const ht_case *settings, const ht_segment_report *report,
                          const ht_mask *mask, const ht_placed *before, ht_placed *placed,
                          ht_openings *found) {
  HT_TRY(ht_openings_at_border(mask, found, &placed->ignored));
  HT_TRY(add_named(settings, mask, placed, found));
  HT_TRY(ht_place_find_ends(settings, report, mask, before, placed, found));
  if (!before) close_thin(settings, placed, found);
  return HT_OK;
}
