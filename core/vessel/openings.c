#include "core/vessel/openings.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

static double cosine_of(const ht_opening *opening) {
  return fmin(1, fabs(ht_dot(opening->normal, opening->direction)));
}

double ht_opening_plane_mm2(const ht_opening *opening) {
  return opening->area_mm2 / cosine_of(opening);
}

double ht_opening_turn_degrees(const ht_opening *opening) {
  return acos(cosine_of(opening)) * 180 / HT_PI;
}

double ht_opening_overhang_mm(const ht_opening *opening) {
  double cosine = cosine_of(opening);
  return cosine > 0 ? opening->radius_mm * sqrt(1 - cosine * cosine) / cosine : 0;
}

double ht_opening_side_mm(const ht_opening *opening, const double place_mm[3]) {
  const double *along = ht_length(opening->direction) > 0 ? opening->direction : opening->normal;
  double off[3];
  for (int r = 0; r < 3; r++) off[r] = place_mm[r] - opening->centre_mm[r];
  const double part = ht_dot(off, along);
  return sqrt(fmax(0, ht_dot(off, off) - part * part));
}

void ht_opening_set_plane_mm2(ht_opening *opening, double plane_mm2) {
  opening->area_mm2 = plane_mm2 * cosine_of(opening);
  opening->radius_mm = sqrt(opening->area_mm2 / HT_PI);
}

const char *const ht_role_words[] = {"none", "inlet", "outlet", "wall", NULL};

const char *ht_role_name(ht_role role) {
  return ht_role_words[role <= HT_ROLE_WALL ? role : HT_ROLE_NONE];
}

int ht_openings_insert(ht_openings *openings, const ht_opening *opening) {
  if (openings->count == HT_OPENINGS_MAX) return 0;
  int at = openings->count++;
  for (; at > 0 && openings->item[at - 1].area_mm2 < opening->area_mm2; at--)
    openings->item[at] = openings->item[at - 1];
  openings->item[at] = *opening;
  return 1;
}

const ht_opening *ht_openings_main_inlet(const ht_openings *openings) {
  const ht_opening *most = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_INLET) continue;
    if (!most || ht_is_larger_inflow(one->flow_ml_s, most->flow_ml_s)) most = one;
  }
  return most;
}

const ht_opening *ht_openings_named(const ht_openings *openings, const char *name) {
  for (int i = 0; i < openings->count; i++)
    if (strcmp(openings->item[i].name, name) == 0) return &openings->item[i];
  return NULL;
}
