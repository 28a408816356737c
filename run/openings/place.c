#include "run/openings/place.h"
#include "segment/openings/border.h"
#include "run/openings/place_ends.h"
#include "run/openings/place_known.h"
#include "run/openings/place_named.h"
#include "run/openings/place_planes.h"
#include "run/openings/place_search.h"
#include "run/openings/place_sections.h"
#include "run/openings/place_supplies.h"
#include "run/openings/place_warn.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void list_found(const ht_openings *found, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < found->count && length + 90 < size; i++) {
    const ht_opening *one = &found->item[i];
    length += (size_t)snprintf(
        text + length, size - length, "\n  near_mm: [%.1f, %.1f, %.1f]   radius %.2f mm",
        one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm);
  }
}

/* Lists the planes of the case: for a surface also those of its ends. */
static void list_planes(const ht_case *settings, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < settings->openings && length + 90 < size; i++) {
    const ht_case_opening *one = &settings->opening[i];
    if (!one->has_centre) continue;
    length += (size_t)snprintf(text + length, size - length, "%s\n  centre_mm: [%.1f, %.1f, %.1f]",
                               length ? "" : "; planes of the case or of a surface's ends are at",
                               one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
  }
}

static ht_status no_match(const ht_case *settings, const ht_case_opening *asked,
                          const double near_mm[3], const ht_openings *found, int ignored,
                          double nearest_mm) {
  char list[2500], where[HT_WHERE_MAX];
  ht_case_opening_where(settings, asked, where);
  if (found->count)
    list_found(found, list, sizeof list);
  else
    list_planes(settings, list, sizeof list);
  char small[160] = "";
  if (ignored)
    snprintf(small, sizeof small, "%d place%s at the border %s too thin for an opening; ", ignored,
             ignored == 1 ? "" : "s", ignored == 1 ? "is" : "are");
  if (asked->point > 0)
    return ht_fail(
        HT_ERR_OPENINGS,
        "%s: at [%.1f, %.1f, %.1f] neither the direction of the vessel nor an end of it can be "
        "told: it is no tube there, or another structure is attached to it; move the point along "
        "the vessel, or give an opening with 'centre_mm' and 'normal' there",
        where, near_mm[0], near_mm[1], near_mm[2]);
  if (found->count == 0)
    return ht_fail(
        HT_ERR_OPENINGS,
        "%s: there is no opening at the border of the region at all: %s%s shrink 'region' "
        "to cut through the vessel, or give 'centre_mm' and 'normal' instead of 'near_mm'%s",
        where, small, ignored ? "or" : "the vessel does not reach it;", list);
  return ht_fail(
      HT_ERR_OPENINGS,
      "%s: no opening is near [%g, %g, %g]: the nearest is %.1f mm off, more than "
      "its radius and %d mm; %swhere a vessel ends there, give 'centre_mm' (inside, before "
      "its end) and 'normal' (out) instead; found were%s",
      where, near_mm[0], near_mm[1], near_mm[2], nearest_mm, HT_NEAR_SLACK_MM, small, list);
}

static ht_status named_twice(const ht_case *settings, const ht_case_opening *asked,
                             const ht_opening *one) {
  char where[HT_WHERE_MAX];
  ht_case_opening_where(settings, asked, where);
  return ht_fail(HT_ERR_OPENINGS,
                 "%s: the opening at [%.1f, %.1f, %.1f] is named by another %s, too: leave one of "
                 "them out; where two vessels run into one there, move it back along its own",
                 where, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2],
                 asked->point > 0 ? "point or entry" : "entry");
}

/* Place of a case's opening in the list of all. */
typedef struct {
  int of_case[HT_OPENINGS_MAX];   /* [placed] number in the case's list; -1: none */
  int at_border[HT_OPENINGS_MAX]; /* [case's] 1: a plane to cut at that lies at the border */
} origins;

/* Keeps the plane that an entry gives, for the record of its opening. */
static void keep_plane(const ht_case_opening *asked, ht_placed *placed, int at) {
  placed->asked_cut[at] = 1;
  memcpy(placed->asked_centre_mm[at], asked->centre_mm, sizeof asked->centre_mm);
  memcpy(placed->asked_normal[at], asked->normal, sizeof asked->normal);
}

/* Measures the pressure on the requested plane. */
static void measure_on_plane(const ht_case_opening *asked, ht_opening *opening) {
  opening->measured_off_mm = 0;
  for (int r = 0; r < 3; r++)
    opening->measured_off_mm += (asked->centre_mm[r] - opening->centre_mm[r]) * opening->normal[r];
}

static ht_status match_border(const ht_case *settings, const ht_openings *border, ht_placed *all,
                              origins *from, int taken[HT_OPENINGS_MAX]) {
  ht_openings *placed = &all->openings;
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    const double *near_mm = asked->has_near ? asked->near_mm : asked->centre_mm;
    if (!asked->has_near && !from->at_border[a]) continue;
    double nearest_mm;
    int nearest = ht_placed_nearest(border, near_mm, &nearest_mm);
    if (nearest < 0 || nearest_mm > border->item[nearest].radius_mm + HT_NEAR_SLACK_MM) {
      all->lost_point = asked->point;
      return no_match(settings, asked, near_mm, border, all->ignored, nearest_mm);
    }
    if (taken[nearest]) {
      all->lost_point = asked->point;
      return named_twice(settings, asked, &border->item[nearest]);
    }
    taken[nearest] = 1;
    from->of_case[placed->count] = a;
    placed->item[placed->count] = border->item[nearest];
    if (from->at_border[a]) keep_plane(asked, all, placed->count);
    if (from->at_border[a]) measure_on_plane(asked, &placed->item[placed->count]);
    ht_place_apply(asked, &placed->item[placed->count++]);
  }
  return HT_OK;
}

static const ht_opening *cut_before(const ht_placed *before, const ht_case_opening *asked) {
  int i = before ? ht_place_of_plane(before, asked) : -1;
  return i >= 0 && !before->openings.item[i].at_border ? &before->openings.item[i] : NULL;
}

/* Cuts at a plane, or fails with the fault and its place in the file. */
static ht_status cut_plane(ht_case *settings, int a, ht_mask *mask, ht_opening *opening) {
  ht_case_opening *asked = &settings->opening[a];
  double centre_mm[3];
  ht_status status = ht_place_plane(settings, a, mask);
  if (status == HT_OK) {
    ht_place_inside_end(mask, asked->centre_mm, asked->normal, centre_mm);
    status = ht_openings_cut(mask, centre_mm, asked->normal, 0, opening);
    if (status == HT_OK) measure_on_plane(asked, opening);
  }
  if (status == HT_OK) return HT_OK;
  char where[HT_WHERE_MAX];
  ht_case_opening_where(settings, asked, where);
  return ht_fail_in(status, where);
}

/* Turns a point at an end of the vessel, too near to it to tell the direction there, into a
 * position (near_mm) that names that end. */
static int is_near_end(ht_case_opening *asked, ht_status cut) {
  if (cut != HT_ERR_OPENINGS || asked->point == 0 || asked->has_normal) return 0;
  memcpy(asked->near_mm, asked->centre_mm, sizeof asked->near_mm);
  asked->has_near = 1;
  asked->has_centre = 0;
  return 1;
}

/* Takes the direction from the path between the points, where the mask does not give the vessel's
 * direction at a point because something touches the vessel, or it is short and wide there; not at
 * an end of the vessel. */
static int take_way(const ht_segment_report *report, const ht_mask *mask, ht_status cut,
                    ht_case_opening *asked) {
  int p = asked->point - 1, at[3];
  if (cut != HT_ERR_OPENINGS || p < 0 || asked->has_normal || !report || p >= report->points)
    return 0;
  const ht_segment_point *point = &report->point[p];
  double beyond_mm[3], index[3];
  if (!(ht_length(point->out) > 0)) return 0;
  for (int r = 0; r < 3; r++) beyond_mm[r] = asked->centre_mm[r] + point->radius_mm * point->out[r];
  ht_grid_index(&mask->grid, beyond_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)lround(index[a]);
  if (!ht_voxel_in_grid(mask->grid.dim, at)) return 0;
  if (!mask->inside[ht_voxel_index(mask->grid.dim, at)]) return 0;
  memcpy(asked->normal, point->out, sizeof asked->normal);
  asked->has_normal = 1;
  return 1;
}

static ht_status cut_asked(ht_case *settings, const ht_segment_report *report, ht_mask *mask,
                           const ht_placed *before, ht_placed *placed, origins *from, int *cuts) {
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    if (!asked->has_centre || from->at_border[a]) continue;
    int at = placed->openings.count;
    ht_opening *opening = &placed->openings.item[at];
    const ht_opening *done = cut_before(before, asked);
    if (done && ht_place_ends_at(mask, done)) {
      *opening = *done;
      if (!ht_case_name_is_made_up(opening->name)) opening->name[0] = 0;
    } else {
      ht_status cut = cut_plane(settings, a, mask, opening);
      if (take_way(report, mask, cut, &settings->opening[a]))
        cut = cut_plane(settings, a, mask, opening);
      if (is_near_end(&settings->opening[a], cut)) continue;
      if (cut == HT_OK) cut = ht_place_check_cut(settings, mask, asked, &placed->openings);
      if (cut != HT_OK) placed->lost_point = asked->point;
      HT_TRY(cut);
      ++*cuts;
    }
    ht_place_apply(asked, opening);
    keep_plane(asked, placed, at);
    from->of_case[at] = a;
    placed->openings.count++;
  }
  return HT_OK;
}

static ht_status add_others(const ht_case *settings, const ht_openings *border, const int *taken,
                            ht_openings *placed, origins *from) {
  for (int b = 0; b < border->count; b++) {
    if (taken[b]) continue;
    if (placed->count == HT_OPENINGS_MAX)
      return ht_fail(HT_ERR_OPENINGS, "more than %d openings", HT_OPENINGS_MAX);
    from->of_case[placed->count] = -1;
    placed->item[placed->count] = border->item[b];
    if (settings->others_wall) placed->item[placed->count].role = HT_ROLE_WALL;
    placed->count++;
  }
  return HT_OK;
}

static int name_taken(const ht_openings *openings, const char *name, int but) {
  for (int i = 0; i < openings->count; i++)
    if (i != but && strcmp(openings->item[i].name, name) == 0) return 1;
  return 0;
}

/* Settles the names: those that the case gives win over made-up ones, and every opening has one of
 * its own. */
static void settle_names(ht_case *settings, ht_openings *openings, const origins *from) {
  for (int i = 0; i < openings->count; i++) {
    int a = from->of_case[i];
    if (a >= 0 && settings->opening[a].name[0])
      memcpy(openings->item[i].name, settings->opening[a].name, HT_NAME_MAX);
  }
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    int a = from->of_case[i];
    int asked = a >= 0 && settings->opening[a].name[0];
    for (int n = 1; !asked && (!one->name[0] || name_taken(openings, one->name, i)); n++)
      snprintf(one->name, sizeof one->name, "%s-%d", ht_role_name(one->role), n);
    if (a < 0 || asked) continue;
    memcpy(settings->opening[a].name, one->name, HT_NAME_MAX);
    settings->opening[a].name_is_made_up = 1;
  }
}

/* Finds the planes at the border before any cut: they stand for the openings there; if that was
 * decided before, on another lattice, they still do. */
static ht_status find_at_border(const ht_case *settings, const ht_mask *mask,
                                const ht_placed *known, origins *from) {
  ht_openings border;
  int ignored, planes = 0;
  for (int a = 0; a < settings->openings; a++) planes += settings->opening[a].has_centre;
  memset(from, 0, sizeof *from);
  if (planes == 0) return HT_OK;
  HT_TRY(ht_openings_at_border(mask, &border, &ignored));
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *one = &settings->opening[a];
    int i = known && one->has_centre ? ht_place_of_plane(known, one) : -1;
    from->at_border[a] = i >= 0 ? known->openings.item[i].at_border
                                : ht_place_is_at_border(one, &border, mask->grid.spacing_mm[0]);
  }
  return HT_OK;
}

/* Numbers the outlets of points in the order of the points, before all others. */
static void name_points(const ht_case *settings, ht_openings *openings, const origins *from) {
  int number = 1;
  for (int p = 1; p <= settings->segment.points; p++)
    for (int i = 0; i < openings->count; i++) {
      ht_opening *one = &openings->item[i];
      int a = from->of_case[i];
      if (a < 0 || settings->opening[a].point != p || one->role != HT_ROLE_OUTLET) continue;
      if (one->name[0] && !settings->opening[a].name_is_made_up) continue;
      do snprintf(one->name, sizeof one->name, "%s-%d", ht_role_name(HT_ROLE_OUTLET), number++);
      while (name_taken(openings, one->name, i));
    }
}

/* Gives names; one that reflects another role than the opening has now is made again. */
static ht_status give_names(const ht_case *settings, ht_openings *openings, const origins *from) {
  name_points(settings, openings, from);
  HT_TRY(ht_openings_assign(openings));
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    int a = from->of_case[i], asked = a >= 0 && settings->opening[a].name[0];
    const char *role = ht_role_name(one->role);
    if (!asked && ht_case_name_is_made_up(one->name) && strncmp(one->name, role, strlen(role)))
      one->name[0] = 0;
  }
  return ht_openings_assign(openings);
}

/* Keeps guessed inlets, though another may be the widest on this lattice. */
static void keep_inlets(const ht_placed *known, ht_openings *openings) {
  double away_mm;
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET) return;
  for (int k = 0; k < known->openings.count; k++) {
    const ht_opening *was = &known->openings.item[k];
    if (was->role != HT_ROLE_INLET) continue;
    int at = ht_placed_nearest(openings, was->centre_mm, &away_mm);
    if (at >= 0 && away_mm < was->radius_mm && openings->item[at].role == HT_ROLE_NONE)
      openings->item[at].role = HT_ROLE_INLET;
  }
}

/* Keeps the properties of the vessel at an opening, which do not depend on the lattice: from them
 * follow the usual flow, that of a velocity, the outlets' shares and the extension's direction. */
static void keep_vessel(const ht_placed *known, ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    double away_mm;
    int at = ht_placed_nearest(&known->openings, one->centre_mm, &away_mm);
    if (at < 0 || away_mm > known->openings.item[at].radius_mm) continue;
    const ht_opening *was = &known->openings.item[at];
    one->area_mm2 = was->area_mm2;
    one->radius_mm = was->radius_mm;
    memcpy(one->direction, was->direction, sizeof one->direction);
  }
}

/* Adds the places where the vessel could be opened to a message that an inlet or an outlet is
 * missing. */
static ht_status offer(const ht_case *settings, ht_status status, const ht_placed *placed) {
  ht_openings ends = {0};
  char message[1200], list[1200] = "", points[400] = "";
  const size_t most_points = 3, most = 8;
  ht_place_offer(placed, &ends);
  if (status != HT_ERR_OPENINGS || ends.count < 2 || settings->segment.points > 0) return status;
  snprintf(message, sizeof message, "%s", ht_error_message());
  for (size_t i = 0; i < (size_t)ends.count && i < most; i++) {
    const ht_opening *one = &ends.item[i];
    size_t length = strlen(list), after = strlen(points);
    snprintf(list + length, sizeof list - length, "%s%s at [%.1f, %.1f, %.1f], radius %.2f mm",
             i ? "; " : "", one->name, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2],
             one->radius_mm);
    if (i < most_points)
      snprintf(points + after, sizeof points - after, " --%s=%.1f,%.1f,%.1f", i ? "to" : "from",
               one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
  }
  return ht_fail(status,
                 "%s. Ends of the vessel are, numbered as in pictures/projection.png: %s. To open "
                 "it at the first ones:%s (as many --to as it has outlets)",
                 message, list, points);
}

static ht_status no_opening(const ht_placed *placed) {
  return ht_fail(HT_ERR_OPENINGS,
                 "the vessel has no opening: it does not reach the border of the scan or region "
                 "anywhere%s, nor does it end as a vessel does inside of it; put two points into "
                 "the vessel, where it is to begin and end (--from X,Y,Z --to X,Y,Z), shrink "
                 "'region' in the case file so that its box (min_mm, max_mm) cuts through the "
                 "vessel, or give openings with 'centre_mm' and 'normal'",
                 placed->ignored ? " with more than a few voxels" : "");
}

/* Searches the openings, or finds the known ones on this lattice. */
static ht_status place_all(ht_case *settings, const ht_segment_report *report, ht_mask *mask,
                           const ht_placed *before, int search, ht_placed *placed, int *cuts) {
  ht_openings found = {0};
  origins from;
  int taken[HT_OPENINGS_MAX] = {0};
  memset(placed, 0, sizeof *placed);
  *cuts = 0;
  HT_TRY(find_at_border(settings, mask, search ? NULL : before, &from));
  HT_TRY(cut_asked(settings, report, mask, before, placed, &from, cuts));
  HT_TRY(search ? ht_place_search(settings, report, mask, before, placed, &found)
                : ht_place_find_known(mask, before, placed, &found));
  HT_TRY(match_border(settings, &found, placed, &from, taken));
  HT_TRY(add_others(settings, &found, taken, &placed->openings, &from));
  HT_TRY(ht_place_cut_ends(mask, placed, cuts));
  if (placed->openings.count == 0) return offer(settings, no_opening(placed), placed);
  if (!search) keep_vessel(before, &placed->openings);
  if (!search) keep_inlets(before, &placed->openings);
  ht_place_guess_supplies(settings, &placed->openings);
  ht_status named = give_names(settings, &placed->openings, &from);
  if (named != HT_OK) return offer(settings, named, placed);
  if (!search) ht_place_take_sections(&before->openings, &placed->openings);
  settle_names(settings, &placed->openings, &from);
  return ht_openings_connected(mask, &placed->openings);
}

ht_status ht_place_openings(ht_case *settings, const ht_segment_report *report, ht_mask *mask,
                            const ht_placed *before, ht_placed *placed, int *cuts) {
  return place_all(settings, report, mask, before, 1, placed, cuts);
}

ht_status ht_place_known(ht_case *settings, ht_mask *mask, const ht_placed *known,
                         ht_placed *placed, int *cuts) {
  return place_all(settings, NULL, mask, known, 0, placed, cuts);
}

void ht_place_warn(const ht_case *settings, const ht_mask *mask, const ht_placed *placed) {
  ht_place_tell_blind(settings, mask, placed);
  ht_place_warn_of_closed(placed);
  ht_place_warn_of_turned(placed);
  ht_place_warn_of_ends(settings, placed);
  ht_place_warn_of_guess(settings, &placed->openings);
  ht_place_warn_of_narrow_inlet(&placed->openings);
}
