#include "run/numbers/summary.h"
#include "run/record/beat_summary.h"
#include "run/process/console.h"
#include "run/record/cycle_summary.h"
#include "run/numbers/inflow_table.h"
#include "run/privacy/redact.h"
#include "run/numbers/run_outcome.h"
#include "run/record/summary_table.h"
#include "run/folder/members.h"
#include "core/text/utf8.h"
#include <math.h>
#include <string.h>

static const char disclaimer[] = "Not for clinical decisions.";

/* An opening of the summary: its port, and what follows from it. */
typedef struct {
  ht_port_result port;
  int is_pulsatile, is_inlet, has_errors, has_drop, is_placed;
  double flow_percent;                         /* of all ports of its role */
  double flow_error_ml_s, pressure_error_mmhg; /* of the means over beats, or over time */
  double drop_mmhg;                            /* from the main inlet */
  ht_opening opening;
} opening_figures;

/* Figures of the summary, from a run or its summary.json. */
typedef struct {
  int has_report, mask_edited, is_pulsatile;
  int openings;
  opening_figures opening[HT_OPENINGS_MAX];
  ht_flow_stats stats;
  ht_wall_stats wall;
  ht_cycle_stats cycle;
  ht_averages averages;
  ht_plausible plausible;
  ht_measured_record inflow; /* where it was measured */
  ht_gradient gradient;
  ht_sac_numbers sac;
  ht_sensitivity sensitivity;
  ht_flow_plan plan;
  ht_tiling tiling; /* its numbers; the arrays are borrowed */
  ht_time_summary time;
  char warning[HT_WARNINGS_MAX][HT_WARNING_LENGTH];
  int warnings;
} digest;

/* ---- the members ---- */

#define OF(key, field) HT_MEMBER(opening_figures, key, field)
#define MMHG(key, field)                                                                           \
  HT_MEMBER(opening_figures, key, field), .options = HT_NOT_READ, .over = HT_PA_PER_MMHG
#define OF_FLAG(field) HT_FLAG(opening_figures, field)
#define AT(key, field)                                                                             \
  { HT_MEMBER(digest, key, field) }
#define BOOL(key, field)                                                                           \
  { HT_MEMBER(digest, key, field), .options = HT_BOOL }
#define PERCENT(key, field)                                                                        \
  { HT_MEMBER(digest, key, field), .times = 100 }
#define FLAG(field) HT_FLAG(digest, field)

static const ht_member placed_members[] = {
    {OF("flow_asked_ml_s", opening.flow_ml_s), OF_FLAG(is_inlet)},
    {OF("radius_mm", opening.radius_mm)},
    {OF("centre_mm", opening.centre_mm)},
    {OF("direction", opening.direction)},
    {0},
};

static const ht_member opening_members[] = {
    {OF("name", port.name)},
    {OF("role", port.role), .words = ht_role_words},
    {OF("flow_ml_s", port.flow_ml_s)},
    {OF("flow_percent", flow_percent)},
    {OF("pressure_pa", port.pressure_pa)},
    {MMHG("pressure_mmhg", port.pressure_pa)},
    {MMHG("highest_pressure_mmhg", port.highest_pressure_pa), OF_FLAG(is_pulsatile)},
    {MMHG("lowest_pressure_mmhg", port.lowest_pressure_pa), OF_FLAG(is_pulsatile)},
    {OF("flow_error_ml_s", flow_error_ml_s), OF_FLAG(has_errors)},
    {OF("pressure_error_mmhg", pressure_error_mmhg), OF_FLAG(has_errors)},
    {OF("pressure_drop_from_inlet_mmhg", drop_mmhg), OF_FLAG(has_drop)},
    {OF("highest_pressure_pa", port.highest_pressure_pa), OF_FLAG(is_pulsatile)},
    {OF("lowest_pressure_pa", port.lowest_pressure_pa), OF_FLAG(is_pulsatile)},
    {OF("port_pressure_pa", port.port_pressure_pa)},
    {OF("mean_velocity_m_s", port.mean_velocity_m_s)},
    {OF("port_area_mm2", port.area_mm2)},
    {HT_GROUP(placed_members), OF_FLAG(is_placed)},
    {0},
};

static const ht_member pulse_members[] = {
    AT("period_s", stats.period_s),
    AT("cycles", stats.cycles),
    AT("beats", stats.beats),
    AT("samples", stats.samples),
    AT("cycle_change", stats.cycle_change),
    PERCENT("moment_imbalance_percent", stats.moment_imbalance),
    AT("moment_imbalance_time_s", stats.moment_time_s),
    AT("peak_time_s", stats.peak_time_s),
    AT("phase_time_s", stats.phase_time_s),
    {0},
};
static const ht_member steady_members[] = {
    AT("steady_change", stats.steady_change),
    {HT_MEMBER(digest, "slow_parts_left", stats.slow_left), .options = HT_OPTIONAL},
    {0},
};
#define LIST(key, field)                                                                           \
  { HT_MEMBER(digest, key, field), .options = HT_OPTIONAL, HT_NUMBER_AT(digest, stats.changes) }

static const ht_member flow_members[] = {
    AT("max_velocity_m_s", stats.max_velocity_m_s),
    AT("reynolds", stats.reynolds),
    PERCENT("mass_imbalance_percent", stats.mass_imbalance),
    AT("steps", stats.steps),
    AT("coarse_steps", stats.coarse_steps),
    {HT_GROUP(pulse_members), FLAG(is_pulsatile)},
    {HT_GROUP(steady_members), FLAG(is_pulsatile), .options = HT_UNLESS},
    LIST("change_steps", stats.change_step),
    LIST("changes", stats.change),
    {HT_MEMBER(digest, "spacing_mm", stats.dx_m), .times = 1000},
    AT("dt_s", stats.dt_s),
    AT("tau", stats.tau),
    AT("max_velocity_lu", stats.max_velocity_lu),
    AT("fluid_nodes", stats.fluid_nodes),
    AT("precision", stats.precision),
    AT("collision", stats.collision),
    AT("fluid", stats.fluid),
    BOOL("diagonals_corrected", stats.diagonals_corrected),
    {0},
};

static const ht_member wall_members[] = {
    AT("wss_mean_pa", wall.wss_mean_pa),
    AT("wss_max_pa", wall.wss_max_pa),
    AT("wss_p99_pa", wall.wss_p99_pa),
    AT("area_mm2", wall.area_mm2),
    AT("dx_plus_p99", wall.dx_plus_p99),
    AT("dx_plus_max", wall.dx_plus_max),
    PERCENT("dx_plus_above_5_percent", wall.coarse_share),
    {HT_OBJECT(digest, "cycle", cycle, ht_cycle_members)},
    {0},
};

static const ht_member tiling_members[] = {
    AT("tiles", tiling.tiles),
    AT("origin", tiling.origin),
    AT("utilisation", tiling.utilisation),
    AT("utilisation_at_origin_000", tiling.utilisation_at_origin_000),
    {0},
};
static const ht_member speed_members[] = {
    AT("device", stats.device),
    AT("mflups", stats.mflups),
    AT("seconds", stats.seconds),
    AT("coarse_seconds", stats.coarse_seconds),
    {0},
};

/* Tables in the order of the file; between them is what has functions of its own. */
static const ht_member state_members[] = {
    BOOL("steady", stats.steady),
    BOOL("mask_edited", mask_edited),
    {0},
};
static const ht_member openings_members[] = {
    {HT_ITEMS(digest, "openings", opening, openings, opening_members)},
    {0},
};
static const ht_member result_members[] = {
    {HT_OBJECT(digest, "measured_flow", inflow, ht_measured_short_members)},
    {HT_PART("flow", flow_members)},
    {HT_PART("wall", wall_members)},
    {HT_GROUP(ht_averages_members), HT_AT(digest, averages)},
    {HT_OBJECT(digest, "plausibility", plausible, ht_plausible_members)},
    {HT_OBJECT(digest, "narrowing", gradient, ht_gradient_members), FLAG(gradient.is_narrow)},
    {HT_OBJECT(digest, "sac", sac, ht_sac_members), FLAG(sac.is_sought)},
    {0},
};
static const ht_member work_members[] = {
    {HT_PART("tiling", tiling_members)},
    {HT_PART("speed", speed_members)},
    {HT_OBJECT(digest, "time", time, ht_time_members)},
    {0},
};

/* ---- from a run ---- */

static double total_flow(const ht_flow_stats *stats, ht_role role) {
  double sum = 0;
  for (int p = 0; p < stats->ports; p++)
    if (stats->port[p].role == role) sum += stats->port[p].flow_ml_s;
  return sum;
}

static opening_figures figures_of(const ht_run *run, int p) {
  const ht_flow_stats *stats = &run->solved.stats;
  const ht_port_result *port = &stats->port[p];
  const ht_opening *opening = ht_openings_named(&run->vessel.placed.openings, port->name);
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  const ht_beat *beat = ht_sampled_beat(&run->sampled);
  opening_figures of = {.port = *port, .is_pulsatile = stats->period_s > 0};
  of.flow_percent = 100 * port->flow_ml_s / total_flow(stats, port->role);
  of.has_errors = ht_flow_fault_of(stats) == HT_FLOW_AVERAGED && p < beat->ports && beat->beats > 1;
  if (of.has_errors) {
    of.flow_error_ml_s = ht_beat_error(beat, beat->flow_ml_s, beat->ports, p);
    of.pressure_error_mmhg =
        ht_beat_error(beat, beat->pressure_pa, beat->ports, p) / HT_PA_PER_MMHG;
  }
  of.has_drop = inlet && port->role == HT_ROLE_OUTLET;
  if (of.has_drop) of.drop_mmhg = (inlet->pressure_pa - port->pressure_pa) / HT_PA_PER_MMHG;
  of.is_placed = opening != NULL;
  if (opening) of.opening = *opening;
  of.is_inlet = of.opening.role == HT_ROLE_INLET;
  return of;
}

static void take(const ht_run *run, digest *of) {
  const ht_solved *solved = &run->solved;
  const ht_measured *measured = &run->measured;
  memset(of, 0, sizeof *of);
  of->mask_edited = run->vessel.mask_edited;
  of->is_pulsatile = solved->stats.period_s > 0;
  of->openings = solved->stats.ports;
  for (int p = 0; p < of->openings; p++) of->opening[p] = figures_of(run, p);
  of->stats = solved->stats;
  of->wall = measured->wall;
  of->cycle = measured->cycle_stats;
  if (ht_flow_fault_of(&of->stats) == HT_FLOW_AVERAGED) of->averages = ht_averages_of(&of->stats);
  of->plausible = measured->plausible;
  if (ht_measured_is_inflow(&run->manifest.measured, run->given.settings))
    of->inflow = run->manifest.measured;
  of->gradient = measured->gradient;
  of->sac = measured->sac;
  of->sensitivity = run->measured.sensitivity;
  of->plan = run->manifest.plan;
  of->tiling = run->tiling;
  of->time = run->time;
}

/* ---- writing ---- */

static void warning_json(ht_json *json, const char *warning) {
  char text[HT_WARNING_LENGTH];
  snprintf(text, sizeof text, "%s", warning);
  ht_redact(text, sizeof text);
  ht_json_string(json, NULL, text);
}

ht_status ht_summary_write(const char *path, const ht_run *run) {
  char table[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  digest of;
  take(run, &of);
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "name", run->given.settings->name);
  ht_json_string(&json, "notice", disclaimer);
  ht_members_json(&json, state_members, &of);
  ht_json_array(&json, "warnings");
  for (int i = 0; i < run->warnings.count; i++) warning_json(&json, run->warnings.text[i]);
  ht_json_array_end(&json);
  ht_members_json(&json, openings_members, &of);
  ht_inflow_json(&json, run->given.settings, &run->vessel.placed.openings);
  ht_members_json(&json, result_members, &of);
  ht_sensitivity_json(&json, &of.sensitivity);
  ht_members_json(&json, work_members, &of);
  ht_json_object(&json, "manifest");
  ht_manifest_json(&json, &run->manifest, run->given.settings);
  ht_json_object_end(&json);
  HT_TRY(ht_json_commit(&json, &output));
  HT_TRY(ht_run_path(run, HT_FILE_SUMMARY_CSV, table));
  return ht_summary_table_write(path, table);
}

/* ---- printing ---- */

static int has_report(const char *folder) {
  char path[HT_PATH_MAX];
  return ht_path_join(path, folder, HT_FILE_REPORT) == HT_OK && ht_file_exists(path);
}

static const ht_port_result *main_inlet(const digest *of) {
  ht_port_result port[HT_OPENINGS_MAX];
  for (int p = 0; p < of->openings; p++) port[p] = of->opening[p].port;
  const ht_port_result *inlet = ht_port_main_inlet(port, of->openings);
  return inlet ? &of->opening[inlet - port].port : NULL;
}

static void print_openings(FILE *stream, const digest *of) {
  int width = ht_utf8_width(12, of->opening->port.name, sizeof *of->opening, of->openings);
  fprintf(stream, "\n  %-*s %-7s %10s %12s %12s %12s %14s\n", width, "opening", "role", "radius mm",
          "flow mL/s", "mean m/s", "pressure Pa", "drop mmHg");
  for (int p = 0; p < of->openings; p++) {
    const ht_port_result *port = &of->opening[p].port;
    fprintf(stream, "  %-*s %-7s %10.2f %12.4g %12.4g %12.2f", width + ht_utf8_extra(port->name),
            port->name, ht_role_name(port->role), of->opening[p].opening.radius_mm,
            port->flow_ml_s + 0.0, port->mean_velocity_m_s + 0.0, /* + 0.0: no minus zero */
            fabs(port->pressure_pa) < 0.005 ? 0.0 : port->pressure_pa);
    if (of->opening[p].has_drop) fprintf(stream, " %14.3g", of->opening[p].drop_mmhg);
    fputc('\n', stream);
  }
}

/* Prints the beat. After one beat no change is known. Means over beats need not repeat: then in and
 * out differ. */
static void print_beat(FILE *stream, const digest *of) {
  const ht_flow_stats *stats = &of->stats;
  fprintf(stream, "  means of a beat of %.3g s", stats->period_s);
  if (stats->cycle_change < 1)
    fprintf(stream, ", whose peak velocity changed by %.2g %%", 100 * stats->cycle_change);
  const int balanced = fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE;
  const int changes = stats->cycle_change > HT_PERIODIC_CHANGE;
  fprintf(stream, "%s\n",
          stats->steady                                ? ""
          : changes && (stats->beats <= 1 || balanced) ? ": NOT PERIODIC YET"
                                                       : ": IN AND OUT DIFFER");
}

static void print_cuff(FILE *stream, const digest *of) {
  const ht_port_result *port = main_inlet(of);
  if (!(of->plan.asked_mmhg[0] > 0) || !of->is_pulsatile || !port) return;
  fprintf(stream, "  pressure at %-9s %.1f over %.1f mmHg (blood pressure %g over %g%s)\n",
          port->name, port->highest_pressure_pa / HT_PA_PER_MMHG,
          port->lowest_pressure_pa / HT_PA_PER_MMHG, of->plan.asked_mmhg[0], of->plan.asked_mmhg[1],
          of->plan.tunes ? "" : " at rest");
}

static void print_digest(FILE *stream, const char *folder, const digest *of) {
  const double imbalance_percent = 100 * of->stats.mass_imbalance;
  print_openings(stream, of);
  fprintf(stream, "\n  highest velocity      %.4g m/s (inlet Reynolds number %.0f)\n",
          of->stats.max_velocity_m_s, of->stats.reynolds);
  if (of->cycle.samples == 0) /* of a pulse it is the |mean of WSS| of the cycle */
    fprintf(stream, "  wall shear stress     mean %.4g Pa, 99 %% below %.4g Pa, highest %.4g Pa\n",
            of->wall.wss_mean_pa, of->wall.wss_p99_pa, of->wall.wss_max_pa);
  ht_cycle_print(stream, &of->cycle);
  ht_measured_record_print(stream, &of->inflow);
  ht_plausible_print(stream, &of->plausible);
  ht_gradient_print(stream, &of->gradient);
  ht_sac_print(stream, &of->sac);
  print_cuff(stream, of);
  fprintf(stream, "  flow in minus out     %.3f %%\n",
          fabs(imbalance_percent) < 0.0005 ? 0.0 : imbalance_percent);
  ht_averages_print(stream, &of->averages);
  if (of->averages.samples > 0)
    ; /* printed already */
  else if (of->is_pulsatile)
    print_beat(stream, of);
  else if (!of->stats.steady)
    fputs("  NOT STEADY: these are not the numbers of the steady flow\n", stream);
  ht_sensitivity_print(stream, &of->sensitivity);
  for (int i = 0; i < of->warnings; i++) fprintf(stream, "  warning: %s\n", of->warning[i]);
  ht_time_print(stream, &of->time);
  if (of->has_report) fprintf(stream, "\n  open in a browser: %s/" HT_FILE_REPORT, folder);
  fprintf(stream, "\n  pictures: %s/" HT_FOLDER_PICTURES "   numbers: %s/" HT_FILE_SUMMARY "\n",
          folder, folder);
  fprintf(stream, "  %s\n", disclaimer);
}

void ht_summary_print(FILE *stream, const ht_run *run) {
  digest of;
  take(run, &of);
  of.has_report = has_report(run->given.folder);
  /* With --quiet the warnings stand directly above this text: it does not repeat them. */
  of.warnings = ht_console_is_quiet() ? 0 : run->warnings.count;
  for (int i = 0; i < of.warnings; i++)
    snprintf(of.warning[i], HT_WARNING_LENGTH, "%s", run->warnings.text[i]);
  print_digest(stream, run->given.folder, &of);
}

static void read_digest(struct fy_node *root, digest *of) {
  struct fy_node *warnings = ht_yaml_get(root, "warnings"), *item;
  void *next = NULL;
  while (warnings && of->warnings < HT_WARNINGS_MAX &&
         (item = fy_node_sequence_iterate(warnings, &next)))
    snprintf(of->warning[of->warnings++], HT_WARNING_LENGTH, "%s", fy_node_get_scalar0(item));
  ht_members_read(root, state_members, of);
  ht_members_read(root, openings_members, of);
  ht_members_read(root, result_members, of);
  ht_sensitivity_read(ht_yaml_get(root, "sensitivity"), &of->sensitivity);
  ht_members_read(ht_yaml_get(root, "manifest"), ht_flow_plan_members, &of->plan);
  ht_members_read(root, work_members, of);
}

ht_status ht_summary_print_file(FILE *stream, const char *folder) {
  digest of;
  char path[HT_PATH_MAX];
  ht_yaml yaml;
  memset(&of, 0, sizeof of);
  of.has_report = has_report(folder);
  HT_TRY(ht_path_join(path, folder, HT_FILE_SUMMARY));
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  read_digest(yaml.root, &of);
  ht_yaml_free(&yaml);
  print_digest(stream, folder, &of);
  return HT_OK;
}
