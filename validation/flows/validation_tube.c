#include "validation/flows/validation_tube.h"
#include "tiling/tiling.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ht_collision collision_of(const ht_validation_options *options, ht_collision own) {
  return options->collision > 0 ? (ht_collision)(options->collision - 1) : own;
}

const char *ht_validation_model(const ht_validation_options *options, ht_collision own) {
  static const char *const words[] = {
      [HT_LBGK] = "D3Q19, lbgk", [HT_MRT] = "D3Q19, mrt", [HT_CUMULANT] = "D3Q27, cumulant"};
  return words[collision_of(options, own)];
}

ht_solver_options ht_validation_solver(const ht_validation_options *options, ht_collision own) {
  ht_solver_options solver;
  ht_solver_defaults(&solver);
  solver.collision = collision_of(options, own);
  solver.device = options->device;
  solver.threads = options->threads;
  solver.walls = HT_WALLS_INTERPOLATED;
  return solver;
}

static ht_status find_coarser(const ht_tube_flow *flow, ht_tube_coarser at, int most,
                              uint8_t **coarser) {
  const ht_grid *grid = &flow->domain.mask.grid;
  HT_TRY(ht_alloc((void **)coarser, (size_t)ht_grid_voxels(grid), 1, "the levels"));
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    double point[3];
    ht_grid_voxel_position(grid, v, point);
    const ht_tube_place place = ht_tube_locate(&flow->tube, grid, point);
    const int wanted = at(&flow->tube, &place);
    (*coarser)[v] = (uint8_t)(wanted < most ? wanted : most);
  }
  return HT_OK;
}

ht_status ht_tube_flow_run(const ht_tube_shape *tube, const ht_solver_options *solver,
                           const ht_progress *progress, ht_tube_flow *flow) {
  return ht_tube_flow_levels(tube, NULL, solver, progress, flow);
}

ht_status ht_tube_flow_levels(const ht_tube_shape *tube, ht_tube_coarser coarser,
                              const ht_solver_options *solver, const ht_progress *progress,
                              ht_tube_flow *flow) {
  ht_solver_options options = *solver;
  uint8_t *levels = NULL;
  ht_tiling tiling = {0};
  ht_status status = HT_OK;
  memset(flow, 0, sizeof *flow);
  flow->tube = *tube;
  HT_TRY_DONE(ht_tube_domain(tube, &flow->domain));
  if (solver->walls == HT_WALLS_INTERPOLATED)
    HT_TRY_DONE(ht_tube_wall_distance(tube, &flow->domain, &flow->domain.wall_distance));
  HT_TRY_DONE(ht_tiling_build(&flow->domain.mask, NULL, &tiling));
  if (coarser && options.halvings > 0)
    HT_TRY_DONE(find_coarser(flow, coarser, options.halvings, &levels));
  options.coarser = levels;
  HT_TRY_DONE(ht_solve(&flow->domain, &tiling, &options, progress, &flow->flow, &flow->stats));
done:
  free(levels);
  ht_tiling_free(&tiling);
  return status;
}

void ht_tube_flow_free(ht_tube_flow *flow) {
  if (!flow) return;
  ht_domain_free(&flow->domain);
  ht_flow_free(&flow->flow);
}

/* One of the eight nodes around a point, with its weight. */
static double add_corner(const ht_flow *flow, const int at[3], double weight,
                         double velocity_m_s[3], double *pressure) {
  int64_t node = ht_flow_node_at(flow, at);
  if (weight <= 0 || node < 0) return 0;
  for (int a = 0; a < 3; a++) velocity_m_s[a] += weight * flow->velocity_m_s[3 * node + a];
  *pressure += weight * flow->pressure_pa[node];
  return weight;
}

void ht_tube_flow_sample(const ht_tube_flow *flow, double along_mm, double across_mm,
                         double velocity_m_s[3], double *pressure_pa) {
  const ht_grid *grid = &flow->flow.grid;
  double share = 0, part[3];
  int low[3];
  velocity_m_s[0] = velocity_m_s[1] = velocity_m_s[2] = *pressure_pa = 0;
  for (int a = 0; a < 3; a++) {
    double mm = (along_mm - 0.5 * flow->tube.length_mm) * flow->tube.direction[a] +
                (a == 0 ? across_mm : 0);
    double index = mm / grid->spacing_mm[a] + 0.5 * (grid->dim[a] - 1);
    low[a] = (int)floor(index);
    part[a] = index - low[a];
  }
  for (int c = 0; c < 8; c++) {
    int at[3];
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      at[a] = low[a] + (c >> a & 1);
      weight *= c >> a & 1 ? part[a] : 1 - part[a];
    }
    share += add_corner(&flow->flow, at, weight, velocity_m_s, pressure_pa);
  }
  *pressure_pa = share > 0 ? *pressure_pa / share : NAN;
}

int ht_tube_flow_at(const ht_tube_flow *flow, int64_t voxel, ht_tube_place *place,
                    double *axial_m_s, double *pressure_pa) {
  int32_t node = ht_flow_node(&flow->flow, voxel);
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

/* Pa/mm times mL/s is 1e-3 W/m, W/m3 times mm2 1e-6 W/m. */
double ht_tube_flow_dissipation(const ht_tube_flow *flow) {
  double sum = 0, axial, pressure, area_mm2 = HT_PI * pow(flow->tube.most_radius_mm, 2);
  ht_slope pressures = {0};
  for (int64_t v = 0; v < ht_grid_voxels(&flow->flow.grid); v++) {
    ht_tube_place place;
    if (flow->domain.mask.inside[v] != HT_VESSEL) continue;
    if (!ht_tube_flow_at(flow, v, &place, &axial, &pressure)) continue;
    ht_slope_add(&pressures, place.along_mm, pressure);
    sum += ht_flow_dissipation_w_m3(&flow->flow, ht_flow_node(&flow->flow, v));
  }
  double lost = -ht_slope_of(&pressures) * flow->tube.flow_ml_s;
  return 1e-3 * sum / pressures.count * area_mm2 / lost;
}

double ht_tube_constant_radius(const void *context, double along_mm) {
  (void)along_mm;
  return *(const double *)context;
}

void ht_slope_add(ht_slope *slope, double x, double y) {
  slope->count++;
  slope->x += x;
  slope->y += y;
  slope->xx += x * x;
  slope->xy += x * y;
}

double ht_slope_of(const ht_slope *s) {
  return (s->count * s->xy - s->x * s->y) / (s->count * s->xx - s->x * s->x);
}
