/* The FDA's benchmark nozzle at throat Reynolds numbers of thousands: the jet breaks down, so that
 * velocities and pressures are means over a time, each with its standard error. */
#include "validation/known/batch_means.h"
#include "validation/flows/nozzle_tube.h"
#include "validation/known/reference.h"
#include "core/numbers/units.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The laboratory whose pressures are known outliers. */
static const double outlier = 297;
static const double first_mm = -63, last_mm = 32; /* of the pressure difference */

enum { PLACES = 15, SAMPLES = 80, TABLE = 96 };
static const double place_mm[PLACES] = {-88, -64, -48, -42, -20, -8, 0, 8,
                                        16,  24,  32,  40,  48,  60, 80};

/* ---- the laboratories, and the solution of another method ---- */

/* "laboratory": of the other method, the mesh. */
typedef struct {
  int count; /* 0: nothing is known at this Reynolds number */
  double laboratory[TABLE], z_mm[TABLE], value[TABLE];
} measured;

static ht_status read(double reynolds, const char *what, const char *column, measured *m) {
  char file[64];
  ht_reference table;
  m->count = 0;
  if (reynolds != 2000 && reynolds != 5000) return HT_OK;
  snprintf(file, sizeof file, "fda_nozzle_re%g_%s", reynolds, what);
  HT_TRY(ht_reference_read(file, &table));
  int value = ht_reference_column(&table, column);
  for (int r = 0; r < table.rows && value >= 0 && m->count < TABLE; r++) {
    const double *row = table.value + r * table.columns;
    m->laboratory[m->count] = row[0];
    m->z_mm[m->count] = 1e3 * row[1];
    m->value[m->count++] = row[value];
  }
  ht_reference_free(&table);
  return HT_OK;
}

static int is_at(const measured *m, int i, double laboratory, double z_mm) {
  return m->laboratory[i] == laboratory && fabs(m->z_mm[i] - z_mm) < 0.1;
}

/* The mean of the laboratories without the outlier; NAN where fewer than two have measured. */
static double mean_at(const measured *m, double z_mm) {
  double sum = 0, count = 0;
  for (int i = 0; i < m->count; i++) {
    if (m->laboratory[i] == outlier || fabs(m->z_mm[i] - z_mm) >= 0.1) continue;
    sum += m->value[i];
    count++;
  }
  return count >= 2 ? sum / count : NAN;
}

/* Each laboratory's difference of pressure; the mean without the outlier. */
static double mean_drop(const measured *m) {
  double sum = 0, count = 0;
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < m->count; j++) {
      double lab = m->laboratory[i];
      if (lab == outlier || !is_at(m, i, lab, first_mm) || !is_at(m, j, lab, last_mm)) continue;
      sum += m->value[i] - m->value[j];
      count++;
    }
  return count > 0 ? sum / count : NAN;
}

/* ---- a run, its samples and its means ---- */

typedef struct {
  ht_nozzle nozzle;
  ht_tube_shape tube;
  ht_tube_flow flow; /* the mean */
  int samples;
  double drop_pa[SAMPLES], axial_m_s[PLACES][SAMPLES];
} nozzle_run;

/* Drop of the pressures at the wall, where the laboratories measured. */
static double drop_of(const ht_tube_flow *flow) {
  double off = 0.5 * HT_NOZZLE_PIPE_MM - flow->tube.spacing_mm, drop = 0;
  for (int side = -1; side <= 1; side += 2)
    drop += 0.5 * (ht_nozzle_pressure(flow, first_mm, side * off) -
                   ht_nozzle_pressure(flow, last_mm, side * off));
  return drop;
}

static ht_status take_sample(void *user, const ht_flow_sample *sample) {
  nozzle_run *run = user;
  const ht_tube_flow now = {.tube = run->tube, .flow = *sample->flow};
  if (run->samples == SAMPLES) return HT_OK;
  for (int i = 0; i < PLACES; i++)
    run->axial_m_s[i][run->samples] = ht_nozzle_axial(&now, place_mm[i], 0);
  run->drop_pa[run->samples++] = drop_of(&now);
  return HT_OK;
}

static ht_status move_samples(void *user, const ht_flow *flow, ht_state *stream) {
  nozzle_run *run = user;
  (void)flow;
  HT_TRY(ht_state_int(stream, &run->samples, 0, SAMPLES));
  HT_TRY(HT_STATE_OF(stream, run->drop_pa));
  return HT_STATE_OF(stream, run->axial_m_s);
}

/* A constant inflow in periods: the solver gives the mean over the last. */
static ht_status constant_periods(double period_s, ht_waveform *waveform) {
  enum { MOMENTS = 8 };
  double time_s[MOMENTS], flow_ml_s[MOMENTS];
  for (int i = 0; i < MOMENTS; i++) {
    time_s[i] = period_s * i / (MOMENTS - 1);
    flow_ml_s[i] = 1;
  }
  return ht_waveform_samples(MOMENTS, time_s, flow_ml_s, 0, 0, NULL, waveform);
}

/* Mean over the throat's section. */
static double throat_m_s(const ht_tube_shape *tube) {
  return tube->flow_ml_s / (0.25 * HT_PI * HT_NOZZLE_THROAT_MM * HT_NOZZLE_THROAT_MM);
}

/* Times in passages of the throat's diameter at its mean velocity, which are 1 ms at 5000. */
static double passage_s(const ht_tube_shape *tube) {
  return 1e-3 * HT_NOZZLE_THROAT_MM / throat_m_s(tube);
}

/* The finest spacing from the end of the throat to where the jet has broken down, around its shear
 * layer; one level more in the cone, the throat and as far as the jet reaches the wall. */
static int coarser(const ht_tube_shape *tube, const ht_tube_place *place) {
  const ht_nozzle *n = tube->context;
  const double z_mm = place->along_mm - n->before_mm;
  if (z_mm > -8 && z_mm < 45 && place->off_mm < 3 + 0.04 * fmax(0, z_mm)) return 0;
  return z_mm > -50 && z_mm < 65 ? 1 : 2;
}

static ht_status solve(const ht_validation_options *options, double reynolds, int across,
                       nozzle_run *run) {
  static ht_waveform waveform;
  ht_solver_options solver = ht_validation_solver(options, ht_validation_turbulent());
  memset(run, 0, sizeof *run);
  run->tube = ht_nozzle_tube(reynolds, across, options->full ? 105 : 95, options->full ? 150 : 95,
                             &run->nozzle);
  HT_TRY(constant_periods((options->full ? 400 : 150) * passage_s(&run->tube), &waveform));
  solver.density_kg_m3 = HT_NOZZLE_DENSITY_KG_M3;
  solver.viscosity_pa_s = HT_NOZZLE_VISCOSITY_PA_S;
  /* Velocity on the inlet's axis; it is 0.09 in the mean over the throat. */
  solver.max_velocity_lu = options->velocity_lu > 0 ? options->velocity_lu : 0.02;
  solver.inlet_noise = options->inlet_noise;
  /* The throat's cell Reynolds number, not the inlet's, says whether a jet reaches the outlet:
   * without the sponge, Re 2000 with 20 nodes across ends as unstable. */
  solver.throat_speed_m_s = throat_m_s(&run->tube);
  solver.profile = HT_PROFILE_PARABOLIC;
  solver.waveform = &waveform;
  solver.cycles = 2; /* the first from rest to turbulence, the mean over the second */
  solver.samples = SAMPLES;
  solver.observe = take_sample;
  solver.observe_user = run;
  solver.keeping = ht_validation_part_keeping(options, move_samples);
  solver.halvings = options->levels > 1 ? options->levels - 1 : 0;
  return ht_tube_flow_levels(&run->tube, coarser, &solver, options->progress, &run->flow);
}

/* ---- the comparisons ---- */

/* Finds where the axial velocity falls to half of that at the expansion; NAN where it does not. */
static double half_decay_mm(const ht_tube_flow *flow) {
  double half = 0.5 * ht_nozzle_axial(flow, 0, 0), step = 0.5 * flow->tube.spacing_mm;
  const ht_nozzle *n = flow->tube.context;
  for (double z = 0; z < flow->tube.length_mm - n->before_mm - 5; z += step)
    if (ht_nozzle_axial(flow, z, 0) < half) return z;
  return NAN;
}

/* Standard deviation of the velocity on the axis over its mean. */
static double swing_of(const nozzle_run *run, int place) {
  const double *value = run->axial_m_s[place];
  double mean = ht_batch_mean_of(run->samples, value).mean, square = 0;
  for (int i = 0; i < run->samples; i++) square += (value[i] - mean) * (value[i] - mean);
  return sqrt(square / run->samples) / mean;
}

/* Sums over the nodes of the plane at z, within `most_mm` of the axis: the velocity along the
 * nozzle, and that times 2 cos(4 angle), the part that a round jet does not have. */
typedef struct {
  double axial, fourfold;
} plane_sums;

static plane_sums sum_plane(const ht_tube_flow *flow, double z_mm, double most_mm) {
  const ht_nozzle *n = flow->tube.context;
  const ht_grid *grid = &flow->flow.grid;
  plane_sums sum = {0, 0};
  double axial, pressure;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    ht_tube_place place;
    double at[3], off[2];
    if (!ht_tube_flow_at(flow, v, &place, &axial, &pressure)) continue;
    /* The small shift: of two layers at the same distance, rounding takes neither or both. */
    double ahead = (place.along_mm - n->before_mm - z_mm) / flow->tube.spacing_mm + 1e-6;
    if (ahead <= -0.5 || ahead > 0.5) continue;
    if (place.off_mm > most_mm) continue;
    ht_grid_voxel_position(grid, v, at);
    for (int a = 0; a < 2; a++)
      off[a] = at[a] - grid->origin_mm[a] - 0.5 * (grid->dim[a] - 1) * grid->spacing_mm[a];
    sum.axial += axial;
    sum.fourfold += 2 * axial * cos(4 * atan2(off[1], off[0]));
  }
  return sum;
}

/* Flow through the whole section, mL/s. */
static double flow_through(const ht_tube_flow *flow, double z_mm) {
  double area_mm2 = flow->tube.spacing_mm * flow->tube.spacing_mm;
  return sum_plane(flow, z_mm, HT_NOZZLE_PIPE_MM).axial * area_mm2;
}

static double fourfold(const ht_tube_flow *flow) {
  plane_sums sum = sum_plane(flow, 24, 0.75 * HT_NOZZLE_THROAT_MM);
  return sum.fourfold / sum.axial;
}

static int in_cone(double z_mm) {
  return z_mm > -62.7 && z_mm < -40;
}

/* The bars are those of Re 5000, from 20 nodes across the throat on: at 2000 the laboratories
 * differ in where the jet breaks down, and fewer nodes do not resolve the shear layer. */
static double bar_of(const nozzle_run *run, double reynolds, double bar) {
  return reynolds == 5000 && HT_NOZZLE_THROAT_MM / run->tube.spacing_mm > 19.5 ? bar : NAN;
}

/* Bar of the axial velocity. Up to z = 16 mm the jet is laminar and the laboratories agree; in the
 * cone they differ by a tenth. */
static double axial_bar(const nozzle_run *run, double reynolds, double z_mm) {
  return z_mm <= 16 && !in_cone(z_mm) ? bar_of(run, reynolds, 0.05) : NAN;
}

/* Tells whether a place is computed: not before the inlet, nor next to it. */
static int is_computed(const nozzle_run *run, double z_mm) {
  return run->nozzle.before_mm + z_mm >= 5;
}

/* Compares with the steady axisymmetric solution (scripts/nozzle_throat.sh), the mean of its
 * meshes. */
static ht_status show_solution(const nozzle_run *run, double reynolds,
                               ht_validation_result *result) {
  measured m;
  if (reynolds != 5000) return HT_OK;
  HT_TRY(read(reynolds, "axisymmetric", "axial_velocity_m_s", &m));
  for (int i = 0; i < PLACES; i++) {
    double known = mean_at(&m, place_mm[i]);
    if (isnan(known) || !is_computed(run, place_mm[i])) continue;
    ht_validation_compare(result, ht_batch_mean_of(run->samples, run->axial_m_s[i]).mean, known,
                          NAN, "at z %g mm, beside the axisymmetric solution, m/s", place_mm[i]);
  }
  return HT_OK;
}

static ht_status judge_axis(const nozzle_run *run, double reynolds, ht_validation_result *result) {
  measured m;
  HT_TRY(read(reynolds, "centreline", "axial_velocity_m_s", &m));
  for (int i = 0; i < PLACES; i++) {
    ht_batch_mean mean = ht_batch_mean_of(run->samples, run->axial_m_s[i]);
    double known = mean_at(&m, place_mm[i]);
    if (!is_computed(run, place_mm[i])) continue;
    if (isnan(known))
      ht_validation_show(result, mean.mean, "velocity at z %g mm, m/s (+- %.2g)", place_mm[i],
                         mean.error);
    else
      ht_validation_compare(result, mean.mean, known, axial_bar(run, reynolds, place_mm[i]),
                            "velocity at z %g mm, m/s (+- %.2g)", place_mm[i], mean.error);
  }
  HT_TRY(show_solution(run, reynolds, result));
  if (reynolds == 5000) /* of the laboratories: 36.5 to 40.9 */
    ht_validation_band(result, half_decay_mm(&run->flow), 32.5, 44.9, bar_of(run, reynolds, 0),
                       "half of the velocity at z, mm (36.5 to 40.9, +- 4)");
  else
    ht_validation_show(result, half_decay_mm(&run->flow), "half of the velocity at z, mm");
  for (int i = 0; i < PLACES; i++)
    if (place_mm[i] >= -20 && place_mm[i] <= 16)
      ht_validation_show(result, swing_of(run, i),
                         "standard deviation of the velocity at z %g mm, of its mean", place_mm[i]);
  ht_validation_show(result, fourfold(&run->flow), "fourfold part of the velocity at z 24 mm");
  return HT_OK;
}

static double judge_pressure(const nozzle_run *run, double reynolds, int across, const measured *m,
                             ht_validation_result *result) {
  ht_batch_mean drop = ht_batch_mean_of(run->samples, run->drop_pa);
  double known = mean_drop(m);
  if (isnan(known))
    ht_validation_show(result, drop.mean, "%d across: pressure -63 to 32 mm, Pa (+- %.2g)", across,
                       drop.error);
  else
    ht_validation_compare(result, drop.mean, known, bar_of(run, reynolds, 0.1),
                          "%d across: pressure -63 to 32 mm, Pa (+- %.2g)", across, drop.error);
  return drop.mean;
}

static ht_status draw(const nozzle_run *run, double reynolds, int across,
                      ht_validation_figure *figure) {
  enum { STEPS = 300 };
  double z[STEPS], u[STEPS];
  (void)reynolds;
  for (int i = 0; i < STEPS; i++) {
    z[i] = -80 + 170.0 * i / (STEPS - 1);
    u[i] = ht_nozzle_axial(&run->flow, z[i], 0);
  }
  return ht_validation_draw(figure, 1, STEPS, z, u, "computed, %d across", across);
}

static ht_status draw_laboratories(double reynolds, ht_validation_figure *figure) {
  static const double laboratory[] = {243, 297, 468, 763, 999};
  measured m;
  HT_TRY(read(reynolds, "centreline", "axial_velocity_m_s", &m));
  for (int l = 0; l < 5; l++) {
    double z[TABLE], u[TABLE];
    int count = 0;
    for (int i = 0; i < m.count; i++) {
      if (m.laboratory[i] != laboratory[l]) continue;
      z[count] = m.z_mm[i];
      u[count++] = m.value[i];
    }
    if (count > 0)
      HT_TRY(ht_validation_draw(figure, 0, count, z, u, "laboratory %g", laboratory[l]));
  }
  return HT_OK;
}

static ht_status judge(const nozzle_run *run, double reynolds, int across, int finest,
                       ht_validation_figure *figure, ht_validation_result *result, double *drop) {
  measured m;
  const ht_flow_stats *stats = &run->flow.stats;
  HT_TRY(read(reynolds, "pressure", "pressure_pa", &m));
  *drop = judge_pressure(run, reynolds, across, &m, result);
  snprintf(result->device, sizeof result->device, "%s", stats->device);
  double nodes = 0;
  for (int l = 0; l < stats->levels; l++) nodes += 1e-6 * (double)stats->level_nodes[l];
  snprintf(result->notes, sizeof result->notes,
           "Re %g, %d across, %.1f M nodes on %d level%s, %s, tau %.5f, %s", reynolds, across,
           nodes, stats->levels, stats->levels == 1 ? "" : "s", stats->collision, stats->tau,
           stats->precision);
  ht_validation_error(result, fabs(stats->mass_imbalance), 5e-3, "  mass: (in - out) / in");
  ht_validation_show(result, stats->max_velocity_lu, "  largest velocity, lattice units");
  ht_validation_show(result, stats->diagonals_corrected,
                     "  jets: sponge, flow along diagonals corrected (1: yes)");
  ht_validation_compare(result, flow_through(&run->flow, -64), run->tube.flow_ml_s, NAN,
                        "  flow in the pipe, z -64 mm, mL/s");
  ht_validation_compare(result, flow_through(&run->flow, -20), run->tube.flow_ml_s, NAN,
                        "  flow in the throat, z -20 mm, mL/s");
  HT_TRY(draw(run, reynolds, across, figure));
  return finest ? judge_axis(run, reynolds, result) : HT_OK;
}

/* Runs the flow; at the full size on two resolutions, where the bar needs them: at Re 5000. */
static ht_status run_all(const ht_validation_options *options, double reynolds, int across,
                         ht_validation_result *result) {
  static nozzle_run run;
  ht_validation_figure *figure =
      ht_validation_plot(result, "centreline", "FDA nozzle: mean velocity on the axis",
                         "place along the axis, mm (expansion: 0)", "velocity, m/s");
  double drop[2] = {NAN, NAN};
  int both = options->full && reynolds == 5000;
  for (int k = both ? 0 : 1; k < 2; k++) {
    int nodes = k ? across : (2 * across + 1) / 3;
    if (ht_validation_part_done(options, &drop[k], sizeof drop[k])) continue;
    ht_status status = solve(options, reynolds, nodes, &run);
    if (status == HT_OK) status = judge(&run, reynolds, nodes, k == 1, figure, result, &drop[k]);
    ht_tube_flow_free(&run.flow);
    if (status != HT_OK) return status;
    ht_validation_part_end(options, &drop[k], sizeof drop[k]);
  }
  if (both)
    ht_validation_error(result, fabs(drop[1] / drop[0] - 1), bar_of(&run, reynolds, 0.03),
                        "the two resolutions differ in the pressure by");
  return draw_laboratories(reynolds, figure);
}

ht_status ht_validate_fda_turbulent(const ht_validation_options *options,
                                    ht_validation_result *result) {
  double reynolds = options->reynolds > 0 ? options->reynolds : 5000;
  int across;
  HT_TRY(ht_validation_nodes(options, 8, 30, 6, 100, &across));
  return run_all(options, reynolds, across, result);
}
