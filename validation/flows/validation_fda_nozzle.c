/* The FDA's benchmark nozzle at a throat Reynolds number of 500: a steady flow. */
#include "validation/flows/nozzle_tube.h"
#include "validation/known/reference.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double reynolds = 500;
static const double laboratory[2] = {243, 999};
enum { POINTS = 32, MOST_PROFILE = 400 };

static double axial(const ht_tube_flow *flow, double z_mm, double across_mm) {
  return ht_nozzle_axial(flow, z_mm, across_mm);
}

/* Full width at half of the velocity on the axis. */
static double width_mm(const ht_tube_flow *flow, double z_mm) {
  double half = 0.5 * axial(flow, z_mm, 0), step = 0.1 * flow->tube.spacing_mm, width = 0;
  for (int side = -1; side <= 1; side += 2) {
    double r = 0;
    while (r < 0.5 * HT_NOZZLE_PIPE_MM && axial(flow, z_mm, side * r) > half) r += step;
    width += r;
  }
  return width;
}

/* ---- a table of both laboratories: z, value ---- */

typedef struct {
  int count[2];
  double z_mm[2][POINTS], value[2][POINTS];
} measured;

static ht_status read(const char *file, const char *column, measured *m) {
  ht_reference table;
  HT_TRY(ht_reference_read(file, &table));
  int value = ht_reference_column(&table, column);
  m->count[0] = m->count[1] = 0;
  for (int r = 0; r < table.rows && value >= 0; r++) {
    const double *row = table.value + r * table.columns;
    int lab = row[0] == laboratory[1];
    if (m->count[lab] == POINTS) continue;
    m->z_mm[lab][m->count[lab]] = 1e3 * row[1];
    m->value[lab][m->count[lab]++] = row[value];
  }
  ht_reference_free(&table);
  return HT_OK;
}

/* The mean of the laboratories where both have measured. */
static int mean_of(const measured *m, double *z_mm, double *value) {
  int count = 0;
  for (int i = 0; i < m->count[0]; i++)
    for (int j = 0; j < m->count[1]; j++)
      if (fabs(m->z_mm[0][i] - m->z_mm[1][j]) < 0.1) {
        z_mm[count] = m->z_mm[0][i];
        value[count++] = 0.5 * (m->value[0][i] + m->value[1][j]);
      }
  return count;
}

/* sqrt(mean |computed - measured|^2) over the largest measured value, at the points inside the
 * pipe. */
static double nrmse(const ht_tube_flow *flow, int count, const double *z_mm, const double *value) {
  double sum = 0, most = 0, points = 0, reach = flow->tube.length_mm - 10;
  for (int i = 0; i < count; i++) {
    if (((const ht_nozzle *)flow->tube.context)->before_mm + z_mm[i] > reach) continue;
    sum += pow(axial(flow, z_mm[i], 0) - value[i], 2);
    most = fmax(most, value[i]);
    points++;
  }
  return sqrt(sum / points) / most;
}

/* ---- the comparisons ---- */

static ht_status draw_line(const ht_tube_flow *flow, const measured *m, int is_width,
                           ht_validation_figure *figure) {
  enum { PLACES = 300 };
  double z[PLACES], value[PLACES];
  for (int i = 0; i < PLACES; i++) {
    z[i] = -95 + 185.0 * i / (PLACES - 1);
    value[i] = is_width ? width_mm(flow, z[i]) : axial(flow, z[i], 0);
  }
  HT_TRY(ht_validation_draw(figure, 1, PLACES, z, value, "computed"));
  for (int lab = 0; lab < 2; lab++)
    HT_TRY(ht_validation_draw(figure, 0, m->count[lab], m->z_mm[lab], m->value[lab],
                              "laboratory %g", laboratory[lab]));
  return HT_OK;
}

static ht_status judge_centreline(const ht_tube_flow *flow, ht_validation_result *result) {
  measured m;
  double z[POINTS], value[POINTS];
  HT_TRY(read("fda_nozzle_re500_centreline", "axial_velocity_m_s", &m));
  int both = mean_of(&m, z, value);
  ht_validation_error(result, nrmse(flow, both, z, value), 0.05,
                      "centreline velocity, mean of both laboratories: NRMSE");
  for (int lab = 0; lab < 2; lab++)
    ht_validation_error(result, nrmse(flow, m.count[lab], m.z_mm[lab], m.value[lab]), NAN,
                        "centreline velocity, laboratory %g: NRMSE", laboratory[lab]);
  for (int i = 0; i < both; i++)
    ht_validation_compare(result, axial(flow, z[i], 0), value[i], NAN,
                          "centreline velocity at z %g mm, m/s", z[i]);
  return draw_line(flow, &m, 0,
                   ht_validation_plot(result, "centreline", "FDA nozzle: velocity on the axis",
                                      "place along the axis, mm (expansion: 0)", "velocity, m/s"));
}

static ht_status judge_width(const ht_tube_flow *flow, ht_validation_result *result) {
  measured m;
  double z[POINTS], value[POINTS];
  HT_TRY(read("fda_nozzle_re500_jet_width", "width_m", &m));
  for (int lab = 0; lab < 2; lab++)
    for (int i = 0; i < m.count[lab]; i++) m.value[lab][i] *= 1e3;
  int both = mean_of(&m, z, value);
  for (int i = 0; i < both; i++)
    if (z[i] >= 0)
      ht_validation_compare(result, width_mm(flow, z[i]), value[i], NAN,
                            "width of the jet at z %g mm, mm", z[i]);
  return draw_line(flow, &m, 1,
                   ht_validation_plot(result, "jet_width", "FDA nozzle: width of the jet",
                                      "place along the axis, mm (expansion: 0)",
                                      "full width at half the velocity on the axis, mm"));
}

/* The profile at one place of the axis, of a laboratory. */
static ht_status draw_profile(const ht_tube_flow *flow, const ht_reference *table, double z_mm,
                              ht_validation_figure *figure) {
  double r[MOST_PROFILE], u[MOST_PROFILE];
  for (int i = 0; i <= 240; i++) {
    r[i] = 0.5 * HT_NOZZLE_PIPE_MM * (i / 120.0 - 1);
    u[i] = axial(flow, z_mm, r[i]);
  }
  HT_TRY(ht_validation_draw(figure, 1, 241, r, u, "z %g mm, computed", z_mm));
  for (int lab = 0; lab < 2; lab++) {
    int count = 0;
    for (int i = 0; i < table->rows && count < MOST_PROFILE; i++) {
      const double *row = table->value + i * table->columns;
      if (row[0] != laboratory[lab] || fabs(1e3 * row[1] - z_mm) > 0.1) continue;
      r[count] = 1e3 * row[2];
      u[count++] = row[3];
    }
    HT_TRY(ht_validation_draw(figure, 0, count, r, u, "laboratory %g", laboratory[lab]));
  }
  return HT_OK;
}

static ht_status draw_profiles(const ht_tube_flow *flow, ht_validation_result *result) {
  static const double places[] = {-88, -20, 0, 8, 32, 60};
  ht_reference table;
  ht_status status = ht_reference_read("fda_nozzle_re500_profiles", &table);
  for (size_t i = 0; i < sizeof places / sizeof *places && status == HT_OK; i++) {
    char name[32], title[HT_VALIDATION_TEXT];
    snprintf(name, sizeof name, "profile_%g", places[i]);
    snprintf(title, sizeof title, "FDA nozzle: profile at z = %g mm", places[i]);
    status = draw_profile(
        flow, &table, places[i],
        ht_validation_plot(result, name, title, "distance from the axis, mm", "velocity, m/s"));
  }
  ht_reference_free(&table);
  return status;
}

/* ---- the run ---- */

/* Number of steps for a time of the flow: max_velocity_lu is the largest inlet velocity. */
static int64_t steps_of(double seconds, const ht_tube_shape *tube, double max_velocity_lu) {
  double inlet_m_s = 2 * tube->flow_ml_s / (0.25 * HT_PI * HT_NOZZLE_PIPE_MM * HT_NOZZLE_PIPE_MM);
  return (int64_t)(seconds * inlet_m_s / (max_velocity_lu * 1e-3 * tube->spacing_mm));
}

/* The recirculation around the jet becomes steady slowly and matters little here: a flow that still
 * changes at the end is used, and its change is a row. */
static ht_status solve(const ht_validation_options *options, const ht_tube_shape *tube,
                       ht_tube_flow *flow) {
  ht_solver_options solver = ht_validation_solver(options, HT_MRT);
  solver.density_kg_m3 = HT_NOZZLE_DENSITY_KG_M3;
  solver.viscosity_pa_s = HT_NOZZLE_VISCOSITY_PA_S;
  solver.max_velocity_lu = 0.0125; /* of the inlet; the throat has about eight times that */
  solver.steady_tolerance = 3e-8;
  solver.max_steps = steps_of(options->full ? 4 : 1.5, tube, solver.max_velocity_lu);
  solver.keeping = ht_validation_part_keeping(options, NULL);
  ht_status status = ht_tube_flow_run(tube, &solver, options->progress, flow);
  return status == HT_ERR_NOT_STEADY ? HT_OK : status;
}

ht_status ht_validate_fda_nozzle(const ht_validation_options *options,
                                 ht_validation_result *result) {
  int across;
  ht_nozzle n;
  ht_tube_flow flow;
  HT_TRY(ht_validation_nodes(options, 16, 40, 8, 100, &across));
  const ht_tube_shape tube =
      ht_nozzle_tube(reynolds, across, options->full ? 105 : 95, options->full ? 150 : 100, &n);
  ht_status status = solve(options, &tube, &flow);
  if (status == HT_OK) {
    snprintf(result->device, sizeof result->device, "%s", flow.stats.device);
    snprintf(result->notes, sizeof result->notes,
             "%d nodes across the throat, %.1f M nodes, %s, fp32, tau %.4f, interpolated walls",
             across, 1e-6 * (double)flow.stats.fluid_nodes, ht_validation_model(options, HT_MRT),
             flow.stats.tau);
    ht_validation_show(result, (double)flow.stats.steps, "steps");
    ht_validation_show(result, flow.stats.steady_change,
                       "change of the velocity a step at the end");
    ht_validation_error(result, fabs(flow.stats.mass_imbalance), 1e-3, "mass: (in - out) / in");
    status = judge_centreline(&flow, result);
  }
  if (status == HT_OK) status = judge_width(&flow, result);
  if (status == HT_OK) status = draw_profiles(&flow, result);
  ht_tube_flow_free(&flow);
  return status;
}
