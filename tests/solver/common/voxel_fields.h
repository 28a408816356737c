/* Density and velocity of a lattice by voxel, for any tiling: for tests of the solver. */
#ifndef HT_VOXEL_FIELDS_H
#define HT_VOXEL_FIELDS_H

#include "solver/lattice/lattice.h"

/* [nz][ny][nx][4]: deviation of the density from 1, then the velocity; 0 where solid. The caller
 * frees with free(). */
double *ht_read_voxels(ht_lattice *lattice, const ht_tiling *tiling);

/* A flow at a voxel: velocity, density's deviation from 1, viscous stress (xx yy zz xy xz yz), all
 * 0 at the call. */
typedef struct {
  double density, velocity[3], stress[6];
} ht_voxel_flow;
typedef void (*ht_flow_at)(const int voxel[3], const void *data, ht_voxel_flow *flow);

/* Starts the lattice from this flow. */
void ht_write_voxels(ht_lattice *lattice, const ht_tiling *tiling, ht_flow_at flow,
                     const void *data);

/* A lattice over a box, all of it fluid, with the walls and the rest of `setup`. */
typedef struct {
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice *lattice;
} ht_box;
void ht_box_make(const int dim[3], ht_lattice_setup *setup, ht_box *box);
void ht_box_free(ht_box *box);

/* The model 0 to HT_MODELS - 1 of model.h. */
void ht_set_model(ht_lattice_setup *setup, int model);
const char *ht_model_name(int model);

/* "fp32" or "fp64". */
const char *ht_precision_name(ht_precision precision);

#endif
