#include "validation/flows/nozzle_tube.h"
#include "core/numbers/units.h"
#include <math.h>

static const double throat_length_mm = 40, cone_degrees = 20;

double ht_nozzle_flow_ml_s(double reynolds) {
  return 1e6 * reynolds * HT_PI * HT_NOZZLE_VISCOSITY_PA_S * 1e-3 * HT_NOZZLE_THROAT_MM /
         (4 * HT_NOZZLE_DENSITY_KG_M3);
}

static double radius_at(const void *context, double along_mm) {
  const ht_nozzle *n = context;
  double z = along_mm - n->before_mm, slope = tan(0.5 * cone_degrees * HT_PI / 180);
  if (z > 0) return 0.5 * HT_NOZZLE_PIPE_MM;
  if (z > -throat_length_mm) return 0.5 * HT_NOZZLE_THROAT_MM;
  return fmin(0.5 * HT_NOZZLE_THROAT_MM + slope * (-throat_length_mm - z), 0.5 * HT_NOZZLE_PIPE_MM);
}

ht_tube_shape ht_nozzle_tube(double reynolds, int across, double inlet_mm, double outlet_mm,
                             ht_nozzle *nozzle) {
  double h = HT_NOZZLE_THROAT_MM / across;
  nozzle->before_mm = (floor(inlet_mm / h) + 0.5) * h;
  double after_mm = (floor(outlet_mm / h) + 0.5) * h;
  return (ht_tube_shape){.direction = {0, 0, 1},
                         .length_mm = nozzle->before_mm + after_mm,
                         .extension_mm = 5,
                         .spacing_mm = h,
                         .flow_ml_s = ht_nozzle_flow_ml_s(reynolds),
                         .most_radius_mm = 0.5 * HT_NOZZLE_PIPE_MM,
                         .radius_mm = radius_at,
                         .context = nozzle};
}

static double sample(const ht_tube_flow *flow, double z_mm, double across_mm, double *pressure_pa) {
  const ht_nozzle *n = flow->tube.context;
  double velocity[3];
  ht_tube_flow_sample(flow, n->before_mm + z_mm, across_mm, velocity, pressure_pa);
  return velocity[2];
}

double ht_nozzle_axial(const ht_tube_flow *flow, double z_mm, double across_mm) {
  double pressure;
  return sample(flow, z_mm, across_mm, &pressure);
}

double ht_nozzle_pressure(const ht_tube_flow *flow, double z_mm, double across_mm) {
  double pressure;
  sample(flow, z_mm, across_mm, &pressure);
  return pressure;
}
