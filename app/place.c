#include "place.h"
#include "border.h"
#include "console.h"
#include <math.h>
#include <string.h>

static const double near_slack_mm = 5;         /* beyond an opening's radius */
static const double widest_usual_flow_mm = 10; /* of the relation's arteries */

double ht_usual_flow_ml_s(double area_mm2) {
  return 48.21 * pow(area_mm2 / 100, 1.84);
}

double ht_place_distance_mm(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

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

static ht_status no_match(const ht_case *settings, const ht_case_opening *asked,
                          const double near_mm[3], const ht_openings *found, int ignored,
                          double nearest_mm) {
  char list[2500];
  list_found(found, list, sizeof list);
  const char *small = ignored ? "; smaller places, of fewer than 12 lattice nodes, do not count: "
                                "more --nodes-across makes them openings"
                              : "";
  if (found->count == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "%s:%d:%d: there is no opening at the border of the region at all: the vessel "
                   "does not reach it; shrink 'region' to cut through the vessel, or give "
                   "'centre_mm' and 'normal' instead of 'near_mm'%s",
                   ht_case_opening_file(settings, asked), asked->line, asked->column, small);
  return ht_fail(
      HT_ERR_OPENINGS,
      "%s:%d:%d: no opening is near [%g, %g, %g]: the nearest is %.1f mm off, more than "
      "its radius and %g mm; where a vessel ends there, give 'centre_mm' (inside, before "
      "its end) and 'normal' (out) instead; found were%s%s",
      ht_case_opening_file(settings, asked), asked->line, asked->column, near_mm[0], near_mm[1],
      near_mm[2], nearest_mm, near_slack_mm, list, small);
}

/* What the case file says of an opening goes over what was found. */
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
    int nearest = -1;
    double nearest_mm = INFINITY;
    for (int b = 0; b < border->count; b++) {
      double mm = ht_place_distance_mm(border->item[b].centre_mm, near_mm);
      if (mm < nearest_mm) nearest_mm = mm, nearest = b;
    }
    if (nearest < 0 || nearest_mm > border->item[nearest].radius_mm + near_slack_mm)
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
  return !one->at_border && ht_place_distance_mm(one->centre_mm, asked->centre_mm) < 1e-3 &&
         ht_place_distance_mm(one->normal, asked->normal) < 1e-3;
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
  char where[HT_PATH_MAX + 32];
  snprintf(where, sizeof where, "%s:%d:%d", ht_case_opening_file(settings, asked), asked->line,
           asked->column);
  return ht_fail_in(status, where);
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
      HT_TRY(cut_plane(settings, a, mask, opening));
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
    settings->opening[a].name_is_given = 1;
  }
}

static double area_mm2(const ht_opening *opening) {
  return acos(-1) * opening->radius_mm * opening->radius_mm; /* 1 m/s through 1 mm2 is 1 mL/s */
}

/* What the waveform's file gives for the inlet; 0: it has none. */
static double flow_of_file(const ht_case *settings, const ht_opening *inlet) {
  if (!ht_case_waveform_is_file(settings)) return 0;
  double mean = ht_waveform_mean(&settings->inflow);
  return settings->inflow_is_velocity ? mean * area_mm2(inlet) : mean;
}

static void warn_of_velocity(const ht_case *settings, const ht_opening *inlet) {
  if (!settings->inflow_is_velocity || settings->inlet_flow_ml_s > 0 ||
      settings->inlet_reynolds > 0)
    return;
  ht_console_warn(
      "the waveform is a velocity: its mean, %.4g m/s, times the area of '%s', %.4g mm2, "
      "is %.4g mL/s; it has to be the mean over the section (what is measured on the "
      "axis is up to twice that)",
      ht_waveform_mean(&settings->inflow), inlet->name, area_mm2(inlet), inlet->flow_ml_s);
}

/* What the case gives for its one inlet; 0: nothing. */
static double flow_of_case(const ht_case *settings, const ht_opening *inlet) {
  const ht_solver_options *solver = &settings->solver;
  double least_pa_s, most_pa_s;
  ht_blood_range(&solver->blood, solver->viscosity_pa_s, &least_pa_s, &most_pa_s);
  if (settings->inlet_flow_ml_s > 0) return settings->inlet_flow_ml_s;
  if (settings->inlet_reynolds > 0)
    return ht_flow_of_reynolds(settings->inlet_reynolds, 2e-3 * inlet->radius_mm, least_pa_s,
                               solver->density_kg_m3);
  return flow_of_file(settings, inlet);
}

static ht_status set_flow(const ht_case *settings, int inlets, ht_opening *inlet) {
  if (inlet->flow_ml_s > 0) return HT_OK;
  const char *file = settings->file[0] ? settings->file : "no case file";
  double given = flow_of_case(settings, inlet);
  if (given > 0 && inlets > 1)
    return ht_fail(HT_ERR_CASE,
                   "%s: one flow (%g mL/s) is given but there are %d inlets: give 'flow_ml_s' for "
                   "each in the case's openings",
                   file, given, inlets);
  inlet->flow_ml_s = given;
  if (given > 0) {
    warn_of_velocity(settings, inlet);
    return HT_OK;
  }
  double diameter_mm = 2 * inlet->radius_mm;
  if (diameter_mm >= widest_usual_flow_mm)
    return ht_fail(HT_ERR_CASE,
                   "the flow into '%s' is not known, and it is %.1f mm wide: from %g mm on (aorta, "
                   "large veins) there is no usual value to take: give it in mL/s with --flow, or "
                   "as 'flow_ml_s' in the case's openings (an adult's ascending aorta at rest: "
                   "about 90 mL/s)",
                   inlet->name, diameter_mm, widest_usual_flow_mm);
  inlet->flow_ml_s = ht_usual_flow_ml_s(area_mm2(inlet));
  ht_console_warn("the flow into '%s' was not given: taken as %.3g mL/s, the usual flow of a "
                  "cerebral artery %.2f mm wide (Cebral et al. 2008); set it with --flow",
                  inlet->name, inlet->flow_ml_s, diameter_mm);
  return HT_OK;
}

ht_status ht_place_flows(const ht_case *settings, ht_openings *openings) {
  int inlets = 0;
  for (int i = 0; i < openings->count; i++) inlets += openings->item[i].role == HT_ROLE_INLET;
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET)
      HT_TRY(set_flow(settings, inlets, &openings->item[i]));
    else
      openings->item[i].flow_ml_s = 0;
  return HT_OK;
}

static const double most_cut_off = 0.1;

/* What the mask loses at its border is told: nothing is closed without a word. */
static void warn_of_closed(const ht_placed *placed) {
  if (placed->ignored > 0)
    ht_console_warn("the vessel reaches the border at %d more place%s, of fewer than 12 lattice "
                    "nodes: closed as wall; with more --nodes-across %s an opening",
                    placed->ignored, placed->ignored == 1 ? "" : "s",
                    placed->ignored == 1 ? "it becomes" : "each becomes");
  for (int i = 0; i < placed->openings.count; i++) {
    const ht_opening *one = &placed->openings.item[i];
    if (one->role != HT_ROLE_WALL && one->cut_off > most_cut_off)
      ht_console_warn("'%s' leaves over an edge of the region: %.0f %% of its section is closed; "
                      "move the region's border so that the vessel leaves through one face",
                      one->name, 100 * one->cut_off);
  }
}

static int role_asked(const ht_case *settings, const char *name) {
  for (int i = 0; i < settings->openings; i++)
    if (strcmp(settings->opening[i].name, name) == 0)
      return settings->opening[i].role != HT_ROLE_NONE || settings->opening[i].flow_ml_s > 0;
  return 0;
}

static const double as_wide = 0.8, same_side = 0.7; /* of the inlet's radius; cosine */

/* Both carotids of a head: nothing but the roles' guess would let one run backwards. */
static void warn_of_second_inlet(const ht_opening *inlet, const ht_opening *outlet) {
  double cosine = 0;
  for (int a = 0; a < 3; a++) cosine += inlet->normal[a] * outlet->normal[a];
  if (outlet->radius_mm < as_wide * inlet->radius_mm || cosine < same_side) return;
  ht_console_warn("'%s', guessed an outlet, is about as wide as the inlet '%s' and leaves the scan "
                  "on the same side, as a second artery into the region does: the flow may be "
                  "backwards there; set the role of each in case.yaml",
                  outlet->name, inlet->name);
}

/* Where no one said which opening is the inlet. */
static void warn_of_guess(const ht_case *settings, const ht_openings *openings) {
  int open = 0;
  const ht_opening *inlet = NULL;
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].role == HT_ROLE_INLET || settings->opening[a].flow_ml_s > 0) return;
  for (int i = 0; i < openings->count; i++) {
    open += openings->item[i].role != HT_ROLE_WALL;
    if (openings->item[i].role == HT_ROLE_INLET) inlet = &openings->item[i];
  }
  if (inlet && open > 1)
    ht_console_warn("roles were guessed: the widest opening, '%s', is taken for the inlet and the "
                    "others without a role for outlets; check pictures/projection.png and set "
                    "'openings' in case.yaml",
                    inlet->name);
  for (int i = 0; inlet && i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_OUTLET && !role_asked(settings, openings->item[i].name))
      warn_of_second_inlet(inlet, &openings->item[i]);
}

/* Told so where it is near the surface of the region's ball. */
static int is_at_ball(const ht_segment_options *region, const ht_opening *end) {
  return region->has_sphere && ht_place_distance_mm(end->centre_mm, region->sphere_mm) >
                                   region->sphere_radius_mm - 2 * end->radius_mm;
}

/* An end that no one asked for may be a gap in the mask, or the vessel's own. */
static void warn_of_ends(const ht_case *settings, const ht_placed *placed) {
  for (int i = 0; i < placed->openings.count; i++) {
    const ht_opening *one = &placed->openings.item[i];
    if (placed->ends_cut == 0 || one->at_border || placed->asked_cut[i]) continue;
    if (one->role == HT_ROLE_WALL || role_asked(settings, one->name)) continue;
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
  HT_TRY(ht_place_find_ends(settings, mask, before, &placed->openings, &border));
  HT_TRY(match_border(settings, &border, placed->ignored, &placed->openings, &from, taken));
  HT_TRY(add_others(settings, &border, taken, &placed->openings, &from));
  HT_TRY(ht_place_cut_ends(mask, placed, cuts));
  if (placed->openings.count == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "the vessel has no opening: it does not reach the border of the scan or region "
                   "anywhere%s, nor does it end as a vessel does inside of it; shrink 'region' in "
                   "the case file so that its box (min_mm, max_mm) cuts through the vessel, or "
                   "give openings with 'centre_mm' and 'normal'",
                   placed->ignored ? " with more than a few voxels" : "");
  HT_TRY(ht_openings_assign(&placed->openings));
  settle_names(settings, &placed->openings, &from);
  warn_of_closed(placed);
  warn_of_ends(settings, placed);
  warn_of_guess(settings, &placed->openings);
  return ht_openings_connected(mask, &placed->openings);
}

void ht_place_tell(const ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    ht_console_note("  %-12s %-6s radius %6.2f mm at [%.1f, %.1f, %.1f]", one->name,
                    ht_role_name(one->role), one->radius_mm, one->centre_mm[0], one->centre_mm[1],
                    one->centre_mm[2]);
  }
}

static const ht_opening *nearest_to(const ht_openings *openings, const ht_opening *one) {
  const ht_opening *nearest = NULL;
  double nearest_mm = fmax(one->radius_mm, near_slack_mm);
  for (int i = 0; i < openings->count; i++) {
    double mm = ht_place_distance_mm(openings->item[i].centre_mm, one->centre_mm);
    if (mm <= nearest_mm) nearest_mm = mm, nearest = &openings->item[i];
  }
  return nearest;
}

/* The opening of `there` at the place of one of `here`; NULL: none. Each is the other's nearest, so
 * that the neighbour of an opening that is gone does not stand for it. */
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
                   at[0], at[1], at[2], is->radius_mm, settings->file, is->name,
                   ht_role_name(is->role), at[0], at[1], at[2]);
  }
  return HT_OK;
}
