/* Lists what the step of each part reads of the tiles of other parts. Private to solver/ranks/. */
#ifndef HT_PART_NEEDS_H
#define HT_PART_NEEDS_H

#include "solver/lattice/backend.h"

typedef struct {
  int64_t count, room;
  int64_t *place; /* of the whole lattice, as in ht_border; rising */
} ht_places;

typedef struct {
  int parts;
  ht_places *of; /* [HT_CROSS_KINDS][parts][parts] */
} ht_needs;

/* The places of a kind that part `to` reads of part `from`. */
static inline ht_places *ht_needs_of(const ht_needs *needs, ht_cross_kind kind, int to, int from) {
  return &needs->of[((int64_t)kind * needs->parts + to) * needs->parts + from];
}

/* Finds the needs of each part. part: [tiles]; the node inside of a port's node is in the part of
 * that node. HT_ERR_MEMORY. The caller frees. */
ht_status ht_needs_find(const ht_lattice_tables *whole, int parts, const int32_t *part,
                        ht_needs *needs);
void ht_needs_free(ht_needs *needs);

#endif
