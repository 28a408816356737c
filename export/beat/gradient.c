#include "gradient.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double narrow = 0.75, wide = 0.8; /* of the median areas */
static const double second_narrow = 0.64;      /* 20 % of the diameter */
static const double reach_diameters = 4, least_diameters = 1;
static const double mmhg_of_speed2 = 4; /* mmHg for (m/s)^2 */

/* ---- the place ---- */

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct {
  const ht_beat *beat;
  double diameter_mm; /* of the median area of all stations */
  double *room;       /* [beat->stations] */
} course;

/* Of the areas of the stations in [low, high). 0: there is none. */
static double median_area(const ht_beat *beat, int low, int high, double *room) {
  size_t count = 0;
  for (int s = low; s < high; s++)
    if (!beat->station[s].is_mixed) room[count++] = beat->station[s].area_mm2;
  qsort(room, count, sizeof *room, by_size);
  return count > 0 ? room[count / 2] : 0;
}

/* The stations before and behind station `at` within a distance: [low, at) and (at, high). */
static void find_sides(const ht_beat *beat, int at, double reach_mm, int *low, int *high) {
  double here_mm = beat->station[at].along_mm;
  *low = at, *high = at + 1;
  while (*low > 0 && here_mm - beat->station[*low - 1].along_mm <= reach_mm) --*low;
  while (*high < beat->stations && beat->station[*high].along_mm - here_mm <= reach_mm) ++*high;
}

/* The median areas to both sides. Returns 0 where the vessel ends within a diameter. */
static int medians_at(const course *of, int at, double median_mm2[2]) {
  const ht_beat *beat = of->beat;
  int low, high;
  double least_mm = least_diameters * of->diameter_mm, here_mm = beat->station[at].along_mm;
  find_sides(beat, at, reach_diameters * of->diameter_mm, &low, &high);
  if (low == at || high == at + 1 || here_mm - beat->station[low].along_mm < least_mm ||
      beat->station[high - 1].along_mm - here_mm < least_mm)
    return 0;
  median_mm2[0] = median_area(beat, low, at, of->room);
  median_mm2[1] = median_area(beat, at + 1, high, of->room);
  return 1;
}

static double diameter_of(double area_mm2) {
  return 2 * sqrt(area_mm2 / HT_PI);
}

/* The narrowest station of [low, high), by its share of the smaller of the medians beside it, which
 * is below `least`. -1: none. */
static int find_narrowest(const course *of, int low, int high, double *least,
                          double beside_mm2[2]) {
  const ht_station *station = of->beat->station;
  int found = -1;
  double median_mm2[2];
  for (int s = low; s < high; s++) {
    if (station[s].is_mixed || !medians_at(of, s, median_mm2)) continue;
    double share = station[s].area_mm2 / fmin(median_mm2[0], median_mm2[1]);
    if (!(share < *least)) continue;
    found = s, *least = share;
    beside_mm2[0] = median_mm2[0], beside_mm2[1] = median_mm2[1];
  }
  return found;
}

/* Fills in throat, reference and how narrow it is; the median areas before it and behind it, 0
 * where none is narrow. */
static void find_throat(const course *of, double beside_mm2[2], ht_gradient *g) {
  double least = narrow;
  int s = find_narrowest(of, 0, of->beat->stations, &least, beside_mm2);
  if (s < 0) return;
  g->throat = s;
  g->reference_mm2 = fmin(beside_mm2[0], beside_mm2[1]);
  g->before_diameter_mm = diameter_of(beside_mm2[0]);
  g->behind_diameter_mm = diameter_of(beside_mm2[1]);
  g->throat_diameter_mm = diameter_of(of->beat->station[s].area_mm2);
  g->narrow_diameter_percent = 100 * (1 - sqrt(least));
  g->narrow_area_percent = 100 * (1 - least);
}

static int is_wide(const ht_station *station, double median_mm2) {
  return !station->is_mixed && station->area_mm2 >= wide * median_mm2;
}

/* In a long narrowing the pressure may fall from its begin on, and be highest again within it:
 * behind it begins where the vessel is wide. A vessel that ends before that is taken as it is. */
static void find_ends(const ht_beat *beat, const double beside_mm2[2], ht_gradient *g) {
  int behind = g->throat + 1;
  g->proximal = g->throat;
  while (g->proximal > 0 && !is_wide(&beat->station[g->proximal], beside_mm2[0])) g->proximal--;
  while (behind < beat->stations && !is_wide(&beat->station[behind], beside_mm2[1])) behind++;
  if (behind == beat->stations) behind = g->throat + 1;
  double highest = -INFINITY;
  for (int s = behind; s < beat->stations; s++) {
    double pressure = ht_beat_whole_mean(beat, beat->section_pa, beat->stations, s);
    if (!beat->station[s].is_mixed && pressure > highest) highest = pressure, g->distal = s;
  }
}

/* Another place of the vessel that is narrow itself, beyond where it is wide again. */
static void find_second(const course *of, const double beside_mm2[2], ht_gradient *g) {
  const ht_beat *beat = of->beat;
  double least = second_narrow, median_mm2[2];
  int behind = g->throat + 1;
  while (behind < beat->stations && !is_wide(&beat->station[behind], beside_mm2[1])) behind++;
  int second = find_narrowest(of, 0, g->proximal, &least, median_mm2);
  int later = find_narrowest(of, behind, beat->stations, &least, median_mm2);
  if (later >= 0) second = later;
  if (second < 0) return;
  g->has_second = 1;
  g->second = beat->station[second];
  g->second_narrow_diameter_percent = 100 * (1 - sqrt(least));
}

/* Sets is_narrow and, where it is, the places of the narrowing. HT_ERR_MEMORY. */
static ht_status find_places(const ht_beat *beat, ht_gradient *g) {
  course of = {.beat = beat};
  double beside_mm2[2] = {0, 0};
  HT_TRY(ht_alloc((void **)&of.room, (size_t)beat->stations, sizeof *of.room, "the gradient"));
  of.diameter_mm = diameter_of(median_area(beat, 0, beat->stations, of.room));
  find_throat(&of, beside_mm2, g);
  g->is_narrow = beside_mm2[0] > 0;
  if (g->is_narrow) {
    find_ends(beat, beside_mm2, g);
    find_second(&of, beside_mm2, g);
  }
  free(of.room);
  return HT_OK;
}

/* ---- the pressures ---- */

typedef struct {
  double peak_to_peak, highest, mean; /* Pa */
  int highest_sample;
} drop;

/* Of one beat; beat -1: of the mean of all. */
static double section_at(const ht_beat *beat, const double *values, int number, int sample,
                         int station) {
  if (number < 0) return ht_beat_mean(beat, values, beat->stations, sample, station);
  return values[((int64_t)number * beat->samples + sample) * beat->stations + station];
}

static drop drop_of(const ht_beat *beat, const ht_gradient *g, int number) {
  drop of = {.highest = -INFINITY};
  double most[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < beat->samples; k++) {
    double before = section_at(beat, beat->section_pa, number, k, g->proximal);
    double behind = section_at(beat, beat->section_pa, number, k, g->distal);
    most[0] = fmax(most[0], before), most[1] = fmax(most[1], behind);
    of.mean += (before - behind) / beat->samples;
    if (before - behind > of.highest) of.highest = before - behind, of.highest_sample = k;
  }
  of.peak_to_peak = most[0] - most[1];
  return of;
}

/* Of the beats' values, from their sum and the sum of their squares. */
static double standard_error(double sum, double squares, int count) {
  if (count < 2) return 0;
  double variance = (squares - sum * sum / count) / (count - 1);
  return sqrt(fmax(variance, 0) / count);
}

static void measure_errors(const ht_beat *beat, ht_gradient *g) {
  double sum[3] = {0}, squares[3] = {0};
  for (int b = 0; b < beat->beats; b++) {
    drop one = drop_of(beat, g, b);
    const double value[3] = {one.peak_to_peak, one.highest, one.mean};
    for (int i = 0; i < 3; i++) {
      sum[i] += value[i] / HT_PA_PER_MMHG;
      squares[i] += pow(value[i] / HT_PA_PER_MMHG, 2);
    }
  }
  g->peak_to_peak_error_mmhg = standard_error(sum[0], squares[0], beat->beats);
  g->highest_error_mmhg = standard_error(sum[1], squares[1], beat->beats);
  g->mean_error_mmhg = standard_error(sum[2], squares[2], beat->beats);
}

/* Of the mean drop from the first station to the last. */
static double whole_error(const ht_beat *beat) {
  ht_gradient ends = {.proximal = 0, .distal = beat->stations - 1};
  if (beat->stations < 2) return 0;
  measure_errors(beat, &ends);
  return ends.mean_error_mmhg;
}

double ht_gradient_error(const ht_beat *beat, const ht_gradient *g) {
  if (!g->is_narrow) return whole_error(beat);
  return fmax(g->peak_to_peak_error_mmhg, fmax(g->highest_error_mmhg, g->mean_error_mmhg));
}

static void measure_jet(const ht_beat *beat, ht_gradient *g) {
  double sum = 0;
  for (int k = 0; k < beat->samples; k++) {
    double before = section_at(beat, beat->section_pa, -1, k, g->proximal), fastest = 0;
    double least = before;
    for (int s = g->proximal; s <= g->distal; s++) {
      if (beat->station[s].is_mixed) continue;
      least = fmin(least, section_at(beat, beat->section_pa, -1, k, s));
      fastest = fmax(fastest, section_at(beat, beat->peak_m_s, -1, k, s));
    }
    if (before - least > g->to_jet_mmhg * HT_PA_PER_MMHG) {
      g->to_jet_mmhg = (before - least) / HT_PA_PER_MMHG;
      g->recovery_mmhg =
          (section_at(beat, beat->section_pa, -1, k, g->distal) - least) / HT_PA_PER_MMHG;
      g->recovery_percent = 100 * g->recovery_mmhg / g->to_jet_mmhg;
    }
    sum += mmhg_of_speed2 * fastest * fastest;
    if (fastest <= g->v2_m_s) continue;
    g->v2_m_s = fastest;
    g->v1_m_s = section_at(beat, beat->peak_m_s, -1, k, g->proximal);
  }
  g->bernoulli_simplified_mmhg = mmhg_of_speed2 * g->v2_m_s * g->v2_m_s;
  g->bernoulli_full_mmhg = mmhg_of_speed2 * (g->v2_m_s * g->v2_m_s - g->v1_m_s * g->v1_m_s);
  g->bernoulli_mean_mmhg = sum / beat->samples;
}

ht_status ht_gradient_of(const ht_beat *beat, ht_gradient *g) {
  memset(g, 0, sizeof *g);
  g->jet_angle_deg = NAN;
  if (beat->samples == 0 || beat->beats == 0 || beat->stations < 3) return HT_OK;
  HT_TRY(find_places(beat, g));
  if (!g->is_narrow) return HT_OK;
  const int place[3] = {g->proximal, g->throat, g->distal};
  for (int i = 0; i < 3; i++) g->place[i] = beat->station[place[i]];
  drop mean = drop_of(beat, g, -1);
  g->peak_to_peak_mmhg = mean.peak_to_peak / HT_PA_PER_MMHG;
  g->highest_mmhg = mean.highest / HT_PA_PER_MMHG;
  g->mean_mmhg = mean.mean / HT_PA_PER_MMHG;
  g->highest_time_s = beat->time_s[mean.highest_sample];
  measure_errors(beat, g);
  measure_jet(beat, g);
  return HT_OK;
}
