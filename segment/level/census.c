#include "segment/level/census.h"
#include "segment/voxels/quantile.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <string.h>

enum { BINS = HT_CENSUS_BINS };

/* The smallest and the largest value, and how many there are of the smallest. */
static int64_t span_of(const ht_volume *image, const uint8_t *where, ht_census *c) {
  int64_t voxels = ht_grid_voxels(&image->grid), same = 0;
  c->least = INFINITY;
  c->most = -INFINITY;
  for (int64_t v = 0; v < voxels; v++) {
    double value = image->values[v];
    if (where && !where[v]) continue;
    c->voxels++;
    c->most = fmax(c->most, value);
    if (value < c->least) same = 0;
    c->least = fmin(c->least, value);
    same += value == c->least;
  }
  return same;
}

static void fill_histogram(const ht_volume *image, const uint8_t *where, ht_census *c) {
  int64_t voxels = ht_grid_voxels(&image->grid);
  double width = (c->bin_most - c->bin_least) / BINS;
  for (int64_t v = 0; v < voxels && width > 0; v++) {
    double value = image->values[v];
    if ((where && !where[v]) || value == c->background) continue;
    c->histogram[(int)fmin(BINS - 1, (value - c->bin_least) / width)]++;
  }
}

ht_status ht_census_take(const ht_volume *image, const ht_mask *zone, ht_census *c) {
  const uint8_t *where = zone ? zone->inside : NULL;
  int64_t count = ht_grid_voxels(&image->grid);
  float value = 0;
  memset(c, 0, sizeof *c);
  int64_t same = span_of(image, where, c);
  int64_t skip = same < c->voxels && (double)same >= 0.2 * (double)c->voxels ? same : 0;
  c->counted = c->voxels - skip;
  c->background = skip ? c->least : NAN;
  double share[] = {0, 0.5, 0.99, 0.9995}, found[4];
  for (int n = 0; n < 4; n++) {
    int64_t rank = skip + (int64_t)(share[n] * (double)(c->counted - 1));
    HT_TRY(ht_select(image->values, where, count, rank, &value));
    found[n] = value;
  }
  c->bin_least = found[0];
  c->middle = found[1];
  c->high = found[2];
  c->bin_most = found[3];
  fill_histogram(image, where, c);
  return HT_OK;
}

/* Distance of the mean of the values above a threshold from that of the class below it, in their
 * standard deviations: 1.9 for a bell-shaped histogram cut in the middle, 2.4 for a flat one. */
static double separation(const ht_census *c, double below, double threshold, double *share) {
  double n[2] = {0, 0}, sum[2] = {0, 0}, square[2] = {0, 0};
  double width = (c->bin_most - c->bin_least) / BINS;
  for (int b = 0; b < BINS; b++) {
    double value = c->bin_least + (b + 0.5) * width, many = (double)c->histogram[b];
    int side = value > threshold;
    if (value < below) continue;
    n[side] += many;
    sum[side] += many * value;
    square[side] += many * value * value;
  }
  *share = n[1] / (double)c->voxels;
  if (n[0] < 1 || n[1] < 1) return 0;
  double mean[2] = {sum[0] / n[0], sum[1] / n[1]}, variance = 0;
  for (int s = 0; s < 2; s++) variance += fmax(0, square[s] / n[s] - mean[s] * mean[s]);
  return (mean[1] - mean[0]) / sqrt(fmax(variance, 1e-12 * c->most * c->most + 1e-30));
}

ht_status ht_census_otsu(const ht_census *c, double seed_value, double largest_share, double *lower,
                         int *clear) {
  double t[3], share;
  *clear = 0;
  *lower = c->bin_most;
  if (!(c->bin_most > c->bin_least)) return HT_OK;
  for (int count = 1; count <= 3; count++) {
    HT_TRY(ht_itk_otsu(c->histogram, BINS, c->bin_least, c->bin_most, count, t));
    int top = count - 1;
    while (top > 0 && t[top] > seed_value) top--;
    double apart = separation(c, top > 0 ? t[top - 1] : -INFINITY, t[top], &share);
    *lower = t[top];
    /* The rest without a background is mostly vessels. */
    *clear = share <= largest_share && (apart >= 3 || !isnan(c->background));
    if (*clear) return HT_OK;
  }
  return HT_OK;
}
