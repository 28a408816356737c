/* The processes (ranks) of one computation, and the bytes that they send each other, by MPI. Where
 * the program was built without MPI, or started alone, there is one rank, and nothing here is
 * called but ht_ranks(), ht_rank() and the first and last function.
 *
 * A failure of MPI itself ends all ranks: its own message says why. mpirun ends all ranks where one
 * dies. All from one thread. */
#ifndef HT_RANKS_H
#define HT_RANKS_H

#include "core/status.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joins the other ranks, where mpirun or srun has started several; call it before all else.
 * HT_ERR_USAGE: several were started, and the program was built without MPI. */
ht_status ht_ranks_begin(void);

/* Leaves the other ranks; all ranks call it. */
void ht_ranks_end(void);

/* Ends all ranks at once, with the message of the last failure and this code: for a failure that
 * the others would wait for without end. Does not return. */
__attribute__((noreturn)) void ht_ranks_abort(ht_status code);

/* Returns the number of ranks, 1 alone, and the number of this one, from 0. */
int ht_ranks(void);
int ht_rank(void);

/* Returns the number of this rank among those of its host, from 0. */
int ht_ranks_local(void);

/* Returns 1 where the program was built with MPI. */
int ht_ranks_built(void);

/* Sends or receives bytes. A send may wait, with a busy core, until the other rank takes them; a
 * receipt waits for them, and sleeps in between where they take long. */
void ht_ranks_send(int to, const void *bytes, size_t size);
void ht_ranks_receive(int from, void *bytes, size_t size);

/* Receives as ht_ranks_receive, and calls asked_to_stop in between, whose answer does not end the
 * wait. */
void ht_ranks_await(int from, void *bytes, size_t size, int (*asked_to_stop)(void));

/* Buffers of one exchange: one that goes to a rank, and one that comes from it. */
typedef struct {
  int rank;
  void *send, *receive;
  size_t send_size, receive_size;
} ht_ranks_peer;

enum { HT_RANKS_PEERS_MAX = 4096 };

/* Exchanges all buffers at the same time: begin starts, end waits until all have arrived. In
 * between the buffers belong to MPI. Each of these ranks calls both with this one among its peers.
 */
void ht_ranks_exchange_begin(const ht_ranks_peer *peer, int peers);
void ht_ranks_exchange_end(void);

#ifdef __cplusplus
}
#endif
#endif
