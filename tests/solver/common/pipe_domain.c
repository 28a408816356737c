#include "tests/solver/common/pipe_domain.h"
#include "core/numbers/units.h"
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
      int at[3];
      ht_voxel_place(dim, v, at);
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
    int at[3];
    ht_voxel_place(dim, v, at);
    double a = at[(axis + 1) % 3] - 0.5 * (dim[(axis + 1) % 3] - 1);
    double b = at[(axis + 2) % 3] - 0.5 * (dim[(axis + 2) % 3] - 1);
    int within = at[axis] >= 1 && at[axis] <= length;
    domain->mask.inside[v] = within && a * a + b * b < 0.25 * diameter * diameter;
  }
}

/* The two ports of a domain whose mask is filled. */
static ht_status set_ports(ht_domain *domain, double flow_ml_s, const int axis[2],
                           const int inward[2], const int plane[2]) {
  domain->ports = 2;
  for (int p = 0; p < 2; p++) HT_TRY(set_port(domain, p, axis[p], inward[p], plane[p]));
  domain->port[0].opening.role = HT_ROLE_INLET;
  domain->port[0].opening.flow_ml_s = flow_ml_s;
  domain->port[1].opening.role = HT_ROLE_OUTLET;
  snprintf(domain->port[0].opening.name, HT_NAME_MAX, "inlet");
  snprintf(domain->port[1].opening.name, HT_NAME_MAX, "outlet");
  return HT_OK;
}

static ht_status make_mask(const int dim[3], double spacing_mm, ht_mask *mask) {
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  return ht_mask_alloc(&grid, mask);
}

ht_status ht_pipe_domain(int diameter, int length, int axis, int sign, double spacing_mm,
                         double flow_ml_s, ht_domain *domain) {
  int dim[3] = {diameter + 2, diameter + 2, diameter + 2};
  memset(domain, 0, sizeof *domain);
  dim[axis] = length + 2;
  HT_TRY(make_mask(dim, spacing_mm, &domain->mask));
  fill(domain, axis, diameter, length);
  return set_ports(domain, flow_ml_s, (int[2]){axis, axis}, (int[2]){sign, -sign},
                   (int[2]){sign > 0 ? 1 : length, sign > 0 ? length : 1});
}

/* A quarter of a torus of radius `bend` about (corner, corner'), with straight pipes before it
 * along +x and after it along +y. Distance of a node to the centre line, and where along the bend
 * (0..1, outside of it: before and after) its nearest point is. */
static double bend_distance(const double at[3], double middle, double straight, double bend,
                            double *along) {
  double x = at[0] - straight, y = at[1] - (middle + bend), z = at[2] - middle;
  *along = x <= 0 ? 0 : y >= 0 ? 1 : atan2(x, -y) / acos(0);
  double off = x <= 0 ? at[1] - middle : y >= 0 ? x - bend : hypot(x, y) - bend;
  return hypot(off, z);
}

ht_status ht_bent_pipe_domain(int diameter, double narrowing, double spacing_mm, double flow_ml_s,
                              ht_domain *domain) {
  double middle = 0.5 * (diameter + 1), straight = 1.5 * diameter, bend = 1.5 * diameter;
  int side = (int)(straight + bend + middle) + 1;
  int dim[3] = {side + 1, side + 1, diameter + 2};
  memset(domain, 0, sizeof *domain);
  HT_TRY(make_mask(dim, spacing_mm, &domain->mask));
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    double along, at[3] = {(double)(v % dim[0]), (double)(v / dim[0] % dim[1]),
                           (double)(v / dim[0] / dim[1])};
    double distance = bend_distance(at, middle, straight, bend, &along);
    double radius = 0.5 * diameter * (1 - narrowing * pow(sin(HT_PI * along), 2));
    domain->mask.inside[v] = at[0] >= 1 && at[1] <= side - 1 && distance < radius;
  }
  return set_ports(domain, flow_ml_s, (int[2]){0, 1}, (int[2]){1, -1}, (int[2]){1, side - 1});
}

int64_t ht_pipe_sponge(const ht_mask *mask, int64_t *voxel, float *added) {
  int64_t count = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    ht_voxel_place(mask->grid.dim, v, at);
    if (!mask->inside[v] || at[2] < 16) continue;
    voxel[count] = v;
    added[count++] = 0.01f * (float)(at[2] - 15);
  }
  return count;
}
