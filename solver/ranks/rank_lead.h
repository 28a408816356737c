/* Rank 0's side of a lattice that ranks share: what it holds, and how it asks the others. Private
 * to solver/ranks/. */
#ifndef HT_RANK_LEAD_H
#define HT_RANK_LEAD_H

#include "solver/ranks/rank_orders.h"

typedef struct {
  const ht_lattice_tables *tables; /* of the whole lattice */
  int32_t lattice;                 /* its number in orders */
  ht_part_plan plan;
  ht_rank_part *own;
  ht_rank_counts *counts; /* [ranks] */
  int64_t *at;            /* [ranks] room */
  char **given;           /* [ranks] room; into `bytes` */
  char *bytes;
  int64_t nodes, *node; /* that are read alone; owned */
  int64_t *marked;      /* [ranks] of these nodes */
  double *kept;         /* [tiles][HT_RANK_NUMBERS] kept fields, part by part; NULL: none so far */
  int64_t *kept_tile;   /* [ranks] in it: the first tile of each part */
  const char *way;      /* in which GPUs exchange */
  char by_host[96];     /* where that is the host: why; else "" */
} ht_rank_lead;

/* An order to all other ranks. */
void ht_rank_order_all(const ht_rank_lead *state, ht_rank_task task, int64_t first, int64_t count);

/* Orders a task of `count` steps from `first` on, and sends their coefficients to all ranks, this
 * one, too. HT_ERR_MEMORY: nothing is ordered. */
ht_status ht_rank_order_driven(const ht_rank_lead *state, ht_rank_task task, int64_t first,
                               int64_t count);

/* The answer of rank p, whose failure becomes this rank's, unless there is one already. A signal to
 * that rank is one to this. */
ht_status ht_rank_hear(int p, ht_status *status);

/* Returns the status of all ranks; `status` is this rank's own. */
ht_status ht_rank_hear_all(const ht_rank_lead *state, ht_status status);

/* The rank of a node of the whole lattice, and its number there. */
int ht_rank_of_node(const ht_rank_lead *state, int64_t node);
int64_t ht_node_of_rank(const ht_rank_lead *state, int64_t node);

/* Functions of the backend (backend.h), of which `state` is an ht_rank_lead: the fields of the
 * nodes, which each rank finds itself and sends in slabs; the same of GPUs, to this rank's memory
 * before keep() returns, so that show() sends nothing; new values; fields of a few nodes; the whole
 * state. */
ht_status ht_lead_visit(void *state, int64_t step, const double *coefficient,
                        const ht_visitor *visitor);
ht_status ht_lead_keep(void *state, int64_t step, int stays);
ht_status ht_lead_show(void *state, const ht_visitor *visitor);
ht_status ht_lead_fill(void *state, int64_t step, const ht_filler *filler);
ht_status ht_lead_mark(void *state, int64_t count, const int64_t *node);
ht_status ht_lead_read(void *state, const double *coefficient, ht_lattice_fields *fields);
ht_status ht_lead_transfer(void *state, ht_state *stream);

/* Lets GPUs exchange by themselves: by peer memory, where they reach it, or by what
 * HEMOTILE_EXCHANGE names (peer, nccl, host), else by the host. state->way is then its name, or
 * state->by_host says why there is none.
 * HT_ERR_USAGE: there is no such; HT_ERR_DEVICE: the one that is named does not work. */
ht_status ht_rank_link_all(ht_rank_lead *state);

#endif
