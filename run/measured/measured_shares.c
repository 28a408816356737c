#include "run/measured/measured_shares.h"
#include "run/measured/section_flow.h"
#include "run/openings/place_named.h"
#include "run/process/console.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SPREAD_MOST = 0.1;  /* of an outlet's sections, for its share to count */
static const double REST_LEAST = 0.01;  /* share that outlets which were not measured may have */
static const double BALANCE_MOST = 0.1; /* of measured outflow to inflow, without a warning */

static ht_measured_opening *record_of(ht_measured_record *record, const char *name) {
  for (int i = 0; i < record->openings; i++)
    if (strcmp(record->opening[i].name, name) == 0) return &record->opening[i];
  return NULL;
}

static int is_sure(const ht_measured_opening *one) {
  return one->across >= HT_SECTION_GOOD_ACROSS && one->spread <= SPREAD_MOST;
}

/* Tells whether an outlet's flow counts: one that was measured well, or any where the case asks for
 * shares. */
static int is_good(const ht_case *settings, const ht_measured_opening *one) {
  if (!one || one->sections == 0) return 0;
  return settings->outlets == HT_OUTLETS_FRACTIONS || is_sure(one);
}

static void warn_unsure(const ht_measured_opening *one) {
  ht_console_warn("the share of the outlet '%s' is uncertain: its vessel is %.1f voxels of the "
                  "measured images wide, of at least %d, and its flow scatters by %.0f %% over %d "
                  "section%s, of at most %.0f %%; `outlets.model: auto` takes no such share",
                  one->name, one->across, HT_SECTION_GOOD_ACROSS, 100 * one->spread, one->sections,
                  one->sections == 1 ? "" : "s", 100 * SPREAD_MOST);
}

/* Tells whether the case itself says how the outlets divide the flow. */
static int says_outlets(const ht_case *settings) {
  const int is_heart = settings->patient.kind == HT_PATIENT_AORTA;
  if (settings->outlets >= 0 && settings->outlets != HT_OUTLETS_FRACTIONS &&
      !(settings->outlets == HT_OUTLETS_WINDKESSEL && is_heart))
    return 1;
  for (int i = 0; i < settings->openings; i++) {
    const ht_case_opening *one = &settings->opening[i];
    if (one->flow_fraction > 0 || one->has_windkessel || one->pressure_pa != 0) return 1;
  }
  return 0;
}

/* What is known of the outlets. */
typedef struct {
  int outlets, measured;
  double sum_ml_s; /* out of those that were measured */
  double weight;   /* of the others by Murray's law */
} balance;

static balance weigh(const ht_case *settings, const ht_openings *openings,
                     ht_measured_record *record) {
  balance all = {0, 0, 0, 0};
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *outlet = &openings->item[i];
    if (outlet->role != HT_ROLE_OUTLET) continue;
    const ht_measured_opening *one = record_of(record, outlet->name);
    all.outlets++;
    if (is_good(settings, one)) {
      all.measured++;
      all.sum_ml_s += one->mean_ml_s;
    } else {
      all.weight += pow(outlet->radius_mm, settings->solver.murray_exponent);
    }
  }
  return all;
}

/* Sets the fraction of an outlet, also in the case's list. */
static ht_status set_fraction(ht_case *settings, double fraction, const ht_openings *openings,
                              ht_opening *outlet) {
  double strayed;
  const int number = (int)(outlet - openings->item);
  int at = 0;
  while (at < settings->openings &&
         ht_place_of_entry(&settings->opening[at], openings, &strayed) != number)
    at++;
  if (at == HT_OPENINGS_MAX) return ht_fail(HT_ERR_CASE, "more than %d openings", HT_OPENINGS_MAX);
  ht_case_opening *one = &settings->opening[at];
  if (at == settings->openings) {
    *one = (ht_case_opening){.has_near = 1};
    memcpy(one->name, outlet->name, sizeof one->name);
    memcpy(one->near_mm, outlet->centre_mm, sizeof one->near_mm);
    settings->openings++;
  }
  one->role = HT_ROLE_OUTLET;
  one->flow_fraction = outlet->flow_fraction = fraction;
  return HT_OK;
}

/* Warns where the outlets cannot have the measured flows; returns 1 then. */
static int contradicts(const ht_case *settings, const balance *all, const ht_openings *openings,
                       ht_measured_record *record) {
  const double rest = 1 - all->sum_ml_s / record->mean_ml_s;
  for (int i = 0; i < openings->count; i++) {
    const ht_measured_opening *one = record_of(record, openings->item[i].name);
    if (openings->item[i].role != HT_ROLE_OUTLET || !is_good(settings, one) || one->mean_ml_s > 0)
      continue;
    ht_console_warn("the measured flow enters the vessel at the outlet '%s' (%.3g mL/s): the "
                    "outlets get no measured shares",
                    one->name, -one->mean_ml_s);
    return 1;
  }
  if (all->measured < all->outlets && rest < REST_LEAST) {
    ht_console_warn("the measured outlets carry %.0f %% of the measured inflow, and nothing is "
                    "left for the others: the outlets get no measured shares",
                    100 * (1 - rest));
    return 1;
  }
  if (all->measured == all->outlets && fabs(rest) > BALANCE_MOST)
    ht_console_warn("the measured flow out of the vessel is %.0f %% of that into it: the "
                    "measurement is that uncertain; the outlets get their shares of the outflow",
                    100 * (1 - rest));
  return 0;
}

ht_status ht_measured_shares_take(ht_case *settings, ht_openings *openings,
                                  ht_measured_record *record) {
  const balance all = weigh(settings, openings, record);
  const int is_whole = all.measured == all.outlets;
  if (all.measured == 0) return HT_OK;
  if (is_whole) record->out_over_in = all.sum_ml_s / record->mean_ml_s;
  if (all.outlets < 2 || says_outlets(settings) || contradicts(settings, &all, openings, record))
    return HT_OK;
  const double whole = is_whole ? all.sum_ml_s : record->mean_ml_s;
  char text[400] = "";
  for (int i = 0; i < openings->count; i++) {
    ht_opening *outlet = &openings->item[i];
    if (outlet->role != HT_ROLE_OUTLET) continue;
    ht_measured_opening *one = record_of(record, outlet->name);
    const int good = is_good(settings, one);
    const double fraction = good ? one->mean_ml_s / whole
                                 : (1 - all.sum_ml_s / whole) *
                                       pow(outlet->radius_mm, settings->solver.murray_exponent) /
                                       all.weight;
    HT_TRY(set_fraction(settings, fraction, openings, outlet));
    if (one) one->share = good ? fraction : 0;
    if (good && !is_sure(one)) warn_unsure(one);
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s'%s' %.3g%s", length ? ", " : "", outlet->name,
             fraction, good ? "" : " (by Murray's law)");
  }
  if (settings->patient.kind != HT_PATIENT_AORTA) settings->outlets = HT_OUTLETS_FRACTIONS;
  ht_console_note("measured flow: shares of the outlets: %s", text);
  return HT_OK;
}
