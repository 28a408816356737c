#include "segment/shape/wall_distance.h"
#include "segment/shape/wall_surface.h"
#include "segment/shape/windows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sigma = 2, least_distance = 0.05;
/* Distances are known up to REACH voxels; PAD voxels are put around the grid, so that the windows
 * end where the values are constant. A vessel is thick, and smoothed, where a voxel at most NEAR
 * away along each axis is deeper than `thick`, entirely from a voxel more. */
enum { REACH = 6, PAD = 8, NEAR = 3 };
static const float thick = 2;
/* The port's own nodes have half-way walls. So have those of the first PORT_LAYERS before it, and
 * two more layers in part. */
enum { PORT_LAYERS = 2, PORT_SIDE = 11 };

/* ---- the padded grid ---- */

/* Largest square kept. A byte per voxel keeps the square of the staircase's distance s from the
 * nearest centre of the other kind: up to FARTHEST in the fluid, down to -FARTHEST in the solid. */
enum { FARTHEST = (REACH + 1) * (REACH + 1) };

/* All but `stair` and `mean` are small: images made from these two are made in panels. */
typedef struct {
  const ht_domain *domain;
  int dim[3];    /* of the padded grid */
  int8_t *stair; /* [dim[2]][dim[1]][dim[0]] */
  float *mean;   /* the same: G s, then the distance */
  uint8_t *same; /* [dim[2]][dim[1]] rows of G s that have one value alone */
  float *work[3];
  float distance[2 * FARTHEST + 1]; /* s of each value of `stair`, from -FARTHEST on */
} builder;

/* Index in the padded grid; -1: outside. */
static int64_t padded_index(const builder *b, const int at[3]) {
  const int moved[3] = {at[0] + PAD, at[1] + PAD, at[2] + PAD};
  return ht_voxel_in_grid(b->dim, moved) ? ht_voxel_index(b->dim, moved) : -1;
}

/* ---- panels ---- */

static void read_depth2(const void *values, int64_t from, int count, float *to) {
  const int8_t *stair = ((const builder *)values)->stair + from;
  for (int i = 0; i < count; i++) to[i] = stair[i] > 0 ? FARTHEST : 0;
}

static void read_height2(const void *values, int64_t from, int count, float *to) {
  const int8_t *stair = ((const builder *)values)->stair + from;
  for (int i = 0; i < count; i++) to[i] = stair[i] > 0 ? 0 : FARTHEST;
}

static void read_distance(const void *values, int64_t from, int count, float *to) {
  const float *middle = ((const builder *)values)->distance + FARTHEST;
  const int8_t *stair = ((const builder *)values)->stair + from;
  for (int i = 0; i < count; i++) to[i] = middle[stair[i]];
}

static void read_mean(const void *values, int64_t from, int count, float *to) {
  memcpy(to, ((const builder *)values)->mean + from, (size_t)count * sizeof *to);
}

static int panels_of(const builder *b) {
  return (b->dim[0] + HT_PANEL_WIDTH - 1) / HT_PANEL_WIDTH;
}

/* Computes panel n in the work w, by windows over the source. */
static ht_status make_panel(const builder *b, int n, int w, const ht_window *window,
                            void (*read)(const void *values, int64_t from, int count, float *to),
                            ht_image *panel) {
  ht_window_source source = {{b->dim[0], b->dim[1], b->dim[2]}, b, read, NULL};
  int first = n * HT_PANEL_WIDTH, left = b->dim[0] - first;
  if (read == read_mean) source.same = b->same;
  *panel =
      (ht_image){{left < HT_PANEL_WIDTH ? left : HT_PANEL_WIDTH, b->dim[1], b->dim[2]}, b->work[w]};
  return ht_window_panel(&source, window, first, panel);
}

/* ---- the staircase's distance ---- */

/* Continues the nodes of a port along the vessel, as far as windows reach. The port's layer has
 * the shape of the one before it: the first of these is two layers' shift from that. */
static void continue_port(const builder *b, const ht_port *port) {
  const int *dim = b->domain->mask.grid.dim;
  for (int64_t i = 0; i < port->nodes; i++) {
    int node[3], at[3];
    ht_voxel_place(dim, port->node[i], node);
    for (int k = 1; k <= 2 * PAD; k++) {
      double layers = (k + 1) / -fabs(port->direction[port->axis]);
      for (int a = 0; a < 3; a++) at[a] = node[a] + (int)lround(layers * port->direction[a]);
      at[port->axis] = node[port->axis] - k * port->inward;
      int64_t there = padded_index(b, at);
      if (there >= 0) b->stair[there] = 1;
    }
  }
}

/* 1 fluid, 0 solid. */
static void fill_fluid(const builder *b) {
  const ht_mask *mask = &b->domain->mask;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int at[3];
    if (mask->inside[v] == HT_SOLID) continue;
    ht_voxel_place(mask->grid.dim, v, at);
    b->stair[padded_index(b, at)] = 1;
  }
  for (int p = 0; p < b->domain->ports; p++) continue_port(b, &b->domain->port[p]);
}

/* Takes the values of a panel for the fluid (sign 1) or the solid (-1). The signs still distinguish
 * the two. */
static void take_squares(const builder *b, int n, const ht_image *panel, int sign) {
  int width = panel->dim[0];
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < (int64_t)b->dim[1] * b->dim[2]; row++) {
    int8_t *stair = b->stair + row * b->dim[0] + n * HT_PANEL_WIDTH;
    const float *square = panel->value + row * width;
    for (int x = 0; x < width; x++) {
      int8_t taken = (int8_t)(sign * (int)square[x]);
      stair[x] = (stair[x] > 0) == (sign > 0) ? taken : stair[x];
    }
  }
}

static ht_status measure_staircase(const builder *b) {
  const ht_window nearest = ht_window_nearest2(REACH);
  ht_image panel;
  fill_fluid(b);
  for (int n = 0; n < panels_of(b); n++) {
    HT_TRY(make_panel(b, n, 0, &nearest, read_depth2, &panel));
    take_squares(b, n, &panel, 1);
    HT_TRY(make_panel(b, n, 0, &nearest, read_height2, &panel));
    take_squares(b, n, &panel, -1);
  }
  return HT_OK;
}

/* ---- smoothing ---- */

/* Makes the depth around a port that of a thin vessel, so that the surface stays half-way. `panel`:
 * the depth from column `first` of the padded grid on. */
static void thin_port(const builder *b, const ht_port *port, int first, const ht_image *panel) {
  const int side = PORT_SIDE, half = PORT_SIDE / 2;
  for (int64_t i = 0; i < port->nodes; i++) {
    int node[3], at[3];
    ht_voxel_place(b->domain->mask.grid.dim, port->node[i], node);
    int column = node[0] + PAD - first;
    if (column + half < 0 || column - half >= panel->dim[0]) continue;
    for (int n = 0; n < side * side * side; n++) {
      const int part[3] = {n % side, n / side % side, n / side / side};
      for (int a = 0; a < 3; a++) at[a] = node[a] + part[a] - half;
      const int there[3] = {at[0] + PAD - first, at[1] + PAD, at[2] + PAD};
      int layers = abs(at[port->axis] - node[port->axis]);
      float most = thick + ht_greater(0, 0.5f * (float)(layers - PORT_LAYERS));
      if (!ht_voxel_in_grid(panel->dim, there)) continue;
      float *depth = &panel->value[ht_voxel_index(panel->dim, there)];
      *depth = ht_lesser(*depth, most);
    }
  }
}

static void blend_row(int width, const float *distance, const float *depth, const float *twice,
                      float *mean) {
  float most = thick;
  for (int x = 0; x < width; x++) most = ht_greater(most, depth[x]);
  for (int x = 0; x < width && most > thick; x++) {
    float weight = ht_lesser(1, ht_greater(0, depth[x] - thick)), smoothed = 2 * mean[x] - twice[x];
    mean[x] = distance[x] + weight * (smoothed - distance[x]);
  }
  if (!(most > thick)) memcpy(mean, distance, (size_t)width * sizeof *mean);
}

/* Computes the distance from G s, in panel n: s, where the vessel is thick 2 G s - G G s. `twice`
 * has G G s of it. */
static ht_status blend(const builder *b, int n, const ht_image *twice) {
  const ht_window deepest = ht_window_largest(NEAR);
  int width = twice->dim[0];
  ht_image depth;
  HT_TRY(make_panel(b, n, 2, &deepest, read_distance, &depth));
  for (int p = 0; p < b->domain->ports; p++)
    thin_port(b, &b->domain->port[p], n * HT_PANEL_WIDTH, &depth);
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < (int64_t)b->dim[1] * b->dim[2]; row++) {
    float distance[HT_PANEL_WIDTH];
    int64_t from = row * b->dim[0] + n * HT_PANEL_WIDTH;
    read_distance(b, from, width, distance);
    blend_row(width, distance, depth.value + row * width, twice->value + row * width,
              b->mean + from);
  }
  return HT_OK;
}

/* G G s of a panel needs G s of the next one: that is replaced a panel later. */
static ht_status smooth(const builder *b) {
  const ht_window gaussian = ht_window_gaussian(sigma, PAD);
  const ht_image mean = {{b->dim[0], b->dim[1], b->dim[2]}, b->mean};
  ht_image twice[2];
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < (int64_t)b->dim[1] * b->dim[2]; row++)
    read_distance(b, row * b->dim[0], b->dim[0], b->mean + row * b->dim[0]);
  HT_TRY(ht_window_pass(&mean, &gaussian));
  ht_window_rows_same(&mean, b->same);
  for (int n = 0; n < panels_of(b); n++) {
    HT_TRY(make_panel(b, n, n % 2, &gaussian, read_mean, &twice[n % 2]));
    if (n > 0) HT_TRY(blend(b, n - 1, &twice[(n - 1) % 2]));
  }
  return blend(b, panels_of(b) - 1, &twice[(panels_of(b) - 1) % 2]);
}

/* ---- all ---- */

/* Removes the padding from `mean`, in place: a row moves towards the front. */
static void take_padding_out(const builder *b) {
  const ht_mask *mask = &b->domain->mask;
  const int *dim = mask->grid.dim;
  const float least = (float)least_distance;
  for (int64_t row = 0; row < (int64_t)dim[1] * dim[2]; row++) {
    const int first[3] = {0, (int)(row % dim[1]), (int)(row / dim[1])};
    const float *from = b->mean + padded_index(b, first);
    const uint8_t *inside = mask->inside + row * dim[0];
    float *to = b->mean + row * dim[0];
    for (int x = 0; x < dim[0]; x++)
      to[x] = inside[x] != HT_SOLID ? ht_greater(from[x], least) : ht_lesser(from[x], -least);
  }
}

static ht_status alloc(builder *b) {
  const char *what = "the surface of the vessel's wall";
  size_t rows = (size_t)b->dim[1] * b->dim[2], voxels = rows * b->dim[0];
  int width = b->dim[0] < HT_PANEL_WIDTH ? b->dim[0] : HT_PANEL_WIDTH;
  HT_TRY(ht_alloc((void **)&b->stair, voxels, 1, what));
  HT_TRY(ht_alloc((void **)&b->mean, voxels, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&b->same, rows, 1, what));
  for (int w = 0; w < 3; w++)
    HT_TRY(ht_alloc((void **)&b->work[w], rows * width, sizeof(float), what));
  return HT_OK;
}

/* Computes the distances by the voxels, [nz][ny][nx], which the caller frees. */
static ht_status measure(const ht_domain *domain, float **distance) {
  builder b = {.domain = domain};
  for (int a = 0; a < 3; a++) b.dim[a] = domain->mask.grid.dim[a] + 2 * PAD;
  for (int k = 1; k <= FARTHEST; k++) {
    b.distance[FARTHEST + k] = sqrtf((float)k) - 0.5f;
    b.distance[FARTHEST - k] = 0.5f - sqrtf((float)k);
  }
  ht_status status = alloc(&b);
  if (status == HT_OK) status = measure_staircase(&b);
  if (status == HT_OK) status = smooth(&b);
  if (status == HT_OK) {
    size_t bytes = (size_t)ht_grid_voxels(&domain->mask.grid) * sizeof(float);
    take_padding_out(&b);
    float *shorter = realloc(b.mean, bytes);
    *distance = shorter ? shorter : b.mean;
    b.mean = NULL;
  }
  for (int w = 0; w < 3; w++) free(b.work[w]);
  free(b.stair), free(b.mean), free(b.same);
  return status;
}

ht_status ht_domain_measure_walls(ht_domain *domain, const ht_triangles *surface) {
  float *distance = NULL;
  free(domain->wall_distance);
  domain->wall_distance = NULL;
  ht_status status = measure(domain, &distance);
  if (status == HT_OK && surface && surface->corner)
    status = ht_wall_surface_measure(domain, surface, distance);
  if (status == HT_OK)
    domain->wall_distance = distance;
  else
    free(distance);
  return status;
}
