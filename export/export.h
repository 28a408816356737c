/* export/: results as files that 3D Slicer, ParaView and a person can open.
 * Every file is written whole or not at all (file.h). HT_ERR_WRITE names the file and the reason.
 */
#ifndef HT_EXPORT_H
#define HT_EXPORT_H

#include "flow.h"
#include "openings.h"
#include "triangles.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Images; the format by the ending: .nii.gz, .nii, .nrrd, .mha (HT_ERR_USAGE for another). Origin,
 * spacing and direction round-trip to the format's own precision: NIfTI's sform is float32, within
 * 1e-4 mm over a scan. A volume whose values are all integers that fit int16 is written as int16,
 * else float. */
ht_status ht_export_volume(const char *path, const ht_volume *volume);
ht_status ht_export_mask(const char *path, const ht_mask *mask); /* uint8 */

/* A surface as a binary STL file, LPS mm; its header says so. */
ht_status ht_export_triangles(const char *path, const ht_triangles *triangles);

/* velocity (3 components, m/s) and pressure (Pa) of the vessel (extensions left out), float; 0
 * outside the vessel. The voxels are those of `grid`, the vessel's mask's: the domain's lattice is
 * that grid with more around it for the extensions.
 * The components are along L, P, S (DICOM's axes) in every format, as ITK keeps them: 3D Slicer
 * expects that and shows them as RAS. In NIfTI they are dimension 5 with intent "vector"; a tool
 * that reads them as RAS has to turn the signs of the first two. HT_ERR_VESSEL: no vessel.
 * HT_ERR_DIVERGED: a number is not finite; says where. HT_ERR_INTERNAL: the voxels of the grid are
 * not the domain's, or part of the vessel lies outside it. */
ht_status ht_export_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid);
ht_status ht_export_pressure(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid);

/* Both, with the mask (1 in the vessel), as one VTK ImageData file (.vti, appended raw,
 * zlib-compressed) for ParaView, in LPS mm, on the same voxels: point data "velocity_m_s",
 * "pressure_pa", "mask". Its direction needs VTK 9: older readers show it unrotated. Errors as
 * above. */
ht_status ht_export_vti(const char *path, const ht_domain *domain, const ht_flow *flow,
                        const ht_grid *grid);

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
} ht_surface;

/* The surface of the vessel, smoothed; open (no cap) where an extension begins and at a port.
 * Manifold: an edge has two triangles, one at the rim. HT_ERR_VESSEL: no vessel. HT_ERR_MEMORY. */
ht_status ht_surface_build(const ht_domain *domain, ht_surface *surface);
/* Fills wss and pressure from the flow: viscous stress sampled along the inward normal,
 * extrapolated to the wall, averaged with the points within two edges; where the domain has a
 * wall_distance (set it to NULL where the solver's walls are half-way), a fit to the stress of the
 * nodes near the wall. Replaces earlier loads. Accuracy: docs/notes/wall-shear-stress.md.
 * HT_ERR_MEMORY; the surface is then as before, without loads. */
ht_status ht_surface_load(ht_surface *surface, const ht_domain *domain, const ht_flow *flow);
void ht_surface_free(ht_surface *surface);

/* The load over one cycle of a pulsatile flow, at the points of a surface; wall_series.h makes it
 * from samples and has the equations. tau is the wall shear stress vector, T the cycle. */
typedef struct {
  int64_t points;
  int samples;
  double period_s;         /* duration of the samples: the sum of their weights */
  double peak_time_s;      /* of the sample with the largest inflow, "peak systole" */
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

/* VTK PolyData, XML, appended raw: points (LPS mm), triangles, arrays "wss_pa" "wss_magnitude_pa"
 * "pressure_pa" (those that are there) "Normals". HT_ERR_DIVERGED: a number is not finite. */
ht_status ht_export_vtp(const char *path, const ht_surface *surface);

/* The same, and the cycle's arrays: "tawss_pa" "mean_wss_pa" "mean_wss_magnitude_pa"
 * "osi" "rrt_per_pa" "ecap_per_pa" "wss_min_pa" "wss_max_pa" "wss_peak_pa"
 * "wss_peak_magnitude_pa" "pressure_peak_pa". `cycle` NULL: as ht_export_vtp. HT_ERR_INTERNAL: the
 * cycle has another number of points. */
ht_status ht_export_vtp_cycle(const char *path, const ht_surface *surface,
                              const ht_wall_cycle *cycle);

/* The texts of a picture about its case. Either may be NULL or "". Borrowed. */
typedef struct {
  const char *name; /* of the case, after the title; cut with "..." where it is too long */
  const char *mark; /* a warning in a bar of its own colour, such as "NOT STEADY: ..." */
} ht_picture_text;

/* Pictures (PNG). All have a title, a scale bar in mm, orientation letters (R/L A/P H/F) and, where
 * colours mean numbers, a colour bar with units. `text` may be NULL. */

/* 3 orthogonal slices with the mask's outline. */
ht_status ht_picture_mask_on_scan(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings, const ht_picture_text *text);
/* Maximum projection, 3 views, openings numbered. */
ht_status ht_picture_projection(const char *path, const ht_volume *scan, const ht_mask *mask,
                                const ht_openings *openings, const ht_picture_text *text);
/* Projections of the speed, and slices through the vessel. */
ht_status ht_picture_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                              const ht_picture_text *text);
/* The shaded wall coloured by wall shear stress, 3 views. */
ht_status ht_picture_wall(const char *path, const ht_surface *surface, const ht_openings *openings,
                          const ht_picture_text *text);
/* The same for the results of a cycle: TAWSS (mean of the magnitude), and the oscillatory shear
 * index with a bar from 0 to 0.5. */
ht_status ht_picture_tawss(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                           const ht_openings *openings, const ht_picture_text *text);
ht_status ht_picture_osi(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                         const ht_openings *openings, const ht_picture_text *text);

/* Tiles as they lie on the lattice of a mask. */
typedef struct {
  int side; /* of a tile, voxels */
  int64_t count;
  const int32_t *first; /* [count][3] the voxel with the smallest indices of each; may lie outside
                           the mask, also below 0. Borrowed */
} ht_tile_places;
/* The tiles on the mask in the section of the lattice that cuts the most of them: full ones, partly
 * filled ones, and the empty part of these. HT_ERR_VESSEL: no tile lies on the mask. */
ht_status ht_picture_tiles(const char *path, const ht_mask *mask, const ht_tile_places *tiles,
                           const ht_picture_text *text);

/* Numbers of the wall, for summary.json; stresses 0 where the surface has no load. */
typedef struct {
  double wss_mean_pa, wss_max_pa; /* area-weighted mean; max of the points */
  double wss_p99_pa;              /* 99 % of the area has at most this */
  double area_mm2;
} ht_wall_stats;
void ht_surface_stats(const ht_surface *surface, ht_wall_stats *stats);

/* The distribution of a number (>= 0) over the wall's area; values: [surface->points]. */
typedef struct {
  double mean, median, p99; /* by area: half, and 99 % of it, have at most this */
  double max;               /* of the points */
} ht_wall_spread;
void ht_surface_spread(const ht_surface *surface, const float *values, ht_wall_spread *spread);

/* TAWSS below this is "low": Malek, Alper & Izumo, JAMA 282 (1999) 2035 (4 dyn/cm2). */
#define HT_LOW_WSS_PA 0.4

typedef struct {
  int samples; /* 0: the flow was steady, and all else is 0 */
  double period_s, peak_time_s, peak_flow_ml_s;
  ht_wall_spread tawss_pa, mean_wss_mag_pa, osi, wss_peak_pa;
  double low_share;   /* of the area has a TAWSS below HT_LOW_WSS_PA, 0 .. 1 */
  double still_share; /* of the points: see ht_wall_cycle.still, 0 .. 1 */
} ht_cycle_stats;
void ht_cycle_stats_of(const ht_surface *surface, const ht_wall_cycle *cycle,
                       ht_cycle_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
