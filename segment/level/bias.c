#include "segment/level/bias.h"
#include "segment/level/census.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <string.h>

static const double most_voxels =
    400000; /* of the coarse grid: enough for N4, which takes some seconds */

/* The tissue: brighter than Otsu's threshold between two classes, and above 0. */
static ht_status find_tissue(const ht_volume *image, ht_mask *tissue, int64_t *count) {
  ht_census c;
  double threshold = 0;
  int64_t voxels = ht_grid_voxels(&image->grid);
  *count = 0;
  HT_TRY(ht_census_take(image, NULL, &c));
  if (c.bin_most > c.bin_least)
    HT_TRY(ht_itk_otsu(c.histogram, HT_CENSUS_BINS, c.bin_least, c.bin_most, 1, &threshold));
  if (!isnan(c.background))
    threshold = c.background; /* the background was set to one value: all
                                 else is tissue */
  HT_TRY(ht_mask_alloc(&image->grid, tissue));
  for (int64_t v = 0; v < voxels; v++)
    *count += tissue->inside[v] = image->values[v] > threshold && image->values[v] > 0;
  return HT_OK;
}

static void scale_to_one(const ht_mask *tissue, int64_t count, ht_volume *field) {
  double sum = 0;
  int64_t voxels = ht_grid_voxels(&field->grid);
  for (int64_t v = 0; v < voxels; v++) sum += tissue->inside[v] ? log(field->values[v]) : 0;
  double mean = exp(sum / (double)count);
  for (int64_t v = 0; v < voxels; v++) field->values[v] = (float)(field->values[v] / mean);
}

ht_status ht_bias_find(const ht_volume *scan, const ht_box *box, const ht_progress *progress,
                       ht_bias *bias) {
  ht_volume small = {0};
  ht_mask tissue = {0};
  int64_t count = 0;
  double voxels = 1;
  memset(bias, 0, sizeof *bias);
  bias->box = *box;
  for (int a = 0; a < 3; a++) voxels *= box->last[a] - box->first[a] + 1;
  int factor = (int)ceil(fmax(1, cbrt(voxels / most_voxels)));
  for (int a = 0; a < 3; a++) bias->factor[a] = factor;
  HT_TRY(ht_volume_shrink(scan, box, bias->factor, &small));
  ht_status status = find_tissue(&small, &tissue, &count);
  if (status == HT_OK && count == 0)
    status = ht_fail(HT_ERR_VESSEL, "no tissue found for the bias correction: all values of the "
                                    "region are the same, or none is above 0; set segment.bias to "
                                    "none");
  if (status == HT_OK) status = ht_itk_bias(&small, &tissue, progress, &bias->field);
  if (status == HT_OK) scale_to_one(&tissue, count, &bias->field);
  ht_mask_free(&tissue);
  ht_volume_free(&small);
  return status;
}

void ht_bias_free(ht_bias *bias) {
  if (bias) ht_volume_free(&bias->field);
}

/* Finds the two voxels of the field on both sides of a place of the scan, and the share of the
 * second. */
static void beside(const ht_bias *bias, int a, int place, int voxel[2], double *share) {
  int most = bias->field.grid.dim[a] - 1;
  double x = (place - bias->box.first[a] + 0.5) / bias->factor[a] - 0.5;
  x = fmin(fmax(x, 0), most);
  voxel[0] = (int)floor(x);
  voxel[1] = voxel[0] < most ? voxel[0] + 1 : most;
  *share = x - voxel[0];
}

static double field_at(const ht_bias *bias, int i, const int y[2], const int z[2], double v,
                       double w) {
  const int *dim = bias->field.grid.dim;
  int x[2];
  double u, line[4];
  beside(bias, 0, i, x, &u);
  for (int n = 0; n < 4; n++) {
    const float *row = bias->field.values + dim[0] * (y[n % 2] + (int64_t)dim[1] * z[n / 2]);
    line[n] = row[x[0]] + u * (row[x[1]] - row[x[0]]);
  }
  double low = line[0] + v * (line[1] - line[0]), high = line[2] + v * (line[3] - line[2]);
  return low + w * (high - low);
}

void ht_bias_divide(const ht_bias *bias, const int first[3], ht_volume *image) {
  const int *dim = image->grid.dim;
  if (!bias->field.values) return;
  float *value = image->values;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++) {
      int y[2], z[2];
      double v, w;
      beside(bias, 1, first[1] + j, y, &v);
      beside(bias, 2, first[2] + k, z, &w);
      for (int i = 0; i < dim[0]; i++, value++)
        *value = (float)(*value / field_at(bias, first[0] + i, y, z, v, w));
    }
}
