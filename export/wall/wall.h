/* The wall of the vessel as triangles, the load of the flow on it, and its statistics. */
#ifndef HT_WALL_H
#define HT_WALL_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The wall: a smooth triangle surface of the vessel with the flow's load on it. */
typedef struct {
  int64_t points, triangles;
  float *point_mm;   /* [points][3] LPS. Owned */
  float *normal;     /* [points][3] unit, pointing out of the vessel. Owned */
  int32_t *triangle; /* [triangles][3] point numbers, counter-clockwise from outside. Owned */
  float *wss_pa;     /* [points][3] wall shear stress vector (the traction of the fluid on the wall,
                        tangential). Owned; may be NULL */
  float *wss_mag_pa; /* [points]. Owned; may be NULL */
  float *pressure_pa; /* [points] gauge. Owned; may be NULL */
  float *dx_plus;     /* [points] lattice spacing in wall units. Owned; may be NULL */
} ht_surface;

/* Builds the smoothed surface of the vessel; open (no cap) where an extension begins and at a port.
 * Manifold: an edge has two triangles, one at the rim. HT_ERR_VESSEL: no vessel. HT_ERR_MEMORY. */
ht_status ht_surface_build(const ht_domain *domain, ht_surface *surface);
/* Fills wss and pressure from the flow: viscous stress sampled along the inward normal,
 * extrapolated to the wall, averaged with the points within two edges; where the domain has a
 * wall_distance (set it to NULL where the solver's walls are half-way), a fit to the stress of the
 * nodes near the wall. Replaces earlier loads. Accuracy: docs/notes/walls/wall-shear-stress.md.
 * HT_ERR_MEMORY; the surface then has no loads. */
ht_status ht_surface_load(ht_surface *surface, const ht_domain *domain, const ht_flow *flow);
void ht_surface_free(ht_surface *surface);

/* Approximate bytes of a point without its load, with its two triangles. */
enum { HT_SURFACE_BYTES = 48 };

/* The load over one cycle of a pulsatile flow, at the points of a surface; wall_series.h makes it
 * from samples and has the equations. tau is the wall shear stress vector, T the cycle. */
typedef struct {
  int64_t points;
  int samples;
  double period_s;    /* duration of the samples: the sum of their weights */
  double peak_time_s; /* time of the largest inflow, "peak systole"; with several beats the values
                         at the peak are means of their samples at that time */
  double peak_flow_ml_s;   /* its inflow */
  int64_t still;           /* points where the stress is too small for RRT or ECAP: wall_series.h */
  float *tawss_pa;         /* [points] mean of |tau|: the usual TAWSS. Owned, as are all */
  float *mean_wss_pa;      /* [points][3] mean of tau */
  float *mean_wss_mag_pa;  /* [points] |mean of tau|: what some authors call TAWSS */
  float *osi;              /* [points] oscillatory shear index, 0 to 0.5, no dimension */
  float *rrt_per_pa;       /* [points] relative residence time, 1/Pa */
  float *ecap_per_pa;      /* [points] endothelial cell activation potential, 1/Pa */
  float *wss_min_pa;       /* [points] least |tau| of the samples */
  float *wss_max_pa;       /* [points] largest |tau| of the samples */
  float *wss_peak_pa;      /* [points][3] tau at peak_time_s */
  float *wss_peak_mag_pa;  /* [points] */
  float *pressure_peak_pa; /* [points] gauge, at peak_time_s */
} ht_wall_cycle;
void ht_wall_cycle_free(ht_wall_cycle *cycle);

/* Fills in dx_plus = dx u_tau / nu, u_tau = sqrt(|tau| / density), nu = viscosity / density: a
 * lattice spacing in viscous lengths (Pope, Turbulent Flows (2000), section 7.1.3). tau is the wall
 * shear stress; of a cycle (NULL: none) the largest of its samples. Above HT_DX_PLUS_COARSE the
 * first nodes lie beyond the viscous sublayer (y+ < 5), and a shear stress read from them is too
 * low. For shear-thinning blood nu is that at high shear. coarser [nz][ny][nx] of the flow's grid:
 * the number of halvings that its lattice was coarser by at a voxel; NULL: nowhere. HT_ERR_MEMORY;
 * HT_ERR_INTERNAL: no load, or the cycle of another surface. */
#define HT_DX_PLUS_COARSE 5
ht_status ht_surface_resolve(ht_surface *surface, const ht_flow *flow, const ht_wall_cycle *cycle,
                             const uint8_t *coarser);

/* Measures, of a triangle with these values at its corners, linear between them: the share of its
 * area where the value is below `limit`, 0 .. 1, and the integral of the value over that part, as a
 * share of its area. All shares and percentiles are of the wall's area, with such linear values. */
void ht_triangle_below(const double corner[3], double limit, double *area, double *integral);

/* The value that this share of the area does not exceed, among triangles that have values at all
 * corners; NAN: none has. values: [surface->points]. */
double ht_surface_percentile(const ht_surface *surface, const float *values, double share);

/* Numbers of the wall, for summary.json; stresses 0 where the surface has no load. */
typedef struct {
  double wss_mean_pa, wss_max_pa; /* area-weighted mean; max of the points */
  double wss_p99_pa;              /* 99 % of the area has at most this value */
  double area_mm2;
  double dx_plus_p99, dx_plus_max; /* 0: not known */
  double coarse_share;             /* share of the area with more than HT_DX_PLUS_COARSE, 0 .. 1 */
} ht_wall_stats;
void ht_surface_stats(const ht_surface *surface, ht_wall_stats *stats);

/* The distribution of a number (>= 0) over the wall's area; values: [surface->points]. */
typedef struct {
  double mean, median, p99; /* by area: half, and 99 % of it, have at most this */
  double max;               /* of the points */
} ht_wall_spread;
void ht_surface_spread(const ht_surface *surface, const float *values, ht_wall_spread *spread);

/* TAWSS below which it is "low": Malek, Alper & Izumo, JAMA 282 (1999) 2035 (4 dyn/cm2). */
#define HT_LOW_WSS_PA 0.4

typedef struct {
  int samples; /* 0: the flow was steady, and all else is 0 */
  double period_s, peak_time_s, peak_flow_ml_s;
  ht_wall_spread tawss_pa, mean_wss_mag_pa, osi, wss_peak_pa;
  double low_share;   /* share of the area with a TAWSS below HT_LOW_WSS_PA, 0 .. 1 */
  double still_share; /* share of the points: see ht_wall_cycle.still, 0 .. 1 */
} ht_cycle_stats;

/* Computes the statistics of a cycle over the wall's area; all 0 where the cycle has no samples. */
void ht_cycle_stats_of(const ht_surface *surface, const ht_wall_cycle *cycle,
                       ht_cycle_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
