#include "export/report/report_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the report's scan";

typedef struct {
  int low[3], high[3], step; /* voxels, both included */
} box;

static box box_around(const ht_grid *grid, const ht_surface *surface, double margin_mm) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  box of = {.step = 1};
  for (int64_t p = 0; p < surface->points; p++) {
    const float *at = surface->point_mm + 3 * p;
    double index[3];
    ht_grid_index(grid, (double[3]){at[0], at[1], at[2]}, index);
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], index[a]);
      high[a] = fmax(high[a], index[a]);
    }
  }
  for (int a = 0; a < 3; a++) {
    double more = margin_mm / grid->spacing_mm[a];
    int last = grid->dim[a] - 1;
    of.low[a] = (int)fmin(fmax(floor(low[a] - more), 0), last);
    of.high[a] = (int)fmax(fmin(ceil(high[a] + more), last), of.low[a]);
  }
  return of;
}

static int along(const box *of, int axis) {
  return (of->high[axis] - of->low[axis]) / of->step + 1;
}

static ht_grid grid_of(const ht_grid *grid, const box *of) {
  ht_grid part = *grid;
  const double first[3] = {of->low[0], of->low[1], of->low[2]};
  ht_grid_position(grid, first, part.origin_mm);
  for (int a = 0; a < 3; a++) {
    part.dim[a] = along(of, a);
    part.spacing_mm[a] *= of->step;
  }
  return part;
}

static void take_values(const ht_volume *scan, const box *of, float *values) {
  for (int k = of->low[2]; k <= of->high[2]; k += of->step)
    for (int j = of->low[1]; j <= of->high[1]; j += of->step)
      for (int i = of->low[0]; i <= of->high[0]; i += of->step)
        *values++ = scan->values[ht_voxel_index(scan->grid.dim, (int[3]){i, j, k})];
}

static int by_size(const void *a, const void *b) {
  float one = *(const float *)a, other = *(const float *)b;
  return one < other ? -1 : one > other;
}

/* Converts values to shades; NaN counts as dark. */
static void shade_all(float *values, int64_t count, float *sorted, ht_report_scan *part) {
  for (int64_t v = 0; v < count; v++) sorted[v] = isfinite(values[v]) ? values[v] : -INFINITY;
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  int64_t good = 0;
  while (good < count - 1 && !isfinite(sorted[good])) good++;
  part->low = sorted[good + (count - good) / 100];
  part->high = sorted[count - 1 - (count - good) / 1000];
  double range = part->high > part->low ? part->high - part->low : 1;
  for (int64_t v = 0; v < count; v++) {
    double share = isfinite(values[v]) ? (values[v] - part->low) / range : 0;
    part->shade[v] = (uint8_t)lround(255 * fmin(fmax(share, 0), 1));
  }
}

ht_status ht_report_scan_make(const ht_volume *scan, const ht_surface *surface, double margin_mm,
                              int64_t most, ht_report_scan *part) {
  float *values = NULL, *sorted = NULL;
  ht_status status;
  memset(part, 0, sizeof *part);
  box of = box_around(&scan->grid, surface, margin_mm);
  while ((int64_t)along(&of, 0) * along(&of, 1) * along(&of, 2) > most) of.step++;
  part->grid = grid_of(&scan->grid, &of);
  int64_t count = ht_grid_voxels(&part->grid);
  HT_TRY_DONE(ht_alloc((void **)&values, (size_t)count, sizeof *values, what));
  HT_TRY_DONE(ht_alloc((void **)&sorted, (size_t)count, sizeof *sorted, what));
  HT_TRY_DONE(ht_alloc((void **)&part->shade, (size_t)count, 1, what));
  take_values(scan, &of, values);
  shade_all(values, count, sorted, part);
done:
  free(values);
  free(sorted);
  if (status != HT_OK) ht_report_scan_free(part);
  return status;
}

void ht_report_scan_free(ht_report_scan *part) {
  if (!part) return;
  free(part->shade);
  memset(part, 0, sizeof *part);
}
