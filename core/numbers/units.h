/* The only place that converts between physical (SI) and lattice units (_lu: dx = dt = rho0 = 1).
 */
#ifndef HT_UNITS_H
#define HT_UNITS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Blood: density 1060 kg/m3 and viscosity 3.5 mPa s, the usual Newtonian values (Cebral et al.,
 * IEEE Trans. Med. Imaging 24 (2005) 457). */
#define HT_BLOOD_DENSITY_KG_M3  1060.0
#define HT_BLOOD_VISCOSITY_PA_S 0.0035

#define HT_PA_PER_MMHG 133.322

#define HT_PI 3.14159265358979323846

typedef struct {
  double dx_m;          /* lattice spacing */
  double dt_s;          /* time step */
  double density_kg_m3; /* of the lattice density 1 */
} ht_units;

/* Returns the relaxation time of a kinematic viscosity: tau = 3 nu dt / dx^2 + 1/2 (no
 * dimension). */
double ht_units_tau(const ht_units *units, double viscosity_pa_s);

double ht_units_velocity_lu(const ht_units *units, double velocity_m_s);
double ht_units_velocity_m_s(const ht_units *units, double velocity_lu);

/* Converts a volume flow: m3/s, and voxels per step. */
double ht_units_flow_lu(const ht_units *units, double flow_m3_s);
double ht_units_flow_m3_s(const ht_units *units, double flow_lu);

/* Converts a gauge pressure and the deviation of the lattice density from 1: p = (rho - 1) cs^2,
 * cs^2 = 1/3. */
double ht_units_density_lu(const ht_units *units, double pressure_pa);
double ht_units_pressure_pa(const ht_units *units, double density_lu);

/* Converts a stress from lattice units to Pa. */
double ht_units_stress_pa(const ht_units *units, double stress_lu);

#ifdef __cplusplus
}
#endif
#endif
