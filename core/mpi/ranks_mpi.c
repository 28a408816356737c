#define _POSIX_C_SOURCE 200809L
#include "core/mpi/ranks.h"
#include "core/mpi/started.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* MPI counts bytes as int. */
static const size_t piece_bytes = (size_t)1 << 30;
enum { TAG = 1 };

static int count = 1, number, number_here;

/* Requests of the exchange that is under way. */
static MPI_Request request[2 * HT_RANKS_PEERS_MAX];
static int requests;

static void find_number_here(void) {
  MPI_Comm here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, number, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &number_here);
  MPI_Comm_free(&here);
}

ht_status ht_ranks_begin(void) {
  int given;
  if (ht_ranks_started() <= 1) return HT_OK;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    return ht_fail(HT_ERR_DEVICE, "MPI does not start; see its own messages above");
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  find_number_here();
  return HT_OK;
}

void ht_ranks_end(void) {
  if (count > 1) MPI_Finalize();
}

void ht_ranks_abort(ht_status code) {
  fprintf(stderr, "hemotile: error: rank %d: %s\n", number, ht_error_message());
  MPI_Abort(MPI_COMM_WORLD, (int)code);
  exit((int)code);
}

int ht_ranks(void) {
  return count;
}

int ht_rank(void) {
  return number;
}

int ht_ranks_local(void) {
  return number_here;
}

int ht_ranks_built(void) {
  return 1;
}

static int piece_of(size_t left) {
  return (int)(left < piece_bytes ? left : piece_bytes);
}

void ht_ranks_send(int to, const void *bytes, size_t size) {
  for (size_t at = 0; at < size; at += piece_bytes)
    MPI_Send((const char *)bytes + at, piece_of(size - at), MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void take(int from, void *bytes, size_t size) {
  for (size_t at = 0; at < size; at += piece_bytes)
    MPI_Recv((char *)bytes + at, piece_of(size - at), MPI_BYTE, from, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* Receives bytes. MPI waits with a busy processor: so does this for the first moments, because the
 * orders of a run and the answers follow each other closely. Then it naps, because a stage on rank
 * 0 alone, or a part that it makes, takes seconds to minutes. asked_to_stop may be NULL. */
static void wait_for(int from, int (*asked_to_stop)(void)) {
  enum { BUSY_LOOKS = 2000 };
  const struct timespec nap = {0, 200000};
  for (int look = 0, is_there = 0; !is_there; look++) {
    MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (is_there || look <= BUSY_LOOKS) continue;
    if (asked_to_stop) (void)asked_to_stop();
    nanosleep(&nap, NULL);
  }
}

void ht_ranks_receive(int from, void *bytes, size_t size) {
  if (size > 0) wait_for(from, NULL);
  take(from, bytes, size);
}

void ht_ranks_await(int from, void *bytes, size_t size, int (*asked_to_stop)(void)) {
  wait_for(from, asked_to_stop);
  take(from, bytes, size);
}

/* Skips empty messages. A border has far fewer bytes than an int can count. */
void ht_ranks_exchange_begin(const ht_ranks_peer *peer, int peers) {
  requests = 0;
  for (int i = 0; i < peers; i++)
    if (peer[i].receive_size > 0)
      MPI_Irecv(peer[i].receive, (int)peer[i].receive_size, MPI_BYTE, peer[i].rank, TAG,
                MPI_COMM_WORLD, &request[requests++]);
  for (int i = 0; i < peers; i++)
    if (peer[i].send_size > 0)
      MPI_Isend(peer[i].send, (int)peer[i].send_size, MPI_BYTE, peer[i].rank, TAG, MPI_COMM_WORLD,
                &request[requests++]);
}

void ht_ranks_exchange_end(void) {
  MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
  requests = 0;
}
