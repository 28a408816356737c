#include "solver/levels/level_domain.h"
#include "solver/levels/doubled_domain.h"
#include "tiling/tiling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "the levels of the lattice";

/* Coarsest voxels between an extension and a finer level: ports and sponges need three. */
enum { AWAY = 4 };

/* A voxel that needs no level: solid, or next to a port. */
enum { ANY = 255 };

/* ---- domains ---- */

static int round_up(int size, int to) {
  return (size + to - 1) / to * to;
}

/* Copies the finest domain into a box whose sides are multiples; its ports, too, for the coarser
 * ones. */
static ht_status pad(const ht_domain *fine, int multiple, ht_domain *padded) {
  const int *from = fine->mask.grid.dim;
  ht_grid grid = fine->mask.grid;
  for (int a = 0; a < 3; a++) grid.dim[a] = round_up(from[a], multiple);
  const size_t voxels = (size_t)ht_grid_voxels(&grid);
  HT_TRY(ht_mask_alloc(&grid, &padded->mask));
  if (fine->wall_distance) {
    HT_TRY(ht_alloc((void **)&padded->wall_distance, voxels, sizeof(float), what));
    for (size_t v = 0; v < voxels; v++) padded->wall_distance[v] = -3;
  }
  for (int64_t v = 0; v < ht_grid_voxels(&fine->mask.grid); v += from[0]) {
    int at[3];
    ht_voxel_place(from, v, at);
    const int64_t to = ht_voxel_index(grid.dim, at);
    memcpy(padded->mask.inside + to, fine->mask.inside + v, (size_t)from[0]);
    if (fine->wall_distance)
      memcpy(padded->wall_distance + to, fine->wall_distance + v, (size_t)from[0] * sizeof(float));
  }
  return HT_OK;
}

static ht_status pad_ports(const ht_domain *fine, ht_domain *padded) {
  for (; padded->ports < fine->ports; padded->ports++) {
    const ht_port *from = &fine->port[padded->ports];
    ht_port *port = &padded->port[padded->ports];
    *port = *from;
    port->node = NULL;
    HT_TRY(ht_alloc((void **)&port->node, (size_t)from->nodes, sizeof *port->node, what));
    for (int64_t i = 0; i < from->nodes; i++) {
      int at[3];
      ht_voxel_place(fine->mask.grid.dim, from->node[i], at);
      port->node[i] = ht_voxel_index(padded->mask.grid.dim, at);
    }
  }
  return HT_OK;
}

static ht_status make_domains(const ht_domain *fine, ht_level_domain *made) {
  const int last = made->levels - 1;
  HT_TRY(pad(fine, 1 << last, &made->domain[last]));
  HT_TRY(pad_ports(fine, &made->domain[last]));
  for (int l = last; l > 0; l--)
    HT_TRY(ht_doubled_domain_make(&made->domain[l], &made->domain[l - 1]));
  return HT_OK;
}

/* ---- what is needed ---- */

/* The number of halvings that is wanted at each voxel of each level: the least of its finest ones;
 * ANY: none. */
typedef struct {
  uint8_t *at[HT_LEVELS_MOST];
} wanted;

static ht_status begin_wanted(const ht_domain *fine, const uint8_t *coarser, int most,
                              const ht_grid *grid, uint8_t **to) {
  const int *dim = fine->mask.grid.dim;
  const size_t voxels = (size_t)ht_grid_voxels(grid);
  HT_TRY(ht_alloc((void **)to, voxels, 1, what));
  memset(*to, ANY, voxels);
  for (int64_t v = 0; v < ht_grid_voxels(&fine->mask.grid); v++) {
    int at[3];
    if (!fine->mask.inside[v]) continue;
    ht_voxel_place(dim, v, at);
    (*to)[ht_voxel_index(grid->dim, at)] = coarser[v] < most ? coarser[v] : (uint8_t)most;
  }
  return HT_OK;
}

static ht_status double_wanted(const ht_grid *fine, const uint8_t *from, const ht_grid *coarse,
                               uint8_t **to) {
  HT_TRY(ht_alloc((void **)to, (size_t)ht_grid_voxels(coarse), 1, what));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(coarse); v++) {
    int at[3];
    uint8_t least = ANY;
    ht_voxel_place(coarse->dim, v, at);
    for (int c = 0; c < 8; c++) {
      const int child[3] = {2 * at[0] + (c & 1), 2 * at[1] + ((c >> 1) & 1), 2 * at[2] + (c >> 2)};
      const uint8_t there = from[ht_voxel_index(fine->dim, child)];
      least = there < least ? there : least;
    }
    (*to)[v] = least;
  }
  return HT_OK;
}

static void free_wanted(wanted *want) {
  for (int l = 0; l < HT_LEVELS_MOST; l++) free(want->at[l]);
}

static ht_status find_wanted(const ht_domain *fine, const uint8_t *coarser,
                             const ht_level_domain *made, wanted *want) {
  const int last = made->levels - 1;
  HT_TRY(begin_wanted(fine, coarser, last, &made->domain[last].mask.grid, &want->at[last]));
  for (int l = last; l > 0; l--)
    HT_TRY(double_wanted(&made->domain[l].mask.grid, want->at[l], &made->domain[l - 1].mask.grid,
                         &want->at[l - 1]));
  return HT_OK;
}

/* ---- blocks ---- */

/* Marks of the blocks of 4x4x4 voxels of a level. */
typedef struct {
  int dim[3];
  uint8_t *mark;
} blocks;

static ht_status make_blocks(const int dim[3], blocks *made) {
  for (int a = 0; a < 3; a++) made->dim[a] = (dim[a] + HT_TILE_SIDE - 1) / HT_TILE_SIDE;
  return ht_alloc((void **)&made->mark,
                  (size_t)made->dim[0] * (size_t)made->dim[1] * (size_t)made->dim[2], 1, what);
}

/* Marks the blocks that have a voxel from `least` to `most`. */
static void mark_box(blocks *of, const int least[3], const int most[3]) {
  int from[3], to[3], at[3];
  for (int a = 0; a < 3; a++) {
    from[a] = least[a] < 0 ? 0 : least[a] / HT_TILE_SIDE;
    to[a] = most[a] / HT_TILE_SIDE < of->dim[a] ? most[a] / HT_TILE_SIDE : of->dim[a] - 1;
  }
  for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
    for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
      for (at[0] = from[0]; at[0] <= to[0]; at[0]++) of->mark[ht_voxel_index(of->dim, at)] = 1;
}

static int is_marked(const blocks *of, const int at[3]) {
  const int block[3] = {at[0] / HT_TILE_SIDE, at[1] / HT_TILE_SIDE, at[2] / HT_TILE_SIDE};
  return of->mark[ht_voxel_index(of->dim, block)];
}

/* ---- the ends of the vessel ---- */

static double farthest_measured_mm(const ht_domain *domain) {
  double most = 0;
  for (int p = 0; p < domain->ports; p++)
    most = fmax(most, fabs(domain->port[p].opening.measured_off_mm));
  return most;
}

static void mark_near(const ht_grid *grid, int64_t voxel, int away, blocks *to) {
  int at[3], least[3], most[3];
  ht_voxel_place(grid->dim, voxel, at);
  for (int a = 0; a < 3; a++) {
    least[a] = at[a] - away;
    most[a] = at[a] + away;
  }
  mark_box(to, least, most);
}

/* Marks the coarsest blocks that stay coarse for an extension, with a block more for the levels
 * between. */
static void mark_ends(const ht_domain *coarsest, blocks *ends) {
  const ht_grid *grid = &coarsest->mask.grid;
  const int off = (int)ceil(farthest_measured_mm(coarsest) / grid->spacing_mm[0]);
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++)
    if (coarsest->mask.inside[v] == HT_EXTENSION)
      mark_near(grid, v, AWAY + off + HT_TILE_SIDE, ends);
  for (int p = 0; p < coarsest->ports; p++)
    for (int64_t i = 0; i < coarsest->port[p].nodes; i++)
      mark_near(grid, coarsest->port[p].node[i], AWAY + HT_TILE_SIDE, ends);
}

static void drop_at_ends(const ht_level_domain *made, const blocks *ends, wanted *want) {
  for (int l = 0; l < made->levels; l++) {
    const ht_grid *grid = &made->domain[l].mask.grid;
#pragma omp parallel for schedule(static)
    for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
      int at[3];
      ht_voxel_place(grid->dim, v, at);
      for (int a = 0; a < 3; a++) at[a] >>= l;
      if (is_marked(ends, at)) want->at[l][v] = ANY;
    }
  }
}

/* ---- the refined parts ---- */

static void mark_wanted(const ht_grid *grid, const uint8_t *want, int halvings, blocks *refined) {
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    if (want[v] >= halvings) continue;
    ht_voxel_place(grid->dim, v, at);
    mark_box(refined, at, at);
  }
}

/* Refines the blocks of the level before around those of a level. */
static void mark_around(const blocks *finer, blocks *refined) {
  for (int64_t b = 0; b < (int64_t)finer->dim[0] * finer->dim[1] * finer->dim[2]; b++) {
    int at[3], least[3], most[3];
    if (!finer->mark[b]) continue;
    ht_voxel_place(finer->dim, b, at);
    for (int a = 0; a < 3; a++) {
      least[a] = (HT_TILE_SIDE * (at[a] - 1)) / 2;
      most[a] = (HT_TILE_SIDE * (at[a] + 2) - 1) / 2;
    }
    mark_box(refined, least, most);
  }
}

static ht_status spread(const ht_grid *grid, const blocks *marked, uint8_t **refined) {
  HT_TRY(ht_alloc((void **)refined, (size_t)ht_grid_voxels(grid), 1, what));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    ht_voxel_place(grid->dim, v, at);
    (*refined)[v] = (uint8_t)is_marked(marked, at);
  }
  return HT_OK;
}

static ht_status find_refined(const wanted *want, ht_level_domain *made) {
  blocks marked[HT_LEVELS_MOST] = {{.mark = NULL}};
  const int last = made->levels - 1;
  ht_status status = HT_OK;
  for (int l = last - 1; l >= 0; l--) {
    const ht_grid *grid = &made->domain[l].mask.grid;
    HT_TRY_DONE(make_blocks(grid->dim, &marked[l]));
    mark_wanted(grid, want->at[l], last - l, &marked[l]);
    if (l + 1 < last) mark_around(&marked[l + 1], &marked[l]);
    HT_TRY_DONE(spread(grid, &marked[l], &made->refined[l]));
  }
done:
  for (int l = 0; l < HT_LEVELS_MOST; l++) free(marked[l].mark);
  return status;
}

static ht_status refine(const ht_domain *fine, const uint8_t *coarser, ht_level_domain *made) {
  wanted want = {{NULL}};
  blocks ends = {.mark = NULL};
  ht_status status = HT_OK;
  HT_TRY_DONE(find_wanted(fine, coarser, made, &want));
  HT_TRY_DONE(make_blocks(made->domain[0].mask.grid.dim, &ends));
  mark_ends(&made->domain[0], &ends);
  drop_at_ends(made, &ends, &want);
  status = find_refined(&want, made);
done:
  free(ends.mark);
  free_wanted(&want);
  return status;
}

/* ---- the whole ---- */

ht_status ht_level_domain_make(const ht_domain *fine, const uint8_t *coarser, int most,
                               ht_level_domain *made) {
  *made = (ht_level_domain){.levels = 1 + most};
  if (most == 0) return HT_OK;
  HT_TRY(make_domains(fine, made));
  HT_TRY(refine(fine, coarser, made));
  for (int l = 0; l < made->levels; l++)
    made->level[l] = (ht_level_setup){.mask = &made->domain[l].mask,
                                      .refined = made->refined[l],
                                      .wall_distance = made->domain[l].wall_distance};
  return HT_OK;
}

void ht_level_domain_free(ht_level_domain *made) {
  for (int l = 0; l < HT_LEVELS_MOST; l++) {
    ht_domain_free(&made->domain[l]);
    free(made->refined[l]);
  }
  memset(made, 0, sizeof *made);
}

int ht_level_domain_level_at(const ht_level_domain *made, const int at[3]) {
  for (int l = 0; l < made->levels - 1; l++) {
    const int shift = made->levels - 1 - l;
    const int there[3] = {at[0] >> shift, at[1] >> shift, at[2] >> shift};
    if (!made->refined[l][ht_voxel_index(made->domain[l].mask.grid.dim, there)]) return l;
  }
  return made->levels - 1;
}
