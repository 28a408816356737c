/* Draws the whole plan of a scene. Private to phantom/scenes/. */
#ifndef HT_SCENE_DRAW_H
#define HT_SCENE_DRAW_H

#include "phantom/scenes/scene_plan.h"

/* Draws a scene from a zeroed plan with its seed: the grid, the wanted vessel, the points (into
 * scene) and the disturbers. HT_ERR_MEMORY; ht_scene_plan_free in any case. */
ht_status ht_scene_plan_draw(ht_scene_plan *plan, ht_scene *scene);
void ht_scene_plan_free(ht_scene_plan *plan);

#endif
