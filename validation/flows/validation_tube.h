/* A tube, its flow and the load on its wall: shared by pipes, nozzles and stenoses. Private to
 * validation/. */
#ifndef HT_VALIDATION_TUBE_H
#define HT_VALIDATION_TUBE_H

#include "validation/runs/tube_domain.h"
#include "validation/flows/validation_types.h"

typedef struct {
  ht_tube_shape tube;
  ht_domain domain;
  ht_flow flow;
  ht_flow_stats stats;
} ht_tube_flow;

/* Returns the solver's defaults on the device and threads of the validation, with interpolated
 * walls, and with the requested collision, else the flow's `own`. */
ht_solver_options ht_validation_solver(const ht_validation_options *options, ht_collision own);

/* Names that collision and its lattice: "D3Q19, mrt". */
const char *ht_validation_model(const ht_validation_options *options, ht_collision own);

/* Returns by how many halvings the lattice may be coarser than the finest spacing at a place. */
typedef int (*ht_tube_coarser)(const ht_tube_shape *tube, const ht_tube_place *place);

/* Solves the flow in `tube`, `coarser` by up to solver->halvings (NULL: nowhere). Interpolated
 * walls are at the tube's exact wall; half-way walls are a staircase. Errors as ht_solve. The
 * caller frees, also after a failure. */
ht_status ht_tube_flow_run(const ht_tube_shape *tube, const ht_solver_options *solver,
                           const ht_progress *progress, ht_tube_flow *flow);
ht_status ht_tube_flow_levels(const ht_tube_shape *tube, ht_tube_coarser coarser,
                              const ht_solver_options *solver, const ht_progress *progress,
                              ht_tube_flow *flow);
void ht_tube_flow_free(ht_tube_flow *flow);

/* Velocity (LPS, m/s) and pressure at a point of the tube, trilinear; `across` is the distance from
 * the centre line in the direction of the grid's first axis. Solid nodes are at rest; the pressure
 * is of the fluid ones alone, NAN where there is none. */
void ht_tube_flow_sample(const ht_tube_flow *flow, double along_mm, double across_mm,
                         double velocity_m_s[3], double *pressure_pa);

/* Position of the node at a voxel, and the velocity along the tube there, m/s; 0 if solid. */
int ht_tube_flow_at(const ht_tube_flow *flow, int64_t voxel, ht_tube_place *place,
                    double *axial_m_s, double *pressure_pa);

/* The viscous dissipation of a straight tube's vessel over what the pressure loses there, flow
 * times drop: 1 in Poiseuille's flow. The mean of the nodes' times the tube's section, as of a sac.
 */
double ht_tube_flow_dissipation(const ht_tube_flow *flow);

/* A straight line through points by least squares: its slope. */
typedef struct {
  double count, x, y, xx, xy;
} ht_slope;

void ht_slope_add(ht_slope *slope, double x, double y);
double ht_slope_of(const ht_slope *slope);

/* A constant radius: `context` is a double. */
double ht_tube_constant_radius(const void *context, double along_mm);

#endif
