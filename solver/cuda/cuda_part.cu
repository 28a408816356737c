/* A rank's part on the GPU: what crosses to and from other ranks (block_border.cuh).
 *
 * By way of the host, pack() fills the rank's own buffer, which goes to the host and on by MPI, and
 * unpack() takes what has come. Linked, each rank has opened the memory of its peers (CUDA's IPC:
 * processes of one host whose GPUs reach each other's memory), and writes there itself. The edge's
 * blocks are stepped first; a second stream then packs them, waits for the peers and takes what
 * they have written, while the other blocks are stepped. No step waits for the host. By NCCL, it
 * sends and receives in between, from the rank's own buffer. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_launch.cuh"
#include "solver/cuda/cuda_nccl.cuh"
#include "solver/cuda/host_array.cuh"
#include <cstring>
#include <unistd.h>

enum { INBOX_ALIGN = 256, INBOX_PAGE = 2 << 20 }; /* a page of its own: peers see whole pages */
/* The most that a rank waits for the others: in a step, and before the first, as rank 0 gives one
 * after the other its values. */
static const unsigned long long step_wait_ns = 60ull * 1000000000,
                                start_wait_ns = 10 * step_wait_ns;

/* ---- set-up ---- */

static int64_t border_place(const ht_cuda_state *state, ht_cross_kind kind, int64_t place) {
  const int64_t a_tile = 3 * HT_TILE_NODES;
  if (kind == HT_CROSS_MASS) return place;
  if (kind == HT_CROSS_VALUES) return (int64_t)ht_cuda_read_address(state, place);
  int64_t node = place / a_tile * HT_TILE_NODES + place % HT_TILE_NODES;
  uint32_t at = state->blocks.place[node];
  return (int64_t)(at / HT_TILE_NODES) * a_tile + place % a_tile / HT_TILE_NODES * HT_TILE_NODES +
         at % HT_TILE_NODES;
}

/* Returns the peer whose message an offset in a buffer is of. */
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
static ht_border_piece *cut_section(const ht_cuda_state *state, const ht_border_section *section,
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

static ht_status place_border(ht_cuda_state *state, const ht_border *border, int is_sent,
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
  HT_TRY(ht_cuda_take(state, d_piece, pieces.data, pieces.bytes()));
  return ht_cuda_take(state, d_place, places.data, places.bytes());
}

/* Aims what the host sends at the rank's own buffer. */
static ht_status aim_at_host(ht_cuda_state *state) {
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

static ht_status make_inbox(ht_cuda_state *state) {
  ht_cuda_part *part = &state->part;
  const size_t turns = aligned((size_t)part->peers * sizeof(unsigned long long), INBOX_ALIGN);
  const size_t buffer = aligned((size_t)part->receive->bytes, INBOX_ALIGN);
  part->inbox_buffer[0] = turns;
  part->inbox_buffer[1] = turns + buffer;
  part->inbox_bytes = aligned(turns + 2 * buffer + 1, INBOX_PAGE);
  HT_TRY(ht_cuda_take(state, &part->d_inbox, NULL, part->inbox_bytes));
  HT_TRY(ht_cuda_take(state, &part->d_sent, NULL, (size_t)part->send->bytes));
  HT_TRY(ht_cuda_take(state, &part->d_count, NULL, sizeof *part->d_count));
  HT_TRY(ht_cuda_take(state, &part->d_target, NULL, (size_t)part->peers * sizeof *part->d_target));
  int64_t longer =
      part->send->bytes > part->receive->bytes ? part->send->bytes : part->receive->bytes;
  const size_t given = ((size_t)state->tables->wall_tiles + 1) * sizeof *part->given;
  HT_TRY(ht_cuda_check(cudaMallocHost((void **)&part->given, given), "taking memory"));
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

ht_status ht_cuda_border(void *opaque, const ht_border *send, const ht_border *receive,
                         const ht_part_peer *peer, int64_t peers) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
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
  return ht_cuda_take(state, &part->d_change, NULL, (size_t)state->blocks.own * 3 * sizeof(double));
}

void ht_cuda_part_free(ht_cuda_part *part) {
  cudaFreeHost(part->pinned);
  cudaFreeHost(part->given);
  free(part->opened);
  if (part->side) cudaStreamDestroy(part->side);
  if (part->edge_done) cudaEventDestroy(part->edge_done);
  if (part->has_come) cudaEventDestroy(part->has_come);
}

/* ---- what crosses ---- */

/* One group: waits until all peers have written this turn; not longer than `most_ns` in all. A next
 * launch begins only then, for its groups would wait on processors that others could use. */
static __global__ void ht_await_peers(const unsigned long long *turn, int peers,
                                      ht_border_count *count, unsigned long long most_ns) {
  ht_wait_for_launch_before();
  const unsigned long long began = ht_nanoseconds(), wanted = count->turn;
  for (int p = (int)threadIdx.x; p < peers; p += (int)blockDim.x)
    while (ht_read_turn(turn + p) < wanted && !*(volatile int *)&count->late)
      if (ht_nanoseconds() - began > most_ns) count->late = 1;
  __syncthreads();
  ht_let_next_begin();
}

/* Waits until what the peers have sent is there. */
static cudaError_t launch_await(const ht_cuda_state *state, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  if (part->way == HT_BY_NCCL)
    return ht_nccl_exchange(part->peer, part->peers, part->d_sent,
                            part->d_inbox + part->inbox_buffer[0], stream);
  return launch(state, stream, ht_await_peers, 1u, 32u, (const unsigned long long *)part->d_inbox,
                (int)part->peers, part->d_count,
                stream == part->side ? step_wait_ns : start_wait_ns);
}

cudaError_t ht_cuda_exchange_in(const ht_cuda_state *state, int is_up, cudaStream_t stream) {
  cudaError_t error = state->kernels.pack(state, is_up, stream);
  if (error == cudaSuccess) error = launch_await(state, stream);
  return error == cudaSuccess ? state->kernels.unpack(state, is_up, stream) : error;
}

ht_status ht_cuda_pack(void *opaque, void *bytes) {
  const ht_cuda_state *state = (const ht_cuda_state *)opaque;
  const ht_cuda_part *part = &state->part;
  const size_t size = (size_t)part->send->bytes;
  const char what[] = "sending to other ranks";
  const int is_up = part->is_begun ? !state->stored.is_up : state->stored.is_up;
  HT_TRY(ht_cuda_check(state->kernels.pack(state, is_up, state->streams.stream[0]), what));
  HT_TRY(ht_cuda_check(cudaMemcpyAsync(part->pinned, part->d_sent, size, cudaMemcpyDeviceToHost,
                                       state->streams.stream[0]),
                       what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->streams.stream[0]), what));
  if (size > 0) memcpy(bytes, part->pinned, size);
  return HT_OK;
}

/* The nodes of ports get their values here, as the step leaves them next to the blocks. */
ht_status ht_cuda_unpack(void *opaque, const void *bytes) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const ht_cuda_part *part = &state->part;
  const size_t size = (size_t)part->receive->bytes;
  const char what[] = "receiving from other ranks";
  if (size > 0) memcpy(part->pinned, bytes, size);
  HT_TRY(ht_cuda_check(cudaMemcpyAsync(part->d_inbox + part->inbox_buffer[0], part->pinned, size,
                                       cudaMemcpyHostToDevice, state->streams.stream[0]),
                       what));
  HT_TRY(ht_cuda_check(state->kernels.unpack(state, state->stored.is_up, state->streams.stream[0]),
                       what));
  if (has_ports(state)) HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 0), what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->streams.stream[0]), what));
  ht_drive_window_arrived(&state->window);
  return HT_OK;
}

ht_status ht_cuda_exchange(void *opaque) {
  const ht_cuda_state *state = (const ht_cuda_state *)opaque;
  const char what[] = "exchanging with other GPUs";
  HT_TRY(ht_cuda_check(ht_cuda_exchange_in(state, state->stored.is_up, state->streams.stream[0]),
                       what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->streams.stream[0]), what));
  return ht_cuda_check_peers(state);
}

/* ---- peers ---- */

typedef struct {
  int32_t can;               /* 1: it has opened its memory to others */
  char host[64];             /* of the process */
  cudaIpcMemHandle_t handle; /* of its inbox */
  int64_t buffer[2], turn;   /* in it: where this peer's messages go, and their number */
} part_offer;

/* The inbox is cleared before a peer hears of it. */
ht_status ht_cuda_offer(void *opaque, ht_offer *offer) {
  const ht_cuda_part *part = &((ht_cuda_state *)opaque)->part;
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

ht_status ht_cuda_link(void *opaque, const ht_offer *offer) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
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

ht_status ht_cuda_join(void *opaque, const ht_offer *name, int rank, int ranks) {
  HT_TRY(ht_nccl_join(name, rank, ranks));
  ((ht_cuda_state *)opaque)->part.way = HT_BY_NCCL;
  return HT_OK;
}

void ht_cuda_unlink(void *opaque) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  cudaStreamSynchronize(state->streams.stream[0]);
  close_inboxes(&state->part);
  (void)aim_at_host(state);
}

ht_status ht_cuda_check_peers(const ht_cuda_state *state) {
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
