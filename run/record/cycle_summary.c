#include "run/record/cycle_summary.h"

#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_cycle_stats, key, field) }
#define PERCENT(key, field)                                                                        \
  { HT_MEMBER(ht_cycle_stats, key, field), .times = 100 }

const ht_member ht_cycle_members[] = {
    {HT_MEMBER(ht_cycle_stats, "samples", samples), .options = HT_DECIDES},
    NUMBER("period_s", period_s),
    NUMBER("peak_time_s", peak_time_s),
    NUMBER("peak_flow_ml_s", peak_flow_ml_s),
    NUMBER("tawss_mean_pa", tawss_pa.mean),
    NUMBER("tawss_median_pa", tawss_pa.median),
    NUMBER("tawss_p99_pa", tawss_pa.p99),
    NUMBER("tawss_max_pa", tawss_pa.max),
    PERCENT("tawss_below_0_4_pa_percent", low_share),
    NUMBER("mean_wss_magnitude_mean_pa", mean_wss_mag_pa.mean),
    NUMBER("mean_wss_magnitude_p99_pa", mean_wss_mag_pa.p99),
    NUMBER("mean_wss_magnitude_max_pa", mean_wss_mag_pa.max),
    NUMBER("osi_mean", osi.mean),
    NUMBER("osi_p99", osi.p99),
    NUMBER("osi_max", osi.max),
    NUMBER("wss_peak_mean_pa", wss_peak_pa.mean),
    NUMBER("wss_peak_p99_pa", wss_peak_pa.p99),
    NUMBER("wss_peak_max_pa", wss_peak_pa.max),
    PERCENT("still_percent", still_share),
    {0},
};

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
