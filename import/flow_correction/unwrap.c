#include "import/flow_correction/unwrap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A voxel is looked at where a velocity in the beat is above this part of venc; others rest. */
static const double FAST = 0.6;
/* Cost of a dark voxel in place of a bright one, of venc: its phase is less sure. */
static const double DARK_COST = 0.2;
enum { NEIGHBOURS = 8, LAPS_MOST = 100 };

/* A value to be reached from a neighbour: at [time][voxel], moved by `laps` times 2 venc. */
typedef struct {
  float cost;
  int laps;
  int64_t at;
} step;

typedef struct {
  ht_measured_flow *flow;
  int encoding, is_periodic;
  double bright;      /* magnitude of blood; 0: none */
  const float *phase; /* [times][voxels] of venc, as measured */
  uint8_t *fast;      /* [voxels] */
  const uint8_t *noise;
  uint8_t *known; /* [times][voxels] */
  int8_t *laps;   /* [times][voxels] */
  step *heap;
  int64_t count, room;
} work;

/* ---- The queue: the cheapest step first ---- */

static ht_status push(work *w, step one) {
  if (w->count == w->room) {
    const int64_t room = w->room ? 2 * w->room : 4096;
    step *more = realloc(w->heap, (size_t)room * sizeof *more);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory to unwrap velocities");
    w->heap = more;
    w->room = room;
  }
  int64_t i = w->count++;
  for (; i > 0 && w->heap[(i - 1) / 2].cost > one.cost; i = (i - 1) / 2)
    w->heap[i] = w->heap[(i - 1) / 2];
  w->heap[i] = one;
  return HT_OK;
}

static step pop(work *w) {
  const step first = w->heap[0], last = w->heap[--w->count];
  int64_t i = 0, child;
  while ((child = 2 * i + 1) < w->count) {
    if (child + 1 < w->count && w->heap[child + 1].cost < w->heap[child].cost) child++;
    if (w->heap[child].cost >= last.cost) break;
    w->heap[i] = w->heap[child];
    i = child;
  }
  w->heap[i] = last;
  return first;
}

/* ---- Neighbours in space and time ---- */

/* Finds neighbour `number` (0 to 5 in space, 6 and 7 in time) of a value; -1: none. */
static int64_t neighbour(const work *w, int64_t at, int number) {
  const ht_grid *grid = &w->flow->grid;
  const int64_t voxels = ht_grid_voxels(grid), voxel = at % voxels;
  int time = (int)(at / voxels), place[3];
  const int way = number % 2 ? 1 : -1;
  if (number >= 6) {
    time += way;
    if (w->is_periodic) time = (time + w->flow->times) % w->flow->times;
    return time < 0 || time >= w->flow->times ? -1 : time * voxels + voxel;
  }
  ht_voxel_place(grid->dim, voxel, place);
  place[number / 2] += way;
  return ht_voxel_in_grid(grid->dim, place) ? time * voxels + ht_voxel_index(grid->dim, place) : -1;
}

static double dark_cost(const work *w, int64_t at) {
  if (!(w->bright > 0)) return 0;
  return DARK_COST * (1 - fmin(1, w->flow->magnitude[at] / w->bright));
}

/* Adds the steps from a known value to its neighbours that are not known. */
static ht_status push_neighbours(work *w, int64_t from) {
  const int64_t voxels = ht_grid_voxels(&w->flow->grid);
  for (int n = 0; n < NEIGHBOURS; n++) {
    const int64_t to = neighbour(w, from, n);
    if (to < 0 || w->known[to] || !w->fast[to % voxels]) continue;
    const double rise = w->phase[to] - (w->phase[from] + 2. * w->laps[from]);
    const int laps = (int)-nearbyint(rise / 2);
    if (abs(laps) > LAPS_MOST) continue;
    HT_TRY(push(w, (step){(float)(fabs(rise + 2 * laps) + dark_cost(w, to)), laps, to}));
  }
  return HT_OK;
}

/* ---- One direction ---- */

/* Marks the voxels that may be wrapped, and their neighbours; returns their number. */
static int64_t mark_fast(work *w) {
  const ht_grid *grid = &w->flow->grid;
  const int64_t voxels = ht_grid_voxels(grid);
  int64_t count = 0;
  for (int64_t v = 0; v < voxels; v++)
    for (int t = 0; t < w->flow->times && !w->fast[v]; t++)
      if (fabs(w->phase[t * voxels + v]) > FAST && !(w->noise && w->noise[v])) w->fast[v] = 2;
  for (int64_t v = 0; v < voxels; v++) {
    for (int n = 0; n < 6 && !w->fast[v] && !(w->noise && w->noise[v]); n++) {
      const int64_t other = neighbour(w, v, n);
      if (other >= 0 && w->fast[other] == 2) w->fast[v] = 1;
    }
    count += w->fast[v] != 0;
  }
  return count;
}

/* Begins at the resting voxels around. */
static ht_status begin(work *w) {
  const int64_t voxels = ht_grid_voxels(&w->flow->grid), all = voxels * w->flow->times;
  for (int64_t at = 0; at < all; at++)
    w->known[at] = !w->fast[at % voxels] && !(w->noise && w->noise[at % voxels]);
  for (int64_t at = 0; at < all; at++)
    if (w->known[at]) HT_TRY(push_neighbours(w, at));
  return HT_OK;
}

static ht_status grow(work *w, int64_t *unwrapped) {
  const double lap = 2 * w->flow->encoding[w->encoding].venc_m_s;
  const int64_t voxels = ht_grid_voxels(&w->flow->grid);
  while (w->count > 0) {
    const step next = pop(w);
    if (w->known[next.at]) continue;
    w->known[next.at] = 1;
    w->laps[next.at] = (int8_t)next.laps;
    HT_TRY(push_neighbours(w, next.at));
  }
  for (int64_t at = 0; at < voxels * w->flow->times; at++) {
    if (!w->laps[at]) continue;
    ht_measured_part(w->flow, (int)(at / voxels), w->encoding)[at % voxels] +=
        (float)(lap * w->laps[at]);
    (*unwrapped)++;
  }
  return HT_OK;
}

/* Copies the phase of one direction, of venc. */
static ht_status copy_phase(const ht_measured_flow *flow, int encoding, float **phase) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  HT_TRY(ht_alloc((void **)phase, (size_t)(voxels * flow->times), sizeof(float), "phases"));
  for (int t = 0; t < flow->times; t++)
    for (int64_t v = 0; v < voxels; v++)
      (*phase)[t * voxels + v] =
          (float)(ht_measured_part(flow, t, encoding)[v] / flow->encoding[encoding].venc_m_s);
  return HT_OK;
}

/* Tells whether the last time point is followed by the first of the next beat. */
static int is_periodic(const ht_measured_flow *flow) {
  const int n = flow->times;
  if (n < 3 || !(flow->period_s > 0)) return 0;
  const double step = (flow->time_s[n - 1] - flow->time_s[0]) / (n - 1);
  return fabs(flow->time_s[0] + flow->period_s - flow->time_s[n - 1] - step) < 0.5 * step;
}

static ht_status unwrap_one(ht_measured_flow *flow, int encoding, double bright,
                            ht_flow_corrected *done) {
  const size_t voxels = (size_t)ht_grid_voxels(&flow->grid), all = voxels * (size_t)flow->times;
  float *phase = NULL;
  work w = {.flow = flow, .encoding = encoding, .is_periodic = is_periodic(flow)};
  w.bright = bright;
  w.noise = done->noise;
  ht_status status = copy_phase(flow, encoding, &phase);
  w.phase = phase;
  if (status == HT_OK) status = ht_alloc((void **)&w.fast, voxels, 1, "fast voxels");
  if (status == HT_OK) status = ht_alloc((void **)&w.known, all, 1, "unwrapped voxels");
  if (status == HT_OK) status = ht_alloc((void **)&w.laps, all, 1, "unwrapped voxels");
  if (status == HT_OK && mark_fast(&w) > 0) {
    status = begin(&w);
    if (status == HT_OK) status = grow(&w, &done->unwrapped);
  }
  free(phase);
  free(w.fast);
  free(w.known);
  free(w.laps);
  free(w.heap);
  return status;
}

ht_status ht_flow_unwrap(ht_measured_flow *flow, ht_flow_corrected *done) {
  const int64_t all = ht_grid_voxels(&flow->grid) * flow->times;
  double bright = 0;
  for (int64_t i = 0; flow->magnitude && i < all; i++) bright = fmax(bright, flow->magnitude[i]);
  for (int e = 0; e < flow->encodings; e++) HT_TRY(unwrap_one(flow, e, 0.7 * bright, done));
  return HT_OK;
}
