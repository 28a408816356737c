#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "tests/solver/common/ported_vessel.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 9 };

void ht_turn_voxel(const ht_turn *turn, const int dim[3], const int voxel[3], int turned[3]) {
  for (int a = 0; a < 3; a++)
    turned[turn->order[a]] = turn->sign[a] > 0 ? voxel[a] : dim[a] - 1 - voxel[a];
}

void ht_turn_vector(const ht_turn *turn, const double *vector, double *turned) {
  for (int a = 0; a < 3; a++) turned[turn->order[a]] = turn->sign[a] * vector[a];
}

static int64_t turned_index(const ht_turn *turn, const int dim[3], int64_t index) {
  int at[3], to[3], turned_dim[3];
  for (int a = 0; a < 3; a++) turned_dim[turn->order[a]] = dim[a];
  ht_voxel_place(dim, index, at);
  ht_turn_voxel(turn, dim, at, to);
  return to[0] + turned_dim[0] * (to[1] + (int64_t)turned_dim[1] * to[2]);
}

static void turn_mask(const ht_turn *turn, const ht_mask *from, ht_mask *to) {
  int dim[3];
  for (int a = 0; a < 3; a++) dim[turn->order[a]] = from->grid.dim[a];
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  assert_int_equal(ht_mask_alloc(&grid, to), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    to->inside[turned_index(turn, from->grid.dim, v)] = from->inside[v];
}

/* The nodes of the lowest layer that has any, away from the ports: the wall below them slides. */
static int64_t sliding_nodes(const ht_mask *mask, int64_t *node) {
  const int *dim = mask->grid.dim;
  int64_t count = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    if (!mask->inside[v] || at[2] != 1 || at[0] < 4 || at[1] > dim[1] - 6) continue;
    if (node) node[count] = v;
    count++;
  }
  return count;
}

static int64_t *take_nodes(const ht_domain *domain, int p, int64_t *count) {
  int slides = p == HT_VESSEL_PORTS - 1;
  *count = slides ? sliding_nodes(&domain->mask, NULL) : domain->port[p].nodes;
  assert_true(*count > 0);
  int64_t *node = calloc((size_t)*count, sizeof *node);
  assert_non_null(node);
  if (slides)
    sliding_nodes(&domain->mask, node);
  else
    memcpy(node, domain->port[p].node, (size_t)*count * sizeof *node);
  return node;
}

/* Oblique: 0.9 along the axis. */
static void set_port(const ht_domain *domain, int p, ht_lattice_port *port) {
  static const ht_lattice_port slide = {
      .kind = HT_PORT_MOVING_WALL, .axis = 2, .inward = 1, .wall_lu = {0.02, -0.01, 0}};
  *port = slide;
  if (p == HT_VESSEL_PORTS - 1) return;
  const ht_port *from = &domain->port[p];
  *port = (ht_lattice_port){.kind = p == 0 ? HT_PORT_VELOCITY : HT_PORT_PRESSURE,
                            .axis = from->axis,
                            .inward = from->inward};
  port->direction[port->axis] = port->inward * 0.9;
  port->direction[(port->axis + 1) % 3] = 0.3;
  port->direction[(port->axis + 2) % 3] = -sqrt(1 - 0.81 - 0.09);
}

static void turn_port(const ht_turn *turn, ht_lattice_port *port) {
  ht_lattice_port from = *port;
  port->axis = turn->order[from.axis];
  port->inward = turn->sign[from.axis] * from.inward;
  ht_turn_vector(turn, from.direction, port->direction);
  ht_turn_vector(turn, from.wall_lu, port->wall_lu);
}

void ht_ported_vessel_make(const ht_turn *turn, ht_ported_vessel *vessel) {
  ht_domain domain;
  memset(vessel, 0, sizeof *vessel);
  assert_int_equal(ht_bent_pipe_domain(ACROSS, 0.2, 0.2, 1, &domain), HT_OK);
  turn_mask(turn, &domain.mask, &vessel->mask);
  for (int p = 0; p < HT_VESSEL_PORTS; p++) {
    ht_lattice_port *port = &vessel->port[p];
    int64_t count;
    set_port(&domain, p, port);
    turn_port(turn, port);
    vessel->voxel[p] = take_nodes(&domain, p, &count);
    for (int64_t i = 0; i < count; i++)
      vessel->voxel[p][i] = turned_index(turn, domain.mask.grid.dim, vessel->voxel[p][i]);
    port->nodes = count;
    port->voxel = vessel->voxel[p];
  }
  vessel->speed = calloc((size_t)vessel->port[0].nodes, sizeof(double));
  assert_non_null(vessel->speed);
  for (int64_t i = 0; i < vessel->port[0].nodes; i++) vessel->speed[i] = 0.02 + 1e-4 * (double)i;
  vessel->port[0].speed_lu = vessel->speed;
  ht_domain_free(&domain);
}

void ht_ported_vessel_free(ht_ported_vessel *vessel) {
  for (int p = 0; p < HT_VESSEL_PORTS; p++) free(vessel->voxel[p]);
  free(vessel->speed);
  ht_mask_free(&vessel->mask);
}

ht_lattice_setup ht_ported_vessel_setup(ht_ported_vessel *vessel, ht_tiling *tiling) {
  const ht_turn straight = {{0, 1, 2}, {1, 1, 1}};
  ht_ported_vessel_make(&straight, vessel);
  assert_int_equal(ht_tiling_build(&vessel->mask, NULL, tiling), HT_OK);
  return (ht_lattice_setup){
      .tiling = tiling, .tau = 0.7, .ports = HT_VESSEL_PORTS, .port = vessel->port};
}

double *ht_ported_vessel_run(const ht_ported_vessel *vessel, const ht_tiling *tiling,
                             ht_lattice_setup *setup, int64_t steps) {
  ht_lattice *lattice;
  setup->tiling = tiling;
  setup->tau = 0.7;
  setup->ramp_steps = steps / 4;
  setup->ports = HT_VESSEL_PORTS;
  setup->port = vessel->port;
  ht_status status = ht_lattice_create(setup, &lattice);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  assert_int_equal(ht_lattice_step(lattice, steps), HT_OK);
  double *state = ht_read_voxels(lattice, tiling);
  ht_lattice_free(lattice);
  return state;
}

void ht_driven_pipe(int modes, const double *speed, ht_domain *domain, ht_tiling *tiling,
                    ht_lattice_port port[2]) {
  assert_int_equal(ht_pipe_domain(14, 22, 2, 1, 0.2, 1, domain), HT_OK);
  assert_int_equal(ht_tiling_build(&domain->mask, NULL, tiling), HT_OK);
  port[0] = (ht_lattice_port){.kind = HT_PORT_VELOCITY, .modes = modes, .speed_lu = speed};
  port[1] =
      (ht_lattice_port){.kind = HT_PORT_PRESSURE, .modes = 1, .density_lu = 0.002, .is_total = 1};
  for (int p = 0; p < 2; p++) {
    port[p].axis = domain->port[p].axis;
    port[p].inward = domain->port[p].inward;
    port[p].direction[port[p].axis] = port[p].inward;
    port[p].nodes = domain->port[p].nodes;
    port[p].voxel = domain->port[p].node;
  }
}
