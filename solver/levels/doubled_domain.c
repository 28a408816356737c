#include "solver/levels/doubled_domain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 8, BLOCK = 8 };

/* Distances up to here are true, in fine spacings, with a margin to the bounds beyond. */
static const double true_to = 2.75;

/* Fine voxels from a coarse one's middle in which distances are looked for. */
enum { REACH = 6 };

static void child_at(const int at[3], int child, int fine_at[3]) {
  for (int a = 0; a < 3; a++) fine_at[a] = 2 * at[a] + ((child >> a) & 1);
}

static ht_grid doubled_grid(const ht_grid *fine) {
  const double middle[3] = {0.5, 0.5, 0.5};
  ht_grid grid = *fine;
  ht_grid_position(fine, middle, grid.origin_mm);
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = fine->dim[a] / 2;
    grid.spacing_mm[a] = 2 * fine->spacing_mm[a];
  }
  return grid;
}

/* ---- distances ---- */

/* Blocks of fine voxels that have a true distance: only around these is one looked for. */
typedef struct {
  const ht_domain *fine;
  int blocks[3];
  uint8_t *has;
} near_wall;

static ht_status find_near_wall(const ht_domain *fine, near_wall *near) {
  const int *dim = fine->mask.grid.dim;
  near->fine = fine;
  for (int a = 0; a < 3; a++) near->blocks[a] = (dim[a] + BLOCK - 1) / BLOCK;
  const size_t blocks = (size_t)near->blocks[0] * (size_t)near->blocks[1] * (size_t)near->blocks[2];
  HT_TRY(ht_alloc((void **)&near->has, blocks, 1, "the distances of a level"));
  for (int64_t v = 0; v < ht_grid_voxels(&fine->mask.grid); v++) {
    int at[3];
    if (!(fabs(fine->wall_distance[v]) < true_to)) continue;
    ht_voxel_place(dim, v, at);
    for (int a = 0; a < 3; a++) at[a] /= BLOCK;
    near->has[ht_voxel_index(near->blocks, at)] = 1;
  }
  return HT_OK;
}

static int is_near_wall(const near_wall *near, const int at[3]) {
  int d[3];
  for (d[2] = -1; d[2] <= 1; d[2]++)
    for (d[1] = -1; d[1] <= 1; d[1]++)
      for (d[0] = -1; d[0] <= 1; d[0]++) {
        const int there[3] = {2 * at[0] / BLOCK + d[0], 2 * at[1] / BLOCK + d[1],
                              2 * at[2] / BLOCK + d[2]};
        if (ht_voxel_in_grid(near->blocks, there) && near->has[ht_voxel_index(near->blocks, there)])
          return 1;
      }
  return 0;
}

/* Returns the distance of a coarse voxel that lies farther from the wall than fine distances are
 * true: the least way to a voxel near the wall, on the same side, and from there to the wall. In
 * fine spacings, above 0; 2 * REACH where none is near. */
static double far_distance(const ht_domain *fine, const int at[3], int is_fluid) {
  const int *dim = fine->mask.grid.dim;
  const int first[3] = {2 * at[0] - REACH + 1, 2 * at[1] - REACH + 1, 2 * at[2] - REACH + 1};
  double least = 2 * REACH;
  int d[3];
  for (d[2] = 0; d[2] < 2 * REACH; d[2]++)
    for (d[1] = 0; d[1] < 2 * REACH; d[1]++)
      for (d[0] = 0; d[0] < 2 * REACH; d[0]++) {
        const int there[3] = {first[0] + d[0], first[1] + d[1], first[2] + d[2]};
        if (!ht_voxel_in_grid(dim, there)) continue;
        const double own = fine->wall_distance[ht_voxel_index(dim, there)];
        if (!(fabs(own) < true_to) || (own > 0) != is_fluid) continue;
        double square = 0;
        for (int a = 0; a < 3; a++) {
          const double off = there[a] - (2 * at[a] + 0.5);
          square += off * off;
        }
        least = fmin(least, sqrt(square) + fabs(own));
      }
  return least;
}

/* Returns the distance in coarse spacings. */
static float distance_at(const near_wall *near, const int at[3]) {
  const ht_domain *fine = near->fine;
  double sum = 0, most = 0;
  int fine_at[3];
  for (int c = 0; c < CHILDREN; c++) {
    child_at(at, c, fine_at);
    const double own = fine->wall_distance[ht_voxel_index(fine->mask.grid.dim, fine_at)];
    sum += own / CHILDREN;
    most = fmax(most, fabs(own));
  }
  if (most < true_to) return (float)(sum / 2);
  const double away = is_near_wall(near, at) ? far_distance(fine, at, sum > 0) : 2 * REACH;
  return (float)((sum > 0 ? away : -away) / 2);
}

static ht_status fill_distances(const ht_domain *fine, ht_domain *coarse) {
  near_wall near;
  const int64_t voxels = ht_grid_voxels(&coarse->mask.grid);
  if (!fine->wall_distance) return HT_OK;
  HT_TRY(ht_alloc((void **)&coarse->wall_distance, (size_t)voxels, sizeof(float),
                  "the distances of a level"));
  HT_TRY(find_near_wall(fine, &near));
#pragma omp parallel for schedule(dynamic, 4096)
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(coarse->mask.grid.dim, v, at);
    coarse->wall_distance[v] = distance_at(&near, at);
  }
  free(near.has);
  return HT_OK;
}

/* ---- fluid ---- */

static uint8_t part_at(const ht_domain *fine, const ht_domain *coarse, int64_t voxel) {
  int at[3], fine_at[3], fluid = 0, extension = 0;
  ht_voxel_place(coarse->mask.grid.dim, voxel, at);
  for (int c = 0; c < CHILDREN; c++) {
    child_at(at, c, fine_at);
    const uint8_t inside = fine->mask.inside[ht_voxel_index(fine->mask.grid.dim, fine_at)];
    fluid += inside != HT_SOLID;
    extension += inside == HT_EXTENSION;
  }
  const int is_fluid = fluid > 0 && (coarse->wall_distance ? coarse->wall_distance[voxel] > 0
                                                           : 2 * fluid >= CHILDREN);
  if (!is_fluid) return HT_SOLID;
  return 2 * extension > fluid ? HT_EXTENSION : HT_VESSEL;
}

/* ---- ports ---- */

/* The plane of a port: the first whose voxels are whole. */
static int plane_of(const ht_port *port, int fine_plane) {
  return port->inward > 0 ? (fine_plane + 1) / 2 : (fine_plane - 1) / 2;
}

/* Takes the voxels beyond the plane away, which have only one layer of fine ones. */
static void clear_beyond(const ht_domain *fine, const ht_port *port, ht_domain *coarse) {
  for (int64_t i = 0; i < port->nodes; i++) {
    int at[3];
    ht_voxel_place(fine->mask.grid.dim, port->node[i], at);
    const int plane = plane_of(port, at[port->axis]);
    for (int a = 0; a < 3; a++) at[a] /= 2;
    if (at[port->axis] == plane) continue;
    coarse->mask.inside[ht_voxel_index(coarse->mask.grid.dim, at)] = HT_SOLID;
  }
}

static int is_port_node(const ht_domain *coarse, const ht_port *port, const int at[3]) {
  const int *dim = coarse->mask.grid.dim;
  int inner[3] = {at[0], at[1], at[2]};
  inner[port->axis] += port->inward;
  return ht_voxel_in_grid(dim, at) && ht_voxel_in_grid(dim, inner) &&
         coarse->mask.inside[ht_voxel_index(dim, at)] &&
         coarse->mask.inside[ht_voxel_index(dim, inner)];
}

/* Marks the nodes of the port at or next to a fine one: one layer into the domain a slanted
 * vessel's section lies up to one voxel aside. Returns their number. */
static int64_t mark_around(const ht_domain *coarse, const ht_port *port, const int fine_at[3],
                           uint8_t *marked) {
  const int first = (port->axis + 1) % 3, second = (port->axis + 2) % 3;
  int64_t count = 0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) {
      int at[3] = {fine_at[0] / 2, fine_at[1] / 2, fine_at[2] / 2};
      at[port->axis] = plane_of(port, fine_at[port->axis]);
      at[first] += i, at[second] += j;
      if (!is_port_node(coarse, port, at)) continue;
      uint8_t *mark = &marked[ht_voxel_index(coarse->mask.grid.dim, at)];
      count += !*mark;
      *mark = 1;
    }
  return count;
}

static ht_status list_port(const ht_domain *fine, const ht_port *from, const ht_domain *coarse,
                           uint8_t *marked, ht_port *port) {
  int64_t count = 0;
  for (int64_t i = 0; i < from->nodes; i++) {
    int at[3];
    ht_voxel_place(fine->mask.grid.dim, from->node[i], at);
    count += mark_around(coarse, port, at, marked);
  }
  HT_TRY(ht_alloc((void **)&port->node, (size_t)count, sizeof *port->node, "a port"));
  for (int64_t v = 0; v < ht_grid_voxels(&coarse->mask.grid); v++)
    if (marked[v]) port->node[port->nodes++] = v;
  return HT_OK;
}

static ht_status make_port(const ht_domain *fine, int p, ht_domain *coarse) {
  uint8_t *marked;
  ht_port *port = &coarse->port[p];
  *port = fine->port[p];
  port->node = NULL;
  port->nodes = 0;
  HT_TRY(ht_alloc((void **)&marked, (size_t)ht_grid_voxels(&coarse->mask.grid), 1, "a port"));
  ht_status status = list_port(fine, &fine->port[p], coarse, marked, port);
  free(marked);
  return status;
}

ht_status ht_doubled_domain_make(const ht_domain *fine, ht_domain *coarse) {
  const ht_grid grid = doubled_grid(&fine->mask.grid);
  memset(coarse, 0, sizeof *coarse);
  HT_TRY(ht_mask_alloc(&grid, &coarse->mask));
  HT_TRY(fill_distances(fine, coarse));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    coarse->mask.inside[v] = part_at(fine, coarse, v);
  for (int p = 0; p < fine->ports; p++) clear_beyond(fine, &fine->port[p], coarse);
  for (; coarse->ports < fine->ports; coarse->ports++)
    HT_TRY(make_port(fine, coarse->ports, coarse));
  return HT_OK;
}
