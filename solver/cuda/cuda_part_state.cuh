/* Data that a rank's part has on the device beyond a lattice (cuda_part.cuh); included by
 * cuda_state.cuh alone. */
#ifndef HT_CUDA_PART_STATE_CUH
#define HT_CUDA_PART_STATE_CUH

#include "solver/cuda/blocks/block_border.cuh"
#include <cstdlib>

/* Way of the exchange. */
typedef enum { HT_BY_HOST = 0, HT_BY_PEERS, HT_BY_NCCL } ht_part_way;

typedef struct {
  const ht_border *send, *receive; /* borrowed; NULL: a whole lattice */
  const ht_part_peer *peer;        /* [peers] borrowed */
  int64_t peers;
  ht_border_piece *d_send_piece, *d_receive_piece;
  int64_t *d_send_place, *d_receive_place;
  int64_t send_pieces, receive_pieces;
  ht_border_target *d_target; /* [peers] */
  ht_border_count *d_count;
  char *d_sent;  /* [send->bytes] on its way to the host */
  char *d_inbox; /* the turns that the peers have written, then the two buffers of what comes */
  size_t inbox_buffer[2], inbox_bytes;
  char *pinned;        /* on the host: room for the longer of the two borders */
  void **opened;       /* [peers] their inboxes, as seen from here; NULL: not linked */
  double *d_change;    /* of ht_watch_blocks */
  int64_t last_step;   /* launched last; its masses and squares cross */
  int64_t sponge_edge; /* nodes of the sponge in edge blocks, the first of d_sponge */
  ht_part_way way;
  int is_begun;      /* between step_edge() and step_rest() */
  cudaStream_t side; /* of what crosses, concurrent with the inner blocks */
  cudaEvent_t edge_done, has_come;
} ht_cuda_part;

static void free_part(ht_cuda_part *part) {
  cudaFree(part->d_send_piece);
  cudaFree(part->d_receive_piece);
  cudaFree(part->d_send_place);
  cudaFree(part->d_receive_place);
  cudaFree(part->d_target);
  cudaFree(part->d_count);
  cudaFree(part->d_sent);
  cudaFree(part->d_inbox);
  cudaFree(part->d_change);
  cudaFreeHost(part->pinned);
  free(part->opened);
  if (part->side) cudaStreamDestroy(part->side);
  if (part->edge_done) cudaEventDestroy(part->edge_done);
  if (part->has_come) cudaEventDestroy(part->has_come);
}

#endif
