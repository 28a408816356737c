#include "segment/surface/local_level.h"
#include "segment/voxels/block.h"
#include "segment/voxels/quantile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 6, BLOOD = 0, TISSUE = 1 };

/* Sums over cells of CELL^3 voxels. */
typedef struct {
  int dim[3];
  double *sum[2], *count[2]; /* [nz][ny][nx] each: of blood and tissue */
} cells;

static int64_t cell_count(const cells *c) {
  return (int64_t)c->dim[0] * c->dim[1] * c->dim[2];
}

static void free_cells(cells *c) {
  for (int n = 0; n < 2; n++) {
    free(c->sum[n]);
    free(c->count[n]);
  }
}

static ht_status make_cells(const ht_grid *grid, cells *c) {
  memset(c, 0, sizeof *c);
  for (int a = 0; a < 3; a++) c->dim[a] = (grid->dim[a] + CELL - 1) / CELL;
  size_t many = (size_t)cell_count(c);
  for (int n = 0; n < 2; n++) {
    HT_TRY(ht_alloc((void **)&c->sum[n], many, sizeof(double), "local means"));
    HT_TRY(ht_alloc((void **)&c->count[n], many, sizeof(double), "local means"));
  }
  return HT_OK;
}

static void add(const ht_volume *field, const ht_mask *where, int n, cells *c) {
  int64_t voxels = ht_grid_voxels(&field->grid);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    if (!where->inside[v]) continue;
    ht_voxel_place(field->grid.dim, v, at);
    for (int a = 0; a < 3; a++) at[a] /= CELL;
    int64_t cell = ht_voxel_index(c->dim, at);
    c->sum[n][cell] += field->values[v];
    c->count[n][cell]++;
  }
}

/* 1 2 1 along one axis, in place. */
static void blur_axis(const int dim[3], int axis, double *value) {
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t all = (int64_t)dim[0] * dim[1] * dim[2];
  for (int64_t start = 0; start < all; start++) {
    if (start / stride % dim[axis] != 0) continue;
    double before = 0;
    for (int i = 0; i < dim[axis]; i++) {
      double *here = value + start + i * stride, old = *here;
      double after = i + 1 < dim[axis] ? here[stride] : 0;
      *here = before + 2 * old + after;
      before = old;
    }
  }
}

/* Sums and median of the voxels within a range of distances from the vessel's voxels, or from the
 * others (`of` 0). */
static ht_status gather_ring(const ht_volume *field, const ht_mask *vessel, int of, double far,
                             const ht_progress *progress, cells *c, double *median) {
  ht_mask ring;
  int which = of ? TISSUE : BLOOD;
  double near = 1.5 * ht_mean_spacing(&field->grid);
  *median = NAN;
  HT_TRY(ht_mask_ring(vessel, of, near, far, progress, &ring));
  int64_t voxels = ht_grid_voxels(&field->grid), count = ht_mask_count(&ring);
  ht_status status = HT_OK;
  if (count > 0) status = ht_quantile(field->values, ring.inside, voxels, count, 0.5, median);
  add(field, &ring, which, c);
  ht_mask_free(&ring);
  return status;
}

/* Blood and tissue of the surface. */
static ht_status gather(const ht_isosurface *surface, const ht_progress *progress, cells *c,
                        double median[2]) {
  const ht_volume *field = &surface->field;
  ht_mask vessel;
  double far = 3.5 * ht_mean_spacing(&field->grid);
  int64_t voxels = ht_grid_voxels(&field->grid);
  HT_TRY(ht_mask_alloc(&field->grid, &vessel));
  for (int64_t v = 0; v < voxels; v++)
    vessel.inside[v] = field->values[v] >= surface->lower && field->values[v] <= surface->upper;
  ht_status status = gather_ring(field, &vessel, 0, INFINITY, progress, c, &median[BLOOD]);
  if (status == HT_OK) status = gather_ring(field, &vessel, 1, far, progress, c, &median[TISSUE]);
  ht_mask_free(&vessel);
  return status;
}

/* Local means, weighted towards the whole vessel's where few voxels contribute. */
static void to_means(const double median[2], cells *c) {
  const double enough = 8 * 8 * 8; /* voxels, in the blur's unit: 64 / 8 of them */
  for (int n = 0; n < 2; n++) {
    for (int axis = 0; axis < 3; axis++) {
      blur_axis(c->dim, axis, c->sum[n]);
      blur_axis(c->dim, axis, c->count[n]);
    }
    for (int64_t v = 0; v < cell_count(c); v++)
      c->sum[n][v] = (c->sum[n][v] + enough * median[n]) / (c->count[n][v] + enough);
  }
}

/* Half-way between the means of blood and tissue, between the centres of the cells. */
static double level_at(const cells *c, const int at[3]) {
  int low[3], high[3];
  double share[3], sum = 0;
  for (int a = 0; a < 3; a++) {
    double x = fmin(fmax((at[a] + 0.5) / CELL - 0.5, 0), c->dim[a] - 1);
    low[a] = (int)floor(x);
    high[a] = low[a] + 1 < c->dim[a] ? low[a] + 1 : low[a];
    share[a] = x - low[a];
  }
  for (int n = 0; n < 8; n++) {
    int cell[3];
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      cell[a] = n >> a & 1 ? high[a] : low[a];
      weight *= n >> a & 1 ? share[a] : 1 - share[a];
    }
    int64_t v = ht_voxel_index(c->dim, cell);
    sum += weight * (c->sum[BLOOD][v] + c->sum[TISSUE][v]) / 2;
  }
  return sum;
}

/* `shift`: the surface's own level less the half of the medians, as it was chosen in another way.
 */
static void apply(const cells *c, double shift, double contrast, ht_isosurface *surface) {
  ht_volume *field = &surface->field;
  const int *dim = field->grid.dim;
  float *value = field->values;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++)
      for (int i = 0; i < dim[0]; i++, value++) {
        const int at[3] = {i, j, k};
        double above = *value - level_at(c, at) - shift;
        if (*value > surface->upper) above = fmin(above, surface->upper - *value);
        *value = (float)fmin(fmax(above / contrast, -1), 1);
      }
  surface->lower = 0;
  surface->upper = INFINITY;
}

static ht_status not_brighter(const double median[2]) {
  return ht_fail(
      HT_ERR_VESSEL,
      "the level set needs a vessel that is brighter than its surroundings: here the medians "
      "are %.4g in the vessel and %.4g around it; set segment.method to threshold",
      median[BLOOD], median[TISSUE]);
}

ht_status ht_local_level(ht_isosurface *surface, const ht_progress *progress) {
  cells c;
  double median[2] = {NAN, NAN};
  ht_status status = make_cells(&surface->field.grid, &c);
  if (status == HT_OK) status = gather(surface, progress, &c, median);
  if (status == HT_OK && isnan(median[BLOOD])) /* thin everywhere: one level for all */
    median[BLOOD] =
        isnan(median[TISSUE]) ? surface->lower + 1 : 2 * surface->lower - median[TISSUE];
  if (status == HT_OK && isnan(median[TISSUE])) median[TISSUE] = 2 * surface->lower - median[BLOOD];
  double contrast = median[BLOOD] - median[TISSUE];
  if (status == HT_OK && !(contrast > 0)) status = not_brighter(median);
  if (status == HT_OK) {
    to_means(median, &c);
    apply(&c, surface->lower - (median[BLOOD] + median[TISSUE]) / 2, contrast, surface);
  }
  free_cells(&c);
  return status;
}
