/* Places where the nodes of the CUDA backend's blocks find the neighbours that the correction of
 * diagonals (diagonal.h) needs, built on the host. A block that is plain (blocks.h) and whose nodes
 * are all corrected finds them by its row; others with a corrected node have a list. */
#ifndef HT_DIAGONAL_PLACES_H
#define HT_DIAGONAL_PLACES_H

#include "solver/cuda/blocks/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_FORCE_BY_ROW = -1,    /* kind of a block; >= 0: number of its list */
  HT_FORCE_NONE = -2,      /* no node is corrected */
  HT_FORCE_NEIGHBOURS = 12 /* a node: at -2, -1, 1, 2 along x, then y, z */
};

typedef struct {
  int32_t *kind;  /* [blocks] */
  uint32_t *list; /* [lists][HT_FORCE_NEIGHBOURS][64] places (blocks.h); HT_NO_PLACE: solid. At a
                     node that is not corrected all are, so that its force is 0 */
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
