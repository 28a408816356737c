#include "segment/candidates/measure.h"
#include "segment/voxels/quantile.h"
#include "core/vessel/scan_signs.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the line ---- */

static double mean_radius(const ht_candidate *c) {
  double sum = 0;
  for (int s = 0; s < c->stations; s++) sum += c->station[s][3];
  return c->stations > 0 ? sum / c->stations : 0;
}

static double length_of(const ht_candidate *c) {
  double sum = 0;
  for (int s = 1; s < c->stations; s++) sum += ht_distance(c->station[s], c->station[s - 1]);
  return sum;
}

/* Smooths by a moving mean over about a radius to both sides, less at the ends: fronts' centres
 * scatter by a part of a voxel. Two rounds, in place; `line` is a copy of the last round. */
static int smooth_line(ht_candidate *c) {
  size_t bytes = (size_t)c->stations * sizeof *c->station;
  double(*line)[4] = malloc(bytes), step = length_of(c) / fmax(1, c->stations - 1);
  int half = (int)fmin(8, fmax(1, mean_radius(c) / fmax(step, 1e-6)));
  if (!line) return 0;
  for (int round = 0; round < 2; round++) {
    memcpy(line, c->station, bytes);
    for (int s = 0; s < c->stations; s++) {
      int reach = (int)fmin(half, fmin(s, c->stations - 1 - s));
      for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int t = s - reach; t <= s + reach; t++) sum += line[t][k];
        c->station[s][k] = sum / (2 * reach + 1);
      }
    }
  }
  free(line);
  return 1;
}

static void turn_round(ht_candidate *c) {
  for (int a = 0, b = c->stations - 1; a < b; a++, b--) {
    double kept[4];
    memcpy(kept, c->station[a], sizeof kept);
    memcpy(c->station[a], c->station[b], sizeof kept);
    memcpy(c->station[b], kept, sizeof kept);
  }
  int at = c->from_at_border;
  c->from_at_border = c->to_at_border;
  c->to_at_border = at;
}

/* The mean radius of the third of the stations at the end. */
static double radius_of_third(const ht_candidate *c, int last) {
  int many = (c->stations + 2) / 3, first = last ? c->stations - many : 0;
  double sum = 0;
  for (int s = first; s < first + many; s++) sum += c->station[s][3];
  return sum / many;
}

/* Cuts the line at both ends. Within a radius of the vessel's end the fronts are not across it.
 * They begin at its rim, so what stays is nearer than that to the end, as a point that stands for
 * the opening at the scan's border must be (place_points.h). */
static void cut_ends(ht_candidate *c) {
  double r = mean_radius(c), from = 0, to = 0;
  int first = 0, last = c->stations - 1;
  while (first < last && from < r)
    from += ht_distance(c->station[first], c->station[first + 1]), first++;
  while (last > first && to < r) to += ht_distance(c->station[last], c->station[last - 1]), last--;
  c->stations = last - first + 1;
  memmove(c->station, c->station + first, (size_t)c->stations * sizeof *c->station);
}

/* Cuts the line where it is thinner than two voxels: the flow cannot be computed there. */
static void cut_thin(const ht_grid *grid, ht_candidate *c) {
  const double *mm = grid->spacing_mm;
  double least = cbrt(mm[0] * mm[1] * mm[2]);
  int cut = 0;
  while (c->stations > 1 && c->station[c->stations - 1][3] < least) c->stations--, cut = 1;
  if (cut) c->to_at_border = 0;
}

/* 1 for a vessel that tapers, less where it is narrower than both before and after, as a small
 * artery that joins two large ones, with no flow along it. */
static double neck_of(const ht_candidate *c) {
  double before = 0, neck = 1;
  for (int s = 0; s < c->stations; s++) {
    double behind = 0;
    before = fmax(before, c->station[s][3]);
    for (int t = s; t < c->stations; t++) behind = fmax(behind, c->station[t][3]);
    neck = fmin(neck, c->station[s][3] / fmax(fmin(before, behind), 1e-6));
  }
  return neck;
}

static void measure_line(ht_candidate *c) {
  double turn = 0;
  c->length_mm = length_of(c);
  c->radius_mm = mean_radius(c);
  c->neck = neck_of(c);
  c->least_radius_mm = INFINITY;
  for (int s = 0; s < c->stations; s++)
    c->least_radius_mm = fmin(c->least_radius_mm, c->station[s][3]);
  memcpy(c->from_mm, c->station[0], sizeof c->from_mm);
  memcpy(c->to_mm, c->station[c->stations - 1], sizeof c->to_mm);
  c->tortuosity = c->length_mm / fmax(ht_distance(c->from_mm, c->to_mm), 1e-3);
  for (int s = 1; s + 1 < c->stations; s++) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) a[k] = c->station[s][k] - c->station[s - 1][k];
    for (int k = 0; k < 3; k++) b[k] = c->station[s + 1][k] - c->station[s][k];
    if (ht_normalise(a) && ht_normalise(b)) turn += acos(fmin(1, fmax(-1, ht_dot(a, b))));
  }
  c->curvature_per_mm = turn / fmax(c->length_mm, 1e-3);
  c->branches_per_cm = 10 * c->branches_per_cm / fmax(c->length_mm, 1e-3);
}

/* ---- contrast ---- */

typedef struct {
  const ht_volume *scan;
  const ht_grid *grid; /* of the pieces */
  const ht_pieces *pieces;
  const ht_agent *agent;
} field;

/* The voxel at a position; 0: there is none. */
static int place_of(const ht_grid *grid, const double position_mm[3], int place[3]) {
  double at[3];
  ht_grid_index(grid, position_mm, at);
  for (int a = 0; a < 3; a++) {
    if (!(at[a] >= -0.5 && at[a] < grid->dim[a] - 0.5)) return 0;
    place[a] = (int)floor(at[a] + 0.5);
  }
  return 1;
}

static int is_vessel(const field *in, const double position_mm[3]) {
  int place[3];
  return place_of(in->grid, position_mm, place) &&
         ht_pieces_at(in->pieces, in->grid->dim, place) >= 0;
}

static int value_at(const ht_volume *scan, const double position_mm[3], double *value) {
  int place[3];
  if (!place_of(&scan->grid, position_mm, place)) return 0;
  *value = scan->values[ht_voxel_index(scan->grid.dim, place)];
  return isfinite(*value);
}

static double quantile(double *values, int count, double share) {
  if (count == 0) return NAN;
  ht_sort_values(values, count);
  return values[(int)(share * (count - 1))];
}

enum { RAYS = 8, SAMPLED = 200 };

/* Values in a ring around a station, beyond the blurred edge; not those of other vessels. */
static int sample_ring(const field *in, const ht_candidate *c, int station, double *values) {
  int count = 0, before = station > 0 ? station - 1 : station;
  int after = station + 1 < c->stations ? station + 1 : station;
  double along[3], across[2][3], p[3], voxel = 0;
  for (int k = 0; k < 3; k++) along[k] = c->station[after][k] - c->station[before][k];
  if (!ht_normalise(along)) return 0;
  ht_span_across(along, across);
  for (int a = 0; a < 3; a++) voxel = fmax(voxel, in->scan->grid.spacing_mm[a]);
  double reach = 1.3 * c->station[station][3] + 2.5 * voxel;
  for (int r = 0; r < RAYS; r++) {
    double x = cos(r * 2 * HT_PI / RAYS), y = sin(r * 2 * HT_PI / RAYS);
    for (int k = 0; k < 3; k++)
      p[k] = c->station[station][k] + reach * (x * across[0][k] + y * across[1][k]);
    if (!is_vessel(in, p) && value_at(in->scan, p, &values[count])) count++;
  }
  return count;
}

/* Fills the contrast; returns the value below which a third of the surroundings lies. */
static double measure_contrast(const field *in, ht_candidate *c) {
  double inside[SAMPLED], around[SAMPLED * RAYS];
  int held = 0, out = 0, every = c->stations / SAMPLED + 1;
  for (int s = 0; s < c->stations; s += every) {
    if (value_at(in->scan, c->station[s], &inside[held])) held++;
    out += sample_ring(in, c, s, around + out);
  }
  double low = quantile(around, out, 0.1587), middle = quantile(around, out, 0.5);
  double step = quantile(inside, held, 0.5) - middle;
  /* A uniform scan has no noise: a hundredth of the step is the least that counts. */
  c->contrast =
      out > 0 && held > 0 ? fmax(0, step / fmax(middle - low, 0.01 * fabs(step) + 1e-30)) : 0;
  return quantile(around, out, 0.33);
}

/* ---- what is no vessel ---- */

static const double air_hu = -900; /* the scanner's table borders on air; lung has -700 to -870 */

/* The side of the scan that a place is nearest to: 0 to 5. */
static int side_of(const ht_grid *scan, const double position_mm[3]) {
  double at[3], least = INFINITY;
  int side = 0;
  ht_grid_index(scan, position_mm, at);
  for (int n = 0; n < 6; n++) {
    int a = n / 2;
    double off = (n % 2 ? scan->dim[a] - 1 - at[a] : at[a]) * scan->spacing_mm[a];
    if (off < least) least = off, side = n;
  }
  return side;
}

/* Tells whether blood comes in at both ends: it does not flow from one to the other. */
static int joins_inlets(const ht_grid *scan, const ht_candidate *c) {
  const double like = 0.7, neck = 0.7;
  return c->from_at_border && c->to_at_border &&
         side_of(scan, c->from_mm) == side_of(scan, c->to_mm) &&
         radius_of_third(c, 1) >= like * radius_of_third(c, 0) &&
         (c->branches_per_cm > 0 || c->neck < neck);
}

/* Number of rays across the vessel that meet something brighter than blood, as bone at its rim. */
static int rays_to_bone(const field *in, const ht_candidate *c, int station, double most) {
  int count = 0, before = station > 0 ? station - 1 : station;
  int after = station + 1 < c->stations ? station + 1 : station;
  double along[3], across[2][3], p[3], voxel = ht_mean_spacing(&in->scan->grid), value;
  for (int k = 0; k < 3; k++) along[k] = c->station[after][k] - c->station[before][k];
  if (!ht_normalise(along)) return 0;
  ht_span_across(along, across);
  for (int r = 0; r < RAYS; r++) {
    double x = cos(r * 2 * HT_PI / RAYS), y = sin(r * 2 * HT_PI / RAYS), brightest = -INFINITY;
    for (double off = 0; off <= c->station[station][3] + 2 * voxel; off += 0.5 * voxel) {
      for (int k = 0; k < 3; k++)
        p[k] = c->station[station][k] + off * (x * across[0][k] + y * across[1][k]);
      if (value_at(in->scan, p, &value)) brightest = fmax(brightest, value);
    }
    count += brightest > most;
  }
  return count;
}

/* Tells whether bone lies next to most of its stations, or around them, in a CT. */
static int is_along_bone(const field *in, const ht_candidate *c) {
  const double tissue = 50, brighter = 0.3, most = 0.5;
  double inside[SAMPLED];
  int held = 0, beside = 0, every = c->stations / SAMPLED + 1, seen = 0;
  if (!in->agent->is_ct) return 0;
  for (int s = 0; s < c->stations; s += every)
    if (value_at(in->scan, c->station[s], &inside[held])) held++;
  double blood = quantile(inside, held, 0.5);
  double limit = blood + brighter * (blood - tissue) + 2.5 * in->agent->noise;
  for (int s = 0; s < c->stations; s += every, seen++) beside += rays_to_bone(in, c, s, limit) >= 2;
  return beside > most * seen;
}

int ht_candidate_measure(const ht_volume *scan, const ht_agent *agent, const ht_grid *grid,
                         const ht_pieces *pieces, ht_candidate *c) {
  const double least_widths = 3;
  if (c->stations < 5 || !smooth_line(c)) return 0;
  if (radius_of_third(c, 1) > radius_of_third(c, 0)) turn_round(c);
  cut_ends(c);
  cut_thin(&scan->grid, c);
  if (c->stations < 3) return 0;
  measure_line(c);
  if (c->length_mm < 2 * least_widths * c->radius_mm) return 0;
  const field in = {scan, grid, pieces, agent};
  if (joins_inlets(&scan->grid, c) || is_along_bone(&in, c)) return -1;
  double around = measure_contrast(&in, c);
  return agent->is_ct && around < air_hu ? -1 : 1;
}

/* ---- the score ---- */

/* The extent of the scan along LPS, and its lowest corner. */
static void extent_of(const ht_grid *grid, double size_mm[3], double low[3]) {
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int r = 0; r < 3; r++) low[r] = INFINITY;
  for (int n = 0; n < 8; n++) {
    double at[3], p[3];
    for (int a = 0; a < 3; a++) at[a] = n >> a & 1 ? grid->dim[a] - 0.5 : -0.5;
    ht_grid_position(grid, at, p);
    for (int r = 0; r < 3; r++) low[r] = fmin(low[r], p[r]), high[r] = fmax(high[r], p[r]);
  }
  for (int r = 0; r < 3; r++) size_mm[r] = high[r] - low[r];
}

/* "right, front, middle; runs to the head": by thirds of the scan, and the way from end to end. */
static void describe_place(const ht_grid *scan, ht_candidate *c) {
  static const char *const word[3][3] = {{"right", "middle", "left"},
                                         {"front", "middle", "back"},
                                         {"lower part", "middle", "upper part"}};
  static const char *const way[3][2] = {
      {"to the right", "to the left"}, {"forwards", "backwards"}, {"downwards", "upwards"}};
  double size_mm[3], low_mm[3];
  int third[3], most = 0;
  extent_of(scan, size_mm, low_mm);
  const double *middle = c->station[c->stations / 2];
  for (int r = 0; r < 3; r++) {
    third[r] = (int)fmin(2, fmax(0, 3 * (middle[r] - low_mm[r]) / size_mm[r]));
    if (fabs(c->to_mm[r] - c->from_mm[r]) > fabs(c->to_mm[most] - c->from_mm[most])) most = r;
  }
  snprintf(c->place, sizeof c->place, "%s, %s, %s of the scan, runs %s", word[0][third[0]],
           word[1][third[1]], word[2][third[2]], way[most][c->to_mm[most] > c->from_mm[most]]);
}

/* Names the vessel by size and place: wrong for some, so "probably", and no name where many vessels
 * are alike, or where the part of the body is not known. No artery but the aorta has a radius above
 * 7 mm over 80 mm. In a head carotid and vertebral arteries, of 1.2 to 3.5 mm, come in from
 * below. */
static void name_it(const ht_grid *scan, unsigned signs, ht_candidate *c) {
  const unsigned trunk = HT_SIGN_CHEST | HT_SIGN_ABDOMEN | HT_SIGN_AORTA;
  const unsigned head = HT_SIGN_HEAD | HT_SIGN_NECK;
  double size_mm[3], low_mm[3];
  extent_of(scan, size_mm, low_mm);
  double feet_mm = low_mm[2];
  int from_below = c->from_at_border && c->from_mm[2] < feet_mm + fmax(15, 0.15 * size_mm[2]);
  double begins_mm = radius_of_third(c, 0);
  c->name[0] = 0;
  if (signs & trunk && c->radius_mm >= 7 && c->length_mm >= 80)
    snprintf(c->name, sizeof c->name, "probably the aorta");
  else if (signs & head && from_below && begins_mm >= 1.2 && begins_mm <= 3.5 && c->length_mm >= 40)
    snprintf(c->name, sizeof c->name, "probably a carotid or vertebral artery");
}

void ht_candidates_score(const ht_grid *scan, unsigned signs, ht_candidate *candidate, int count) {
  double longest = 0, widest = 0;
  for (int i = 0; i < count; i++) {
    longest = fmax(longest, candidate[i].length_mm);
    widest = fmax(widest, candidate[i].radius_mm);
  }
  for (int i = 0; i < count; i++) {
    ht_candidate *c = &candidate[i];
    ht_candidate_terms *t = &c->terms;
    t->length = c->length_mm / fmax(longest, 1e-3);
    t->radius = c->radius_mm / fmax(widest, 1e-3);
    t->contrast = c->contrast / (c->contrast + 4);
    t->branching = 1 / (1 + c->branches_per_cm);
    t->smoothness = c->neck / (1 + 2 * c->radius_mm * c->curvature_per_mm);
    c->score = t->length * t->radius * t->contrast * t->branching * t->smoothness;
    name_it(scan, signs, c);
    describe_place(scan, c);
  }
}
