#include "segment/path/drop_neighbours.h"
#include "segment/shape/flood.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tube_voxels = 0.75;                  /* beyond the way's radius */
static const double flat_radii = 0.5, flat_voxels = 1.5; /* the larger: not round */
static const double near_radii = 2, near_voxels = 3;     /* the larger: next to the vessel */
static const double long_touch = 2.5, long_past = 1;     /* thicknesses */
static const double to_end = 1.5; /* thicknesses, too: a touch within this length of the way's end
                                     may go on beyond it */

static const double waist = 1.25;     /* the widest layer over that at the tube */
static const double mostly = 2.0 / 3; /* of the voxels */
static const float dim = 0.25F;       /* of the field */

enum { LAYERS = 64 }; /* of a voxel, from the tube on */

enum { TUBE, OUTSIDE, SEEN }; /* what a voxel of the vessel is */

typedef struct {
  const ht_volume *field;
  const ht_way *way;
  const int32_t *station;
  ht_mask *vessel;
  double voxel_mm;
  double *along_mm; /* [stations] from the first point; owned, as are the others */
  int *reached;     /* [stations] number of the piece that was last there, ... */
  int *touched;     /* ... and touched the tube */
  double *run_mm; /* [stations] length of the stretch that it touches up to there, without a gap */
  int number;
  uint8_t *kind;  /* [voxels] */
  ht_stack piece; /* voxels of one */
} beside;

/* Extent of a piece: its stretch along the way, and its contact with the tube. */
typedef struct {
  double from_mm, to_mm; /* next to the vessel; far from it a branch may turn any way */
  double touch_from_mm, touch_to_mm;
  double length_mm, touch_mm; /* of the stations that it is at; of the longest stretch of them */
  int stands_out;
  int64_t layer[LAYERS], dim; /* voxels by their distance from the tube; dim ones */
} extent;

static ht_status beside_make(beside *b) {
  const ht_way *way = b->way;
  HT_TRY(ht_alloc((void **)&b->along_mm, (size_t)way->stations, sizeof *b->along_mm,
                  "the way's length"));
  HT_TRY(ht_alloc((void **)&b->reached, (size_t)way->stations, sizeof *b->reached,
                  "the way's stations"));
  HT_TRY(ht_alloc((void **)&b->touched, (size_t)way->stations, sizeof *b->touched,
                  "the way's stations"));
  HT_TRY(ht_alloc((void **)&b->run_mm, (size_t)way->stations, sizeof *b->run_mm,
                  "the way's stretches"));
  for (int s = 0; s < way->stations; s++) {
    int before = way->station[s].before;
    if (before < 0) continue;
    const double *a = way->station[s].centre_mm, *c = way->station[before].centre_mm;
    b->along_mm[s] = b->along_mm[before] + ht_distance(a, c);
  }
  return ht_alloc((void **)&b->kind, (size_t)ht_grid_voxels(&b->vessel->grid), sizeof *b->kind,
                  "what runs beside the vessel");
}

/* Distance of a voxel from its station, less the radius; beyond the way's end, distance from its
 * line. */
static double above_mm(const beside *b, int64_t voxel) {
  const ht_way *way = b->way;
  const ht_way_station *one = &way->station[b->station[voxel]];
  double at[3], off[3];
  ht_grid_voxel_position(&b->vessel->grid, voxel, at);
  for (int r = 0; r < 3; r++) off[r] = at[r] - one->centre_mm[r];
  double length = ht_length(off), along = ht_dot(off, one->tangent);
  for (int p = 0; p < way->points; p++)
    if (way->is_end[p] && b->station[voxel] == way->at_point[p] && (p == 0 ? -along : along) > 0)
      length = sqrt(fmax(0, length * length - along * along));
  return length - one->radius_mm;
}

/* Length of a station if `last` was not there yet. */
static double new_length(const beside *b, int s, int *last) {
  int before = b->way->station[s].before;
  if (last[s] == b->number) return 0;
  last[s] = b->number;
  return before < 0 ? 0 : b->along_mm[s] - b->along_mm[before];
}

static void extent_add(const beside *b, int64_t voxel, int touches, extent *e) {
  int s = b->station[voxel];
  double at = b->along_mm[s], radius = b->way->station[s].radius_mm;
  e->length_mm += new_length(b, s, b->reached);
  if (touches) b->touched[s] = b->number;
  double above = above_mm(b, voxel);
  if (above <= fmax(near_radii * radius, near_voxels * b->voxel_mm)) {
    e->from_mm = fmin(e->from_mm, at);
    e->to_mm = fmax(e->to_mm, at);
  }
  int layer = (int)fmin(LAYERS - 1, fmax(0, above / b->voxel_mm - tube_voxels));
  e->layer[layer]++;
  e->dim += b->field->values[voxel] < dim;
  e->stands_out |= above > fmax(flat_radii * radius, flat_voxels * b->voxel_mm);
}

/* The longest stretch of the way that the piece touches: several branches of the vessel that join
 * each other far from it touch at several places. */
static void find_touch(beside *b, extent *e) {
  const int most_gap = 2; /* stations */
  e->touch_from_mm = INFINITY;
  e->touch_to_mm = -INFINITY;
  for (int s = 0; s < b->way->stations; s++) {
    b->run_mm[s] = 0;
    if (b->touched[s] != b->number) continue;
    for (int n = 0, at = b->way->station[s].before; n <= most_gap && at >= 0; n++) {
      if (b->touched[at] == b->number) {
        b->run_mm[s] = b->run_mm[at] + b->along_mm[s] - b->along_mm[at];
        break;
      }
      at = b->way->station[at].before;
    }
    if (b->run_mm[s] < e->touch_mm) continue;
    e->touch_mm = b->run_mm[s];
    e->touch_to_mm = b->along_mm[s];
    e->touch_from_mm = b->along_mm[s] - b->run_mm[s];
  }
}

/* The piece at a voxel, into b->piece. */
static ht_status walk(beside *b, int64_t first, extent *e) {
  const int *dim = b->vessel->grid.dim;
  memset(e, 0, sizeof *e);
  e->from_mm = INFINITY;
  e->to_mm = -INFINITY;
  b->number++;
  b->piece.count = 0;
  b->kind[first] = SEEN;
  HT_TRY(ht_stack_push(&b->piece, first));
  for (int64_t i = 0; i < b->piece.count; i++) {
    int at[3], next[3], touches = 0;
    ht_voxel_place(dim, b->piece.item[i], at);
    for (int n = 0; n < HT_NEIGHBOURS; n++) {
      if (!ht_neighbour(dim, at, n, next)) continue;
      int64_t voxel = ht_voxel_index(dim, next);
      if (!b->vessel->inside[voxel]) continue;
      touches |= b->kind[voxel] == TUBE;
      if (b->kind[voxel] != OUTSIDE) continue;
      b->kind[voxel] = SEEN;
      HT_TRY(ht_stack_push(&b->piece, voxel));
    }
    extent_add(b, b->piece.item[i], touches, e);
  }
  find_touch(b, e);
  return HT_OK;
}

/* Tells whether the way ends near that length. */
static int goes_to_end(const beside *b, double at_mm, double near_mm) {
  for (int p = 0; p < b->way->points; p++) {
    double end_mm = b->along_mm[b->way->at_point[p]];
    if (b->way->is_end[p] && fabs(end_mm - at_mm) <= near_mm) return 1;
  }
  return 0;
}

/* Tells whether the piece is narrower where it touches than farther out, or dimmer than blood. A
 * corner of a vessel that is not round is neither. */
static int is_apart(const beside *b, const extent *e) {
  int64_t widest = 0;
  for (int n = 0; n < LAYERS; n++) widest = e->layer[n] > widest ? e->layer[n] : widest;
  return (double)widest >= waist * (double)e->layer[0] ||
         (double)e->dim > mostly * (double)b->piece.count;
}

static int runs_along(const beside *b, const extent *e) {
  const double *s = b->vessel->grid.spacing_mm;
  double volume = (double)b->piece.count * s[0] * s[1] * s[2];
  double thick = 2 * sqrt(volume / (e->length_mm + b->voxel_mm) / HT_PI);
  double before = e->touch_from_mm - e->from_mm, behind = e->to_mm - e->touch_to_mm;
  if (!e->stands_out || !is_apart(b, e)) return 0;
  if (e->touch_mm > to_end * thick && goes_to_end(b, e->touch_from_mm, thick)) before = INFINITY;
  if (e->touch_mm > to_end * thick && goes_to_end(b, e->touch_to_mm, thick)) behind = INFINITY;
  return e->touch_mm > long_touch * thick || fmin(before, behind) > long_past * thick;
}

static ht_status drop_pieces(beside *b, int *parted, double *parted_ml) {
  const double *s = b->vessel->grid.spacing_mm;
  int64_t voxels = ht_grid_voxels(&b->vessel->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (b->vessel->inside[v] && above_mm(b, v) > tube_voxels * b->voxel_mm) b->kind[v] = OUTSIDE;
  for (int64_t v = 0; v < voxels; v++) {
    extent e;
    if (b->kind[v] != OUTSIDE) continue;
    HT_TRY(walk(b, v, &e));
    if (!runs_along(b, &e)) continue;
    for (int64_t i = 0; i < b->piece.count; i++) b->vessel->inside[b->piece.item[i]] = 0;
    *parted += 1;
    *parted_ml += (double)b->piece.count * s[0] * s[1] * s[2] / 1000;
  }
  return HT_OK;
}

ht_status ht_drop_neighbours(const ht_volume *field, const ht_way *way, const int32_t *station,
                             ht_mask *vessel, int *parted, double *parted_ml) {
  beside b = {.field = field,
              .way = way,
              .station = station,
              .vessel = vessel,
              .voxel_mm = ht_mean_spacing(&vessel->grid)};
  ht_status status = beside_make(&b);
  if (status == HT_OK) status = drop_pieces(&b, parted, parted_ml);
  free(b.along_mm);
  free(b.reached);
  free(b.touched);
  free(b.run_mm);
  free(b.kind);
  free(b.piece.item);
  return status;
}
