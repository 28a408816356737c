#include "part.h"
#include "vector3.h"
#include "vessel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double inner = 0.25;         /* of the field */
static const double own_tube = 0.6;       /* of the way's radius: surely the vessel */
/* Saddle over summit: less is another structure. A dimmer saddle is that of two that touch, a
 * bright one is the mouth of a sac. */
static const double narrow_dim = 0.5, narrow_bright = 0.25, dim = 0.4 /* of the field */;
static const double shallow_voxels = 1.5; /* depth of parts that stay */

typedef struct {
  float key; /* depth; for voxels that are not inner ones the field, below 0 */
  int32_t voxel;
} entry;

typedef struct {
  const ht_volume *field;
  const ht_way *way;
  const int32_t *station;
  ht_mask *vessel;
  double voxel_mm;
  int count;
  entry *list;    /* [count] the vessel's voxels, deepest first; owned, as are the others */
  int32_t *place; /* [voxels] in the list; -1 */
  int32_t *above; /* [count] union-find */
  float *summit;  /* [count] of the root's part; INFINITY: the vessel itself */
} parting;

static void parting_free(parting *p) {
  free(p->list);
  free(p->place);
  free(p->above);
  free(p->summit);
}

static int root_of(parting *p, int n) {
  while (p->above[n] != n) n = p->above[n] = p->above[p->above[n]];
  return n;
}

static int deepest_first(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? 1 : -1;
  return (x->voxel > y->voxel) - (x->voxel < y->voxel);
}

/* How deep each inner voxel lies, in voxels: 0 at the wall. */
static ht_status find_depth(const parting *p, const ht_progress *progress, ht_volume *depth) {
  ht_mask outer = {0};
  int64_t voxels = ht_grid_voxels(&p->field->grid);
  HT_TRY(ht_mask_alloc(&p->field->grid, &outer));
  for (int64_t v = 0; v < voxels; v++)
    outer.inside[v] = !(p->vessel->inside[v] && p->field->values[v] > inner);
  ht_status status = ht_itk_distance(&outer, progress, depth);
  ht_mask_free(&outer);
  if (status != HT_OK) return status;
  for (int64_t v = 0; v < voxels; v++)
    depth->values[v] = (float)fmax(0, depth->values[v] / p->voxel_mm - 0.5);
  return HT_OK;
}

static int is_own(const parting *p, int64_t voxel) {
  const ht_way_station *one = &p->way->station[p->station[voxel]];
  double at[3];
  ht_grid_voxel_position(&p->field->grid, voxel, at);
  return ht_distance(at, one->centre_mm) <= fmax(own_tube * one->radius_mm, p->voxel_mm);
}

static ht_status make_list(parting *p, const ht_volume *depth) {
  int64_t voxels = ht_grid_voxels(&p->field->grid);
  size_t count = (size_t)ht_mask_count(p->vessel);
  HT_TRY(ht_alloc((void **)&p->list, count, sizeof *p->list, "the vessel's parts"));
  HT_TRY(ht_alloc((void **)&p->place, (size_t)voxels, sizeof *p->place, "the vessel's parts"));
  HT_TRY(ht_alloc((void **)&p->above, count, sizeof *p->above, "the vessel's parts"));
  HT_TRY(ht_alloc((void **)&p->summit, count, sizeof *p->summit, "the vessel's parts"));
  for (int64_t v = 0; v < voxels; v++) {
    p->place[v] = -1;
    if (!p->vessel->inside[v]) continue;
    float d = depth->values[v];
    p->list[p->count++] = (entry){d > 0 ? d : p->field->values[v] - 1, (int32_t)v};
  }
  qsort(p->list, count, sizeof *p->list, deepest_first);
  return HT_OK;
}

static void join(parting *p, int a, int b) {
  int low = a < b ? a : b, high = a < b ? b : a;
  p->above[high] = low;
  p->summit[low] = fmaxf(p->summit[a], p->summit[b]);
}

/* Do two parts that meet at a depth belong together? */
static int are_one(const parting *p, int a, int b, const entry *saddle) {
  if (getenv("PARTDBG")) { double q = fmin(p->summit[a], p->summit[b]); if (!isinf(q) && q > 1.5 && (isinf(p->summit[a])||isinf(p->summit[b]))) fprintf(stderr, "summit %.2f saddle %.2f ratio %.2f\n", q, saddle->key, saddle->key / q), fprintf(stderr, "   u %.2f\n", p->field->values[saddle->voxel] + 0.5); }
  double summit = fmin(p->summit[a], p->summit[b]);
  double narrow = p->field->values[saddle->voxel] < dim ? narrow_dim : narrow_bright;
  return isinf(summit) || summit < shallow_voxels || saddle->key >= narrow * summit;
}

/* Joins a voxel to the parts beside it; of parts that stay apart it belongs to the first. */
static void flood(parting *p, int n) {
  const int *dim = p->field->grid.dim;
  int at[3], own = -1;
  ht_voxel_place(dim, p->list[n].voxel, at);
  for (int m = 0; m < 27; m++) {
    const int next[3] = {at[0] + m % 3 - 1, at[1] + m / 3 % 3 - 1, at[2] + m / 9 - 1};
    if (m == 13 || !ht_voxel_in_grid(dim, next)) continue;
    int beside = p->place[ht_voxel_index(dim, next)];
    if (beside < 0) continue;
    int root = root_of(p, beside), self = root_of(p, n);
    if (root == self) continue;
    if (own < 0 || are_one(p, root, self, &p->list[n])) join(p, root, self);
    own = root_of(p, n);
  }
}

static void add(parting *p, int n, float summit) {
  p->place[p->list[n].voxel] = n;
  p->above[n] = n;
  p->summit[n] = summit;
}

/* The vessel's own voxels come first, as one part; then the others, deepest first. */
static void flood_all(parting *p) {
  int first = -1;
  for (int n = 0; n < p->count; n++) {
    if (!is_own(p, p->list[n].voxel)) continue;
    add(p, n, INFINITY);
    if (first < 0) first = n;
    if (n != first) join(p, first, n);
  }
  for (int n = 0; n < p->count; n++) {
    if (p->place[p->list[n].voxel] >= 0) continue;
    add(p, n, p->list[n].key);
    flood(p, n);
  }
}

static void drop_others(parting *p, int *parted, double *parted_ml) {
  const double *s = p->field->grid.spacing_mm;
  int64_t dropped = 0;
  *parted = 0;
  for (int n = 0; n < p->count; n++) {
    int root = root_of(p, n);
    if (isinf(p->summit[root])) continue;
    p->vessel->inside[p->list[n].voxel] = 0;
    dropped++;
    *parted += root == n;
  }
  *parted_ml = (double)dropped * s[0] * s[1] * s[2] / 1000;
}

ht_status ht_part(const ht_volume *field, const ht_way *way, const int32_t *station,
                  const ht_progress *progress, ht_mask *vessel, int *parted, double *parted_ml) {
  parting p = {.field = field,
               .way = way,
               .station = station,
               .vessel = vessel,
               .voxel_mm = ht_mean_spacing(&field->grid)};
  ht_volume depth = {0};
  ht_status status = find_depth(&p, progress, &depth);
  if (status == HT_OK) status = make_list(&p, &depth);
  ht_volume_free(&depth);
  if (status == HT_OK) {
    flood_all(&p);
    drop_others(&p, parted, parted_ml);
  }
  parting_free(&p);
  return status;
}
