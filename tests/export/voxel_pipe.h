/* A straight pipe at any angle to the lattice, with the ends as extensions and ports: a flow domain
 * with a known flow and wall. */
#ifndef HT_VOXEL_PIPE_H
#define HT_VOXEL_PIPE_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"

typedef struct {
  double across, length; /* voxels */
  double spacing_mm;
  double direction[3]; /* of the flow, in lattice axes; axis 0 is the largest. Made a unit vector */
  double centre[3];    /* voxel index; set by ht_voxel_pipe */
  double half_wall;    /* distance from the centre to the ends of the vessel's wall (no extension),
                          voxels along the pipe; set by ht_voxel_pipe */
} ht_pipe;

/* Makes the pipe. The ends are cut by the planes x = 1 and x = nx - 2; what is further than 0.3 *
 * length from the centre is an extension. `frame` gives origin and direction of the grid. */
ht_status ht_voxel_pipe(ht_pipe *pipe, const ht_grid *frame, double flow_ml_s, ht_domain *domain);

/* Computes radius, place along the axis and unit radial vector of a voxel position, in voxels. */
void ht_pipe_place(const ht_pipe *pipe, const double index[3], double *radius, double *along,
                   double outward[3]);

/* Sets Poiseuille's flow in the pipe, exact at every node; pressure 0 at the centre. LPS. */
ht_status ht_pipe_flow(const ht_pipe *pipe, const ht_domain *domain, double flow_ml_s,
                       double viscosity_pa_s, ht_flow *flow);

/* Womersley's flow (J. Physiol. 127 (1955) 553) of a pressure gradient that oscillates, at radius r
 * in units of R and a phase of the cycle: speed in units of that of a pipe without friction, and
 * its slope by r. alpha 0: 1 - r^2 times cos(phase). */
void ht_pipe_wave(double alpha, double phase, double r, double *speed, double *slope);

/* Sets that flow at every node, with 1 m/s for its unit; pressure 0 at the centre. */
ht_status ht_pipe_wave_flow(const ht_pipe *pipe, const ht_domain *domain, double alpha,
                            double phase, double viscosity_pa_s, ht_flow *flow);

/* Gives the domain the exact distance of its voxels from the wall. */
ht_status ht_pipe_distance(const ht_pipe *pipe, ht_domain *domain);

/* The wall shear stress of Poiseuille's flow, 4 mu U / R. */
double ht_pipe_wss(const ht_pipe *pipe, double flow_ml_s, double viscosity_pa_s);

#endif
