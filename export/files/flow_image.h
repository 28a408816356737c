/* The flow as dense images on the grid of the vessel's mask, which velocity.nii.gz, pressure.nii.gz
 * and flow.vti share. */
#ifndef HT_FLOW_IMAGE_H
#define HT_FLOW_IMAGE_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const ht_domain *domain; /* borrowed */
  const ht_flow *flow;     /* borrowed; may be NULL */
  ht_grid grid;            /* of the image */
  int low[3];              /* the image's first voxel on the domain's lattice; may be negative */
} ht_flow_image;

/* Prepares the flow on `grid`, whose voxels coincide with the domain's where they overlap. Checks
 * that the flow belongs to the domain and that every number of the vessel is finite. flow: NULL if
 * only the places of the voxels are needed. HT_ERR_VESSEL: the domain has no vessel.
 * HT_ERR_INTERNAL: another lattice, or a lattice without the whole vessel. HT_ERR_DIVERGED: says
 * where the flow is not a number. */
ht_status ht_flow_image_make(const ht_domain *domain, const ht_flow *flow, const ht_grid *grid,
                             ht_flow_image *image);

/* Values [first, first + count) of the dense array, x fastest, 0 outside the vessel; `image` is an
 * ht_flow_image. Velocity: 3 floats a voxel, LPS m/s; pressure: float, Pa; mask: uint8, 1 in the
 * vessel. */
void ht_flow_image_velocity(const void *image, int64_t first, int64_t count, void *out);
void ht_flow_image_pressure(const void *image, int64_t first, int64_t count, void *out);
/* The velocity's component `component` at voxels [first, first + count). */
void ht_flow_image_velocity_part(const void *image, int component, int64_t first, int64_t count,
                                 void *out);
void ht_flow_image_pressure_part(const void *image, int component, int64_t first, int64_t count,
                                 void *out);
/* The turbulent energy, J/m3, float: mean, and at the phase with the most; the root mean square of
 * the velocity's fluctuation, m/s, which is sqrt(2 mean / density). Only where the flow has them.
 */
void ht_flow_image_tke(const void *image, int64_t first, int64_t count, void *out);
void ht_flow_image_rms(const void *image, int64_t first, int64_t count, void *out);
void ht_flow_image_tke_peak(const void *image, int64_t first, int64_t count, void *out);
void ht_flow_image_mask(const void *image, int64_t first, int64_t count, void *out);

#ifdef __cplusplus
}
#endif
#endif
