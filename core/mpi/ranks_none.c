/* The build without MPI: there is one rank. */
#include "core/mpi/ranks.h"
#include "core/mpi/started.h"
#include <stdlib.h>

ht_status ht_ranks_begin(void) {
  int started = ht_ranks_started();
  if (started <= 1) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "this is one of %d processes that mpirun or srun has started, but hemotile was "
                 "built without MPI: start it alone, or install libopenmpi-dev and build it again",
                 started);
}

int ht_ranks(void) {
  return 1;
}

int ht_rank(void) {
  return 0;
}

int ht_ranks_local(void) {
  return 0;
}

int ht_ranks_built(void) {
  return 0;
}

/* Never called: there is no other rank. */
void ht_ranks_abort(ht_status code) {
  exit((int)code);
}
void ht_ranks_end(void) {}
void ht_ranks_send(int to, const void *bytes, size_t size) {
  (void)to, (void)bytes, (void)size;
}
void ht_ranks_receive(int from, void *bytes, size_t size) {
  (void)from, (void)bytes, (void)size;
}
void ht_ranks_await(int from, void *bytes, size_t size, int (*asked_to_stop)(void)) {
  (void)from, (void)bytes, (void)size, (void)asked_to_stop;
}
void ht_ranks_exchange_begin(const ht_ranks_peer *peer, int peers) {
  (void)peer, (void)peers;
}
void ht_ranks_exchange_end(void) {}
