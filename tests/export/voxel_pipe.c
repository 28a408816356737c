#include "tests/export/voxel_pipe.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void ht_pipe_place(const ht_pipe *pipe, const double index[3], double *radius, double *along,
                   double outward[3]) {
  double square = 0;
  *along = 0;
  for (int a = 0; a < 3; a++) *along += (index[a] - pipe->centre[a]) * pipe->direction[a];
  for (int a = 0; a < 3; a++) {
    outward[a] = index[a] - pipe->centre[a] - *along * pipe->direction[a];
    square += outward[a] * outward[a];
  }
  *radius = sqrt(square);
  for (int a = 0; a < 3; a++) outward[a] /= *radius > 0 ? *radius : 1;
}

static void index_of(const ht_grid *grid, int64_t v, double index[3]) {
  index[0] = (double)(v % grid->dim[0]);
  index[1] = (double)(v / grid->dim[0] % grid->dim[1]);
  index[2] = (double)(v / grid->dim[0] / grid->dim[1]);
}

static ht_grid grid_of(ht_pipe *pipe, const ht_grid *frame) {
  ht_grid grid = *frame;
  double length = 0;
  for (int a = 0; a < 3; a++) length += pipe->direction[a] * pipe->direction[a];
  for (int a = 0; a < 3; a++) pipe->direction[a] /= sqrt(length);
  const double *d = pipe->direction;
  double reach = pipe->length * d[0];
  grid.dim[0] = (int)reach + 4;
  for (int a = 1; a < 3; a++)
    grid.dim[a] = (int)(pipe->across * 1.5 + reach * fabs(d[a]) / d[0]) + 6;
  for (int a = 0; a < 3; a++) {
    grid.spacing_mm[a] = pipe->spacing_mm;
    /* off the nodes and off the middle between them, so that symmetry does not help */
    pipe->centre[a] = 0.5 * (grid.dim[a] - 1) + (a == 1 ? 0.17 : a == 2 ? -0.23 : 0);
  }
  pipe->half_wall = 0.3 * pipe->length;
  return grid;
}

static void fill(const ht_pipe *pipe, ht_mask *mask) {
  const ht_grid *grid = &mask->grid;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    double index[3], radius, along, outward[3];
    index_of(grid, v, index);
    ht_pipe_place(pipe, index, &radius, &along, outward);
    if (index[0] < 1 || index[0] > grid->dim[0] - 2 || radius >= 0.5 * pipe->across) continue;
    mask->inside[v] = fabs(along) > pipe->half_wall ? HT_EXTENSION : HT_VESSEL;
  }
}

/* Sets a port. A node of a port needs a node next to it, inside. */
static ht_status set_port(const ht_pipe *pipe, ht_domain *domain, int p) {
  ht_port *port = &domain->port[p];
  ht_mask *mask = &domain->mask;
  const int *dim = mask->grid.dim;
  int plane = p ? dim[0] - 2 : 1, inward = p ? -1 : 1;
  port->inward = inward;
  for (int a = 0; a < 3; a++) port->direction[a] = inward * pipe->direction[a];
  HT_TRY(ht_alloc((void **)&port->node, (size_t)dim[1] * (size_t)dim[2], sizeof(int64_t), "port"));
  for (int64_t v = plane; v < ht_grid_voxels(&mask->grid); v += dim[0]) {
    if (mask->inside[v] && mask->inside[v + inward]) port->node[port->nodes++] = v;
    if (mask->inside[v] && !mask->inside[v + inward]) mask->inside[v] = HT_SOLID;
  }
  return HT_OK;
}

ht_status ht_voxel_pipe(ht_pipe *pipe, const ht_grid *frame, double flow_ml_s, ht_domain *domain) {
  ht_grid grid = grid_of(pipe, frame);
  memset(domain, 0, sizeof *domain);
  HT_TRY(ht_mask_alloc(&grid, &domain->mask));
  fill(pipe, &domain->mask);
  domain->ports = 2;
  for (int p = 0; p < 2; p++) {
    HT_TRY(set_port(pipe, domain, p));
    domain->port[p].opening.role = p ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    domain->port[p].opening.flow_ml_s = p ? 0 : flow_ml_s;
    snprintf(domain->port[p].opening.name, HT_NAME_MAX, "%s", p ? "outlet" : "inlet");
  }
  return HT_OK;
}

static double mean_velocity(const ht_pipe *pipe, double flow_ml_s) {
  double radius_m = 0.5e-3 * pipe->across * pipe->spacing_mm;
  return flow_ml_s * 1e-6 / (HT_PI * radius_m * radius_m);
}

double ht_pipe_wss(const ht_pipe *pipe, double flow_ml_s, double viscosity_pa_s) {
  double radius_m = 0.5e-3 * pipe->across * pipe->spacing_mm;
  return 4 * viscosity_pa_s * mean_velocity(pipe, flow_ml_s) / radius_m;
}

/* ---- exact flows ---- */

/* Computes J0 and J1 by their series, for |z| up to about 20. */
static void bessel(double complex z, double complex *j0, double complex *j1) {
  double complex term = 1;
  *j0 = *j1 = 0;
  for (int k = 0; k < 120; k++) {
    *j0 += term;
    *j1 += term * (z / 2) / (k + 1);
    term *= -(z * z) / 4 / ((k + 1.0) * (k + 1.0));
  }
}

void ht_pipe_wave(double alpha, double phase, double r, double *speed, double *slope) {
  *speed = (1 - r * r) * cos(phase);
  *slope = -2 * r * cos(phase);
  if (alpha == 0) return;
  double complex lambda = alpha * cexp(0.75 * I * HT_PI), turn = cexp(I * phase), at[2], wall[2];
  bessel(lambda, &wall[0], &wall[1]);
  bessel(lambda * r, &at[0], &at[1]);
  *speed = creal((1 - at[0] / wall[0]) * turn);
  *slope = creal(lambda * at[1] / wall[0] * turn);
}

typedef struct {
  double alpha, phase, speed_m_s; /* u = speed_m_s times ht_pipe_wave */
  double slope_pa_mm;             /* of the pressure along the pipe */
  double viscosity_pa_s;
} profile;

/* sigma = mu (grad u + its transpose): the only shear is between the axis d and the radius. */
static void set_node(const ht_pipe *pipe, const ht_grid *grid, const double index[3],
                     const profile *of, ht_flow *flow, int64_t node) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  double radius, along, outward[3], d[3], q[3], speed, slope;
  ht_pipe_place(pipe, index, &radius, &along, outward);
  ht_grid_to_lps(grid, pipe->direction, d);
  ht_grid_to_lps(grid, outward, q);
  double radius_m = 0.5e-3 * pipe->across * pipe->spacing_mm;
  ht_pipe_wave(of->alpha, of->phase, radius / (0.5 * pipe->across), &speed, &slope);
  double shear_pa = of->viscosity_pa_s * of->speed_m_s * slope / radius_m;
  for (int a = 0; a < 3; a++)
    flow->velocity_m_s[3 * node + a] = (float)(of->speed_m_s * speed * d[a]);
  for (int s = 0; s < 6; s++)
    flow->stress_pa[6 * node + s] =
        (float)(shear_pa * (d[pair[s][0]] * q[pair[s][1]] + d[pair[s][1]] * q[pair[s][0]]));
  flow->pressure_pa[node] = (float)(of->slope_pa_mm * along * pipe->spacing_mm);
}

static ht_status make_flow(const ht_pipe *pipe, const ht_domain *domain, const profile *of,
                           ht_flow *flow) {
  const ht_grid *grid = &domain->mask.grid;
  size_t voxels = (size_t)ht_grid_voxels(grid);
  size_t nodes = (size_t)ht_mask_count(&domain->mask);
  memset(flow, 0, sizeof *flow);
  flow->grid = *grid;
  flow->viscosity_pa_s = of->viscosity_pa_s;
  HT_TRY(ht_node_map_of_mask((int64_t)voxels, domain->mask.inside, &flow->node_of));
  HT_TRY(ht_alloc((void **)&flow->velocity_m_s, 3 * nodes, sizeof(float), "the flow"));
  HT_TRY(ht_alloc((void **)&flow->pressure_pa, nodes, sizeof(float), "the flow"));
  HT_TRY(ht_alloc((void **)&flow->stress_pa, 6 * nodes, sizeof(float), "the flow"));
  for (size_t v = 0; v < voxels; v++) {
    double index[3];
    if (!domain->mask.inside[v]) continue;
    index_of(grid, (int64_t)v, index);
    set_node(pipe, grid, index, of, flow, flow->nodes++);
  }
  return HT_OK;
}

ht_status ht_pipe_flow(const ht_pipe *pipe, const ht_domain *domain, double flow_ml_s,
                       double viscosity_pa_s, ht_flow *flow) {
  double wss = ht_pipe_wss(pipe, flow_ml_s, viscosity_pa_s);
  profile of = {.speed_m_s = 2 * mean_velocity(pipe, flow_ml_s),
                .slope_pa_mm = -2 * wss / (0.5 * pipe->across * pipe->spacing_mm),
                .viscosity_pa_s = viscosity_pa_s};
  return make_flow(pipe, domain, &of, flow);
}

/* The gradient of the pressure, Pa/m, for 1 m/s: at the wall the fluid rests, so that it balances
 * the viscous force, mu (u'' + u'/r). */
static double wave_gradient(const ht_pipe *pipe, double alpha, double phase,
                            double viscosity_pa_s) {
  const double step = 1e-3, radius_m = 0.5e-3 * pipe->across * pipe->spacing_mm;
  double speed, slope[3];
  for (int k = 0; k < 3; k++) ht_pipe_wave(alpha, phase, 1 - k * step, &speed, &slope[k]);
  double second = (3 * slope[0] - 4 * slope[1] + slope[2]) / (2 * step);
  return viscosity_pa_s * (second + slope[0]) / (radius_m * radius_m);
}

ht_status ht_pipe_wave_flow(const ht_pipe *pipe, const ht_domain *domain, double alpha,
                            double phase, double viscosity_pa_s, ht_flow *flow) {
  profile of = {.alpha = alpha, .phase = phase, .speed_m_s = 1, .viscosity_pa_s = viscosity_pa_s};
  of.slope_pa_mm = 1e-3 * wave_gradient(pipe, alpha, phase, viscosity_pa_s);
  return make_flow(pipe, domain, &of, flow);
}

ht_status ht_pipe_distance(const ht_pipe *pipe, ht_domain *domain) {
  const ht_grid *grid = &domain->mask.grid;
  int64_t voxels = ht_grid_voxels(grid);
  HT_TRY(ht_alloc((void **)&domain->wall_distance, (size_t)voxels, sizeof(float), "the distance"));
  for (int64_t v = 0; v < voxels; v++) {
    double index[3], radius, along, outward[3];
    index_of(grid, v, index);
    ht_pipe_place(pipe, index, &radius, &along, outward);
    domain->wall_distance[v] = (float)(0.5 * pipe->across - radius);
  }
  return HT_OK;
}
