/* The ends of one piece of vessel, and the ways between them. Private to segment/candidates. */
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
  int branches;         /* that leave it between its ends */
  int at_border[2];     /* its first and last end: 1: at a face of the grid `whole` */
} ht_way_of_piece;

typedef struct {
  int count;
  ht_way_of_piece way[HT_PIECE_ENDS];
} ht_piece_ways;

/* `piece`: isotropic voxels of one piece. The first end is the widest, of which one at the border
 * of `whole` counts twice; the others at the border that are as wide as 0.7 of it are inlets, too.
 * Of every other end the way from the nearest of these; of an inlet that from the nearest that is
 * wider. HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_piece_ways_find(const ht_mask *piece, const ht_grid *whole,
                             const ht_progress *progress, ht_piece_ways *ways);
void ht_piece_ways_free(ht_piece_ways *ways);

#ifdef __cplusplus
}
#endif
#endif
