#include "segment/path/cut_contacts.h"
#include "segment/shape/heap.h"
#include "segment/shape/neighbour.h"
#include "segment/path/places.h"
#include "segment/voxels/quantile.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float inner = 0.25F;               /* of the field: the depth counts from there */
static const double own_tube = 0.6;             /* of the way's radius: surely the vessel */
static const double narrow = 0.38, wide = 0.75; /* saddle over summit */
static const double dim = 0.4;                  /* of the field, at a saddle */
static const double shallow = 1;                /* small voxels: the depth of parts that stay */
static const double passes_by = 3;              /* depths, to both sides */
static const double radius_voxels = 5;          /* small voxels along the way's radius */
static const double finest = 3;                 /* small voxels along a voxel */

/* Kinds of parts other than the vessel: hardly as bright as blood anywhere, or another
 * structure. */
enum { DIM = 1, ANOTHER };

/* A small voxel of the vessel. */
typedef struct {
  int at[3];      /* in the grid of small voxels */
  int outside[3]; /* the nearest one that is not inner */
  float field, depth;
} piece;

/* Small voxel with its turn in the flood. */
typedef struct {
  float depth;
  int32_t number;
} turn;

typedef struct {
  const ht_volume *field;
  const ht_way *way;
  const int32_t *station;
  ht_mask *vessel;
  int factor[3], dim[3];
  double size_mm[3], small_mm; /* of a small voxel */
  ht_places places;
  int32_t count;
  piece *piece;   /* [count]; owned, as are the others */
  turn *order;    /* [count] deepest first */
  int32_t *above; /* [count] union-find; -1: not yet there */
  int32_t *next;  /* [count] in the ring of its part */
  float *summit;  /* [count] of the root's part; INFINITY: the vessel itself */
  uint8_t *apart; /* [count] of the root: DIM, ANOTHER */
  uint8_t *near;  /* [count] > 0: an inner voxel of the vessel, or next to one */
  ht_heap heap;
} parting;

static void parting_free(parting *p) {
  ht_places_free(&p->places);
  free(p->piece);
  free(p->order);
  free(p->above);
  free(p->next);
  free(p->summit);
  free(p->apart);
  free(p->near);
  free(p->heap.item);
}

static int32_t root_of(parting *p, int32_t n) {
  while (p->above[n] != n) n = p->above[n] = p->above[p->above[n]];
  return n;
}

/* The neighbour's number; -1: none. */
static int32_t beside(const parting *p, const piece *one, int n) {
  int next[3];
  return ht_neighbour(p->dim, one->at, n, next) ? ht_places_get(&p->places, next) : -1;
}

/* Small voxels of one size, by the way's median radius. */
static ht_status choose_size(parting *p) {
  const double *s = p->field->grid.spacing_mm;
  double *radius, voxel = ht_mean_spacing(&p->field->grid);
  HT_TRY(ht_alloc((void **)&radius, (size_t)p->way->stations, sizeof *radius, "radii"));
  for (int n = 0; n < p->way->stations; n++) radius[n] = p->way->station[n].radius_mm;
  ht_sort_values(radius, p->way->stations);
  double wanted = fmin(voxel, fmax(voxel / finest, radius[p->way->stations / 2] / radius_voxels));
  free(radius);
  p->small_mm = 0;
  for (int a = 0; a < 3; a++) {
    p->factor[a] = (int)fmax(1, lround(s[a] / wanted));
    p->dim[a] = p->factor[a] * p->field->grid.dim[a];
    p->size_mm[a] = s[a] / p->factor[a];
    p->small_mm += p->size_mm[a] / 3;
  }
  return HT_OK;
}

/* Finds the index of the middle of a small voxel, in voxels. */
static void index_of(const parting *p, const int at[3], double index[3]) {
  for (int a = 0; a < 3; a++) index[a] = (at[a] + 0.5) / p->factor[a] - 0.5;
}

static ht_status add_voxel(parting *p, const int voxel[3]) {
  for (int n = 0; n < p->factor[0] * p->factor[1] * p->factor[2]; n++) {
    int in[3];
    double index[3];
    piece *one = &p->piece[p->count];
    ht_voxel_place(p->factor, n, in);
    for (int a = 0; a < 3; a++) one->at[a] = voxel[a] * p->factor[a] + in[a];
    index_of(p, one->at, index);
    one->field = (float)ht_volume_sample(p->field, index);
    one->depth = INFINITY;
    HT_TRY(ht_places_set(&p->places, one->at, p->count++));
  }
  return HT_OK;
}

static ht_status make_pieces(parting *p) {
  int64_t voxels = ht_grid_voxels(&p->field->grid);
  int64_t count = ht_mask_count(p->vessel) * p->factor[0] * p->factor[1] * p->factor[2];
  const char *what = "the vessel's parts";
  if (count > INT32_MAX)
    return ht_fail(HT_ERR_MEMORY,
                   "the vessel between the points has too many voxels (%lld): give "
                   "points closer together",
                   (long long)ht_mask_count(p->vessel));
  size_t room = (size_t)count + 1;
  HT_TRY(ht_places_make(p->dim, &p->places));
  HT_TRY(ht_alloc((void **)&p->piece, room, sizeof *p->piece, what));
  HT_TRY(ht_alloc((void **)&p->order, room, sizeof *p->order, what));
  HT_TRY(ht_alloc((void **)&p->above, room, sizeof *p->above, what));
  HT_TRY(ht_alloc((void **)&p->next, room, sizeof *p->next, what));
  HT_TRY(ht_alloc((void **)&p->summit, room, sizeof *p->summit, what));
  HT_TRY(ht_alloc((void **)&p->apart, room, sizeof *p->apart, what));
  HT_TRY(ht_alloc((void **)&p->near, room, sizeof *p->near, what));
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    if (!p->vessel->inside[v]) continue;
    ht_voxel_place(p->field->grid.dim, v, at);
    HT_TRY(add_voxel(p, at));
  }
  return HT_OK;
}

static double between_mm(const parting *p, const int a[3], const int b[3]) {
  double sum = 0;
  for (int r = 0; r < 3; r++) {
    double off = (a[r] - b[r]) * p->size_mm[r];
    sum += off * off;
  }
  return sqrt(sum);
}

/* A nearer place outside for an inner voxel. */
static ht_status offer(parting *p, int32_t n, const int outside[3]) {
  piece *one = &p->piece[n];
  float depth = (float)(between_mm(p, one->at, outside) / p->small_mm - 0.5);
  if (!(depth < one->depth)) return HT_OK;
  one->depth = depth;
  memcpy(one->outside, outside, sizeof one->outside);
  return ht_heap_push(&p->heap, depth, n);
}

/* Depths of the inner voxels, from neighbour to neighbour (Danielsson, Comput. Graph. Image
 * Process. 14 (1980) 227); of the others below 0, by the field. */
static ht_status find_depths(parting *p) {
  for (int32_t n = 0; n < p->count; n++) {
    piece *one = &p->piece[n];
    if (one->field < inner) {
      one->depth = one->field - 1;
      continue;
    }
    for (int m = 0; m < HT_NEIGHBOURS; m++) {
      int next[3];
      /* beyond the scan's border the vessel goes on */
      if (!ht_neighbour(p->dim, one->at, m, next)) continue;
      int32_t other = ht_places_get(&p->places, next);
      if (other < 0 || p->piece[other].field < inner) HT_TRY(offer(p, n, next));
    }
  }
  while (p->heap.count > 0) {
    ht_heap_item item = ht_heap_pop(&p->heap);
    int32_t n = (int32_t)item.voxel;
    if ((float)item.key > p->piece[n].depth) continue;
    for (int m = 0; m < HT_NEIGHBOURS; m++) {
      int32_t other = beside(p, &p->piece[n], m);
      if (other >= 0 && p->piece[other].field >= inner)
        HT_TRY(offer(p, other, p->piece[n].outside));
    }
  }
  return HT_OK;
}

static int64_t voxel_of(const parting *p, const piece *one) {
  int at[3];
  for (int a = 0; a < 3; a++) at[a] = one->at[a] / p->factor[a];
  return ht_voxel_index(p->field->grid.dim, at);
}

static int is_own(const parting *p, const piece *one) {
  const ht_way_station *by = &p->way->station[p->station[voxel_of(p, one)]];
  double index[3], at[3];
  index_of(p, one->at, index);
  ht_grid_position(&p->field->grid, index, at);
  return ht_distance(at, by->centre_mm) <= fmax(own_tube * by->radius_mm, p->small_mm);
}

static int deepest_first(const void *a, const void *b) {
  const turn *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Joins two roots: their rings become one. */
static void join(parting *p, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a, behind = p->next[low];
  p->above[high] = low;
  p->next[low] = p->next[high];
  p->next[high] = behind;
  p->summit[low] = fmaxf(p->summit[a], p->summit[b]);
  if (p->apart[high] > p->apart[low]) p->apart[low] = p->apart[high];
}

/* Finds the offset of part n from the saddle, in small voxels. */
static void find_offset(const parting *p, int32_t n, const piece *saddle, double off[3]) {
  for (int r = 0; r < 3; r++)
    off[r] = (p->piece[n].at[r] - saddle->at[r]) * p->size_mm[r] / p->small_mm;
}

/* Tells whether the part reaches far from its saddle to two opposite sides. */
static int runs_past(const parting *p, int32_t root, const piece *saddle) {
  double far[3] = {0, 0, 0}, off[3], most = 0, back = 0;
  int32_t farthest = root, n = root;
  do {
    find_offset(p, n, saddle, off);
    double length = ht_length(off);
    /* of several equally far the first, for any order of the ring */
    if (length > most || (length == most && n < farthest)) most = length, farthest = n;
    n = p->next[n];
  } while (n != root);
  find_offset(p, farthest, saddle, far);
  do {
    find_offset(p, n, saddle, off);
    back = fmax(back, -ht_dot(off, far) / most);
    n = p->next[n];
  } while (n != root);
  return fmin(most, back) > passes_by * p->summit[root];
}

/* Tells whether the part of `root` is another structure than the vessel that it meets at the
 * saddle. */
static int is_other(parting *p, int32_t root, const piece *saddle) {
  double summit = p->summit[root], ratio = saddle->depth / summit;
  if (p->apart[root] == ANOTHER) return 1;
  if (ratio >= wide) return 0;
  if (summit < shallow)
    p->apart[root] = DIM;
  else if (ratio < narrow || saddle->field < dim || runs_past(p, root, saddle))
    p->apart[root] = ANOTHER;
  return p->apart[root] != 0;
}

static int are_one(parting *p, int32_t a, int32_t b, const piece *saddle) {
  if (isinf(p->summit[a]) && isinf(p->summit[b])) return 1;
  if (isinf(p->summit[a])) return !is_other(p, b, saddle);
  if (isinf(p->summit[b])) return !is_other(p, a, saddle);
  double summit = fmin(p->summit[a], p->summit[b]);
  return summit < shallow || saddle->depth >= 0.5 * summit;
}

static void add(parting *p, int32_t n, float summit) {
  p->above[n] = p->next[n] = n;
  p->summit[n] = summit;
}

/* Joins a voxel to the deepest adjacent part, and to others that are one with that. */
static void flood(parting *p, int32_t n) {
  const piece *one = &p->piece[n];
  int32_t deepest = -1;
  add(p, n, one->depth);
  for (int m = 0; m < HT_NEIGHBOURS; m++) {
    int32_t other = beside(p, one, m);
    if (other < 0 || p->above[other] < 0) continue;
    if (deepest < 0 || p->piece[other].depth > p->piece[deepest].depth) deepest = other;
  }
  if (deepest < 0) return;
  join(p, root_of(p, deepest), n);
  for (int m = 0; m < HT_NEIGHBOURS; m++) {
    int32_t other = beside(p, one, m);
    if (other < 0 || p->above[other] < 0) continue;
    int32_t root = root_of(p, other), self = root_of(p, n);
    if (root != self && are_one(p, root, self, one)) join(p, root, self);
  }
}

/* The vessel's own voxels come first, as one part; then the others, deepest first. */
static ht_status flood_all(parting *p, const ht_progress *progress) {
  int32_t first = -1;
  for (int32_t n = 0; n < p->count; n++) p->above[n] = -1;
  for (int32_t n = 0; n < p->count; n++) {
    if (!is_own(p, &p->piece[n])) continue;
    add(p, n, INFINITY);
    p->near[n] = 1;
    if (first < 0) first = n;
    if (n != first) join(p, first, n);
  }
  for (int32_t n = 0; n < p->count; n++) p->order[n] = (turn){p->piece[n].depth, n};
  qsort(p->order, (size_t)p->count, sizeof *p->order, deepest_first);
  for (int32_t n = 0; n < p->count; n++) {
    if (n % 65536 == 0)
      HT_TRY(ht_progress_report(progress, "segment", n, p->count, "what touches the vessel"));
    if (p->above[p->order[n].number] < 0) flood(p, p->order[n].number);
  }
  return HT_OK;
}

static int is_vessel(parting *p, int32_t n) {
  return isinf(p->summit[root_of(p, n)]);
}

static int is_another(parting *p, int32_t n) {
  return !is_vessel(p, n) && p->apart[root_of(p, n)] == ANOTHER;
}

/* The blurred rim of the vessel is a voxel or so wide: near becomes 1 for the vessel's inner small
 * voxels and rises in the others next to them, layer by layer. */
static void find_rim(parting *p) {
  const double rim_voxels = 1.5;
  int layers = (int)ceil(rim_voxels * ht_mean_spacing(&p->field->grid) / p->small_mm);
  for (int32_t n = 0; n < p->count; n++)
    p->near[n] |= is_vessel(p, n) && p->piece[n].field >= inner;
  for (int layer = 1; layer <= layers; layer++)
    for (int32_t n = 0; n < p->count; n++) {
      if (p->near[n] || is_another(p, n)) continue;
      for (int m = 0; m < HT_NEIGHBOURS && !p->near[n]; m++) {
        int32_t other = beside(p, &p->piece[n], m);
        if (other >= 0 && p->near[other] > 0 && p->near[other] <= layer)
          p->near[n] = (uint8_t)(layer + 1);
      }
    }
}

/* Small voxels in a list, with their distance from the first in steps. */
typedef struct {
  int32_t *voxel, *step;
  int32_t count;
} walk;

static int is_dim(parting *p, int32_t n) {
  return !p->near[n] && !is_another(p, n);
}

/* Follows the dim structure at n, breadth first, and marks it; *steps: its reach. */
static void walk_through(parting *p, int32_t n, uint8_t *seen, walk *w, int32_t *steps) {
  w->count = 0;
  w->voxel[w->count] = n;
  w->step[w->count++] = 0;
  seen[n] = 1;
  for (int32_t i = 0; i < w->count; i++)
    for (int m = 0; m < HT_NEIGHBOURS; m++) {
      int32_t other = beside(p, &p->piece[w->voxel[i]], m);
      if (other < 0 || seen[other] || !is_dim(p, other)) continue;
      seen[other] = 1;
      w->voxel[w->count] = other;
      w->step[w->count++] = w->step[i] + 1;
    }
  *steps = w->step[w->count - 1];
}

/* Judges what is dim beyond the rim: a sac with slow flow, as deep as wide, is the vessel's; a part
 * longer than wide is a vein or another vessel. */
static ht_status judge_dim(parting *p) {
  const double longest = 1.5; /* diameters */
  walk w = {0};
  uint8_t *seen = NULL;
  size_t room = (size_t)p->count + 1;
  ht_status status = ht_alloc((void **)&w.voxel, room, sizeof *w.voxel, "the vessel's parts");
  if (status == HT_OK)
    status = ht_alloc((void **)&w.step, room, sizeof *w.step, "the vessel's parts");
  if (status == HT_OK) status = ht_alloc((void **)&seen, room, 1, "the vessel's parts");
  for (int32_t n = 0; n < p->count && status == HT_OK; n++) {
    int32_t steps;
    if (seen[n] || !is_dim(p, n)) continue;
    walk_through(p, n, seen, &w, &steps);
    double area = w.count / (steps + 1.0), diameter = 2 * sqrt(area / HT_PI);
    for (int32_t i = 0; i < w.count && steps + 1 <= longest * diameter; i++)
      p->near[w.voxel[i]] = UINT8_MAX;
  }
  free(w.voxel);
  free(w.step);
  free(seen);
  return status;
}

/* Removes a voxel with more small voxels of others than of the vessel. */
static void drop_others(parting *p, int *parted, double *parted_ml) {
  const double *s = p->field->grid.spacing_mm;
  int32_t parts = p->factor[0] * p->factor[1] * p->factor[2];
  int64_t dropped = 0;
  for (int32_t n = 0; n < p->count; n += parts) {
    int others = 0;
    for (int32_t m = n; m < n + parts; m++) others += !p->near[m];
    if (2 * others <= parts) continue;
    p->vessel->inside[voxel_of(p, &p->piece[n])] = 0;
    dropped++;
  }
  for (int32_t n = 0; n < p->count; n++) *parted += root_of(p, n) == n && is_another(p, n);
  *parted_ml += (double)dropped * s[0] * s[1] * s[2] / 1000;
}

ht_status ht_cut_contacts(const ht_volume *field, const ht_way *way, const int32_t *station,
                          const ht_progress *progress, ht_mask *vessel, int *parted,
                          double *parted_ml) {
  parting p = {.field = field, .way = way, .station = station, .vessel = vessel};
  ht_status status = choose_size(&p);
  if (status == HT_OK) status = make_pieces(&p);
  if (status == HT_OK) status = find_depths(&p);
  if (status == HT_OK) status = flood_all(&p, progress);
  if (status == HT_OK) {
    find_rim(&p);
    status = judge_dim(&p);
  }
  if (status == HT_OK) drop_others(&p, parted, parted_ml);
  parting_free(&p);
  return status;
}
