/* Density and velocity of a lattice by voxel, for any tiling. */
#ifndef HT_LATTICE_VOXELS_H
#define HT_LATTICE_VOXELS_H

#include "solver/lattice/lattice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `values` gets [nz][ny][nx][4]: deviation of the density from 1, then the velocity, lattice units;
 * 0 where solid. The caller frees with free(). HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_lattice_voxels(ht_lattice *lattice, const ht_tiling *tiling, double **values);

/* The voxel of a node (64 tile + place in the tile) of a tiling; 0 where it is solid. */
int ht_tiling_voxel(const ht_tiling *tiling, int64_t node, int voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
