/* Computes the wall load of each sample of a cycle from the solver and sums it up: the link between
 * solver/ and export/ for pulsatile flows. */
#ifndef HT_CYCLE_RECORD_H
#define HT_CYCLE_RECORD_H

#include "export/wall/wall_fit.h"
#include "export/wall/wall_series.h"

typedef struct {
  const ht_domain *domain; /* borrowed */
  double weight_s;         /* of a sample */
  int keeps_fits; /* 1: keeps the fits of the wall's points for the samples after the first */
  ht_surface surface;
  ht_wall_fits fits;
  ht_wall_series series;
} ht_cycle_record;

/* Takes over the surface of the domain's wall, or builds it where `wall` has no points. `weight_s`:
 * the time that each sample stands for. All samples have the same nodes. keeps_fits is 0 at first;
 * the caller may set it. HT_ERR_VESSEL, HT_ERR_MEMORY. The caller frees. */
ht_status ht_cycle_record_begin(const ht_domain *domain, ht_surface *wall, double weight_s,
                                ht_cycle_record *record);

/* Adds a sample. That with the largest flow through the inlets is the peak. Errors as
 * ht_surface_load and ht_wall_series_add. */
ht_status ht_cycle_record_sample(ht_cycle_record *record, const ht_flow_sample *sample);

/* Computes the wall load over the cycle; the caller frees it. HT_ERR_INTERNAL: no sample. */
ht_status ht_cycle_record_result(const ht_cycle_record *record, ht_wall_cycle *cycle);

/* Bytes of the load of `points` points, of its sums, of its moments and of fits that are kept. */
double ht_cycle_record_bytes(double points, int samples, int keeps_fits);
void ht_cycle_record_free(ht_cycle_record *record);

#endif
