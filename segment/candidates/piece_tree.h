/* Ends of one piece of vessel, and the ways between them. Private to segment/candidates. */
#ifndef HT_PIECE_TREE_H
#define HT_PIECE_TREE_H

#include "core/vessel/candidates.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_PIECE_ENDS = 25 };

/* A way from a wide end to another end, along the centreline. */
typedef struct {
  int stations;         /* 0: none */
  double (*station)[4]; /* [stations] LPS mm, radius; the wide end first; owned */
  int branches;         /* number that leave it between its ends */
  int at_border[2];     /* 1 where its first or last end lies at a face of the grid `whole` */
} ht_way_of_piece;

typedef struct {
  int count;
  ht_way_of_piece way[HT_PIECE_ENDS];
} ht_piece_ways;

/* Finds the ways of `piece` (isotropic voxels of one piece). The first end is the widest, where the
 * width of an end at the border of `whole` counts twice. Other ends at the border with at least 0.7
 * of its width are inlets, too. Each other end has the way from the nearest inlet; each inlet has
 * the way from the nearest wider inlet. HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_piece_ways_find(const ht_mask *piece, const ht_grid *whole,
                             const ht_progress *progress, ht_piece_ways *ways);
void ht_piece_ways_free(ht_piece_ways *ways);

#ifdef __cplusplus
}
#endif
#endif
