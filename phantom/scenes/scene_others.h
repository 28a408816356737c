/* Draws the obstacles to finding the wanted vessel of a scene. Private to phantom/scenes/. */
#ifndef HT_SCENE_OTHERS_H
#define HT_SCENE_OTHERS_H

#include "phantom/scenes/scene_plan.h"

/* Draws the bone, other vessels, calcium, stent, streaks. */
void ht_scene_others_draw(ht_scene_plan *plan);

#endif
