#include "core/vessel/volume.h"
#include "core/machine/host_memory.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

ht_grid ht_grid_make(int nx, int ny, int nz) {
  ht_grid grid = {{nx, ny, nz}, {1, 1, 1}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return grid;
}

int ht_grid_is_isotropic(const ht_grid *grid) {
  for (int a = 1; a < 3; a++)
    if (fabs(grid->spacing_mm[a] / grid->spacing_mm[0] - 1) > 1e-4) return 0;
  return 1;
}

void ht_grid_to_lps(const ht_grid *grid, const double along_axes[3], double lps[3]) {
  double v[3] = {along_axes[0], along_axes[1], along_axes[2]};
  for (int r = 0; r < 3; r++)
    lps[r] =
        grid->direction[r][0] * v[0] + grid->direction[r][1] * v[1] + grid->direction[r][2] * v[2];
}

void ht_grid_from_lps(const ht_grid *grid, const double lps[3], double along_axes[3]) {
  double v[3] = {lps[0], lps[1], lps[2]};
  for (int a = 0; a < 3; a++)
    along_axes[a] =
        grid->direction[0][a] * v[0] + grid->direction[1][a] * v[1] + grid->direction[2][a] * v[2];
}

void ht_grid_position(const ht_grid *grid, const double index[3], double position_mm[3]) {
  double step[3];
  for (int a = 0; a < 3; a++) step[a] = grid->spacing_mm[a] * index[a];
  ht_grid_to_lps(grid, step, position_mm);
  for (int r = 0; r < 3; r++) position_mm[r] += grid->origin_mm[r];
}

void ht_grid_voxel_position(const ht_grid *grid, int64_t voxel, double position_mm[3]) {
  int at[3];
  ht_voxel_place(grid->dim, voxel, at);
  ht_grid_position(grid, (double[3]){at[0], at[1], at[2]}, position_mm);
}

void ht_grid_index(const ht_grid *grid, const double position_mm[3], double index[3]) {
  double step[3];
  for (int r = 0; r < 3; r++) step[r] = position_mm[r] - grid->origin_mm[r];
  ht_grid_from_lps(grid, step, index);
  for (int a = 0; a < 3; a++) index[a] /= grid->spacing_mm[a];
}

const char *ht_axis_name(int axis) {
  static const char *const name[] = {"first", "second", "third"};
  return axis >= 0 && axis < 3 ? name[axis] : "last";
}

static ht_status check_direction(const ht_grid *grid) {
  for (int a = 0; a < 3; a++) {
    for (int b = a; b < 3; b++) {
      double dot = 0;
      for (int r = 0; r < 3; r++) dot += grid->direction[r][a] * grid->direction[r][b];
      if (!(fabs(dot - (a == b)) <= 1e-3))
        return ht_fail(HT_ERR_FORMAT,
                       "its %s and %s axis are not orthonormal (their product is %g, allowed "
                       "%d within 0.001): a sheared image is not supported",
                       ht_axis_name(a), ht_axis_name(b), dot, a == b);
    }
  }
  return HT_OK;
}

ht_status ht_grid_check(const ht_grid *grid) {
  double voxels = 1;
  for (int a = 0; a < 3; a++) {
    if (grid->dim[a] < 1)
      return ht_fail(HT_ERR_FORMAT, "the image has %d voxels along its %s axis", grid->dim[a],
                     ht_axis_name(a));
    if (!(grid->spacing_mm[a] > 0 && grid->spacing_mm[a] < 1e6))
      return ht_fail(HT_ERR_FORMAT, "the voxel spacing along its %s axis is %g mm", ht_axis_name(a),
                     grid->spacing_mm[a]);
    if (!isfinite(grid->origin_mm[a]))
      return ht_fail(HT_ERR_FORMAT, "the image's origin is not a number");
    voxels *= grid->dim[a];
  }
  if (voxels > 1099511627776.0)
    return ht_fail(HT_ERR_FORMAT, "the image claims %d x %d x %d voxels, more than 2^40",
                   grid->dim[0], grid->dim[1], grid->dim[2]);
  return check_direction(grid);
}

ht_status ht_alloc(void **pointer, size_t count, size_t size, const char *what) {
  /* The check takes some 50 microseconds. */
  const double large = 1e6, bytes = (double)count * (double)size;
  *pointer = NULL;
  if (bytes >= large)
    HT_TRY(ht_host_memory_check(bytes, what,
                                "take a smaller region, a coarser scan or lattice, or a machine "
                                "with more memory"));
  *pointer = calloc(count ? count : 1, size ? size : 1);
  if (*pointer) return HT_OK;
  return ht_fail(HT_ERR_MEMORY, "not enough memory: %.1f MB for %s", bytes / 1e6, what);
}

ht_status ht_volume_alloc(const ht_grid *grid, ht_volume *volume) {
  memset(volume, 0, sizeof *volume);
  HT_TRY(
      ht_alloc((void **)&volume->values, (size_t)ht_grid_voxels(grid), sizeof(float), "the image"));
  volume->grid = *grid;
  return HT_OK;
}

void ht_volume_free(ht_volume *volume) {
  if (!volume) return;
  free(volume->values);
  memset(volume, 0, sizeof *volume);
}

ht_status ht_mask_alloc(const ht_grid *grid, ht_mask *mask) {
  memset(mask, 0, sizeof *mask);
  HT_TRY(ht_alloc((void **)&mask->inside, (size_t)ht_grid_voxels(grid), 1, "the mask"));
  mask->grid = *grid;
  return HT_OK;
}

void ht_mask_free(ht_mask *mask) {
  if (!mask) return;
  free(mask->inside);
  memset(mask, 0, sizeof *mask);
}

int64_t ht_mask_count(const ht_mask *mask) {
  int64_t count = 0, voxels = ht_grid_voxels(&mask->grid);
  for (int64_t i = 0; i < voxels; i++) count += mask->inside[i] != 0;
  return count;
}

double ht_mask_ml(const ht_mask *mask) {
  const double *mm = mask->grid.spacing_mm;
  return (double)ht_mask_count(mask) * mm[0] * mm[1] * mm[2] / 1000;
}

int64_t ht_grid_nearest(const ht_grid *grid, const double position_mm[3], int at[3]) {
  double index[3];
  ht_grid_index(grid, position_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)fmin(grid->dim[a] - 1, fmax(0, lround(index[a])));
  return ht_voxel_index(grid->dim, at);
}

/* Directions are orthonormal to 1e-3, so an index has a position that is a little off, and a place
 * within reach of that is at most 1.01 times as many voxels off along each axis. */
void ht_grid_around(const ht_grid *grid, const double position_mm[3], double reach_mm, int low[3],
                    int high[3]) {
  double index[3], found_mm[3];
  ht_grid_index(grid, position_mm, index);
  ht_grid_position(grid, index, found_mm);
  const double most_mm = 1.01 * (reach_mm + ht_distance(found_mm, position_mm));
  for (int a = 0; a < 3; a++) {
    const double last = grid->dim[a] - 1, off = most_mm / grid->spacing_mm[a] + 0.01;
    low[a] = (int)fmin(last + 1, fmax(0, ceil(index[a] - off)));
    high[a] = (int)fmax(-1, fmin(last, floor(index[a] + off)));
  }
}

/* A search for the voxel of a mask that is nearest to a position. */
typedef struct {
  const ht_mask *mask;
  const double *position_mm;
  double least;
  int64_t best;
} nearest;

static void compare(nearest *of, int64_t voxel) {
  double at[3];
  if (!of->mask->inside[voxel]) return;
  ht_grid_voxel_position(&of->mask->grid, voxel, at);
  const double away = ht_distance(at, of->position_mm);
  if (!(away < of->least || (away == of->least && voxel < of->best))) return;
  of->least = away;
  of->best = voxel;
}

/* Compares the voxels whose largest distance along an axis from `middle` is `ring`: of a row along
 * x that lies on the ring all, of another its two ends. */
static void compare_ring(nearest *of, const int middle[3], int ring) {
  const int *dim = of->mask->grid.dim;
  const int has_ends = middle[0] - ring >= 0 || middle[0] + ring < dim[0];
  int low[3], high[3];
  for (int a = 0; a < 3; a++) {
    low[a] = middle[a] > ring ? middle[a] - ring : 0;
    high[a] = middle[a] + ring < dim[a] ? middle[a] + ring : dim[a] - 1;
  }
  for (int z = low[2]; z <= high[2]; z++) {
    const int on_z = abs(z - middle[2]) == ring, all = on_z || has_ends;
    for (int y = all ? low[1] : middle[1] - ring; y <= high[1]; y += all ? 1 : 2 * ring) {
      const int whole = on_z || abs(y - middle[1]) == ring;
      for (int x = whole ? low[0] : middle[0] - ring; x <= high[0]; x += whole ? 1 : 2 * ring)
        if (x >= 0 && y >= 0) compare(of, ht_voxel_index(dim, (const int[3]){x, y, z}));
    }
  }
}

/* A voxel `ring` from the middle is at least that many spacings away from it, less a hundredth:
 * directions are orthonormal to 1e-3. */
int64_t ht_mask_nearest(const ht_mask *mask, const double position_mm[3], double *away_mm) {
  const ht_grid *grid = &mask->grid;
  const double *mm = grid->spacing_mm, part = 0.99;
  const double spacing = part * fmin(mm[0], fmin(mm[1], mm[2]));
  nearest of = {mask, position_mm, INFINITY, -1};
  double middle_mm[3];
  int middle[3], rings = 0;
  ht_grid_voxel_position(grid, ht_grid_nearest(grid, position_mm, middle), middle_mm);
  const double off = ht_distance(middle_mm, position_mm);
  for (int a = 0; a < 3; a++) {
    if (middle[a] > rings) rings = middle[a];
    if (grid->dim[a] - 1 - middle[a] > rings) rings = grid->dim[a] - 1 - middle[a];
  }
  for (int ring = 0; ring <= rings && !(ring * spacing - off > of.least); ring++)
    compare_ring(&of, middle, ring);
  if (away_mm) *away_mm = of.least;
  return of.best;
}

double ht_volume_sample(const ht_volume *volume, const double index[3]) {
  int64_t low[3], step[3], stride = 1;
  double part[3], sum = 0;
  for (int a = 0; a < 3; a++) {
    int dim = volume->grid.dim[a];
    double at = fmin(fmax(index[a], 0), dim - 1);
    int64_t first = at < dim - 1 ? (int64_t)at : dim > 1 ? dim - 2 : 0;
    part[a] = at - (double)first;
    step[a] = dim > 1 ? stride : 0;
    low[a] = first * stride;
    stride *= dim;
  }
  const float *v = volume->values + low[0] + low[1] + low[2];
  for (int c = 0; c < 4; c++) {
    const float *row = v + (c & 1) * step[1] + (c >> 1) * step[2];
    double weight = (c & 1 ? part[1] : 1 - part[1]) * (c >> 1 ? part[2] : 1 - part[2]);
    sum += weight * (row[0] + part[0] * (row[step[0]] - row[0]));
  }
  return sum;
}
