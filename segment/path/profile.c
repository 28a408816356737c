/* Radius, blood and tissue along the way, from rays across it. */
#include "segment/voxels/quantile.h"
#include "segment/path/tissue.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "segment/path/crossing.h"
#include "segment/path/way.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RAYS = 32, ROUNDS = 3, WINDOW = 4, RING_WINDOW = 3, SAMPLES = 6 };
static const double step_voxels = 0.25, farthest_voxels = 60;
static const double gap_mm = 3, gap_voxels = 4;
static const double strut_bright = 0.3; /* above blood, of the contrast */
static const double strut_voxels = 3.5; /* at most from the middle of a strut to tissue */
static const double ringed = 0.15;      /* of the rays end at a strut: a stent */
static const double tissue_from = 1.5, tissue_to = 3.5; /* voxels outside the wall */

typedef struct {
  const ht_volume *region;
  ht_way *way;
  double voxel_mm;
  double *value; /* [stations] for the medians along the way */
} profiles;

static double sample(const ht_volume *image, const double position_mm[3]) {
  double index[3];
  ht_grid_index(&image->grid, position_mm, index);
  return ht_volume_sample(image, index);
}

static double median(double *value, int count) {
  ht_sort_values(value, count);
  return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* Lists the stations up to `reach` before and after one, along its branch. */
static int stations_around(const ht_way *way, int s, int reach, int *list) {
  int count = 0;
  for (int n = 0, at = s; n <= reach && at >= 0; n++, at = way->station[at].before)
    list[count++] = at;
  for (int at = s + 1; at <= s + reach && at < way->stations; at++) {
    if (way->station[at].before != at - 1) break;
    list[count++] = at;
  }
  return count;
}

static void along(const double from[3], const double unit[3], double by, double to[3]) {
  for (int r = 0; r < 3; r++) to[r] = from[r] + by * unit[r];
}

/* Distance of the wall from a station along a ray; *bright: distance of what is brighter than
 * blood. */
static double wall_along(const profiles *p, const ht_way_station *one, const double unit[3],
                         int *bright_there) {
  double contrast = one->blood - one->tissue, level = one->tissue + 0.5 * contrast;
  double bright = one->blood + p->way->bright * contrast, step = step_voxels * p->voxel_mm;
  double most = farthest_voxels * p->voxel_mm, at[3];
  double before = sample(p->region, one->centre_mm);
  *bright_there = 0;
  if (!(before >= level)) return 0;
  for (double r = step; r < most; r += step) {
    along(one->centre_mm, unit, r, at);
    double value = sample(p->region, at);
    *bright_there = value > bright;
    if (value > bright) return r - step / 2;
    if (value < level) return r - step * (level - value) / (before - value);
    before = value;
  }
  return most;
}

/* Finds a strut of a stent, thin and in the wall, along a ray: the distance of the first peak that
 * is brighter than blood and falls to tissue beyond it, within the vessel; 0: none. */
static double strut_along(const profiles *p, const ht_way_station *one, const double unit[3]) {
  double contrast = one->blood - one->tissue, step = step_voxels * p->voxel_mm, at[3];
  double level = one->tissue + 0.5 * contrast, least = one->blood + strut_bright * contrast;
  double most = farthest_voxels * p->voxel_mm, peak = 0, peak_mm = 0;
  for (double r = step; r < most; r += step) {
    along(one->centre_mm, unit, r, at);
    double value = sample(p->region, at);
    if (value < level) return peak >= least ? peak_mm : 0;
    if (value > peak) {
      peak = value;
      peak_mm = r;
    }
    if (peak >= least && r > peak_mm + strut_voxels * p->voxel_mm) return 0;
  }
  return 0;
}

/* Result of one round at a station; NAN where the scan is dark there. */
typedef struct {
  double radius_mm, blood, tissue, middle_mm[3];
  double soft;   /* the tissue next to something darker (tissue.h); NAN: there is nothing darker */
  double struts; /* share of the rays */
} finding;

static void ray(const double across[2][3], int n, double unit[3]) {
  double angle = 2 * HT_PI * n / RAYS;
  for (int r = 0; r < 3; r++) unit[r] = cos(angle) * across[0][r] + sin(angle) * across[1][r];
}

/* The section by its rays: radius, and centroid; a ray beyond 1.5 times the median runs into
 * something else and counts as that. */
static void section_of(const double across[2][3], const double wall[RAYS], ht_way_station *one,
                       double *middle_mm) {
  double sorted[RAYS], square = 0, moment[3] = {0, 0, 0};
  memcpy(sorted, wall, sizeof sorted);
  double usual = median(sorted, RAYS);
  for (int n = 0; n < RAYS; n++) {
    double unit[3], r = wall[n] > 1.5 * usual ? usual : wall[n];
    ray(across, n, unit);
    square += r * r;
    for (int a = 0; a < 3; a++) moment[a] += 2.0 / 3 * r * r * r * unit[a];
  }
  one->radius_mm = sqrt(square / RAYS);
  for (int a = 0; a < 3; a++)
    middle_mm[a] = one->centre_mm[a] + (square > 0 ? moment[a] / square : 0);
}

/* Finds blood and tissue on the rays: medians inside 0.6 of the way to the wall, and beyond the
 * wall; NAN where there is none. */
static void contents_of(const profiles *p, const ht_way_station *one, const double across[2][3],
                        const double wall[RAYS], finding *found) {
  double inside[RAYS * SAMPLES + 1], outside[RAYS * SAMPLES], beside[RAYS * SAMPLES];
  int in = 0, out = 0, all = 0;
  double level = (one->blood + one->tissue) / 2;
  inside[in++] = sample(p->region, one->centre_mm);
  for (int n = 0; n < RAYS; n++) {
    double unit[3], at[3];
    ray(across, n, unit);
    for (int s = 1; s <= SAMPLES; s++) {
      double share = (double)s / SAMPLES;
      along(one->centre_mm, unit, 0.6 * share * wall[n], at);
      inside[in++] = sample(p->region, at);
      double beyond = tissue_from + (tissue_to - tissue_from) * share;
      along(one->centre_mm, unit, wall[n] + beyond * p->voxel_mm, at);
      double value = sample(p->region, at);
      beside[all++] = value;
      if (value < level) outside[out++] = value;
    }
  }
  found->blood = median(inside, in);
  found->soft = ht_tissue_beside_dark(beside, all, found->blood);
  found->tissue = out >= RAYS ? median(outside, out) : NAN;
  if (isfinite(found->soft)) found->tissue = found->soft;
}

/* The running median of p->value along the way; NANs do not count. */
static double smooth_value(const profiles *p, int s, int reach) {
  int list[4 * WINDOW + 2];
  double value[4 * WINDOW + 2];
  int count = stations_around(p->way, s, reach, list), known = 0;
  for (int n = 0; n < count; n++)
    if (isfinite(p->value[list[n]])) value[known++] = p->value[list[n]];
  return known > 0 ? median(value, known) : NAN;
}

static void set_tangents(ht_way *way) {
  for (int s = 0; s < way->stations; s++) {
    int list[4 * WINDOW + 2];
    int count = stations_around(way, s, WINDOW, list), last = s, first = s;
    for (int n = 0; n < count; n++) {
      if (list[n] > s && way->station[list[n]].before >= s) last = list[n] > last ? list[n] : last;
      if (list[n] <= s) first = list[n];
    }
    ht_way_station *one = &way->station[s];
    for (int r = 0; r < 3; r++)
      one->tangent[r] = way->station[last].centre_mm[r] - way->station[first].centre_mm[r];
    if (!ht_normalise(one->tangent) && one->before >= 0)
      memcpy(one->tangent, way->station[one->before].tangent, sizeof one->tangent);
  }
}

/* The circle through the wall, x^2 + y^2 = c[0] x + c[1] y + c[2], by least squares (Kasa, IEEE
 * Trans. Instrum. Meas. 25 (1976) 8). 0 where they do not determine it. */
static int fit_circle(const double wall[RAYS], double c[3]) {
  double m[3][3] = {{0}}, right[3] = {0, 0, 0};
  for (int n = 0; n < RAYS; n++) {
    if (!(wall[n] > 0)) continue;
    double angle = 2 * HT_PI * n / RAYS;
    const double row[3] = {wall[n] * cos(angle), wall[n] * sin(angle), 1};
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) m[a][b] += row[a] * row[b];
      right[a] += row[a] * wall[n] * wall[n];
    }
  }
  double all = ht_determinant((const double(*)[3])m);
  if (!(fabs(all) > 1e-9 * m[0][0] * m[1][1] * m[2][2])) return 0;
  for (int k = 0; k < 3; k++) { /* Cramer's rule */
    double with[3][3];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) with[a][b] = b == k ? right[a] : m[a][b];
    c[k] = ht_determinant((const double(*)[3])with) / all;
  }
  return 1;
}

/* The wall is the circle through the struts and the wall between them, where it lies around the
 * way. */
static void take_ring(const double strut[RAYS], const int bright[RAYS], double wall[RAYS]) {
  const double alike = 1.25;
  double c[3], known[RAYS], at[RAYS];
  int count = 0;
  for (int n = 0; n < RAYS; n++)
    if (strut[n] > 0) known[count++] = strut[n];
  double usual = median(known, count);
  for (int n = 0; n < RAYS; n++) {
    at[n] = strut[n];
    if (!(strut[n] > 0) && !bright[n] && wall[n] < alike * usual) at[n] = wall[n];
  }
  if (!fit_circle(at, c)) return;
  double off = hypot(c[0], c[1]) / 2, radius = sqrt(fmax(0, c[2] + off * off));
  if (off > 0.5 * radius || radius > 1.4 * usual || radius < 0.7 * usual) return;
  for (int n = 0; n < RAYS; n++) {
    double angle = 2 * HT_PI * n / RAYS, middle = (c[0] * cos(angle) + c[1] * sin(angle)) / 2;
    wall[n] = middle + sqrt(middle * middle + c[2]);
  }
}

/* Finds the wall; `ring`: 1: struts are the wall where there are many. */
static void look_across(const profiles *p, int s, int ring, finding *found) {
  ht_way_station *one = &p->way->station[s];
  double across[2][3], wall[RAYS], strut[RAYS];
  int dark = 0, struts = 0, bright[RAYS];
  memset(found, 0, sizeof *found);
  found->radius_mm = found->blood = found->tissue = found->soft = NAN;
  memcpy(found->middle_mm, one->centre_mm, sizeof found->middle_mm);
  ht_span_across(one->tangent, across);
  for (int n = 0; n < RAYS; n++) {
    double unit[3];
    ray((const double(*)[3])across, n, unit);
    wall[n] = wall_along(p, one, unit, &bright[n]);
    dark += wall[n] == 0;
    strut[n] = ring ? strut_along(p, one, unit) : 0;
    struts += strut[n] > 0;
  }
  found->struts = (double)struts / RAYS;
  if (found->struts >= ringed) take_ring(strut, bright, wall);
  if (dark) return; /* all or none: the centre itself is dark */
  contents_of(p, one, (const double(*)[3])across, wall, found);
  double before = one->radius_mm;
  section_of((const double(*)[3])across, wall, one, found->middle_mm);
  found->radius_mm = one->radius_mm;
  one->radius_mm = before;
}

enum { RADIUS, BLOOD, TISSUE, QUANTITIES };

static double *quantity(ht_way_station *one, int which) {
  return which == RADIUS ? &one->radius_mm : which == BLOOD ? &one->blood : &one->tissue;
}

static double found_quantity(const finding *found, int which) {
  return which == RADIUS ? found->radius_mm : which == BLOOD ? found->blood : found->tissue;
}

/* Raises the tissue of stations that have only the darker surroundings to that of the others: a
 * structure that touches the vessel there is not darker. */
static void raise_dark_tissue(profiles *p, const finding *found) {
  const double least_share = 0.25; /* of the stations */
  ht_way *way = p->way;
  int known = 0;
  for (int s = 0; s < way->stations; s++)
    if (isfinite(found[s].soft)) p->value[known++] = found[s].soft;
  if (known == 0 || known < least_share * way->stations) return;
  double soft = median(p->value, known);
  for (int s = 0; s < way->stations; s++) {
    ht_way_station *one = &way->station[s];
    if (one->tissue < soft - (one->blood - soft)) one->tissue = soft;
  }
}

/* Takes the findings of a round; a value without findings within the window stays that of the round
 * before. `before` [stations]: the stations of that round. */
static void take_quantities(profiles *p, const finding *found, const ht_way_station *before) {
  ht_way *way = p->way;
  for (int which = 0; which < QUANTITIES; which++) {
    for (int s = 0; s < way->stations; s++) p->value[s] = found_quantity(&found[s], which);
    for (int s = 0; s < way->stations; s++) {
      double value = smooth_value(p, s, 2 * WINDOW);
      if (isfinite(value)) *quantity(&way->station[s], which) = value;
    }
  }
  raise_dark_tissue(p, found);
  for (int s = 0; s < way->stations; s++) /* blood stays brighter than tissue */
    if (!(way->station[s].blood > way->station[s].tissue)) {
      way->station[s].blood = before[s].blood;
      way->station[s].tissue = before[s].tissue;
    }
}

/* Number of stations before or after one along its branch, the fewer; at most `most`. */
static int room_around(const ht_way *way, int s, int most) {
  int list[2 * WINDOW + 1], before = 0;
  int count = stations_around(way, s, most, list);
  for (int n = 0; n < count; n++) before += list[n] < s;
  int behind = count - 1 - before;
  return before < behind ? before : behind;
}

/* Means of the sections' middles over equal numbers of stations on both sides; at an end its own
 * middle. */
static void take_middles(profiles *p, const finding *found) {
  ht_way *way = p->way;
  for (int s = 0; s < way->stations; s++) {
    int list[2 * WINDOW + 1];
    int count = stations_around(way, s, room_around(way, s, WINDOW / 2), list);
    for (int r = 0; r < 3; r++) {
      double sum = 0;
      for (int n = 0; n < count; n++) sum += found[list[n]].middle_mm[r];
      way->station[s].centre_mm[r] = sum / count;
    }
  }
}

static ht_status left_vessel(const ht_way *way, int first, int last, double length_mm) {
  const double *a = way->station[first].centre_mm, *b = way->station[last].centre_mm;
  return ht_fail(HT_ERR_VESSEL,
                 "no vessel joins the points: from [%.1f, %.1f, %.1f] to [%.1f, %.1f, %.1f], for "
                 "%.1f mm, the way between them is as dark as the tissue around; put the points "
                 "into one vessel, or give a point on each side of that place",
                 a[0], a[1], a[2], b[0], b[1], b[2], length_mm);
}

/* The next station along the way, or the one before; -1: there is none. */
static int step_along(const ht_way *way, int s, int back) {
  if (back) return way->station[s].before;
  for (int n = s + 1; n < way->stations; n++)
    if (way->station[n].before == s) return n;
  return -1;
}

/* Walks along the way for some mm, as far as it goes. */
static int walk(const ht_way *way, int s, int back, double mm) {
  for (int next; mm > 0 && (next = step_along(way, s, back)) >= 0; s = next)
    mm -= ht_distance(way->station[s].centre_mm, way->station[next].centre_mm);
  return s;
}

/* The cosine of the gap's direction with that of the vessel on one side of it, towards the gap from
 * one to three radii off; 1 where the way is too short there. */
static double along_gap(const ht_way *way, int end, int back, const double gap[3]) {
  double radius = way->station[end].radius_mm, vessel[3];
  int near = walk(way, end, back, radius), far = walk(way, near, back, 2 * radius);
  if (near == far || !(ht_length(gap) > 0)) return 1;
  const double *a = way->station[back ? far : near].centre_mm;
  const double *b = way->station[back ? near : far].centre_mm;
  for (int r = 0; r < 3; r++) vessel[r] = b[r] - a[r];
  double length = ht_length(vessel);
  return length > 0 ? ht_dot(vessel, gap) / (length * ht_length(gap)) : 1;
}

/* Returns 1 where the way turns into the dark stretch and out of it, as from one vessel to an
 * adjacent one. */
static int turns_into(const ht_way *way, int before, int behind) {
  const double steepest = 0.5;
  double gap[3];
  for (int r = 0; r < 3; r++)
    gap[r] = way->station[behind].centre_mm[r] - way->station[before].centre_mm[r];
  return along_gap(way, before, 1, gap) < steepest && along_gap(way, behind, 0, gap) < steepest;
}

/* Finds whether the dark stretch leads across from one vessel to an adjacent one, and not along
 * one: by the way, or where the way itself leads across, by the vessels. A way that is still to be
 * refined may cut the corner where two vessels join. */
static ht_status crosses_over(const profiles *p, int first, int last, int is_final, int *crosses) {
  const ht_way *way = p->way;
  int before = way->station[first].before, behind = step_along(way, last, 0);
  *crosses = 0;
  if (before < 0 || behind < 0 || (!is_final && way->by_brightest)) return HT_OK;
  *crosses = is_final && turns_into(way, before, behind);
  if (*crosses) return HT_OK;
  return ht_gap_crosses(p->region, way, before, behind, crosses);
}

static ht_status changed_vessel(const ht_way *way, int first) {
  const double *at = way->station[first].centre_mm;
  return ht_fail(HT_ERR_VESSEL,
                 "no vessel joins the points: at [%.1f, %.1f, %.1f] the way between them crosses "
                 "over to another vessel that runs beside it, and a gap is bridged only along a "
                 "vessel; put the points into one vessel, or give a point more where the two join",
                 at[0], at[1], at[2]);
}

/* A short dark stretch along the vessel is a gap in the scan, not in the vessel. */
static ht_status check_gaps(const profiles *p, const finding *found, int is_final) {
  ht_way *way = p->way;
  double most = fmax(gap_mm, gap_voxels * p->voxel_mm);
  for (int s = 0; s < way->stations; s++) {
    int first = s;
    double length = 0;
    if (!isnan(found[s].radius_mm)) continue;
    for (; s < way->stations && isnan(found[s].radius_mm); s++) {
      if (s > first && way->station[s].before != s - 1) break; /* another branch */
      if (s > first)
        length += ht_distance(way->station[s].centre_mm, way->station[s - 1].centre_mm);
    }
    s--; /* the loop goes on after it */
    if (length > most && is_final) return left_vessel(way, first, s, length);
    HT_TRY(crosses_over(p, first, s, is_final, &way->crosses));
    if (way->crosses) return changed_vessel(way, first);
  }
  return HT_OK;
}

/* Measures the distance of each point from the vessel, now that its wall is known. */
static void measure_distances(ht_way *way, const double (*point_mm)[3]) {
  for (int p = 0; p < way->points; p++) {
    double away = INFINITY;
    for (int s = 0; s < way->stations; s++) {
      const ht_way_station *one = &way->station[s];
      away = fmin(away, ht_distance(one->centre_mm, point_mm[p]) - one->radius_mm);
    }
    way->away_mm[p] = fmax(0, away);
  }
}

/* The stations next to a dark one are dim at their rim, too. */
static void mark_dark(ht_way *way, const finding *found) {
  for (int s = 0; s < way->stations; s++) {
    int before = way->station[s].before;
    int dark = isnan(found[s].radius_mm);
    if (dark || (before >= 0 && isnan(found[before].radius_mm))) way->station[s].is_dark = 1;
    if (dark && before >= 0) way->station[before].is_dark = 1;
  }
}

/* A stent is a good circle, so its radius needs fewer stations. */
static void mark_rings(profiles *p, const finding *found) {
  for (int s = 0; s < p->way->stations; s++) p->value[s] = found[s].struts;
  for (int s = 0; s < p->way->stations; s++)
    p->way->station[s].is_ringed = smooth_value(p, s, 2 * WINDOW) >= ringed;
  for (int s = 0; s < p->way->stations; s++)
    p->value[s] = found[s].struts >= ringed ? found[s].radius_mm : NAN;
  for (int s = 0; s < p->way->stations; s++) {
    double radius = smooth_value(p, s, RING_WINDOW);
    if (p->way->station[s].is_ringed && isfinite(radius)) p->way->station[s].radius_mm = radius;
  }
}

ht_status ht_way_measure(const ht_volume *region, const double (*point_mm)[3], int is_final,
                         ht_way *way) {
  profiles p = {region, way, ht_mean_spacing(&region->grid), NULL};
  finding *found;
  ht_way_station *before = NULL;
  size_t count = (size_t)way->stations;
  HT_TRY(ht_alloc((void **)&found, count, sizeof *found, "the vessel's profiles"));
  ht_status status = ht_alloc((void **)&p.value, count, sizeof *p.value, "the vessel's profiles");
  if (status == HT_OK)
    status = ht_alloc((void **)&before, count, sizeof *before, "the vessel's profiles");
  for (int round = 0; round < ROUNDS && status == HT_OK; round++) {
    set_tangents(way);
    for (int s = 0; s < way->stations; s++) look_across(&p, s, round > 0, &found[s]);
    memcpy(before, way->station, count * sizeof *before);
    take_quantities(&p, found, before);
    take_middles(&p, found);
  }
  set_tangents(way);
  measure_distances(way, point_mm);
  if (status == HT_OK) mark_dark(way, found);
  if (status == HT_OK) mark_rings(&p, found);
  if (status == HT_OK) status = check_gaps(&p, found, is_final);
  free(p.value);
  free(before);
  free(found);
  return status;
}
