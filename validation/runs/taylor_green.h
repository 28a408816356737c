/* The Taylor-Green vortex, decaying into turbulence: G. I. Taylor & A. E. Green, Proc. R. Soc. A
 * 158 (1937) 499; in a periodic cube of side 2 pi L, from u = U (sin x cos y cos z, -cos x sin y
 * cos z, 0), p = rho U^2 / 16 (cos 2x + cos 2y)(cos 2z + 2), lengths over L. */
#ifndef HT_TAYLOR_GREEN_H
#define HT_TAYLOR_GREEN_H

#include "solver/lattice/lattice_setup.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_TAYLOR_GREEN_MOST = 512 };

typedef struct {
  int n;           /* nodes a side, a multiple of 4 */
  double reynolds; /* U L / nu */
  double speed_lu; /* U */
  double end;      /* in units of L / U, as every time here */
  double every;    /* between samples */
  ht_collision collision;
  ht_precision precision;
  ht_device device;
  int threads;
  const ht_progress *progress;
} ht_taylor_green;

/* Means over the cube, over U^2 (energy) and U^3 / L (dissipation). */
typedef struct {
  int count;
  double time[HT_TAYLOR_GREEN_MOST];
  double energy[HT_TAYLOR_GREEN_MOST];  /* |u|^2 / 2 */
  double viscous[HT_TAYLOR_GREEN_MOST]; /* 2 nu times the enstrophy, |curl u|^2 / 2, the curl by
                                           fourth-order central differences */
  double decay[HT_TAYLOR_GREEN_MOST];   /* -dE/dt; NAN at the first and last two samples */
  double tau;
  int64_t steps;
  char device[128];
} ht_taylor_green_decay;

/* Runs the flow. HT_ERR_USAGE (more samples than fit, the number of nodes), HT_ERR_DIVERGED,
 * HT_ERR_INTERRUPTED and ht_lattice_create's. */
ht_status ht_taylor_green_run(const ht_taylor_green *flow, ht_taylor_green_decay *decay);

/* The largest of `count` values, by the parabola through it and its neighbours; *at: where. NAN
 * values do not count. */
double ht_peak_of(int count, const double *x, const double *value, double *at);

#ifdef __cplusplus
}
#endif
#endif
