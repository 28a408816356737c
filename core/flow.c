#include "flow.h"
#include <stdlib.h>
#include <string.h>

void ht_flow_free(ht_flow *flow) {
  if (!flow) return;
  free(flow->node_of);
  free(flow->velocity_m_s);
  free(flow->pressure_pa);
  free(flow->stress_pa);
  free(flow->tke_j_m3);
  free(flow->tke_peak_j_m3);
  memset(flow, 0, sizeof *flow);
}
