/* Points of the case become entries in its list of openings; ht_place_openings cuts there. */
#include "run/openings/place_points.h"
#include "run/process/console.h"
#include "run/openings/placed.h"
#include "core/numbers/vector3.h"
#include <string.h>

/* Returns the place of a point; a ready mask has no report. */
static ht_segment_point place_of(const ht_case *settings, const ht_segment_report *report, int p) {
  ht_segment_point place = {.is_end = 1};
  if (report && report->points == settings->segment.points) return report->point[p];
  memcpy(place.centre_mm, settings->segment.point_mm[p], sizeof place.centre_mm);
  return place;
}

static void remove_entry(ht_case *settings, int a) {
  settings->openings--;
  memmove(&settings->opening[a], &settings->opening[a + 1],
          (size_t)(settings->openings - a) * sizeof *settings->opening);
}

/* Returns the entry of a point; -1: there is none. */
static int entry_of(const ht_case *settings, int point) {
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].point == point) return a;
  return -1;
}

/* Returns 1 where another end of the vessel is nearer than `mm` to the position. */
static int is_of_another(const ht_case *settings, const ht_segment_report *report, int p,
                         const double position_mm[3], double mm) {
  for (int q = 0; q < settings->segment.points; q++) {
    ht_segment_point other = place_of(settings, report, q);
    if (q != p && other.is_end && ht_distance(position_mm, other.centre_mm) < mm) return 1;
  }
  return 0;
}

/* Returns the nearest of the case's own entries that lies at point `p`; -1: there is none. */
static int entry_near(const ht_case *settings, const ht_segment_report *report, int p) {
  ht_segment_point place = place_of(settings, report, p);
  double nearest_mm = place.radius_mm + HT_NEAR_SLACK_MM;
  int nearest = -1;
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *one = &settings->opening[a];
    if (one->point > 0) continue;
    const double *at_mm = one->has_near ? one->near_mm : one->centre_mm;
    double mm = ht_distance(at_mm, place.centre_mm);
    if (mm > nearest_mm || is_of_another(settings, report, p, at_mm, mm)) continue;
    nearest_mm = mm;
    nearest = a;
  }
  return nearest;
}

static void set_place(const ht_segment_point *place, ht_case_opening *entry) {
  entry->has_near = entry->has_normal = entry->finds_side = 0;
  entry->has_centre = 1;
  memcpy(entry->centre_mm, place->centre_mm, sizeof entry->centre_mm);
}

/* Merges two entries: the case's own takes the name that the point has in its file. */
static void merge(ht_case *settings, int own, int points) {
  ht_case_opening *to = &settings->opening[own], *from = &settings->opening[points];
  if (!to->name[0]) memcpy(to->name, from->name, sizeof to->name);
  if (to->role == HT_ROLE_NONE && !(to->flow_ml_s > 0)) to->role = from->role;
  remove_entry(settings, points);
}

/* Returns 1 where the case says itself what is at the point of this entry: another entry near it is
 * another opening. A file of points gives a name and a role alone. */
static int is_told(const ht_case_opening *entry) {
  return entry->line > 0 || entry->flow_ml_s > 0 || entry->pressure_pa != 0 ||
         entry->flow_fraction > 0 || entry->has_windkessel;
}

static void tell_through(const ht_case *settings, int p, int entry) {
  const char *name = entry < 0 ? "" : settings->opening[entry].name;
  ht_console_note("point %d%s%s%s: the vessel leads through it to another point, so it is no "
                  "opening",
                  p + 1, *name ? " ('" : "", name, *name ? "')" : "");
}

static ht_status take_point(ht_case *settings, const ht_segment_report *report, int p) {
  ht_segment_point place = place_of(settings, report, p);
  int entry = entry_of(settings, p + 1);
  if (!place.is_end) {
    tell_through(settings, p, entry);
    if (entry >= 0) remove_entry(settings, entry);
    return HT_OK;
  }
  int own = entry >= 0 && is_told(&settings->opening[entry]) ? -1 : entry_near(settings, report, p);
  if (own >= 0) {
    int has_plane = settings->opening[own].has_centre;
    settings->opening[own].point = has_plane ? 0 : p + 1;
    if (!has_plane) set_place(&place, &settings->opening[own]);
    if (entry >= 0) merge(settings, own, entry);
    return HT_OK;
  }
  if (entry < 0 && settings->openings == HT_OPENINGS_MAX)
    return ht_fail(HT_ERR_OPENINGS, "more than %d openings", HT_OPENINGS_MAX);
  if (entry < 0) {
    entry = settings->openings++;
    memset(&settings->opening[entry], 0, sizeof *settings->opening);
    settings->opening[entry].point = p + 1;
  }
  set_place(&place, &settings->opening[entry]);
  return HT_OK;
}

static int is_inlet(const ht_case_opening *one) {
  return one->role == HT_ROLE_INLET || one->flow_ml_s > 0;
}

static void give_roles(ht_case *settings, const ht_segment_report *report) {
  int inlets = 0, first = entry_of(settings, 1);
  if (first < 0) first = entry_near(settings, report, 0); /* one with a plane of its own */
  for (int a = 0; a < settings->openings; a++) inlets += is_inlet(&settings->opening[a]);
  if (inlets == 0 && first >= 0 && settings->opening[first].role == HT_ROLE_NONE)
    settings->opening[first].role = HT_ROLE_INLET;
  for (int a = 0; a < settings->openings; a++) {
    ht_case_opening *one = &settings->opening[a];
    if (one->point > 0 && one->role == HT_ROLE_NONE && !is_inlet(one)) one->role = HT_ROLE_OUTLET;
  }
}

ht_status ht_place_points(ht_case *settings, const ht_segment_report *report) {
  for (int p = 0; p < settings->segment.points; p++) HT_TRY(take_point(settings, report, p));
  if (settings->segment.points > 0) give_roles(settings, report);
  return HT_OK;
}

void ht_place_new_points(ht_case *settings, const ht_segment_report *report) {
  for (int a = 0; a < settings->openings; a++) {
    ht_case_opening *one = &settings->opening[a];
    if (one->point == 0 || one->has_centre || one->has_near ||
        one->point > settings->segment.points)
      continue;
    ht_segment_point place = place_of(settings, report, one->point - 1);
    set_place(&place, one);
  }
}
