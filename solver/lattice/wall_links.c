#include "solver/lattice/wall_links.h"
#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include <math.h>
#include <stdlib.h>

/* A node on the wall or beyond it (the mask decides which nodes are fluid) counts as slightly
 * inside. */
static const double least_fraction = 0.01;
/* Bounds of the slip with cumulants: wider ones have not been tried in turbulence. */
static const double most_lambda = 0.3, most_strength = 1.5;

/* Lambda of wall_links.h for each rate of third order of cumulants. */
typedef struct {
  double sum, difference, triple;
} cumulant_products;

typedef struct {
  const ht_lattice_setup *setup;
  ht_lattice_tables *tables;
  cumulant_products product;
  int64_t *first; /* [tiles + 1] number of each tile's first link */
} builder;

/* ---- where the wall is ---- */

static void voxel_of(const ht_tiling *tiling, int64_t tile, int local, int voxel[3]) {
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  for (int a = 0; a < 3; a++)
    voxel[a] = HT_TILE_SIDE * tiling->position[3 * tile + a] - tiling->origin[a] + in_tile[a];
}

/* The distance `steps` times `along` away from a voxel; NAN out of the box. */
static double distance_at(const ht_lattice_setup *setup, const int voxel[3],
                          const signed char along[3], int steps) {
  const int *dim = setup->tiling->dim;
  int at[3];
  for (int a = 0; a < 3; a++) {
    at[a] = voxel[a] + steps * along[a];
    if (setup->periodic[a]) at[a] = (at[a] + dim[a]) % dim[a];
  }
  return ht_voxel_in_grid(dim, at) ? (double)setup->wall_distance[ht_voxel_index(dim, at)] : NAN;
}

/* Returns the zero of a parabola through the distances one node before (at -1), at the node (0, >
 * 0) and beyond it (1, < 0): second order, too, where a link runs along a curved wall. */
static double wall_crossing(double behind, double here, double beyond) {
  double a = (behind + beyond) / 2 - here, b = (beyond - behind) / 2;
  if (!isfinite(behind)) a = 0, b = beyond - here;
  return 2 * here / (sqrt(b * b - 4 * a * here) - b);
}

/* The fraction of the link along -c_q at which the wall is. */
static double wall_fraction(const ht_lattice_setup *setup, const int voxel[3], int q) {
  double here = distance_at(setup, voxel, ht_c[q], 0),
         beyond = distance_at(setup, voxel, ht_c[q], -1);
  if (!isfinite(here) || !isfinite(beyond)) return 0.5;
  if (!(here > 0)) return least_fraction;
  if (!(beyond < 0)) return 1;
  return fmax(least_fraction,
              fmin(1, wall_crossing(distance_at(setup, voxel, ht_c[q], 1), here, beyond)));
}

/* ---- the list ---- */

/* Place of the value that node x + c_q sends to x; -1 where that is not fluid. */
static int64_t inner_value(const ht_lattice_tables *tables, int64_t tile, int local, int q, int p) {
  int slot, there;
  ht_node_beside(local, ht_c[q][0], ht_c[q][1], ht_c[q][2], &slot, &there);
  int64_t beside = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
  if (beside < 0 || !((tables->tiling->inside[beside] >> there) & 1)) return -1;
  return beside * HT_TILE_VALUES(tables->directions) + 64 * p + there;
}

/* ---- the slip ---- */

/* Unit vector from the wall into the fluid; 0 where the distance does not change. */
static void wall_normal(const ht_lattice_setup *setup, const int voxel[3], double normal[3]) {
  static const signed char axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double here = distance_at(setup, voxel, axis[0], 0), square = 0;
  for (int a = 0; a < 3; a++) {
    double up = distance_at(setup, voxel, axis[a], 1),
           down = distance_at(setup, voxel, axis[a], -1);
    normal[a] = (isfinite(up) ? up : here) - (isfinite(down) ? down : here);
    square += normal[a] * normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) normal[a] /= sqrt(square);
}

/* Lambda of LBGK and MRT. */
static double one_lambda(const ht_lattice_tables *tables) {
  double even = 1 / tables->omega - 0.5;
  return even * (HT_MODEL_COLLISION(tables->model) == HT_MRT ? 1 / HT_MRT_HEAT - 0.5 : even);
}

static cumulant_products cumulant_products_of(double omega) {
  cumulant_rates_f64 rates = cumulant_rates_of_f64(omega);
  double even = 1 / omega - 0.5;
  return (cumulant_products){even * (1 / (1 - rates.sum_stays) - 0.5),
                             even * (1 / (1 - rates.difference_stays) - 0.5),
                             even * (1 / (1 - rates.triple_stays) - 0.5)};
}

/* lambda of cumulants along link c; v: the direction of the flow, c.v = 1. */
static double lambda_of_flow(const cumulant_products *product, const double c[3], const double n[3],
                             const double v[3]) {
  double part = 0, along = 0;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    double ab = v[a] * n[b] * n[b] + 2 * v[b] * n[a] * n[b];
    double ad = v[a] * n[d] * n[d] + 2 * v[d] * n[a] * n[d];
    part += c[a] * (ab + ad) / 2 * (c[b] * c[b] + c[d] * c[d] - 2.0 / 3) * product->sum;
    part += c[a] * (ab - ad) / 2 * (c[b] * c[b] - c[d] * c[d]) * product->difference;
    part += 2 * c[0] * c[1] * c[2] * v[a] * n[b] * n[d] * product->triple;
    along += c[a] * n[a];
  }
  return fmax(0, fmin(most_lambda, part / (along * along)));
}

/* lambda of cumulants along link q: 0 where it runs along the wall or straight to it. */
static double link_lambda(const builder *b, const int voxel[3], int q) {
  static const double least = 1e-6;
  double c[3], normal[3], v[3], across = 0, square = 0;
  wall_normal(b->setup, voxel, normal);
  for (int a = 0; a < 3; a++) c[a] = ht_c[q][a], across += c[a] * normal[a];
  for (int a = 0; a < 3; a++) v[a] = c[a] - across * normal[a], square += v[a] * v[a];
  if (square < least || across * across < least) return 0;
  for (int a = 0; a < 3; a++) v[a] /= square;
  return lambda_of_flow(&b->product, c, normal, v);
}

/* a / 2 of wall_links.h with cumulants; bounded where two nodes do not tell the second derivative.
 */
static double strength_of(double t, double lambda) {
  double told = t / 2 - lambda / (1 + t);
  double wanted = 2 / (1 + 2 * t) * (t * t / 2 - lambda);
  return told > 0 ? fmax(-most_strength, wanted / told) : -most_strength;
}

/* Rounds to 16 bits, as the GPU stores it: the error of the wall's distance is larger. */
static float kept(double coefficient) {
  return ht_half_to_float_c(ht_half_from_float_c((float)coefficient));
}

static void make_slip(const builder *b, const int voxel[3], int q, double t, ht_wall_link *link) {
  const ht_lattice_tables *tables = b->tables;
  int64_t inner = link->near_coming, tile = inner / HT_TILE_VALUES(tables->directions);
  int local = (int)(inner % HT_TILE_NODES), p = ht_opposite(q);
  if (ht_find_port_node(tables, HT_TILE_NODES * tile + local) >= 0) return;
  if (inner_value(tables, tile, local, q, p) < 0) return;
  link->near_leaving = inner + HT_TILE_NODES * (q - p);
  double linear = t < 0.5 ? 1 : 1 / (2 * t), strength, square = 0;
  if (HT_MODEL_COLLISION(tables->model) == HT_CUMULANT) {
    strength = strength_of(t, link_lambda(b, voxel, q));
    square = linear * fabs(1 - 2 * t) / (1 + 2 * t);
  } else { /* Lambda is bounded where the wall is near the node */
    strength = linear / t * (t * t - 4.0 / 3 * one_lambda(tables) * fmin(1, 16 * t * t));
  }
  link->here = kept(strength - square);
  link->near = kept(-strength * t / (1 + t));
  link->across = kept(-2 * t * square);
}

/* The link that brings direction q to a node. inner: inner_value(). */
static ht_wall_link make_link(const builder *b, int64_t tile, int local, int q, int64_t inner) {
  const ht_lattice_tables *tables = b->tables;
  int voxel[3], p = ht_opposite(q);
  int64_t own = tile * HT_TILE_VALUES(tables->directions) + local;
  voxel_of(tables->tiling, tile, local, voxel);
  double t = wall_fraction(b->setup, voxel, q);
  ht_wall_link link = {.slot = own + HT_TILE_NODES * p,
                       .leaving = own + HT_TILE_NODES * q,
                       .near_coming = inner,
                       .near_leaving = -1,
                       .weight = kept(t < 0.5 ? 1 - 2 * t : (1 - 2 * t) / (2 * t))};
  make_slip(b, voxel, q, t, &link);
  return link;
}

static uint32_t interpolated_links(const ht_lattice_tables *tables, int64_t node) {
  uint32_t links = tables->links[node] & HT_MOVING(tables->directions);
  if (!(tables->links[node] & 1) || !links || ht_find_port_node(tables, node) >= 0) return 0;
  return links;
}

/* Tells whether a link of an outer node ends where the level does, not at a wall. */
static int is_cut(const builder *b, int64_t tile, int local, int q) {
  int voxel[3];
  if (!ht_is_outer(b->tables, HT_TILE_NODES * tile + local)) return 0;
  voxel_of(b->tables->tiling, tile, local, voxel);
  return !(distance_at(b->setup, voxel, ht_c[q], -1) < 0);
}

/* The links of a tile, in the order of the values that they replace; `to` NULL: counts them.
 * *half_way: the number that stay half-way in a gap. */
static int64_t list_tile(const builder *b, int64_t tile, ht_wall_link *to, int64_t *half_way) {
  uint32_t links[HT_TILE_NODES], any = 0;
  int64_t count = 0;
  *half_way = 0;
  for (int n = 0; n < HT_TILE_NODES; n++)
    any |= links[n] = interpolated_links(b->tables, HT_TILE_NODES * tile + n);
  for (int p = 1; p < b->tables->directions && any; p++) {
    for (int n = 0; n < HT_TILE_NODES; n++) {
      if (!((links[n] >> ht_opposite(p)) & 1) || is_cut(b, tile, n, ht_opposite(p))) continue;
      const int64_t inner = inner_value(b->tables, tile, n, ht_opposite(p), p);
      *half_way += inner < 0;
      if (inner < 0) continue;
      if (to) to[count] = make_link(b, tile, n, ht_opposite(p), inner);
      count++;
    }
  }
  return count;
}

static void count_links(const builder *b) {
  int64_t tiles = b->tables->tiling->tiles, half_way = 0;
#pragma omp parallel for schedule(static) reduction(+ : half_way)
  for (int64_t t = 0; t < tiles; t++) {
    int64_t gaps;
    b->first[t + 1] = list_tile(b, t, NULL, &gaps);
    half_way += gaps;
  }
  for (int64_t t = 0; t < tiles; t++) b->first[t + 1] += b->first[t];
  b->tables->wall_links = b->first[tiles];
  b->tables->half_way_links = half_way;
}

static ht_status fill_links(const builder *b) {
  ht_lattice_tables *tables = b->tables;
  HT_TRY(ht_alloc((void **)&tables->wall_link, (size_t)tables->wall_links, sizeof(ht_wall_link),
                  "the interpolated walls"));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tables->tiling->tiles; t++) {
    int64_t gaps;
    list_tile(b, t, tables->wall_link + b->first[t], &gaps);
  }
  return HT_OK;
}

/* Tells whether a tile has nodes that are this level's alone. */
static int has_own(const ht_lattice_tables *tables, int64_t tile) {
  return !tables->own || tables->own[tile];
}

static uint64_t sharing_nodes(const ht_lattice_tables *tables, int64_t tile) {
  uint64_t nodes = tables->tiling->inside[tile];
  if (tables->own && tables->own[tile]) nodes &= tables->own[tile];
  for (int n = 0; n < HT_TILE_NODES; n++)
    if (ht_find_port_node(tables, HT_TILE_NODES * tile + n) >= 0) nodes &= ~((uint64_t)1 << n);
  return nodes;
}

/* Finds the neighbours with links. `number`: of each tile among those with links; -1: none. */
static void find_beside(const ht_lattice_tables *tables, const int32_t *number,
                        ht_wall_tile *tile) {
  const int32_t *neighbour = tables->neighbour + HT_TILE_NEIGHBOURS * tile->tile;
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++) {
    const int is_beside =
        neighbour[k] >= 0 && has_own(tables, neighbour[k]) == has_own(tables, tile->tile);
    tile->beside[k] = is_beside ? number[neighbour[k]] : -1;
    if (tile->beside[k] >= 0)
      tile->sharing += __builtin_popcountll(tables->wall_tile[tile->beside[k]].nodes);
  }
}

static ht_status list_tiles(const builder *b) {
  ht_lattice_tables *tables = b->tables;
  int64_t tiles = tables->tiling->tiles, count = 0;
  int32_t *number;
  for (int64_t t = 0; t < tiles; t++) count += b->first[t + 1] > b->first[t];
  HT_TRY(ht_alloc((void **)&tables->wall_tile, (size_t)count, sizeof(ht_wall_tile),
                  "the interpolated walls"));
  HT_TRY(ht_alloc((void **)&number, (size_t)tiles, sizeof *number, "the interpolated walls"));
  for (int64_t t = 0; t < tiles; t++) {
    int64_t links = b->first[t + 1] - b->first[t];
    number[t] = links ? (int32_t)tables->wall_tiles : -1;
    if (links == 0) continue;
    tables->wall_tile[tables->wall_tiles++] =
        (ht_wall_tile){t, b->first[t], links, sharing_nodes(tables, t), 0, {0}};
  }
  for (int64_t i = 0; i < count; i++) find_beside(tables, number, &tables->wall_tile[i]);
  free(number);
  return HT_OK;
}

ht_status ht_wall_links_build(const ht_lattice_setup *setup, ht_lattice_tables *tables) {
  builder b = {setup, tables, cumulant_products_of(tables->omega), NULL};
  if (!setup->wall_distance) return HT_OK;
  HT_TRY(ht_alloc((void **)&b.first, (size_t)tables->tiling->tiles + 1, sizeof *b.first,
                  "the interpolated walls"));
  count_links(&b);
  ht_status status = fill_links(&b);
  if (status == HT_OK) status = list_tiles(&b);
  free(b.first);
  return status;
}

/* ---- on the host ---- */

static double get(const ht_lattice_tables *tables, const void *values, int64_t at) {
  return tables->precision == HT_FP64 ? ((const double *)values)[at]
                                      : (double)((const float *)values)[at];
}

static void put(const ht_lattice_tables *tables, void *values, int64_t at, double value) {
  if (tables->precision == HT_FP64)
    ((double *)values)[at] = value;
  else
    ((float *)values)[at] = (float)value;
}

/* The mass that the links of a tile add. */
static double replace_values(const ht_lattice_tables *tables, const ht_wall_tile *tile,
                             const double *slip, void *values, int undo) {
  double added = 0;
  for (int64_t i = tile->first; i < tile->first + tile->links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    double weight = fabs((double)link->weight);
    double other = get(tables, values, link->weight < 0 ? link->leaving : link->near_coming);
    double before = get(tables, values, link->slot);
    double after = undo ? (before - slip[i] - weight * other) / (1 - weight)
                        : before + weight * (other - before) + slip[i];
    put(tables, values, link->slot, after);
    added += after - before;
  }
  return added;
}

static void take_share(const ht_lattice_tables *tables, const ht_wall_tile *tile,
                       const double *given, void *values) {
  double share = ht_wall_share(tile, given);
  for (uint64_t left = tile->nodes; left; left &= left - 1) {
    int64_t at = tile->tile * HT_TILE_VALUES(tables->directions) + __builtin_ctzll(left);
    put(tables, values, at, get(tables, values, at) - share);
  }
}

void ht_wall_links_replace(const ht_lattice_tables *tables, const double *slip, double *given,
                           void *values, const int32_t *number, int64_t tiles, int undo) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < tiles; i++) {
    const int64_t at = number ? number[i] : i;
    const ht_wall_tile *tile = &tables->wall_tile[at];
    given[at] = replace_values(tables, tile, slip, values, undo) / tile->sharing;
  }
}

void ht_wall_links_share(const ht_lattice_tables *tables, const double *given, void *values,
                         const int32_t *number, int64_t tiles) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < tiles; i++)
    take_share(tables, &tables->wall_tile[number ? number[i] : i], given, values);
}
