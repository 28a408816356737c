#include "run/record/beat_summary.h"
#include "core/numbers/units.h"
#include <math.h>

#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_gradient, key, field) }
/* A number of a beat; in a steady flow each repeats the number next to it. */
#define OF_BEAT(key, field)                                                                        \
  { HT_MEMBER(ht_gradient, key, field), HT_FLAG(ht_gradient, is_pulsatile) }

static const ht_member station_members[] = {
    {HT_MEMBER(ht_station, "position_mm", along_mm)},
    {HT_MEMBER(ht_station, "centre_mm", centre_mm)},
    {HT_MEMBER(ht_station, "area_mm2", area_mm2)},
    {0},
};

const ht_member ht_gradient_members[] = {
    {HT_OBJECT(ht_gradient, "proximal", place[0], station_members)},
    {HT_OBJECT(ht_gradient, "throat", place[1], station_members)},
    {HT_OBJECT(ht_gradient, "distal", place[2], station_members)},
    NUMBER("reference_area_mm2", reference_mm2),
    NUMBER("reference_diameter_before_mm", before_diameter_mm),
    NUMBER("reference_diameter_behind_mm", behind_diameter_mm),
    NUMBER("throat_diameter_mm", throat_diameter_mm),
    NUMBER("narrowing_by_diameter_percent", narrow_diameter_percent),
    NUMBER("narrowing_by_area_percent", narrow_area_percent),
    OF_BEAT("peak_to_peak_mmhg", peak_to_peak_mmhg),
    OF_BEAT("peak_to_peak_error_mmhg", peak_to_peak_error_mmhg),
    OF_BEAT("highest_mmhg", highest_mmhg),
    OF_BEAT("highest_error_mmhg", highest_error_mmhg),
    OF_BEAT("highest_time_s", highest_time_s),
    NUMBER("mean_mmhg", mean_mmhg),
    NUMBER("mean_error_mmhg", mean_error_mmhg),
    NUMBER("to_jet_mmhg", to_jet_mmhg),
    NUMBER("recovery_mmhg", recovery_mmhg),
    NUMBER("recovery_percent", recovery_percent),
    NUMBER("jet_angle_deg", jet_angle_deg),
    NUMBER("velocity_proximal_m_s", v1_m_s),
    NUMBER("velocity_jet_m_s", v2_m_s),
    NUMBER("bernoulli_simplified_mmhg", bernoulli_simplified_mmhg),
    NUMBER("bernoulli_full_mmhg", bernoulli_full_mmhg),
    OF_BEAT("bernoulli_mean_mmhg", bernoulli_mean_mmhg),
    {0},
};

static double diameter(double area_mm2) {
  return 2 * sqrt(area_mm2 / HT_PI);
}

static void print_value(FILE *stream, const char *what, double value, double error) {
  fprintf(stream, "%s%.3g", what, value);
  if (error > 0) fprintf(stream, " (+- %.2g)", error);
}

void ht_gradient_print(FILE *stream, const ht_gradient *g) {
  if (!g->is_narrow) return;
  fprintf(stream, "  narrowing             %.3g mm of %.3g mm, %.3g mm beyond the inlet\n",
          diameter(g->place[1].area_mm2), diameter(g->reference_mm2), g->place[1].along_mm);
  fputs("  pressure drop there   ", stream);
  if (g->is_pulsatile) {
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

static const ht_member average_members[] = {
    {HT_MEMBER(ht_averages, "beats", beats), HT_FLAG(ht_averages, is_pulsatile)},
    {HT_MEMBER(ht_averages, "samples", samples), .options = HT_DECIDES},
    {HT_MEMBER(ht_averages, "duration_s", duration_s)},
    {HT_MEMBER(ht_averages, "drift_percent", drift), .times = 100},
    {0},
};

static const ht_member turbulence_members[] = {
    {HT_MEMBER(ht_averages, "phases", tke_phases), .options = HT_DECIDES},
    {HT_MEMBER(ht_averages, "tke_mean_mj", tke_mean_mj)},
    {HT_MEMBER(ht_averages, "tke_max_mj", tke_max_mj)},
    {HT_MEMBER(ht_averages, "tke_max_time_s", tke_max_time_s), HT_FLAG(ht_averages, is_pulsatile)},
    {HT_MEMBER(ht_averages, "tke_highest_j_m3", tke_highest_j_m3)},
    {0},
};

const ht_member ht_averages_members[] = {
    {HT_PART("averages", average_members)},
    {HT_PART("turbulence", turbulence_members)},
    {0},
};

ht_averages ht_averages_of(const ht_flow_stats *stats) {
  ht_averages of = {0};
  if (stats->averaged == 0) return of;
  of = (ht_averages){.is_pulsatile = stats->period_s > 0,
                     .beats = stats->beats,
                     .samples = stats->averaged,
                     .duration_s = stats->averaged_s,
                     .drift = stats->averaged_drift,
                     .tke_phases = stats->tke_phases,
                     .tke_max_mj = stats->tke_mj[0],
                     .tke_max_time_s = stats->tke_time_s[0],
                     .tke_highest_j_m3 = stats->tke_highest_j_m3};
  for (int k = 0; k < stats->tke_phases; k++) {
    of.tke_mean_mj += stats->tke_mj[k] / stats->tke_phases;
    if (!(stats->tke_mj[k] > of.tke_max_mj)) continue;
    of.tke_max_mj = stats->tke_mj[k];
    of.tke_max_time_s = stats->tke_time_s[k];
  }
  return of;
}

void ht_averages_print(FILE *stream, const ht_averages *of) {
  if (of->samples == 0) return;
  if (of->is_pulsatile)
    fprintf(stream, "  means over %d beats, which do not repeat one another\n", of->beats);
  else
    fprintf(stream, "  means over %.3g s: the flow does not come to rest\n", of->duration_s);
  if (of->tke_phases > 0)
    fprintf(stream, "  turbulent energy      mean %.3g mJ, highest %.3g mJ\n", of->tke_mean_mj,
            of->tke_max_mj);
}
