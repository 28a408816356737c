/* A rank's part on the GPU: what crosses to and from other ranks (block_border.cuh); included by
 * backend_cuda.cu alone.
 *
 * By way of the host, pack() fills the rank's own buffer, which goes to the host and on by MPI, and
 * unpack() takes what has come. Linked, each rank has opened the memory of its peers (CUDA's IPC:
 * processes of one host whose GPUs reach each other's memory), and writes there itself. The edge's
 * blocks are stepped first; a second stream then packs them, waits for the peers and takes what
 * they have written, while the other blocks are stepped. No step waits for the host. By NCCL, it
 * sends and receives in between, from the rank's own buffer. */
#ifndef HT_CUDA_PART_CUH
#define HT_CUDA_PART_CUH

#include "solver/cuda/cuda_launch.cuh"
#include "solver/cuda/cuda_nccl.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include "solver/cuda/host_array.cuh"
#include <cstring>
#include <unistd.h>

enum { INBOX_ALIGN = 256, INBOX_PAGE = 2 << 20 }; /* a page of its own: peers see whole pages */
/* The most that a rank waits for the others: in a step, and before the first, as rank 0 gives one
 * after the other its values. */
static const unsigned long long step_wait_ns = 60ull * 1000000000,
                                start_wait_ns = 10 * step_wait_ns;

/* ---- set-up ---- */

static int64_t border_place(const cuda_state *state, ht_cross_kind kind, int64_t place) {
  const int64_t a_tile = 3 * HT_TILE_NODES;
  if (kind == HT_CROSS_MASS) return place;
  if (kind == HT_CROSS_VALUES) return (int64_t)read_address(state, place);
  int64_t node = place / a_tile * HT_TILE_NODES + place % HT_TILE_NODES;
  uint32_t at = state->blocks.place[node];
  return (int64_t)(at / HT_TILE_NODES) * a_tile + place % a_tile / HT_TILE_NODES * HT_TILE_NODES +
         at % HT_TILE_NODES;
}

/* The peer whose message an offset in a buffer is of. */
static int32_t peer_at(const ht_cuda_part *part, int64_t offset, int is_sent) {
  for (int64_t p = 0; p < part->peers; p++) {
    const ht_part_peer *peer = &part->peer[p];
    int64_t begin = is_sent ? peer->send : peer->receive;
    int64_t size = is_sent ? peer->send_size : peer->receive_size;
    if (offset >= begin && offset < begin + size) return (int32_t)p;
  }
  return -1;
}

static int64_t count_pieces(const ht_border *border) {
  int64_t pieces = 0;
  for (int s = 0; s < border->sections; s++)
    pieces += (border->section[s].count + BORDER_PIECE - 1) / BORDER_PIECE;
  return pieces;
}

/* Returns the piece after the last. */
static ht_border_piece *cut_section(const cuda_state *state, const ht_border_section *section,
                                    int is_sent, ht_border_piece *piece) {
  const ht_cuda_part *part = &state->part;
  const int64_t bytes = ht_cross_bytes(state->tables->precision, section->kind);
  const int32_t peer = peer_at(part, section->offset, is_sent);
  const int64_t begin = is_sent ? part->peer[peer].send : 0;
  for (int64_t at = 0; at < section->count; at += BORDER_PIECE) {
    int64_t left = section->count - at;
    *piece++ = {(int32_t)section->kind, peer, (int32_t)(left < BORDER_PIECE ? left : BORDER_PIECE),
                section->first + at, section->offset - begin + at * bytes};
  }
  return piece;
}

static ht_status place_border(cuda_state *state, const ht_border *border, int is_sent,
                              ht_border_piece **d_piece, int64_t *count, int64_t **d_place) {
  ht_host_array<ht_border_piece> pieces;
  ht_host_array<int64_t> places;
  *count = count_pieces(border);
  HT_TRY(pieces.make(*count, "the border of a rank"));
  HT_TRY(places.make(border->places, "the border of a rank"));
  ht_border_piece *piece = pieces.data;
  for (int s = 0; s < border->sections; s++) {
    const ht_border_section *section = &border->section[s];
    for (int64_t i = section->first; i < section->first + section->count; i++)
      places[i] = border_place(state, section->kind, border->place[i]);
    piece = cut_section(state, section, is_sent, piece);
  }
  HT_TRY(device_alloc(state, (void **)d_piece, pieces.data, pieces.bytes()));
  return device_alloc(state, (void **)d_place, places.data, places.bytes());
}

/* Aims what the host sends at the rank's own buffer. */
static ht_status aim_at_host(cuda_state *state) {
  ht_cuda_part *part = &state->part;
  ht_host_array<ht_border_target> target;
  HT_TRY(target.make(part->peers, "the peers of a rank"));
  for (int64_t p = 0; p < part->peers; p++) {
    char *to = part->d_sent + part->peer[p].send;
    target[p] = {{to, to}, NULL};
  }
  return ht_cuda_check(
      cudaMemcpy(part->d_target, target.data, target.bytes(), cudaMemcpyHostToDevice),
      "copying the border");
}

static size_t aligned(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

static ht_status make_inbox(cuda_state *state) {
  ht_cuda_part *part = &state->part;
  const size_t turns = aligned((size_t)part->peers * sizeof(unsigned long long), INBOX_ALIGN);
  const size_t buffer = aligned((size_t)part->receive->bytes, INBOX_ALIGN);
  part->inbox_buffer[0] = turns;
  part->inbox_buffer[1] = turns + buffer;
  part->inbox_bytes = aligned(turns + 2 * buffer + 1, INBOX_PAGE);
  HT_TRY(device_alloc(state, (void **)&part->d_inbox, NULL, part->inbox_bytes));
  HT_TRY(device_alloc(state, (void **)&part->d_sent, NULL, (size_t)part->send->bytes));
  HT_TRY(device_alloc(state, (void **)&part->d_count, NULL, sizeof *part->d_count));
  HT_TRY(device_alloc(state, (void **)&part->d_target, NULL,
                      (size_t)part->peers * sizeof *part->d_target));
  int64_t longer =
      part->send->bytes > part->receive->bytes ? part->send->bytes : part->receive->bytes;
  return ht_cuda_check(cudaMallocHost((void **)&part->pinned, (size_t)longer + 1), "taking memory");
}

static ht_status make_side(ht_cuda_part *part) {
  int lowest = 0, highest = 0;
  cudaError_t error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
  if (error == cudaSuccess)
    error = cudaStreamCreateWithPriority(&part->side, cudaStreamNonBlocking, highest);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags(&part->edge_done, cudaEventDisableTiming);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags(&part->has_come, cudaEventDisableTiming);
  return ht_cuda_check(error, "starting");
}

static ht_status cuda_border(void *opaque, const ht_border *send, const ht_border *receive,
                             const ht_part_peer *peer, int64_t peers) {
  cuda_state *state = (cuda_state *)opaque;
  ht_cuda_part *part = &state->part;
  part->send = send;
  part->receive = receive;
  part->peer = peer;
  part->peers = peers;
  HT_TRY(make_side(part));
  HT_TRY(make_inbox(state));
  HT_TRY(aim_at_host(state));
  HT_TRY(
      place_border(state, send, 1, &part->d_send_piece, &part->send_pieces, &part->d_send_place));
  HT_TRY(place_border(state, receive, 0, &part->d_receive_piece, &part->receive_pieces,
                      &part->d_receive_place));
  return device_alloc(state, (void **)&part->d_change, NULL,
                      (size_t)state->blocks.own * 3 * sizeof(double));
}

/* ---- what crosses ---- */

/* Returns what crosses, with the state at the end of the array (is_up) or at its beginning. */
static ht_border_values border_values(const cuda_state *state, int is_up) {
  char *values = (char *)state->d_values;
  if (is_up)
    values += (size_t)state->shift * (size_t)HT_TILE_VALUES(state->tables->directions) *
              stored_size(state);
  return {values, state->d_given[state->part.last_step % GIVEN_STEPS],
          state->d_square[state->part.last_step % HT_DIAGONAL_STEPS]};
}

template <class S>
static cudaError_t launch_pack(const cuda_state *state, int is_up, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  const ht_border_list list = {part->d_send_piece, part->d_send_place};
  const int64_t groups = part->send_pieces > 0 ? part->send_pieces : 1;
  return launch(state, stream, ht_pack_border<S>, (unsigned)groups, BORDER_THREADS,
                border_values(state, is_up), list, part->send_pieces,
                (const ht_border_target *)part->d_target, (int)part->peers, part->d_count);
}

/* Waits until what the peers have sent is there. */
static cudaError_t launch_await(const cuda_state *state, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  if (part->way == HT_BY_NCCL)
    return ht_nccl_exchange(part->peer, part->peers, part->d_sent,
                            part->d_inbox + part->inbox_buffer[0], stream);
  return launch(state, stream, ht_await_peers, 1u, 32u, (const unsigned long long *)part->d_inbox,
                (int)part->peers, part->d_count,
                stream == part->side ? step_wait_ns : start_wait_ns);
}

template <class S>
static cudaError_t launch_unpack(const cuda_state *state, int is_up, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  const ht_border_list list = {part->d_receive_piece, part->d_receive_place};
  const int odd = part->way == HT_BY_PEERS; /* the others fill the even one */
  if (part->receive_pieces == 0) return cudaSuccess;
  return launch(state, stream, ht_unpack_border<S>, (unsigned)part->receive_pieces, BORDER_THREADS,
                border_values(state, is_up), list,
                (const char *)part->d_inbox + part->inbox_buffer[0],
                (const char *)part->d_inbox + part->inbox_buffer[odd],
                (const ht_border_count *)part->d_count);
}

/* ---- peers ---- */

typedef struct {
  int32_t can;               /* 1: it has opened its memory to others */
  char host[64];             /* of the process */
  cudaIpcMemHandle_t handle; /* of its inbox */
  int64_t buffer[2], turn;   /* in it: where this peer's messages go, and their number */
} part_offer;

/* The inbox is cleared before a peer hears of it. */
static ht_status cuda_offer(void *opaque, ht_offer *offer) {
  const ht_cuda_part *part = &((cuda_state *)opaque)->part;
  part_offer mine = {};
  static_assert(sizeof mine <= sizeof *offer, "an offer has room for it");
  HT_TRY(ht_cuda_check(cudaDeviceSynchronize(), "linking"));
  mine.can = cudaIpcGetMemHandle(&mine.handle, part->d_inbox) == cudaSuccess;
  cudaGetLastError();
  gethostname(mine.host, sizeof mine.host - 1);
  for (int64_t p = 0; p < part->peers; p++) {
    for (int k = 0; k < 2; k++)
      mine.buffer[k] = (int64_t)part->inbox_buffer[k] + part->peer[p].receive;
    mine.turn = p * (int64_t)sizeof(unsigned long long);
    memset(&offer[p], 0, sizeof offer[p]);
    memcpy(&offer[p], &mine, sizeof mine);
  }
  return HT_OK;
}

static void close_inboxes(ht_cuda_part *part) {
  for (int64_t p = 0; p < part->peers && part->opened; p++)
    if (part->opened[p]) cudaIpcCloseMemHandle(part->opened[p]);
  cudaGetLastError();
  free(part->opened);
  part->opened = NULL;
  part->way = HT_BY_HOST;
}

/* Opens a peer's memory. HT_ERR_DEVICE: it is out of reach. */
static ht_status open_inbox(const ht_part_peer *peer, const part_offer *its, void **opened) {
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  if (strcmp(host, its->host) != 0)
    return ht_fail(HT_ERR_DEVICE, "rank %d is on another host, %.63s", (int)peer->rank, its->host);
  cudaError_t error =
      its->can ? cudaIpcOpenMemHandle(opened, its->handle, cudaIpcMemLazyEnablePeerAccess)
               : cudaErrorNotSupported;
  if (error == cudaSuccess) return HT_OK;
  *opened = NULL;
  cudaGetLastError();
  return ht_fail(HT_ERR_DEVICE, "the GPU memory of rank %d is out of reach (%s)", (int)peer->rank,
                 cudaGetErrorString(error));
}

static ht_status open_inboxes(ht_cuda_part *part, const ht_offer *offer, ht_border_target *target) {
  for (int64_t p = 0; p < part->peers; p++) {
    part_offer its;
    memcpy(&its, &offer[p], sizeof its);
    HT_TRY(open_inbox(&part->peer[p], &its, &part->opened[p]));
    char *inbox = (char *)part->opened[p];
    target[p] = {{inbox + its.buffer[0], inbox + its.buffer[1]},
                 (unsigned long long *)(inbox + its.turn)};
  }
  return HT_OK;
}

static ht_status cuda_link(void *opaque, const ht_offer *offer) {
  cuda_state *state = (cuda_state *)opaque;
  ht_cuda_part *part = &state->part;
  ht_host_array<ht_border_target> target;
  HT_TRY(target.make(part->peers, "the peers of a rank"));
  HT_TRY(ht_alloc((void **)&part->opened, (size_t)part->peers, sizeof *part->opened, "the peers"));
  ht_status status = open_inboxes(part, offer, target.data);
  if (status == HT_OK)
    status = ht_cuda_check(cudaMemset(part->d_count, 0, sizeof *part->d_count), "linking");
  if (status == HT_OK)
    status = ht_cuda_check(
        cudaMemcpy(part->d_target, target.data, target.bytes(), cudaMemcpyHostToDevice), "linking");
  if (status == HT_OK)
    part->way = HT_BY_PEERS;
  else
    close_inboxes(part);
  return status;
}

static ht_status cuda_join(void *opaque, const ht_offer *name, int rank, int ranks) {
  HT_TRY(ht_nccl_join(name, rank, ranks));
  ((cuda_state *)opaque)->part.way = HT_BY_NCCL;
  return HT_OK;
}

static void cuda_unlink(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  cudaStreamSynchronize(state->stream[0]);
  close_inboxes(&state->part);
  (void)aim_at_host(state);
}

/* Checks the peers, after the stream has been waited for. */
static ht_status check_peers(const cuda_state *state) {
  ht_border_count count;
  if (state->part.way != HT_BY_PEERS) return HT_OK;
  HT_TRY(
      ht_cuda_check(cudaMemcpy(&count, state->part.d_count, sizeof count, cudaMemcpyDeviceToHost),
                    "exchanging with other GPUs"));
  if (!count.late) return HT_OK;
  return ht_fail(
      HT_ERR_DEVICE,
      "another rank's GPU has sent nothing for 60 s of a step, or for 10 minutes before the first");
}

#endif
