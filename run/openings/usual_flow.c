#include "run/openings/usual_flow.h"
#include "core/vessel/scan_signs.h"
#include <math.h>

double ht_usual_flow_ml_s(double area_mm2) {
  return 48.21 * pow(area_mm2 / 100, 1.84);
}

ht_body ht_body_of(const ht_case *settings) {
  const unsigned head = HT_SIGN_HEAD | HT_SIGN_NECK;
  unsigned parts = settings->scan_signs & HT_SIGNS_PARTS;
  if (settings->patient.kind == HT_PATIENT_HEAD) return HT_BODY_HEAD;
  if (settings->patient.kind == HT_PATIENT_AORTA) return HT_BODY_OTHER;
  switch (settings->segment.preset) {
  case HT_PRESET_TOF_MRA:
  case HT_PRESET_CTA_HEAD:
  case HT_PRESET_3DRA:
    return HT_BODY_HEAD;
  case HT_PRESET_CTA_AORTA:
    return HT_BODY_OTHER;
  default:
    break;
  }
  if (parts & ~head) return HT_BODY_OTHER;
  return parts ? HT_BODY_HEAD : HT_BODY_UNKNOWN;
}

/* Zarrinkoob et al. 2015, Weskott and Holsing 1997, Lok et al. 2020 (docs/case-file.md). */
static const struct {
  double most_mm;
  const char *flows;
} usual[] = {
    {3, "vertebral or posterior cerebral artery about 1, anterior cerebral 1.5, middle cerebral or "
        "basilar 2.5"},
    {5.5, "vertebral artery 1 to 2.5, middle cerebral or basilar 2.5, internal carotid 3.5 to 5; "
          "fistula of an arm 10 to 25"},
    {10, "internal carotid artery 3.5 to 5, common carotid 5.5 to 8.5; fistula of an arm 10 to 25"},
    {INFINITY, "an adult's ascending aorta or pulmonary trunk at rest: about 90"},
};

const char *ht_usual_flows_text(double diameter_mm) {
  int at = 0;
  while (diameter_mm >= usual[at].most_mm) at++;
  return usual[at].flows;
}

static const struct {
  double most_mm;
  ht_usual_band band;
} bands[] = {
    {7, {"arteries up to 7 mm wide", {0.03, 0.7}, {0.2, 10}, 10}},
    {15, {"arteries 7 to 15 mm wide", {0.03, 0.5}, {0.1, 3}, 10}},
    {INFINITY, {"an aorta or pulmonary artery", {0.03, 0.4}, {0.05, 3}, 10}},
};

ht_usual_band ht_usual_band_of(double diameter_mm) {
  int at = 0;
  while (diameter_mm >= bands[at].most_mm) at++;
  return bands[at].band;
}
