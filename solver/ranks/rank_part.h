/* A part of a lattice at work on its rank: a backend with the part's tables, and the exchange of
 * its border after each step. Private to solver/ranks/. */
#ifndef HT_RANK_PART_H
#define HT_RANK_PART_H

#include "solver/lattice/device.h"
#include "solver/lattice/host_image.h"
#include "solver/ranks/part_tables.h"
#include "core/mpi/ranks.h"

typedef struct {
  ht_part part;
  const ht_backend *backend;
  void *state;                                  /* begins with its ht_host_image */
  char device[128], identity[HT_CUDA_IDENTITY]; /* its name; of a GPU, which one it is, else "" */
  char *sent, *received;                        /* buffers of the border */
  ht_ranks_peer *peer;                          /* [part.peers] */
  double *coefficient; /* [steps][columns - 1] of the driven ports, from first_step on */
  int64_t first_step, steps, coefficient_room;
  double *piece; /* room for kept fields on their way to rank 0; NULL: none have been sent */
  int is_linked; /* the devices exchange by themselves */
} ht_rank_part;

/* Begins a part that is made; the part is then owned, also after a failure. The caller frees. */
ht_status ht_rank_part_begin(ht_rank_part *work);
void ht_rank_part_free(ht_rank_part *work);

/* Room for the coefficients of `steps` steps; HT_ERR_MEMORY. */
ht_status ht_rank_part_room(ht_rank_part *work, int64_t steps);

/* The devices exchange without their hosts from now on, where they can; else a failure, and all as
 * it was. All ranks do it, and all unlink where one has failed. */
ht_status ht_rank_part_link(ht_rank_part *work);
void ht_rank_part_unlink(ht_rank_part *work);

/* Links the part by the library that backend->join() joins. */
ht_status ht_rank_part_join(ht_rank_part *work, const ht_offer *name);

/* Steps, each with its exchange. A failure does not stop the exchange, for the others wait for it;
 * where the devices exchange by themselves it ends all ranks. */
ht_status ht_rank_part_step(ht_rank_part *work, int64_t first, int64_t count);

/* Keeps the fields of the own nodes, after `step`, whose coefficients are there; with the mass at
 * the border from the other ranks: all do it, and a failure does not stop the exchange. Only of a
 * backend with keep(). */
ht_status ht_rank_part_keep(ht_rank_part *work, int64_t step);

/* Sends the present border and receives that of the others. All ranks do it. */
ht_status ht_rank_part_exchange(ht_rank_part *work);

/* Replaces the values of the own tiles. All ranks do it. */
ht_status ht_rank_part_fill(ht_rank_part *work, const ht_filler *filler);

/* Returns the values of the part on its host. */
static inline const ht_host_image *ht_rank_image(const ht_rank_part *work) {
  return (const ht_host_image *)work->state;
}

#endif
