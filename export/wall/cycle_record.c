#include "export/wall/cycle_record.h"
#include "export/wall/wall_moments.h"
#include <string.h>

ht_status ht_cycle_record_begin(const ht_domain *domain, ht_surface *wall, double weight_s,
                                ht_cycle_record *record) {
  memset(record, 0, sizeof *record);
  record->domain = domain;
  record->weight_s = weight_s;
  record->surface = *wall;
  memset(wall, 0, sizeof *wall);
  return record->surface.points > 0 ? HT_OK : ht_surface_build(domain, &record->surface);
}

static double inflow_ml_s(const ht_domain *domain, const ht_flow_sample *sample) {
  double sum = 0;
  for (int p = 0; p < domain->ports && p < sample->ports; p++)
    if (domain->port[p].opening.role == HT_ROLE_INLET) sum += sample->flow_ml_s[p];
  return sum;
}

ht_status ht_cycle_record_sample(ht_cycle_record *record, const ht_flow_sample *sample) {
  HT_TRY(ht_surface_load_by(&record->surface, record->domain, sample->flow,
                            record->keeps_fits ? &record->fits : NULL));
  return ht_wall_series_add(&record->series, &record->surface, sample->beat, sample->time_s,
                            record->weight_s, inflow_ml_s(record->domain, sample));
}

ht_status ht_cycle_record_result(const ht_cycle_record *record, ht_wall_cycle *cycle) {
  return ht_wall_series_result(&record->series, cycle);
}

double ht_cycle_record_bytes(double points, int samples, int keeps_fits) {
  const double load =
      5 * sizeof(float) + 4 * sizeof(double); /* ht_surface_load's; while it works */
  const double sums = 4 * sizeof(double) + 6 * sizeof(float);
  double moments = samples < HT_MOMENTS_MOST ? samples : HT_MOMENTS_MOST;
  return points * (load + sums + moments + (keeps_fits ? HT_WALL_FIT_BYTES : 0));
}

void ht_cycle_record_free(ht_cycle_record *record) {
  if (!record) return;
  ht_surface_free(&record->surface);
  ht_wall_fits_free(&record->fits);
  ht_wall_series_free(&record->series);
}
