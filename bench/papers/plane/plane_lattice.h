/* Plane flows: the D2Q9 lattice Boltzmann solver in lattice units, step by step. The models are
 * those of lattice.h (LBGK and MRT, each incompressible and quasi-compressible; fp64, fp32, fp16),
 * on the CPU and the GPU, on tiles of 16 x 16 nodes of which only those with fluid are stored. For
 * validation: cavities, channels, flow past a cylinder.
 *
 * dx = dt = 1; densities are deviations from 1. A node is the centre of its voxel: a wall lies half
 * a spacing from the last fluid node, a port on its nodes. Nodes outside the mask are solid. */
#ifndef HT_PLANE_LATTICE_H
#define HT_PLANE_LATTICE_H

#include "solver/lattice/lattice.h"
#include "bench/papers/plane/plane_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_plane ht_plane;

/* Creates a plane flow. HT_ERR_USAGE (no fluid, a periodic side that is no multiple of 16, a port
 * node that is solid, outside or not at the edge it names; says which), HT_ERR_UNSTABLE (tau),
 * HT_ERR_DEVICE (CUDA requested and not there; says why), HT_ERR_MEMORY. */
ht_status ht_plane_create(const ht_plane_setup *setup, ht_plane **plane);
void ht_plane_free(ht_plane *plane);

/* Runs `steps` time steps and waits for their end. HT_ERR_DEVICE. */
ht_status ht_plane_step(ht_plane *plane, int64_t steps);

/* Watches as ht_lattice_watch. Copies the distribution functions to the host: too slow for every
 * step. */
ht_status ht_plane_watch(ht_plane *plane, ht_lattice_monitor *monitor);

/* The flow after the last step, propagated and with its boundaries applied, before the next
 * collision. Any pointer may be NULL. Values of solid nodes are 0. HT_ERR_DEVICE, HT_ERR_MEMORY. */
typedef struct {
  double *density;  /* [ny][nx] deviation from 1 */
  double *velocity; /* [ny][nx][2] */
  double *stress;   /* [ny][nx][3] viscous, xx yy xy */
} ht_plane_fields;

ht_status ht_plane_read(ht_plane *plane, ht_plane_fields *fields);

/* Force of the flow on the resting walls in the voxels x0 <= x < x1, y0 <= y < y1, box {x0, y0, x1,
 * y1}: momentum exchanged on the links (Ladd, J. Fluid Mech. 271 (1994) 285). It contains only the
 * pressure's deviation, so it is exact only for a body that lies wholly in the box. HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_plane_force(ht_plane *plane, const int box[4], double force_lu[2]);

/* "CPU, 2 threads, AVX-512" or the GPU's name. Owned by the plane. */
const char *ht_plane_device(const ht_plane *plane);

/* Measures the cost as ht_lattice_measure_cost. */
void ht_plane_measure_cost(const ht_plane *plane, ht_lattice_cost *cost);

/* Fluid nodes, and those of all stored tiles. */
void ht_plane_count(const ht_plane *plane, int64_t *fluid, int64_t *stored);

#ifdef __cplusplus
}
#endif
#endif
