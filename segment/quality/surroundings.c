#include "segment/quality/surroundings.h"
#include "segment/shape/chamfer.h"
#include "segment/shape/neighbour.h"
#include "segment/voxels/quantile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 8, CELL = 8, SAMPLES_MOST = 200000 };

/* Distances are sixteenths of a voxel, between centres; the wall is half a voxel before. */
static const double unit = 16;
static const double deep[] = {1.5, 1, 0.5, 0}; /* voxels from the wall: as deep as the vessel is */
static const double tissue_from = 1.5, tissue_to = 3.5, reach = 4;

/* Limits of tissue in shares of the contrast: brighter voxels (bone, other vessels) are left out,
 * darker ones (air) count as no darker. */
static const double tissue_most = 0.5, tissue_least = -0.3;

/* Weight of the whole vessel's level relative to the cells' own voxels. */
static const double prior_voxels = 2;

/* ---- the box and its voxels ---- */

static ht_status find_box(const ht_volume *scan, const ht_mask *mask, ht_surroundings *around) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  if (ht_mask_count(mask) == 0) return ht_fail(HT_ERR_VESSEL, "the mask is empty");
  ht_box of = ht_box_of_mask(mask);
  for (int corner = 0; corner < 8; corner++) {
    double index[3], p[3];
    for (int a = 0; a < 3; a++) index[a] = corner >> a & 1 ? of.last[a] : of.first[a];
    ht_grid_position(&mask->grid, index, p);
    ht_grid_index(&scan->grid, p, index);
    for (int a = 0; a < 3; a++) low[a] = fmin(low[a], index[a]), high[a] = fmax(high[a], index[a]);
  }
  for (int a = 0; a < 3; a++) {
    int last = scan->grid.dim[a] - 1;
    if (high[a] < -0.5 || low[a] > last + 0.5)
      return ht_fail(HT_ERR_VESSEL,
                     "the mask lies outside the scan: does it belong to another scan?");
    around->box.first[a] = (int)fmin(last, fmax(0, floor(low[a]) - MARGIN));
    around->box.last[a] = (int)fmin(last, fmax(0, ceil(high[a]) + MARGIN));
    around->dim[a] = around->box.last[a] - around->box.first[a] + 1;
  }
  return HT_OK;
}

static int64_t voxels_of(const ht_surroundings *around) {
  return (int64_t)around->dim[0] * around->dim[1] * around->dim[2];
}

/* A voxel of the box in the scan, and its index there. */
static int64_t in_scan(const ht_surroundings *around, int64_t v, double index[3]) {
  int at[3];
  ht_voxel_place(around->dim, v, at);
  for (int a = 0; a < 3; a++) index[a] = at[a] += around->box.first[a];
  return ht_voxel_index(around->scan->grid.dim, at);
}

static void mark_row(const ht_mask *mask, const ht_grid *grid, int j, int k, int first, int count,
                     uint8_t *kind) {
  const double from[3] = {first, j, k}, to[3] = {first + 1, j, k};
  double p[3], index[3], step[3];
  ht_grid_position(grid, to, p);
  ht_grid_index(&mask->grid, p, step);
  ht_grid_position(grid, from, p);
  ht_grid_index(&mask->grid, p, index);
  for (int a = 0; a < 3; a++) step[a] -= index[a];
  for (int i = 0; i < count; i++) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = (int)floor(index[a] + i * step[a] + 0.5);
    if (ht_voxel_in_grid(mask->grid.dim, at) && mask->inside[ht_voxel_index(mask->grid.dim, at)])
      kind[i] = HT_NEAR_INSIDE | HT_NEAR_REACH;
  }
}

static void mark_inside(const ht_mask *mask, ht_surroundings *around) {
  const ht_box *box = &around->box;
#pragma omp parallel for
  for (int k = 0; k < around->dim[2]; k++)
    for (int j = 0; j < around->dim[1]; j++)
      mark_row(mask, &around->scan->grid, box->first[1] + j, box->first[2] + k, box->first[0],
               around->dim[0], around->kind + around->dim[0] * (j + (int64_t)around->dim[1] * k));
}

/* Cubes of 8 voxels with a voxel of the mask in them or in a neighbour: farther away no distance is
 * needed. */
static ht_status find_cubes(const ht_surroundings *around, int dim[3], uint8_t **cube) {
  size_t cubes = 1;
  int64_t voxels = voxels_of(around);
  for (int a = 0; a < 3; a++) cubes *= (size_t)(dim[a] = (around->dim[a] - 1) / CELL + 1);
  HT_TRY(ht_alloc((void **)cube, cubes, 1, "the mask's surroundings"));
  for (int64_t v = 0; v < voxels; v++) {
    int at[3], to[3];
    if (!(around->kind[v] & HT_NEAR_INSIDE)) continue;
    ht_voxel_place(around->dim, v, at);
    for (int a = 0; a < 3; a++) at[a] /= CELL;
    if ((*cube)[ht_voxel_index(dim, at)] == 2) continue;
    for (int n = 0; n < HT_NEIGHBOURS; n++)
      if (ht_neighbour(dim, at, n, to)) (*cube)[ht_voxel_index(dim, to)] |= 1;
    (*cube)[ht_voxel_index(dim, at)] = 2;
  }
  return HT_OK;
}

/* Measures the distances from the voxels that are (of 1) or are not (0) in the mask. */
static ht_status measure_from(const ht_surroundings *around, int of, uint16_t *distance) {
  ht_chamfer_steps steps;
  int64_t voxels = voxels_of(around);
  int dim[3];
  uint8_t *cube;
  HT_TRY(find_cubes(around, dim, &cube));
  ht_chamfer_of_grid(&around->scan->grid, unit / around->voxel_mm, steps);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(around->dim, v, at);
    for (int a = 0; a < 3; a++) at[a] /= CELL;
    int is_near = cube[ht_voxel_index(dim, at)] != 0;
    int is_from = (around->kind[v] & HT_NEAR_INSIDE) == of;
    distance[v] = is_from ? 0 : is_near ? HT_CHAMFER_FAR : HT_CHAMFER_WALL;
  }
  free(cube);
  ht_chamfer(around->dim, steps, distance);
  return HT_OK;
}

static int between(uint16_t distance, double from, double to) {
  return distance >= unit * (from + 0.5) && distance <= unit * (to + 0.5);
}

static void mark_blood(const uint16_t *distance, ht_surroundings *around) {
  int64_t voxels = voxels_of(around), inside = 0, found = 0;
  for (int64_t v = 0; v < voxels; v++) inside += around->kind[v] & HT_NEAR_INSIDE;
  for (size_t d = 0; d < sizeof deep / sizeof *deep && found < 30 + inside / 50; d++) {
    found = 0;
    for (int64_t v = 0; v < voxels; v++) {
      if (!(around->kind[v] & HT_NEAR_INSIDE) || !between(distance[v], deep[d], INFINITY)) continue;
      around->kind[v] |= HT_NEAR_BLOOD;
      found++;
    }
  }
}

static void mark_tissue(const uint16_t *distance, ht_surroundings *around) {
  int64_t voxels = voxels_of(around);
  for (int64_t v = 0; v < voxels; v++) {
    if (around->kind[v] & HT_NEAR_INSIDE) continue;
    if (between(distance[v], tissue_from, tissue_to)) around->kind[v] |= HT_NEAR_TISSUE;
    if (between(distance[v], 0, reach)) around->kind[v] |= HT_NEAR_REACH;
  }
}

static ht_status mark(const ht_mask *mask, ht_surroundings *around) {
  uint16_t *distance;
  size_t voxels = (size_t)voxels_of(around);
  HT_TRY(ht_alloc((void **)&around->kind, voxels, 1, "the mask's surroundings"));
  mark_inside(mask, around);
  HT_TRY(ht_alloc((void **)&distance, voxels, sizeof *distance, "the mask's surroundings"));
  ht_status status = measure_from(around, 0, distance);
  if (status == HT_OK) {
    mark_blood(distance, around);
    status = measure_from(around, 1, distance);
  }
  if (status == HT_OK) mark_tissue(distance, around);
  free(distance);
  return status;
}

/* ---- levels ---- */

/* Median of the finite values of the voxels with a bit (an even choice of many); with `off`, of
 * their absolute deviations from the local blood. NaN: there are none. */
static ht_status median_of(const ht_surroundings *around, int bit, int off, double *median) {
  float *value;
  int64_t voxels = voxels_of(around), marked = 0, count = 0, seen = 0;
  double index[3], level[2];
  *median = NAN;
  for (int64_t v = 0; v < voxels; v++) marked += (around->kind[v] & bit) != 0;
  HT_TRY(ht_alloc((void **)&value, SAMPLES_MOST, sizeof *value, "the mask's surroundings"));
  for (int64_t v = 0, every = marked / SAMPLES_MOST + 1; v < voxels; v++) {
    if (!(around->kind[v] & bit) || seen++ % every) continue;
    float here = around->scan->values[in_scan(around, v, index)];
    if (!isfinite(here)) continue;
    if (off) {
      ht_surroundings_level(around, index, level);
      here = fabsf(here - (float)level[0]);
    }
    value[count++] = here;
  }
  ht_status status = HT_OK;
  if (count > 0) status = ht_quantile(value, NULL, count, count, 0.5, median);
  free(value);
  return status;
}

static ht_status alloc_cells(const ht_surroundings *around, ht_cells *cells) {
  size_t count = 1;
  for (int a = 0; a < 3; a++) {
    double side = CELL * around->voxel_mm / around->scan->grid.spacing_mm[a];
    cells->side[a] = (int)fmax(1, lround(side));
    cells->dim[a] = (around->dim[a] - 1) / cells->side[a] + 1;
    count *= (size_t)cells->dim[a];
  }
  for (int what = 0; what < 2; what++) {
    HT_TRY(ht_alloc((void **)&cells->count[what], count, sizeof(float), "the mask's levels"));
    HT_TRY(ht_alloc((void **)&cells->sum[what], count, sizeof(float), "the mask's levels"));
  }
  return HT_OK;
}

static void fill_cells(ht_surroundings *around) {
  const double blood = around->level[0], tissue = around->level[1], contrast = blood - tissue;
  ht_cells *cells = &around->cells;
  int64_t voxels = voxels_of(around);
  for (int64_t v = 0; v < voxels; v++) {
    int what = around->kind[v] & HT_NEAR_BLOOD ? 0 : 1, at[3];
    if (!(around->kind[v] & (HT_NEAR_BLOOD | HT_NEAR_TISSUE))) continue;
    double index[3], value = around->scan->values[in_scan(around, v, index)];
    if (!isfinite(value) || (what && value > tissue + tissue_most * contrast)) continue;
    if (what) value = fmax(value, tissue + tissue_least * contrast);
    ht_voxel_place(around->dim, v, at);
    for (int a = 0; a < 3; a++) at[a] /= cells->side[a];
    int64_t cell = ht_voxel_index(cells->dim, at);
    cells->count[what][cell] += 1;
    cells->sum[what][cell] += (float)(value - tissue);
  }
}

/* (1, 2, 1) / 4 along an axis; nothing beyond the ends. */
static void blur(const int dim[3], int axis, float *value) {
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t cells = (int64_t)dim[0] * dim[1] * dim[2];
  for (int64_t first = 0; first < cells; first++) {
    if (first / stride % dim[axis] != 0) continue;
    float before = 0;
    for (int i = 0; i < dim[axis]; i++) {
      float *here = value + first + i * stride, own = *here;
      *here = 0.25f * before + 0.5f * own + (i + 1 < dim[axis] ? 0.25f * here[stride] : 0);
      before = own;
    }
  }
}

static ht_status make_cells(ht_surroundings *around) {
  ht_cells *cells = &around->cells;
  HT_TRY(alloc_cells(around, cells));
  fill_cells(around);
  for (int what = 0; what < 2; what++)
    for (int a = 0; a < 3; a++) {
      blur(cells->dim, a, cells->count[what]);
      blur(cells->dim, a, cells->sum[what]);
    }
  return HT_OK;
}

/* The cells around a voxel and their weights, linear between the cells' centres. */
static void find_cells(const ht_surroundings *around, const double index[3], int64_t cell[8],
                       double weight[8]) {
  const ht_cells *cells = &around->cells;
  int low[3], high[3];
  double part[3];
  for (int a = 0; a < 3; a++) {
    double at = (index[a] - around->box.first[a] + 0.5) / cells->side[a] - 0.5;
    at = fmin(fmax(at, 0), cells->dim[a] - 1);
    low[a] = (int)at;
    high[a] = low[a] + 1 < cells->dim[a] ? low[a] + 1 : low[a];
    part[a] = at - low[a];
  }
  for (int c = 0; c < 8; c++) {
    int at[3];
    weight[c] = 1;
    for (int a = 0; a < 3; a++) {
      at[a] = c >> a & 1 ? high[a] : low[a];
      weight[c] *= c >> a & 1 ? part[a] : 1 - part[a];
    }
    cell[c] = ht_voxel_index(cells->dim, at);
  }
}

void ht_surroundings_level(const ht_surroundings *around, const double index[3], double level[2]) {
  int64_t cell[8];
  double weight[8];
  find_cells(around, index, cell, weight);
  for (int what = 0; what < 2; what++) {
    double count = prior_voxels, sum = prior_voxels * (around->level[what] - around->level[1]);
    for (int c = 0; c < 8; c++) {
      count += weight[c] * around->cells.count[what][cell[c]];
      sum += weight[c] * around->cells.sum[what][cell[c]];
    }
    level[what] = around->level[1] + sum / count;
  }
}

static ht_status find_levels(ht_surroundings *around) {
  const double normal = 1.4826; /* from the median absolute deviation to the standard deviation */
  double deviation;
  HT_TRY(median_of(around, HT_NEAR_BLOOD, 0, &around->level[0]));
  HT_TRY(median_of(around, HT_NEAR_TISSUE, 0, &around->level[1]));
  around->is_bright = around->level[0] > around->level[1];
  if (!around->is_bright) return HT_OK;
  HT_TRY(make_cells(around));
  HT_TRY(median_of(around, HT_NEAR_BLOOD, 1, &deviation));
  around->noise = normal * deviation;
  return HT_OK;
}

ht_status ht_surroundings_make(const ht_volume *scan, const ht_mask *mask,
                               ht_surroundings *around) {
  memset(around, 0, sizeof *around);
  around->scan = scan;
  around->voxel_mm = ht_mean_spacing(&scan->grid);
  around->noise = NAN;
  HT_TRY(find_box(scan, mask, around));
  HT_TRY(mark(mask, around));
  return find_levels(around);
}

void ht_surroundings_free(ht_surroundings *around) {
  for (int what = 0; what < 2; what++)
    free(around->cells.count[what]), free(around->cells.sum[what]);
  free(around->kind);
  memset(around, 0, sizeof *around);
}
