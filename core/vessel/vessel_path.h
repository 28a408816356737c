/* The path through a vessel along its centreline: the sections across it, and the voxels in each.
 * segment/openings/main_path.h makes it, export/beat/ measures a flow on it. */
#ifndef HT_VESSEL_PATH_H
#define HT_VESSEL_PATH_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A section across the vessel. */
typedef struct {
  double along_mm;     /* along the centreline, from the first station */
  double centre_mm[3]; /* LPS; on the vessel's axis */
  double direction[3]; /* LPS, unit; along the vessel, away from the first station */
  double area_mm2;     /* of the section, across the vessel */
  int64_t is_mixed;    /* 1: the section has a part of a sac or of another vessel that joins or
                          leaves there: its numbers are not the vessel's */
} ht_station;

/* Zeroed: no path. */
typedef struct {
  int stations;
  ht_station *station; /* [stations]; owned, as are the others */
  double (*normal)[3]; /* [stations] LPS, unit; normal of the section's plane: the station's
                          direction, near an opening the opening's normal, which may be oblique to
                          the vessel; `area_mm2` is across the vessel even there */
  ht_grid grid;        /* of the mask */
  int64_t *first;      /* [stations + 1] first entry of each station in `voxel` */
  int64_t *voxel;      /* voxels of the sections, evenly spread over each; one may occur twice */
  int64_t *flow_first; /* [stations + 1] first entry of each station in the next two */
  int64_t *flow_voxel; /* voxels around the section */
  float *flow_mm2;     /* the flow through the section: the sum of these times the velocities at the
                          voxels along `normal`. It is conserved along a vessel, which the mean
                          over `voxel` times the area is not */
} ht_vessel_path;

void ht_vessel_path_free(ht_vessel_path *path);

#ifdef __cplusplus
}
#endif
#endif
