#include "run/openings/narrow_place.h"
#include "segment/openings/narrowest.h"
#include <math.h>

static const double narrowing = 0.8; /* fraction of the narrower of two openings, and a node */

static int is_narrow(const ht_narrow_place *place, double spacing_mm) {
  double wide = 2 * fmin(place->inlet->radius_mm, place->outlet->radius_mm) / spacing_mm;
  return place->across > 0 && place->across + 1 < narrowing * wide;
}

int ht_narrow_places(const ht_mask *mask, const ht_openings *openings,
                     ht_narrow_place place[HT_OPENINGS_MAX]) {
  double across[HT_OPENINGS_MAX];
  const ht_opening *inlet = ht_openings_main_inlet(openings), *outlet[HT_OPENINGS_MAX];
  int outlets = 0, count = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_OUTLET) outlet[outlets++] = one;
  }
  if (!inlet || ht_narrowest(mask, inlet, outlet, outlets, across) != HT_OK) return 0;
  for (int i = 0; i < outlets; i++) {
    place[count] = (ht_narrow_place){inlet, outlet[i], across[i]};
    count += is_narrow(&place[count], mask->grid.spacing_mm[0]);
  }
  return count;
}
