#include "segment/level/level.h"
#include "segment/voxels/block.h"
#include "segment/level/census.h"
#include "segment/voxels/component.h"
#include "segment/level/gaps.h"
#include "segment/voxels/quantile.h"
#include "segment/level/tubes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_VOXELS = 8 };
static const double largest_share = 0.3; /* of the region: more is tissue, not vessel */
static const double least_contrast = 4;  /* to noise, after the smoothing; noise alone has 3 */
static const double air_hu = -200;       /* less is lung or air */

/* Search for the level: its target and its region. */
typedef struct {
  const ht_volume *region;
  const ht_segment_options *options;
  const ht_agent *agent;
  const ht_progress *progress;
  ht_mask *zone;  /* only here; NULL: everywhere */
  ht_pieces *all; /* gets all pieces */
  double lower, upper;
  double radius_mm[2]; /* radii that the vesselness looked for; 0: it did not run */
  double cut;          /* cut_share */
  int pieces;
  double fraction;
  double contrast_to_noise; /* of the vessel against its surroundings, where the level is ours */
} search;

static ht_status nothing_found(const search *s, const char *why) {
  ht_census c;
  HT_TRY(ht_census_take(s->region, s->zone, &c));
  return ht_fail(
      HT_ERR_VESSEL,
      "no vessel found: %s; the region's values run from %.4g to %.4g (median %.4g, 99 %% "
      "are below %.4g): set segment.lower between the tissue's value and the vessel's, "
      "and region and seed_mm around the vessel; or put two points into it, --from X,Y,Z --to "
      "X,Y,Z",
      why, c.least, c.most, c.middle, c.high);
}

/* Marks the voxels between the levels. */
static void mark_all(const search *s, ht_mask *vessel) {
  int64_t voxels = ht_grid_voxels(&s->region->grid);
  for (int64_t v = 0; v < voxels; v++) {
    float value = s->region->values[v];
    vessel->inside[v] = value >= s->lower && value <= s->upper && (!s->zone || s->zone->inside[v]);
  }
}

/* Marks all voxels at the level, and keeps one piece. */
static ht_status mark(search *s, ht_mask *vessel) {
  mark_all(s, vessel);
  ht_pieces_free(s->all);
  HT_TRY(ht_pieces_find(vessel, 1, s->all));
  const double *seed = s->options->has_seed ? s->options->seed_mm : NULL;
  return ht_mask_keep_piece(vessel, seed, &s->pieces, &s->fraction);
}

/* The vessel's own value: the median of voxels deeper in it than two voxels, since the voxels of
 * its edge hold tissue too; of a thinner vessel the third quartile of all. NaN where it fills the
 * region. */
static ht_status value_inside(const search *s, const ht_mask *piece, double *value) {
  ht_mask deep = {0};
  int64_t voxels = ht_grid_voxels(&piece->grid), all = ht_mask_count(piece);
  *value = NAN;
  if (all == voxels || all == 0) return HT_OK;
  HT_TRY(ht_mask_ring(piece, 0, 2 * ht_mean_spacing(&piece->grid), INFINITY, s->progress, &deep));
  int64_t count = ht_mask_count(&deep);
  int thick = count >= all / 20 + 20;
  ht_status status = ht_quantile(s->region->values, thick ? deep.inside : piece->inside, voxels,
                                 thick ? count : all, thick ? 0.5 : 0.75, value);
  ht_mask_free(&deep);
  return status;
}

/* The median of a shell that begins `reach` mm off the piece, without voxels as bright as the
 * piece, and its robust standard deviation, from the lower half (the upper may hold other vessels).
 * In a CT with a contrast agent lung and air do not count, and the noise is known: fat and muscle
 * differ by more. */
static ht_status value_around(const search *s, const ht_mask *piece, double reach, double *value,
                              double *deviation) {
  ht_mask shell = {0};
  const float *values = s->region->values;
  double far = reach + 2 * ht_mean_spacing(&piece->grid), low = NAN;
  *value = *deviation = NAN;
  HT_TRY(ht_mask_ring(piece, 1, reach, far, s->progress, &shell));
  int64_t voxels = ht_grid_voxels(&piece->grid);
  double least = s->agent->is_there ? air_hu : -INFINITY;
  for (int64_t v = 0; v < voxels; v++)
    shell.inside[v] &= values[v] < s->lower && values[v] >= least;
  int64_t count = ht_mask_count(&shell);
  ht_status status = HT_OK;
  if (count > 0) status = ht_quantile(values, shell.inside, voxels, count, 0.5, value);
  if (count > 0 && status == HT_OK) /* one sigma below */
    status = ht_quantile(values, shell.inside, voxels, count, 0.1587, &low);
  *deviation = s->agent->is_there ? s->agent->noise : *value - low;
  ht_mask_free(&shell);
  return status;
}

/* Half-way between the piece's own value and that of its surroundings at `reach` mm. NaN where
 * there are none. */
static ht_status half_way(search *s, const ht_mask *piece, double reach, double *level) {
  double own, around, deviation;
  *level = NAN;
  HT_TRY(value_inside(s, piece, &own));
  HT_TRY(value_around(s, piece, reach, &around, &deviation));
  *level = (own + around) / 2;
  if (isfinite(*level)) s->contrast_to_noise = (own - around) / fmax(deviation, 1e-30);
  return HT_OK;
}

/* Moves the level half-way between vessel and surroundings. A level at which the vessel merges with
 * its surroundings (more than three times the voxels) is not taken. */
static ht_status refine(search *s, ht_mask *vessel) {
  for (int round = 0; round < 2; round++) {
    int64_t before = ht_mask_count(vessel);
    double old = s->lower, level;
    if (before == 0) return HT_OK;
    HT_TRY(half_way(s, vessel, 1.5 * ht_mean_spacing(&vessel->grid), &level));
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

/* Checks that the result may be a vessel. `chosen`: the level is ours, not given. */
static ht_status check_found(const search *s, const ht_mask *vessel, int chosen) {
  int64_t count = ht_mask_count(vessel), voxels = ht_grid_voxels(&vessel->grid);
  int large = chosen && (double)count > largest_share * (double)voxels;
  int faint = chosen && s->contrast_to_noise < least_contrast;
  char why[160];
  if (count >= FEWEST_VOXELS && !large && !faint) return HT_OK;
  if (count >= FEWEST_VOXELS && !large)
    snprintf(why, sizeof why,
             "the contrast of the brightest structure is only %.1f times the noise around it, less "
             "than %g",
             s->contrast_to_noise, least_contrast);
  else if (count >= FEWEST_VOXELS)
    snprintf(why, sizeof why, "the automatic threshold %.4g keeps %.0f %% of the region", s->lower,
             100.0 * (double)count / (double)voxels);
  else if (count > 0)
    snprintf(why, sizeof why, "the piece between %.4g and %.4g has only %d voxel%s", s->lower,
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
  /* The Hessian needs a sigma of at least half a voxel. 4 mm are more than an artery of the head
   * has; six large voxels, or sixteen small ones, cover all but the great vessels, whose contrast
   * needs no vesselness. */
  double voxel = ht_mean_spacing(&s->region->grid), most = fmax(6 * voxel, fmin(16 * voxel, 4));
  if (!(radius_mm[0] > 0)) radius_mm[0] = fmin(coarse, radius_mm[1] > 0 ? radius_mm[1] : coarse);
  if (!(radius_mm[1] > 0)) radius_mm[1] = fmax(radius_mm[0], most);
}

/* Differences of neighbours along x, on lines spread over the region: a sample is enough. */
static ht_status neighbour_steps(const ht_volume *region, float **step, int64_t *count) {
  const int64_t enough = 4000000;
  int nx = region->grid.dim[0];
  int64_t lines = ht_grid_voxels(&region->grid) / nx, stride = 1 + lines * nx / enough;
  *count = 0;
  HT_TRY(ht_alloc((void **)step, (size_t)((lines / stride + 1) * nx), sizeof **step,
                  "differences of neighbours"));
  for (int64_t line = 0; line < lines; line += stride)
    for (int i = 1; i < nx; i++) {
      const float *value = region->values + line * nx + i;
      (*step)[(*count)++] = fabsf(value[0] - value[-1]);
    }
  return HT_OK;
}

/* The smallest step from tissue to vessel that counts: well above the noise (from the median
 * difference of neighbours along x), and above a twentieth of the range, also next to bright bone.
 * 0 where all values are the same. */
static ht_status contrast_sought(const search *s, double *contrast) {
  int64_t voxels = ht_grid_voxels(&s->region->grid), count;
  float least = s->region->values[0], most = least, *step;
  double middle = 0;
  HT_TRY(neighbour_steps(s->region, &step, &count));
  for (int64_t v = 0; v < voxels; v++) {
    least = fminf(least, s->region->values[v]);
    most = fmaxf(most, s->region->values[v]);
  }
  ht_status status = count > 0 ? ht_quantile(step, NULL, count, count, 0.5, &middle) : HT_OK;
  free(step);
  double noise = middle / 0.6745 / sqrt(2.0);
  *contrast = fmax(8 * noise, ((double)most - least) / 20);
  return status;
}

static void keep_both(const ht_mask *one, ht_mask *other) {
  int64_t voxels = ht_grid_voxels(&other->grid);
  for (int64_t v = 0; v < voxels && one; v++) other->inside[v] &= one->inside[v] != 0;
}

/* Finds the tubular voxels, and around them the zone where the vessel may be. */
static ht_status find_tubes(search *s, const double radius_mm[2], double reach, ht_mask *core,
                            ht_mask *zone) {
  const double tubular = 0.2; /* of a measure from 0 to 1; about 0.8 on a tube's axis */
  double contrast;
  HT_TRY(contrast_sought(s, &contrast));
  if (!(contrast > 0)) return nothing_found(s, "all values are the same");
  HT_TRY(ht_find_tubes(s->region, radius_mm, contrast, tubular, s->progress, core));
  keep_both(s->zone, core);
  if (ht_mask_count(core) == 0) return nothing_found(s, "nothing tubular and bright is there");
  HT_TRY(ht_mask_grow(core, reach, s->progress, zone));
  keep_both(s->zone, zone);
  const double *seed = s->options->has_seed ? s->options->seed_mm : NULL;
  return ht_mask_keep_piece(core, seed, &s->pieces, &s->fraction);
}

/* Share of the vessel's voxels at which it would continue beyond the zone: large where the vessel
 * is wider than the vesselness' radii. */
static double cut_share(const search *s, const ht_mask *outer, const ht_mask *vessel) {
  const int *dim = vessel->grid.dim;
  int64_t voxels = ht_grid_voxels(&vessel->grid), cut = 0, all = 0;
  for (int64_t v = 0; v < voxels; v++) {
    int at[3], goes_on = 0;
    if (!vessel->inside[v]) continue;
    all++;
    ht_voxel_place(dim, v, at);
    for (int n = 0; n < 6; n++) {
      int next[3] = {at[0], at[1], at[2]};
      next[n / 2] += n % 2 ? 1 : -1;
      if (!ht_voxel_in_grid(dim, next)) continue;
      int64_t beside = ht_voxel_index(dim, next);
      float value = s->region->values[beside];
      goes_on |= value >= s->lower && value <= s->upper && !s->zone->inside[beside] &&
                 (!outer || outer->inside[beside]);
    }
    cut += goes_on;
  }
  return all > 0 ? (double)cut / (double)all : 0;
}

/* Vesselness gives the place of a vessel, not its boundary: the intensity does that, within
 * reach. */
static ht_status by_vesselness(search *s, int given, ht_mask *vessel) {
  double *radius_mm = s->radius_mm, level;
  ht_mask zone = {0}, *outer = s->zone;
  pick_radii(s, radius_mm);
  double reach = fmax(radius_mm[1], 1.5 * ht_mean_spacing(&s->region->grid));
  ht_status status = find_tubes(s, radius_mm, reach, vessel, &zone);
  if (status == HT_OK) s->zone = &zone;
  if (status == HT_OK && !given) {
    s->lower = INFINITY; /* no part of the shell is left out at first */
    status = half_way(s, vessel, reach, &level);
    s->lower = isfinite(level) ? level : s->region->values[0];
    if (status == HT_OK && !isfinite(level))
      status = nothing_found(s, "the tubular part fills the region");
  }
  if (status == HT_OK) status = by_threshold(s, given, vessel);
  if (status == HT_OK) s->cut = cut_share(s, outer, vessel);
  s->zone = outer;
  ht_mask_free(&zone);
  return status;
}

static ht_status choose(search *s, int given, ht_mask *vessel, const char **how) {
  ht_segment_method method = s->options->method;
  ht_census c;
  int clear = 1;
  *how = given ? "given" : s->agent->is_there ? "half-way, from even blood" : "half-way, from Otsu";
  if (!given && s->agent->is_there && !s->options->has_seed)
    s->lower = s->agent->level;
  else if (method != HT_SEGMENT_VESSELNESS && !given) {
    HT_TRY(ht_census_take(s->region, s->zone, &c));
    HT_TRY(ht_census_otsu(&c, value_at_seed(s), largest_share, &s->lower, &clear));
  }
  if (method == HT_SEGMENT_THRESHOLD || (method != HT_SEGMENT_VESSELNESS && clear))
    return by_threshold(s, given, vessel);
  if (!given) *how = "half-way";
  return by_vesselness(s, given, vessel);
}

/* Other pieces that are part of the vessel, and the bridges to them. */
static ht_status close_gaps(search *s, ht_mask *vessel, int *bridges) {
  const double *seed = s->options->has_seed ? s->options->seed_mm : NULL;
  *bridges = 0;
  if (!(s->options->gap_mm > 0)) return HT_OK;
  mark_all(s, vessel);
  HT_TRY(ht_bridge_gaps(vessel, s->options->gap_mm, s->progress, bridges));
  return ht_mask_keep_piece(vessel, seed, NULL, &s->fraction);
}

void ht_level_free(ht_level *level) {
  ht_mask_free(&level->vessel);
  ht_pieces_free(&level->all);
}

ht_status ht_level_find(const ht_volume *region, ht_mask *zone, const ht_agent *agent,
                        const ht_segment_options *options, const ht_progress *progress,
                        ht_level *level, ht_segment_report *report) {
  const char *how = "";
  int given = !isnan(options->lower);
  search s = {.region = region,
              .options = options,
              .agent = agent,
              .progress = progress,
              .zone = zone,
              .all = &level->all,
              .lower = options->lower,
              .upper = isnan(options->upper) ? INFINITY : options->upper,
              .contrast_to_noise = INFINITY};
  memset(level, 0, sizeof *level);
  HT_TRY(ht_mask_alloc(&region->grid, &level->vessel));
  ht_status status = choose(&s, given, &level->vessel, &how);
  if (status == HT_OK) status = close_gaps(&s, &level->vessel, &report->bridges);
  if (status != HT_OK) {
    ht_level_free(level);
    return status;
  }
  level->lower = s.lower;
  level->upper = s.upper;
  if (s.radius_mm[1] > 0)
    snprintf(level->method, sizeof level->method,
             "vesselness %.4g .. %.4g (%s; radii %.2g to %.2g mm)", s.lower, s.upper, how,
             s.radius_mm[0], s.radius_mm[1]);
  else
    snprintf(level->method, sizeof level->method, "threshold %.4g .. %.4g (%s)", s.lower, s.upper,
             how);
  report->cut_share = s.cut;
  report->components = s.pieces;
  report->kept_fraction = s.fraction;
  return HT_OK;
}
