/* Orders of rank 0, which runs the program, to the other ranks, and their answers. Each order goes
 * to all; each rank answers with its status, then, where that is HT_OK, with the requested data.
 * Private to solver/ranks/. */
#ifndef HT_RANK_ORDERS_H
#define HT_RANK_ORDERS_H

#include "solver/ranks/rank_part.h"
#include "solver/ranks/rank_pipe.h"

typedef enum {
  HT_RANK_END = 0, /* the program ends; no answer */
  HT_RANK_CREATE,  /* with a part as a pipe; gives ht_rank_made */
  HT_RANK_LINK,    /* gives nothing, as UNLINK: see rank_part.h */
  HT_RANK_UNLINK,
  HT_RANK_ASK,       /* whether join() can be used here; gives nothing */
  HT_RANK_JOIN,      /* with its ht_offer; gives nothing */
  HT_RANK_DESTROY,   /* no answer */
  HT_RANK_STEP,      /* with the coefficients [count][columns - 1] */
  HT_RANK_WATCH,     /* gives ht_backend_change [own_tiles] */
  HT_RANK_PORT_FLOW, /* gives double [port_nodes] */
  HT_RANK_RELOAD,    /* with the part's port nodes, and the shapes */
  HT_RANK_VISIT,     /* of the tiles [first, first + count) of the part, with the coefficients
                        [columns]. Gives their fields, HT_RANK_SLAB tiles at a time */
  HT_RANK_KEEP,  /* after step `first`, with the coefficients [1][columns - 1]. Gives the fields of
                    the own tiles, HT_RANK_PIECE tiles at a time: ht_rank_kept_read() */
  HT_RANK_FILL,  /* with the values of the own tiles; first: 1: they have walls; gives nothing */
  HT_RANK_MARK,  /* with `count` nodes of the part; gives nothing */
  HT_RANK_NODES, /* with the coefficients; gives the fields of these nodes, ht_rank_few_bytes() */
  HT_RANK_SAVE,  /* gives a pipe before the answer */
  HT_RANK_LOAD,  /* with a pipe */
  HT_RANK_COST   /* gives ht_lattice_cost */
} ht_rank_task;

/* Lattices at a time. */
enum { HT_RANK_LATTICES = 8, HT_RANK_MESSAGE = 1024 };

typedef struct {
  int32_t task, lattice;
  int64_t first, count;
  int64_t has_viscosity; /* of HT_RANK_VISIT: 1: that, too */
} ht_rank_order;

typedef struct {
  int32_t status, asked_to_stop; /* asked_to_stop: a signal has come to this rank */
  char message[HT_RANK_MESSAGE];
} ht_rank_answer;

/* Names what computes a part, as in ht_rank_part. */
typedef struct {
  char device[128], identity[HT_CUDA_IDENTITY];
} ht_rank_made;

/* Counts of a part's own tiles and nodes. */
typedef struct {
  int64_t tiles, port_nodes;
} ht_rank_counts;

/* The bytes that a task gives. */
size_t ht_rank_given_bytes(const ht_rank_counts *counts, ht_rank_task task);

/* Gives the bytes of a task on the rank itself. */
ht_status ht_rank_give(ht_rank_part *work, ht_rank_task task, void *to);
ht_rank_counts ht_rank_counts_of(const ht_rank_part *work);

/* Tiles whose fields are found, and sent, at a time. */
enum { HT_RANK_SLAB = 512 };

/* Lays out the fields of a number of tiles, or nodes, in a buffer of doubles; returns its bytes.
 * Nodes have no viscosity. */
ht_lattice_fields ht_rank_slab(double *buffer, int64_t tiles, int has_viscosity);
size_t ht_rank_slab_bytes(int64_t tiles, int has_viscosity);
ht_lattice_fields ht_rank_few(double *buffer, int64_t nodes);
size_t ht_rank_few_bytes(int64_t nodes);

/* Finds the fields of own tiles, [tiles][64], after ht_host_image_fetch(). */
void ht_rank_slab_read(const ht_rank_part *work, const double *coefficient, int64_t first,
                       int64_t tiles, ht_lattice_fields *fields);

/* Numbers of a tile's kept fields: density [64], velocity [64][3], stress [64][6]; and tiles whose
 * kept fields are sent at a time. */
enum { HT_RANK_NUMBERS = 10 * HT_TILE_NODES, HT_RANK_PIECE = 4096 };

/* Returns the fields of a tile of which `kept` has the numbers. */
ht_lattice_fields ht_rank_kept(double *kept);

/* Copies the kept fields of own tiles, [tiles][HT_RANK_NUMBERS], after ht_rank_part_keep(). */
ht_status ht_rank_kept_read(const ht_rank_part *work, int64_t first, int64_t tiles, double *to);

/* The values of the part's ports have changed. */
ht_status ht_rank_reload(ht_rank_part *work);

/* The part's state to a pipe, which is then ended, or from it, which is then drained. */
ht_status ht_rank_transfer(ht_rank_part *work, ht_rank_pipe *pipe, int is_loading);

#endif
