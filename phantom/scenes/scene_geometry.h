/* Directions, places and distances in the plan of a scene. Private to phantom/scenes/. */
#ifndef HT_SCENE_GEOMETRY_H
#define HT_SCENE_GEOMETRY_H

#include "phantom/scenes/scene_plan.h"

/* Finds the point of a tube that is nearest to a place, and the distance from it. */
int ht_scene_nearest(const ht_tube *tube, const double position_mm[3], double *away_mm);

/* Depth of a place below the faces of the scan, mm; < 0 outside. */
double ht_scene_depth(const ht_grid *grid, const double position_mm[3]);

/* Fills in `normal` and `along_mm` of tube 0. HT_ERR_MEMORY. */
ht_status ht_scene_frames_make(ht_scene_plan *plan);

/* Computes the unit vector along a tube at its point i. */
void ht_scene_along(const ht_tube *tube, int i, double along[3]);

/* Computes the unit vector across tube 0 at its point i, at an angle from its normal. */
void ht_scene_across(const ht_scene_plan *plan, int i, double angle, double across[3]);

/* Distances (mm, negative inside) from the calcium, from another vessel, from the bone, the last
 * two carved around the wanted lumen, which is `lumen_mm` away. */
double ht_scene_spots_distance(const ht_scene_plan *plan, const double position_mm[3]);
double ht_scene_other_distance(const ht_scene_other *other, const double position_mm[3],
                               double lumen_mm);
double ht_scene_bone_distance(const ht_scene_plan *plan, const double position_mm[3],
                              double lumen_mm);

/* Distance from the wanted lumen without calcium; `gradient` may be NULL. */
double ht_scene_lumen_distance(const ht_scene_plan *plan, const double position_mm[3],
                               double gradient[3]);

#endif
