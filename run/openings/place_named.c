#include "run/openings/place_named.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "run/folder/folder.h"
#include <string.h>

static int is_unplaced(const ht_case_opening *one) {
  return one->line == 0 && !one->has_near && !one->has_centre && one->point == 0;
}

static ht_status no_such(const char *folder, const char *name, const ht_openings *found) {
  char names[1024] = "";
  for (int i = 0; i < found->count; i++) {
    const size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s'%s'", i ? ", " : "", found->item[i].name);
  }
  return ht_fail(HT_ERR_USAGE, "openings: the case has no opening '%s'%s%s", name,
                 found->count ? "; there are " : ", and no others are known in ",
                 found->count ? names : folder);
}

ht_status ht_place_named(ht_case *settings, const char *folder) {
  char path[HT_PATH_MAX];
  ht_placed placed = {0};
  for (int i = 0; i < settings->openings; i++) {
    ht_case_opening *one = &settings->opening[i];
    if (!is_unplaced(one)) continue;
    HT_TRY(ht_path_join(path, folder, HT_FILE_OPENINGS));
    if (placed.openings.count == 0 && ht_file_exists(path)) HT_TRY(ht_placed_read(path, &placed));
    const ht_opening *found = ht_openings_named(&placed.openings, one->name);
    if (!found) return no_such(folder, one->name, &placed.openings);
    memcpy(one->near_mm, found->centre_mm, sizeof one->near_mm);
    one->has_near = 1;
    if (one->role == HT_ROLE_NONE) one->role = (int)found->role;
  }
  return HT_OK;
}

int ht_place_of_entry(const ht_case_opening *entry, const ht_openings *found, double *strayed_mm) {
  const ht_opening *one = ht_openings_named(found, entry->name);
  const double *place = entry->has_centre ? entry->centre_mm : entry->near_mm;
  const int has_place = entry->has_near || entry->has_centre;
  double mm = 0;
  int at = one ? (int)(one - found->item) : -1;
  *strayed_mm = 0;
  if (!has_place) return at;
  if (!one) at = ht_placed_nearest(found, place, &mm);
  if (at < 0) return -1;
  const int is_off =
      ht_distance(place, found->item[at].centre_mm) > found->item[at].radius_mm + HT_NEAR_SLACK_MM;
  if (!one) return is_off ? -1 : at;
  if (is_off) *strayed_mm = ht_distance(place, one->centre_mm);
  return at;
}

void ht_place_apply(const ht_case_opening *asked, ht_opening *opening) {
  if (asked->name[0]) memcpy(opening->name, asked->name, sizeof opening->name);
  opening->role = (ht_role)asked->role;
  if (asked->flow_ml_s > 0) opening->role = HT_ROLE_INLET; /* only inlets have a flow */
  opening->flow_ml_s = asked->flow_ml_s;
  opening->pressure_pa = asked->pressure_pa;
  opening->flow_fraction = asked->flow_fraction;
  opening->windkessel[0] = asked->windkessel[0] * HT_PA_PER_MMHG * 1e6;
  opening->windkessel[1] = asked->windkessel[1] * 1e-6 / HT_PA_PER_MMHG;
  opening->windkessel[2] = asked->windkessel[2] * HT_PA_PER_MMHG * 1e6;
}
