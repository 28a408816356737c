/* Chooses the lattice spacing of a case. */
#include "run/lattice/run_lattice.h"
#include "solver/plan/collision_limits.h"
#include "run/lattice/run_levels.h"
#include "run/process/console.h"
#include "core/machine/host_memory.h"
#include "run/openings/narrow_place.h"
#include "solver/plan/resolution.h"
#include "run/lattice/run_time.h"
#include "core/text/words.h"
#include <math.h>
#include <string.h>

static const double bytes_a_voxel = 16; /* masks, distances and fields of the later stages */
static const double same = 0.99;        /* spacings count as equal above this ratio */
static const double most_refined = 2;   /* largest factor on the nodes across for a narrow place */
static const double share = 0.75; /* of the total memory; the rest is for the system and the scan */

/* ---- choosing it ---- */

int ht_run_lattice_is_auto(const ht_case *settings) {
  return settings->segment.nodes_across == 0 && !(settings->segment.spacing_mm > 0) &&
         !(ht_case_within_across(settings) > 0);
}

double ht_run_nodes_across(const ht_run_vessel *vessel) {
  return ht_widest_opening_mm(&vessel->placed.openings) / vessel->mask.grid.spacing_mm[0];
}

double ht_run_first_spacing(const ht_case *settings, const ht_openings *openings) {
  const ht_segment_options *options = &settings->segment;
  double asked = ht_run_lattice_is_auto(settings) ? HT_LEAST_NODES_ACROSS : options->nodes_across;
  const double within = ht_case_within_across(settings);
  if (within > 0)
    asked = within;
  else if (options->spacing_mm > 0)
    return options->spacing_mm;
  return ht_widest_opening_mm(openings) / asked;
}

/* Limits the segmentation, which then refuses a lattice that is too large at once and names the
 * spacing that fits. */
int64_t ht_run_most_voxels(void) {
  double bytes = ht_host_memory_free();
  return bytes > 0 ? (int64_t)(bytes / bytes_a_voxel) : 0;
}

/* ---- narrow places ---- */

/* Finds the narrowest place with too few nodes across; 0: there is none. */
static int narrowest_place(const ht_run_measures *of, ht_narrow_place *narrowest) {
  ht_narrow_place place[HT_OPENINGS_MAX];
  int count = ht_narrow_places(&of->vessel->mask, &of->vessel->placed.openings, place), found = 0;
  for (int i = 0; i < count; i++) {
    if (round(place[i].across) >= HT_FEWEST_NODES_ACROSS) continue;
    if (found && place[i].across >= narrowest->across) continue;
    *narrowest = place[i];
    found = 1;
  }
  return found;
}

/* Returns the nodes across whose lattice fits into `bytes`; a coarser lattice may need a larger
 * collision. */
static double fitting_across(const ht_run_measures *of, double bytes, double most) {
  ht_solver_options options = ht_run_options_at(of, of->size.widest_mm / most);
  double fits = of->size.widest_mm / ht_resolution_finest_mm(&of->size, &options, bytes);
  if (fits >= most) return fits;
  options = ht_run_options_at(of, of->size.widest_mm / fits);
  return of->size.widest_mm / ht_resolution_finest_mm(&of->size, &options, bytes);
}

/* Returns the most nodes across the widest opening: at most `most`, within the solver's memory and
 * the memory of the mask's box. Both are total memory: free memory changes from day to day, and the
 * same case must give the same results. */
static double most_across(const ht_run_measures *of, double most, const char **limit) {
  const int *dim = of->vessel->mask.grid.dim;
  double voxels = (double)dim[0] * dim[1] * dim[2],
         room = share * ht_host_memory_total() / bytes_a_voxel;
  double now = of->size.widest_mm / of->vessel->mask.grid.spacing_mm[0];
  double bytes = share * of->size.total_bytes, fits = most;
  if (bytes > 0 && of->size.volume_mm3 > 0) fits = fitting_across(of, bytes, most);
  if (room > 0) fits = fmin(fits, now * cbrt(room / voxels));
  if (fits < most) *limit = "more does not fit into the memory";
  return floor(fmin(most, fits));
}

/* Reports where the free memory is too small; it does not change the choice. */
static ht_status check_free(const ht_run_measures *of, const ht_resolution *chosen) {
  ht_solver_options options = ht_run_options_at(of, chosen->spacing_mm);
  double bytes = of->size.available_bytes;
  if (!(bytes > 0 && of->size.volume_mm3 > 0)) return HT_OK;
  if (ht_resolution_finest_mm(&of->size, &options, bytes) <= chosen->spacing_mm) return HT_OK;
  return ht_fail(HT_ERR_MEMORY,
                 "not enough memory: the narrow place takes %.0f nodes across the widest opening, "
                 "and the %s that are free now hold fewer; close other programs, or set "
                 "--nodes-across to a smaller number",
                 chosen->nodes_across, ht_memory_words(bytes).text);
}

/* The nodes across the widest opening that a narrow place needs, and what limits them. Zeroed: no
 * narrow place. */
typedef struct {
  double wanted;
  const char *limit;
} narrow_need;

static void refine_narrow(const ht_run_measures *of, narrow_need *need, ht_resolution *chosen) {
  ht_narrow_place narrow = {0};
  const char *limit;
  if (!narrowest_place(of, &narrow)) return;
  double spacing_mm = of->vessel->mask.grid.spacing_mm[0], before = chosen->nodes_across;
  double there_mm = narrow.across * spacing_mm;
  double wanted = ceil(HT_FEWEST_NODES_ACROSS * of->size.widest_mm / there_mm);
  limit = "the largest automatic number, with 8 times the memory and 16 times the time";
  double most = most_across(of, most_refined * before, &limit);
  double across = fmin(wanted, most);
  if (across <= before) return;
  chosen->nodes_across = across;
  chosen->spacing_mm = of->size.widest_mm / across;
  *need = (narrow_need){wanted, limit};
  if (of->is_quiet) return;
  ht_console_note("lattice: the vessel narrows to some %.1f mm between '%s' and '%s': %.0f nodes "
                  "across the widest opening instead of %.0f, so that some %.0f lie there; "
                  "--nodes-across sets another number",
                  there_mm, narrow.inlet->name, narrow.outlet->name, across, before,
                  there_mm / chosen->spacing_mm);
}

/* Warns where the lattice that is taken in the end has too few nodes for a narrow place. */
static void warn_of_narrow(const ht_run_measures *of, const narrow_need *need,
                           const ht_resolution *chosen) {
  if (of->is_quiet || chosen->nodes_across >= need->wanted) return;
  ht_console_warn("%d nodes are needed across the narrow place, which takes %.0f across the "
                  "widest opening; %.0f are taken: %s",
                  HT_FEWEST_NODES_ACROSS, need->wanted, chosen->nodes_across, need->limit);
}

/* ---- jets ---- */

/* Refines a throat too fast for LBGK and MRT: its nodes decide how good the numbers are, not
 * stability. */
static void refine_jet(const ht_run_measures *of, ht_resolution *chosen) {
  const char *limit = "no more are taken unless --nodes-across asks for them";
  double before = chosen->nodes_across;
  ht_solver_options options = ht_run_options_at(of, chosen->spacing_mm);
  if (!(of->size.throat_mm > 0) || !ht_collision_is_for_jets(options.collision)) return;
  if (!ht_collision_is_for_jets(ht_run_collision_at(of, chosen->spacing_mm))) return;
  double wanted = ceil(HT_THROAT_NODES_ACROSS * of->size.widest_mm / of->size.throat_mm);
  double across = fmin(wanted, most_across(of, HT_MOST_NODES_ACROSS, &limit));
  if (across > before) {
    chosen->nodes_across = across;
    chosen->spacing_mm = of->size.widest_mm / across;
  }
  if (of->is_quiet) return;
  if (across > before)
    ht_console_note("lattice: the throat, %.1f mm with %.3g m/s over its section, gets %.1f nodes "
                    "across, the widest opening %.0f instead of %.0f; --nodes-across sets another "
                    "number",
                    of->size.throat_mm, of->size.throat_speed_m_s,
                    of->size.throat_mm / chosen->spacing_mm, across, before);
  if (across < wanted)
    ht_console_warn("%d nodes are needed across the throat, which takes %.0f across the widest "
                    "opening; %.0f are taken: %s",
                    HT_THROAT_NODES_ACROSS, wanted, fmax(across, before), limit);
}

/* ---- what it takes ---- */

/* Returns the updates of the lattice's levels over those of one spacing, by the vessel on the
 * lattice at hand. */
static double updates_of(const ht_run_measures *of, const ht_solver_options *options,
                         double spacing_mm, double step_s) {
  const ht_domain domain = {.mask = of->vessel->mask};
  char why[HT_LEVELS_WHY];
  ht_refine_vessel sections;
  const double dx_m = 1e-3 * spacing_mm, nu = ht_solver_least_kinematic(options);
  const ht_levels_plan plan = {options, spacing_mm, 0.5 + 3 * nu * step_s / (dx_m * dx_m),
                               of->size.speed_m_s * dx_m / nu};
  const ht_refine_rules rules = ht_run_refine_rules(of->settings, &plan, why);
  if (rules.most == 0) return 1;
  const ht_status status =
      ht_run_refine_vessel(of->settings, of->vessel, &of->openings, &domain, &sections);
  const double updates = status == HT_OK ? ht_refine_cost_at(&sections, &rules).updates : 1;
  ht_refine_vessel_free(&sections);
  return updates;
}

/* Writes "2.1e+06 fluid nodes, 1.1 GB of memory, 4e+05 steps, about 2 hours on this machine". */
static void describe(const ht_run_measures *of, double spacing_mm, char *text, size_t size) {
  ht_solver_options options = ht_run_options_at(of, spacing_mm);
  ht_vessel_size vessel = of->size;
  ht_run_estimate estimate;
  char time[32] = "";
  /* where this fails, the estimate lacks it */
  (void)ht_vessel_sound(&of->vessel->mask, &of->vessel->placed.openings, &options, &vessel);
  ht_solver_estimate(&vessel, &options, spacing_mm, &estimate);
  options.throat_mm = of->size.throat_mm;
  const double updates = updates_of(of, &options, spacing_mm, estimate.step_s);
  ht_run_time takes =
      ht_run_expected_time(&options, estimate.nodes, updates * estimate.steps, NULL);
  if (takes.rate > 0) ht_duration_words(takes.seconds, time);
  snprintf(text, size, "some %.2g fluid nodes, %s of %s, %.2g steps%s%s%s", estimate.nodes,
           ht_memory_words(estimate.bytes).text, estimate.on_gpu ? "the GPU" : "memory",
           estimate.steps, time[0] ? ", about " : "", time, time[0] ? " on this machine" : "");
}

/* Refuses a lattice of hundreds of nodes across that stability alone requires: it is a mistake, or
 * a case for another collision, and not begun unless prescribed. */
static ht_status refuse_finest(const ht_run_measures *of, const ht_resolution *chosen) {
  char takes[160];
  describe(of, chosen->spacing_mm, takes, sizeof takes);
  return ht_fail(
      HT_ERR_UNSTABLE,
      "this flow, %.3g m/s at the inlet, needs %.0f nodes across the widest opening for a cell "
      "Reynolds number of at most %.0f: %s. More than %d are not begun unless prescribed. What "
      "helps: an inflow of at most %.2g times this one%s; or prescribe it: --nodes-across %.0f",
      of->size.speed_m_s, chosen->nodes_across, chosen->cell_reynolds_max, takes,
      HT_MOST_NODES_ACROSS, HT_MOST_NODES_ACROSS / chosen->nodes_across,
      of->settings->collision < 0 ? "" : ", or --collision auto", chosen->nodes_across);
}

/* Refuses a speed, so that a mistake in the unit of the flow or the surface is found before any
 * computing. */
static ht_status refuse_speed(const ht_vessel_size *size) {
  int of_throat = size->throat_speed_m_s > size->speed_m_s;
  double mm = of_throat ? size->throat_mm : size->widest_mm;
  return ht_fail(
      HT_ERR_CASE,
      "blood would flow with %.3g m/s %s %.3g mm wide, and it is nowhere faster than %d m/s (the "
      "pressure drop would be above 400 mmHg): check the inflow (mL/s: 60 mL/min are 1, 1 L/min is "
      "16.7) and the size of the vessel; a surface with numbers in cm needs --surface-unit cm. "
      "With --nodes-across such a flow is still computed",
      fmax(size->speed_m_s, size->throat_speed_m_s),
      of_throat ? "in the throat," : "at the inlet, in a vessel", mm, HT_FASTEST_M_S);
}

static void tell_estimate(const ht_run_measures *of, const ht_resolution *chosen) {
  char takes[160];
  if (!(of->size.speed_m_s > 0)) return;
  describe(of, chosen->spacing_mm, takes, sizeof takes);
  ht_console_note("estimate for %.0f nodes across: %s (Ctrl-C stops it)", chosen->nodes_across,
                  takes);
}

/* ---- the choice ---- */

/* Chooses the lattice for the flow, which is known, and refuses one that is too fine or a flow that
 * is too fast. */
static ht_status choose_for_flow(const ht_run_measures *of, ht_resolution *chosen) {
  if (fmax(of->size.speed_m_s, of->size.throat_speed_m_s) > HT_FASTEST_M_S)
    return refuse_speed(&of->size);
  ht_solver_options options = ht_run_options_at(of, chosen->spacing_mm);
  HT_TRY(ht_resolution_choose(&of->size, &options, HT_LEAST_NODES_ACROSS, chosen));
  if (chosen->nodes_across > HT_LEAST_NODES_ACROSS && !of->is_quiet)
    ht_console_note(
        "lattice: %d nodes across the widest opening are too few for %.3g m/s: %.0f, for "
        "a cell Reynolds number of %.3g (at most %.0f)",
        HT_LEAST_NODES_ACROSS, of->size.speed_m_s, chosen->nodes_across, chosen->cell_reynolds,
        chosen->cell_reynolds_max);
  return chosen->nodes_across > HT_MOST_NODES_ACROSS ? refuse_finest(of, chosen) : HT_OK;
}

/* Also refines it for narrow places and jets. */
static ht_status choose(const ht_run_measures *of, double *before_mm, ht_resolution *chosen) {
  const double widest_mm = of->size.widest_mm;
  *chosen = (ht_resolution){.nodes_across = HT_LEAST_NODES_ACROSS,
                            .spacing_mm = widest_mm / HT_LEAST_NODES_ACROSS};
  if (of->has_flow && of->size.speed_m_s > 0 && widest_mm > 0) HT_TRY(choose_for_flow(of, chosen));
  *before_mm = chosen->spacing_mm;
  if (!(widest_mm > 0)) return HT_OK;
  narrow_need need = {0};
  refine_narrow(of, &need, chosen);
  refine_jet(of, chosen);
  warn_of_narrow(of, &need, chosen);
  return HT_OK;
}

ht_status ht_run_choose_lattice(const ht_case *settings, const ht_run_vessel *vessel,
                                const ht_segment_report *report, double *spacing_mm) {
  ht_run_measures of;
  ht_resolution chosen;
  double before_mm;
  *spacing_mm = 0;
  ht_run_measure(settings, vessel, report->volume_ml, &of);
  HT_TRY(choose(&of, &before_mm, &chosen));
  if (chosen.spacing_mm > 0 && chosen.spacing_mm <= same * report->spacing_mm) {
    *spacing_mm = chosen.spacing_mm;
    tell_estimate(&of, &chosen);
  }
  return chosen.spacing_mm < before_mm ? check_free(&of, &chosen) : HT_OK;
}

double ht_run_auto_nodes_across(const ht_run_measures *measured) {
  ht_run_measures of = *measured;
  ht_resolution chosen;
  double before_mm;
  of.is_quiet = 1;
  return choose(&of, &before_mm, &chosen) == HT_OK ? chosen.nodes_across : 0;
}
