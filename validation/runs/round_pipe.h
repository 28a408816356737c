/* A round pipe that closes on itself in a periodic box: the voxels, and where each lies. */
#ifndef HT_ROUND_PIPE_H
#define HT_ROUND_PIPE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lattice units. Along axis 0 of a box that is periodic there; or along (1, 1, 0) of a square box
 * that is periodic along both sides, whose corner the pipe crosses. */
typedef struct {
  int diagonal;
  int dim[3], periodic[3];
  double radius, length; /* length: of the centre line, once around */
  double axis[3][3];     /* unit, right-handed: along the pipe, and two across it */
  double centre[2];      /* along those two. Off the lattice's points of symmetry, so that the wall
                            cuts links at all fractions */
} ht_round_pipe;

/* A pipe of `across` nodes, at least `lengths` diameters long, and where it is diagonal long enough
 * to keep clear of itself. */
ht_round_pipe ht_round_pipe_make(int across, int diagonal, double lengths);

/* Finds the place of a voxel: along the centre line, 0 to length, and off it, along axis[1] and
 * axis[2]. Returns the distance from the wall, > 0 in the fluid. */
double ht_round_pipe_place(const ht_round_pipe *pipe, const int voxel[3], double *along,
                           double off[2]);

/* The mask, and where `distance` is not NULL the wall's distance of every voxel [nz][ny][nx], as in
 * ht_lattice_setup. The caller frees both. HT_ERR_MEMORY. */
ht_status ht_round_pipe_voxels(const ht_round_pipe *pipe, ht_mask *mask, float **distance);

#ifdef __cplusplus
}
#endif
#endif
