/* What rank 0, which runs the program, asks of the others, and their answers. Each order goes to
 * all; each rank answers with its status, then, where that is HT_OK, with what it was asked for.
 * Private to solver/ranks/. */
#ifndef HT_RANK_ORDERS_H
#define HT_RANK_ORDERS_H

#include "rank_buffer.h"
#include "rank_part.h"

typedef enum {
  HT_RANK_END = 0, /* the program ends; no answer */
  HT_RANK_CREATE,  /* with a part as a buffer; gives ht_rank_made */
  HT_RANK_LINK,    /* gives nothing, as UNLINK: see rank_part.h */
  HT_RANK_UNLINK,
  HT_RANK_ASK,       /* whether join() can be used here; gives nothing */
  HT_RANK_JOIN,      /* with its ht_offer; gives nothing */
  HT_RANK_DESTROY,   /* no answer */
  HT_RANK_STEP,      /* with the coefficients [count][columns - 1] */
  HT_RANK_WATCH,     /* gives ht_backend_change [own_tiles] */
  HT_RANK_PORT_FLOW, /* gives double [port_nodes] */
  HT_RANK_RELOAD,    /* with the part's port nodes, and the shapes */
  HT_RANK_SLIP,      /* gives double [wall_links] */
  HT_RANK_MARK,      /* with `first` places and `count` links */
  HT_RANK_MARKED,    /* gives double [values + links] */
  HT_RANK_DOWNLOAD,  /* gives the values of the own tiles */
  HT_RANK_UPLOAD,    /* with them */
  HT_RANK_SAVE,      /* gives a buffer */
  HT_RANK_LOAD,      /* with a buffer */
  HT_RANK_COST       /* gives ht_lattice_cost */
} ht_rank_task;

/* Lattices at a time. */
enum { HT_RANK_LATTICES = 8, HT_RANK_MESSAGE = 1024 };

typedef struct {
  int32_t task, lattice;
  int64_t first, count;
} ht_rank_order;

typedef struct {
  int32_t status, asked_to_stop; /* asked_to_stop: a signal has come to this rank */
  char message[HT_RANK_MESSAGE];
} ht_rank_answer;

/* What computes a part: as ht_rank_part has it. */
typedef struct {
  char device[128], identity[HT_CUDA_IDENTITY];
} ht_rank_made;

/* What a part has of its own. */
typedef struct {
  int64_t tiles, port_nodes, wall_links, marked;
} ht_rank_counts;

/* The bytes that a task gives. */
size_t ht_rank_given_bytes(const ht_lattice_tables *tables, const ht_rank_counts *counts,
                           ht_rank_task task);

/* The same on the rank itself; `to` has these bytes, of a download room for all tiles of the part.
 */
ht_status ht_rank_give(ht_rank_part *work, ht_rank_task task, void *to);
ht_rank_counts ht_rank_counts_of(const ht_rank_part *work);

/* Replaces the values of all tiles of the part, then those of the border by those of the others:
 * all ranks do it. */
ht_status ht_rank_upload(ht_rank_part *work, const void *all);

/* The values of the part's ports have changed. */
ht_status ht_rank_reload(ht_rank_part *work);

/* `marked` is the part's own from now on. */
ht_status ht_rank_mark(ht_rank_part *work, const ht_marked_values *marked);

/* The part's state to a buffer, or from it. */
ht_status ht_rank_transfer(ht_rank_part *work, ht_rank_buffer *buffer, int is_loading);

#endif
