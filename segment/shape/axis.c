#include "segment/shape/axis.h"
#include "segment/shape/least_squares.h"
#include "segment/shape/section.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 32, FEWEST = 4, ROUNDS = 6 };

static const double other_width = 1.5; /* a section this many times as wide as the middle one, or as
                                          narrow, is of a branch or beyond the end */

/* Length of the sections under the parabola: the slope at its end is uncertain by some 4 / sqrt(n)
 * of a centroid's error over the length, n sections, so the length must be long where a vessel is
 * thin. */
static const double fit_radii = 2.5, fit_voxels = 24, fewest_voxels = 10;
static const double most_turn = 1; /* of the direction over the length */

typedef struct {
  double along[SECTIONS], across[SECTIONS][2], radius[SECTIONS];
  int count;
} samples;

/* ---- sections ---- */

/* The axis as part of a circle: its place after `along_mm`, and its direction there. */
static void follow(const ht_axis *axis, double along_mm, double at[3], double direction[3]) {
  double bend = ht_length(axis->bend), turn = bend * along_mm;
  int straight = fabs(turn) < 1e-6;
  for (int r = 0; r < 3; r++) {
    double side = straight ? 0 : axis->bend[r] / bend;
    at[r] = axis->centre_mm[r] +
            (straight ? along_mm * axis->direction[r]
                      : (sin(turn) * axis->direction[r] + (1 - cos(turn)) * side) / bend);
    direction[r] = cos(turn) * axis->direction[r] + sin(turn) * side;
  }
  ht_normalise(direction);
}

ht_status ht_axis_section(const ht_mask *mask, const ht_axis *axis, double along_mm,
                          double *radius_mm, double centroid_mm[3]) {
  const double *mm = mask->grid.spacing_mm;
  double pixel_mm = fmin(mm[0], fmin(mm[1], mm[2])) / 2, limit = axis->radius_mm / pixel_mm;
  double at[3], direction[3], across[2][3], off[2] = {0, 0}, away;
  ht_section section;
  follow(axis, along_mm, at, direction);
  ht_span_across(direction, across);
  ht_sheet sheet = ht_sheet_across(&mask->grid, at, across, pixel_mm);
  HT_TRY(ht_section_find(mask, &sheet, limit, &section, &away));
  if (away > limit) section.count = 0;
  *radius_mm = sqrt((double)section.count / HT_PI) * pixel_mm;
  if (centroid_mm && section.count > 0) ht_section_centroid(&section, off);
  for (int r = 0; centroid_mm && r < 3; r++)
    centroid_mm[r] = at[r] + pixel_mm * (off[0] * across[0][r] + off[1] * across[1][r]);
  ht_section_free(&section);
  return HT_OK;
}

ht_status ht_axis_sections(const ht_mask *mask, const ht_axis *axis, const double *along_mm,
                           int count, double *radius_mm, double (*centroid_mm)[3]) {
  int failed = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : failed)
  for (int n = 0; n < count; n++)
    failed += ht_axis_section(mask, axis, along_mm[n], &radius_mm[n],
                              centroid_mm ? centroid_mm[n] : NULL) != HT_OK;
  return failed ? ht_fail(HT_ERR_MEMORY, "not enough memory for the sections of the vessel")
                : HT_OK;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void drop_other_widths(samples *s) {
  double sorted[SECTIONS];
  int kept = 0;
  memcpy(sorted, s->radius, (size_t)s->count * sizeof *sorted);
  qsort(sorted, (size_t)s->count, sizeof *sorted, by_size);
  double middle = s->count ? sorted[s->count / 2] : 0;
  for (int n = 0; n < s->count; n++) {
    if (s->radius[n] > other_width * middle || s->radius[n] * other_width < middle) continue;
    s->along[kept] = s->along[n];
    s->radius[kept] = s->radius[n];
    memcpy(s->across[kept++], s->across[n], sizeof *s->across);
  }
  s->count = kept;
}

/* Takes the sections in the axis' own frame: across its direction at 0, and along it. In terms of
 * 3/4 of the arc's length and 1/4 of its projection a circle is a parabola up to the fifth
 * order. */
static ht_status take_sections(const ht_mask *mask, const ht_axis *axis, const double across[2][3],
                               double low_mm, double high_mm, samples *s) {
  double step = fmax((high_mm - low_mm) / (SECTIONS - 1), mask->grid.spacing_mm[0] / 2);
  double along[SECTIONS + 1], radius[SECTIONS + 1], at[SECTIONS + 1][3];
  int count = 0;
  for (double mm = low_mm; mm <= high_mm + 1e-9 && count <= SECTIONS; mm += step)
    along[count++] = mm;
  HT_TRY(ht_axis_sections(mask, axis, along, count, radius, at));
  s->count = 0;
  for (int i = 0; i < count && s->count < SECTIONS; i++) {
    int n = s->count;
    if (!(radius[i] > 0)) continue;
    for (int r = 0; r < 3; r++) at[i][r] -= axis->centre_mm[r];
    s->radius[n] = radius[i];
    s->along[n] = 0.75 * along[i] + 0.25 * ht_dot(at[i], axis->direction);
    for (int k = 0; k < 2; k++) s->across[n][k] = ht_dot(at[i], across[k]);
    s->count++;
  }
  drop_other_widths(s);
  return HT_OK;
}

/* ---- the fit ---- */

/* Moves the axis onto the curve at 0; returns 0 where there are too few sections. */
static int move_axis(const samples *s, int terms, const double across[2][3], ht_axis *axis) {
  double c[2][3], radius[3];
  if (s->count < FEWEST) return 0;
  for (int k = 0; k < 2; k++)
    if (!ht_fit_powers(s->along, &s->across[0][k], 2, s->count, terms, c[k])) return 0;
  if (!ht_fit_powers(s->along, s->radius, 1, s->count, 2, radius)) return 0;
  for (int r = 0; r < 3; r++) {
    axis->centre_mm[r] += c[0][0] * across[0][r] + c[1][0] * across[1][r];
    axis->direction[r] += c[0][1] * across[0][r] + c[1][1] * across[1][r];
    axis->bend[r] = 2 * (c[0][2] * across[0][r] + c[1][2] * across[1][r]);
  }
  axis->radius_mm = radius[0];
  axis->growth = radius[1];
  return ht_normalise(axis->direction) && radius[0] > 0;
}

/* The distance inward that a round uses: at first where a vessel is straight, then as far as a
 * parabola fits. */
static double reach_mm(const ht_axis *axis, double voxel_mm, double back_mm, int round) {
  double bend = ht_length(axis->bend);
  if (round == 0) return fmin(back_mm, fmax(1.5 * axis->radius_mm, 6 * voxel_mm));
  back_mm = fmin(back_mm, fmax(fit_radii * axis->radius_mm, fit_voxels * voxel_mm));
  return bend * back_mm > most_turn ? fmax(most_turn / bend, fewest_voxels * voxel_mm) : back_mm;
}

ht_status ht_axis_fit(const ht_mask *mask, double back_mm, ht_axis *axis, int *found) {
  double voxel = mask->grid.spacing_mm[0];
  memset(axis->bend, 0, sizeof axis->bend);
  *found = 0;
  for (int round = 0; round < ROUNDS; round++) {
    samples s = {.count = 0};
    double across[2][3], reach = fmin(back_mm, reach_mm(axis, voxel, back_mm, round));
    int terms = round > 0 && reach >= fewest_voxels * voxel ? 3 : 2;
    ht_span_across(axis->direction, across);
    HT_TRY(take_sections(mask, axis, across, -reach, 0, &s));
    *found = move_axis(&s, terms, across, axis) ? s.count : 0;
    if (*found == 0) return HT_OK;
  }
  return HT_OK;
}
