#include "solver/lattice/node_fields.h"
#include "solver/kernels/nodes.h"
#include "solver/lattice/sponge_table.h"
#include <math.h>
#include <string.h>

double ht_node_mass(const ht_lattice_tables *tables, double density) {
  return HT_MODEL_COMPRESSIBILITY(tables->model) == HT_QUASI_COMPRESSIBLE ? 1 + density : 1;
}

/* ---- reading ---- */

/* The values that arrive at a node, in double. Ports and walls applied in the run's own precision.
 */
static void arrive(const ht_node_reader *reader, int64_t tile, int local, double g[HT_Q_MOST]) {
  const ht_lattice_tables *tables = reader->tables;
  const int32_t *neighbours = tables->neighbour;
  const int model = tables->model, directions = tables->directions;
  int64_t number = ht_find_port_node(tables, HT_TILE_NODES * tile + local);
  const ht_port_node *port = number < 0 ? NULL : &tables->port_node[number];
  ht_port_asked asked = {0};
  if (port) asked = ht_port_ask(port, reader->coefficient, tables->shape);
  uint32_t links = tables->links[HT_TILE_NODES * tile + local];
  if (tables->precision == HT_FP64) {
    if (port)
      arrive_at_port_f64(reader->values, neighbours, tables->links, port, asked, model, g);
    else
      arrive_f64(reader->values, directions, neighbours, links, tile, local, g);
    return;
  }
  float single[HT_Q_MOST];
  if (port)
    arrive_at_port_f32(reader->values, neighbours, tables->links, port, asked, model, single);
  else
    arrive_f32(reader->values, directions, neighbours, links, tile, local, single);
  for (int q = 0; q < directions; q++) g[q] = single[q];
}

/* omega of a node before its collision. */
static double rate_of(const ht_lattice_tables *tables, int64_t node, const double g[HT_Q_MOST]) {
  double omega = tables->rate ? local_rate_f64(g, tables->model, tables->rate) : tables->omega;
  return damped_rate_f64(omega, ht_sponge_keep(tables, node));
}

void ht_node_read(const ht_node_reader *reader, int64_t tile, int local, int64_t out,
                  ht_lattice_fields *fields) {
  const ht_lattice_tables *tables = reader->tables;
  double g[HT_Q_MOST] = {0}, rho, u[3], stress[6];
  int is_fluid = (int)((tables->tiling->inside[tile] >> local) & 1);
  if (is_fluid) arrive(reader, tile, local, g);
  velocity_f64(g, tables->model, &rho, u);
  for (int a = 0; a < 3 && is_fluid; a++) u[a] += tables->acceleration[a] / 2;
  if (fields->density) fields->density[out] = rho;
  if (fields->velocity) memcpy(fields->velocity + 3 * out, u, sizeof u);
  double omega = rate_of(tables, HT_TILE_NODES * tile + local, g);
  if (fields->viscosity) fields->viscosity[out] = (1 / omega - 0.5) / 3;
  if (!fields->stress) return;
  stress_of_f64(g, tables->model, omega, stress);
  memcpy(fields->stress + 6 * out, stress, sizeof stress);
}

void ht_tile_read(const ht_node_reader *reader, int64_t tile, ht_lattice_fields *fields) {
  for (int n = 0; n < HT_TILE_NODES; n++) ht_node_read(reader, tile, n, n, fields);
}

/* ---- writing ---- */

/* omega of a node that has this stress. Without the trace, sigma = -(1 - omega/2) Pi: for the
 * unknown x, (1 - omega(x)/2)^2 x is known and rises with x (relax_table.h). */
static double rate_of_stress(const ht_lattice_tables *tables, double rho, const double *stress) {
  if (!tables->rate) return tables->omega;
  double mean = (stress[0] + stress[1] + stress[2]) / 3, square = 0;
  double density = ht_node_mass(tables, rho);
  for (int k = 0; k < 3; k++)
    square += (stress[k] - mean) * (stress[k] - mean) + 2 * stress[3 + k] * stress[3 + k];
  double known = square / (density * density), low = -HT_RELAX_OCTAVES, high = 0; /* log2 x */
  for (int i = 0; i < 56; i++) {
    double middle = 0.5 * (low + high), x = exp2(middle);
    double share = 1 - look_up_rate_f64(x, tables->rate) / 2;
    if (share * share * x < known)
      low = middle;
    else
      high = middle;
  }
  return look_up_rate_f64(exp2(low), tables->rate);
}

/* The inverse of ht_node_read(): the values of a node before its collision. */
static void build_node(const ht_lattice_tables *tables, int64_t node, const ht_node_state *state,
                       int has_stress, double g[HT_Q_MOST]) {
  double rho = state->density, momentum[3], moment[6] = {0};
  double mass = ht_node_mass(tables, rho);
  for (int a = 0; a < 3; a++)
    momentum[a] = mass * (state->velocity[a] - tables->acceleration[a] / 2);
  if (has_stress) {
    double rate = rate_of_stress(tables, rho, state->stress);
    double omega = damped_rate_f64(rate, ht_sponge_keep(tables, node));
    moment_of_f64(state->stress, tables->model, omega, moment);
  }
  rebuild_of_f64(g, tables->model, rho, momentum, moment);
}

/* Returns the place from which the next step pulls direction q of a node: the reverse of arrive().
 * -1: it is in a tile that is not wanted. */
static int64_t pulled_place(const ht_lattice_tables *tables, int64_t node, int q,
                            const int32_t *place) {
  int slot, from, at = (int)(node % HT_TILE_NODES), direction = q;
  int64_t tile = node / HT_TILE_NODES;
  ht_pull_source(at, q, &slot, &from);
  int64_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
  if (there < 0 || !((tables->tiling->inside[there] >> from) & 1)) { /* a wall */
    there = tile;
    from = at;
    direction = ht_opposite(q);
  }
  if (place) there = place[there];
  return there < 0 ? -1
                   : there * HT_TILE_VALUES(tables->directions) + HT_TILE_NODES * direction + from;
}

static void send_back(const ht_lattice_tables *tables, int64_t node, const double g[HT_Q_MOST],
                      const int32_t *place, void *values) {
  for (int q = 0; q < tables->directions; q++) {
    int64_t at = pulled_place(tables, node, q, place);
    if (at < 0) continue;
    if (tables->precision == HT_FP64)
      ((double *)values)[at] = g[q];
    else
      ((float *)values)[at] = (float)g[q];
  }
}

/* Tells whether a value of a tile goes to one that is wanted. */
static int is_near(const ht_lattice_tables *tables, int64_t tile, const int32_t *place) {
  for (int i = 0; place && i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    if (there >= 0 && place[there] >= 0) return 1;
  }
  return !place;
}

/* Every value is pulled by one node, so no two threads write one place. */
void ht_nodes_spread(const ht_lattice_tables *tables, ht_node_source source, void *user,
                     int has_stress, const int32_t *place, void *values) {
  const ht_tiling *tiling = tables->tiling;
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++) {
    if (!is_near(tables, t, place)) continue;
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1) {
      double g[HT_Q_MOST];
      ht_node_state state = {.density = 0};
      int64_t node = HT_TILE_NODES * t + __builtin_ctzll(left);
      source(user, node, &state);
      build_node(tables, node, &state, has_stress, g);
      send_back(tables, node, g, place, values);
    }
  }
}
