#include "pipe_domain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static ht_status set_port(ht_domain *domain, int p, int axis, int inward, int plane) {
  ht_port *port = &domain->port[p];
  const int *dim = domain->mask.grid.dim;
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  port->axis = axis;
  port->inward = inward;
  port->direction[axis] = inward;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) HT_TRY(ht_alloc((void **)&port->node, (size_t)port->nodes, sizeof(int64_t), "port"));
    port->nodes = 0;
    for (int64_t v = 0; v < voxels; v++) {
      int at[3] = {(int)(v % dim[0]), (int)(v / dim[0] % dim[1]), (int)(v / dim[0] / dim[1])};
      if (at[axis] != plane || !domain->mask.inside[v]) continue;
      if (pass) port->node[port->nodes] = v;
      port->nodes++;
    }
  }
  return HT_OK;
}

static void fill(ht_domain *domain, int axis, int diameter, int length) {
  const int *dim = domain->mask.grid.dim;
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3] = {(int)(v % dim[0]), (int)(v / dim[0] % dim[1]), (int)(v / dim[0] / dim[1])};
    double a = at[(axis + 1) % 3] - 0.5 * (dim[(axis + 1) % 3] - 1);
    double b = at[(axis + 2) % 3] - 0.5 * (dim[(axis + 2) % 3] - 1);
    int within = at[axis] >= 1 && at[axis] <= length;
    domain->mask.inside[v] = within && a * a + b * b < 0.25 * diameter * diameter;
  }
}

ht_status ht_pipe_domain(int diameter, int length, int axis, int sign, double spacing_mm,
                         double flow_ml_s, ht_domain *domain) {
  int dim[3] = {diameter + 2, diameter + 2, diameter + 2};
  memset(domain, 0, sizeof *domain);
  dim[axis] = length + 2;
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  HT_TRY(ht_mask_alloc(&grid, &domain->mask));
  fill(domain, axis, diameter, length);
  domain->ports = 2;
  HT_TRY(set_port(domain, 0, axis, sign, sign > 0 ? 1 : length));
  HT_TRY(set_port(domain, 1, axis, -sign, sign > 0 ? length : 1));
  domain->port[0].opening.role = HT_ROLE_INLET;
  domain->port[0].opening.flow_ml_s = flow_ml_s;
  domain->port[1].opening.role = HT_ROLE_OUTLET;
  snprintf(domain->port[0].opening.name, HT_NAME_MAX, "inlet");
  snprintf(domain->port[1].opening.name, HT_NAME_MAX, "outlet");
  return HT_OK;
}
