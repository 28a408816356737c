/* The values of a flow between the nodes of its lattice. Private to solver/.
 *
 * Velocity, pressure and viscous stress are trilinear between eight coarse nodes, and along each
 * axis get what a cubic has beyond a straight line, or a parabola where the four nodes before or
 * behind the eight do not all have values. So no axis comes first: stored in another order of axes
 * a flow has the same values. Nodes in the wall continue the velocity of the fluid next to them, so
 * that it is 0 at the wall. */
#ifndef HT_COARSE_VALUES_H
#define HT_COARSE_VALUES_H

#include "core/vessel/domain.h"
#include "core/vessel/flow.h"

/* Places of a node's values: pressure (Pa), velocity (m/s) and viscous stress (Pa, xx yy zz xy xz
 * yz), LPS. */
enum {
  HT_COARSE_PRESSURE = 0,
  HT_COARSE_VELOCITY = 1,
  HT_COARSE_STRESS = 4,
  HT_COARSE_VALUES = 10
};

/* The coarse flow, with the nodes in the wall that fluid nodes need between them. */
typedef struct {
  const ht_domain *domain; /* of the coarse lattice; borrowed */
  int is_rough;         /* 1: of a moment of a flow that may be turbulent: no value in the wall is
                           larger than those next to it, and these alone are interpolated */
  int32_t *number;      /* [voxels] of the node; -1: no values. Owned */
  int64_t count, nodes; /* nodes: of the flow, the first; behind them those in the wall */
  int64_t *wall;        /* [count - nodes] their voxels. Owned */
  float *value;         /* [count][HT_COARSE_VALUES]. Owned */
} ht_coarse_values;

/* Makes the values of a flow in this domain, which may lack nodes where its mask is fluid: these
 * have no values. HT_ERR_MEMORY. Free them also after a failure. */
ht_status ht_coarse_values_make(const ht_domain *domain, const ht_flow *flow, int is_rough,
                                ht_coarse_values *values);
void ht_coarse_values_free(ht_coarse_values *values);

/* Takes the values of another flow of the same nodes. */
void ht_coarse_values_take(ht_coarse_values *values, const ht_flow *flow);

/* Places between two coarse nodes: `count` along each axis, by how far they are past the first
 * node, 0 <= past < 1 of a coarse spacing; more than one: none is 0. */
enum { HT_COARSE_PLACES = 8 };
typedef struct {
  int count;
  double past[3][HT_COARSE_PLACES];
} ht_coarse_places;

/* Interpolates at all places past the node `at` along x, y and z; value: [count x][y][z]
 * [HT_COARSE_VALUES]. 0: there is nothing to interpolate from. */
int ht_coarse_values_between(const ht_coarse_values *values, const int at[3],
                             const ht_coarse_places *places, double *value);

/* Interpolates at a place in voxels of the coarse grid, `at` + `past`, 0 <= past < 1. 0: there is
 * nothing to interpolate from. */
int ht_coarse_values_at(const ht_coarse_values *values, const int at[3], const double past[3],
                        double value[HT_COARSE_VALUES]);

#endif
