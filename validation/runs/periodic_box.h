/* A lattice in a box that is periodic along some axes: begun from a flow that is given at every
 * node, and read node by node. */
#ifndef HT_PERIODIC_BOX_H
#define HT_PERIODIC_BOX_H

#include "solver/lattice/lattice.h"
#include "tiling/tiling.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_mask mask; /* owned, as all of it */
  ht_tiling tiling;
  ht_lattice *lattice;
} ht_periodic_box;

/* The flow at a node, in lattice units. */
typedef struct {
  double density, velocity[3], stress[6]; /* deviation from 1; viscous, xx yy zz xy xz yz */
} ht_box_flow;

/* Fills in the flow at a voxel; it is 0 before. Called by several threads at once. */
typedef void (*ht_box_flow_at)(const void *context, const int voxel[3], ht_box_flow *flow);

/* Takes the flow at a voxel. */
typedef void (*ht_box_visit)(void *user, const int voxel[3], const ht_box_flow *flow);

/* A box of `dim` voxels, all fluid; or `mask`, which the box takes over, where that is not NULL.
 * Sets setup->tiling. Errors as ht_lattice_create. The caller frees, also after a failure. */
ht_status ht_periodic_box_make(const int dim[3], ht_mask *mask, ht_lattice_setup *setup,
                               ht_periodic_box *box);
void ht_periodic_box_free(ht_periodic_box *box);

/* Replaces the state. HT_ERR_MEMORY, HT_ERR_DEVICE. */
ht_status ht_periodic_box_begin(ht_periodic_box *box, ht_box_flow_at flow, const void *context);

/* Visits every fluid node, tile by tile. HT_ERR_MEMORY, HT_ERR_DEVICE. */
ht_status ht_periodic_box_read(ht_periodic_box *box, ht_box_visit visit, void *user);

#ifdef __cplusplus
}
#endif
#endif
