/* NCCL, for GPUs that do not reach each other's memory by themselves, as those of several hosts;
 * included by cuda_part.cuh alone. Where hemotile was built with its header, the library is opened
 * when it is needed, so that the program runs without it. One communicator for all lattices. */
#ifndef HT_CUDA_NCCL_CUH
#define HT_CUDA_NCCL_CUH

#include "cuda_device.cuh"

#ifdef HEMOTILE_HAVE_NCCL
#include <cstring>
#include <dlfcn.h>
#include <nccl.h>

#define NCCL_CALLS(X)                                                                              \
  X(ncclGetUniqueId)                                                                               \
  X(ncclCommInitRank)                                                                              \
  X(ncclGroupStart)                                                                                \
  X(ncclGroupEnd)                                                                                  \
  X(ncclSend)                                                                                      \
  X(ncclRecv)                                                                                      \
  X(ncclGetErrorString)

typedef struct {
#define MEMBER(name) decltype(&name) name;
  NCCL_CALLS(MEMBER)
#undef MEMBER
} nccl_calls;

static nccl_calls nccl;
static ncclComm_t nccl_world;

static ht_status nccl_check(ncclResult_t result, const char *doing) {
  if (result == ncclSuccess) return HT_OK;
  return ht_fail(HT_ERR_DEVICE, "NCCL failed while %s: %s", doing, nccl.ncclGetErrorString(result));
}

/* HT_ERR_DEVICE: it is not there. */
static ht_status nccl_open(void) {
  static void *library;
  if (library) return HT_OK;
  library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: %.200s", dlerror());
  int missing = 0;
#define FIND(name) missing |= !(nccl.name = (decltype(&name))dlsym(library, #name));
  NCCL_CALLS(FIND)
#undef FIND
  return missing ? ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: it is too old") : HT_OK;
}

/* On one rank; all others get it. NULL: only whether it can be used. */
static ht_status nccl_name(ht_offer *name) {
  ncclUniqueId id;
  static_assert(sizeof id <= sizeof *name, "a name has room for it");
  HT_TRY(nccl_open());
  if (!name) return HT_OK;
  HT_TRY(nccl_check(nccl.ncclGetUniqueId(&id), "starting"));
  memcpy(name, &id, sizeof id);
  return HT_OK;
}

/* All ranks together. */
static ht_status nccl_join(const ht_offer *name, int rank, int ranks) {
  ncclUniqueId id;
  if (nccl_world) return HT_OK;
  memcpy(&id, name, sizeof id);
  HT_TRY(nccl_open());
  return nccl_check(nccl.ncclCommInitRank(&nccl_world, ranks, id, rank), "starting");
}

/* In the order of a stream. */
static cudaError_t nccl_exchange(const ht_part_peer *peer, int64_t peers, char *sent,
                                 char *received, cudaStream_t stream) {
  ncclResult_t result = nccl.ncclGroupStart();
  for (int64_t p = 0; p < peers && result == ncclSuccess; p++) {
    if (peer[p].send_size > 0)
      result = nccl.ncclSend(sent + peer[p].send, (size_t)peer[p].send_size, ncclInt8, peer[p].rank,
                             nccl_world, stream);
    if (result == ncclSuccess && peer[p].receive_size > 0)
      result = nccl.ncclRecv(received + peer[p].receive, (size_t)peer[p].receive_size, ncclInt8,
                             peer[p].rank, nccl_world, stream);
  }
  ncclResult_t ended = nccl.ncclGroupEnd();
  return result == ncclSuccess && ended == ncclSuccess ? cudaSuccess : cudaErrorUnknown;
}

#else

static ht_status nccl_open(void) {
  return ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: hemotile was built without it");
}
static ht_status nccl_name(ht_offer *name) {
  (void)name;
  return nccl_open();
}
static ht_status nccl_join(const ht_offer *name, int rank, int ranks) {
  (void)name, (void)rank, (void)ranks;
  return nccl_open();
}
static cudaError_t nccl_exchange(const ht_part_peer *peer, int64_t peers, char *sent,
                                 char *received, cudaStream_t stream) {
  (void)peer, (void)peers, (void)sent, (void)received, (void)stream;
  return cudaErrorNotSupported;
}

#endif
#endif
