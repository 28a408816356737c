#include "run/mask/candidate_doubt.h"
#include <math.h>
#include <string.h>

static const double most_closed = 0.5; /* share of the inlet's flow */
/* Radius of an outlet over the inlet's, from which it brings blood: at a branch, and at a point. */
static const double supplies = 0.95, is_wider = 1.2;

static ht_status doubt(const char *what, const double at_mm[3]) {
  return ht_fail(HT_ERR_OPENINGS, "the vessel %s at [%.1f, %.1f, %.1f]", what, at_mm[0], at_mm[1],
                 at_mm[2]);
}

static int is_at_point(const ht_case *settings, const ht_opening *one) {
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].point > 0 && strcmp(settings->opening[a].name, one->name) == 0)
      return 1;
  return 0;
}

static int is_supply(const ht_case *settings, const ht_openings *openings, const ht_opening *one) {
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  const double least = is_at_point(settings, one) ? is_wider : supplies;
  return inlet && one->role == HT_ROLE_OUTLET && one->radius_mm >= least * inlet->radius_mm;
}

static ht_status doubt_openings(const ht_case *settings, const ht_openings *openings) {
  for (int i = 0; i < openings->count; i++)
    if (is_supply(settings, openings, &openings->item[i]))
      return doubt("may get blood from its outlet", openings->item[i].centre_mm);
  return HT_OK;
}

static ht_status doubt_closed(const ht_placed *placed) {
  const ht_opening *inlet = ht_openings_main_inlet(&placed->openings);
  double share = 0;
  for (int i = 0; inlet && i < placed->closed.count; i++)
    share += pow(placed->closed.item[i].radius_mm / inlet->radius_mm, 3);
  return share > most_closed ? doubt("has closed branches", placed->closed.item[0].centre_mm)
                             : HT_OK;
}

ht_status ht_candidate_doubt(const ht_run *run) {
  const ht_segment_report *report = &run->manifest.segment;
  HT_TRY(doubt_openings(run->given.settings, &run->vessel.placed.openings));
  HT_TRY(doubt_closed(&run->vessel.placed));
  for (int n = 0; n < report->lefts; n++)
    if (report->left[n].radius_mm > report->left[n].vessel_mm)
      return doubt("touches wider blood that is left out", report->left[n].centre_mm);
  return HT_OK;
}
