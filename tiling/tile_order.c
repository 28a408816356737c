#include "tiling/tile_order.h"
#include "tiling/tile_map.h"
#include <stdlib.h>
#include <string.h>

enum { CURVE_BITS = 21 /* a coordinate; three make a key of 63 */ };

/* ---- keys ---- */

uint64_t ht_morton_key(const int32_t position[3], int bits) {
  uint64_t key = 0;
  for (int b = bits - 1; b >= 0; b--)
    for (int a = 2; a >= 0; a--) key = key << 1 | (uint64_t)((position[a] >> b) & 1);
  return key;
}

/* Skilling's algorithm from coordinates to the curve: undo, from the highest bit down, the turns
 * and mirrorings of each level's cube, then decode the Gray code; the interleaved bits are the key.
 */
uint64_t ht_hilbert_key(const int32_t position[3], int bits) {
  uint32_t x[3] = {(uint32_t)position[0], (uint32_t)position[1], (uint32_t)position[2]};
  uint64_t key = 0;
  for (uint32_t level = (uint32_t)1 << (bits - 1); level > 1; level >>= 1) {
    uint32_t below = level - 1;
    for (int a = 0; a < 3; a++) {
      uint32_t swap = (x[0] ^ x[a]) & below;
      if (x[a] & level) {
        x[0] ^= below;
      } else {
        x[0] ^= swap;
        x[a] ^= swap;
      }
    }
  }
  for (int a = 1; a < 3; a++) x[a] ^= x[a - 1];
  uint32_t flip = 0;
  for (uint32_t level = (uint32_t)1 << (bits - 1); level > 1; level >>= 1)
    if (x[2] & level) flip ^= level - 1;
  for (int b = bits - 1; b >= 0; b--)
    for (int a = 0; a < 3; a++) key = key << 1 | (((x[a] ^ flip) >> b) & 1);
  return key;
}

/* Returns the longest axis; of two equally long ones, the later. */
static int longest_axis(const ht_tiling *tiling) {
  int longest = 0;
  for (int a = 1; a < 3; a++)
    if (ht_tile_grid(tiling, a) >= ht_tile_grid(tiling, longest)) longest = a;
  return longest;
}

static uint64_t raster_key(const ht_tiling *tiling, const int32_t *at, int slowest) {
  int fast = slowest == 0, middle = slowest == 2 ? 1 : 2;
  return (uint64_t)at[fast] + (uint64_t)ht_tile_grid(tiling, fast) *
                                  ((uint64_t)at[middle] +
                                   (uint64_t)ht_tile_grid(tiling, middle) * (uint64_t)at[slowest]);
}

static int bits_of_grid(const ht_tiling *tiling) {
  int bits = 1;
  for (int a = 0; a < 3; a++)
    while ((ht_tile_grid(tiling, a) - 1) >> bits) bits++;
  return bits;
}

/* ---- sorting by key ---- */

typedef struct {
  uint64_t key;
  int32_t tile;
} keyed;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Stable, by one digit of the key. */
static void sort_digit(const keyed *from, keyed *to, int64_t count, int shift) {
  int64_t start[DIGITS + 1] = {0};
  for (int64_t i = 0; i < count; i++) start[((from[i].key >> shift) & (DIGITS - 1)) + 1]++;
  for (int d = 0; d < DIGITS; d++) start[d + 1] += start[d];
  for (int64_t i = 0; i < count; i++) to[start[(from[i].key >> shift) & (DIGITS - 1)]++] = from[i];
}

/* Radix sort: linear. `list` and `other` may change places. */
static void sort_keys(keyed **list, keyed **other, int64_t count) {
  uint64_t used = 0;
  for (int64_t i = 0; i < count; i++) used |= (*list)[i].key;
  for (int shift = 0; shift < 64 && used >> shift; shift += DIGIT_BITS) {
    sort_digit(*list, *other, count, shift);
    keyed *sorted = *other;
    *other = *list;
    *list = sorted;
  }
}

static uint64_t key_of(const ht_tiling *tiling, ht_tile_order order, int64_t tile, int bits) {
  const int32_t *at = tiling->position + 3 * tile;
  if (order == HT_ORDER_MORTON) return ht_morton_key(at, bits);
  if (order == HT_ORDER_HILBERT) return ht_hilbert_key(at, bits);
  return raster_key(tiling, at, order == HT_ORDER_SWEEP ? longest_axis(tiling) : 2);
}

static ht_status place_by_key(const ht_tiling *tiling, ht_tile_order order, int32_t *place) {
  keyed *list = NULL, *other = NULL;
  int bits = bits_of_grid(tiling);
  ht_status status = HT_OK;
  if (bits > CURVE_BITS && (order == HT_ORDER_MORTON || order == HT_ORDER_HILBERT))
    return ht_fail(HT_ERR_USAGE,
                   "the order '%s' goes through at most 2^%d tiles along an axis, and this mask is "
                   "%d x %d x %d voxels; take 'raster', 'sweep' or 'breadth'",
                   ht_tile_order_words[order], CURVE_BITS, tiling->dim[0], tiling->dim[1],
                   tiling->dim[2]);
  HT_TRY_DONE(ht_alloc((void **)&list, (size_t)tiling->tiles, sizeof *list, "the tiles' order"));
  HT_TRY_DONE(ht_alloc((void **)&other, (size_t)tiling->tiles, sizeof *other, "the tiles' order"));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++)
    list[t] = (keyed){key_of(tiling, order, t, bits), (int32_t)t};
  sort_keys(&list, &other, tiling->tiles);
  for (int64_t i = 0; i < tiling->tiles; i++) place[list[i].tile] = (int32_t)i;
done:
  free(list);
  free(other);
  return status;
}

/* ---- breadth first ---- */

static int64_t distance_to(const int32_t *at, const int64_t to[3]) {
  int64_t sum = 0;
  for (int a = 0; a < 3; a++) sum += (at[a] - to[a]) * (at[a] - to[a]);
  return sum;
}

static int64_t nearest_tile(const ht_tiling *tiling, const int voxel[3]) {
  int64_t to[3], best = 0;
  for (int a = 0; a < 3; a++) to[a] = ((int64_t)voxel[a] + tiling->origin[a]) / HT_TILE_SIDE;
  for (int64_t t = 1; t < tiling->tiles; t++)
    if (distance_to(tiling->position + 3 * t, to) < distance_to(tiling->position + 3 * best, to))
      best = t;
  return best;
}

/* Floods from `first` over faces; a part that shares no face with it follows, from its lowest tile
 * on. `queue` lists the tiles in their new order. */
static void flood(const ht_tiling *tiling, int64_t first, int32_t *queue, int32_t *place) {
  static const int face[6] = {12, 14, 10, 16, 4, 22}; /* -x, +x, -y, +y, -z, +z of the 27 */
  int64_t head = 0, tail = 0;
  memset(place, 0xff, (size_t)tiling->tiles * sizeof *place);
  for (int64_t t = -1; t < tiling->tiles; t++) {
    int64_t start = t < 0 ? first : t;
    if (place[start] >= 0) continue;
    place[start] = (int32_t)tail;
    queue[tail++] = (int32_t)start;
    for (; head < tail; head++) {
      for (int f = 0; f < 6; f++) {
        int32_t there = tiling->neighbour[HT_TILE_NEIGHBOURS * (int64_t)queue[head] + face[f]];
        if (there < 0 || place[there] >= 0) continue;
        place[there] = (int32_t)tail;
        queue[tail++] = there;
      }
    }
  }
}

static ht_status place_by_breadth(const ht_tiling *tiling, const int first_voxel[3],
                                  int32_t *place) {
  int32_t *queue;
  HT_TRY(ht_alloc((void **)&queue, (size_t)tiling->tiles, sizeof *queue, "the tiles' order"));
  flood(tiling, nearest_tile(tiling, first_voxel), queue, place);
  free(queue);
  return HT_OK;
}

/* ---- renumbering ---- */

static void move_tile(const ht_tiling *from, const int32_t *place, int64_t tile, ht_tiling *to) {
  int64_t at = place[tile];
  memcpy(to->position + 3 * at, from->position + 3 * tile, 3 * sizeof(int32_t));
  to->inside[at] = from->inside[tile];
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = from->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    to->neighbour[HT_TILE_NEIGHBOURS * at + i] = there < 0 ? -1 : place[there];
  }
}

ht_status ht_tiling_renumber(ht_tiling *tiling, const int32_t *place) {
  ht_tiling to = *tiling;
  HT_TRY(ht_tiles_alloc(&to));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++) move_tile(tiling, place, t, &to);
  ht_tiling_free(tiling);
  *tiling = to;
  return HT_OK;
}

ht_status ht_tiling_sort(ht_tiling *tiling, ht_tile_order order, const int first_voxel[3]) {
  int32_t *place;
  if ((unsigned)order > HT_ORDER_BREADTH)
    return ht_fail(HT_ERR_USAGE, "order %d of tiles; allowed is 0 to %d", (int)order,
                   HT_ORDER_BREADTH);
  HT_TRY(ht_alloc((void **)&place, (size_t)tiling->tiles, sizeof *place, "the tiles' order"));
  ht_status status = order == HT_ORDER_BREADTH ? place_by_breadth(tiling, first_voxel, place)
                                               : place_by_key(tiling, order, place);
  if (status == HT_OK) status = ht_tiling_renumber(tiling, place);
  free(place);
  if (status == HT_OK) tiling->order = order;
  return status;
}
