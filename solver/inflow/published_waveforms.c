#include "solver/inflow/published_waveforms.h"
#include <stddef.h>

const char *const ht_waveform_words[] = {"constant", "carotid", "aorta", NULL};

/* Flow over its mean at time_s = row * 0.951 / 999, rows 0, 20, 40, ... and 999. */
static const double carotid_period_s = 0.951;
static const double carotid[] = {
    0.428763, 0.573676, 0.855832, 1.253788, 1.718608, 2.101679, 2.171816, 1.973261, 1.783370,
    1.714413, 1.739691, 1.788391, 1.792382, 1.751005, 1.664131, 1.532400, 1.357342, 1.145063,
    0.942868, 0.829174, 0.861645, 0.965311, 1.031743, 1.053765, 1.036926, 0.989187, 0.926153,
    0.852258, 0.783528, 0.726546, 0.686364, 0.661337, 0.644766, 0.637712, 0.632758, 0.629240,
    0.624081, 0.615628, 0.608042, 0.597849, 0.589461, 0.581429, 0.574233, 0.568932, 0.558859,
    0.545990, 0.523814, 0.491714, 0.447636, 0.405484, 0.428763};

/* The last sample is the first again. */
static const double aorta_time_s[] = {
    0,          0.00405128, 0.00810256, 0.01215385, 0.01620513, 0.02025641, 0.02430769, 0.02835897,
    0.03241026, 0.03646154, 0.04051282, 0.0445641,  0.04861538, 0.05266667, 0.05671795, 0.06076923,
    0.06482051, 0.06887179, 0.07292308, 0.07697436, 0.08103099, 0.08509097, 0.08915095, 0.09321093,
    0.09727091, 0.10133089, 0.10539087, 0.10945085, 0.11351083, 0.11757081, 0.12163079, 0.12569077,
    0.13381073, 0.14193069, 0.15005065, 0.16629057, 0.18253049, 0.19877041, 0.21501033, 0.23125025,
    0.24749017, 0.26373009, 0.27185005, 0.27591003, 0.27997001, 0.28511623, 0.28823154, 0.29134681,
    0.29446208, 0.29757735, 0.29965419, 0.30173104, 0.30380788, 0.30588473, 0.30796158, 0.309,
    0.312,      0.316,      0.324,      0.34,       0.4,        0.56,       0.72,       0.79,
    0.81,       0.818,      0.822};
static const double aorta_flow_ml_s[] = {
    0.815,    14.6465,  62.0924,  114.2219, 158.5682, 198.8606, 235.9628, 268.2848, 295.0218,
    317.2405, 336.4021, 353.426,  368.7329, 382.2111, 393.3632, 401.9766, 408.5054, 413.5686,
    417.3086, 419.4652, 419.5211, 417.8136, 415.0518, 411.2843, 406.3821, 400.2115, 392.7502,
    384.0865, 374.3669, 363.7712, 352.5265, 340.9054, 317.5598, 295.0495, 273.6336, 233.6673,
    196.9685, 163.6088, 135.3563, 112.6687, 91.2223,  62.3961,  41.2096,  27.961,   12.5452,
    -7.2511,  -18.1402, -29.3543, -39.8912, -47.6354, -49.3086, -46.1534, -36.6956, -22.3446,
    -9.0446,  -4.5313,  0,        0,        0,        0,        0,        0,        0,
    0,        0,        0,        0.815};

enum {
  AORTA = sizeof aorta_time_s / sizeof *aorta_time_s,
  CAROTID = sizeof carotid / sizeof *carotid,
};
_Static_assert(AORTA == sizeof aorta_flow_ml_s / sizeof *aorta_flow_ml_s, "a time for each flow");

static ht_status make_carotid(ht_waveform *waveform) {
  double time_s[CAROTID];
  for (int i = 0; i < CAROTID; i++)
    time_s[i] = carotid_period_s * (i + 1 < CAROTID ? 20 * i / 999.0 : 1);
  return ht_waveform_spline(CAROTID, time_s, carotid, NULL, waveform);
}

ht_status ht_waveform_published(ht_waveform_name name, ht_waveform *waveform) {
  switch (name) {
  case HT_WAVEFORM_CONSTANT:
    ht_waveform_constant(1, waveform);
    return HT_OK;
  case HT_WAVEFORM_CAROTID:
    HT_TRY(make_carotid(waveform));
    break;
  case HT_WAVEFORM_AORTA:
    HT_TRY(ht_waveform_spline(AORTA, aorta_time_s, aorta_flow_ml_s, NULL, waveform));
    break;
  default:
    return ht_fail(HT_ERR_INTERNAL, "there is no waveform %d", (int)name);
  }
  waveform->period_reason = HT_PERIOD_BUILT_IN;
  return ht_waveform_scale(waveform, 1);
}
