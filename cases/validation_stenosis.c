/* A pipe with a smooth narrowing, R(z) = R0 - d/2 (1 + cos(pi z / Z0)) for |z| < Z0, d = R0 / 2, Z0
 * = 4 R0, as the models of D. F. Young, F. Y. Tsai, J. Biomech. 6 (1973) 395. The pressure drop
 * from -Z0 to Z0: slow (Re 2): lubrication theory, integral of 8 mu Q / (pi R^4); its error is of
 * the order of the slope squared, (pi d / 2 Z0)^2 = 4 % at most, 2 % on average; Re 50: the
 * correlation of B. D. Seeley, D. F. Young, J. Biomech. 9 (1976) 439, which was fitted to such
 * measurements within 10 to 20 %: dp = Kv mu U / D + Kt rho U^2 (A0/A1 - 1)^2 / 2, Kv = 32 (0.83 L
 * + 1.64 D1) / D (A0/A1)^2, Kt = 1.52, L = 2 Z0. The converged reference is the flow itself on
 * three lattices, by Richardson's extrapolation. */
#include "validation_flows.h"
#include "validation_result.h"
#include "validation_tube.h"
#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double radius_mm = 2, depth = 0.5, half_length = 4, pipe_before = 3, pipe_after = 8;
enum { LEVELS = 3 };

static double middle_mm(void) {
  return (pipe_before + half_length) * radius_mm;
}

static double radius_at(const void *context, double along_mm) {
  (void)context;
  double z = (along_mm - middle_mm()) / (half_length * radius_mm);
  return fabs(z) < 1 ? radius_mm * (1 - 0.5 * depth * (1 + cos(pi * z))) : radius_mm;
}

static double mean_m_s(double reynolds) {
  return reynolds * HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3 / (2e-3 * radius_mm);
}

static double lubrication_pa(double reynolds) {
  enum { PARTS = 4000 };
  double sum = 0, length_m = 2e-3 * half_length * radius_mm, r_m = 1e-3 * radius_mm;
  for (int i = 0; i < PARTS; i++) {
    double z = (2 * (i + 0.5) / PARTS - 1) * half_length * radius_mm;
    sum += pow(radius_mm / radius_at(NULL, middle_mm() + z), 4) / PARTS;
  }
  return 8 * HT_BLOOD_VISCOSITY_PA_S * mean_m_s(reynolds) / (r_m * r_m) * length_m * sum;
}

static double correlation_pa(double reynolds) {
  double u = mean_m_s(reynolds), narrowest = 1 - depth, area = 1 / (narrowest * narrowest);
  double kv = 32 * (0.83 * half_length + 1.64 * narrowest) * area * area, kt = 1.52;
  return kv * HT_BLOOD_VISCOSITY_PA_S * u / (2e-3 * radius_mm) +
         0.5 * kt * HT_BLOOD_DENSITY_KG_M3 * u * u * (area - 1) * (area - 1);
}

/* On the axis, where the flow is the pipe's again. */
static double drop_pa(const ht_tube_flow *flow) {
  double p[2], u[3];
  for (int end = 0; end < 2; end++) {
    double along = middle_mm() + (end ? 1 : -1) * half_length * radius_mm;
    ht_tube_flow_sample(flow, along, 0, u, &p[end]);
  }
  return p[0] - p[1];
}

static ht_status draw(const ht_tube_flow *flow, double reynolds, int across,
                      ht_validation_figure *figure) {
  enum { PLACES = 200 };
  double z[PLACES], p[PLACES], u[3];
  for (int i = 0; i < PLACES; i++) {
    double along = flow->tube.length_mm * (i + 0.5) / PLACES;
    z[i] = along - middle_mm();
    ht_tube_flow_sample(flow, along, 0, u, &p[i]);
    p[i] /= 0.5 * HT_BLOOD_DENSITY_KG_M3 * pow(mean_m_s(reynolds), 2);
  }
  return ht_validation_draw(figure, 1, PLACES, z, p, "Re %g, %d across", reynolds, across);
}

static ht_status run(const ht_validation_options *options, double reynolds, int across,
                     ht_validation_figure *figure, ht_validation_result *result, double *drop) {
  const double area_mm2 = pi * radius_mm * radius_mm;
  const ht_tube tube = {.direction = {0, 0, 1},
                        .length_mm = (pipe_before + 2 * half_length + pipe_after) * radius_mm,
                        .extension_mm = radius_mm,
                        .spacing_mm = 2 * radius_mm / across,
                        .flow_ml_s = mean_m_s(reynolds) * area_mm2,
                        .most_radius_mm = radius_mm,
                        .radius_mm = radius_at};
  ht_solver_options solver = ht_validation_solver(options);
  ht_tube_flow flow;
  solver.precision = HT_FP64;
  solver.max_velocity_lu = reynolds < 10 ? 0.008 * 24 / across : 0.03; /* 4 times in the throat */
  solver.collision = reynolds < 10 ? HT_LBGK : HT_MRT;
  solver.max_steps = 2000000;
  ht_status status = ht_tube_flow_run(&tube, &solver, options->progress, &flow);
  if (status == HT_OK) {
    *drop = drop_pa(&flow);
    snprintf(result->device, sizeof result->device, "%s", flow.stats.device);
    if (figure) status = draw(&flow, reynolds, across, figure);
  }
  ht_tube_flow_free(&flow);
  return status;
}

/* What the last two lattices say of an infinitely fine one, at the order that three show; at first
 * order where there are two, or where three do not converge. */
static double extrapolate(const double *drop, int levels) {
  double fine = drop[levels - 1] - drop[levels - 2], ratio = 2;
  if (levels == 3 && (drop[1] - drop[0]) / fine > 1.5) ratio = (drop[1] - drop[0]) / fine;
  return drop[levels - 1] + fine / (ratio - 1);
}

static ht_status run_reynolds(const ht_validation_options *options, double reynolds, int finest,
                              ht_validation_figure *figure, ht_validation_result *result) {
  double drop[LEVELS], bar = reynolds < 10 ? 0.05 : 0.2;
  double known = reynolds < 10 ? lubrication_pa(reynolds) : correlation_pa(reynolds);
  const char *name = reynolds < 10 ? "lubrication theory" : "Young & Tsai";
  int levels = options->full ? LEVELS : LEVELS - 1;
  for (int k = 0; k < levels; k++) {
    int across = finest >> (levels - 1 - k);
    HT_TRY(run(options, reynolds, across, k == levels - 1 ? figure : NULL, result, &drop[k]));
    ht_validation_compare(result, drop[k], known, NAN, "Re %g, %d across: drop, Pa (%s)", reynolds,
                          across, name);
  }
  double limit = extrapolate(drop, levels);
  ht_validation_compare(result, limit, known, bar, "Re %g, extrapolated: drop, Pa (%s)", reynolds,
                        name);
  ht_validation_compare(result, drop[levels - 1], limit, NAN, "Re %g, %d across against that",
                        reynolds, finest);
  return HT_OK;
}

ht_status ht_validate_stenosis(const ht_validation_options *options, ht_validation_result *result) {
  int finest = options->nodes_across ? options->nodes_across : options->full ? 64 : 24;
  if (finest < 16 || finest > 256)
    return ht_fail(HT_ERR_USAGE, "--nodes-across is %d; allowed is 16 to 256", finest);
  ht_validation_figure *figure = ht_validation_plot(
      result, "pressure", "Stenosis: pressure on the axis", "place along the axis, mm",
      "pressure over half the density times the mean velocity squared");
  snprintf(result->notes, sizeof result->notes,
           "D3Q19, fp64, MRT at Re 50, half-way walls; 50 %% of the diameter, 75 %% of the area");
  HT_TRY(run_reynolds(options, 2, finest, NULL, result));
  return run_reynolds(options, 50, finest, figure, result);
}
