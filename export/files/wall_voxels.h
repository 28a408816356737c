/* A number of the wall on the voxels next to it. Private to export/. */
#ifndef HT_WALL_VOXELS_H
#define HT_WALL_VOXELS_H

#include "export/files/flow_image.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Spreads values of the wall over voxels; out: [nz][ny][nx] of the image's grid. A voxel of the
 * vessel with solid at one of its 26 neighbours gets the value of the surface's nearest point,
 * where one lies in the 27 voxels around it (of equally near ones the first). All others get
 * `none`. HT_ERR_MEMORY. */
ht_status ht_wall_voxels(const ht_flow_image *image, const ht_surface *surface, const float *values,
                         float none, float *out);

#ifdef __cplusplus
}
#endif
#endif
