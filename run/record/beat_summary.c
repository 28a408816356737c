#include "run/record/beat_summary.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Numbers of "narrowing" in summary.json, for writing and reading. Those of a beat are written for
 * a pulse alone: without one each repeats the number next to it. */
static const struct {
  const char *key;
  size_t at;
  int of_beat;
} members[] = {
#define MEMBER(key, field)                                                                         \
  { key, offsetof(ht_gradient, field), 0 }
#define OF_BEAT(key, field)                                                                        \
  { key, offsetof(ht_gradient, field), 1 }
    MEMBER("reference_area_mm2", reference_mm2),
    MEMBER("reference_diameter_before_mm", before_diameter_mm),
    MEMBER("reference_diameter_behind_mm", behind_diameter_mm),
    MEMBER("throat_diameter_mm", throat_diameter_mm),
    MEMBER("narrowing_by_diameter_percent", narrow_diameter_percent),
    MEMBER("narrowing_by_area_percent", narrow_area_percent),
    OF_BEAT("peak_to_peak_mmhg", peak_to_peak_mmhg),
    OF_BEAT("peak_to_peak_error_mmhg", peak_to_peak_error_mmhg),
    OF_BEAT("highest_mmhg", highest_mmhg),
    OF_BEAT("highest_error_mmhg", highest_error_mmhg),
    OF_BEAT("highest_time_s", highest_time_s),
    MEMBER("mean_mmhg", mean_mmhg),
    MEMBER("mean_error_mmhg", mean_error_mmhg),
    MEMBER("to_jet_mmhg", to_jet_mmhg),
    MEMBER("recovery_mmhg", recovery_mmhg),
    MEMBER("recovery_percent", recovery_percent),
    MEMBER("jet_angle_deg", jet_angle_deg),
    MEMBER("velocity_proximal_m_s", v1_m_s),
    MEMBER("velocity_jet_m_s", v2_m_s),
    MEMBER("bernoulli_simplified_mmhg", bernoulli_simplified_mmhg),
    MEMBER("bernoulli_full_mmhg", bernoulli_full_mmhg),
    OF_BEAT("bernoulli_mean_mmhg", bernoulli_mean_mmhg),
#undef MEMBER
#undef OF_BEAT
};
enum { MEMBERS = sizeof members / sizeof *members, PLACES = 3 };
static const char *const places[PLACES] = {"proximal", "throat", "distal"};

void ht_gradient_json(ht_json *json, const ht_gradient *gradient, int is_pulsatile) {
  if (!gradient->is_narrow) return;
  ht_json_object(json, "narrowing");
  for (int i = 0; i < PLACES; i++) {
    const ht_station *at = &gradient->place[i];
    ht_json_object(json, places[i]);
    ht_json_number(json, "position_mm", at->along_mm);
    ht_json_numbers(json, "centre_mm", at->centre_mm, 3);
    ht_json_number(json, "area_mm2", at->area_mm2);
    ht_json_object_end(json);
  }
  for (int i = 0; i < MEMBERS; i++) {
    double value;
    if (members[i].of_beat && !is_pulsatile) continue;
    memcpy(&value, (const char *)gradient + members[i].at, sizeof value);
    ht_json_number(json, members[i].key, value);
  }
  ht_json_object_end(json);
}

void ht_gradient_read(struct fy_node *narrowing, ht_gradient *gradient) {
  memset(gradient, 0, sizeof *gradient);
  if (!narrowing) return;
  gradient->is_narrow = 1;
  for (int i = 0; i < PLACES; i++) {
    struct fy_node *at = ht_yaml_get(narrowing, places[i]);
    if (!at) continue;
    ht_yaml_number(at, "position_mm", &gradient->place[i].along_mm);
    ht_yaml_numbers(at, "centre_mm", gradient->place[i].centre_mm, 3);
    ht_yaml_number(at, "area_mm2", &gradient->place[i].area_mm2);
  }
  for (int i = 0; i < MEMBERS; i++) {
    double value = 0;
    ht_yaml_number(narrowing, members[i].key, &value);
    memcpy((char *)gradient + members[i].at, &value, sizeof value);
  }
}

static double diameter(double area_mm2) {
  return 2 * sqrt(area_mm2 / HT_PI);
}

static void print_value(FILE *stream, const char *what, double value, double error) {
  fprintf(stream, "%s%.3g", what, value);
  if (error > 0) fprintf(stream, " (+- %.2g)", error);
}

void ht_gradient_print(FILE *stream, const ht_gradient *g, int is_pulsatile) {
  if (!g->is_narrow) return;
  fprintf(stream, "  narrowing             %.3g mm of %.3g mm, %.3g mm beyond the inlet\n",
          diameter(g->place[1].area_mm2), diameter(g->reference_mm2), g->place[1].along_mm);
  fputs("  pressure drop there   ", stream);
  if (is_pulsatile) {
    print_value(stream, "peak to peak ", g->peak_to_peak_mmhg, g->peak_to_peak_error_mmhg);
    print_value(stream, ", highest ", g->highest_mmhg, g->highest_error_mmhg);
    print_value(stream, ", mean ", g->mean_mmhg, g->mean_error_mmhg);
  } else {
    print_value(stream, "", g->mean_mmhg, g->mean_error_mmhg);
  }
  fprintf(stream, " mmHg (to the jet %.3g; by velocities 4 v2^2 = %.3g, 4 (v2^2 - v1^2) = %.3g)\n",
          g->to_jet_mmhg, g->bernoulli_simplified_mmhg, g->bernoulli_full_mmhg);
}

/* ---- means ---- */

static double mean_energy(const ht_flow_stats *stats) {
  double sum = 0;
  for (int k = 0; k < stats->tke_phases; k++) sum += stats->tke_mj[k] / stats->tke_phases;
  return sum;
}

static int most_energy(const ht_flow_stats *stats) {
  int most = 0;
  for (int k = 1; k < stats->tke_phases; k++)
    if (stats->tke_mj[k] > stats->tke_mj[most]) most = k;
  return most;
}

static void turbulence_json(ht_json *json, const ht_flow_stats *stats) {
  int most = most_energy(stats);
  if (stats->tke_phases == 0) return;
  ht_json_object(json, "turbulence");
  ht_json_integer(json, "phases", stats->tke_phases);
  ht_json_number(json, "tke_mean_mj", mean_energy(stats));
  ht_json_number(json, "tke_max_mj", stats->tke_mj[most]);
  if (stats->period_s > 0) ht_json_number(json, "tke_max_time_s", stats->tke_time_s[most]);
  ht_json_number(json, "tke_highest_j_m3", stats->tke_highest_j_m3);
  ht_json_object_end(json);
}

void ht_averages_json(ht_json *json, const ht_flow_stats *stats) {
  if (stats->averaged == 0) return;
  ht_json_object(json, "averages");
  if (stats->period_s > 0) ht_json_integer(json, "beats", stats->beats);
  ht_json_integer(json, "samples", stats->averaged);
  ht_json_number(json, "duration_s", stats->averaged_s);
  ht_json_number(json, "drift_percent", 100 * stats->averaged_drift);
  ht_json_object_end(json);
  turbulence_json(json, stats);
}

void ht_averages_read(struct fy_node *root, ht_flow_stats *stats) {
  struct fy_node *averages = ht_yaml_get(root, "averages");
  struct fy_node *turbulence = ht_yaml_get(root, "turbulence");
  if (!averages) return;
  ht_yaml_int(averages, "beats", &stats->beats);
  ht_yaml_int(averages, "samples", &stats->averaged);
  ht_yaml_number(averages, "duration_s", &stats->averaged_s);
  if (!turbulence) return;
  /* The text needs the largest and the mean: two phases that have both. */
  double mean = 0;
  stats->tke_phases = 2;
  ht_yaml_number(turbulence, "tke_max_mj", &stats->tke_mj[0]);
  ht_yaml_number(turbulence, "tke_mean_mj", &mean);
  stats->tke_mj[1] = 2 * mean - stats->tke_mj[0];
}

void ht_averages_print(FILE *stream, const ht_flow_stats *stats) {
  if (stats->averaged == 0) return;
  if (stats->period_s > 0)
    fprintf(stream, "  means over %d beats, which do not repeat one another\n", stats->beats);
  else
    fprintf(stream, "  means over %.3g s: the flow does not come to rest\n", stats->averaged_s);
  if (stats->tke_phases > 0)
    fprintf(stream, "  turbulent energy      mean %.3g mJ, highest %.3g mJ\n", mean_energy(stats),
            stats->tke_mj[most_energy(stats)]);
}
