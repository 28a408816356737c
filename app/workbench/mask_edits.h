/* The mask that the page corrects: held in memory, with the steps of the case (run/edit). */
#ifndef HT_MASK_EDITS_H
#define HT_MASK_EDITS_H

#include "core/status.h"

typedef struct ht_bench_edits ht_bench_edits;

/* Makes the holder, which opens a case's mask when the page first asks for it. HT_ERR_MEMORY. */
ht_status ht_bench_edits_make(ht_bench_edits **edits);

/* Keeps the mask for the next time, and frees all; NULL is allowed. */
void ht_bench_edits_free(ht_bench_edits *edits);

#endif
