#include "solver/levels/level_domain.h"
#include "solver/levels/doubled_domain.h"
#include "tiling/tiling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "the levels of the lattice";

/* Voxels of its level between an extension and another level: ports and sponges need three. */
enum { AWAY = 4 };

/* A solid voxel, which needs no level. */
enum { ANY = 255 };

/* ---- domains ---- */

static int round_up(int size, int to) {
  return (size + to - 1) / to * to;
}

/* Copies the finest domain into a box whose sides are multiples. */
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

/* Finds the halvings at the voxels of all levels by those of the finest. */
static ht_status spread_wanted(const ht_level_domain *made, wanted *want) {
  for (int l = made->levels - 1; l > 0; l--)
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

static int64_t count_of(const blocks *of) {
  return (int64_t)of->dim[0] * of->dim[1] * of->dim[2];
}

static ht_status make_blocks(const int dim[3], blocks *made) {
  for (int a = 0; a < 3; a++) made->dim[a] = (dim[a] + HT_TILE_SIDE - 1) / HT_TILE_SIDE;
  return ht_alloc((void **)&made->mark, (size_t)count_of(made), 1, what);
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

/* The level of each port, the finest voxels of its extension, and the blocks that keep a level for
 * the ports on it. */
typedef struct {
  int level[HT_OPENINGS_MAX];
  int64_t first[HT_OPENINGS_MAX + 1]; /* voxel[first[p]] to before voxel[first[p + 1]] */
  int64_t *voxel;
  blocks of_level[HT_LEVELS_MOST];
} vessel_ends;

/* Finds the extensions, with the finest level that each asks for. */
static ht_status find_ends(const ht_level_domain *made, const uint8_t *want, vessel_ends *ends) {
  const int last = made->levels - 1;
  const ht_domain *finest = &made->domain[last];
  uint8_t *mark;
  HT_TRY(
      ht_alloc((void **)&ends->voxel, (size_t)ht_mask_count(&finest->mask), sizeof(int64_t), what));
  HT_TRY(ht_alloc((void **)&mark, (size_t)ht_grid_voxels(&finest->mask.grid), 1, what));
  for (int p = 0; p < finest->ports; p++) {
    int64_t *const voxel = ends->voxel + ends->first[p];
    const int64_t count = ht_port_extension(finest, p, mark, voxel);
    int least = last;
    for (int64_t i = 0; i < count; i++) least = want[voxel[i]] < least ? want[voxel[i]] : least;
    ends->level[p] = last - least;
    ends->first[p + 1] = ends->first[p] + count;
  }
  free(mark);
  return HT_OK;
}

static double farthest_measured_mm(const ht_domain *domain, const vessel_ends *ends, int level) {
  double most = 0;
  for (int p = 0; p < domain->ports; p++)
    if (ends->level[p] == level) most = fmax(most, fabs(domain->port[p].opening.measured_off_mm));
  return most;
}

static void mark_near(const int at[3], int away, blocks *to) {
  int least[3], most[3];
  for (int a = 0; a < 3; a++) {
    least[a] = at[a] - away;
    most[a] = at[a] + away;
  }
  mark_box(to, least, most);
}

/* Marks the blocks of a port's level that keep it, with a block more for the levels between. */
static void mark_end(const ht_level_domain *made, const vessel_ends *ends, int p, blocks *to) {
  const int level = ends->level[p], shift = made->levels - 1 - level;
  const ht_domain *domain = &made->domain[level];
  const ht_grid *grid = &domain->mask.grid;
  const int off = (int)ceil(farthest_measured_mm(domain, ends, level) / grid->spacing_mm[0]);
  int at[3];
  for (int64_t i = ends->first[p]; i < ends->first[p + 1]; i++) {
    ht_voxel_place(made->domain[made->levels - 1].mask.grid.dim, ends->voxel[i], at);
    for (int a = 0; a < 3; a++) at[a] >>= shift;
    if (domain->mask.inside[ht_voxel_index(grid->dim, at)] == HT_EXTENSION)
      mark_near(at, AWAY + off + HT_TILE_SIDE, to);
  }
  for (int64_t i = 0; i < domain->port[p].nodes; i++) {
    ht_voxel_place(grid->dim, domain->port[p].node[i], at);
    mark_near(at, AWAY + HT_TILE_SIDE, to);
  }
}

/* Tells whether marked blocks lie in marked ones of a level coarser by `halvings`. */
static int meets(const blocks *fine, const blocks *coarse, int halvings) {
  for (int64_t b = 0; b < count_of(fine); b++) {
    int at[3];
    if (!fine->mark[b]) continue;
    ht_voxel_place(fine->dim, b, at);
    for (int a = 0; a < 3; a++) at[a] >>= halvings;
    if (coarse->mark[ht_voxel_index(coarse->dim, at)]) return 1;
  }
  return 0;
}

/* Adds the blocks of a port on `level`, or moves it to the finer level whose blocks it meets. */
static ht_status add_end(const ht_level_domain *made, int p, int *is_moved, vessel_ends *ends) {
  const int level = ends->level[p];
  blocks own;
  HT_TRY(make_blocks(made->domain[level].mask.grid.dim, &own));
  mark_end(made, ends, p, &own);
  *is_moved = 0;
  for (int l = level + 1; l < made->levels && !*is_moved; l++)
    if ((*is_moved = meets(&ends->of_level[l], &own, l - level))) ends->level[p] = l;
  for (int64_t b = 0; b < count_of(&own); b++) ends->of_level[level].mark[b] |= own.mark[b];
  free(own.mark);
  return HT_OK;
}

/* Finds the blocks of all ports, of the finest levels first. 1: one was moved. */
static ht_status add_ends(const ht_level_domain *made, int *is_moved, vessel_ends *ends) {
  for (int l = made->levels - 1; l >= 0; l--)
    memset(ends->of_level[l].mark, 0, (size_t)count_of(&ends->of_level[l]));
  *is_moved = 0;
  for (int l = made->levels - 1; l >= 0; l--)
    for (int p = 0; p < made->domain[l].ports && !*is_moved; p++)
      if (ends->level[p] == l) HT_TRY(add_end(made, p, is_moved, ends));
  return HT_OK;
}

static ht_status place_ends(const ht_level_domain *made, vessel_ends *ends) {
  int is_moved = 1;
  for (int l = 0; l < made->levels; l++)
    HT_TRY(make_blocks(made->domain[l].mask.grid.dim, &ends->of_level[l]));
  while (is_moved) HT_TRY(add_ends(made, &is_moved, ends));
  return HT_OK;
}

/* Asks for the ports' levels in their blocks. */
static void ask_at_ends(const ht_level_domain *made, const vessel_ends *ends, uint8_t *want) {
  const int last = made->levels - 1;
  const ht_grid *grid = &made->domain[last].mask.grid;
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    if (want[v] == ANY) continue;
    ht_voxel_place(grid->dim, v, at);
    for (int l = 0; l <= last; l++) {
      const int there[3] = {at[0] >> (last - l), at[1] >> (last - l), at[2] >> (last - l)};
      if (is_marked(&ends->of_level[l], there)) want[v] = (uint8_t)(last - l);
    }
  }
}

/* Leaves each port to its level alone, and lists them all with the coarsest. */
static ht_status keep_ports(const vessel_ends *ends, ht_level_domain *made) {
  made->coarsest = made->domain[0];
  for (int p = 0; p < made->domain[0].ports; p++) {
    for (int l = 0; l < made->levels; l++) {
      ht_port *port = &made->domain[l].port[p];
      if (l == ends->level[p]) continue;
      free(port->node);
      port->node = NULL;
      port->nodes = 0;
    }
    ht_port *port = &made->coarsest.port[p];
    *port = made->domain[ends->level[p]].port[p];
    port->halvings = ends->level[p];
    if (port->nodes == 0)
      return ht_fail(HT_ERR_OPENINGS, "the port of '%s' has no node on its level of the lattice",
                     port->opening.name);
  }
  return HT_OK;
}

static void free_ends(vessel_ends *ends) {
  for (int l = 0; l < HT_LEVELS_MOST; l++) free(ends->of_level[l].mark);
  free(ends->voxel);
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
  for (int64_t b = 0; b < count_of(finer); b++) {
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
  const int last = made->levels - 1;
  wanted want = {{NULL}};
  vessel_ends ends = {.voxel = NULL};
  ht_status status = HT_OK;
  HT_TRY_DONE(begin_wanted(fine, coarser, last, &made->domain[last].mask.grid, &want.at[last]));
  HT_TRY_DONE(find_ends(made, want.at[last], &ends));
  HT_TRY_DONE(place_ends(made, &ends));
  ask_at_ends(made, &ends, want.at[last]);
  HT_TRY_DONE(spread_wanted(made, &want));
  HT_TRY_DONE(find_refined(&want, made));
  status = keep_ports(&ends, made);
done:
  free_ends(&ends);
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

int ht_level_domain_has_ports(const ht_level_domain *made, int level) {
  for (int p = 0; p < made->coarsest.ports; p++)
    if (made->coarsest.port[p].halvings == level) return 1;
  return 0;
}

int ht_level_domain_level_at(const ht_level_domain *made, const int at[3]) {
  for (int l = 0; l < made->levels - 1; l++) {
    const int shift = made->levels - 1 - l;
    const int there[3] = {at[0] >> shift, at[1] >> shift, at[2] >> shift};
    if (!made->refined[l][ht_voxel_index(made->domain[l].mask.grid.dim, there)]) return l;
  }
  return made->levels - 1;
}
