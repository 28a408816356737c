#include "segment/path/tubeness.h"
#include "segment/voxels/component.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double radii = 0.5;         /* the Gaussian's sigma */
static const double tube_middle = 0.865; /* 1 - exp(-2): a tube of two sigma, seen in its middle */
static const double tube_bend = 0.27;    /* 2 exp(-2): its curvature there, times sigma squared */
static const double enough = 0.6;        /* of that: a tube */

void ht_tubeness_free(ht_tubeness *tube) {
  ht_volume_free(&tube->fill);
  free(tube->toll);
  memset(tube, 0, sizeof *tube);
}

/* The value of a voxel of the image as 0 to 1; beyond the border that of the border. */
static double value_at(const ht_volume *image, const int at[3], int a, int by, int b, int and_by) {
  int to[3] = {at[0], at[1], at[2]};
  to[a] += by;
  to[b] += and_by;
  for (int r = 0; r < 3; r++) {
    int last = image->grid.dim[r] - 1;
    to[r] = to[r] < 0 ? 0 : to[r] > last ? last : to[r];
  }
  return image->values[ht_voxel_index(image->grid.dim, to)];
}

/* Second differences over `step` voxels along each axis, times sigma squared. */
static void hessian_at(const ht_volume *image, const int at[3], const int step[3], double sigma_mm,
                       double h[3][3]) {
  const double *s = image->grid.spacing_mm;
  double middle = image->values[ht_voxel_index(image->grid.dim, at)];
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      double over = step[a] * s[a] * step[b] * s[b] / (sigma_mm * sigma_mm), bend;
      if (a == b)
        bend = value_at(image, at, a, step[a], a, 0) + value_at(image, at, a, -step[a], a, 0) -
               2 * middle;
      else
        bend = (value_at(image, at, a, step[a], b, step[b]) +
                value_at(image, at, a, -step[a], b, -step[b]) -
                value_at(image, at, a, step[a], b, -step[b]) -
                value_at(image, at, a, -step[a], b, step[b])) /
               4;
      h[a][b] = h[b][a] = bend / over;
    }
}

/* Middle eigenvalue of a symmetric matrix (Smith, Commun. ACM 4 (1961) 168). */
static double middle_eigenvalue(double h[3][3]) {
  double mean = (h[0][0] + h[1][1] + h[2][2]) / 3, square = 0, m[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      m[a][b] = h[a][b] - (a == b ? mean : 0);
      square += m[a][b] * m[a][b];
    }
  double p = sqrt(square / 6);
  if (!(p > 0)) return mean;
  double half = ht_determinant((const double(*)[3])m) / (2 * p * p * p);
  double angle = acos(fmin(1, fmax(-1, half))) / 3;
  double most = 2 * p * cos(angle), least = 2 * p * cos(angle + 2 * HT_PI / 3);
  return mean - most - least;
}

static ht_status smooth_contrast(const ht_volume *scan, const ht_blood_values *v, double sigma_mm,
                                 double bright, ht_volume *fill) {
  ht_box all;
  double blood = (v->least_blood + v->most_blood) / 2, contrast = blood - v->tissue;
  const double sigma[3] = {sigma_mm, sigma_mm, sigma_mm};
  HT_TRY(ht_box_of_region(&scan->grid, NULL, NULL, &all));
  HT_TRY(ht_volume_crop(scan, &all, fill));
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  for (int64_t n = 0; n < voxels; n++) {
    float *value = &fill->values[n];
    *value = (float)((*value - v->tissue) / contrast);
    if (!(scan->values[n] <= bright)) *value = 0;
  }
  return ht_itk_smooth(fill, sigma, 0, NULL);
}

ht_status ht_tubeness_look(const ht_volume *scan, const ht_blood_values *values, double bright,
                           double radius_mm, ht_tubeness *tube) {
  int step[3];
  int64_t voxels = ht_grid_voxels(&scan->grid);
  double sigma_mm = fmax(radii * radius_mm, 0.7 * ht_mean_spacing(&scan->grid));
  memset(tube, 0, sizeof *tube);
  for (int a = 0; a < 3; a++)
    step[a] = (int)fmax(1, lround(0.5 * sigma_mm / scan->grid.spacing_mm[a]));
  HT_TRY(smooth_contrast(scan, values, sigma_mm, bright, &tube->fill));
  HT_TRY(ht_alloc((void **)&tube->toll, (size_t)voxels, sizeof *tube->toll, "the vessel's tube"));
#pragma omp parallel for
  for (int64_t n = 0; n < voxels; n++) {
    int at[3];
    double h[3][3];
    ht_voxel_place(scan->grid.dim, n, at);
    hessian_at(&tube->fill, at, step, sigma_mm, h);
    double bend = -middle_eigenvalue(h) / (enough * tube_bend);
    tube->toll[n] = (float)(HT_TUBENESS_TOLL * fmin(1, fmax(0, 1 - bend)));
  }
  for (int64_t n = 0; n < voxels; n++) tube->fill.values[n] /= (float)tube_middle;
  return HT_OK;
}
