#include "wall_distance.h"
#include "jobs.h"
#include "wall_surface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sigma = 2, least_distance = 0.05;
/* Distances are known up to REACH voxels; PAD voxels are put around the grid, so that the windows
 * end where the values are constant. A vessel is thick, and smoothed, where a voxel at most NEAR
 * away along each axis is deeper than `thick`, entirely from a voxel more. */
enum { REACH = 6, PAD = 8, NEAR = 3, MOST_REACH = 8, PANEL = 16 };
static const float thick = 2;
/* The port's own nodes have half-way walls. So have those of the first PORT_LAYERS before it, and
 * two more layers in part. */
enum { PORT_LAYERS = 2, PORT_SIDE = 11 };

/* One array over the padded grid. */
typedef struct {
  int dim[3];
  float *value;
} field;

/* ---- windows along one axis ---- */

/* The result of a window over the values along lines: `width` lines side by side, [n + 2
 * reach][width] from where the window of the first begins. */
typedef void (*window)(const float *from, int n, int width, int reach, float *to);

/* fminf and fmaxf are calls, for the sake of NaN; these are one instruction for many values. */
static float lesser(float a, float b) {
  return a < b ? a : b;
}

static float greater(float a, float b) {
  return a > b ? a : b;
}

static void nearest2(const float *from, int n, int width, int reach, float *to) {
  for (int i = 0; i < n * width; i++) to[i] = from[i + reach * width];
  for (int d = -reach; d <= reach; d++)
    for (int i = 0; i < n * width; i++)
      to[i] = lesser(to[i], from[i + (d + reach) * width] + (float)(d * d));
}

static void largest(const float *from, int n, int width, int reach, float *to) {
  for (int i = 0; i < n * width; i++) to[i] = from[i];
  for (int d = 1; d <= 2 * reach; d++)
    for (int i = 0; i < n * width; i++) to[i] = greater(to[i], from[i + d * width]);
}

static void gaussian(const float *from, int n, int width, int reach, float *to) {
  float weight[2 * MOST_REACH + 1], sum = 0;
  for (int d = 0; d <= 2 * reach; d++)
    sum += weight[d] = (float)exp(-0.5 * (d - reach) * (d - reach) / (sigma * sigma));
  for (int i = 0; i < n * width; i++) to[i] = 0;
  for (int d = 0; d <= 2 * reach; d++)
    for (int i = 0; i < n * width; i++) to[i] += weight[d] / sum * from[i + d * width];
}

/* The values of the lines, the first and the last repeated beyond the ends. Returns 1 where all are
 * the same. */
static int take_lines(const float *at, int64_t stride, int n, int width, int reach, float *lines) {
  int same = 1;
  for (int i = -reach; i < n + reach; i++) {
    const float *row = at + stride * (i < 0 ? 0 : i < n ? i : n - 1);
    for (int k = 0; k < width; k++) {
      lines[(i + reach) * width + k] = row[k];
      same &= row[k] == at[0];
    }
  }
  return same;
}

/* Panels of lines, up to PANEL of them side by side in memory (along axis 0 one). */
static void pass_panel(const field *image, int axis, int reach, window apply, int64_t panel,
                       float *lines, float *result) {
  const int *dim = image->dim;
  int wide = axis == 0 ? 1 : PANEL, n = dim[axis];
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t panels = axis == 0 ? 1 : (dim[0] + PANEL - 1) / PANEL, line = panel / panels;
  int first = (int)(panel % panels) * wide, left = dim[0] - first;
  int width = left < wide ? left : wide;
  int64_t begin = first + (axis == 1 ? line * dim[0] * dim[1] : line * dim[0]);
  float *at = image->value + begin;
  if (take_lines(at, stride, n, width, reach, lines)) return; /* a window does not change these */
  apply(lines, n, width, reach, result);
  for (int i = 0; i < n; i++)
    memcpy(at + i * stride, result + (int64_t)i * width, (size_t)width * sizeof(float));
}

/* Panels are independent: each core takes some at a time. */
typedef struct {
  const field *image;
  int axis, reach;
  window apply;
  int64_t panels;
  int failed;
} passing;

enum { TOGETHER = 64 };

static void pass_some(void *user, int piece) {
  passing *p = user;
  size_t each = (size_t)(p->image->dim[p->axis] + 2 * p->reach) * PANEL;
  float *buffer = malloc(2 * each * sizeof *buffer);
  int64_t first = (int64_t)piece * TOGETHER, end = first + TOGETHER;
  if (!buffer) {
#pragma omp atomic write
    p->failed = 1;
    return;
  }
  for (int64_t n = first; n < end && n < p->panels; n++)
    pass_panel(p->image, p->axis, p->reach, p->apply, n, buffer, buffer + each);
  free(buffer);
}

static ht_status pass(const field *image, int axis, int reach, window apply) {
  const int *dim = image->dim;
  int64_t wide = (dim[0] + PANEL - 1) / PANEL;
  passing p = {.image = image, .axis = axis, .reach = reach, .apply = apply};
  p.panels = axis == 0 ? (int64_t)dim[1] * dim[2] : wide * (axis == 1 ? dim[2] : dim[1]);
  HT_TRY(ht_spread((int)((p.panels + TOGETHER - 1) / TOGETHER), pass_some, &p));
  return p.failed ? ht_fail(HT_ERR_MEMORY, "not enough memory for the wall's surface") : HT_OK;
}

static ht_status pass_all(const field *image, int reach, window apply) {
  for (int axis = 0; axis < 3; axis++) HT_TRY(pass(image, axis, reach, apply));
  return HT_OK;
}

/* ---- the staircase's distance ---- */

static int64_t voxels_of(const field *image) {
  return (int64_t)image->dim[0] * image->dim[1] * image->dim[2];
}

static int64_t padded_index(const field *image, const int at[3]) {
  const int moved[3] = {at[0] + PAD, at[1] + PAD, at[2] + PAD};
  return ht_voxel_in_grid(image->dim, moved) ? ht_voxel_index(image->dim, moved) : -1;
}

/* Continues the nodes of a port along the vessel, as far as windows reach. The port's layer has
 * the shape of the one before it: the first of these is two layers' shift from that. */
static void continue_port(const ht_port *port, const int dim[3], const field *fluid) {
  for (int64_t i = 0; i < port->nodes; i++) {
    int node[3], at[3];
    ht_voxel_place(dim, port->node[i], node);
    for (int k = 1; k <= 2 * PAD; k++) {
      double layers = (k + 1) / -fabs(port->direction[port->axis]);
      for (int a = 0; a < 3; a++) at[a] = node[a] + (int)lround(layers * port->direction[a]);
      at[port->axis] = node[port->axis] - k * port->inward;
      int64_t there = padded_index(fluid, at);
      if (there >= 0) fluid->value[there] = 1;
    }
  }
}

/* 1 fluid, 0 solid. */
static void fill_fluid(const ht_domain *domain, const field *fluid) {
  const int *dim = domain->mask.grid.dim;
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    if (domain->mask.inside[v] == HT_SOLID) continue;
    ht_voxel_place(dim, v, at);
    fluid->value[padded_index(fluid, at)] = 1;
  }
  for (int p = 0; p < domain->ports; p++) continue_port(&domain->port[p], dim, fluid);
}

/* From `fluid` (1 or 0) to the signed distance, in place. */
static ht_status measure_staircase(const field *fluid, const field *work) {
  const float most = (REACH + 1) * (REACH + 1);
  int64_t voxels = voxels_of(fluid);
#pragma omp parallel for
  for (int64_t v = 0; v < voxels; v++) work->value[v] = fluid->value[v] > 0 ? most : 0;
  HT_TRY(pass_all(work, REACH, nearest2));
#pragma omp parallel for
  for (int64_t v = 0; v < voxels; v++) {
    float depth2 = work->value[v];
    work->value[v] = fluid->value[v] > 0 ? 0 : most;
    fluid->value[v] = sqrtf(depth2) - 0.5f; /* of the solid: -0.5, for now */
  }
  HT_TRY(pass_all(work, REACH, nearest2));
#pragma omp parallel for
  for (int64_t v = 0; v < voxels; v++)
    if (work->value[v] > 0) fluid->value[v] = 0.5f - sqrtf(work->value[v]);
  return HT_OK;
}

/* ---- smoothing ---- */

static void copy_values(const field *from, const field *to) {
  memcpy(to->value, from->value, (size_t)voxels_of(from) * sizeof(float));
}

/* 2 G s - G G s into `once`. */
static ht_status smooth(const field *distance, const field *once, const field *twice) {
  copy_values(distance, once);
  HT_TRY(pass_all(once, PAD, gaussian));
  copy_values(once, twice);
  HT_TRY(pass_all(twice, PAD, gaussian));
#pragma omp parallel for
  for (int64_t v = 0; v < voxels_of(once); v++)
    once->value[v] = 2 * once->value[v] - twice->value[v];
  return HT_OK;
}

/* Makes the depth around a port that of a thin vessel, so that the surface stays half-way. */
static void thin_port(const ht_port *port, const int dim[3], const field *depth) {
  for (int64_t i = 0; i < port->nodes; i++) {
    int node[3], at[3];
    ht_voxel_place(dim, port->node[i], node);
    for (int n = 0; n < PORT_SIDE * PORT_SIDE * PORT_SIDE; n++) {
      const int part[3] = {n % PORT_SIDE, n / PORT_SIDE % PORT_SIDE, n / PORT_SIDE / PORT_SIDE};
      for (int a = 0; a < 3; a++) at[a] = node[a] + part[a] - PORT_SIDE / 2;
      int64_t there = padded_index(depth, at);
      int layers = abs(at[port->axis] - node[port->axis]);
      float most = thick + greater(0, 0.5f * (float)(layers - PORT_LAYERS));
      if (there >= 0) depth->value[there] = lesser(depth->value[there], most);
    }
  }
}

/* Takes the smooth distance where the vessel is thick. */
static ht_status blend(const ht_domain *domain, const field *distance, const field *smoothed,
                       const field *depth) {
  copy_values(distance, depth);
  HT_TRY(pass_all(depth, NEAR, largest));
  for (int p = 0; p < domain->ports; p++) thin_port(&domain->port[p], domain->mask.grid.dim, depth);
#pragma omp parallel for
  for (int64_t v = 0; v < voxels_of(distance); v++) {
    float weight = lesser(1, greater(0, depth->value[v] - thick));
    distance->value[v] += weight * (smoothed->value[v] - distance->value[v]);
  }
  return HT_OK;
}

static ht_status measure(const ht_domain *domain, const field work[3], float *distance) {
  fill_fluid(domain, &work[0]);
  HT_TRY(measure_staircase(&work[0], &work[1]));
  HT_TRY(smooth(&work[0], &work[1], &work[2]));
  HT_TRY(blend(domain, &work[0], &work[1], &work[2]));
#pragma omp parallel for
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    ht_voxel_place(domain->mask.grid.dim, v, at);
    float found = work[0].value[padded_index(&work[0], at)], least = (float)least_distance;
    distance[v] =
        domain->mask.inside[v] != HT_SOLID ? greater(found, least) : lesser(found, -least);
  }
  return HT_OK;
}

ht_status ht_domain_measure_walls(ht_domain *domain, const ht_triangles *surface) {
  field work[3] = {{{0}, NULL}};
  float *distance = NULL;
  ht_status status = HT_OK;
  size_t voxels = 1;
  for (int a = 0; a < 3; a++) voxels *= (size_t)(domain->mask.grid.dim[a] + 2 * PAD);
  for (int k = 0; k < 3 && status == HT_OK; k++) {
    for (int a = 0; a < 3; a++) work[k].dim[a] = domain->mask.grid.dim[a] + 2 * PAD;
    status = ht_alloc((void **)&work[k].value, voxels, sizeof(float),
                      "the surface of the vessel's wall");
  }
  if (status == HT_OK)
    status = ht_alloc((void **)&distance, (size_t)ht_grid_voxels(&domain->mask.grid), sizeof(float),
                      "the distance from the wall");
  if (status == HT_OK) status = measure(domain, work, distance);
  for (int k = 0; k < 3; k++) free(work[k].value);
  if (status == HT_OK && surface && surface->corner)
    status = ht_wall_surface_measure(domain, surface, distance);
  free(domain->wall_distance);
  domain->wall_distance = status == HT_OK ? distance : NULL;
  if (status != HT_OK) free(distance);
  return status;
}
