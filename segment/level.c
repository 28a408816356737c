#include "level.h"
#include "component.h"
#include "vessel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 256, FEWEST_VOXELS = 8 };
static const double largest_share = 0.3; /* of the region: more is tissue, not vessel */
static const double least_contrast = 4;  /* to noise, after the smoothing; noise alone has 3 */

/* What is being looked for, and where. */
typedef struct {
  const ht_volume *region;
  const ht_segment_options *options;
  const ht_progress *progress;
  const ht_mask *zone; /* only here; NULL: everywhere */
  double lower, upper;
  int pieces;
  double fraction;
  double contrast_to_noise; /* of the vessel against its surroundings, where the level is ours */
} search;

/* The values of the region; what equals a background that was set to one exact value (removed
 * skull, padding outside the reconstruction circle) is not counted. */
typedef struct {
  double least, most, middle, high; /* smallest, largest, median, 99th percentile */
  double background;                /* NaN where there is no such value */
  int64_t histogram[BINS], counted, voxels;
  double bin_least, bin_most; /* of the histogram; what lies above is in the last bin */
} census;

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double quantile(const float *sorted, int64_t count, double share) {
  return sorted[(int64_t)(share * (double)(count - 1))];
}

static ht_status take_census(const ht_volume *region, census *c) {
  float *sorted;
  memset(c, 0, sizeof *c);
  c->voxels = ht_grid_voxels(&region->grid);
  HT_TRY(ht_alloc((void **)&sorted, (size_t)c->voxels, sizeof *sorted, "sorted values"));
  memcpy(sorted, region->values, (size_t)c->voxels * sizeof *sorted);
  qsort(sorted, (size_t)c->voxels, sizeof *sorted, by_value);
  int64_t same = 1;
  while (same < c->voxels && sorted[same] == sorted[0]) same++;
  int64_t skip = same < c->voxels && (double)same >= 0.2 * (double)c->voxels ? same : 0;
  const float *rest = sorted + skip;
  c->counted = c->voxels - skip;
  c->background = skip ? sorted[0] : NAN;
  c->least = sorted[0];
  c->most = sorted[c->voxels - 1];
  c->middle = quantile(rest, c->counted, 0.5);
  c->high = quantile(rest, c->counted, 0.99);
  c->bin_least = rest[0];
  c->bin_most = quantile(rest, c->counted, 0.9995);
  double width = (c->bin_most - c->bin_least) / BINS;
  for (int64_t v = 0; v < c->counted && width > 0; v++)
    c->histogram[(int)fmin(BINS - 1, (rest[v] - c->bin_least) / width)]++;
  free(sorted);
  return HT_OK;
}

/* Distance of the mean of the values above a threshold from that of the class below it, in their
 * standard deviations: 1.9 for a bell-shaped histogram cut in the middle, 2.4 for a flat one. */
static double separation(const census *c, double below, double threshold, double *share) {
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

/* Otsu's threshold with two to four classes: below the brightest class, or below that of the seed.
 * The first number of classes that sets a small, well separated class apart is taken; `clear` says
 * whether there was one. */
static ht_status otsu(const census *c, double seed_value, double *lower, int *clear) {
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
    /* Where the background was removed, what is left are vessels above all. */
    *clear = share <= largest_share && (apart >= 3 || !isnan(c->background));
    if (*clear) return HT_OK;
  }
  return HT_OK;
}

static ht_status nothing_found(const search *s, const char *why) {
  census c;
  HT_TRY(take_census(s->region, &c));
  return ht_fail(
      HT_ERR_VESSEL,
      "no vessel found: %s; the region's values run from %.4g to %.4g (median %.4g, 99 %% "
      "are below %.4g): set segment.lower between the tissue's value and the vessel's, "
      "and region and seed_mm around the vessel",
      why, c.least, c.most, c.middle, c.high);
}

/* Marks what lies between the levels and keeps one piece. */
static ht_status mark(search *s, ht_mask *vessel) {
  int64_t voxels = ht_grid_voxels(&s->region->grid);
  for (int64_t v = 0; v < voxels; v++) {
    float value = s->region->values[v];
    vessel->inside[v] = value >= s->lower && value <= s->upper && (!s->zone || s->zone->inside[v]);
  }
  const double *seed = s->options->has_seed ? s->options->seed_mm : NULL;
  return ht_mask_keep_piece(vessel, seed, s->progress, &s->pieces, &s->fraction);
}

/* The values of the voxels whose distance (mm) is above `near` and at most `far` and that are below
 * `most`; sorted. The caller frees. */
static ht_status values_within(const ht_volume *image, const ht_volume *distance, double near,
                               double far, double most, float **values, int64_t *count) {
  int64_t voxels = ht_grid_voxels(&image->grid);
  *count = 0;
  HT_TRY(ht_alloc((void **)values, (size_t)voxels, sizeof **values, "values around the vessel"));
  for (int64_t v = 0; v < voxels; v++) {
    double d = distance->values[v];
    if (d > near && d <= far && image->values[v] < most) (*values)[(*count)++] = image->values[v];
  }
  qsort(*values, (size_t)*count, sizeof **values, by_value);
  return HT_OK;
}

static double mean_spacing(const ht_grid *grid) {
  return cbrt(grid->spacing_mm[0] * grid->spacing_mm[1] * grid->spacing_mm[2]);
}

/* The vessel's own value: the median of what lies deeper in it than two voxels, since the voxels of
 * its edge hold tissue too; of a thinner vessel the third quartile of all. */
static ht_status value_inside(const ht_volume *image, ht_mask *piece, const ht_progress *progress,
                              double *value) {
  ht_volume depth = {0};
  float *values = NULL;
  int64_t voxels = ht_grid_voxels(&piece->grid), count = 0, all = ht_mask_count(piece);
  for (int64_t v = 0; v < voxels; v++) piece->inside[v] = !piece->inside[v];
  ht_status status = HT_OK;
  double deep = 2 * mean_spacing(&piece->grid), share = 0.5;
  if (all < voxels) status = ht_itk_distance(piece, progress, &depth);
  if (all < voxels && status == HT_OK)
    status = values_within(image, &depth, deep, INFINITY, INFINITY, &values, &count);
  if (all < voxels && status == HT_OK && count < all / 20 + 20) {
    free(values);
    share = 0.75;
    status = values_within(image, &depth, 0, INFINITY, INFINITY, &values, &count);
  }
  *value = status == HT_OK && count > 0 ? quantile(values, count, share) : NAN;
  free(values);
  ht_volume_free(&depth);
  for (int64_t v = 0; v < voxels; v++) piece->inside[v] = !piece->inside[v];
  return status;
}

/* The median of a shell that begins `reach` mm off the piece, without what is as bright as it, and
 * its robust standard deviation, from the lower half (the upper may hold other vessels). */
static ht_status value_around(const ht_volume *image, const ht_mask *piece, double reach,
                              double lower, const ht_progress *progress, double *value,
                              double *deviation) {
  ht_volume distance = {0};
  float *values = NULL;
  int64_t count = 0;
  double far = reach + 2 * mean_spacing(&piece->grid);
  HT_TRY(ht_itk_distance(piece, progress, &distance));
  ht_status status = values_within(image, &distance, reach, far, lower, &values, &count);
  int known = status == HT_OK && count > 0;
  *value = known ? quantile(values, count, 0.5) : NAN;
  *deviation = known ? *value - quantile(values, count, 0.1587) : NAN; /* one sigma below */
  free(values);
  ht_volume_free(&distance);
  return status;
}

/* Half-way between the piece's own value and that of what surrounds it at `reach` mm. NaN where
 * nothing does. */
static ht_status half_way(search *s, const ht_mask *piece, double reach, double *level) {
  ht_volume image = {0};
  ht_mask part = {0};
  double own = NAN, around = NAN, deviation = NAN, voxel = mean_spacing(&piece->grid);
  ht_box box = ht_box_of_mask(piece);
  box = ht_box_grow(&piece->grid, &box, 4 + (int)ceil(reach / voxel));
  *level = NAN;
  ht_status status = ht_mask_crop(piece, &box, &part);
  if (status == HT_OK) status = ht_volume_crop(s->region, &box, &image);
  if (status == HT_OK) status = value_inside(&image, &part, s->progress, &own);
  if (status == HT_OK)
    status = value_around(&image, &part, reach, s->lower, s->progress, &around, &deviation);
  if (status == HT_OK) *level = (own + around) / 2;
  if (isfinite(*level)) s->contrast_to_noise = (own - around) / fmax(deviation, 1e-30);
  ht_mask_free(&part);
  ht_volume_free(&image);
  return status;
}

/* Moves the level half-way between vessel and surroundings. A level at which the vessel flows
 * together with its surroundings (more than three times the voxels) is not taken. */
static ht_status refine(search *s, ht_mask *vessel) {
  for (int round = 0; round < 2; round++) {
    int64_t before = ht_mask_count(vessel);
    double old = s->lower, level;
    if (before == 0) return HT_OK;
    HT_TRY(half_way(s, vessel, 1.5 * mean_spacing(&vessel->grid), &level));
    if (!isfinite(level) || !(level < s->upper)) return HT_OK;
    s->lower = level;
    HT_TRY(mark(s, vessel));
    int64_t now = ht_mask_count(vessel);
    if (now > 0 && now <= 3 * before) continue;
    s->lower = old;
    return mark(s, vessel);
  }
  return HT_OK;
}

/* Is it a vessel? `chosen`: the level is ours, not given. */
static ht_status check_found(const search *s, const ht_mask *vessel, int chosen) {
  int64_t count = ht_mask_count(vessel), voxels = ht_grid_voxels(&vessel->grid);
  int large = chosen && (double)count > largest_share * (double)voxels;
  int faint = chosen && s->contrast_to_noise < least_contrast;
  char why[160];
  if (count >= FEWEST_VOXELS && !large && !faint) return HT_OK;
  if (count >= FEWEST_VOXELS && !large)
    snprintf(why, sizeof why,
             "the brightest structure stands out from the noise around it %.1f times only, less "
             "than %g",
             s->contrast_to_noise, least_contrast);
  else if (count >= FEWEST_VOXELS)
    snprintf(why, sizeof why, "the automatic threshold %.4g keeps %.0f %% of the region", s->lower,
             100.0 * (double)count / (double)voxels);
  else if (count > 0)
    snprintf(why, sizeof why, "the piece between %.4g and %.4g has %d voxel%s only", s->lower,
             s->upper, (int)count, count == 1 ? "" : "s");
  else
    snprintf(why, sizeof why, "no voxel lies between %.4g and %.4g", s->lower, s->upper);
  return nothing_found(s, why);
}

/* The brightest voxel at and next to the seed; infinite without a seed. */
static double value_at_seed(const search *s) {
  const ht_grid *grid = &s->region->grid;
  double at[3], best = -INFINITY;
  if (!s->options->has_seed) return INFINITY;
  ht_grid_index(grid, s->options->seed_mm, at);
  for (int n = 0; n < 27; n++) {
    int64_t voxel = 0;
    int offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    for (int a = 2; a >= 0; a--) {
      int i = (int)lround(at[a]) + offset[a];
      voxel = voxel * grid->dim[a] + (i < 0 ? 0 : i >= grid->dim[a] ? grid->dim[a] - 1 : i);
    }
    best = fmax(best, s->region->values[voxel]);
  }
  return best;
}

static ht_status by_threshold(search *s, int given, ht_mask *vessel) {
  HT_TRY(mark(s, vessel));
  if (!given) HT_TRY(refine(s, vessel));
  return check_found(s, vessel, !given);
}

static void pick_radii(const search *s, double radius_mm[2]) {
  const double *spacing = s->region->grid.spacing_mm;
  double coarse = fmax(spacing[0], fmax(spacing[1], spacing[2]));
  memcpy(radius_mm, s->options->vessel_radius_mm, 2 * sizeof *radius_mm);
  /* The Hessian wants a sigma of at least half a voxel; six voxels cover all but the great vessels,
   * whose contrast needs no vesselness. */
  if (!(radius_mm[0] > 0)) radius_mm[0] = fmin(coarse, radius_mm[1] > 0 ? radius_mm[1] : coarse);
  if (!(radius_mm[1] > 0)) radius_mm[1] = fmax(radius_mm[0], 6 * mean_spacing(&s->region->grid));
}

/* The smallest step from tissue to vessel that is to count: well above the noise, told from the
 * median difference of neighbours along x, and above a twentieth of the range, whatever bright
 * bone there is beside. 0 where all values are the same. */
static ht_status contrast_sought(const search *s, double *contrast) {
  const ht_grid *grid = &s->region->grid;
  const float *value = s->region->values;
  int64_t voxels = ht_grid_voxels(grid), count = 0;
  double least = value[0], most = value[0], noise = 0;
  float *step;
  HT_TRY(ht_alloc((void **)&step, (size_t)voxels, sizeof *step, "differences of neighbours"));
  for (int64_t v = 0; v < voxels; v++) {
    least = fmin(least, value[v]);
    most = fmax(most, value[v]);
    if (v % grid->dim[0] != 0) step[count++] = fabsf(value[v] - value[v - 1]);
  }
  qsort(step, (size_t)count, sizeof *step, by_value);
  if (count > 0) noise = quantile(step, count, 0.5) / 0.6745 / sqrt(2.0);
  free(step);
  *contrast = fmax(8 * noise, (most - least) / 20);
  return HT_OK;
}

/* Tubular voxels, and around them the zone where the vessel may be. */
static ht_status find_tubes(search *s, const double radius_mm[2], double reach, ht_mask *core,
                            ht_mask *zone) {
  const double tubular = 0.2; /* of a measure from 0 to 1; about 0.8 on a tube's axis */
  ht_volume image = {0};
  int64_t voxels = ht_grid_voxels(&s->region->grid);
  double contrast;
  HT_TRY(contrast_sought(s, &contrast));
  if (!(contrast > 0)) return nothing_found(s, "all values are the same");
  HT_TRY(ht_itk_vesselness(s->region, radius_mm, contrast, s->progress, &image));
  for (int64_t v = 0; v < voxels; v++) core->inside[v] = image.values[v] >= tubular;
  ht_volume_free(&image);
  if (ht_mask_count(core) == 0) return nothing_found(s, "nothing tubular and bright is there");
  HT_TRY(ht_itk_distance(core, s->progress, &image));
  for (int64_t v = 0; v < voxels; v++) zone->inside[v] = image.values[v] <= reach;
  ht_volume_free(&image);
  const double *seed = s->options->has_seed ? s->options->seed_mm : NULL;
  return ht_mask_keep_piece(core, seed, s->progress, &s->pieces, &s->fraction);
}

/* Vesselness says where a vessel is, not where it ends: the intensity does that, within reach. */
static ht_status by_vesselness(search *s, int given, ht_mask *vessel) {
  double radius_mm[2], level;
  ht_mask zone = {0};
  pick_radii(s, radius_mm);
  double reach = fmax(radius_mm[1], 1.5 * mean_spacing(&s->region->grid));
  HT_TRY(ht_mask_alloc(&s->region->grid, &zone));
  ht_status status = find_tubes(s, radius_mm, reach, vessel, &zone);
  s->zone = &zone;
  if (status == HT_OK && !given) {
    s->lower = INFINITY; /* nothing of the shell is left out yet */
    status = half_way(s, vessel, reach, &level);
    s->lower = isfinite(level) ? level : s->region->values[0];
    if (status == HT_OK && !isfinite(level))
      status = nothing_found(s, "the tubular part fills the region");
  }
  if (status == HT_OK) status = by_threshold(s, given, vessel);
  s->zone = NULL;
  ht_mask_free(&zone);
  return status;
}

static ht_status choose(search *s, int given, ht_mask *vessel, const char **how) {
  ht_segment_method method = s->options->method;
  census c;
  int clear = 1;
  *how = given ? "given" : "half-way, from Otsu";
  if (method != HT_SEGMENT_VESSELNESS && !given) {
    HT_TRY(take_census(s->region, &c));
    HT_TRY(otsu(&c, value_at_seed(s), &s->lower, &clear));
  }
  if (method == HT_SEGMENT_THRESHOLD || (method == HT_SEGMENT_AUTO && clear))
    return by_threshold(s, given, vessel);
  if (!given) *how = "half-way";
  return by_vesselness(s, given, vessel);
}

ht_status ht_level_find(const ht_volume *region, const ht_segment_options *options,
                        const ht_progress *progress, ht_level *level, ht_mask *vessel,
                        ht_segment_report *report) {
  const char *how = "";
  int given = !isnan(options->lower);
  search s = {.region = region,
              .options = options,
              .progress = progress,
              .lower = options->lower,
              .upper = isnan(options->upper) ? INFINITY : options->upper,
              .contrast_to_noise = INFINITY};
  memset(vessel, 0, sizeof *vessel);
  memset(level, 0, sizeof *level);
  HT_TRY(ht_mask_alloc(&region->grid, vessel));
  ht_status status = choose(&s, given, vessel, &how);
  if (status != HT_OK) {
    ht_mask_free(vessel);
    return status;
  }
  level->lower = s.lower;
  level->upper = s.upper;
  int tubes = options->method == HT_SEGMENT_VESSELNESS || strcmp(how, "half-way") == 0;
  snprintf(level->method, sizeof level->method, "%s %.4g .. %.4g (%s)",
           tubes ? "vesselness" : "threshold", s.lower, s.upper, how);
  report->components = s.pieces;
  report->kept_fraction = s.fraction;
  return HT_OK;
}
