/* Pipes with a stenosis of half the diameter, and the pressure drop across it.
 *
 * Smooth, Re 2: R(z) = R0 - R0/4 (1 + cos(pi z / Z0)) for |z| < Z0 = 4 R0, from -Z0 to Z0.
 * Lubrication theory: the integral of 8 mu Q / (pi R^4) dz. In a cone with the stenosis's steepest
 * slope, 11 degrees, Harrison's exact creeping flow has a 1.3 % larger drop.
 *
 * Blunt, Re 100: a hollow plug, one diameter long, from two diameters before it to five after it,
 * less Poiseuille's drop outside of the plug. The correlation of B. D. Seeley, D. F. Young, J.
 * Biomech. 9 (1976) 439, for hollow plugs (D. F. Young, N. R. Cholvin, A. C. Roth, Circ. Res. 36
 * (1975) 735), an empirical one:
 *   dp = Kv mu U / D + Kt rho U^2 (A0/A1 - 1)^2 / 2,
 *   Kv = 32 (0.83 L + 1.64 D1) / D (A0/A1)^2, Kt = 1.52 */
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>

static const double diameter_mm = 4, narrowest = 0.5;
enum { LEVELS = 3 };

/* Lengths along the centre line; `edge_mm`: from the middle to where the full radius begins. */
typedef struct {
  int blunt;
  double reynolds, middle_mm, edge_mm;
  double from_mm, to_mm; /* of the pressure drop */
  double length_mm;
} stenosis;

static stenosis make(int blunt, int across) {
  double h = diameter_mm / across, d = diameter_mm;
  stenosis s = {.blunt = blunt, .reynolds = blunt ? 100 : 2, .edge_mm = blunt ? 0.5 * d : 2 * d};
  s.middle_mm = (round(3.5 * d / h) + 0.5) * h; /* edges between nodes */
  s.from_mm = s.middle_mm - s.edge_mm - (blunt ? 2 * d : 0);
  s.to_mm = s.middle_mm + s.edge_mm + (blunt ? 5 * d : 0);
  s.length_mm = s.to_mm + 1.5 * d;
  return s;
}

static double radius_at(const void *context, double along_mm) {
  const stenosis *s = context;
  double z = (along_mm - s->middle_mm) / s->edge_mm;
  if (fabs(z) >= 1) return 0.5 * diameter_mm;
  double smooth = 1 - 0.5 * (1 - narrowest) * (1 + cos(HT_PI * z));
  return 0.5 * diameter_mm * (s->blunt ? narrowest : smooth);
}

static double mean_m_s(const stenosis *s) {
  return s->reynolds * HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3 / (1e-3 * diameter_mm);
}

/* Poiseuille's drop over a length of the pipe. */
static double poiseuille_pa(const stenosis *s, double length_mm) {
  double d_m = 1e-3 * diameter_mm;
  return 32 * HT_BLOOD_VISCOSITY_PA_S * mean_m_s(s) / (d_m * d_m) * 1e-3 * length_mm;
}

static double lubrication_pa(const stenosis *s) {
  enum { PARTS = 4000 };
  double mean = 0; /* of (R0 / R)^4 */
  for (int i = 0; i < PARTS; i++) {
    double z = (2 * (i + 0.5) / PARTS - 1) * s->edge_mm;
    mean += pow(0.5 * diameter_mm / radius_at(s, s->middle_mm + z), 4) / PARTS;
  }
  return poiseuille_pa(s, 2 * s->edge_mm) * mean;
}

static double correlation_pa(const stenosis *s) {
  double u = mean_m_s(s), area = 1 / (narrowest * narrowest);
  double kv = 32 * (0.83 * 2 * s->edge_mm / diameter_mm + 1.64 * narrowest) * area * area;
  double kt = 1.52;
  return kv * HT_BLOOD_VISCOSITY_PA_S * u / (1e-3 * diameter_mm) +
         0.5 * kt * HT_BLOOD_DENSITY_KG_M3 * u * u * (area - 1) * (area - 1);
}

/* ---- runs ---- */

static double drop_pa(const ht_tube_flow *flow, const stenosis *s) {
  double before, after, u[3];
  ht_tube_flow_sample(flow, s->from_mm, 0, u, &before);
  ht_tube_flow_sample(flow, s->to_mm, 0, u, &after);
  double outside_mm = s->to_mm - s->from_mm - 2 * s->edge_mm;
  return before - after - poiseuille_pa(s, outside_mm);
}

static ht_status draw(const ht_tube_flow *flow, const stenosis *s, int across,
                      ht_validation_figure *figure) {
  enum { PLACES = 200 };
  double z[PLACES], p[PLACES], u[3];
  for (int i = 0; i < PLACES; i++) {
    double along = s->length_mm * (i + 0.5) / PLACES;
    z[i] = along - s->middle_mm;
    ht_tube_flow_sample(flow, along, 0, u, &p[i]);
    p[i] /= 0.5 * HT_BLOOD_DENSITY_KG_M3 * pow(mean_m_s(s), 2);
  }
  return ht_validation_draw(figure, 1, PLACES, z, p, "Re %g, %d across", s->reynolds, across);
}

static ht_status run(const ht_validation_options *options, const stenosis *s, int across,
                     ht_validation_figure *figure, ht_validation_result *result, double *drop) {
  const ht_tube_shape tube = {.direction = {0, 0, 1},
                              .length_mm = s->length_mm,
                              .extension_mm = 0.5 * diameter_mm,
                              .spacing_mm = diameter_mm / across,
                              .flow_ml_s = mean_m_s(s) * 0.25 * HT_PI * diameter_mm * diameter_mm,
                              .most_radius_mm = 0.5 * diameter_mm,
                              .radius_mm = radius_at,
                              .context = s};
  ht_solver_options solver = ht_validation_solver(options, HT_MRT);
  ht_tube_flow flow;
  solver.precision = HT_FP64;
  solver.max_velocity_lu = s->blunt ? 0.03 : 0.008 * 24 / across; /* 4 times that in the throat */
  solver.max_steps = 2000000;
  ht_status status = ht_tube_flow_run(&tube, &solver, options->progress, &flow);
  if (status == HT_OK) {
    *drop = drop_pa(&flow, s);
    snprintf(result->device, sizeof result->device, "%s", flow.stats.device);
    if (figure) status = draw(&flow, s, across, figure);
  }
  ht_tube_flow_free(&flow);
  return status;
}

/* The finest lattice has the bar, coarser ones are for information. Below 24 nodes across the blunt
 * stenosis's jet has too few nodes. */
static ht_status run_shape(const ht_validation_options *options, int blunt, int finest,
                           ht_validation_figure *figure, ht_validation_result *result) {
  for (int k = options->full ? LEVELS - 1 : LEVELS - 2; k >= 0; k--) {
    int across = finest >> k;
    const stenosis s = make(blunt, across);
    double known = blunt ? correlation_pa(&s) : lubrication_pa(&s), drop;
    if (blunt && k > 0 && across < 24) continue;
    HT_TRY(run(options, &s, across, k == 0 ? figure : NULL, result, &drop));
    ht_validation_compare(result, drop, known,
                          k > 0   ? NAN
                          : blunt ? 0.2
                                  : 0.05,
                          "%s, Re %g, %d across: drop, Pa (%s)", blunt ? "blunt" : "smooth",
                          s.reynolds, across, blunt ? "Seeley & Young" : "lubrication");
  }
  return HT_OK;
}

ht_status ht_validate_stenosis(const ht_validation_options *options, ht_validation_result *result) {
  int finest;
  HT_TRY(ht_validation_nodes(options, 24, 96, 16, 256, &finest));
  ht_validation_figure *figure = ht_validation_plot(
      result, "pressure", "Stenosis: pressure on the axis", "place along the axis, mm",
      "pressure over half the density times the mean velocity squared");
  snprintf(result->notes, sizeof result->notes,
           "%s, fp64, interpolated walls; 50 %% of the diameter, 75 %% of the area",
           ht_validation_model(options, HT_MRT));
  HT_TRY(run_shape(options, 0, finest, NULL, result));
  return run_shape(options, 1, finest, figure, result);
}
