#include "cycle_record.h"
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

/* mm2 m/s = mL/s */
static double port_flow(const ht_port *port, const ht_flow *flow) {
  double axis[3] = {0, 0, 0}, lps[3], sum = 0;
  axis[port->axis] = port->inward;
  ht_grid_to_lps(&flow->grid, axis, lps);
  for (int64_t i = 0; i < port->nodes; i++) {
    int64_t node = ht_flow_node(flow, port->node[i]);
    for (int r = 0; r < 3 && node >= 0; r++) sum += flow->velocity_m_s[3 * node + r] * lps[r];
  }
  return sum * flow->grid.spacing_mm[0] * flow->grid.spacing_mm[0];
}

double ht_inflow_ml_s(const ht_domain *domain, const ht_flow *flow) {
  double sum = 0;
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].opening.role == HT_ROLE_INLET) sum += port_flow(&domain->port[p], flow);
  return sum;
}

ht_status ht_cycle_record_sample(void *record, double time_s, const ht_flow *flow) {
  ht_cycle_record *to = record;
  HT_TRY(ht_surface_load(&to->surface, to->domain, flow));
  return ht_wall_series_add(&to->series, &to->surface, time_s, to->weight_s,
                            ht_inflow_ml_s(to->domain, flow));
}

ht_status ht_cycle_record_result(const ht_cycle_record *record, ht_wall_cycle *cycle) {
  return ht_wall_series_result(&record->series, cycle);
}

void ht_cycle_record_free(ht_cycle_record *record) {
  if (!record) return;
  ht_surface_free(&record->surface);
  ht_wall_series_free(&record->series);
}
