/* Measured flow through a section of the vessel. */
#ifndef HT_SECTION_FLOW_H
#define HT_SECTION_FLOW_H

#include "core/vessel/measured_flow.h"
#include "run/measured/vessel_cut.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fewest voxels across a section whose flow is measured, and from which it is right within 5 %. */
enum { HT_SECTION_FEWEST_ACROSS = 3, HT_SECTION_GOOD_ACROSS = 5 };

typedef struct {
  int times;
  double *flow_ml_s;  /* [times] along the normal of the cut. Owned */
  double mean_ml_s;   /* of these */
  double across;      /* voxels of the measurement across the section */
  double beyond_ml_s; /* mean flow in the voxel around those that count: more than noise where the
                         outline of the vessel and the images do not fit each other */
  double outside;     /* part of the section outside the measured images */
} ht_section_flow;

/* Measures the flow through a section at each time: the sum of the velocity along the normal, over
 * the voxels in the vessel and half a voxel around it, each times its share of blood
 * (ht_measured_share). Of a plane (grid.dim[2] 1) the cut is to be that plane
 * (ht_measured_plane_cut). Of a volume the voxels next to the plane count, with a weight that falls
 * off smoothly: blood has no divergence, so that the flow is that through the plane. HT_ERR_CASE:
 * fewer than HT_SECTION_FEWEST_ACROSS voxels across, a section more than a fiftieth of which is
 * outside the images, a single direction that lies in the plane. HT_ERR_MEMORY. The caller frees.
 */
ht_status ht_section_flow_measure(const ht_measured_flow *flow, const ht_vessel_cut *cut,
                                  int section, ht_section_flow *made);
void ht_section_flow_free(ht_section_flow *made); /* NULL is fine */

/* Finds the share of blood [voxels] of the voxels around a section that hold blood of its vessel; 0
 * elsewhere. HT_ERR_MEMORY. The caller frees it. */
ht_status ht_section_share(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                           float **share);

/* Cuts the vessel by the plane of a measurement with one slice. Sections that lie outside the image
 * are none. HT_ERR_CASE, with the distance in mm: the slice misses the vessel. HT_ERR_MEMORY. The
 * caller frees. */
ht_status ht_measured_plane_cut(const ht_measured_flow *flow, const ht_mask *mask,
                                ht_vessel_cut *cut);

#ifdef __cplusplus
}
#endif
#endif
