/* Exchange between ranks (ht_border): packed straight into the buffers of the peers, or into the
 * rank's own for the host; taken from the rank's own buffers. Private to solver/cuda/.
 *
 * Exchanges are counted (`turn`), on the device, as a graph's launches have constant arguments.
 * Each rank has two buffers for what comes, for odd and even turns, and a number for each peer: the
 * last turn that this peer has written. A peer writes turn t + 1 only when it has got what this
 * rank sent in turn t, and that was sent after the taking of turn t - 1; so two buffers are enough,
 * and no rank needs to know whether they are free. */
#ifndef HT_BLOCK_BORDER_CUH
#define HT_BLOCK_BORDER_CUH

#include "solver/cuda/blocks/block_thread.cuh"

enum { BORDER_PIECE = 1024, BORDER_THREADS = 256 };

/* A run of places of one section. */
struct ht_border_piece {
  int32_t kind, peer, count; /* ht_cross_kind; number of the peer; places, at most BORDER_PIECE */
  int64_t first, offset;     /* of its places; of its bytes in the peer's message */
};

/* Destination of a peer's messages, for even and odd turns, and the number of the last that is
 * there. */
struct ht_border_target {
  char *buffer[2];
  unsigned long long *turn;
};

/* Count of the exchanges so far. */
struct ht_border_count {
  unsigned long long turn;
  unsigned packed; /* groups that have packed the next */
  int late;        /* 1: a peer has not written within the time allowed */
};

/* Places of what crosses, at present. A place of values is an address. */
struct ht_border_values {
  void *values;
  unsigned long long *given;
  void *carried; /* of block_diagonal.cuh, for the next step */
};

struct ht_border_list {
  const ht_border_piece *piece;
  const int64_t *place;
};

HT_INLINE unsigned long long ht_read_turn(const unsigned long long *turn) {
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(turn) : "memory");
  return value;
}
HT_INLINE void ht_write_turn(unsigned long long *turn, unsigned long long value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(turn), "l"(value) : "memory");
}

template <class S, class R>
HT_INLINE void ht_pack_piece(const ht_border_values &from, const ht_border_piece &piece,
                             const int64_t *place, char *to) {
  for (int i = (int)threadIdx.x; i < piece.count; i += BORDER_THREADS) {
    const int64_t at = place[i];
    if (piece.kind == HT_CROSS_VALUES)
      ((S *)to)[i] = ((const S *)from.values)[at];
    else if (piece.kind == HT_CROSS_MASS)
      ((unsigned long long *)to)[i] = from.given[at];
    else
      ((R *)to)[i] = ((const R *)from.carried)[at];
  }
}

/* The last group to end tells the peers. */
HT_INLINE void ht_tell_peers(const ht_border_target *target, int peers, ht_border_count *count,
                             unsigned long long turn) {
  __shared__ int is_last;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&count->packed, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence_system();
  for (int p = (int)threadIdx.x; p < peers; p += BORDER_THREADS)
    if (target[p].turn) ht_write_turn(target[p].turn, turn);
  if (threadIdx.x > 0) return;
  count->packed = 0;
  count->turn = turn;
}

/* One group per piece; one group where there are none. */
template <class S>
__global__ void __launch_bounds__(BORDER_THREADS)
    ht_pack_border(ht_border_values from, ht_border_list list, int64_t pieces,
                   const ht_border_target *target, int peers, ht_border_count *count) {
  typedef typename ht_stored<S>::real R;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  const unsigned long long turn = count->turn + 1;
  if (blockIdx.x < pieces) {
    const ht_border_piece piece = list.piece[blockIdx.x];
    ht_pack_piece<S, R>(from, piece, list.place + piece.first,
                        target[piece.peer].buffer[turn & 1] + piece.offset);
  }
  ht_tell_peers(target, peers, count, turn);
}

HT_INLINE unsigned long long ht_nanoseconds(void) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

template <class S, class R>
HT_INLINE void ht_unpack_piece(const ht_border_values &to, const ht_border_piece &piece,
                               const int64_t *place, const char *from) {
  for (int i = (int)threadIdx.x; i < piece.count; i += BORDER_THREADS) {
    const int64_t at = place[i];
    if (piece.kind == HT_CROSS_VALUES)
      ((S *)to.values)[at] = __ldcg((const S *)from + i);
    else if (piece.kind == HT_CROSS_MASS)
      to.given[at] = __ldcg((const unsigned long long *)from + i);
    else
      ((R *)to.carried)[at] = __ldcg((const R *)from + i);
  }
}

/* buffer: for even and odd turns; offsets of pieces are those in it. */
template <class S>
__global__ void __launch_bounds__(BORDER_THREADS)
    ht_unpack_border(ht_border_values to, ht_border_list list, const char *even, const char *odd,
                     const ht_border_count *count) {
  typedef typename ht_stored<S>::real R;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  const ht_border_piece piece = list.piece[blockIdx.x];
  ht_unpack_piece<S, R>(to, piece, list.place + piece.first,
                        (count->turn & 1 ? odd : even) + piece.offset);
}

#endif
