#include "inlet_profile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The port's nodes on a small plane map with a border of one. */
typedef struct {
  int nx, ny;
  double *value;  /* [ny][nx], 0 outside */
  uint8_t *fluid; /* [ny][nx] */
  int *place;     /* [nodes] of each port node in the map */
} section;

static void section_free(section *s) {
  free(s->value);
  free(s->fluid);
  free(s->place);
}

static void plane_coordinates(const int dim[3], const ht_port *port, int64_t i, int out[2]) {
  int voxel[3];
  ht_voxel_place(dim, port->node[i], voxel);
  out[0] = voxel[(port->axis + 1) % 3];
  out[1] = voxel[(port->axis + 2) % 3];
}

static ht_status section_make(const int dim[3], const ht_port *port, section *s) {
  int low[2] = {1 << 30, 1 << 30}, high[2] = {0, 0}, at[2];
  memset(s, 0, sizeof *s);
  for (int64_t i = 0; i < port->nodes; i++) {
    plane_coordinates(dim, port, i, at);
    for (int a = 0; a < 2; a++) {
      if (at[a] < low[a]) low[a] = at[a];
      if (at[a] > high[a]) high[a] = at[a];
    }
  }
  s->nx = high[0] - low[0] + 3;
  s->ny = high[1] - low[1] + 3;
  size_t cells = (size_t)s->nx * s->ny;
  HT_TRY(ht_alloc((void **)&s->value, cells, sizeof(double), "the inlet profile"));
  HT_TRY(ht_alloc((void **)&s->fluid, cells, 1, "the inlet profile"));
  HT_TRY(ht_alloc((void **)&s->place, (size_t)port->nodes, sizeof(int), "the inlet profile"));
  for (int64_t i = 0; i < port->nodes; i++) {
    plane_coordinates(dim, port, i, at);
    s->place[i] = (at[1] - low[1] + 1) * s->nx + at[0] - low[0] + 1;
    s->fluid[s->place[i]] = 1;
  }
  return HT_OK;
}

/* One Gauss-Seidel update of a node; a neighbour outside is the mirror image -u (half-way wall). */
static double relax(const section *s, int p, const double weight[3][3]) {
  double sum = 1, diagonal = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      double w = weight[dy + 1][dx + 1];
      if (dx == 0 && dy == 0) continue;
      diagonal += w;
      int q = p + dy * s->nx + dx;
      if (s->fluid[q])
        sum += w * s->value[q];
      else
        diagonal += w;
    }
  }
  return sum / diagonal;
}

/* u is constant along the vessel's direction d, so on the plane (x, y) with a = dx/dn, b = dy/dn
 * the Laplacian is (1+a^2) uxx + 2ab uxy + (1+b^2) uyy. */
static void solve_section(section *s, const int64_t nodes, double a, double b) {
  double ab = a * b / 2;
  const double weight[3][3] = {
      {ab, 1 + b * b, -ab}, {1 + a * a, 0, 1 + a * a}, {-ab, 1 + b * b, ab}};
  const double over = 1.8; /* successive over-relaxation */
  for (int sweep = 0; sweep < 100000; sweep++) {
    double change = 0, size = 0;
    for (int64_t i = 0; i < nodes; i++) {
      double *u = &s->value[s->place[i]];
      double step = over * (relax(s, s->place[i], weight) - *u);
      *u += step;
      change = fmax(change, fabs(step));
      size = fmax(size, fabs(*u));
    }
    if (change <= 1e-14 * size) return;
  }
}

ht_status ht_inlet_profile(const int dim[3], const ht_port *port, double *share) {
  section s;
  double total = 0, along = port->direction[port->axis];
  ht_status status = section_make(dim, port, &s);
  if (status == HT_OK) {
    solve_section(&s, port->nodes, port->direction[(port->axis + 1) % 3] / along,
                  port->direction[(port->axis + 2) % 3] / along);
    for (int64_t i = 0; i < port->nodes; i++) total += s.value[s.place[i]];
    for (int64_t i = 0; i < port->nodes; i++) share[i] = s.value[s.place[i]] / total;
  }
  section_free(&s);
  return status;
}
