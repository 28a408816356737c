#include "export/beat/gradient.h"
#include "export/beat/narrow_station.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mmhg_of_speed2 = 4; /* mmHg for (m/s)^2 */

/* ---- the places ---- */

static double diameter_of(double area_mm2) {
  return 2 * sqrt(area_mm2 / HT_PI);
}

static double narrow_percent(double share) {
  return 100 * (1 - sqrt(share));
}

/* Fills in the degree of narrowing, and what makes it doubtful. */
static void measure_width(const ht_beat *beat, const ht_narrow_station *n, ht_gradient *g) {
  double throat_mm2 = beat->station[n->station].area_mm2;
  g->reference_mm2 = n->reference_mm2;
  g->before_diameter_mm = diameter_of(n->beside_mm2[0]);
  g->behind_diameter_mm = diameter_of(n->beside_mm2[1]);
  g->throat_diameter_mm = diameter_of(throat_mm2);
  g->narrow_diameter_percent = narrow_percent(throat_mm2 / n->reference_mm2);
  g->narrow_area_percent = 100 * (1 - throat_mm2 / n->reference_mm2);
  for (int i = 0; i < 2; i++) {
    g->reach_diameter_percent[i] = narrow_percent(throat_mm2 / n->reach_mm2[i]);
    g->is_short[i] = n->is_short[i];
  }
  g->is_junction = n->is_junction;
}

/* Finds the proximal and the distal station. In a long narrowing the pressure may fall from its
 * start and recover within it, so the search for the distal station begins where the vessel is wide
 * again. A vessel that ends before that is searched from the station after the throat. */
static void find_ends(const ht_beat *beat, const ht_narrow_station *n, ht_gradient *g) {
  double beside_mm2[2];
  for (int i = 0; i < 2; i++)
    beside_mm2[i] = isnan(n->beside_mm2[i]) ? n->reference_mm2 : n->beside_mm2[i];
  int before = ht_wide_station(beat, n->station, -1, beside_mm2[0]);
  int behind = ht_wide_station(beat, n->station, 1, beside_mm2[1]);
  g->proximal = before < 0 ? 0 : before;
  if (behind == beat->stations) behind = n->station + 1;
  double highest = -INFINITY;
  for (int s = behind; s < beat->stations; s++) {
    double pressure = ht_beat_whole_mean(beat, beat->section_pa, beat->stations, s);
    if (!beat->station[s].is_mixed && pressure > highest) highest = pressure, g->distal = s;
  }
}

/* Sets is_narrow and, where it is, the places of the narrowing. HT_ERR_MEMORY. */
static ht_status find_places(const ht_beat *beat, ht_gradient *g) {
  ht_narrow_station n;
  HT_TRY(ht_narrow_station_find(beat, &n));
  for (int i = 0; i < 2; i++) g->end_diameter_percent[i] = narrow_percent(n.end_share[i]);
  if (n.station < 0) return HT_OK;
  g->is_narrow = 1;
  g->throat = n.station;
  measure_width(beat, &n, g);
  find_ends(beat, &n, g);
  if (n.second < 0) return HT_OK;
  g->has_second = 1;
  g->second = beat->station[n.second];
  g->second_narrow_diameter_percent = narrow_percent(n.second_share);
  return HT_OK;
}

/* ---- the pressures ---- */

typedef struct {
  double peak_to_peak, highest, mean; /* Pa */
  int highest_sample;
} drop;

/* A section's value in beat `number`; -1: in the mean of all beats. */
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

/* The standard error of the mean of `count` values, from their sum and the sum of their squares. */
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

/* The standard error of the mean pressure drop from the first station to the last, mmHg. */
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
