#include "run/openings/place_supplies.h"
#include "run/openings/usual_flow.h"
#include "core/numbers/vector3.h"

/* Least fraction of the widest opening's width: the basilar artery has some 0.65 of a carotid's
 * width. */
static const double least_width = 0.5, down = 0.5; /* of the widest; cosine */

/* Returns 1 where the opening leads out of the vessel towards the feet: LPS. */
static int leads_down(const ht_opening *one) {
  const double feet[3] = {0, 0, -1};
  return ht_dot(one->direction, feet) > down;
}

int ht_place_guess_supplies(const ht_case *settings, ht_openings *openings) {
  const ht_opening *widest = NULL;
  int made = 0;
  if (ht_body_of(settings) != HT_BODY_HEAD) return 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_INLET) return 0;
    if (one->role == HT_ROLE_NONE && (!widest || one->radius_mm > widest->radius_mm)) widest = one;
  }
  if (!widest || !leads_down(widest)) return 0;
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_NONE || !leads_down(one)) continue;
    if (one->radius_mm < least_width * widest->radius_mm) continue;
    one->role = HT_ROLE_INLET;
    made++;
  }
  return made;
}
