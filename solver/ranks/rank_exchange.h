/* The exchange of values between the host images of a lattice's parts (host_image.h), by their
 * hosts. Private to solver/ranks/. */
#ifndef HT_RANK_EXCHANGE_H
#define HT_RANK_EXCHANGE_H

#include "solver/ranks/part_tables.h"

/* Sends what others read of an image's values (HT_CROSS_VALUES) or of the mass that walls added
 * (HT_CROSS_MASS), and receives what `part`, an ht_part, reads of theirs: ht_host_image.exchange.
 * All ranks call it; without memory all end. */
void ht_rank_exchange(void *part, ht_cross_kind kind, void *values);

#endif
