/* Scores of a mask against a scene's truth (scene.h). Lengths in voxels: the scan's
 * smallest spacing. */
#ifndef HT_SCENE_SCORE_H
#define HT_SCENE_SCORE_H

#include "phantom/scenes/scene.h"

/* All but the leak only where scores count (ht_scene_counts). Distances are cut off at
 * HT_SCENE_FAR. */
enum { HT_SCENE_FAR = 5 };
typedef struct {
  double dice;                      /* on the scan's voxels */
  double surface_mean, surface_p95; /* found wall to true wall and back */
  double wall_median, wall_bias;    /* found wall: median size and mean of its signed distance */
  double leak;                      /* share of the found voxels that are more than 1.5 voxels
                                       outside the lumen with all its branches, anywhere */
  double leak_ml;
  double radius_bias; /* mean along the centreline; of circles with the area */
  int64_t plain;      /* stations of the centreline that the radius and the centres are of */
  double overlap;     /* share of the true centreline inside the mask */
  double centre_median, centre_most; /* of the sections' centroids from the true ones */
} ht_scene_score;

/* The wall is where the mask, smoothed by two Gaussians of one node whose shifts at curved walls
 * cancel, is 1/2: that takes out the staircase of the nodes. HT_ERR_MEMORY. */
ht_status ht_scene_score_mask(const ht_scene *scene, const ht_mask *found, ht_scene_score *score);

/* The bars of a vessel that is found: at least 98 % of the centreline in the mask, no leak (2 %),
 * the wall within 0.25 voxels (median), the centreline within 0.5 voxels (median). */
enum { HT_SCENE_BARS = 4 };

/* "not whole", "leak", "wall", "centreline". */
extern const char *const ht_scene_bar_words[HT_SCENE_BARS];

/* A bit for each bar that is missed, in this order; 0: none. */
unsigned ht_scene_score_missed(const ht_scene_score *score);

#endif
