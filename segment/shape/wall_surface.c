#include "segment/shape/wall_surface.h"
#include "segment/shape/triangle_distance.h"
#include "core/numbers/vector3.h"
#include "segment/shape/windows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Spacings. The triangles' wall lies between these distances by the voxels: the voxels' surface
 * rounds corners, those that bulge out more. */
static const double deepest = 1.25, farthest_out = -1.75;
static const double reach = 3.5;           /* the distance is measured up to here */
static const double agrees = 1.5;          /* of the two distances */
static const double least_distance = 0.01; /* a node on the wall is slightly inside, as its mask */
/* A triangle is split where parts of it may count and parts may not, down to this. Longer ones are
 * always looked at in parts. */
static const double finest = 1.5, coarsest = 16;
static const double fade = 2;        /* from one wall to the other, along the extension */
static const double port_layers = 2; /* before a port: half-way walls */
/* Limits for a surface between voxels: the reach from the wall of distances in a mean, the mean's
 * Gaussian, the least part of it that must be known, and the least distance, as in
 * wall_distance.c. */
static const double near_wall = 1.75, mean_sigma = 2, least_known = 0.01, least_mean = 0.05;
enum { MEAN_REACH = 8 };
static const double around = 1.4;    /* radii of the opening: the extension's surroundings */
static const double more_around = 3; /* and this number of spacings more */

/* Zone beyond an opening's plane, voxel indices. */
typedef struct {
  double centre[3], normal[3], direction[3]; /* out of the vessel */
  double radius, length;
  int axis, plane; /* of the port */
  int follows;     /* the extension is the surface's section, swept */
} zone;

typedef struct {
  const ht_domain *domain;
  const float *voxels; /* the distance by the voxels */
  zone zone[HT_OPENINGS_MAX];
  int swept; /* the triangles in hand are an extension's */
  ht_triangle_list pieces;
} builder;

/* ---- openings ---- */

static zone zone_of(const ht_domain *domain, const ht_port *port) {
  const ht_grid *grid = &domain->mask.grid;
  zone z = {.radius = port->opening.radius_mm / grid->spacing_mm[0],
            .axis = port->axis,
            .follows = port->follows_surface};
  ht_grid_index(grid, port->opening.centre_mm, z.centre);
  ht_grid_from_lps(grid, port->opening.normal, z.normal);
  for (int a = 0; a < 3; a++) z.direction[a] = -port->direction[a];
  int end[3] = {0, 0, 0};
  if (port->nodes > 0) ht_voxel_place(grid->dim, port->node[0], end);
  z.plane = end[port->axis];
  z.length = fabs((end[port->axis] - z.centre[port->axis]) / z.direction[port->axis]);
  return z;
}

/* Spacings beyond the plane; 0 inward of it and away from the extension. */
static double beyond(const zone *z, const double at[3]) {
  double off[3], aside[3];
  for (int a = 0; a < 3; a++) off[a] = at[a] - z->centre[a];
  double out = ht_dot(off, z->normal), along = ht_dot(off, z->direction);
  for (int a = 0; a < 3; a++) aside[a] = off[a] - along * z->direction[a];
  int near = ht_length(aside) < around * z->radius + more_around &&
             along < z->length + z->radius + more_around;
  return near && out > 0 ? out : 0;
}

/* Farthest distance beyond any plane. */
static double beyond_all(const builder *b, const double at[3]) {
  double most = 0;
  for (int p = 0; p < b->domain->ports; p++) most = fmax(most, beyond(&b->zone[p], at));
  return most;
}

/* ---- which triangles are the wall ---- */

/* Trilinear; far outside where it is outside the grid. */
static double by_voxels(const builder *b, const double at[3]) {
  const int *dim = b->domain->mask.grid.dim;
  int low[3];
  double part[3], sum = 0;
  for (int a = 0; a < 3; a++) {
    if (!(at[a] >= 0 && at[a] <= dim[a] - 1)) return -INFINITY;
    low[a] = (int)fmin(floor(at[a]), dim[a] > 1 ? dim[a] - 2 : 0);
    part[a] = at[a] - low[a];
  }
  for (int c = 0; c < 8; c++) {
    int voxel[3];
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      int far = c >> a & 1;
      voxel[a] = low[a] + (far && dim[a] > 1);
      weight *= far ? part[a] : 1 - part[a];
    }
    if (weight > 0) sum += weight * b->voxels[ht_voxel_index(dim, voxel)];
  }
  return sum;
}

static int counts(const builder *b, const double at[3]) {
  double distance = by_voxels(b, at);
  if (!(distance < deepest && distance > farthest_out)) return 0;
  return b->swept || beyond_all(b, at) <= 0;
}

static double longest_edge(const ht_corners t, int *edge) {
  double longest = -1;
  for (int e = 0; e < 3; e++) {
    double length = ht_distance(t[e], t[(e + 1) % 3]);
    if (length > longest) longest = length, *edge = e;
  }
  return longest;
}

/* Number of a triangle's corners, middles of edges and middle that count; *middle: whether the
 * middle does. */
static int count_places(const builder *b, const ht_corners t, int *middle) {
  int count = 0;
  double at[3];
  for (int n = 0; n < 7; n++) {
    for (int a = 0; a < 3; a++)
      at[a] = n < 3   ? t[n][a]
              : n < 6 ? (t[n - 3][a] + t[(n - 2) % 3][a]) / 2
                      : (t[0][a] + t[1][a] + t[2][a]) / 3;
    *middle = counts(b, at);
    count += *middle;
  }
  return count;
}

/* Adds the parts that count. Halves at most some 20 times: the longest edge is halved. */
static ht_status take(builder *b, const ht_corners t) {
  enum { ALL = 7 };
  int edge = 0, middle;
  ht_corners half;
  double longest = longest_edge(t, &edge);
  if (longest <= coarsest) {
    int count = count_places(b, t, &middle);
    if (count == ALL || (longest <= finest && middle)) return ht_triangle_list_add(&b->pieces, t);
    if (longest <= finest || (count == 0 && longest <= 2 * finest)) return HT_OK;
  }
  for (int side = 0; side < 2; side++) {
    memcpy(half, t, sizeof half);
    for (int a = 0; a < 3; a++)
      half[(edge + side) % 3][a] = (t[edge][a] + t[(edge + 1) % 3][a]) / 2;
    HT_TRY(take(b, (const double(*)[3])half));
  }
  return HT_OK;
}

/* ---- the section at an opening's plane, swept ---- */

static int near_zone(const zone *z, double at[2][3]) {
  double off[3];
  for (int a = 0; a < 3; a++) off[a] = (at[0][a] + at[1][a]) / 2 - z->centre[a];
  return ht_length(off) < 2 * around * z->radius + more_around;
}

/* Two triangles: the segment swept along the extension. */
static ht_status sweep(builder *b, const zone *z, double at[2][3]) {
  double length = z->length + z->radius + more_around;
  ht_corners first, second;
  for (int a = 0; a < 3; a++) {
    double along = length * z->direction[a];
    first[0][a] = at[0][a], first[1][a] = at[1][a], first[2][a] = at[1][a] + along;
    second[0][a] = at[0][a], second[1][a] = at[1][a] + along, second[2][a] = at[0][a] + along;
  }
  HT_TRY(take(b, (const double(*)[3])first));
  return take(b, (const double(*)[3])second);
}

static ht_status take_triangle(builder *b, const float corner[3][3]) {
  const ht_grid *grid = &b->domain->mask.grid;
  ht_corners t;
  double at[2][3];
  for (int c = 0; c < 3; c++) {
    const double lps[3] = {corner[c][0], corner[c][1], corner[c][2]};
    ht_grid_index(grid, lps, t[c]);
  }
  b->swept = 0;
  HT_TRY(take(b, (const double(*)[3])t));
  b->swept = 1;
  for (int p = 0; p < b->domain->ports; p++)
    if (ht_plane_cuts(b->zone[p].centre, b->zone[p].normal, (const double(*)[3])t, at) &&
        near_zone(&b->zone[p], at))
      HT_TRY(sweep(b, &b->zone[p], at));
  return HT_OK;
}

/* ---- the distance ---- */

/* Ports have half-way walls, and the layers before them by the voxels: a wall that jumps there is
 * not stable (wall_distance.h). An extension of the voxels' section has the voxels' wall. */
static double weight_at(const builder *b, const double at[3]) {
  double weight = 1;
  for (int p = 0; p < b->domain->ports; p++) {
    const zone *z = &b->zone[p];
    double out = beyond(z, at);
    if (out <= 0) continue;
    double layers = fabs(at[z->axis] - z->plane) - port_layers;
    weight = fmin(weight, z->follows ? fmax(0, fmin(1, layers / fade)) : fmax(0, 1 - out / fade));
  }
  return weight;
}

/* Difference of the triangles' distance from that of the voxels; NAN: not known. */
static double change_at(const builder *b, int64_t v, double found, double distance) {
  double exact = fmax(found, least_distance);
  if (!(exact < reach)) return NAN;
  if (b->domain->mask.inside[v] == HT_SOLID) exact = -exact;
  return fabs(exact - distance) > agrees ? NAN : exact - distance;
}

static double weight_of(const builder *b, int64_t v) {
  int at[3];
  ht_voxel_place(b->domain->mask.grid.dim, v, at);
  const double index[3] = {at[0], at[1], at[2]};
  return weight_at(b, index);
}

static void take_distance(const builder *b, const float *found, float *distance) {
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(&b->domain->mask.grid); v++) {
    double change = change_at(b, v, found[v], distance[v]);
    if (!isnan(change)) distance[v] += (float)(weight_of(b, v) * change);
  }
}

/* ---- a surface between voxels ---- */

/* Stores the change and a weight of 1 where it is known near the wall; elsewhere 0 and 0. */
static void fill_changes(const builder *b, float *change, float *known, const float *distance) {
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(&b->domain->mask.grid); v++) {
    double here = change[v] < near_wall ? change_at(b, v, change[v], distance[v]) : NAN;
    change[v] = isnan(here) ? 0 : (float)here;
    known[v] = isnan(here) ? 0 : 1;
  }
}

/* Takes the mean of the changes around: the place of the surface, without the steps of its voxels,
 * which the distance by the lattice's voxels does not have either. */
static ht_status take_mean_distance(const builder *b, float *found, float *distance) {
  const ht_mask *mask = &b->domain->mask;
  const int *dim = mask->grid.dim;
  const ht_window gaussian = ht_window_gaussian(mean_sigma, MEAN_REACH);
  float *known;
  HT_TRY(ht_alloc((void **)&known, (size_t)ht_grid_voxels(&mask->grid), sizeof *known,
                  "the distance from the surface"));
  fill_changes(b, found, known, distance);
  const ht_image changes = {{dim[0], dim[1], dim[2]}, found},
                 parts = {{dim[0], dim[1], dim[2]}, known};
  ht_status status = ht_window_pass(&changes, &gaussian);
  if (status == HT_OK) status = ht_window_pass(&parts, &gaussian);
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    if (status != HT_OK || known[v] < least_known) continue;
    double mean = distance[v] + weight_of(b, v) * found[v] / known[v];
    distance[v] =
        (float)(mask->inside[v] != HT_SOLID ? fmax(mean, least_mean) : fmin(mean, -least_mean));
  }
  free(known);
  return status;
}

ht_status ht_wall_surface_measure(const ht_domain *domain, const ht_triangles *surface,
                                  float *distance) {
  builder *b;
  float *found = NULL;
  HT_TRY(ht_alloc((void **)&b, 1, sizeof *b, "the triangles of the wall"));
  b->domain = domain;
  b->voxels = distance;
  for (int p = 0; p < domain->ports; p++) b->zone[p] = zone_of(domain, &domain->port[p]);
  ht_status status = ht_alloc((void **)&found, (size_t)ht_grid_voxels(&domain->mask.grid),
                              sizeof *found, "the distance from the surface");
  for (int t = 0; t < surface->count && status == HT_OK; t++)
    status = take_triangle(b, (const float(*)[3])surface->corner[t]);
  if (status == HT_OK) {
    ht_triangle_list_distance(&b->pieces, domain->mask.grid.dim,
                              surface->of_voxels ? near_wall : reach, found);
    if (surface->of_voxels)
      status = take_mean_distance(b, found, distance);
    else
      take_distance(b, found, distance);
  }
  ht_triangle_list_free(&b->pieces);
  free(found);
  free(b);
  return status;
}
