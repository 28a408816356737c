/* The FDA's benchmark nozzle with sudden expansion: P. Hariharan et al., J. Biomech. Eng. 133
 * (2011) 041002. Inlet pipe 12 mm, cone of 20 degrees, throat 4 mm across and 40 mm long, sudden
 * expansion to 12 mm at z = 0. Private to validation/. */
#ifndef HT_NOZZLE_TUBE_H
#define HT_NOZZLE_TUBE_H

#include "validation/flows/validation_tube.h"

#define HT_NOZZLE_PIPE_MM        12.0
#define HT_NOZZLE_THROAT_MM      4.0
#define HT_NOZZLE_DENSITY_KG_M3  1056.0
#define HT_NOZZLE_VISCOSITY_PA_S 0.0035

/* Length from the inlet to the expansion; a whole number of spacings and a half, so that the
 * expansion lies between two layers of nodes. */
typedef struct {
  double before_mm;
} ht_nozzle;

/* The flow at a Reynolds number of the throat. */
double ht_nozzle_flow_ml_s(double reynolds);

/* Makes the tube. `across`: nodes across the throat; the pipes reach at most `inlet_mm` and
 * `outlet_mm` far. The tube borrows `nozzle`. */
ht_tube_shape ht_nozzle_tube(double reynolds, int across, double inlet_mm, double outlet_mm,
                             ht_nozzle *nozzle);

/* Velocity along the nozzle, m/s, and pressure, Pa, at z and a distance from the axis. */
double ht_nozzle_axial(const ht_tube_flow *flow, double z_mm, double across_mm);
double ht_nozzle_pressure(const ht_tube_flow *flow, double z_mm, double across_mm);

#endif
