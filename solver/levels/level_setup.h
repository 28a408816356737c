/* The setup of a lattice of several levels, for levels.h. */
#ifndef HT_LEVEL_SETUP_H
#define HT_LEVEL_SETUP_H

#include "core/vessel/flow.h"
#include "solver/lattice/lattice_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The geometry of a level. All are borrowed until ht_levels_free. */
typedef struct {
  const ht_mask *mask; /* the whole vessel at this level's spacing: 2^level times the voxels of the
                          coarsest along each axis; its grid's position is not used */
  const uint8_t *refined;     /* [nz][ny][nx] of this mask: not 0 where the next level computes the
                                 flow, only within this level's own region; NULL: nowhere, at the last
                                 level. Interpolated walls keep their mass where the region begins and
                                 ends at multiples of 4 voxels, with the tiles */
  const float *wall_distance; /* as in ht_lattice_setup, in this level's spacings; NULL: half-way */
  void *drive_user;           /* of the drive, for the coefficients of this level's ports alone at
                                 steps of this level; NULL where none of them is driven */
  int64_t sponge_nodes;       /* the sponge, as in ht_lattice_setup, in this level's units */
  const int64_t *sponge_voxel;
  const float *sponge_lu;
} ht_level_setup;

typedef struct {
  int levels;
  const ht_level_setup *level; /* [levels] from the coarsest */
  ht_lattice_setup lattice;    /* of the coarsest: tau, acceleration and ramp in its units; the
                                  ports of all levels; tiling, outer, own, wall_distance, drive_user,
                                  sponge: not used */
} ht_levels_setup;

#ifdef __cplusplus
}
#endif
#endif
