#include "import/flow_correction/phase_offset.h"
#include "import/flow_correction/flow_statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 10, ROUNDS = 6, STILL_LEAST = 100, NEAR = 3 };
/* Still tissue: brighter than this part of the brightest, and its signal scatters by at most so
 * much more than that of the median. */
static const double TISSUE = 0.1, STILL = 1.3;
/* Largest residual, mean over the voxels up to NEAR away along each axis, with which a voxel stays
 * in the fit; in standard deviations, which are those of a normal distribution with this median. */
static const double OUTLIER = 3, MEDIAN = 0.6745;

int ht_offset_terms(const ht_grid *grid, int order, const int at[3], double term[10]) {
  const int axes = grid->dim[2] > 1 ? 3 : 2;
  double x[3];
  int count = 0;
  for (int a = 0; a < axes; a++) x[a] = 2. * at[a] / fmax(1, grid->dim[a] - 1) - 1;
  term[count++] = 1;
  for (int a = 0; a < axes; a++) term[count++] = x[a];
  for (int a = 0; order > 1 && a < axes; a++)
    for (int b = a; b < axes; b++) term[count++] = x[a] * x[b];
  return count;
}

/* Solves the normal equations by Gauss elimination with pivots; 0 where they are singular. */
static int solve(double m[TERMS][TERMS + 1], int n, double out[TERMS]) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(m[r][c]) > fabs(m[pivot][c])) pivot = r;
    if (!(fabs(m[pivot][c]) > 1e-9)) return 0;
    for (int k = 0; k <= n; k++) {
      const double kept = m[c][k];
      m[c][k] = m[pivot][k];
      m[pivot][k] = kept;
    }
    for (int r = 0; r < n; r++) {
      const double factor = r == c ? 0 : m[r][c] / m[c][c];
      for (int k = c; k <= n; k++) m[r][k] -= factor * m[c][k];
    }
  }
  for (int r = 0; r < n; r++) out[r] = m[r][n] / m[r][r];
  return 1;
}

/* One direction: its mean velocities and the weights of the voxels of still tissue. */
typedef struct {
  const ht_grid *grid;
  int order;
  float *mean, *weight;
  float *residual, *count; /* see find_residuals() */
  double *line;
} fit;

static double fitted(const fit *f, int64_t voxel, const double coefficient[TERMS]) {
  double term[TERMS], sum = 0;
  int at[3];
  ht_voxel_place(f->grid->dim, voxel, at);
  const int n = ht_offset_terms(f->grid, f->order, at, term);
  for (int k = 0; k < n; k++) sum += coefficient[k] * term[k];
  return sum;
}

static int fit_once(const fit *f, double coefficient[TERMS]) {
  double m[TERMS][TERMS + 1] = {{0}}, term[TERMS];
  int n = 0, at[3];
  for (int64_t v = 0; v < ht_grid_voxels(f->grid); v++) {
    if (!(f->weight[v] > 0)) continue;
    ht_voxel_place(f->grid->dim, v, at);
    n = ht_offset_terms(f->grid, f->order, at, term);
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < n; c++) m[r][c] += f->weight[v] * term[r] * term[c];
      m[r][n] += f->weight[v] * term[r] * f->mean[v];
    }
  }
  return n > 0 && solve(m, n, coefficient);
}

/* Replaces each value by the sum of those up to NEAR away along each axis. `line`: room for a
 * number more than the longest axis has. */
static void sum_near(const int dim[3], double *line, float *value) {
  const int64_t step[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  for (int a = 0; a < 3; a++)
    for (int64_t i = 0; i < step[2] * dim[2]; i++) {
      if (i / step[a] % dim[a] != 0) continue;
      line[0] = 0;
      for (int k = 0; k < dim[a]; k++) line[k + 1] = line[k] + (double)value[i + k * step[a]];
      for (int k = 0; k < dim[a]; k++)
        value[i + k * step[a]] = (float)(line[k + NEAR < dim[a] ? k + NEAR + 1 : dim[a]] -
                                         line[k > NEAR ? k - NEAR : 0]);
    }
}

/* Finds the residuals, means over the voxels of the fit near each. Slow blood is coherent, noise is
 * not: in a single voxel noise hides it. */
static void find_residuals(const fit *f, const double coefficient[TERMS]) {
  for (int64_t v = 0; v < ht_grid_voxels(f->grid); v++) {
    f->count[v] = f->weight[v] > 0;
    f->residual[v] = f->weight[v] > 0 ? (float)(f->mean[v] - fitted(f, v, coefficient)) : 0;
  }
  sum_near(f->grid->dim, f->line, f->residual);
  sum_near(f->grid->dim, f->line, f->count);
  for (int64_t v = 0; v < ht_grid_voxels(f->grid); v++)
    f->residual[v] = fabsf(f->residual[v] / fmaxf(1, f->count[v]));
}

/* Drops the voxels that the fit misses by far; finds the number that stays. */
static ht_status drop_outliers(const fit *f, const double coefficient[TERMS], int64_t *left) {
  int64_t count = 0;
  double median;
  find_residuals(f, coefficient);
  for (int64_t v = 0; v < ht_grid_voxels(f->grid); v++)
    if (f->weight[v] > 0) f->count[count++] = f->residual[v];
  HT_TRY(ht_value_at_part(f->count, count, 0.5, &median));
  *left = 0;
  for (int64_t v = 0; v < ht_grid_voxels(f->grid); v++) {
    if (f->weight[v] > 0 && f->residual[v] > OUTLIER / MEDIAN * median) f->weight[v] = 0;
    *left += f->weight[v] > 0;
  }
  return HT_OK;
}

/* Scatter of a voxel's signal: the noise of a velocity is the larger the darker the voxel is, so
 * that times the magnitude it is the same for all that rest. -1 for air. */
static double signal_scatter(const ht_flow_statistics *statistics, const uint8_t *noise,
                             int64_t voxel) {
  const float *magnitude = statistics->magnitude;
  if (noise && noise[voxel]) return -1;
  if (!magnitude) return statistics->scatter[voxel];
  if (!(magnitude[voxel] > TISSUE * statistics->bright)) return -1;
  return statistics->scatter[voxel] * magnitude[voxel];
}

/* Marks the voxels of still tissue, weight 1; all others get 0. */
static ht_status mark_tissue(const ht_measured_flow *flow, const ht_flow_statistics *statistics,
                             const uint8_t *noise, const uint8_t *vessel, float *weight,
                             int64_t *count) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  double median;
  *count = 0;
  for (int64_t v = 0; v < voxels; v++) {
    const double scatter = vessel && vessel[v] ? -1 : signal_scatter(statistics, noise, v);
    if (scatter >= 0) weight[(*count)++] = (float)scatter;
  }
  HT_TRY(ht_value_at_part(weight, *count, 0.5, &median));
  *count = 0;
  for (int64_t v = 0; v < voxels; v++) {
    const double scatter = vessel && vessel[v] ? -1 : signal_scatter(statistics, noise, v);
    weight[v] = scatter >= 0 && scatter <= STILL * median;
    *count += weight[v] > 0;
  }
  return HT_OK;
}

static void subtract(ht_measured_flow *flow, int encoding, const fit *f,
                     const double coefficient[TERMS]) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  for (int64_t v = 0; v < voxels; v++) {
    const float offset = (float)fitted(f, v, coefficient);
    for (int t = 0; t < flow->times; t++) ht_measured_part(flow, t, encoding)[v] -= offset;
  }
}

static ht_status correct_one(ht_measured_flow *flow, int encoding, const float *weight, fit *f,
                             ht_flow_corrected *done) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  double *coefficient = done->offset[encoding];
  int64_t left = done->still;
  memcpy(f->weight, weight, (size_t)voxels * sizeof *weight);
  memset(f->mean, 0, (size_t)voxels * sizeof *f->mean);
  for (int t = 0; t < flow->times; t++)
    for (int64_t v = 0; v < voxels; v++)
      f->mean[v] += ht_measured_part(flow, t, encoding)[v] / (float)flow->times;
  for (int round = 0; round < ROUNDS && left >= STILL_LEAST; round++) {
    if (!fit_once(f, coefficient)) return HT_OK;
    HT_TRY(drop_outliers(f, coefficient, &left));
  }
  subtract(flow, encoding, f, coefficient);
  return HT_OK;
}

static ht_status correct_all(ht_measured_flow *flow, const float *weight, int order,
                             ht_flow_corrected *done) {
  const size_t voxels = (size_t)ht_grid_voxels(&flow->grid);
  const int *dim = flow->grid.dim;
  const size_t longest = (size_t)fmax(dim[0], fmax(dim[1], dim[2]));
  fit f = {.grid = &flow->grid, .order = order};
  ht_status status = ht_alloc((void **)&f.mean, voxels, sizeof(float), "mean velocities");
  if (status == HT_OK) status = ht_alloc((void **)&f.weight, voxels, sizeof(float), "weights");
  if (status == HT_OK)
    status = ht_alloc((void **)&f.residual, voxels, sizeof(float), "residuals of the offset");
  if (status == HT_OK)
    status = ht_alloc((void **)&f.count, voxels, sizeof(float), "residuals of the offset");
  if (status == HT_OK) status = ht_alloc((void **)&f.line, longest + 1, sizeof(double), "a line");
  for (int e = 0; status == HT_OK && e < flow->encodings; e++)
    status = correct_one(flow, e, weight, &f, done);
  free(f.mean);
  free(f.weight);
  free(f.residual);
  free(f.count);
  free(f.line);
  return status;
}

ht_status ht_flow_subtract_offset(ht_measured_flow *flow, int order, const uint8_t *vessel,
                                  ht_flow_corrected *done) {
  const size_t voxels = (size_t)ht_grid_voxels(&flow->grid);
  ht_flow_statistics statistics;
  float *weight = NULL;
  if (flow->times < HT_SCATTER_TIMES_LEAST) return HT_OK;
  HT_TRY(ht_flow_statistics_make(flow, &statistics));
  ht_status status = ht_alloc((void **)&weight, voxels, sizeof *weight, "weights");
  if (status == HT_OK)
    status = mark_tissue(flow, &statistics, done->noise, vessel, weight, &done->still);
  if (status == HT_OK && done->still < STILL_LEAST) done->still = 0;
  if (status == HT_OK && done->still) status = correct_all(flow, weight, order, done);
  ht_flow_statistics_free(&statistics);
  free(weight);
  return status;
}
