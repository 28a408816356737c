#include "run/studies/first_look.h"
#include "core/machine/clock.h"
#include "core/mpi/ranks.h"
#include "core/text/words.h"
#include "export/files/result_files.h"
#include "run/inputs/load_inputs.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/run_measures.h"
#include "run/lattice/run_plan.h"
#include "run/lattice/run_time.h"
#include "run/lattice/within.h"
#include "run/openings/place.h"
#include "run/openings/place_known.h"
#include "run/process/console.h"
#include "segment/domain/extend.h"
#include "segment/shape/wall_distance.h"
#include "solver/plan/collision_choice.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/lattice_plan.h"
#include "tiling/tiling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ACROSS = 8, MOST_ACROSS = 24, LATTICES = MOST_ACROSS - LEAST_ACROSS + 1 };

static const double worth_s = 60; /* of the run's flow, from which on a look is of use */
/* Of the look's own flow, by the rate of a slow memory, which a short run is planned with
 * (run_time.c): two quiet cores take a third of it. */
static const double most_s = 60;
static const double late_s = 120;     /* after which it is given up: the machine is busy */
static const double little = 0.2;     /* share of the flow of all outlets that may be closed */
static const double enough = 1.2;     /* of the likely steps: a flow that fluctuates has no end */
static const double least_part = 0.4; /* of them, below which nothing has formed */
static const double max_velocity_lu = 0.1; /* twice the usual: half of the steps */
static const double tolerance = 1e-6;      /* ten times the usual: two thirds of the steps */

typedef struct {
  const ht_run *run;
  double begun_s;    /* on ht_clock_s(): all lattices share the time */
  ht_case *settings; /* owned */
  double across;     /* nodes of the widest opening */
  int closes;        /* 1: it may close thin outlets */
  int closed;        /* number of these */
  ht_collision collision;
  ht_run_vessel vessel; /* its mask is owned */
  ht_domain domain;     /* these four are owned */
  ht_tiling tiling;
  ht_flow flow;
  ht_surface wall;
  ht_flow_stats stats;
} look;

static void free_look(look *of) {
  ht_mask_free(&of->vessel.mask);
  ht_domain_free(&of->domain);
  ht_tiling_free(&of->tiling);
  ht_flow_free(&of->flow);
  ht_surface_free(&of->wall);
  free(of->settings);
}

/* ---- the lattice ---- */

/* Makes the settings of the mean flow. Outlets with Windkessels get the shares that are planned for
 * them, as a steady flow does not charge them. */
static ht_status make_settings(const ht_run *run, ht_case **made) {
  const ht_openings *openings = &run->vessel.placed.openings;
  HT_TRY(ht_alloc((void **)made, 1, sizeof **made, "the first look"));
  ht_case *settings = *made;
  *settings = *run->given.settings;
  snprintf(settings->waveform, sizeof settings->waveform, "constant");
  ht_waveform_constant(1, &settings->inflow);
  settings->collision = -1;
  settings->profile = -1;
  settings->steps = 0;
  settings->solver.inlet_noise = 0;
  settings->solver.averages = 0;
  settings->solver.steady_tolerance = fmax(settings->solver.steady_tolerance, tolerance);
  settings->solver.max_velocity_lu = fmax(settings->solver.max_velocity_lu, max_velocity_lu);
  settings->outlets = (int)ht_place_outlet_model(run->given.settings, openings);
  if (settings->outlets == HT_OUTLETS_WINDKESSEL) settings->outlets = HT_OUTLETS_MURRAY;
  return HT_OK;
}

/* Fills `openings` with those of the run; where the look may close some, the outlets with few nodes
 * on this lattice are closed, as long as little of the flow leaves there: the picture is nearly the
 * same. Returns how many are. */
static int close_thin(const look *of, double spacing_mm, ht_openings *openings) {
  const ht_run *run = of->run;
  double outflow_ml_s[HT_OPENINGS_MAX], sum = 0, left = 0;
  int closed = 0;
  *openings = run->vessel.placed.openings;
  if (!of->closes) return 0;
  ht_place_outflows(run->given.settings, openings, outflow_ml_s);
  for (int i = 0; i < openings->count; i++) sum += outflow_ml_s[i];
  for (int i = openings->count - 1; i >= 0; i--) { /* the thinnest first */
    ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_OUTLET || left + outflow_ml_s[i] > little * sum ||
        ht_place_nodes(one, spacing_mm) >= HT_PLACE_ENOUGH_NODES)
      continue;
    left += outflow_ml_s[i];
    one->role = HT_ROLE_WALL;
    closed++;
  }
  return closed;
}

/* Names the opening that would have too few nodes; NULL: none. */
static const ht_opening *too_thin(const ht_openings *openings, double spacing_mm) {
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role != HT_ROLE_WALL &&
        ht_place_nodes(&openings->item[i], spacing_mm) < HT_OPENING_FEWEST_NODES)
      return &openings->item[i];
  return NULL;
}

/* Plans the lattices from 8 nodes across on. */
static ht_status plan_all(const look *of, ht_solver_options *options,
                          ht_lattice_plan plan[LATTICES]) {
  const ht_run *run = of->run;
  const ht_openings *openings = &run->vessel.placed.openings;
  double spacing_mm[LATTICES];
  ht_throat throat;
  for (int i = 0; i < LATTICES; i++)
    spacing_mm[i] = ht_widest_opening_mm(openings) / (LEAST_ACROSS + i);
  *options = ht_run_options(of->settings, openings);
  HT_TRY(ht_run_throat(of->settings, &run->vessel, openings, &throat));
  options->throat_speed_m_s = throat.speed_m_s;
  return ht_lattice_plans(&run->domain, options, 1, LATTICES, spacing_mm, plan);
}

/* Finds whether a lattice gives a look in time; sets the steps that it may take. */
static ht_status judge(look *of, int across, const ht_lattice_plan *plan,
                       ht_solver_options *options) {
  const double spacing_mm = ht_widest_opening_mm(&of->run->vessel.placed.openings) / across;
  ht_openings openings;
  char duration[32];
  of->closed = close_thin(of, spacing_mm, &openings);
  const ht_opening *thin = too_thin(&openings, spacing_mm);
  if (thin)
    return ht_fail(HT_ERR_OPENINGS, "'%s' is too thin for a lattice of %d nodes across", thin->name,
                   across);
  if (plan->inlet_cell_reynolds > ht_collision_limits_of(plan->collision)->cell_reynolds_max)
    return ht_fail(HT_ERR_UNSTABLE, "the flow is too fast for a lattice of %d nodes across",
                   across);
  options->collision = plan->collision;
  const ht_run_time takes = ht_run_expected_time(options, plan->nodes, plan->steps, NULL);
  if (!(takes.seconds > 0)) return HT_ERR_DEVICE; /* the solver says why */
  of->settings->solver.max_steps =
      (int64_t)fmax(1, plan->steps * fmin(enough, most_s / takes.seconds));
  if ((double)of->settings->solver.max_steps >= least_part * plan->steps) return HT_OK;
  ht_duration_words(takes.seconds, duration);
  return ht_fail(HT_ERR_USAGE,
                 "on the coarsest lattice that the openings allow, %d nodes across, it would take "
                 "up to %s",
                 across, duration);
}

/* ---- the flow ---- */

/* Makes the shares of the outlets that are left add up to 1. */
static void share_all(ht_openings *openings) {
  double sum = 0;
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_OUTLET) sum += openings->item[i].flow_fraction;
  for (int i = 0; i < openings->count && sum > 0; i++) openings->item[i].flow_fraction /= sum;
}

/* Gives the openings what is prescribed at them in the run, by their names. */
static ht_status take_flows(const ht_openings *own, ht_openings *openings) {
  for (int i = 0; i < own->count; i++) {
    const ht_opening *from = &own->item[i];
    ht_opening *to = NULL;
    for (int k = 0; k < openings->count; k++)
      if (strcmp(openings->item[k].name, from->name) == 0) to = &openings->item[k];
    if (!to && from->role == HT_ROLE_WALL) continue;
    if (!to) return ht_fail(HT_ERR_OPENINGS, "'%s' is lost on the coarse lattice", from->name);
    to->role = from->role;
    to->flow_ml_s = from->flow_ml_s;
    to->pressure_pa = from->pressure_pa;
    to->flow_fraction = from->flow_fraction;
  }
  share_all(openings);
  return HT_OK;
}

/* Closes the entries of the case's list for openings that are closed. */
static void close_listed(const ht_openings *known, ht_case *settings) {
  for (int i = 0; i < known->count; i++)
    for (int k = 0; k < settings->openings && known->item[i].role == HT_ROLE_WALL; k++)
      if (strcmp(settings->opening[k].name, known->item[i].name) == 0)
        settings->opening[k].role = HT_ROLE_WALL;
}

static ht_status make_vessel(look *of) {
  const ht_run_vessel *own = &of->run->vessel;
  ht_placed known = own->placed;
  ht_segment_options options;
  ht_segment_report report;
  int cuts;
  ht_segment_defaults(&options);
  options.nodes_across = 0;
  options.spacing_mm = ht_widest_opening_mm(&own->placed.openings) / of->across;
  HT_TRY(ht_segment_mask(&own->mask, &options, NULL, &of->vessel.mask, &report));
  close_thin(of, options.spacing_mm, &known.openings);
  close_listed(&known.openings, of->settings);
  HT_TRY(ht_place_known(of->settings, &of->vessel.mask, &known, &of->vessel.placed, &cuts));
  return take_flows(&known.openings, &of->vessel.placed.openings);
}

static ht_status make_domain(look *of) {
  const ht_triangles *surface = ht_run_walls(of->run);
  HT_TRY(ht_run_build_domain(of->settings, &of->vessel, surface, 1, &of->domain));
  if (of->settings->solver.walls == HT_WALLS_INTERPOLATED)
    HT_TRY(ht_domain_measure_walls(&of->domain, surface));
  return ht_tiling_build(&of->domain.mask, NULL, &of->tiling);
}

/* The progress of the console, with an end in time. */
typedef struct {
  double until_s;
  int is_late;
} deadline;

static int report(void *user, const char *stage, double done, double total, const char *note) {
  const ht_progress *shown = ht_console_progress();
  deadline *of = user;
  of->is_late = ht_clock_s() > of->until_s;
  return shown->report(shown->user, stage, done, total, note) || of->is_late;
}

static void take_number(void *user, const char *name, double done, double value) {
  (void)user;
  ht_progress_number(ht_console_progress(), name, done, value);
}

static ht_status compute(look *of) {
  ht_solver_options options = ht_run_options(of->settings, &of->vessel.placed.openings);
  ht_collision_choice choice;
  ht_throat throat;
  deadline end = {.until_s = of->begun_s + late_s};
  const ht_progress progress = {.report = report, .user = &end, .number = take_number};
  HT_TRY(ht_run_flow_options(of->settings, &of->vessel, &options, &throat));
  HT_TRY(ht_collision_choose(&of->domain, &options, &choice));
  options.collision = of->collision = choice.collision;
  const ht_status status =
      ht_solve(&of->domain, &of->tiling, &options, &progress, &of->flow, &of->stats);
  if (status == HT_ERR_NOT_STEADY && of->flow.velocity_m_s) return HT_OK; /* it says so */
  if (status == HT_ERR_INTERRUPTED && end.is_late)
    return ht_fail(HT_ERR_USAGE, "it was not there after %.0f s", late_s);
  return status;
}

static ht_status run_look(look *of) {
  HT_TRY(make_vessel(of));
  HT_TRY(make_domain(of));
  HT_TRY(compute(of));
  HT_TRY(ht_surface_build(&of->domain, &of->wall));
  return ht_surface_load(&of->wall, &of->domain, &of->flow);
}

/* ---- the files ---- */

static ht_status write_record(const look *of, const char *none) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  HT_TRY(ht_run_path(of->run, HT_FILE_FIRST, path));
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_bool(&json, "first_look", 1);
  ht_json_string(&json, "notice",
                 "a first look at the flow on a coarse lattice: no number may be taken from it");
  if (none)
    ht_json_string(&json, "none", none);
  else {
    ht_json_string(&json, "flow", "steady, with the mean of the inflow");
    ht_json_measured(&json, "nodes_across", of->across);
    ht_json_measured(&json, "spacing_mm", of->domain.mask.grid.spacing_mm[0]);
    ht_json_integer(&json, "fluid_nodes", of->tiling.nodes);
    ht_json_string(&json, "collision", ht_collision_words[of->collision]);
    ht_json_integer(&json, "steps", of->stats.steps);
    ht_json_bool(&json, "steady", of->stats.steady);
    ht_json_integer(&json, "outlets_closed", of->closed);
  }
  ht_json_string(&json, "mask_sha256", of->run->vessel.mask_sha256);
  return ht_json_commit(&json, &output);
}

/* Writes the fields, and last the record without which nobody reads them. */
static ht_status write_look(const look *of) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(of->run, HT_FILE_FIRST_FLOW, path));
  HT_TRY(ht_export_velocity(path, &of->domain, &of->flow, &of->vessel.mask.grid));
  HT_TRY(ht_run_path(of->run, HT_FILE_FIRST_WALL, path));
  HT_TRY(ht_export_vtp(path, &of->wall));
  HT_TRY(write_record(of, NULL));
  ht_console_note("first look: %.0f nodes across, the mean flow%s, in " HT_FOLDER_FIRST
                  "; no number may be taken from it",
                  of->across, of->stats.steady ? "" : ", not steady");
  return HT_OK;
}

static int is_fatal(ht_status status) {
  return status == HT_ERR_INTERRUPTED || status == HT_ERR_WRITE || status == HT_ERR_DEVICE ||
         status == HT_ERR_MEMORY;
}

/* Tries the lattices, the coarsest first. The status is that of the last one. */
static ht_status try_lattices(look *of) {
  ht_lattice_plan plan[LATTICES];
  ht_solver_options options;
  const double own = ht_widest_opening_mm(&of->run->vessel.placed.openings) /
                     of->run->vessel.mask.grid.spacing_mm[0];
  ht_status status = plan_all(of, &options, plan);
  if (status != HT_OK) return status;
  status = ht_fail(HT_ERR_USAGE, "the run's own lattice is as coarse as that of a look");
  for (int i = 0; i < LATTICES && LEAST_ACROSS + i < own; i++) {
    ht_case *settings = of->settings;
    of->across = LEAST_ACROSS + i;
    status = judge(of, LEAST_ACROSS + i, &plan[i], &options);
    if (status == HT_ERR_USAGE || is_fatal(status)) return status; /* finer ones take longer */
    if (status != HT_OK) continue;
    status = run_look(of);
    if (status == HT_OK || status == HT_ERR_USAGE || is_fatal(status)) return status;
    ht_console_note("first look: none with %.0f nodes across: %s", of->across, ht_error_message());
    of->settings = NULL;
    free_look(of);
    *of =
        (look){.run = of->run, .begun_s = of->begun_s, .settings = settings, .closes = of->closes};
  }
  return status;
}

/* Tries them with all openings, then with thin outlets closed. */
static ht_status try_openings(look *of) {
  ht_status status = try_lattices(of);
  if (status == HT_OK || is_fatal(status)) return status;
  of->closes = 1;
  return try_lattices(of);
}

/* ---- all of it ---- */

static ht_status make_look(look *of) {
  char reason[512], path[HT_PATH_MAX];
  const int mark = ht_console_warnings(), was_quiet = ht_console_set_quiet(1);
  ht_console_hold_warnings(); /* they are of a lattice that is not the run's */
  ht_status status = try_openings(of);
  snprintf(reason, sizeof reason, "%s", ht_error_message());
  ht_console_drop_warnings(mark, ht_console_warnings());
  ht_console_show_warnings();
  ht_console_set_quiet(was_quiet);
  if (is_fatal(status)) return status;
  HT_TRY(ht_run_path(of->run, HT_FOLDER_FIRST, path));
  HT_TRY(ht_folder_make(path));
  if (status == HT_OK) return write_look(of);
  ht_console_note("no first look: %s", reason);
  return write_record(of, reason);
}

ht_status ht_run_first_look(ht_run *run) {
  look of = {.run = run, .begun_s = ht_clock_s()};
  if (ht_ranks() > 1) return HT_OK; /* the others wait for the run */
  HT_TRY(ht_need_domain(run));
  ht_folder_drop_first_look(run->given.folder);
  const int number = HT_STAGE_SOLVE + 1 - (int)run->given.first;
  ht_console_stage("first look", number,
                   (int)fmax(number, (int)(run->given.last - run->given.first) + 1));
  ht_status status = make_settings(run, &of.settings);
  if (status == HT_OK) status = make_look(&of);
  free_look(&of);
  return status;
}

/* Finds the time that the run's own flow takes by its plan, and the most that it may. */
static ht_status plan_time(const ht_run *run, double *seconds, double *longest_s) {
  ht_solver_options options = ht_run_options(run->given.settings, &run->vessel.placed.openings);
  const double spacing_mm = run->domain.mask.grid.spacing_mm[0];
  ht_lattice_plan plan;
  ht_throat throat;
  HT_TRY(ht_run_flow_options(run->given.settings, &run->vessel, &options, &throat));
  HT_TRY(ht_lattice_plans(&run->domain, &options, run->given.settings->collision < 0, 1,
                          &spacing_mm, &plan));
  options.collision = plan.collision;
  const double steps = ht_run_steps_after(&plan.coarse, &options, 1, plan.steps);
  *seconds = ht_run_expected_time(&options, plan.nodes, steps, NULL).seconds;
  *longest_s =
      *seconds * ht_run_most_steps(&plan.coarse, &options, 1, plan.steps, plan.most_steps) / steps;
  return HT_OK;
}

/* Makes a look before a flow of more than `least_s`. None before one that takes longer than
 * allowed: the stage refuses that, or resumes it, and has a look already. */
static ht_status look_before(ht_run *run, double least_s) {
  double seconds, longest_s;
  HT_TRY(ht_need_domain(run));
  if (plan_time(run, &seconds, &longest_s) != HT_OK) return HT_OK; /* the stage reports it */
  return seconds > least_s && ht_run_allows(run, longest_s) ? ht_run_first_look(run) : HT_OK;
}

ht_status ht_run_first_look_before(ht_run *run) {
  return look_before(run, -1);
}

ht_status ht_run_first_look_if_long(ht_run *run) {
  return look_before(run, worth_s);
}
