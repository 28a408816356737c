/* Where the nodes of the CUDA backend's blocks find the neighbours that the correction of diagonals
 * (diagonal.h) needs, built on the host. The block of a tile has the lines of four nodes along each
 * axis, and needs their ends: two nodes beyond on either side. A block that is plain (blocks.h) and
 * whose nodes are all corrected finds these by its row. */
#ifndef HT_DIAGONAL_PLACES_H
#define HT_DIAGONAL_PLACES_H

#include "solver/cuda/blocks/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_FORCE_BY_ROW = -1, /* kind of a block; >= 0: number of its first list */
  HT_FORCE_NONE = -2,   /* no node is corrected */
  /* Lists of a packed block: places at -2, -1, 1, 2 along x, then y, z; HT_NO_PLACE: solid. At a
   * node that is not corrected all are, so that its force is 0. */
  HT_FORCE_NEIGHBOURS = 12,
  /* Lists of another one: places at -4 or 4, whichever is outside, along x and y; at -2 and 2 along
   * z; and the node's marks. */
  HT_FORCE_END_X = 0,
  HT_FORCE_END_Y = 1,
  HT_FORCE_LOW_Z = 2,
  HT_FORCE_HIGH_Z = 3,
  HT_FORCE_MARKS = 4,
  HT_FORCE_LISTS = 5
};

/* Marks: the node at -1, 1 along an axis is solid; the node is not corrected. */
#define HT_FORCE_SOLID(axis, is_high) (1u << (2 * (axis) + (is_high)))
#define HT_FORCE_OFF                  (1u << 6)

typedef struct {
  int32_t *kind;  /* [blocks] */
  uint32_t *list; /* [lists][64] */
  int64_t lists;
} ht_diagonal_places;

/* Builds the places for tables with `corrected`. HT_ERR_MEMORY. */
ht_status ht_diagonal_places_build(const ht_lattice_tables *tables, const ht_blocks *blocks,
                                   ht_diagonal_places *places);
void ht_diagonal_places_free(ht_diagonal_places *places);

#ifdef __cplusplus
}
#endif
#endif
