#include "solver/cuda/cuda_nccl.cuh"
#ifdef HEMOTILE_HAVE_NCCL
#include <cstring>
#include <dlfcn.h>
#include <nccl.h>

/* The functions in use, by what they do here. */
#define CALLS(X)                                                                                   \
  X(get_id, ncclGetUniqueId)                                                                       \
  X(join, ncclCommInitRank)                                                                        \
  X(begin, ncclGroupStart)                                                                         \
  X(end, ncclGroupEnd)                                                                             \
  X(send, ncclSend)                                                                                \
  X(receive, ncclRecv)                                                                             \
  X(explain, ncclGetErrorString)

typedef struct {
#define MEMBER(name, function) decltype(&function) name;
  CALLS(MEMBER)
#undef MEMBER
} library_calls;

static library_calls nccl;
static ncclComm_t world;

static ht_status check(ncclResult_t result, const char *doing) {
  if (result == ncclSuccess) return HT_OK;
  return ht_fail(HT_ERR_DEVICE, "NCCL failed while %s: %s", doing, nccl.explain(result));
}

/* Opens the library. HT_ERR_DEVICE: it is not there. */
static ht_status open_library(void) {
  static void *library;
  if (library) return HT_OK;
  library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: %.200s", dlerror());
  int missing = 0;
#define FIND(name, function)                                                                       \
  missing |= !(nccl.name = (decltype(&function))dlsym(library, #function));
  CALLS(FIND)
#undef FIND
  return missing ? ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: it is too old") : HT_OK;
}

ht_status ht_nccl_name(ht_offer *name) {
  ncclUniqueId id;
  static_assert(sizeof id <= sizeof *name, "a name has room for it");
  HT_TRY(open_library());
  if (!name) return HT_OK;
  HT_TRY(check(nccl.get_id(&id), "starting"));
  memcpy(name, &id, sizeof id);
  return HT_OK;
}

ht_status ht_nccl_join(const ht_offer *name, int rank, int ranks) {
  ncclUniqueId id;
  if (world) return HT_OK;
  memcpy(&id, name, sizeof id);
  HT_TRY(open_library());
  return check(nccl.join(&world, ranks, id, rank), "starting");
}

static ncclResult_t exchange_with(const ht_part_peer *peer, const char *sent, char *received,
                                  cudaStream_t stream) {
  ncclResult_t result = ncclSuccess;
  if (peer->send_size > 0)
    result =
        nccl.send(sent + peer->send, (size_t)peer->send_size, ncclInt8, peer->rank, world, stream);
  if (result != ncclSuccess || peer->receive_size == 0) return result;
  return nccl.receive(received + peer->receive, (size_t)peer->receive_size, ncclInt8, peer->rank,
                      world, stream);
}

cudaError_t ht_nccl_exchange(const ht_part_peer *peer, int64_t peers, const char *sent,
                             char *received, cudaStream_t stream) {
  ncclResult_t result = nccl.begin();
  for (int64_t p = 0; p < peers && result == ncclSuccess; p++)
    result = exchange_with(&peer[p], sent, received, stream);
  ncclResult_t ended = nccl.end();
  return result == ncclSuccess && ended == ncclSuccess ? cudaSuccess : cudaErrorUnknown;
}

#else

static ht_status none(void) {
  return ht_fail(HT_ERR_DEVICE, "NCCL cannot be used: hemotile was built without it");
}

ht_status ht_nccl_name(ht_offer *name) {
  (void)name;
  return none();
}

ht_status ht_nccl_join(const ht_offer *name, int rank, int ranks) {
  (void)name, (void)rank, (void)ranks;
  return none();
}

cudaError_t ht_nccl_exchange(const ht_part_peer *peer, int64_t peers, const char *sent,
                             char *received, cudaStream_t stream) {
  (void)peer, (void)peers, (void)sent, (void)received, (void)stream;
  return cudaErrorNotSupported;
}

#endif
