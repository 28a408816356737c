#include "run/refine/refine.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of level 1; blocks of level 2 are twice as wide. A level's tile is 4 of its nodes wide. A
 * coarse part of the vessel is WIDE blocks wide, or ends at the wall. */
enum { BLOCK = 8, WIDE = 2, CELLS = BLOCK / HT_REFINE_CELL, NOTHING = UINT8_MAX };

static const char *const reason_words[HT_FINE_REASONS] = {
    [HT_FINE_JET] = "the throat and its jet",
    [HT_FINE_NECK] = "the sac's neck",
    [HT_FINE_NARROW] = "thin places",
    [HT_FINE_SPEED] = "fast places",
    [HT_FINE_WALL] = "the wall",
    [HT_FINE_BLOCK] = "next to these",
};

/* ---- what each cell allows ---- */

typedef struct {
  const ht_domain *domain;
  const ht_refine_vessel *vessel;
  const ht_refine_rules *rules;
  const double (*neck)[3]; /* place, normal */
  double neck_mm;          /* diameter of the vessel at the neck */
  uint8_t *cell, *why;     /* [cells] level, NOTHING in the solid; reason. Owned */
  int blocks[3];
  int64_t count;         /* of blocks */
  uint8_t *block, *next; /* [count] level; NOTHING: no vessel in it. One allocation, owned */
} levels;

/* Tells whether a cell is in the neck: half a block from its plane, and no farther from its middle
 * than the vessel is wide. */
static int is_in_neck(const levels *of, int64_t cell) {
  double at[3], away = 0;
  if (!of->neck) return 0;
  ht_grid_voxel_position(&of->vessel->cells.grid, cell, at);
  for (int r = 0; r < 3; r++) away += (at[r] - of->neck[0][r]) * of->neck[1][r];
  const double normal = sqrt(ht_dot(of->neck[1], of->neck[1]));
  return fabs(away) <= 0.5 * BLOCK * of->rules->spacing_mm * normal &&
         ht_distance(at, of->neck[0]) <= of->neck_mm;
}

/* Returns the level of a vessel's cell: that of its section, or of its layer at the wall. */
static int cell_level(const levels *of, int64_t cell, ht_fine_reason *why) {
  const int section = of->vessel->of[cell];
  *why = HT_FINE_NARROW;
  if (section < 0) return 0;
  const ht_refine_section *one = &of->vessel->section[section];
  const double depth_mm = ht_refine_depth_mm(of->vessel, cell);
  int level = ht_refine_section_level(of->rules, one, why);
  while (level > 0 && depth_mm < ht_refine_layer_mm(of->rules, one, level)) {
    level--;
    *why = HT_FINE_WALL;
  }
  if (level == 0 || !is_in_neck(of, cell)) return level;
  *why = HT_FINE_NECK;
  return 0;
}

static void judge_cells(levels *of) {
  const int64_t cells = ht_grid_voxels(&of->vessel->cells.grid);
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < cells; c++) {
    ht_fine_reason why = HT_FINE_NOT;
    of->cell[c] = NOTHING;
    if (of->vessel->cells.inside[c] == HT_VESSEL) of->cell[c] = (uint8_t)cell_level(of, c, &why);
    of->why[c] = (uint8_t)why;
  }
}

/* ---- whole blocks ---- */

/* Returns the least level of the cells or blocks in a box; outside and the solid allow all. */
static uint8_t least_in(const uint8_t *level, const int dim[3], const int first[3], int side) {
  uint8_t least = NOTHING;
  int at[3];
  for (at[2] = first[2]; at[2] < first[2] + side; at[2]++)
    for (at[1] = first[1]; at[1] < first[1] + side; at[1]++)
      for (at[0] = first[0]; at[0] < first[0] + side; at[0]++) {
        if (!ht_voxel_in_grid(dim, at)) continue;
        const uint8_t here = level[ht_voxel_index(dim, at)];
        if (here < least) least = here;
      }
  return least;
}

static void judge_blocks(levels *of) {
  for (int64_t b = 0; b < of->count; b++) {
    int at[3];
    ht_voxel_place(of->blocks, b, at);
    for (int a = 0; a < 3; a++) at[a] *= CELLS;
    of->block[b] = least_in(of->cell, of->vessel->cells.grid.dim, at, CELLS);
  }
}

static int has_vessel(const ht_mask *mask, const int block[3]) {
  for (int n = 0; n < BLOCK * BLOCK * BLOCK; n++) {
    const int at[3] = {BLOCK * block[0] + n % BLOCK, BLOCK * block[1] + n / BLOCK % BLOCK,
                       BLOCK * block[2] + n / BLOCK / BLOCK};
    if (ht_voxel_in_grid(mask->grid.dim, at) &&
        mask->inside[ht_voxel_index(mask->grid.dim, at)] == HT_VESSEL)
      return 1;
  }
  return 0;
}

/* Gives blocks with single voxels of the vessel, which are no cell, the least level around. */
static void join_rest(levels *of) {
  for (int64_t b = 0; b < of->count; b++) {
    int at[3];
    ht_voxel_place(of->blocks, b, at);
    of->next[b] = of->block[b];
    if (of->block[b] != NOTHING || !has_vessel(&of->domain->mask, at)) continue;
    for (int a = 0; a < 3; a++) at[a]--;
    of->next[b] = least_in(of->block, of->blocks, at, 3);
  }
  memcpy(of->block, of->next, (size_t)of->count);
}

/* Lowers coarse blocks that are in no cube of WIDE blocks that all are: an island of a few nodes
 * would be all interface. */
static void drop_islands(levels *of) {
  for (int64_t b = 0; b < of->count; b++) {
    int at[3], is_wide = 0;
    ht_voxel_place(of->blocks, b, at);
    for (int n = 0; n < WIDE * WIDE * WIDE && of->block[b] > 0 && !is_wide; n++) {
      const int first[3] = {at[0] - n % WIDE, at[1] - n / WIDE % WIDE, at[2] - n / WIDE / WIDE};
      is_wide = least_in(of->block, of->blocks, first, WIDE) > 0;
    }
    of->next[b] = is_wide || of->block[b] == NOTHING ? of->block[b] : 0;
  }
  memcpy(of->block, of->next, (size_t)of->count);
}

/* Lowers blocks of level 2 that are no part of an aligned cube of 2x2x2 such blocks, or next to the
 * finest level. */
static void align_coarsest(levels *of) {
  for (int64_t b = 0; b < of->count; b++) {
    int at[3];
    ht_voxel_place(of->blocks, b, at);
    for (int a = 0; a < 3; a++) at[a] &= ~1;
    const uint8_t cube = least_in(of->block, of->blocks, at, 2);
    for (int a = 0; a < 3; a++) at[a]--;
    const uint8_t around = least_in(of->block, of->blocks, at, 4);
    of->next[b] = of->block[b];
    if (of->block[b] == 2 && (cube < 2 || around < 1)) of->next[b] = 1;
  }
  memcpy(of->block, of->next, (size_t)of->count);
}

/* ---- the lattice ---- */

static uint8_t block_of(const levels *of, const int at[3]) {
  const int block[3] = {at[0] / BLOCK, at[1] / BLOCK, at[2] / BLOCK};
  return of->block[ht_voxel_index(of->blocks, block)];
}

/* Fills in the levels of the vessel's voxels, `most` elsewhere. */
static void spread(const levels *of, int most, uint8_t *coarser) {
  const ht_mask *mask = &of->domain->mask;
  const int64_t voxels = ht_grid_voxels(&mask->grid);
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(mask->grid.dim, v, at);
    const uint8_t level = mask->inside[v] == HT_VESSEL ? block_of(of, at) : NOTHING;
    coarser[v] = level == NOTHING ? (uint8_t)most : level;
  }
}

/* Fills in the level of each port's extension. */
static ht_status spread_ends(const levels *of, int most, uint8_t *coarser) {
  const ht_mask *mask = &of->domain->mask;
  uint8_t *mark = NULL;
  int64_t *found = NULL;
  HT_TRY(ht_alloc((void **)&mark, (size_t)ht_grid_voxels(&mask->grid), 1, "the levels"));
  ht_status status =
      ht_alloc((void **)&found, (size_t)ht_mask_count(mask), sizeof *found, "the levels");
  for (int p = 0; p < of->vessel->ends && status == HT_OK; p++) {
    const int level = ht_refine_end_level(of->rules, &of->vessel->end[p]);
    const int64_t count = ht_port_extension(of->domain, p, mark, found);
    for (int64_t i = 0; i < count; i++) coarser[found[i]] = (uint8_t)(level < most ? level : most);
  }
  free(mark), free(found);
  return status;
}

static void count_nodes(const levels *of, ht_refined *refined) {
  const ht_mask *mask = &of->domain->mask;
  const int64_t voxels = ht_grid_voxels(&mask->grid);
  double fluid = 0, work = 0;
  for (int64_t v = 0; v < voxels; v++) {
    if (mask->inside[v] == HT_SOLID) continue;
    refined->nodes[refined->coarser[v]] += ldexp(1, -3 * refined->coarser[v]);
    work += ht_refine_work(refined->coarser[v]);
    fluid++;
  }
  refined->share = fluid > 0 ? HT_REFINE_OVERHEAD * work / fluid : 1;
}

/* Counts the vessel's cells on the finest level by the reason. */
static void count_reasons(const levels *of, ht_refined *refined) {
  const ht_grid *grid = &of->vessel->cells.grid;
  const int64_t cells = ht_grid_voxels(grid);
  double vessel = 0;
  for (int64_t c = 0; c < cells; c++) {
    int at[3];
    if (of->cell[c] == NOTHING) continue;
    vessel++;
    ht_voxel_place(grid->dim, c, at);
    for (int a = 0; a < 3; a++) at[a] *= HT_REFINE_CELL;
    if (block_of(of, at) == 0) refined->fine[of->cell[c] > 0 ? HT_FINE_BLOCK : of->why[c]]++;
  }
  for (int r = 0; r < HT_FINE_REASONS; r++) refined->fine[r] /= fmax(1, vessel);
}

static ht_status begin(const ht_domain *domain, levels *of) {
  const size_t cells = (size_t)ht_grid_voxels(&of->vessel->cells.grid);
  of->count = 1;
  for (int a = 0; a < 3; a++) {
    of->blocks[a] = (domain->mask.grid.dim[a] + BLOCK - 1) / BLOCK;
    of->count *= of->blocks[a];
  }
  HT_TRY(ht_alloc((void **)&of->cell, cells, 1, "the levels"));
  HT_TRY(ht_alloc((void **)&of->why, cells, 1, "the levels"));
  HT_TRY(ht_alloc((void **)&of->block, 2 * (size_t)of->count, 1, "the levels"));
  of->next = of->block + of->count;
  return HT_OK;
}

/* Finds the diameter of the vessel in the section of the neck's place. */
static void find_neck(levels *of) {
  int at[3];
  if (!of->neck) return;
  const int section = of->vessel->of[ht_grid_nearest(&of->vessel->cells.grid, of->neck[0], at)];
  if (section >= 0) of->neck_mm = of->vessel->section[section].diameter_mm;
}

static ht_status fill(levels *of, ht_refined *refined) {
  int most = 0;
  find_neck(of);
  judge_cells(of);
  judge_blocks(of);
  join_rest(of);
  drop_islands(of);
  align_coarsest(of);
  for (int64_t b = 0; b < of->count; b++)
    if (of->block[b] != NOTHING && of->block[b] > most) most = of->block[b];
  if (most > 0) {
    HT_TRY(ht_alloc((void **)&refined->coarser, (size_t)ht_grid_voxels(&of->domain->mask.grid), 1,
                    "the levels"));
    spread(of, most, refined->coarser);
    HT_TRY(spread_ends(of, most, refined->coarser));
    count_nodes(of, refined);
  }
  count_reasons(of, refined);
  refined->levels = most + 1;
  return HT_OK;
}

void ht_refined_keep_one(const char *why, ht_refined *refined) {
  free(refined->coarser);
  refined->coarser = NULL;
  refined->levels = 1;
  snprintf(refined->why, sizeof refined->why, "%s", why);
}

ht_status ht_refine_choose(const ht_domain *domain, const ht_refine_vessel *vessel,
                           const ht_refine_rules *rules, const double (*neck)[3],
                           ht_refined *refined) {
  levels of = {.domain = domain, .vessel = vessel, .rules = rules, .neck = neck};
  char why[sizeof refined->why];
  memset(refined, 0, sizeof *refined);
  ht_status status = vessel->sections > 0 ? begin(domain, &of) : HT_OK;
  if (status == HT_OK && vessel->sections > 0) status = fill(&of, refined);
  free(of.cell), free(of.why), free(of.block);
  if (status != HT_OK) return status;
  if (!refined->coarser) {
    ht_refined_keep_one("no part of the vessel may be coarser", refined);
  } else if (refined->nodes[0] == 0) {
    ht_refined_keep_one("no part of the vessel needs it: a coarser lattice would do", refined);
  } else if (refined->share > HT_REFINE_PAYS) {
    snprintf(why, sizeof why, "several would take %.0f %% of its node updates, more than %.0f %%",
             100 * refined->share, 100 * HT_REFINE_PAYS);
    ht_refined_keep_one(why, refined);
  }
  return HT_OK;
}

void ht_refined_free(ht_refined *refined) {
  free(refined->coarser);
  memset(refined, 0, sizeof *refined);
}

ht_refine_cost ht_refined_cost(const ht_refined *refined) {
  double nodes = 0, fine = 0;
  if (!refined->coarser) return (ht_refine_cost){1, 1};
  for (int level = 0; level < refined->levels; level++) {
    nodes += refined->nodes[level];
    fine += ldexp(refined->nodes[level], 3 * level);
  }
  return (ht_refine_cost){refined->share, HT_REFINE_OVERHEAD * nodes / fmax(1, fine)};
}

void ht_refined_where(const ht_refined *refined, char *text, size_t size) {
  const double worth_saying = 0.005;
  size_t used = 0;
  int most = HT_FINE_JET;
  text[0] = 0;
  for (int r = HT_FINE_JET; r < HT_FINE_REASONS && used < size; r++) {
    if (refined->fine[r] > refined->fine[most]) most = r;
    if (refined->fine[r] >= worth_saying)
      used += (size_t)snprintf(text + used, size - used, "%s%s %.0f %%", used ? ", " : "",
                               reason_words[r], 100 * refined->fine[r]);
  }
  if (used == 0) snprintf(text, size, "%s, less than 1 %%", reason_words[most]);
}
