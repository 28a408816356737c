#include "place.h"
#include "border.h"
#include "place_ends.h"
#include "place_planes.h"
#include "place_supplies.h"
#include "place_warn.h"
#include "vector3.h"
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

/* The planes of the case: with a surface those of its ends, too. */
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
    snprintf(small, sizeof small,
             "%d place%s at the border with fewer than 12 lattice nodes: if one of them is meant, "
             "more --nodes-across makes it an opening; ",
             ignored, ignored == 1 ? " is" : "s are");
  if (asked->point > 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "%s: at [%.1f, %.1f, %.1f] neither the direction of the vessel nor an end of it "
                   "can be told: it is no tube there, or another structure hangs on to it; move "
                   "the point along the vessel, or give an opening with 'centre_mm' and 'normal' "
                   "there",
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

/* The entry of the case file overrides the values found. */
static void apply_asked(const ht_case_opening *asked, ht_opening *opening) {
  if (asked->name[0]) memcpy(opening->name, asked->name, sizeof opening->name);
  opening->role = (ht_role)asked->role;
  if (asked->flow_ml_s > 0) opening->role = HT_ROLE_INLET; /* only inlets have one */
  opening->flow_ml_s = asked->flow_ml_s;
  opening->pressure_pa = asked->pressure_pa;
  opening->flow_fraction = asked->flow_fraction;
  opening->windkessel[0] = asked->windkessel[0] * HT_PA_PER_MMHG * 1e6;
  opening->windkessel[1] = asked->windkessel[1] * 1e-6 / HT_PA_PER_MMHG;
  opening->windkessel[2] = asked->windkessel[2] * HT_PA_PER_MMHG * 1e6;
}

/* The place of a case's opening in the list of all. */
typedef struct {
  int of_case[HT_OPENINGS_MAX];   /* [placed] number in the case's list; -1: none */
  int at_border[HT_OPENINGS_MAX]; /* [case's] 1: a plane to cut at that lies at the border */
} origins;

static ht_status match_border(const ht_case *settings, const ht_openings *border, int ignored,
                              ht_openings *placed, origins *from, int taken[HT_OPENINGS_MAX]) {
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    const double *near_mm = asked->has_near ? asked->near_mm : asked->centre_mm;
    if (!asked->has_near && !from->at_border[a]) continue;
    double nearest_mm;
    int nearest = ht_placed_nearest(border, near_mm, &nearest_mm);
    if (nearest < 0 || nearest_mm > border->item[nearest].radius_mm + HT_NEAR_SLACK_MM)
      return no_match(settings, asked, near_mm, border, ignored, nearest_mm);
    if (taken[nearest])
      return ht_fail(HT_ERR_OPENINGS,
                     "%s:%d:%d: this entry and another one both name the opening at [%.1f, %.1f, "
                     "%.1f]",
                     ht_case_opening_file(settings, asked), asked->line, asked->column,
                     border->item[nearest].centre_mm[0], border->item[nearest].centre_mm[1],
                     border->item[nearest].centre_mm[2]);
    taken[nearest] = 1;
    from->of_case[placed->count] = a;
    placed->item[placed->count] = border->item[nearest];
    apply_asked(asked, &placed->item[placed->count++]);
  }
  return HT_OK;
}

/* Asked for in the same place before; or found to be an end there, and given back as a plane. */
static int is_same_cut(const ht_placed *before, int i, const ht_case_opening *asked) {
  const ht_opening *one = &before->openings.item[i];
  if (before->asked_cut[i])
    return memcmp(before->asked_centre_mm[i], asked->centre_mm, sizeof asked->centre_mm) == 0 &&
           memcmp(before->asked_normal[i], asked->normal, sizeof asked->normal) == 0;
  return !one->at_border && ht_distance(one->centre_mm, asked->centre_mm) < 1e-3 &&
         ht_distance(one->normal, asked->normal) < 1e-3;
}

static const ht_opening *cut_before(const ht_placed *before, const ht_case_opening *asked) {
  for (int i = 0; before && i < before->openings.count; i++)
    if (is_same_cut(before, i, asked)) return &before->openings.item[i];
  return NULL;
}

/* A cut at a plane, or what is wrong with it, with its place in the file. */
static ht_status cut_plane(ht_case *settings, int a, ht_mask *mask, ht_opening *opening) {
  ht_case_opening *asked = &settings->opening[a];
  double centre_mm[3];
  ht_status status = ht_place_plane(settings, a, mask);
  if (status == HT_OK) {
    ht_place_inside_end(mask, asked->centre_mm, asked->normal, centre_mm);
    status = ht_openings_cut(mask, centre_mm, asked->normal, 0, opening);
  }
  if (status == HT_OK) return HT_OK;
  char where[HT_WHERE_MAX];
  ht_case_opening_where(settings, asked, where);
  return ht_fail_in(status, where);
}

/* A point at an end of the vessel, too near to it to tell the direction there, stands for that end
 * (near_mm). */
static int is_near_end(ht_case_opening *asked, ht_status cut) {
  if (cut != HT_ERR_OPENINGS || asked->point == 0 || asked->has_normal) return 0;
  memcpy(asked->near_mm, asked->centre_mm, sizeof asked->near_mm);
  asked->has_near = 1;
  asked->has_centre = 0;
  return 1;
}

static ht_status cut_asked(ht_case *settings, ht_mask *mask, const ht_placed *before,
                           ht_placed *placed, origins *from, int *cuts) {
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    if (!asked->has_centre || from->at_border[a]) continue;
    int at = placed->openings.count;
    ht_opening *opening = &placed->openings.item[at];
    const ht_opening *done = cut_before(before, asked);
    if (done && ht_place_ends_at(mask, done)) {
      *opening = *done;
      opening->name[0] = 0;
    } else {
      ht_status cut = cut_plane(settings, a, mask, opening);
      if (is_near_end(&settings->opening[a], cut)) continue;
      HT_TRY(cut);
      HT_TRY(ht_place_check_cut(settings, mask, asked, &placed->openings));
      ++*cuts;
    }
    apply_asked(asked, opening);
    placed->asked_cut[at] = 1;
    memcpy(placed->asked_centre_mm[at], asked->centre_mm, sizeof asked->centre_mm);
    memcpy(placed->asked_normal[at], asked->normal, sizeof asked->normal);
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

/* Names that the case gives win over those made up, and every opening has one of its own. */
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

/* Planes that lie at the border as it is before any cut stand for the openings there. */
static ht_status find_at_border(const ht_case *settings, const ht_mask *mask, origins *from) {
  ht_openings border;
  int ignored, planes = 0;
  for (int a = 0; a < settings->openings; a++) planes += settings->opening[a].has_centre;
  memset(from, 0, sizeof *from);
  if (planes == 0) return HT_OK;
  HT_TRY(ht_openings_at_border(mask, &border, &ignored));
  for (int a = 0; a < settings->openings; a++)
    from->at_border[a] =
        ht_place_is_at_border(&settings->opening[a], &border, mask->grid.spacing_mm[0]);
  return HT_OK;
}

ht_status ht_place_openings(ht_case *settings, ht_mask *mask, const ht_placed *before,
                            ht_placed *placed, int *cuts) {
  static ht_openings border;
  origins from;
  int taken[HT_OPENINGS_MAX] = {0};
  memset(placed, 0, sizeof *placed);
  *cuts = 0;
  HT_TRY(find_at_border(settings, mask, &from));
  HT_TRY(cut_asked(settings, mask, before, placed, &from, cuts));
  HT_TRY(ht_openings_at_border(mask, &border, &placed->ignored));
  HT_TRY(ht_place_find_ends(settings, mask, before, placed, &border));
  HT_TRY(match_border(settings, &border, placed->ignored, &placed->openings, &from, taken));
  HT_TRY(add_others(settings, &border, taken, &placed->openings, &from));
  HT_TRY(ht_place_cut_ends(mask, placed, cuts));
  if (placed->openings.count == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "the vessel has no opening: it does not reach the border of the scan or region "
                   "anywhere%s, nor does it end as a vessel does inside of it; put two points into "
                   "the vessel, where it shall begin and end (--from X,Y,Z --to X,Y,Z), shrink "
                   "'region' in the case file so that its box (min_mm, max_mm) cuts through the "
                   "vessel, or give openings with 'centre_mm' and 'normal'",
                   placed->ignored ? " with more than a few voxels" : "");
  ht_place_guess_supplies(settings, &placed->openings);
  HT_TRY(ht_openings_assign(&placed->openings));
  settle_names(settings, &placed->openings, &from);
  ht_place_warn_of_closed(placed);
  ht_place_warn_of_turned(placed);
  ht_place_warn_of_ends(settings, placed);
  ht_place_warn_of_guess(settings, &placed->openings);
  ht_place_warn_of_narrow_inlet(&placed->openings);
  return ht_openings_connected(mask, &placed->openings);
}
