#include "validation_tube.h"
#include "tiling.h"
#include <string.h>

ht_solver_options ht_validation_solver(const ht_validation_options *options) {
  ht_solver_options solver;
  ht_solver_defaults(&solver);
  solver.device = options->device;
  solver.threads = options->threads;
  return solver;
}

ht_status ht_tube_flow_run(const ht_tube *tube, const ht_solver_options *solver,
                           const ht_progress *progress, ht_tube_flow *flow) {
  ht_tiling tiling = {0};
  ht_status status = HT_OK;
  memset(flow, 0, sizeof *flow);
  flow->tube = *tube;
  HT_TRY_DONE(ht_tube_domain(tube, &flow->domain));
  HT_TRY_DONE(ht_tiling_build(&flow->domain.mask, NULL, &tiling));
  HT_TRY_DONE(ht_solve(&flow->domain, &tiling, solver, progress, &flow->flow, &flow->stats));
done:
  ht_tiling_free(&tiling);
  return status;
}

void ht_tube_flow_free(ht_tube_flow *flow) {
  if (!flow) return;
  ht_domain_free(&flow->domain);
  ht_flow_free(&flow->flow);
}

int ht_tube_flow_at(const ht_tube_flow *flow, int64_t voxel, ht_tube_place *place,
                    double *axial_m_s, double *pressure_pa) {
  int32_t node = flow->flow.node_of[voxel];
  double point[3];
  if (node < 0) return 0;
  ht_grid_voxel_position(&flow->flow.grid, voxel, point);
  *place = ht_tube_locate(&flow->tube, &flow->flow.grid, point);
  *axial_m_s = 0;
  for (int a = 0; a < 3; a++)
    *axial_m_s += flow->flow.velocity_m_s[3 * (int64_t)node + a] * flow->tube.direction[a];
  *pressure_pa = flow->flow.pressure_pa[node];
  return 1;
}

double ht_tube_constant_radius(const void *context, double along_mm) {
  (void)along_mm;
  return *(const double *)context;
}
