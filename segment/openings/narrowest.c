#include "segment/openings/narrowest.h"
#include "segment/shape/chamfer.h"
#include "segment/shape/flood.h"
#include <stdlib.h>
#include <string.h>

enum { UNIT = 3 }; /* distances are thirds of a voxel */

/* Distance inward of an opening where the way begins: its face may be a wall, and its centre is off
 * the middle by some voxels. */
static const double seed_radii = 1.25, seed_voxels = 3;

/* ---- the way ---- */

typedef struct {
  const ht_grid *grid;
  int64_t voxels;
  uint16_t *distance;   /* to the nearest voxel of the wall; owned, as are the others */
  uint8_t *wide, *mark; /* 1 where a ball fits; where it gets to */
} way;

static ht_status way_alloc(const ht_mask *mask, way *w) {
  w->grid = &mask->grid;
  w->voxels = ht_grid_voxels(&mask->grid);
  HT_TRY(ht_alloc((void **)&w->distance, w->voxels, sizeof *w->distance, "distances to the wall"));
  HT_TRY(ht_alloc((void **)&w->wide, w->voxels, 1, "the wide places"));
  HT_TRY(ht_alloc((void **)&w->mark, w->voxels, 1, "the way through"));
#pragma omp parallel for
  for (int64_t v = 0; v < w->voxels; v++) w->distance[v] = mask->inside[v] ? HT_CHAMFER_FAR : 0;
  ht_chamfer(mask->grid.dim, ht_chamfer_thirds, w->distance);
  return HT_OK;
}

static void way_free(way *w) {
  free(w->distance), free(w->wide), free(w->mark);
}

/* The voxel farthest from the wall near an opening; -1 where none is in the vessel. */
static int64_t middle(const way *w, const ht_opening *opening) {
  double reach = seed_radii * opening->radius_mm + seed_voxels * w->grid->spacing_mm[0], p[3];
  int64_t best = -1;
  for (int64_t v = 0; v < w->voxels; v++) {
    double square = 0;
    if (w->distance[v] == 0 || (best >= 0 && w->distance[v] <= w->distance[best])) continue;
    ht_grid_voxel_position(w->grid, v, p);
    for (int a = 0; a < 3; a++)
      square += (p[a] - opening->centre_mm[a]) * (p[a] - opening->centre_mm[a]);
    if (square <= reach * reach) best = v;
  }
  return best;
}

static ht_status gets_through(way *w, int64_t from, int64_t to, int least, int *does) {
#pragma omp parallel for
  for (int64_t v = 0; v < w->voxels; v++) w->wide[v] = w->distance[v] >= least;
  memset(w->mark, 0, (size_t)w->voxels);
  *does = w->wide[from] && w->wide[to];
  if (!*does) return HT_OK;
  HT_TRY(ht_flood(w->wide, w->grid->dim, from, 1, w->mark));
  *does = w->mark[to];
  return HT_OK;
}

/* Halving: `low` gets through, `high` does not. */
static ht_status widest_through(way *w, int64_t from, int64_t to, double *diameter) {
  int low = 0,
      high = 1 + (w->distance[from] < w->distance[to] ? w->distance[from] : w->distance[to]);
  while (high - low > 1) {
    int least = (low + high) / 2, does;
    HT_TRY(gets_through(w, from, to, least, &does));
    if (does)
      low = least;
    else
      high = least;
  }
  /* The wall lies up to a voxel before the first voxel outside, and the middle of the vessel up to
   * a voxel off the voxel that is farthest from it: the two cancel. */
  *diameter = 2.0 * low / UNIT;
  return HT_OK;
}

ht_status ht_narrowest(const ht_mask *mask, const ht_opening *from_opening,
                       const ht_opening *const *to_opening, int count, double *diameter) {
  way w = {0};
  ht_status status = way_alloc(mask, &w);
  int64_t from = status == HT_OK ? middle(&w, from_opening) : -1;
  for (int i = 0; i < count && status == HT_OK; i++) {
    int64_t to = middle(&w, to_opening[i]);
    diameter[i] = 0;
    if (from >= 0 && to >= 0) status = widest_through(&w, from, to, &diameter[i]);
  }
  way_free(&w);
  return status;
}
