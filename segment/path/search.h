/* Minimal paths through a scan: the course of the vessel between points. Private to segment/.
 *
 * Cohen & Kimmel, "Global minimum for active contour models: a minimal path approach", Int. J.
 * Comput. Vision 24 (1997) 57, with Dijkstra's algorithm over the 26 neighbours. */
#ifndef HT_SEARCH_H
#define HT_SEARCH_H

#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A ball that no way enters; radius 0: none. */
typedef struct {
  double centre_mm[3], radius_mm;
} ht_closed_ball;

/* Values of the smoothed scan, and those of each voxel (tubeness.h); NULL: none. */
typedef struct {
  double tissue, least_blood, most_blood;
  const float *fill, *toll; /* [voxels] */
  int by_brightest; /* 1: only along bright ways, however long; wide ones before thin ones */
  double radius_mm; /* of the vessel, for that; 0: `fill` tells the width */
  ht_closed_ball closed;
} ht_blood_values;

/* Tree of paths, root first: every voxel comes after its predecessor on the way. */
typedef struct {
  int count;
  int64_t *voxel; /* [count] voxels of the scan; owned, as is the other */
  int *before;    /* [count] predecessor's place in the list; -1: the root */
} ht_paths;

void ht_paths_free(ht_paths *paths);

/* Finds the cheapest ways from the first of `voxel` [points] to the others; at_point [points]: the
 * place of each in the list. A voxel costs 1 where it is as bright as blood and has no gradient, as
 * on a vessel's axis; more where it is darker (tissue: 60), brighter (bone, calcium: up to 20
 * more), or at an edge, so that no way follows the thin layer between bone and tissue that is as
 * bright as blood. In a dark voxel the larger of its brightness and `fill` counts; `toll` is added
 * (infinite: no way).
 * `by_brightest`: first finds the darkest voxel of the brightest ways to the points (the minimax
 * path; neither fill nor toll counts), and leaves out what has less than 0.7 of its contrast; then
 * the least mean over the vessel's width counts, too. A way without contrast is none.
 * Only the voxels that the front reaches take memory. HT_ERR_VESSEL where a point is not reached at
 * 15 times the cost of a straight vessel to the farthest point, and 200 voxels (with a toll: not at
 * all); the message names it. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees. */
ht_status ht_search_paths(const ht_volume *scan, const ht_blood_values *values,
                          const int64_t *voxel, int points, const ht_progress *progress,
                          ht_paths *paths, int *at_point);

#ifdef __cplusplus
}
#endif
#endif
