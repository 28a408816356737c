#include "run/openings/place_sections.h"
#include "segment/openings/even_section.h"
#include "segment/openings/main_path.h"
#include "core/numbers/vector3.h"

/* Measures the sections beyond an inlet. The main path begins at the main inlet: here the only
 * one. */
static ht_status measure(const ht_mask *mask, const ht_openings *openings, int inlet,
                         double *even_mm2) {
  ht_openings alone = {0};
  ht_vessel_path path;
  alone = *openings;
  for (int i = 0; i < alone.count; i++)
    if (i != inlet && alone.item[i].role == HT_ROLE_INLET) alone.item[i].role = HT_ROLE_WALL;
  HT_TRY(ht_main_path_find(mask, &alone, &path));
  *even_mm2 = ht_even_section_mm2(&path);
  ht_vessel_path_free(&path);
  return HT_OK;
}

ht_status ht_place_need_sections(const ht_mask *mask, ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_INLET && !(one->even_mm2 > 0))
      HT_TRY(measure(mask, openings, i, &one->even_mm2));
  }
  return HT_OK;
}

void ht_place_take_sections(const ht_openings *known, ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_INLET) continue;
    for (int k = 0; k < known->count; k++) {
      const ht_opening *was = &known->item[k];
      if (was->role == HT_ROLE_INLET &&
          ht_distance(was->centre_mm, one->centre_mm) < was->radius_mm)
        one->even_mm2 = was->even_mm2;
    }
  }
}
