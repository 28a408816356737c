#include "bench/papers/plane/plane_lattice.h"
#include "bench/papers/plane/plane_nodes.h"
#include "bench/papers/plane/plane_tables.h"
#include "solver/kernels/start_noise.h"
#include <math.h>
#include <stdlib.h>

struct ht_plane {
  ht_plane_tables tables;
  ht_plane_map map;
  const ht_plane_backend *backend;
  void *state;
  char device[128];
  int64_t step;          /* done */
  int64_t watched_at;    /* step of the last watch; -1: none */
  void *host;            /* distribution functions on the host */
  int64_t host_step;     /* that they are of; -1: none */
  double *last_velocity; /* [tiles * 256][2] at the last watch; NULL: none */
};

/* ---- values on the host ---- */

static ht_status make_host(ht_plane *plane) {
  if (plane->host) return HT_OK;
  return ht_alloc(&plane->host, ht_plane_copy_bytes(&plane->tables), 1,
                  "the distribution functions on the host");
}

static ht_status fetch(ht_plane *plane) {
  if (plane->host_step == plane->step) return HT_OK;
  HT_TRY(make_host(plane));
  HT_TRY(plane->backend->download(plane->state, plane->host));
  plane->host_step = plane->step;
  return HT_OK;
}

static int64_t value_place(int64_t node, int q) {
  return node / HT_PLANE_NODES * HT_PLANE_VALUES + HT_PLANE_NODES * q + node % HT_PLANE_NODES;
}

static void put_value(ht_plane *plane, int64_t node, int q, double value) {
  int64_t at = value_place(node, q);
  if (plane->tables.precision == HT_FP64)
    ((double *)plane->host)[at] = value;
  else if (plane->tables.precision == HT_FP32)
    ((float *)plane->host)[at] = (float)value;
  else
    ((ht_half *)plane->host)[at] = ht_half_store((float)value);
}

static double get_value(const ht_plane *plane, int64_t node, int q) {
  int64_t at = value_place(node, q);
  if (plane->tables.precision == HT_FP64) return ((const double *)plane->host)[at];
  if (plane->tables.precision == HT_FP32) return ((const float *)plane->host)[at];
  return ht_half_load(((const ht_half *)plane->host)[at]);
}

/* ---- start ---- */

/* Equilibrium and the deviation from it that has the given stress: sigma = -(1 - omega/2) Pi, see
 * d2q9_stress_of(); g = w 9/2 (c c - 1/3) : Pi (Latt & Chopard, Math. Comput. Simul. 72 (2006)
 * 165). Then collided, because the stored values are those that leave a node. */
static void start_values(const ht_plane_tables *tables, const ht_plane_state *at, double g[9]) {
  double rho = at->density,
         full = HT_MODEL_COMPRESSIBILITY(tables->model) == HT_QUASI_COMPRESSIBLE ? 1 + rho : 1;
  double jx = full * at->velocity[0], jy = full * at->velocity[1], pi[3];
  for (int k = 0; k < 3; k++) pi[k] = at->stress[k] / (tables->omega / 2 - 1);
  for (int q = 0; q < HT_D2Q9_Q; q++) {
    double x = ht_d2q9_c[q][0], y = ht_d2q9_c[q][1], cj = x * jx + y * jy;
    double deviation = x * x * pi[0] + y * y * pi[1] + 2 * x * y * pi[2] - (pi[0] + pi[1]) / 3;
    g[q] = (q == 0  ? 4.0 / 9
            : q < 5 ? 1.0 / 9
                    : 1.0 / 36) *
           (rho + 3 * cj + (4.5 * cj * cj - 1.5 * (jx * jx + jy * jy)) / full + 4.5 * deviation);
  }
  d2q9_relax_f64(g, tables->model, tables->omega);
}

static void noise_values(double amplitude, int x, int y, double g[9]) {
  for (int q = 0; q < HT_D2Q9_Q; q++)
    g[q] = ht_start_value(amplitude, (uint64_t)x, (uint64_t)y, 0, q, HT_Q19);
}

static ht_status put_start(ht_plane *plane, const ht_plane_setup *setup) {
  if (!setup->start && !(setup->noise_lu > 0)) return HT_OK;
  HT_TRY(make_host(plane));
  for (int y = 0; y < setup->ny; y++)
    for (int x = 0; x < setup->nx; x++) {
      int64_t node = ht_plane_find(&plane->map, x, y);
      ht_plane_state at = {0};
      double g[9];
      if (node < 0 || !(plane->tables.links[node] & 1)) continue;
      if (setup->start) {
        setup->start(setup->context, x, y, &at);
        start_values(&plane->tables, &at, g);
      } else {
        noise_values(setup->noise_lu, x, y, g);
      }
      for (int q = 0; q < HT_D2Q9_Q; q++) put_value(plane, node, q, g[q]);
    }
  return plane->backend->upload(plane->state, plane->host);
}

/* ---- life ---- */

static ht_status build(ht_plane *plane, const ht_plane_setup *setup) {
  int on_gpu;
  plane->host_step = plane->watched_at = -1;
  HT_TRY(ht_choose_device(setup->device, &on_gpu));
  HT_TRY(ht_plane_build(setup, &plane->map, &plane->tables));
  plane->backend = on_gpu ? &ht_plane_backend_cuda : &ht_plane_backend_cpu;
  HT_TRY(plane->backend->create(&plane->tables, &plane->state, plane->device));
  return put_start(plane, setup);
}

ht_status ht_plane_create(const ht_plane_setup *setup, ht_plane **plane) {
  ht_plane *made;
  *plane = NULL;
  if (setup->collision == HT_CUMULANT)
    return ht_fail(HT_ERR_USAGE, "a plane flow has lbgk and mrt only; cumulants need three axes");
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the solver"));
  ht_status status = build(made, setup);
  if (status == HT_OK)
    *plane = made;
  else
    ht_plane_free(made);
  return status;
}

void ht_plane_free(ht_plane *plane) {
  if (!plane) return;
  if (plane->state) plane->backend->destroy(plane->state);
  free(plane->tables.neighbour);
  free(plane->tables.walled);
  free(plane->tables.links);
  free(plane->tables.port_node);
  free(plane->map.tile_of);
  free(plane->host);
  free(plane->last_velocity);
  free(plane);
}

const char *ht_plane_device(const ht_plane *plane) {
  return plane->device;
}

void ht_plane_measure_cost(const ht_plane *plane, ht_lattice_cost *cost) {
  plane->backend->measure_cost(plane->state, cost);
}

void ht_plane_count(const ht_plane *plane, int64_t *fluid, int64_t *stored) {
  *fluid = 0;
  *stored = plane->tables.tiles * HT_PLANE_NODES;
  for (int64_t n = 0; n < *stored; n++) *fluid += plane->tables.links[n] & 1;
}

/* ---- running ---- */

ht_status ht_plane_step(ht_plane *plane, int64_t steps) {
  HT_TRY(plane->backend->step(plane->state, plane->step, steps));
  plane->step += steps;
  return HT_OK;
}

/* Collisions conserve mass and momentum: the stored values have the flow before the collision. */
static void node_velocity(const ht_plane *plane, int64_t node, double u[2]) {
  double g[9], rho;
  for (int q = 0; q < HT_D2Q9_Q; q++) g[q] = get_value(plane, node, q);
  d2q9_velocity_f64(g, HT_MODEL_COMPRESSIBILITY(plane->tables.model), &rho, u);
  if (!isfinite(rho)) u[0] = NAN; /* so that it shows */
}

ht_status ht_plane_watch(ht_plane *plane, ht_lattice_monitor *monitor) {
  int64_t nodes = plane->tables.tiles * HT_PLANE_NODES, broken = 0;
  double difference2 = 0, speed2 = 0, most = 0;
  HT_TRY(fetch(plane));
  if (!plane->last_velocity)
    HT_TRY(ht_alloc((void **)&plane->last_velocity, (size_t)nodes, 2 * sizeof(double),
                    "the velocity"));
#pragma omp parallel for schedule(static)                                                          \
    reduction(+ : difference2, speed2, broken) reduction(max : most)
  for (int64_t n = 0; n < nodes; n++) {
    double u[2], *last = plane->last_velocity + 2 * n;
    node_velocity(plane, n, u);
    double size2 = u[0] * u[0] + u[1] * u[1];
    difference2 += (u[0] - last[0]) * (u[0] - last[0]) + (u[1] - last[1]) * (u[1] - last[1]);
    speed2 += size2;
    broken += !isfinite(size2);
    most = size2 > most ? size2 : most;
    last[0] = u[0], last[1] = u[1];
  }
  int64_t steps = plane->step - plane->watched_at;
  *monitor = (ht_lattice_monitor){plane->step, 1, broken ? NAN : sqrt(most)};
  if (plane->watched_at >= 0 && steps > 0 && speed2 > 0)
    monitor->change = sqrt(difference2 / speed2) / (double)steps;
  plane->watched_at = plane->step;
  return HT_OK;
}

/* ---- fields ---- */

static int compare_node(const void *wanted, const void *port) {
  int64_t x = *(const int64_t *)wanted, y = ((const ht_plane_port_node *)port)->node;
  return (x > y) - (x < y);
}

static const ht_plane_port_node *find_port(const ht_plane_tables *tables, int64_t node) {
  if (!(tables->links[node] & HT_PLANE_IS_PORT)) return NULL;
  return bsearch(&node, tables->port_node, (size_t)tables->port_nodes, sizeof *tables->port_node,
                 compare_node);
}

/* The values that arrive at a node, in double; ports and walls in the run's own precision. */
static void arrive(const ht_plane *plane, int64_t node, double g[9]) {
  const ht_plane_tables *tables = &plane->tables;
  const ht_plane_port_node *port = find_port(tables, node);
  double share = ht_inflow_share(plane->step, tables->ramp_steps);
  float single[9];
  if (tables->precision == HT_FP64)
    plane_arrive_any_f64(plane->host, tables->neighbour, tables->links, node, port, share,
                         HT_MODEL_COMPRESSIBILITY(tables->model), g);
  else if (tables->precision == HT_FP32)
    plane_arrive_any_f32(plane->host, tables->neighbour, tables->links, node, port, share,
                         HT_MODEL_COMPRESSIBILITY(tables->model), single);
  else
    plane_arrive_any_f16(plane->host, tables->neighbour, tables->links, node, port, share,
                         HT_MODEL_COMPRESSIBILITY(tables->model), single);
  for (int q = 0; q < HT_D2Q9_Q && tables->precision != HT_FP64; q++) g[q] = single[q];
}

static void read_node(const ht_plane *plane, int x, int y, ht_plane_fields *fields) {
  const ht_plane_tables *tables = &plane->tables;
  int64_t node = ht_plane_find(&plane->map, x, y), out = x + (int64_t)plane->map.nx * y;
  double g[9] = {0}, rho, u[2], stress[3];
  if (node >= 0 && (tables->links[node] & 1)) arrive(plane, node, g);
  d2q9_velocity_f64(g, HT_MODEL_COMPRESSIBILITY(tables->model), &rho, u);
  d2q9_stress_of_f64(g, tables->model, tables->omega, stress);
  if (fields->density) fields->density[out] = rho;
  for (int a = 0; a < 2 && fields->velocity; a++) fields->velocity[2 * out + a] = u[a];
  for (int k = 0; k < 3 && fields->stress; k++) fields->stress[3 * out + k] = stress[k];
}

ht_status ht_plane_read(ht_plane *plane, ht_plane_fields *fields) {
  HT_TRY(fetch(plane));
#pragma omp parallel for schedule(static)
  for (int y = 0; y < plane->map.ny; y++)
    for (int x = 0; x < plane->map.nx; x++) read_node(plane, x, y, fields);
  return HT_OK;
}

/* A value that leaves a node towards a wall along -c comes back along c: the wall gets twice its
 * momentum. */
ht_status ht_plane_force(ht_plane *plane, const int box[4], double force_lu[2]) {
  force_lu[0] = force_lu[1] = 0;
  HT_TRY(fetch(plane));
  for (int y = box[1] - 1; y <= box[3]; y++)
    for (int x = box[0] - 1; x <= box[2]; x++) {
      int64_t node = ht_plane_find(&plane->map, x, y);
      for (int q = 1; q < HT_D2Q9_Q && node >= 0 && (plane->tables.links[node] & 1); q++) {
        int wx = x - ht_d2q9_c[q][0], wy = y - ht_d2q9_c[q][1];
        if (!((plane->tables.links[node] >> q) & 1) || wx < box[0] || wx >= box[2] || wy < box[1] ||
            wy >= box[3])
          continue;
        double leaving = get_value(plane, node, ht_opposite(q));
        for (int a = 0; a < 2; a++) force_lu[a] -= 2 * leaving * ht_d2q9_c[q][a];
      }
    }
  return HT_OK;
}
