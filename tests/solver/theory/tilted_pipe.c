#include "tests/check.h"
#include "tests/solver/theory/tilted_pipe.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static const double peak_at_24 = 0.02, steady = 1e-8;
enum { STEPS_A_LOOK = 200, MOST_STEPS = 40000 };

double ht_tilted_pipe_radius_at(const ht_tilted_pipe *pipe, const double at[3], double *along) {
  double off[3], square = 0;
  *along = 0;
  for (int a = 0; a < 3; a++) {
    off[a] = at[a] - pipe->centre[a];
    *along += off[a] * pipe->axis[a];
  }
  for (int a = 0; a < 3; a++) {
    double across = off[a] - *along * pipe->axis[a];
    square += across * across;
  }
  return sqrt(square);
}

static double speed_at(const ht_tilted_pipe *pipe, const double at[3]) {
  double along, r = ht_tilted_pipe_radius_at(pipe, at, &along) / pipe->radius;
  return r < 1 ? pipe->peak * (1 - r * r) : 0;
}

static void place(const ht_tilted_pipe *pipe, int64_t voxel, double at[3]) {
  int index[3];
  ht_voxel_place(pipe->mask.grid.dim, voxel, index);
  for (int a = 0; a < 3; a++) at[a] = index[a];
}

/* ---- the shape ---- */

/* Mask and distance. The ports' planes are those before them, moved straight: each node of a port
 * has one inside of it. */
static void fill(ht_tilted_pipe *pipe) {
  const int *dim = pipe->mask.grid.dim;
  for (int64_t v = 0; v < ht_grid_voxels(&pipe->mask.grid); v++) {
    double at[3], along;
    place(pipe, v, at);
    int is_end = at[0] < 1 || at[0] > dim[0] - 2;
    at[0] = fmin(fmax(at[0], 2), dim[0] - 3);
    pipe->distance[v] = (float)(pipe->radius - ht_tilted_pipe_radius_at(pipe, at, &along));
    pipe->mask.inside[v] = !is_end && pipe->distance[v] > 0;
  }
}

static void take_port(ht_tilted_pipe *pipe, int p) {
  const int *dim = pipe->mask.grid.dim;
  int x = p ? dim[0] - 2 : 1;
  pipe->voxel[p] = calloc((size_t)dim[1] * (size_t)dim[2], sizeof(int64_t));
  assert_non_null(pipe->voxel[p]);
  for (int64_t v = x; v < ht_grid_voxels(&pipe->mask.grid); v += dim[0])
    if (pipe->mask.inside[v]) pipe->voxel[p][pipe->nodes[p]++] = v;
}

static void set_speed(ht_tilted_pipe *pipe) {
  pipe->speed = calloc((size_t)pipe->nodes[0], sizeof(double));
  assert_non_null(pipe->speed);
  for (int64_t i = 0; i < pipe->nodes[0]; i++) {
    double at[3];
    place(pipe, pipe->voxel[0][i], at);
    pipe->speed[i] = speed_at(pipe, at) * pipe->axis[0];
  }
}

/* The pipe's axis is off the lattice's points of symmetry, so that links are cut at all
 * fractions. */
void ht_tilted_pipe_make(const ht_tilted_pipe_case *wanted, ht_tilted_pipe *pipe) {
  double angle = wanted->degrees * HT_PI / 180, across = wanted->across;
  double length = (wanted->lengths > 0 ? wanted->lengths : 4.5) * across * cos(angle);
  int width = (int)(length * tan(angle) + across / cos(angle)) + 6;
  ht_grid grid = ht_grid_make((int)length + 2, width, wanted->across + 6);
  memset(pipe, 0, sizeof *pipe);
  pipe->radius = across / 2;
  pipe->axis[0] = cos(angle), pipe->axis[1] = sin(angle);
  pipe->centre[0] = 0.5 * (grid.dim[0] - 1);
  pipe->centre[1] = 0.5 * (grid.dim[1] - 1) + 0.137;
  pipe->centre[2] = 0.5 * (grid.dim[2] - 1) - 0.219;
  pipe->peak = peak_at_24 * 24 / across; /* the same Reynolds number */
  pipe->tau = wanted->tau;
  assert_int_equal(ht_mask_alloc(&grid, &pipe->mask), HT_OK);
  pipe->distance = calloc((size_t)ht_grid_voxels(&grid), sizeof(float));
  assert_non_null(pipe->distance);
  fill(pipe);
  for (int p = 0; p < 2; p++) take_port(pipe, p);
  set_speed(pipe);
}

void ht_tilted_pipe_free(ht_tilted_pipe *pipe) {
  ht_mask_free(&pipe->mask);
  free(pipe->distance);
  for (int p = 0; p < 2; p++) free(pipe->voxel[p]);
  free(pipe->speed);
}

/* ---- the flow ---- */

static double gradient(const ht_tilted_pipe *pipe) {
  double viscosity = (pipe->tau - 0.5) / 3;
  return -4 * viscosity * pipe->peak / (pipe->radius * pipe->radius);
}

/* Velocity, and density of pressure 0 at the middle of the outlet. */
static void exact(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const ht_tilted_pipe *pipe = data;
  double at[3] = {voxel[0], voxel[1], voxel[2]}, along;
  double end = (pipe->mask.grid.dim[0] - 2 - pipe->centre[0]) / pipe->axis[0];
  double speed = speed_at(pipe, at);
  ht_tilted_pipe_radius_at(pipe, at, &along);
  flow->density = 3 * gradient(pipe) * (along - end);
  for (int a = 0; a < 3; a++) flow->velocity[a] = speed * pipe->axis[a];
}

static int64_t settle(const ht_tilted_pipe *pipe, ht_lattice *lattice) {
  double flow[2], asked = HT_PI / 2 * pipe->radius * pipe->radius * pipe->peak;
  ht_lattice_monitor seen = {.change = 1};
  while (seen.change > steady && seen.step < MOST_STEPS) {
    assert_int_equal(ht_lattice_step(lattice, STEPS_A_LOOK), HT_OK);
    assert_int_equal(ht_lattice_watch(lattice, &seen), HT_OK);
    assert_true(isfinite(seen.max_speed));
    assert_int_equal(ht_lattice_port_flow(lattice, flow), HT_OK);
    assert_int_equal(ht_lattice_scale_inflow(lattice, 0, asked / flow[0]), HT_OK);
  }
  return seen.step;
}

/* The error of the velocity, and the slope of the pressure by least squares. */
static void compare(const ht_tilted_pipe *pipe, const double *state,
                    ht_tilted_pipe_result *result) {
  double error2 = 0, size2 = 0, sum[5] = {0};
  for (int64_t v = 0; v < ht_grid_voxels(&pipe->mask.grid); v++) {
    double at[3], along;
    int index[3];
    ht_voxel_flow flow = {0};
    ht_voxel_place(pipe->mask.grid.dim, v, index);
    place(pipe, v, at);
    ht_tilted_pipe_radius_at(pipe, at, &along);
    if (!pipe->mask.inside[v] || fabs(along) > pipe->radius / 2) continue;
    exact(index, pipe, &flow);
    const double term[5] = {1, along, along * along, state[4 * v], along * state[4 * v]};
    for (int k = 0; k < 5; k++) sum[k] += term[k];
    for (int a = 0; a < 3; a++) {
      error2 += pow(state[4 * v + 1 + a] - flow.velocity[a], 2);
      size2 += flow.velocity[a] * flow.velocity[a];
    }
  }
  double slope = (sum[0] * sum[4] - sum[1] * sum[3]) / (sum[0] * sum[2] - sum[1] * sum[1]);
  result->error = sqrt(error2 / size2);
  result->gradient = slope / 3 / gradient(pipe);
}

void ht_tilted_pipe_run(const ht_tilted_pipe *pipe, const float *distance, ht_lattice_setup setup,
                        ht_tilted_pipe_result *result) {
  ht_lattice_port port[2] = {{.kind = HT_PORT_VELOCITY, .inward = 1, .speed_lu = pipe->speed},
                             {.kind = HT_PORT_PRESSURE, .inward = -1}};
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_lattice_cost cost;
  double flow[2];
  for (int p = 0; p < 2; p++) {
    port[p].nodes = pipe->nodes[p];
    port[p].voxel = pipe->voxel[p];
    for (int a = 0; a < 3; a++) port[p].direction[a] = (p ? -1 : 1) * pipe->axis[a];
  }
  assert_int_equal(ht_tiling_build(&pipe->mask, NULL, &tiling), HT_OK);
  setup.tiling = &tiling, setup.tau = pipe->tau;
  setup.ports = 2, setup.port = port;
  setup.wall_distance = distance;
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  ht_write_voxels(lattice, &tiling, exact, pipe);
  result->steps = settle(pipe, lattice);
  ht_lattice_measure_cost(lattice, &cost);
  result->wall_links = cost.wall_links, result->half_way_links = cost.half_way_links;
  assert_int_equal(ht_lattice_port_flow(lattice, flow), HT_OK);
  result->imbalance = (flow[0] + flow[1]) / flow[0];
  double *state = ht_read_voxels(lattice, &tiling);
  compare(pipe, state, result);
  free(state);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
}
