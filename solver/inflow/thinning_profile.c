#include "solver/inflow/thinning_profile.h"
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 200, SWEEPS = 4000 };

static const double settled = 1e-6, solved = 1e-9; /* of the largest value, in a round; a sweep */

typedef struct {
  ht_port_section map; /* values: m/s along the vessel */
  ht_port_stencil weight;
  double *viscosity; /* [ny][nx] m2/s at the nodes */
  double slope[2];   /* a and b of the stencil */
  int64_t nodes;
} solution;

/* A neighbour outside has the mirror image -u: the wall lies half-way. */
static double beside(const ht_port_section *s, int p, int q) {
  return s->fluid[q] ? s->value[q] : -s->value[p];
}

/* |grad u| across the vessel, 1/s: with the stencil's a and b, of the derivatives on the plane. */
static double shear_rate(const solution *s, int p, double dx_m) {
  const ht_port_section *map = &s->map;
  double x = (beside(map, p, p + 1) - beside(map, p, p - 1)) / (2 * dx_m);
  double y = (beside(map, p, p + map->nx) - beside(map, p, p - map->nx)) / (2 * dx_m);
  double a = s->slope[0], b = s->slope[1];
  return sqrt((1 + a * a) * x * x + 2 * a * b * x * y + (1 + b * b) * y * y);
}

static void set_viscosity(solution *s, const ht_viscosity_law *law, double dx_m) {
  for (int64_t i = 0; i < s->nodes; i++) {
    int p = s->map.place[i];
    s->viscosity[p] = ht_viscosity(law, shear_rate(s, p, dx_m));
  }
}

/* One Gauss-Seidel update: between two nodes counts the mean of their viscosities. */
static double relax(const solution *s, int p, double push) {
  const ht_port_section *map = &s->map;
  double sum = push, diagonal = 0;
  for (int d = 0; d < 9; d++) {
    int q = p + (d / 3 - 1) * map->nx + d % 3 - 1;
    double w = s->weight[d / 3][d % 3];
    if (d == 4 || w == 0) continue;
    if (map->fluid[q]) {
      w *= (s->viscosity[p] + s->viscosity[q]) / 2;
      sum += w * map->value[q];
      diagonal += w;
    } else {
      diagonal += 2 * w * s->viscosity[p];
    }
  }
  return sum / diagonal;
}

/* Solves with the present viscosity, for a pressure gradient of `push`. */
static void solve(solution *s, double push) {
  const double over = 1.8;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, size = 0;
    for (int64_t i = 0; i < s->nodes; i++) {
      double *u = &s->map.value[s->map.place[i]];
      double step = over * (relax(s, s->map.place[i], push) - *u);
      *u += step;
      change = fmax(change, fabs(step));
      size = fmax(size, fabs(*u));
    }
    if (change <= solved * size) return;
  }
}

/* Scales the solution to the sum of velocities; returns the factor. */
static double scale(solution *s, double wanted) {
  double sum = 0;
  for (int64_t i = 0; i < s->nodes; i++) sum += s->map.value[s->map.place[i]];
  for (int64_t i = 0; i < s->nodes; i++) s->map.value[s->map.place[i]] *= wanted / sum;
  return wanted / sum;
}

/* Puts the shares into share; returns the largest change over the largest of them. */
static double take(const solution *s, double wanted, double *share) {
  double change = 0, most = 0;
  for (int64_t i = 0; i < s->nodes; i++) {
    double now = s->map.value[s->map.place[i]] / wanted;
    change = fmax(change, fabs(now - share[i]));
    most = fmax(most, fabs(now));
    share[i] = now;
  }
  return change / most;
}

static ht_status iterate(solution *s, const ht_viscosity_law *law, double wanted_m_s, double dx_m,
                         double *share) {
  double push = 1;
  for (int64_t i = 0; i < s->nodes; i++) s->map.value[s->map.place[i]] = share[i] * wanted_m_s;
  for (int round = 0; round < ROUNDS; round++) {
    set_viscosity(s, law, dx_m);
    solve(s, push);
    push *= scale(s, wanted_m_s);
    if (take(s, wanted_m_s, share) <= settled) break;
  }
  return HT_OK;
}

ht_status ht_thinning_profile(const int dim[3], const ht_port *port, const ht_viscosity_law *law,
                              double flow_m3_s, double dx_m, double *share) {
  solution s = {.nodes = port->nodes};
  double along = fabs(port->direction[port->axis]);
  HT_TRY(ht_inlet_profile(dim, port, share)); /* where it starts */
  ht_status status = ht_port_section_make(dim, port, &s.map);
  if (status == HT_OK)
    status = ht_alloc((void **)&s.viscosity, (size_t)s.map.nx * s.map.ny, sizeof *s.viscosity,
                      "the inlet profile");
  for (int k = 0; k < 2; k++)
    s.slope[k] = port->direction[(port->axis + 1 + k) % 3] / port->direction[port->axis];
  ht_port_stencil_set(port, s.weight);
  if (status == HT_OK)
    status = iterate(&s, law, fabs(flow_m3_s) / (dx_m * dx_m) / along, dx_m, share);
  free(s.viscosity);
  ht_port_section_free(&s.map);
  return status;
}
