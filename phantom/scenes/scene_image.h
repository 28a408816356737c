/* Paints the scan of a scene. Private to phantom/scenes/. */
#ifndef HT_SCENE_IMAGE_H
#define HT_SCENE_IMAGE_H

#include "phantom/scenes/scene_plan.h"

/* Fills the scan, the truth and the distance, which are allocated, from the plan. */
ht_status ht_scene_paint(const ht_scene_plan *plan, const ht_progress *progress, ht_scene *scene);

#endif
