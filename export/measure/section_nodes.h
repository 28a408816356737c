/* Flow, velocity and pressure in a section, from the lattice nodes around its plane.
 *
 * Flow: the velocity has no divergence and is 0 at the wall, so the flow is the same through the
 * planes parallel to the section, and is the integral of u.n w(d) over the vessel, d the distance
 * from the plane, for any weight w whose integral is 1. With w(d) = (1 + cos(pi d / b)) / 2b and b
 * = 2.5 spacings the sum over the nodes conserves the flow at any angle to the lattice as the
 * velocities at the nodes do (segment/openings/slab.h: the sections of centreline.csv). It needs no
 * part of a voxel at the wall: where the wall lies between two nodes, the sum of a velocity that
 * falls to 0 there is as often too high as too low, and a section's rim has many such places. A sum
 * over a plane of interpolated velocities would end at the wall and lose some of the flow.
 *
 * Pressure: the plane a + b.x that fits the pressure of these nodes best, at the section's
 * centroid: exact where the pressure is linear.
 *
 * Highest speed: of the nodes within a spacing of the plane. */
#ifndef HT_SECTION_NODES_H
#define HT_SECTION_NODES_H

#include "core/vessel/flow.h"
#include "export/measure/plane_section.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reach of the weight to both sides of the plane, spacings. */
#define HT_SECTION_NODES_REACH 2.5

typedef struct {
  int64_t count;
  int64_t *voxel;         /* [count] in the flow's grid, rising. Owned, as are all */
  double (*flow_mm2)[3];  /* [count] the sum of these . velocity (LPS, m/s) is the flow, mL/s */
  double *pressure_share; /* [count] the sum of these times the pressures is the section's mean */
  uint8_t *is_near;       /* [count] 1: counts for the highest speed */
} ht_section_nodes;

/* Finds the nodes of `flow` around a section. `along`: direction of the vessel there (LPS, unit),
 * on whose side the flow is positive; the nodes over the section in this direction count, with a
 * margin of a spacing and of half of their distance from the plane, as vessels taper. `only`: the
 * nodes of these voxels of the flow's grid; NULL: all, extensions too. Where it leaves out nodes
 * around the section, their sum is not the flow. HT_ERR_VESSEL: no node. HT_ERR_MEMORY. The caller
 * frees. */
ht_status ht_section_nodes_find(const ht_plane_cut *cut, const ht_plane_section *section,
                                const ht_flow *flow, const double along[3], const uint8_t *only,
                                ht_section_nodes *nodes);
void ht_section_nodes_free(ht_section_nodes *nodes);

typedef struct {
  double flow_ml_s, highest_m_s, pressure_pa;
} ht_section_values;

/* Computes the values of a section from the velocity [count][3] and pressure [count] at its nodes.
 */
ht_section_values ht_section_nodes_sum(const ht_section_nodes *nodes, const float *velocity_m_s,
                                       const float *pressure_pa);

/* Copies velocity and pressure of a flow at the section's nodes. */
void ht_section_nodes_take(const ht_section_nodes *nodes, const ht_flow *flow, float *velocity_m_s,
                           float *pressure_pa);

#ifdef __cplusplus
}
#endif
#endif
