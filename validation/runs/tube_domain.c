#include "validation/runs/tube_domain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The axis across the ports. */
static int port_axis(const ht_tube_shape *tube) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(tube->direction[a]) > fabs(tube->direction[axis])) axis = a;
  return axis;
}

/* Chooses the size of the domain. Along the port axis: a solid layer, the planes from port to port,
 * a solid layer. Across it: the sideways shift of the tube, and the ellipse of its section. */
static void choose_size(const ht_tube_shape *tube, int dim[3]) {
  int axis = port_axis(tube);
  double slant = fabs(tube->direction[axis]), h = tube->spacing_mm;
  for (int a = 0; a < 3; a++) {
    double way = fabs(tube->length_mm * tube->direction[a]) / h;
    double wide = 2 * tube->most_radius_mm / h / slant;
    dim[a] = a == axis ? (int)lround(way) + 3 : (int)ceil(way + wide - 1e-9) + 2;
  }
}

ht_tube_place ht_tube_locate(const ht_tube_shape *tube, const ht_grid *grid,
                             const double point_mm[3]) {
  double from[3], along = 0, square = 0;
  for (int a = 0; a < 3; a++) { /* from the middle */
    from[a] = point_mm[a] - grid->origin_mm[a] - 0.5 * (grid->dim[a] - 1) * grid->spacing_mm[a];
    along += from[a] * tube->direction[a];
  }
  for (int a = 0; a < 3; a++) {
    double off = from[a] - along * tube->direction[a];
    square += off * off;
  }
  return (ht_tube_place){along + 0.5 * tube->length_mm, sqrt(square)};
}

static int value_at(const ht_tube_shape *tube, const ht_grid *grid, int64_t voxel) {
  double point[3];
  ht_grid_voxel_position(grid, voxel, point);
  ht_tube_place place = ht_tube_locate(tube, grid, point);
  if (place.off_mm >= tube->radius_mm(tube->context, place.along_mm)) return HT_SOLID;
  double to_end = fmin(place.along_mm, tube->length_mm - tube->outlet_more_mm - place.along_mm);
  return to_end < tube->extension_mm ? HT_EXTENSION : HT_VESSEL;
}

static void fill(const ht_tube_shape *tube, ht_mask *mask) {
  int axis = port_axis(tube);
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    ht_voxel_place(mask->grid.dim, v, at);
    if (at[axis] == 0 || at[axis] == mask->grid.dim[axis] - 1) continue;
    mask->inside[v] = (uint8_t)value_at(tube, &mask->grid, v);
  }
}

/* ---- distance from the wall ---- */

/* Returns the distance of a point (x, y) from the segment from a to b. */
static double from_segment(double x, double y, const double a[2], const double b[2]) {
  double way[2] = {b[0] - a[0], b[1] - a[1]}, length2 = way[0] * way[0] + way[1] * way[1];
  double t = length2 > 0 ? ((x - a[0]) * way[0] + (y - a[1]) * way[1]) / length2 : 0;
  t = fmax(0, fmin(1, t));
  return hypot(x - a[0] - t * way[0], y - a[1] - t * way[1]);
}

/* Tells whether the wall may be near: 0 if it is certainly farther than `reach`, judged by the
 * radius at a few places nearby. */
static int may_be_near(const ht_tube_shape *tube, ht_tube_place place, double reach) {
  double low = INFINITY, high = 0, room = reach + tube->spacing_mm;
  for (int i = -4; i <= 4; i++) {
    double radius = tube->radius_mm(tube->context, place.along_mm + 0.25 * i * reach);
    low = fmin(low, radius);
    high = fmax(high, radius);
  }
  return place.off_mm > low - room && place.off_mm < high + room;
}

/* Distance from the meridian curve in its half plane: a chain of short segments near the place. */
static double distance_at(const ht_tube_shape *tube, ht_tube_place place) {
  enum { PARTS = 80 };
  const double reach = 3.5 * tube->spacing_mm, step = 2 * reach / PARTS;
  double nearest = reach, before[2], after[2];
  double sign = place.off_mm < tube->radius_mm(tube->context, place.along_mm) ? 1 : -1;
  if (!may_be_near(tube, place, reach)) return sign * reach / tube->spacing_mm;
  for (int i = 0; i <= PARTS; i++) {
    after[0] = place.along_mm - reach + i * step;
    after[1] = tube->radius_mm(tube->context, after[0]);
    if (i > 0) nearest = fmin(nearest, from_segment(place.along_mm, place.off_mm, before, after));
    memcpy(before, after, sizeof before);
  }
  return sign * nearest / tube->spacing_mm;
}

/* The layers of the ports take the distances of the layers inside them. */
static void straighten_distance(const ht_domain *domain, float *distance) {
  const int *dim = domain->mask.grid.dim;
  int axis = domain->port[0].axis;
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    int plane = at[axis];
    at[axis] = plane == 1 ? 2 : plane == dim[axis] - 2 ? plane - 1 : plane;
    if (at[axis] != plane) distance[v] = distance[ht_voxel_index(dim, at)];
  }
}

ht_status ht_tube_wall_distance(const ht_tube_shape *tube, const ht_domain *domain,
                                float **distance) {
  const ht_grid *grid = &domain->mask.grid;
  HT_TRY(ht_alloc((void **)distance, (size_t)ht_grid_voxels(grid), sizeof(float),
                  "the distance from the wall"));
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    double point[3];
    ht_grid_voxel_position(grid, v, point);
    (*distance)[v] = (float)distance_at(tube, ht_tube_locate(tube, grid, point));
  }
  straighten_distance(domain, *distance);
  return HT_OK;
}

/* ---- ports ---- */

/* The layer of a port is a copy of the layer inside it, so that each of its nodes has an inner
 * neighbour. */
static void straighten(ht_mask *mask, int axis, int plane, int inward) {
  int step[3] = {0};
  step[axis] = inward;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3], beside[3];
    ht_voxel_place(mask->grid.dim, v, at);
    if (at[axis] != plane) continue;
    for (int a = 0; a < 3; a++) beside[a] = at[a] + step[a];
    mask->inside[v] = mask->inside[ht_voxel_index(mask->grid.dim, beside)];
  }
}

static ht_status set_port(const ht_tube_shape *tube, ht_domain *domain, int p) {
  ht_mask *mask = &domain->mask;
  ht_port *port = &domain->port[p];
  int axis = port_axis(tube), forward = tube->direction[axis] > 0;
  int sign = p == 0 ? 1 : -1; /* of the direction into the domain */
  int plane = (p == 0) == forward ? 1 : mask->grid.dim[axis] - 2;
  port->axis = axis;
  port->inward = (p == 0) == forward ? 1 : -1;
  for (int a = 0; a < 3; a++) port->direction[a] = sign * tube->direction[a];
  straighten(mask, axis, plane, port->inward);
  for (int pass = 0; pass < 2; pass++) {
    if (pass) HT_TRY(ht_alloc((void **)&port->node, (size_t)port->nodes, sizeof(int64_t), "port"));
    port->nodes = 0;
    for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
      int at[3];
      ht_voxel_place(mask->grid.dim, v, at);
      if (at[axis] != plane || !mask->inside[v]) continue;
      if (pass) port->node[port->nodes] = v;
      port->nodes++;
    }
  }
  return HT_OK;
}

static void describe_port(const ht_tube_shape *tube, ht_port *port, int p) {
  ht_opening *opening = &port->opening;
  double along = p == 0 ? 0 : tube->length_mm;
  snprintf(opening->name, HT_NAME_MAX, "%s", p == 0 ? "inlet" : "outlet");
  opening->role = p == 0 ? HT_ROLE_INLET : HT_ROLE_OUTLET;
  opening->radius_mm = tube->radius_mm(tube->context, along);
  opening->flow_ml_s = p == 0 ? tube->flow_ml_s : 0;
  if (p == 1) memcpy(opening->windkessel, tube->windkessel, sizeof opening->windkessel);
  for (int a = 0; a < 3; a++) opening->normal[a] = opening->direction[a] = -port->direction[a];
}

ht_status ht_tube_domain(const ht_tube_shape *tube, ht_domain *domain) {
  int dim[3];
  memset(domain, 0, sizeof *domain);
  choose_size(tube, dim);
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = tube->spacing_mm;
  ht_status status = ht_mask_alloc(&grid, &domain->mask);
  if (status != HT_OK) return status;
  fill(tube, &domain->mask);
  for (int p = 0; p < 2 && status == HT_OK; p++) {
    status = set_port(tube, domain, p);
    domain->ports = p + 1;
    describe_port(tube, &domain->port[p], p);
  }
  if (status != HT_OK) ht_domain_free(domain);
  return status;
}
