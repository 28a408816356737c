/* Centrelines of a vessel as a tree of fronts, for throat.c, main_path.c and run/network/.
 *
 * Fronts are the voxels between two distances from the main inlet (ht_openings_main_inlet); their
 * centres are the centreline (ends.h). */
#ifndef HT_FRONT_TREE_H
#define HT_FRONT_TREE_H

#include "segment/shape/geodesic.h"
#include "core/vessel/openings.h"

/* Thickness of a front, voxels. */
enum { HT_BAND_VOXELS = 2 };

/* One connected piece of the voxels between two distances from the inlet. */
typedef struct {
  int band;
  int64_t voxels;
  double centre[3];   /* centroid, voxel index */
  double flow_ml_s;   /* flow through it, away from the inlet */
  int before, behind; /* front towards the inlet with the most contact, front away from it with the
                         most flow; -1: none */
} ht_front;

/* Contact of two fronts: the number of faces, edges and corners that they share. */
typedef struct {
  int near, far; /* `near` is the one nearer to the inlet */
  int64_t contact;
} ht_front_joint;

typedef struct {
  ht_geodesic geodesic;
  int32_t *of; /* [reached] front of each voxel; owned, as are the others */
  ht_front *item;
  int count; /* 0: there is no inlet */
  ht_front_joint *joint;
  int joints, room;
} ht_front_tree;

/* Returns the flow of an opening: of an inlet, its flow into the vessel; of an outlet,
 * `outflow_ml_s` [openings->count]; of a wall, 0. */
double ht_opening_flow(const ht_openings *openings, const double *outflow_ml_s, int i);

/* Makes the fronts from the main inlet of a mask (isotropic, one piece), and the flow through each.
 * HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_front_tree_make(const ht_mask *mask, const ht_openings *openings,
                             const double *outflow_ml_s, ht_front_tree *tree);

/* Makes the fronts from a voxel of the mask, without flows. */
ht_status ht_front_tree_from(const ht_mask *mask, int64_t voxel, ht_front_tree *tree);
void ht_front_tree_free(ht_front_tree *tree);

/* Returns the front of the vessel's voxel nearest to a position; -1: it was not reached. */
int ht_front_at(const ht_front_tree *tree, const double position_mm[3]);

/* Returns the distance along the vessel from a front to one downstream of it; 0: it is not
 * downstream. */
double ht_front_distance_mm(const ht_front_tree *tree, int from, int to);

/* Returns the radius of the circle with the front's own area, accurate to some 20 per cent. */
double ht_front_radius_mm(const ht_front_tree *tree, const ht_front *one);

/* Finds the centre of a front: LPS, mm. */
void ht_front_centre_mm(const ht_front_tree *tree, const ht_front *one, double centre_mm[3]);

/* Tells whether a front with this centre (LPS, mm) is whole; 0: it is too near to the opening. */
int ht_front_whole_at(const ht_mask *mask, const double centre_mm[3], const ht_opening *opening);
int ht_front_is_whole(const ht_front_tree *tree, const ht_front *one, const ht_opening *opening);

/* Finds the direction of the centreline at front `p`, over about a radius to both sides; LPS, unit.
 * Returns 0 where there is none. */
int ht_front_direction(const ht_front_tree *tree, int p, double direction[3]);

#endif
