#include "segment/path/snap.h"
#include "segment/voxels/component.h"
#include "segment/voxels/quantile.h"
#include "core/numbers/vector3.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHELL = 64, CORE = 14, RADII = 12, CANDIDATES = 6, PLACES = 4000, SIZES = 8 };
static const double radius_step = 1.35, largest_mm = 20;
enum { COARSER = 6 };                   /* for balls beyond RADII radii */
static const double shell_radii = 1.5;  /* the shell's radius over the ball's */
static const double sure_contrast = 8;  /* to noise: more does not count for more */
static const double least_contrast = 3; /* to noise: less is no vessel */
static const double least_share = 0.2;  /* of the largest contrast near the point: less is no
                                           vessel */
static const double usual_away_mm = 1;  /* between a point and the vessel that is meant */

/* The scan around one point, smoothed. */
typedef struct {
  ht_volume part;
  const double *point_mm;
  double voxel_mm, noise;
  double radius_mm[RADII];
  int radii;
} neighbourhood;

typedef struct {
  ht_snap snap;
  double contrast, clear; /* of the ball; the same over the noise */
  double score;
} candidate;

/* Evenly spread over the sphere (a Fibonacci lattice). */
static void direction(int n, int count, double unit[3]) {
  double z = 1 - (2 * n + 1.0) / count, r = sqrt(1 - z * z), turn = n * 2.399963229728653;
  unit[0] = r * cos(turn);
  unit[1] = r * sin(turn);
  unit[2] = z;
}

/* The nearest voxel's value; beyond the image that of its border. */
static double value_at(const neighbourhood *near, const double position_mm[3]) {
  int at[3];
  return near->part.values[ht_grid_nearest(&near->part.grid, position_mm, at)];
}

/* Values on a sphere, ascending. */
static void values_around(const neighbourhood *near, const double centre_mm[3], double radius_mm,
                          int count, double *value) {
  for (int n = 0; n < count; n++) {
    double unit[3], p[3];
    direction(n, count, unit);
    for (int r = 0; r < 3; r++) p[r] = centre_mm[r] + radius_mm * unit[r];
    value[n] = value_at(near, p);
  }
  ht_sort_values(value, count);
}

/* Contrast of the ball to its surroundings, as a snap without its distance. */
static double contrast_of(const neighbourhood *near, const double centre_mm[3], double radius_mm,
                          ht_snap *snap) {
  double shell[SHELL], core[2 * CORE + 1];
  values_around(near, centre_mm, shell_radii * radius_mm, SHELL, shell);
  values_around(near, centre_mm, 0.35 * radius_mm, CORE, core);
  values_around(near, centre_mm, 0.6 * radius_mm, CORE, core + CORE);
  core[2 * CORE] = value_at(near, centre_mm);
  ht_sort_values(core, 2 * CORE + 1);
  memcpy(snap->centre_mm, centre_mm, sizeof snap->centre_mm);
  snap->radius_mm = radius_mm;
  snap->blood = core[CORE];
  snap->tissue = shell[SHELL / 2];
  return core[CORE / 2] - snap->tissue;
}

/* Score of a ball; `most`: contrast of the brightest ball near the point. A brighter one counts
 * little more, so that bone is no better than blood; a far dimmer one is no vessel. */
static double score_of(const double point_mm[3], double most, candidate *one) {
  double off = ht_distance(one->snap.centre_mm, point_mm);
  one->snap.away_mm = fmax(0, off - one->snap.radius_mm);
  if (one->clear < least_contrast || one->contrast < least_share * most) return 0;
  double away = one->snap.away_mm / usual_away_mm;
  double within = 1 - 0.3 * off / HT_SNAP_MM; /* prefers the nearer of two in one vessel */
  return fmin(1, one->clear / sure_contrast) * pow(one->contrast / most, 0.15) * within /
         (1 + away * away);
}

/* The noise, from differences of neighbours; at least a thousandth of the range. */
static ht_status measure_noise(neighbourhood *near) {
  const ht_volume *part = &near->part;
  int64_t voxels = ht_grid_voxels(&part->grid), count = 0;
  float *step, least = part->values[0], most = least;
  double middle = 0;
  HT_TRY(ht_alloc((void **)&step, (size_t)voxels, sizeof *step, "differences of neighbours"));
  for (int64_t v = 0; v < voxels; v++) {
    least = fminf(least, part->values[v]);
    most = fmaxf(most, part->values[v]);
    if (v % part->grid.dim[0] > 0) step[count++] = fabsf(part->values[v] - part->values[v - 1]);
  }
  ht_status status = count > 0 ? ht_quantile(step, NULL, count, count, 0.5, &middle) : HT_OK;
  free(step);
  near->noise = fmax(middle / 0.6745 / sqrt(2.0), fmax(1e-3 * ((double)most - least), 1e-30));
  return status;
}

/* Crops the scan around the point; `factor` > 1: to means over this number of voxels along each
 * axis. */
static ht_status crop_around(const ht_volume *scan, const double point_mm[3], double reach,
                             int factor, ht_volume *part) {
  double low[3], high[3];
  ht_box box;
  for (int r = 0; r < 3; r++) low[r] = point_mm[r] - reach;
  for (int r = 0; r < 3; r++) high[r] = point_mm[r] + reach;
  HT_TRY(ht_box_of_region(&scan->grid, low, high, &box));
  if (factor == 1) return ht_volume_crop(scan, &box, part);
  return ht_volume_coarsen(scan, &box, factor, part);
}

/* Looks with all radii from `least_mm` up to the largest that fit. */
static ht_status look_around(const ht_volume *scan, const double point_mm[3], int factor,
                             double least_mm, neighbourhood *near) {
  memset(near, 0, sizeof *near);
  near->point_mm = point_mm;
  near->voxel_mm = factor * ht_mean_spacing(&scan->grid);
  for (double r = least_mm; near->radii < RADII && r <= largest_mm; r *= radius_step)
    near->radius_mm[near->radii++] = r;
  double reach = HT_SNAP_MM + shell_radii * near->radius_mm[near->radii - 1];
  HT_TRY(crop_around(scan, point_mm, reach, factor, &near->part));
  const double *spacing = near->part.grid.spacing_mm;
  const double sigma_mm[3] = {0.7 * spacing[0], 0.7 * spacing[1], 0.7 * spacing[2]};
  ht_box all;
  ht_status status = ht_box_of_region(&near->part.grid, NULL, NULL, &all);
  if (status == HT_OK) {
    ht_volume_mend(&near->part, ht_volume_least(&near->part, &all));
    status = ht_itk_smooth(&near->part, sigma_mm, 0, NULL);
  }
  if (status == HT_OK) status = measure_noise(near);
  if (status != HT_OK) ht_volume_free(&near->part);
  return status;
}

/* Finds the ball at one place with the largest contrast; of nearly equal ones the smallest, so that
 * the ball lies in the vessel. */
static candidate best_ball(const neighbourhood *near, const double centre_mm[3]) {
  const double nearly = 0.95;
  candidate ball[RADII];
  double most = 0;
  for (int n = 0; n < near->radii; n++) {
    ball[n].score = 0;
    ball[n].contrast = contrast_of(near, centre_mm, near->radius_mm[n], &ball[n].snap);
    ball[n].clear = ball[n].contrast / near->noise;
    most = fmax(most, ball[n].contrast);
  }
  for (int n = 0; n < near->radii; n++)
    if (ball[n].contrast >= nearly * most) return ball[n];
  return ball[0];
}

/* Searches balls at places on a lattice within reach of the point, as fine as PLACES allow. */
static void search(const neighbourhood *near, candidate *found, int *count) {
  double step = fmax(near->voxel_mm, 2.0 * HT_SNAP_MM / (cbrt(PLACES) - 1));
  int side = (int)floor(HT_SNAP_MM / step);
  for (int n = 0; n < (2 * side + 1) * (2 * side + 1) * (2 * side + 1); n++) {
    const int size[3] = {2 * side + 1, 2 * side + 1, 2 * side + 1};
    int at[3];
    double p[3];
    ht_voxel_place(size, n, at);
    for (int r = 0; r < 3; r++) p[r] = near->point_mm[r] + (at[r] - side) * step;
    if (ht_distance(p, near->point_mm) <= HT_SNAP_MM) found[(*count)++] = best_ball(near, p);
  }
}

/* Searches on the scan and, for balls too large for that, on means over its voxels. */
static ht_status search_sizes(const ht_volume *scan, const double point_mm[3], candidate *found,
                              int *count) {
  double least = ht_mean_spacing(&scan->grid), most = 0;
  *count = 0;
  for (int factor = 1; least <= largest_mm; factor *= COARSER) {
    neighbourhood near;
    HT_TRY(look_around(scan, point_mm, factor, least, &near));
    search(&near, found, count);
    least = near.radius_mm[near.radii - 1] * radius_step;
    ht_volume_free(&near.part);
  }
  for (int n = 0; n < *count; n++) most = fmax(most, found[n].contrast);
  for (int n = 0; n < *count; n++) found[n].score = score_of(point_mm, most, &found[n]);
  return HT_OK;
}

static int by_score(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? 1 : -1;
  return memcmp(x->snap.centre_mm, y->snap.centre_mm, sizeof x->snap.centre_mm);
}

/* 1 where two balls are equally bright above the tissue; less where not. */
static double alike(const candidate *a, const candidate *b) {
  double turn = log((a->snap.blood - a->snap.tissue) / (b->snap.blood - b->snap.tissue));
  return exp(-turn * turn);
}

/* Tells whether two balls may be of one structure: they overlap and are alike. */
static int are_same(const candidate *a, const candidate *b) {
  double apart = ht_distance(a->snap.centre_mm, b->snap.centre_mm);
  return apart <= a->snap.radius_mm + b->snap.radius_mm && alike(a, b) > 0.9;
}

/* Finds the best ball of each structure. */
static int keep_distinct(candidate *found, int count, candidate *kept) {
  int many = 0;
  qsort(found, (size_t)count, sizeof *found, by_score);
  for (int n = 0; n < count && many < CANDIDATES && found[n].score > 0; n++) {
    int new = 1;
    for (int m = 0; m < many; m++) new = new && !are_same(&found[n], &kept[m]);
    if (new) kept[many++] = found[n];
  }
  return many;
}

static ht_status find_candidates(const ht_volume *scan, const double point_mm[3], int number,
                                 candidate *kept, int *count) {
  candidate *found;
  int many;
  *count = 0;
  HT_TRY(ht_alloc((void **)&found, SIZES * PLACES, sizeof *found, "places in the scan"));
  ht_status status = search_sizes(scan, point_mm, found, &many);
  if (status == HT_OK) *count = keep_distinct(found, many, kept);
  free(found);
  if (status == HT_OK && *count == 0)
    status = ht_fail(HT_ERR_VESSEL,
                     "point %d, [%.1f, %.1f, %.1f], lies in no vessel: nothing within %d mm is "
                     "brighter than what is around it; put the point into the vessel (coordinates "
                     "are LPS, mm)",
                     number, point_mm[0], point_mm[1], point_mm[2], HT_SNAP_MM);
  return status;
}

/* Finds the candidate of a point that is best with `with`, and its share of the score. */
static const candidate *best_with(const candidate *with, const candidate *list, int count,
                                  double *score) {
  const candidate *best = list;
  *score = 0;
  for (int n = 0; n < count; n++) {
    double s = list[n].score * alike(with, &list[n]);
    if (s > *score) {
      *score = s;
      best = &list[n];
    }
  }
  return best;
}

/* Chooses each point's candidate that matches those of the others: the best sum over all first
 * choices. */
static void choose(candidate list[][CANDIDATES], const int *count, int points, ht_snap *snap) {
  const candidate *leader = &list[0][0];
  double most = -1;
  for (int p = 0; p < points; p++)
    for (int n = 0; n < count[p]; n++) {
      double sum = 0, score;
      for (int q = 0; q < points; q++) {
        best_with(&list[p][n], list[q], count[q], &score);
        sum += score;
      }
      if (sum > most) {
        most = sum;
        leader = &list[p][n];
      }
    }
  for (int q = 0; q < points; q++) {
    double score;
    snap[q] = best_with(leader, list[q], count[q], &score)->snap;
  }
}

static ht_status outside(const ht_grid *grid, const double point_mm[3], int number) {
  ht_box all;
  double low[3], high[3], nearest[3];
  int at[3];
  HT_TRY(ht_box_of_region(grid, NULL, NULL, &all));
  ht_box_extent(grid, &all, low, high);
  ht_grid_voxel_position(grid, ht_grid_nearest(grid, point_mm, at), nearest);
  return ht_fail(HT_ERR_CASE,
                 "point %d, [%.1f, %.1f, %.1f], lies %.1f mm outside the scan, whose corners span "
                 "[%.1f, %.1f, %.1f] to [%.1f, %.1f, %.1f] mm (LPS: if the point is in RAS, as 3D "
                 "Slicer shows it, change the sign of its first two numbers)",
                 number, point_mm[0], point_mm[1], point_mm[2], ht_distance(nearest, point_mm),
                 low[0], low[1], low[2], high[0], high[1], high[2]);
}

static int is_inside(const ht_grid *grid, const double point_mm[3]) {
  double at[3];
  ht_grid_index(grid, point_mm, at);
  for (int a = 0; a < 3; a++)
    if (!(at[a] >= -0.5 && at[a] <= grid->dim[a] - 0.5)) return 0;
  return 1;
}

ht_status ht_snap_points(const ht_volume *scan, const double (*point_mm)[3], int points,
                         ht_snap *snap) {
  candidate list[HT_SEGMENT_POINTS_MAX][CANDIDATES];
  int count[HT_SEGMENT_POINTS_MAX];
  for (int p = 0; p < points; p++) {
    if (!is_inside(&scan->grid, point_mm[p])) return outside(&scan->grid, point_mm[p], p + 1);
    HT_TRY(find_candidates(scan, point_mm[p], p + 1, list[p], &count[p]));
  }
  choose(list, count, points, snap);
  return HT_OK;
}
