/* Tubes for the tests of the CPU's kernels: their tiles, and the links of every node as the kernels
 * and the tables have them. */
#ifndef HT_TUBE_LINKS_H
#define HT_TUBE_LINKS_H

#include "solver/lattice/lattice.h"

typedef struct {
  ht_tiling tiling;
  int directions;
  int64_t values;  /* of [tiles][directions][64] */
  int32_t *slot;   /* [tiles]: every tile has one */
  uint64_t *wall;  /* [tiles][directions] */
  uint32_t *links; /* [tiles][64]: bit 0: fluid; bit q: what would come by q is at a wall */
} ht_tube_links;

/* The mask of the tubes; the caller frees. */
void ht_tube_mask(ht_mask *mask);

void ht_tube_links_make(int directions, ht_tube_links *tubes);
void ht_tube_links_free(ht_tube_links *tubes);

/* Makes zeros, [values], but at fluid nodes start(i) of value i, rounded to what fp16 can hold. The
 * caller frees. */
double *ht_tube_start(const ht_tube_links *tubes, double (*start)(int64_t i, int directions));

/* Velocity after some steps, [tiles][64][3]. The caller frees. */
double *ht_velocity_after(const ht_lattice_setup *setup, int64_t steps);

#endif
