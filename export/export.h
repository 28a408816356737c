/* export/: results as files that 3D Slicer, ParaView and a person can open.
 * Every file is written whole or not at all (file.h). HT_ERR_WRITE names the file and the reason.
 */
#ifndef HT_EXPORT_H
#define HT_EXPORT_H

#include "flow.h"
#include "openings.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Images through ITK; the format by the ending: .nii.gz, .nii, .nrrd, .mha. Origin, spacing and
 * direction round-trip exactly (to the format's own precision). A volume whose values are all
 * integers that fit int16 is written as int16, else float. */
ht_status ht_export_volume(const char *path, const ht_volume *volume);
ht_status ht_export_mask(const char *path, const ht_mask *mask); /* uint8 */

/* velocity (3 components, LPS, m/s) and pressure (Pa) of the vessel (extensions left out) on the
 * grid of the mask; 0 outside the vessel. */
ht_status ht_export_velocity(const char *path, const ht_domain *domain, const ht_flow *flow);
ht_status ht_export_pressure(const char *path, const ht_domain *domain, const ht_flow *flow);

/* Both, with the mask, as one VTK ImageData file (.vti, appended raw, zlib-compressed) for
 * ParaView, in LPS mm. */
ht_status ht_export_vti(const char *path, const ht_domain *domain, const ht_flow *flow);

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

/* The surface of the vessel (openings left open: no cap at a port), smoothed. */
ht_status ht_surface_build(const ht_domain *domain, ht_surface *surface);
/* Fills wss and pressure from the flow: viscous stress sampled along the inward normal,
 * extrapolated to the wall. */
ht_status ht_surface_load(ht_surface *surface, const ht_domain *domain, const ht_flow *flow);
void ht_surface_free(ht_surface *surface);

/* VTK PolyData, XML, appended raw: points (LPS mm), triangles, arrays "wss_pa" "wss_magnitude_pa"
 * "pressure_pa" "Normals". */
ht_status ht_export_vtp(const char *path, const ht_surface *surface);

/* Pictures (PNG). All have a title, a scale bar in mm, orientation letters (R/L A/P H/F) and, where
 * colours mean numbers, a colour bar with units. */
ht_status ht_picture_mask_on_scan(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings); /* 3 orthogonal slices, outline */
ht_status ht_picture_projection(
    const char *path, const ht_volume *scan, const ht_mask *mask,
    const ht_openings *openings); /* maximum projection, 3 views, openings numbered */
ht_status ht_picture_velocity(const char *path, const ht_domain *domain,
                              const ht_flow *flow); /* slices through the vessel */
ht_status ht_picture_wall(const char *path, const ht_surface *surface,
                          const ht_openings *openings); /* shaded wall coloured by WSS, 3 views */

/* Numbers of the wall, for summary.json. */
typedef struct {
  double wss_mean_pa, wss_max_pa, wss_p99_pa; /* area-weighted mean; max; 99th percentile */
  double area_mm2;
} ht_wall_stats;
void ht_surface_stats(const ht_surface *surface, ht_wall_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
