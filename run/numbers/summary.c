#include "run/numbers/summary.h"
#include "run/record/beat_summary.h"
#include "run/process/console.h"
#include "run/record/cycle_summary.h"
#include "run/folder/flow_file.h"
#include "run/numbers/inflow_table.h"
#include "run/privacy/redact.h"
#include "run/numbers/run_outcome.h"
#include "run/record/summary_table.h"
#include "run/folder/yaml_file.h"
#include "core/text/utf8.h"
#include <math.h>
#include <string.h>

static const char disclaimer[] = "Not for clinical decisions.";

static double total_flow(const ht_flow_stats *stats, ht_role role) {
  double sum = 0;
  for (int p = 0; p < stats->ports; p++)
    if (stats->port[p].role == role) sum += stats->port[p].flow_ml_s;
  return sum;
}

/* Writes the errors of the means over beats, or over time. */
static void errors_json(ht_json *json, const ht_flow_stats *stats, const ht_beat *beat,
                        const ht_port_result *port) {
  int p = (int)(port - stats->port);
  if (ht_flow_fault_of(stats) != HT_FLOW_AVERAGED || p >= beat->ports || beat->beats < 2) return;
  ht_json_number(json, "flow_error_ml_s", ht_beat_error(beat, beat->flow_ml_s, beat->ports, p));
  ht_json_number(json, "pressure_error_mmhg",
                 ht_beat_error(beat, beat->pressure_pa, beat->ports, p) / HT_PA_PER_MMHG);
}

static void opening_json(ht_json *json, const ht_run *run, const ht_port_result *port) {
  const ht_opening *opening = ht_openings_named(&run->vessel.placed.openings, port->name);
  const ht_flow_stats *stats = &run->solved.stats;
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  ht_json_object(json, NULL);
  ht_json_string(json, "name", port->name);
  ht_json_string(json, "role", ht_role_name(port->role));
  ht_json_number(json, "flow_ml_s", port->flow_ml_s);
  ht_json_number(json, "flow_percent",
                 100 * port->flow_ml_s / total_flow(&run->solved.stats, port->role));
  ht_json_number(json, "pressure_pa", port->pressure_pa);
  ht_json_number(json, "pressure_mmhg", port->pressure_pa / HT_PA_PER_MMHG);
  if (run->solved.stats.period_s > 0) {
    ht_json_number(json, "highest_pressure_mmhg", port->highest_pressure_pa / HT_PA_PER_MMHG);
    ht_json_number(json, "lowest_pressure_mmhg", port->lowest_pressure_pa / HT_PA_PER_MMHG);
  }
  errors_json(json, stats, ht_sampled_beat(&run->sampled), port);
  if (inlet && port->role == HT_ROLE_OUTLET)
    ht_json_number(json, "pressure_drop_from_inlet_mmhg",
                   (inlet->pressure_pa - port->pressure_pa) / HT_PA_PER_MMHG);
  if (run->solved.stats.period_s > 0) {
    ht_json_number(json, "highest_pressure_pa", port->highest_pressure_pa);
    ht_json_number(json, "lowest_pressure_pa", port->lowest_pressure_pa);
  }
  ht_json_number(json, "port_pressure_pa", port->port_pressure_pa);
  ht_json_number(json, "mean_velocity_m_s", port->mean_velocity_m_s);
  ht_json_number(json, "port_area_mm2", port->area_mm2);
  if (opening) {
    if (opening->role == HT_ROLE_INLET) ht_json_number(json, "flow_asked_ml_s", opening->flow_ml_s);
    ht_json_number(json, "radius_mm", opening->radius_mm);
    ht_json_numbers(json, "centre_mm", opening->centre_mm, 3);
    ht_json_numbers(json, "direction", opening->direction, 3);
  }
  ht_json_object_end(json);
}

static void flow_json(ht_json *json, const ht_run *run) {
  const ht_flow_stats *stats = &run->solved.stats;
  ht_json_object(json, "flow");
  ht_json_number(json, "max_velocity_m_s", stats->max_velocity_m_s);
  ht_json_number(json, "reynolds", stats->reynolds);
  ht_json_number(json, "mass_imbalance_percent", 100 * stats->mass_imbalance);
  ht_json_integer(json, "steps", stats->steps);
  ht_json_integer(json, "coarse_steps", stats->coarse_steps);
  if (stats->period_s > 0) {
    ht_json_number(json, "period_s", stats->period_s);
    ht_json_integer(json, "cycles", stats->cycles);
    ht_json_integer(json, "beats", stats->beats);
    ht_json_integer(json, "samples", stats->samples);
    ht_json_number(json, "cycle_change", stats->cycle_change);
    ht_json_number(json, "moment_imbalance_percent", 100 * stats->moment_imbalance);
    ht_json_number(json, "moment_imbalance_time_s", stats->moment_time_s);
    ht_json_number(json, "peak_time_s", stats->peak_time_s);
    ht_json_number(json, "phase_time_s", stats->phase_time_s);
  } else {
    ht_json_number(json, "steady_change", stats->steady_change);
    if (stats->slow_left > 0) ht_json_number(json, "slow_parts_left", stats->slow_left);
  }
  if (stats->changes > 0) {
    ht_json_numbers(json, "change_steps", stats->change_step, stats->changes);
    ht_json_numbers(json, "changes", stats->change, stats->changes);
  }
  ht_json_number(json, "spacing_mm", stats->dx_m * 1000);
  ht_json_number(json, "dt_s", stats->dt_s);
  ht_json_number(json, "tau", stats->tau);
  ht_json_number(json, "max_velocity_lu", stats->max_velocity_lu);
  ht_json_integer(json, "fluid_nodes", stats->fluid_nodes);
  ht_json_string(json, "precision", stats->precision);
  ht_json_string(json, "collision", stats->collision);
  ht_json_string(json, "fluid", stats->fluid);
  ht_json_bool(json, "diagonals_corrected", stats->diagonals_corrected);
  ht_json_object_end(json);
  ht_json_object(json, "wall");
  ht_json_number(json, "wss_mean_pa", run->measured.wall.wss_mean_pa);
  ht_json_number(json, "wss_max_pa", run->measured.wall.wss_max_pa);
  ht_json_number(json, "wss_p99_pa", run->measured.wall.wss_p99_pa);
  ht_json_number(json, "area_mm2", run->measured.wall.area_mm2);
  ht_json_number(json, "dx_plus_p99", run->measured.wall.dx_plus_p99);
  ht_json_number(json, "dx_plus_max", run->measured.wall.dx_plus_max);
  ht_json_number(json, "dx_plus_above_5_percent", 100 * run->measured.wall.coarse_share);
  ht_cycle_json(json, &run->measured.cycle_stats);
  ht_json_object_end(json);
}

static void speed_json(ht_json *json, const ht_tiling *tiling, const ht_flow_stats *stats) {
  double origin[3];
  for (int a = 0; a < 3; a++) origin[a] = tiling->origin[a];
  ht_json_object(json, "tiling");
  ht_json_integer(json, "tiles", tiling->tiles);
  ht_json_numbers(json, "origin", origin, 3);
  ht_json_number(json, "utilisation", tiling->utilisation);
  ht_json_number(json, "utilisation_at_origin_000", tiling->utilisation_at_origin_000);
  ht_json_object_end(json);
  ht_json_object(json, "speed");
  ht_json_string(json, "device", stats->device);
  ht_json_number(json, "mflups", stats->mflups);
  ht_json_number(json, "seconds", stats->seconds);
  ht_json_number(json, "coarse_seconds", stats->coarse_seconds);
  ht_json_object_end(json);
}

static void warning_json(ht_json *json, const char *warning) {
  char text[HT_WARNING_LENGTH];
  snprintf(text, sizeof text, "%s", warning);
  ht_redact(text, sizeof text);
  ht_json_string(json, NULL, text);
}

ht_status ht_summary_write(const char *path, const ht_run *run) {
  char table[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  ht_json json = {output.stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "name", run->given.settings->name);
  ht_json_string(&json, "notice", disclaimer);
  ht_json_bool(&json, "steady", run->solved.stats.steady);
  ht_json_bool(&json, "mask_edited", run->vessel.mask_edited);
  ht_json_array(&json, "warnings");
  for (int i = 0; i < run->warnings.count; i++) warning_json(&json, run->warnings.text[i]);
  ht_json_array_end(&json);
  ht_json_array(&json, "openings");
  for (int p = 0; p < run->solved.stats.ports; p++)
    opening_json(&json, run, &run->solved.stats.port[p]);
  ht_json_array_end(&json);
  ht_inflow_json(&json, run->given.settings, &run->vessel.placed.openings);
  flow_json(&json, run);
  if (ht_flow_fault_of(&run->solved.stats) == HT_FLOW_AVERAGED)
    ht_averages_json(&json, &run->solved.stats);
  ht_plausible_json(&json, &run->measured.plausible);
  ht_gradient_json(&json, &run->measured.gradient, run->solved.stats.period_s > 0);
  ht_sac_json(&json, &run->measured.sac);
  ht_sensitivity_json(&json, &run->measured.sensitivity);
  speed_json(&json, &run->tiling, &run->solved.stats);
  ht_time_json(&json, &run->time);
  ht_json_object(&json, "manifest");
  ht_manifest_json(&json, &run->manifest, run->given.settings);
  ht_json_object_end(&json);
  ht_json_object_end(&json);
  HT_TRY(ht_output_commit(&output));
  HT_TRY(ht_run_path(run, HT_FILE_SUMMARY_CSV, table));
  return ht_summary_table_write(path, table);
}

static int has_report(const char *folder) {
  char path[HT_PATH_MAX];
  return ht_path_join(path, folder, HT_FILE_REPORT) == HT_OK && ht_file_exists(path);
}

/* Figures of the printed summary, from a run or its summary.json. */
typedef struct {
  int ports, steady, beats, has_report;
  double period_s, cycle_change;
  ht_port_result port[HT_OPENINGS_MAX];
  double radius_mm[HT_OPENINGS_MAX];
  double max_velocity_m_s, reynolds, imbalance_percent;
  double wss_mean_pa, wss_max_pa, wss_p99_pa;
  ht_cycle_stats cycle;
  ht_plausible plausible;
  ht_gradient gradient;
  ht_sac_numbers sac;
  ht_flow_stats averages; /* its members about means */
  ht_sensitivity sensitivity;
  ht_flow_plan plan;
  ht_time_summary time;
  char warning[HT_WARNINGS_MAX][HT_WARNING_LENGTH];
  int warnings;
} digest;

static void print_openings(FILE *stream, const digest *of) {
  const ht_port_result *inlet = ht_port_main_inlet(of->port, of->ports);
  int width = ht_utf8_width(12, of->port->name, sizeof *of->port, of->ports);
  fprintf(stream, "\n  %-*s %-7s %10s %12s %12s %12s %14s\n", width, "opening", "role", "radius mm",
          "flow mL/s", "mean m/s", "pressure Pa", "drop mmHg");
  for (int p = 0; p < of->ports; p++) {
    const ht_port_result *port = &of->port[p];
    fprintf(stream, "  %-*s %-7s %10.2f %12.4g %12.4g %12.2f", width + ht_utf8_extra(port->name),
            port->name, ht_role_name(port->role), of->radius_mm[p], port->flow_ml_s + 0.0,
            port->mean_velocity_m_s + 0.0, /* + 0.0: no minus zero */
            fabs(port->pressure_pa) < 0.005 ? 0.0 : port->pressure_pa);
    if (inlet && port->role == HT_ROLE_OUTLET)
      fprintf(stream, " %14.3g", (inlet->pressure_pa - port->pressure_pa) / HT_PA_PER_MMHG);
    fputc('\n', stream);
  }
}

/* Prints the beat. After one beat no change is known. Means over beats need not repeat: then in and
 * out differ. */
static void print_beat(FILE *stream, const digest *of) {
  fprintf(stream, "  means of a beat of %.3g s", of->period_s);
  if (of->cycle_change < 1)
    fprintf(stream, ", whose peak velocity changed by %.2g %%", 100 * of->cycle_change);
  const int balanced = fabs(of->imbalance_percent) <= 100 * HT_PERIODIC_IMBALANCE;
  const int changes = of->cycle_change > HT_PERIODIC_CHANGE;
  fprintf(stream, "%s\n",
          of->steady                                ? ""
          : changes && (of->beats <= 1 || balanced) ? ": NOT PERIODIC YET"
                                                    : ": IN AND OUT DIFFER");
}

static void print_cuff(FILE *stream, const digest *of) {
  const ht_port_result *port = ht_port_main_inlet(of->port, of->ports);
  if (!(of->plan.asked_mmhg[0] > 0) || of->period_s == 0 || !port) return;
  fprintf(stream, "  pressure at %-9s %.1f over %.1f mmHg (blood pressure %g over %g%s)\n",
          port->name, port->highest_pressure_pa / HT_PA_PER_MMHG,
          port->lowest_pressure_pa / HT_PA_PER_MMHG, of->plan.asked_mmhg[0], of->plan.asked_mmhg[1],
          of->plan.tunes ? "" : " at rest");
}

static void print_digest(FILE *stream, const char *folder, const digest *of) {
  print_openings(stream, of);
  fprintf(stream, "\n  highest velocity      %.4g m/s (inlet Reynolds number %.0f)\n",
          of->max_velocity_m_s, of->reynolds);
  if (of->cycle.samples == 0) /* of a pulse it is the |mean of WSS| of the cycle */
    fprintf(stream, "  wall shear stress     mean %.4g Pa, 99 %% below %.4g Pa, highest %.4g Pa\n",
            of->wss_mean_pa, of->wss_p99_pa, of->wss_max_pa);
  ht_cycle_print(stream, &of->cycle);
  ht_plausible_print(stream, &of->plausible);
  ht_gradient_print(stream, &of->gradient, of->period_s > 0);
  ht_sac_print(stream, &of->sac);
  print_cuff(stream, of);
  fprintf(stream, "  flow in minus out     %.3f %%\n",
          fabs(of->imbalance_percent) < 0.0005 ? 0.0 : of->imbalance_percent);
  ht_averages_print(stream, &of->averages);
  if (of->averages.averaged > 0)
    ; /* printed already */
  else if (of->period_s > 0)
    print_beat(stream, of);
  else if (!of->steady)
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
  const ht_flow_stats *stats = &run->solved.stats;
  memset(&of, 0, sizeof of);
  of.ports = stats->ports;
  of.has_report = has_report(run->given.folder);
  of.steady = stats->steady;
  of.period_s = stats->period_s;
  of.beats = stats->beats;
  of.cycle_change = stats->cycle_change;
  memcpy(of.port, stats->port, sizeof of.port);
  for (int p = 0; p < of.ports; p++) {
    const ht_opening *opening = ht_openings_named(&run->vessel.placed.openings, of.port[p].name);
    of.radius_mm[p] = opening ? opening->radius_mm : 0;
  }
  of.max_velocity_m_s = stats->max_velocity_m_s;
  of.reynolds = stats->reynolds;
  of.imbalance_percent = 100 * stats->mass_imbalance;
  of.wss_mean_pa = run->measured.wall.wss_mean_pa;
  of.wss_max_pa = run->measured.wall.wss_max_pa;
  of.wss_p99_pa = run->measured.wall.wss_p99_pa;
  of.cycle = run->measured.cycle_stats;
  of.plausible = run->measured.plausible;
  of.gradient = run->measured.gradient;
  of.sac = run->measured.sac;
  if (ht_flow_fault_of(stats) == HT_FLOW_AVERAGED) of.averages = *stats;
  of.sensitivity = run->measured.sensitivity;
  of.plan = run->manifest.plan;
  of.time = run->time;
  /* With --quiet the warnings stand directly above this text: it does not repeat them. */
  of.warnings = ht_console_is_quiet() ? 0 : run->warnings.count;
  for (int i = 0; i < of.warnings; i++)
    snprintf(of.warning[i], HT_WARNING_LENGTH, "%s", run->warnings.text[i]);
  print_digest(stream, run->given.folder, &of);
}

static void read_port(struct fy_node *node, digest *of) {
  int p = of->ports++;
  ht_port_result_read(node, &of->port[p]);
  ht_yaml_number(node, "radius_mm", &of->radius_mm[p]);
}

static void read_digest(struct fy_node *root, digest *of) {
  struct fy_node *flow = ht_yaml_get(root, "flow"), *wall = ht_yaml_get(root, "wall");
  struct fy_node *ports = ht_yaml_get(root, "openings"), *warnings = ht_yaml_get(root, "warnings");
  struct fy_node *item;
  void *next = NULL;
  while (ports && of->ports < HT_OPENINGS_MAX && (item = fy_node_sequence_iterate(ports, &next)))
    read_port(item, of);
  next = NULL;
  while (warnings && of->warnings < HT_WARNINGS_MAX &&
         (item = fy_node_sequence_iterate(warnings, &next)))
    snprintf(of->warning[of->warnings++], HT_WARNING_LENGTH, "%s", fy_node_get_scalar0(item));
  ht_yaml_bool(root, "steady", &of->steady);
  ht_yaml_number(flow, "max_velocity_m_s", &of->max_velocity_m_s);
  ht_yaml_number(flow, "period_s", &of->period_s);
  ht_yaml_number(flow, "cycle_change", &of->cycle_change);
  ht_yaml_int(flow, "beats", &of->beats);
  ht_yaml_number(flow, "reynolds", &of->reynolds);
  ht_yaml_number(flow, "mass_imbalance_percent", &of->imbalance_percent);
  ht_yaml_number(wall, "wss_mean_pa", &of->wss_mean_pa);
  ht_yaml_number(wall, "wss_max_pa", &of->wss_max_pa);
  ht_yaml_number(wall, "wss_p99_pa", &of->wss_p99_pa);
  ht_averages_read(root, &of->averages);
  of->averages.period_s = of->period_s;
  ht_plausible_read(ht_yaml_get(root, "plausibility"), &of->plausible);
  ht_gradient_read(ht_yaml_get(root, "narrowing"), &of->gradient);
  ht_sac_read(ht_yaml_get(root, "sac"), &of->sac);
  ht_sensitivity_read(ht_yaml_get(root, "sensitivity"), &of->sensitivity);
  struct fy_node *manifest = ht_yaml_get(root, "manifest");
  if (manifest) ht_flow_plan_read(manifest, &of->plan);
  ht_time_read(ht_yaml_get(root, "time"), &of->time);
  ht_cycle_read(wall ? ht_yaml_get(wall, "cycle") : NULL, &of->cycle);
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
