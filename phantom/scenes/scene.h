/* Random synthetic scans with a wanted vessel and obstacles to finding it, each with its truth, to
 * score a segmentation from points in the vessel. */
#ifndef HT_SCENE_H
#define HT_SCENE_H

#include "core/work/progress.h"
#include "phantom/scenes/scene_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words "CTA", ... of ht_scene_kind. */
extern const char *const ht_scene_kind_words[HT_SCENE_KINDS];

/* Words "bone", ... of the bits of ht_scene.has, in their order. */
extern const char *const ht_scene_words[HT_SCENE_WORDS];

/* Makes the scene of a seed: the same bytes for any number of threads. HT_ERR_MEMORY,
 * HT_ERR_INTERRUPTED. `progress` may be NULL. The caller frees the scene. */
ht_status ht_scene_make(uint64_t seed, const ht_progress *progress, ht_scene *scene);
void ht_scene_free(ht_scene *scene);

/* Distance of any place from the wall of the wanted lumen, as in ht_scene.distance. mm. */
double ht_scene_distance(const ht_scene *scene, const double position_mm[3]);

/* Returns 1 where scores count at a place near the wanted vessel: between the planes across it at
 * the points, half a radius and a voxel inside them, and not in a side branch or its mouth: a
 * segmentation may keep it or not. */
int ht_scene_counts(const ht_scene *scene, const double position_mm[3]);

/* Returns 1 where the wanted vessel is a plain tube around station `station` of path `path`: no
 * sac, branch or bifurcation there, so that its section and its centre are defined. */
int ht_scene_is_plain(const ht_scene *scene, int path, int station);

#ifdef __cplusplus
}
#endif
#endif
