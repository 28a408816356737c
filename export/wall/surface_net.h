/* The net of quadrilaterals between inside and outside voxels: one vertex a sheet in each cell of
 * eight voxel centres (dual marching cubes), one quadrilateral a face between two voxels.
 * Positions are in voxel indices of the domain's lattice. */
#ifndef HT_SURFACE_NET_H
#define HT_SURFACE_NET_H

#include "core/vessel/domain.h"

typedef struct {
  int64_t points, points_room;
  float *point;    /* [points][3] voxel indices. Owned */
  uint8_t *frozen; /* [points] bit a: may not move along axis a (rim of a port). Owned */
  int64_t quads, quads_room;
  int32_t *quad; /* [quads][4] counter-clockwise seen from outside, in voxel indices. Owned */
  uint8_t *wall; /* [quads] 1: of the vessel; 0: of an extension, dropped in the end. Owned */
} ht_surface_net;

/* Makes the net around vessel and extensions, left open at the ports. HT_ERR_VESSEL: nothing
 * inside. HT_ERR_MEMORY. */
ht_status ht_surface_net_make(const ht_domain *domain, ht_surface_net *net);
void ht_surface_net_free(ht_surface_net *net);

/* Smooths the steps of the voxels: see surface_smooth.c. HT_ERR_MEMORY. */
ht_status ht_surface_net_smooth(ht_surface_net *net);

#endif
