/* Draws the wanted vessel of a scene, and the points that a person clicks in it. Private to
 * phantom/scenes/. */
#ifndef HT_SCENE_VESSEL_H
#define HT_SCENE_VESSEL_H

#include "phantom/scenes/scene_plan.h"

/* Draws the wanted vessel. HT_ERR_MEMORY. */
ht_status ht_scene_vessel_draw(ht_scene_plan *plan);

/* Draws the points, which depend on the disturbers. */
void ht_scene_points_draw(ht_scene_plan *plan, ht_scene *scene);

#endif
