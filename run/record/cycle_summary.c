#include "run/record/cycle_summary.h"
#include <stddef.h>
#include <string.h>

/* Members of "cycle" in summary.json, for writing and reading. */
static const struct {
  const char *key;
  size_t at;
  double factor; /* of the written value */
} members[] = {
#define MEMBER(key, field, factor)                                                                 \
  { key, offsetof(ht_cycle_stats, field), factor }
    MEMBER("period_s", period_s, 1),
    MEMBER("peak_time_s", peak_time_s, 1),
    MEMBER("peak_flow_ml_s", peak_flow_ml_s, 1),
    MEMBER("tawss_mean_pa", tawss_pa.mean, 1),
    MEMBER("tawss_median_pa", tawss_pa.median, 1),
    MEMBER("tawss_p99_pa", tawss_pa.p99, 1),
    MEMBER("tawss_max_pa", tawss_pa.max, 1),
    MEMBER("tawss_below_0_4_pa_percent", low_share, 100),
    MEMBER("mean_wss_magnitude_mean_pa", mean_wss_mag_pa.mean, 1),
    MEMBER("mean_wss_magnitude_p99_pa", mean_wss_mag_pa.p99, 1),
    MEMBER("mean_wss_magnitude_max_pa", mean_wss_mag_pa.max, 1),
    MEMBER("osi_mean", osi.mean, 1),
    MEMBER("osi_p99", osi.p99, 1),
    MEMBER("osi_max", osi.max, 1),
    MEMBER("wss_peak_mean_pa", wss_peak_pa.mean, 1),
    MEMBER("wss_peak_p99_pa", wss_peak_pa.p99, 1),
    MEMBER("wss_peak_max_pa", wss_peak_pa.max, 1),
    MEMBER("still_percent", still_share, 100),
#undef MEMBER
};
enum { MEMBERS = sizeof members / sizeof *members };

void ht_cycle_json(ht_json *json, const ht_cycle_stats *stats) {
  if (stats->samples == 0) return;
  ht_json_object(json, "cycle");
  ht_json_integer(json, "samples", stats->samples);
  for (int i = 0; i < MEMBERS; i++) {
    double value;
    memcpy(&value, (const char *)stats + members[i].at, sizeof value);
    ht_json_number(json, members[i].key, members[i].factor * value);
  }
  ht_json_object_end(json);
}

void ht_cycle_read(struct fy_node *cycle, ht_cycle_stats *stats) {
  memset(stats, 0, sizeof *stats);
  if (!cycle || !ht_yaml_int(cycle, "samples", &stats->samples)) return;
  for (int i = 0; i < MEMBERS; i++) {
    double value = 0;
    ht_yaml_number(cycle, members[i].key, &value);
    value /= members[i].factor;
    memcpy((char *)stats + members[i].at, &value, sizeof value);
  }
}

void ht_cycle_print(FILE *stream, const ht_cycle_stats *stats) {
  if (stats->samples == 0) return;
  fprintf(stream,
          "  TAWSS, mean of |WSS|  mean %.4g Pa, median %.4g Pa, 99 %% below %.4g Pa, highest %.4g "
          "Pa; below %g Pa on %.1f %% of the wall\n",
          stats->tawss_pa.mean, stats->tawss_pa.median, stats->tawss_pa.p99, stats->tawss_pa.max,
          HT_LOW_WSS_PA, 100 * stats->low_share);
  fprintf(stream, "  |mean of WSS|         mean %.4g Pa, 99 %% below %.4g Pa, highest %.4g Pa\n",
          stats->mean_wss_mag_pa.mean, stats->mean_wss_mag_pa.p99, stats->mean_wss_mag_pa.max);
  fprintf(stream, "  oscillatory index     mean %.3f, 99 %% below %.3f, highest %.3f\n",
          stats->osi.mean, stats->osi.p99, stats->osi.max);
  fprintf(stream,
          "  WSS at peak inflow    mean %.4g Pa, 99 %% below %.4g Pa, highest %.4g Pa (%.3g mL/s "
          "at %.3g s)\n",
          stats->wss_peak_pa.mean, stats->wss_peak_pa.p99, stats->wss_peak_pa.max,
          stats->peak_flow_ml_s, stats->peak_time_s);
}
