/* Rank 0's side of a lattice that ranks share: what it holds, and how it asks the others. Private
 * to solver/ranks/. */
#ifndef HT_RANK_LEAD_H
#define HT_RANK_LEAD_H

#include "rank_orders.h"

typedef struct {
  const ht_lattice_tables *tables; /* of the whole lattice */
  int32_t lattice;                 /* its number in orders */
  ht_part_plan plan;
  ht_rank_part *own;
  ht_rank_counts *counts; /* [ranks] */
  int64_t *at;            /* [ranks] room */
  char **given;           /* [ranks] room; into `bytes` */
  char *bytes;
  const ht_marked_values *marked; /* borrowed */
  const char *way;                /* in which GPUs exchange */
} ht_rank_lead;

/* An order to all other ranks. */
void ht_rank_order_all(const ht_rank_lead *state, ht_rank_task task, int64_t first, int64_t count);

/* The answer of rank p, whose failure becomes this rank's, unless there is one already. A signal to
 * that rank is one to this. */
ht_status ht_rank_hear(int p, ht_status *status);

/* Of all; `status` is this rank's own. */
ht_status ht_rank_hear_all(const ht_rank_lead *state, ht_status status);

/* Lets GPUs exchange by themselves: by peer memory, where they reach it, or by what
 * HEMOTILE_EXCHANGE names (peer, nccl, host); state->way is then its name. HT_ERR_USAGE: there is
 * no such; HT_ERR_DEVICE: the one that is named does not work. */
ht_status ht_rank_link_all(ht_rank_lead *state);

#endif
