/* The values of a rank's part on its host: from them each rank finds the fields of its own nodes,
 * or makes its values, so that no rank has those of all. Private to solver/ranks/.
 *
 * Walls need the others: the mass that their tiles at the border have added, and, to undo walls,
 * their values. All ranks call each of these functions, in the same order; without memory for them
 * all end. */
#ifndef HT_RANK_IMAGE_H
#define HT_RANK_IMAGE_H

#include "solver/ranks/rank_part.h"

/* Makes an image of zeros. */
void ht_rank_image_make(const ht_rank_part *work, ht_rank_image *image);

/* The present values, with walls applied. Exchanges in any case. */
ht_status ht_rank_image_take(ht_rank_part *work, ht_rank_image *image);

/* The values of the own tiles become those of the part; has_walls: see ht_filler. */
ht_status ht_rank_image_put(ht_rank_part *work, ht_rank_image *image, int has_walls);

/* Tiles whose fields are found, and sent, at a time. */
enum { HT_RANK_SLAB = 512 };

/* Lays out the fields of a number of tiles, or nodes, in a buffer of doubles; returns its bytes.
 * Nodes have no viscosity. */
ht_lattice_fields ht_rank_slab(double *buffer, int64_t tiles, int has_viscosity);
size_t ht_rank_slab_bytes(int64_t tiles, int has_viscosity);
ht_lattice_fields ht_rank_few(double *buffer, int64_t nodes);
size_t ht_rank_few_bytes(int64_t nodes);

void ht_rank_image_read(const ht_rank_part *work, const ht_rank_image *image, int64_t first,
                        int64_t tiles, ht_lattice_fields *fields);

/* Marks the nodes of work->nodes, whose image is work->few, and reads them into [nodes]. */
ht_status ht_rank_nodes_mark(ht_rank_part *work, int64_t count, const int64_t *node);
ht_status ht_rank_nodes_read(ht_rank_part *work, ht_lattice_fields *fields);

#endif
