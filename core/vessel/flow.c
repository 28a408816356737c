#include "core/vessel/flow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_flow_free(ht_flow *flow) {
  if (!flow) return;
  if (!flow->shares_nodes) ht_node_map_free(&flow->node_of);
  free(flow->velocity_m_s);
  free(flow->pressure_pa);
  free(flow->stress_pa);
  free(flow->tke_j_m3);
  free(flow->tke_peak_j_m3);
  memset(flow, 0, sizeof *flow);
}

void ht_flow_share_nodes(ht_flow *flow, const ht_flow *owner) {
  if (!flow->node_of.has || !owner->node_of.has || flow->shares_nodes) return;
  if (memcmp(flow->grid.dim, owner->grid.dim, sizeof flow->grid.dim) != 0) return;
  if (!ht_node_map_same(&flow->node_of, &owner->node_of)) return;
  ht_node_map_free(&flow->node_of);
  flow->node_of = owner->node_of;
  flow->shares_nodes = 1;
}

double ht_flow_dissipation_w_m3(const ht_flow *flow, int64_t node) {
  const float *s = flow->stress_pa + 6 * node;
  double sum = 0, mean = ((double)s[0] + s[1] + s[2]) / 3;
  for (int i = 0; i < 6; i++) {
    double shear = i < 3 ? s[i] - mean : s[i];
    sum += (i < 3 ? 1 : 2) * shear * shear;
  }
  return flow->shear_thinning ? NAN : sum / (2 * flow->viscosity_pa_s);
}

static void halve(ht_flow_stats *stats) {
  stats->changes /= 2;
  stats->change_every *= 2;
  for (int i = 0; i < stats->changes; i++) {
    stats->change[i] = stats->change[2 * i];
    stats->change_step[i] = stats->change_step[2 * i];
  }
}

void ht_flow_note_change(ht_flow_stats *stats, int64_t step, double change) {
  int seen = stats->changes_seen++;
  if (stats->change_every == 0) stats->change_every = 1;
  if (seen % stats->change_every) return;
  if (stats->changes == HT_CHANGES_MOST) halve(stats);
  if (seen % stats->change_every) return;
  stats->change[stats->changes] = change;
  stats->change_step[stats->changes++] = (double)step;
}

const ht_port_result *ht_port_main_inlet(const ht_port_result *port, int ports) {
  const ht_port_result *most = NULL;
  for (int p = 0; p < ports; p++)
    if (port[p].role == HT_ROLE_INLET &&
        (!most || ht_is_larger_inflow(port[p].flow_ml_s, most->flow_ml_s)))
      most = &port[p];
  return most;
}
