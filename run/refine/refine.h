/* Decides before the flow where its lattice may be coarser than the finest spacing
 * (ht_solver_options.coarser). */
#ifndef HT_REFINE_H
#define HT_REFINE_H

#include "run/refine/refine_vessel.h"
#include "solver/solver.h"

enum { HT_REFINE_LEVELS = HT_COARSER_MOST + 1 };

/* A choice of levels. Zeroed: one spacing, without a reason. */
typedef struct {
  uint8_t *coarser; /* [nz][ny][nx] of the domain, as in ht_solver_options; NULL: one spacing.
                       Owned */
  int levels;       /* 1: one spacing */
  double nodes[HT_REFINE_LEVELS]; /* of each level from the finest, by its own spacing */
  double share;                   /* planned updates over those of one spacing */
  double fine[HT_FINE_REASONS];   /* share of the vessel's nodes on the finest level, by reason */
  char why[200];                  /* reason for one spacing; "" with several */
} ht_refined;

/* Chooses the levels of a domain: of each block of 8 voxels along an axis the highest that all its
 * nodes may have by the rules (rules->most: the highest anywhere); with a block of the level
 * between them where levels differ by two, without coarse islands of a few blocks, and with
 * each port's extension on one level. `neck`: a plane's place and normal,
 * LPS, [2][3]; NULL: no sac's neck is known. One spacing where nothing may be coarser, nothing has
 * to be fine, or it does not pay. HT_ERR_MEMORY. The caller frees, also after a failure. */
ht_status ht_refine_choose(const ht_domain *domain, const ht_refine_vessel *vessel,
                           const ht_refine_rules *rules, const double (*neck)[3],
                           ht_refined *refined);
void ht_refined_free(ht_refined *refined);

/* Makes it one spacing, for this reason. */
void ht_refined_keep_one(const char *why, ht_refined *refined);

/* Returns what the lattice takes over one spacing: node updates, and nodes, as its memory. */
ht_refine_cost ht_refined_cost(const ht_refined *refined);

/* Writes where and why: "the throat and its jet 11 %, ..." of the vessel's nodes; the largest part
 * where all are less than 1 %. */
void ht_refined_where(const ht_refined *refined, char *text, size_t size);

#endif
