/* Warnings about the openings of a mask. */
#include "run/openings/place_warn.h"
#include "run/process/console.h"
#include "core/numbers/vector3.h"
#include "core/text/utf8.h"
#include <math.h>
#include <string.h>

static const double most_cut_off = 0.1;

static double widest_mm(const ht_openings *openings) {
  double widest = 0;
  for (int i = 0; i < openings->count; i++) widest = fmax(widest, openings->item[i].radius_mm);
  return widest;
}

/* Warns of thin openings: flow goes with the cube of the radius (Murray). */
static void warn_of_thin(const ht_placed *placed) {
  const int most = 4;
  double widest = widest_mm(&placed->openings);
  for (int i = 0; i < placed->closed.count && i < most; i++) {
    const ht_opening *one = &placed->closed.item[i];
    double share = widest > 0 ? 100 * pow(one->radius_mm / widest, 3) : 0;
    int thin = one->radius_mm < HT_PLACE_THIN * widest, digits = share < 99.5 ? 2 : 3;
    ht_console_warn("%s at [%.1f, %.1f, %.1f] (radius %.2f mm, some %.*g %% of the flow by "
                    "Murray's law) and closed as wall%s; to open it, list "
                    "`{near_mm: [%.1f, %.1f, %.1f]}` under `openings:` in case.yaml",
                    thin ? "a thin vessel is cut off" : "a vessel ends or is cut off",
                    one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm, digits,
                    share,
                    thin ? ""
                         : ", because its width is not constant there, or something that touches "
                           "it was left out there (look at pictures/mask_on_scan.png)",
                    one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
  }
  if (placed->thin_ends > most)
    ht_console_warn("%d more thin vessels are cut off and closed as wall: openings.json has their "
                    "places",
                    placed->thin_ends - most);
}

/* Warns of every place that is closed at the border. */
void ht_place_warn_of_closed(const ht_placed *placed) {
  warn_of_thin(placed);
  if (placed->ignored > 0)
    ht_console_warn("the vessel reaches the border at %d more place%s, too thin for an opening: "
                    "closed as wall; near_mm in the case's openings names one that is meant",
                    placed->ignored, placed->ignored == 1 ? "" : "s");
  for (int i = 0; i < placed->openings.count; i++) {
    const ht_opening *one = &placed->openings.item[i];
    if (one->role != HT_ROLE_WALL && one->cut_off > most_cut_off)
      ht_console_warn("'%s' leaves over an edge of the region: %.0f %% of its section is closed; "
                      "move the region's border so that the vessel leaves through one face",
                      one->name, 100 * one->cut_off);
  }
}

/* Angles up to which a turned plane needs no warning: the flow there is right, but such a plane is
 * seldom intended. Nobody chooses the angle at a border. */
static const double most_turned = 10, most_turned_at_border = 50; /* degrees */

void ht_place_warn_of_turned(const ht_placed *placed) {
  for (int i = 0; i < placed->openings.count; i++) {
    const ht_opening *one = &placed->openings.item[i];
    const double *at = one->centre_mm, *to = one->direction, turn = ht_opening_turn_degrees(one);
    if (one->role == HT_ROLE_WALL || !(turn > most_turned)) continue;
    if (!one->at_border)
      ht_console_warn("the plane of '%s' at [%.1f, %.1f, %.1f] is turned by %.0f degrees against "
                      "the vessel: the blood is still led along the vessel, and the area of the "
                      "section is taken across it (%.4g mm2, on the plane %.4g mm2); a plane "
                      "across the vessel has the normal [%.3f, %.3f, %.3f]",
                      one->name, at[0], at[1], at[2], turn, one->area_mm2,
                      ht_opening_plane_mm2(one), to[0], to[1], to[2]);
    else if (turn > most_turned_at_border)
      ht_console_warn(
          "'%s' leaves the scan or region at [%.1f, %.1f, %.1f] with a slant of %.0f degrees (0: "
          "straight through the border): where the vessel bends there, its direction and radius "
          "(%.2f mm) are uncertain; give a plane across it farther inside, with 'centre_mm', or "
          "choose another region",
          one->name, at[0], at[1], at[2], turn, one->radius_mm);
  }
}

void ht_place_warn_of_straight(const ht_openings *openings, const ht_domain *domain) {
  for (int p = 0; p < domain->ports; p++) {
    const ht_opening *now = &domain->port[p].opening;
    const ht_opening *placed = ht_openings_named(openings, now->name);
    if (!placed || ht_distance(placed->direction, now->direction) < 1e-6) continue;
    ht_console_warn("the extension of '%s' has no room along the vessel and goes straight out of "
                    "its plane: the blood turns there by %.0f degrees, and the pressure drop and "
                    "the wall's load near it are not the vessel's; give a plane across the vessel "
                    "with 'centre_mm', farther from the neighbouring vessel",
                    now->name, ht_opening_turn_degrees(placed));
  }
}

static int role_asked(const ht_case *settings, const char *name) {
  for (int i = 0; i < settings->openings; i++)
    if (strcmp(settings->opening[i].name, name) == 0)
      return settings->opening[i].role != HT_ROLE_NONE || settings->opening[i].flow_ml_s > 0;
  return 0;
}

static const double as_wide = 0.6, same_side = 0.5; /* of the inlet's radius; cosine */

static const double widest_to_head = 9; /* mm, of an artery that leads to the head */

/* Says what such an opening is: by the kind of patient, or as no artery to the head is so wide. */
static const char *second_of(const ht_case *settings, const ht_opening *inlet) {
  if (settings->patient.kind == HT_PATIENT_AORTA)
    return "the descending aorta does: look which of the two is the ascending one";
  if (2 * inlet->radius_mm > widest_to_head)
    return "the descending aorta does, or in another part of the body a second vessel into the "
           "region: look which of the two the blood enters by";
  return "a second artery into the region does: the flow may be backwards there";
}

/* Warns of a second inlet, as for both carotids of a head: only the guess of the roles keeps one
 * from running backwards. */
static void warn_of_second_inlet(const ht_case *settings, const ht_opening *inlet,
                                 const ht_opening *outlet) {
  double cosine = 0;
  for (int a = 0; a < 3; a++) cosine += inlet->normal[a] * outlet->normal[a];
  if (outlet->radius_mm < as_wide * inlet->radius_mm || cosine < same_side) return;
  ht_console_warn("'%s', guessed an outlet, is about as wide as the inlet '%s' and leaves the scan "
                  "on the same side, as %s; set the role of each in case.yaml",
                  outlet->name, inlet->name, second_of(settings, inlet));
}

/* Warns where the case does not say which opening is the inlet. */
void ht_place_warn_of_guess(const ht_case *settings, const ht_openings *openings) {
  int open = 0, inlets = 0;
  const ht_opening *inlet = NULL;
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].role == HT_ROLE_INLET || settings->opening[a].flow_ml_s > 0) return;
  for (int i = 0; i < openings->count; i++) {
    open += openings->item[i].role != HT_ROLE_WALL;
    if (openings->item[i].role != HT_ROLE_INLET) continue;
    inlet = &openings->item[i];
    inlets++;
  }
  if (inlets > 1)
    ht_console_warn("roles were guessed: %d openings lead down, as the arteries to a head do, and "
                    "are taken for inlets, the others without a role for outlets; check "
                    "pictures/projection.png and set 'openings' in case.yaml",
                    inlets);
  else if (inlet && open > 1)
    ht_console_warn("roles were guessed: the widest opening, '%s', is taken for the inlet and the "
                    "others without a role for outlets; check pictures/projection.png and set "
                    "'openings' in case.yaml",
                    inlet->name);
  for (int i = 0; inlet && i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_OUTLET && !role_asked(settings, openings->item[i].name))
      warn_of_second_inlet(settings, inlet, &openings->item[i]);
}

static const ht_opening *widest_of(const ht_openings *openings, ht_role role) {
  const ht_opening *widest = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == role && (!widest || one->radius_mm > widest->radius_mm)) widest = one;
  }
  return widest;
}

void ht_place_warn_of_narrow_inlet(const ht_openings *openings) {
  const ht_opening *inlet = widest_of(openings, HT_ROLE_INLET);
  const ht_opening *outlet = widest_of(openings, HT_ROLE_OUTLET);
  if (!inlet || !outlet || outlet->radius_mm < 1.25 * inlet->radius_mm) return;
  ht_console_warn("the outlet '%s' (radius %.2f mm) is wider than the inlet '%s' (%.2f mm): an "
                  "artery becomes narrower downstream (a vein wider); if blood enters at '%s', "
                  "exchange the roles in case.yaml",
                  outlet->name, outlet->radius_mm, inlet->name, inlet->radius_mm, outlet->name);
}

/* Returns 1 near the surface of the region's ball, where the message says so. */
static int is_at_ball(const ht_segment_options *region, const ht_opening *end) {
  return region->has_sphere && ht_distance(end->centre_mm, region->sphere_mm) >
                                   region->sphere_radius_mm - 2 * end->radius_mm;
}

/* Warns of an end that nobody requested: it may be a gap in the mask, or the vessel's own. */
void ht_place_warn_of_ends(const ht_case *settings, const ht_placed *placed) {
  for (int i = 0; i < placed->openings.count; i++) {
    const ht_opening *one = &placed->openings.item[i];
    if (placed->ends_cut == 0 || one->at_border || placed->asked_cut[i]) continue;
    if (one->role == HT_ROLE_WALL || role_asked(settings, one->name)) continue;
    if (settings->segment.points > 0) {
      ht_console_note("side branch: cut at [%.1f, %.1f, %.1f] (radius %.2f mm) and taken as '%s', "
                      "%s (`others: wall` in case.yaml closes all of them)",
                      one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm,
                      one->name, ht_role_name(one->role));
      continue;
    }
    int ball = is_at_ball(&settings->segment, one);
    ht_console_warn("the vessel %s at [%.1f, %.1f, %.1f] (radius %.2f mm): cut there and taken as "
                    "'%s', %s; if blood does not pass there%s, give it the role wall in case.yaml "
                    "and segment again, or %s",
                    ball ? "leaves the ball of 'region'" : "ends inside the scan",
                    one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->radius_mm,
                    one->name, ht_role_name(one->role), ball ? " (an aneurysm that it cuts)" : "",
                    ball ? "choose another ball" : "mend the mask");
  }
}

void ht_place_tell(const ht_openings *openings) {
  int width = ht_utf8_width(12, openings->item->name, sizeof *openings->item, openings->count);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    ht_console_note("  %-*s %-6s radius %6.2f mm at [%.1f, %.1f, %.1f]",
                    width + ht_utf8_extra(one->name), one->name, ht_role_name(one->role),
                    one->radius_mm, one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
  }
}

static const ht_opening *nearest_to(const ht_openings *openings, const ht_opening *one) {
  const ht_opening *nearest = NULL;
  double nearest_mm = fmax(one->radius_mm, HT_NEAR_SLACK_MM);
  for (int i = 0; i < openings->count; i++) {
    double mm = ht_distance(openings->item[i].centre_mm, one->centre_mm);
    if (mm <= nearest_mm) nearest_mm = mm, nearest = &openings->item[i];
  }
  return nearest;
}

/* Returns the opening of `there` at the place of one of `here`; NULL: none. Each has to be the
 * other's nearest, so that the neighbour of a lost opening is not taken for it. */
static const ht_opening *at_place(const ht_openings *there, const ht_openings *here,
                                  const ht_opening *one) {
  const ht_opening *other = nearest_to(there, one);
  return other && nearest_to(here, other) == one ? other : NULL;
}

void ht_place_compare(const ht_case *settings, const ht_openings *before, const ht_openings *now) {
  static const char check[] = "check pictures/projection.png and give its role in case.yaml";
  for (int i = 0; i < before->count; i++) {
    const ht_opening *was = &before->item[i], *is = at_place(now, before, was);
    if (!is)
      ht_console_warn("the opening '%s' (%s, radius %.2f mm, at [%.1f, %.1f, %.1f]) that was there "
                      "before is gone: no blood leaves or enters there now",
                      was->name, ht_role_name(was->role), was->radius_mm, was->centre_mm[0],
                      was->centre_mm[1], was->centre_mm[2]);
    else if (is->role != was->role && !role_asked(settings, is->name))
      ht_console_warn("the opening at [%.1f, %.1f, %.1f] was '%s', %s, and is now '%s', %s: %s",
                      is->centre_mm[0], is->centre_mm[1], is->centre_mm[2], was->name,
                      ht_role_name(was->role), is->name, ht_role_name(is->role), check);
  }
  for (int i = 0; i < now->count; i++) {
    const ht_opening *is = &now->item[i];
    if (!at_place(before, now, is) && !role_asked(settings, is->name))
      ht_console_warn("'%s' (%s, radius %.2f mm, at [%.1f, %.1f, %.1f]) is an opening that was not "
                      "there before: %s",
                      is->name, ht_role_name(is->role), is->radius_mm, is->centre_mm[0],
                      is->centre_mm[1], is->centre_mm[2], check);
  }
}

static int count_open(const ht_openings *openings) {
  int count = 0;
  for (int i = 0; i < openings->count; i++) count += openings->item[i].role != HT_ROLE_WALL;
  return count;
}

ht_status ht_place_check_new(const ht_case *settings, const ht_openings *before,
                             const ht_openings *now) {
  if (count_open(now) <= count_open(before)) return HT_OK;
  for (int i = 0; i < now->count; i++) {
    const ht_opening *is = &now->item[i];
    const double *at = is->centre_mm;
    if (is->role == HT_ROLE_WALL || at_place(before, now, is) || role_asked(settings, is->name))
      continue;
    return ht_fail(HT_ERR_OPENINGS,
                   "the edited mask has an opening that was not there before, at [%.1f, %.1f, "
                   "%.1f] (LPS mm, radius %.2f mm): it would change the whole flow. Write in %s "
                   "under `openings:` what it is: `- {name: \"%s\", role: %s, near_mm: [%.1f, "
                   "%.1f, %.1f]}`, or `role: wall` where the vessel is closed there",
                   at[0], at[1], at[2], is->radius_mm, ht_case_file(settings), is->name,
                   ht_role_name(is->role), at[0], at[1], at[2]);
  }
  return HT_OK;
}
