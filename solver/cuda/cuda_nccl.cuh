/* NCCL, for GPUs that do not reach each other's memory by themselves, as those of several hosts.
 * Private to solver/cuda/. Where hemotile was built with its header, the library is opened when it
 * is needed, so that the program runs without it; else each of these fails. One communicator for
 * all lattices of the process. */
#ifndef HT_CUDA_NCCL_CUH
#define HT_CUDA_NCCL_CUH

#include "solver/lattice/backend.h"
#include <cuda_runtime.h>

/* Names an exchange: see ht_backend.name. HT_ERR_DEVICE where it cannot be used. */
ht_status ht_nccl_name(ht_offer *name);

/* All ranks together; see ht_backend.join. HT_ERR_DEVICE. */
ht_status ht_nccl_join(const ht_offer *name, int rank, int ranks);

/* Sends the peers' shares of one buffer and receives those of the other, in the order of a stream.
 */
cudaError_t ht_nccl_exchange(const ht_part_peer *peer, int64_t peers, const char *sent,
                             char *received, cudaStream_t stream);

#endif
