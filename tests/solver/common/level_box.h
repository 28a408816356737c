/* Flows on lattices of several levels, for tests: masks and refined regions by functions of the
 * place, in coordinates of the coarsest level, whose voxels have their centres at integers. */
#ifndef HT_LEVEL_BOX_H
#define HT_LEVEL_BOX_H

#include "solver/levels/levels.h"
#include "tests/solver/common/voxel_fields.h"

/* Distance from the wall, coarse spacings, > 0 in the fluid; the level that a place belongs to. */
typedef double (*ht_wall_at)(const double at[3], const void *data);
typedef int (*ht_level_at)(const double at[3], const void *data);
/* A flow at a place; all 0 at the call. */
typedef void (*ht_level_flow)(const double at[3], const void *data, ht_voxel_flow *flow);

typedef struct {
  int dim[3], levels, interpolated; /* interpolated: 1: walls where the distance is 0 */
  ht_wall_at wall;                  /* NULL: all fluid */
  ht_level_at level;                /* NULL: the finest */
  const void *data;
} ht_level_box_shape;

typedef struct {
  ht_mask mask[HT_LEVELS_MOST];
  uint8_t *refined[HT_LEVELS_MOST];
  float *distance[HT_LEVELS_MOST];
  ht_levels *levels;
  int count;
} ht_level_box;

/* Makes the levels, with the rest of `lattice`; ht_level_box_try() may fail, and is freed then,
 * too. */
ht_status ht_level_box_try(const ht_level_box_shape *shape, const ht_lattice_setup *lattice,
                           ht_level_box *box);
void ht_level_box_make(const ht_level_box_shape *shape, const ht_lattice_setup *lattice,
                       ht_level_box *box);
void ht_level_box_free(ht_level_box *box);

/* Starts all levels from a flow; reads the flow at all nodes, each place once, as [nodes]: place,
 * flow, and the volume of the node in coarse ones. */
void ht_level_box_write(const ht_level_box *box, ht_level_flow flow, const void *data);

typedef struct {
  double at[3], density, velocity[3], stress[6], volume;
  int level;
} ht_level_sample;

/* The caller frees with free(). */
ht_level_sample *ht_level_box_read(const ht_level_box *box, int64_t *nodes);

typedef struct {
  double velocity, stress; /* sqrt(sum |v - exact|^2 / sum |exact|^2), by volume */
  double density;          /* the same, without the means */
  double mass, momentum[3];
} ht_level_error;

void ht_level_box_compare(const ht_level_box *box, ht_level_flow flow, const void *data,
                          ht_level_error *error);

#endif
