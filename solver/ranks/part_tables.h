/* The tables of one part of a lattice: its own tiles, then those around it, its border, whose
 * values come from other ranks. Private to solver/ranks/.
 *
 * Own tiles, ports' nodes, links and so on keep the order that they have in the whole lattice, so
 * that each is found by counting. The border's tiles have nodes and neighbours, and no ports or
 * links: they are never stepped. */
#ifndef HT_PART_TABLES_H
#define HT_PART_TABLES_H

#include "solver/ranks/part_figures.h"
#include "solver/ranks/part_needs.h"
#include "core/formats/state_stream.h"

typedef struct {
  ht_lattice_tables tables; /* of tiling; its arrays are the part's own */
  ht_tiling tiling;
  ht_border send, receive;
  int64_t peers;
  ht_part_peer *peer;
} ht_part;

/* Assignment of a lattice's tiles to ranks. */
typedef struct {
  const ht_lattice_tables *whole;
  int parts;
  int32_t *part;  /* [tiles] */
  int32_t *local; /* [tiles] number in its part */
} ht_part_plan;

/* Cuts the lattice. HT_ERR_USAGE (too few tiles), HT_ERR_MEMORY. The caller frees. */
ht_status ht_part_plan_make(const ht_lattice_tables *whole, int parts, ht_part_plan *plan);
void ht_part_plan_free(ht_part_plan *plan);

/* The estimated cost of each tile's step: cost[tiles]; without a unit. */
void ht_part_weigh(const ht_lattice_tables *whole, double *cost);

/* Cuts the lattice as `parts` ranks would: figures[parts], part[tiles]. As ht_part_plan_make. */
ht_status ht_part_figures_find(const ht_lattice_tables *tables, int parts, ht_part_figures *figures,
                               int32_t *part);

/* Part p. HT_ERR_MEMORY. The caller frees. */
ht_status ht_part_build(const ht_part_plan *plan, const ht_needs *needs, int p, ht_part *part);
void ht_part_free(ht_part *part);

/* Moves a part to a stream, or from it into a part of zeros. */
ht_status ht_part_move(ht_part *part, ht_state *stream);

#endif
