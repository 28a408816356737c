/* Values [tiles][directions][64] as the CPU backend stores them, in every precision. */
#ifndef HT_STORED_VALUES_H
#define HT_STORED_VALUES_H

#include "solver/lattice/lattice.h"

/* Place where the CPU backend keeps value i of [tiles][directions][64]. */
int64_t ht_stored_place(int directions, int64_t tiles, int64_t i);

/* A copy of all values, aligned, with room for fp64 in every precision. The caller frees. */
void *ht_stored_values(int directions, int64_t tiles, const double *values, ht_precision precision);

/* Value of such a copy at a place. */
double ht_stored_value(const void *copy, int64_t place, ht_precision precision);

#endif
