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

/* Gives the entry the place and the role of the opening that it was found as. */
static ht_status find_place(const char *folder, const ht_openings *found, ht_case_opening *one) {
  const char *name = one->called[0] ? one->called : one->name;
  const ht_opening *at = ht_openings_named(found, name);
  if (!at) return no_such(folder, name, found);
  memcpy(one->near_mm, at->centre_mm, sizeof one->near_mm);
  one->has_near = 1;
  if (one->role == HT_ROLE_NONE) one->role = (int)at->role;
  return HT_OK;
}

/* Returns 1 where another opening than number `a` of the list has its name: one of the list, or one
 * that was found and that the list does not name. */
static int is_taken(const ht_case *settings, int a, const ht_openings *found) {
  double off_mm;
  const ht_case_opening *one = &settings->opening[a];
  const ht_opening *other = ht_openings_named(found, one->name);
  int is_named_anew = !other || ht_place_of_entry(one, found, &off_mm) == other - found->item;
  for (int b = 0; b < settings->openings; b++) {
    if (b != a && strcmp(settings->opening[b].name, one->name) == 0) return 1;
    if (b != a && other && settings->opening[b].name[0] &&
        ht_place_of_entry(&settings->opening[b], found, &off_mm) == other - found->item)
      is_named_anew = 1;
  }
  return !is_named_anew;
}

ht_status ht_place_named(ht_case *settings, const char *folder) {
  char path[HT_PATH_MAX];
  ht_placed placed = {0};
  int needs = 0;
  for (int i = 0; i < settings->openings; i++)
    needs |= is_unplaced(&settings->opening[i]) || settings->opening[i].called[0];
  if (!needs) return HT_OK;
  HT_TRY(ht_path_join(path, folder, HT_FILE_OPENINGS));
  if (ht_file_exists(path)) HT_TRY(ht_placed_read(path, &placed));
  for (int i = 0; i < settings->openings; i++)
    if (is_unplaced(&settings->opening[i]))
      HT_TRY(find_place(folder, &placed.openings, &settings->opening[i]));
  for (int i = 0; i < settings->openings; i++) {
    const ht_case_opening *one = &settings->opening[i];
    if (one->called[0] && one->name[0] && is_taken(settings, i, &placed.openings))
      return ht_fail(HT_ERR_USAGE,
                     "openings.%s.name: another opening is called '%s': give that one another name "
                     "first, or with the same command",
                     one->called, one->name);
  }
  return HT_OK;
}

int ht_place_of_entry(const ht_case_opening *entry, const ht_openings *found, double *strayed_mm) {
  const ht_opening *named = ht_openings_named(found, entry->name);
  const double *place = entry->has_centre ? entry->centre_mm : entry->near_mm;
  double mm = 0;
  *strayed_mm = 0;
  if (!entry->has_near && !entry->has_centre) return named ? (int)(named - found->item) : -1;
  if (named && ht_distance(place, named->centre_mm) <= named->radius_mm + HT_NEAR_SLACK_MM)
    return (int)(named - found->item);
  const int at = ht_placed_nearest(found, place, &mm);
  if (at >= 0 &&
      ht_distance(place, found->item[at].centre_mm) <= found->item[at].radius_mm + HT_NEAR_SLACK_MM)
    return at;
  if (named) *strayed_mm = ht_distance(place, named->centre_mm);
  return named ? (int)(named - found->item) : -1;
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
