/* Figures of how several ranks share a lattice. */
#ifndef HT_PART_FIGURES_H
#define HT_PART_FIGURES_H

#include <stdint.h>

typedef struct {
  int64_t tiles, nodes;
  int64_t border_tiles;               /* next to a tile of another part */
  int64_t sent_bytes, received_bytes; /* each step */
  int neighbours;                     /* parts that it sends to or receives from */
  double load;                        /* the estimated cost of its step over the mean of all */
} ht_part_figures;

#endif
