#include "solver/inflow/port_section.h"
#include <stdlib.h>
#include <string.h>

void ht_port_coordinates(const int dim[3], const ht_port *port, int64_t i, int out[2]) {
  int voxel[3];
  ht_voxel_place(dim, port->node[i], voxel);
  out[0] = voxel[(port->axis + 1) % 3];
  out[1] = voxel[(port->axis + 2) % 3];
}

void ht_port_section_free(ht_port_section *s) {
  free(s->value);
  free(s->fluid);
  free(s->place);
}

ht_status ht_port_section_make(const int dim[3], const ht_port *port, ht_port_section *s) {
  int low[2] = {1 << 30, 1 << 30}, high[2] = {0, 0}, at[2];
  memset(s, 0, sizeof *s);
  for (int64_t i = 0; i < port->nodes; i++) {
    ht_port_coordinates(dim, port, i, at);
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
    ht_port_coordinates(dim, port, i, at);
    s->place[i] = (at[1] - low[1] + 1) * s->nx + at[0] - low[0] + 1;
    s->fluid[s->place[i]] = 1;
  }
  return HT_OK;
}

void ht_port_stencil_set(const ht_port *port, ht_port_stencil weight) {
  double along = port->direction[port->axis];
  double a = port->direction[(port->axis + 1) % 3] / along;
  double b = port->direction[(port->axis + 2) % 3] / along, ab = a * b / 2;
  const ht_port_stencil set = {
      {ab, 1 + b * b, -ab}, {1 + a * a, 0, 1 + a * a}, {-ab, 1 + b * b, ab}};
  memcpy(weight, set, sizeof set);
}
