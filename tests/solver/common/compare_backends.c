#include "tests/check.h"
#include "tests/solver/common/compare_backends.h"
#include "tiling/tiling.h"
#include <stdlib.h>
#include <string.h>

ht_lattice_fields ht_alloc_fields(int64_t nodes) {
  double *all = calloc((size_t)nodes, 10 * sizeof(double));
  assert_non_null(all);
  return (ht_lattice_fields){.density = all, .velocity = all + nodes, .stress = all + 4 * nodes};
}

static double size_of(int64_t count, const double *value) {
  double size = 0;
  for (int64_t i = 0; i < count; i++) size += value[i] * value[i];
  return sqrt(size);
}

/* Compares a field. `least`: the rounding of the values that a field is the sum of; it may be
 * smaller than that. */
static void assert_field(const char *name, int64_t count, const double *wanted, const double *found,
                         double most, double least) {
  double error = 0, size = size_of(count, wanted);
  for (int64_t i = 0; i < count; i++) error += (wanted[i] - found[i]) * (wanted[i] - found[i]);
  if (!(sqrt(error) <= most * size + least))
    fail_msg("the %s of the device: error %.3g, size %.3g, rounding %.3g", name, sqrt(error), size,
             least);
}

void ht_assert_fields(const ht_lattice *lattice, ht_precision precision, int64_t nodes,
                      const ht_lattice_fields *wanted, const ht_lattice_fields *found) {
  const int is_double = precision == HT_FP64;
  const double most = is_double ? 1e-12 : 1e-5;
  const double least = (is_double ? 1e-15 : 5e-7) * size_of(4 * nodes, wanted->density);
  if (strncmp(ht_lattice_device(lattice), "CPU", 3) == 0) {
    assert_memory_equal(wanted->density, found->density, 10 * (size_t)nodes * sizeof(double));
    return;
  }
  assert_field("density", nodes, wanted->density, found->density, most, least);
  assert_field("velocity", 3 * nodes, wanted->velocity, found->velocity, most, least);
  assert_field("stress", 6 * nodes, wanted->stress, found->stress, most, least);
}

static void take_tile(void *user, int64_t tile, const ht_lattice_fields *from) {
  const ht_lattice_fields *to = user;
  const size_t nodes = HT_TILE_NODES;
  memcpy(to->density + HT_TILE_NODES * tile, from->density, nodes * sizeof(double));
  memcpy(to->velocity + 3 * HT_TILE_NODES * tile, from->velocity, 3 * nodes * sizeof(double));
  memcpy(to->stress + 6 * HT_TILE_NODES * tile, from->stress, 6 * nodes * sizeof(double));
}

void ht_visit_fields(ht_lattice *lattice, ht_lattice_fields *fields) {
  assert_int_equal(ht_lattice_visit(lattice, take_tile, fields), HT_OK);
}

void ht_keep_fields(ht_lattice *lattice, ht_lattice_fields *fields) {
  assert_int_equal(ht_lattice_keep(lattice, 0), HT_OK);
  ht_visit_fields(lattice, fields);
}

/* Reads all fields: those read by way of the values are those that the device finds itself. */
static double *read_all(ht_lattice *lattice, const ht_lattice_setup *setup) {
  const int64_t nodes = setup->tiling->tiles * HT_TILE_NODES;
  ht_lattice_fields fields = ht_alloc_fields(nodes), found = ht_alloc_fields(nodes);
  ht_keep_fields(lattice, &found);
  assert_int_equal(ht_lattice_read(lattice, 0, setup->tiling->tiles, &fields), HT_OK);
  ht_assert_fields(lattice, setup->precision, nodes, &fields, &found);
  free(found.density);
  return fields.density;
}

/* A body force, where there is one, points elsewhere from now on. */
static void turn_force(const ht_lattice_setup *setup, ht_lattice *lattice) {
  const double *a = setup->acceleration_lu;
  if (a[0] == 0) return;
  assert_int_equal(ht_lattice_accelerate(lattice, (double[3]){a[1], a[2], a[0]}), HT_OK);
}

double ht_compare_backends(ht_lattice_setup *setup, int64_t steps) {
  double *values[2], error = 0, size = 0;
  ht_lattice_monitor seen[2];
  double flow[2][HT_OPENINGS_MAX] = {{0}}, momentum[2][3];
  for (int d = 0; d < 2; d++) {
    ht_lattice *lattice;
    setup->device = d ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
    assert_int_equal(ht_lattice_create(setup, &lattice), HT_OK);
    assert_int_equal(strncmp(ht_lattice_device(lattice), "CPU", 3) == 0, d == 0);
    assert_int_equal(ht_lattice_step(lattice, steps / 2), HT_OK);
    turn_force(setup, lattice);
    if (setup->ports) assert_int_equal(ht_lattice_scale_inflow(lattice, 0, 1.02), HT_OK);
    assert_int_equal(ht_lattice_step(lattice, steps - steps / 2), HT_OK);
    assert_int_equal(ht_lattice_port_flow(lattice, flow[d]), HT_OK);
    assert_int_equal(ht_lattice_watch(lattice, &seen[d]), HT_OK);
    assert_int_equal(ht_lattice_momentum(lattice, momentum[d]), HT_OK);
    values[d] = read_all(lattice, setup);
    ht_lattice_free(lattice);
  }
  for (int64_t i = 0; i < setup->tiling->tiles * 64 * 10; i++) {
    error += (values[0][i] - values[1][i]) * (values[0][i] - values[1][i]);
    size += values[0][i] * values[0][i];
  }
  free(values[0]);
  free(values[1]);
  assert_true(size > 0);
  for (int p = 0; p < setup->ports; p++)
    if (setup->port[p].kind != HT_PORT_MOVING_WALL) /* nothing flows through a wall */
      assert_near(flow[0][p], flow[1][p], 1e-4 * fabs(flow[0][0]));
  double most = setup->precision == HT_FP16 ? 2e-3 : 1e-5;
  assert_near(seen[0].max_speed, seen[1].max_speed, most * seen[0].max_speed);
  double all = (double)setup->tiling->nodes * seen[0].max_speed;
  for (int a = 0; a < 3; a++) assert_near(momentum[0][a], momentum[1][a], most * all);
  return sqrt(error / size);
}

/* The ports of a domain; all inlets share one array of speeds. */
static void take_ports(const ht_domain *domain, const double *speed, ht_lattice_port *port) {
  for (int p = 0; p < domain->ports; p++) {
    const ht_port *from = &domain->port[p];
    int inlet = from->opening.role == HT_ROLE_INLET;
    port[p] = (ht_lattice_port){.kind = inlet ? HT_PORT_VELOCITY : HT_PORT_PRESSURE,
                                .axis = from->axis,
                                .inward = from->inward,
                                .nodes = from->nodes,
                                .voxel = from->node,
                                .speed_lu = speed};
    memcpy(port[p].direction, from->direction, sizeof port[p].direction);
  }
}

double ht_compare_domain(const ht_domain *domain, ht_precision precision, double tau,
                         double speed_lu, int64_t steps) {
  ht_lattice_port port[HT_OPENINGS_MAX];
  ht_tiling tiling;
  int64_t most = 0;
  for (int p = 0; p < domain->ports; p++)
    most = domain->port[p].nodes > most ? domain->port[p].nodes : most;
  double *speed = calloc((size_t)most, sizeof(double));
  assert_non_null(speed);
  for (int64_t i = 0; i < most; i++) speed[i] = speed_lu;
  take_ports(domain, speed, port);
  assert_int_equal(ht_tiling_build(&domain->mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = tau,
                            .precision = precision,
                            .ramp_steps = steps / 5,
                            .ports = domain->ports,
                            .port = port,
                            .wall_distance = domain->wall_distance};
  double difference = ht_compare_backends(&setup, steps);
  free(speed);
  ht_tiling_free(&tiling);
  return difference;
}
