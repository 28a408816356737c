#include "openings.h"
#include <string.h>

const char *ht_role_name(ht_role role) {
  switch (role) {
  case HT_ROLE_INLET:
    return "inlet";
  case HT_ROLE_OUTLET:
    return "outlet";
  case HT_ROLE_WALL:
    return "wall";
  case HT_ROLE_NONE:
    break;
  }
  return "none";
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
