/* The ranks other than rank 0: each holds its parts of lattices and does what rank 0 orders. */
#ifndef HT_RANK_SERVE_H
#define HT_RANK_SERVE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Serves until rank 0 ends. Failures are rank 0's: it gets their messages. asked_to_stop: 1 after a
 * signal to this rank; rank 0 gets it with the next answer. */
void ht_rank_serve(int (*asked_to_stop)(void));

/* Rank 0: the others end. */
void ht_rank_dismiss(void);

#ifdef __cplusplus
}
#endif
#endif
