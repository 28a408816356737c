/* Prints the result of each way to place tiles: the tables of docs/notes/speed/tile-placement.md.
 *   measure_placement              the geometries of `hemotile bench`, seed 1
 *   measure_placement FILE...      masks (needs the imaging libraries) */
#include "solver/cuda/blocks/blocks.h"
#include "phantom/geometry.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "import/import.h"
#endif
#include "tiling/placement.h"
#include "tests/tiling/shifted_tiles.h"
#include "tiling/tiling.h"
#include "tiling/tiling_figures.h"
#include "tests/measure/turned_mask.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILL = HT_BLOCK_FILL };

static double utilisation(int64_t nodes, int64_t tiles, int volume) {
  return 100 * (double)nodes / ((double)tiles * volume);
}

/* ---- storage of the GPU ---- */

typedef struct {
  double storage, packed, tables; /* %: nodes / (64 blocks); % of the nodes; bytes per node */
} gpu_storage;

static ht_status measure_storage(const ht_tiling *tiling, gpu_storage *storage) {
  ht_lattice_tables tables = {
      .tiling = tiling, .neighbour = tiling->neighbour, .directions = HT_Q19};
  ht_blocks blocks;
  int64_t packed = 0;
  HT_TRY(ht_blocks_build(&tables, 0, FILL, &blocks));
  for (int64_t t = 0; t < tiling->tiles; t++) {
    int fluid = __builtin_popcountll(tiling->inside[t]);
    if (fluid < FILL) packed += fluid;
  }
  double bytes = 4.0 * ((double)blocks.blocks * HT_BLOCK_ROW + (double)blocks.exceptions +
                        (double)blocks.lists * HT_LIST_VALUES(HT_Q19));
  storage->storage = utilisation(tiling->nodes, blocks.blocks, HT_TILE_NODES);
  storage->packed = 100 * (double)packed / (double)tiling->nodes;
  storage->tables = bytes / (double)tiling->nodes;
  ht_blocks_free(&blocks);
  return HT_OK;
}

static ht_status measure_at(const ht_mask *mask, int number, gpu_storage *storage) {
  ht_tiling tiling;
  ht_tiling_options options = {.fixed_origin = 1,
                               .origin = {number & 3, (number >> 2) & 3, number >> 4}};
  HT_TRY(ht_tiling_build(mask, &options, &tiling));
  ht_status status = measure_storage(&tiling, storage);
  ht_tiling_free(&tiling);
  return status;
}

/* ---- (a) origins ---- */

static ht_status print_origins(const char *name, const ht_mask *mask) {
  ht_tiling tiling;
  ht_tiling_figures f;
  gpu_storage at[HT_TILE_ORIGINS];
  HT_TRY(ht_tiling_build(mask, NULL, &tiling));
  ht_tiling_measure(&tiling, &f);
  int64_t nodes = tiling.nodes;
  double corner = tiling.utilisation_at_origin_000;
  ht_tiling_free(&tiling);
  for (int o = 0; o < HT_TILE_ORIGINS; o++) HT_TRY(measure_at(mask, o, &at[o]));
  int best = f.best_origin[0] + 4 * f.best_origin[1] + 16 * f.best_origin[2], least = 0;
  for (int o = 0; o < HT_TILE_ORIGINS; o++)
    if (at[o].tables < at[least].tables) least = o;
  printf("| %s | %.3f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f, %.1f | %.1f, %.1f, %.1f "
         "|\n",
         name, 1e-6 * (double)nodes, 100 * corner, 100 * f.worst, 100 * f.mean, 100 * f.best,
         at[0].storage, at[best].storage, at[0].packed, at[best].packed, at[0].tables,
         at[best].tables, at[least].tables);
  return HT_OK;
}

/* ---- (b) shapes ---- */

static const int turn[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};

/* The fewest boxes over all origins and orientations of the shape. */
static ht_status count_shape(const ht_mask *mask, const int shape[3], int64_t *least) {
  *least = INT64_MAX;
  for (int t = 0; t < 6; t++) {
    int side[3] = {shape[turn[t][0]], shape[turn[t][1]], shape[turn[t][2]]};
    ht_placement placement;
    HT_TRY(ht_placement_count(mask, side, &placement));
    for (int o = 0; o < shape[0] * shape[1] * shape[2]; o++)
      if (placement.boxes[o] < *least) *least = placement.boxes[o];
    ht_placement_free(&placement);
  }
  return HT_OK;
}

static const int shapes[][3] = {{4, 4, 4}, {8, 4, 2}, {16, 2, 2}, {16, 4, 1}, {8, 8, 1}, {32, 2, 1},
                                {8, 4, 4}, {8, 8, 4}, {8, 8, 8},  {4, 4, 2},  {4, 2, 2}, {2, 2, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static ht_status print_shapes(const char *name, const ht_mask *mask) {
  int64_t nodes = ht_mask_count(mask);
  printf("| %s |", name);
  for (int s = 0; s < SHAPES; s++) {
    int64_t least;
    HT_TRY(count_shape(mask, shapes[s], &least));
    printf(" %.1f |", utilisation(nodes, least, shapes[s][0] * shapes[s][1] * shapes[s][2]));
  }
  puts("");
  return HT_OK;
}

/* ---- (c) rows and slabs with shifts of their own ---- */

static ht_status print_shifted(const char *name, const ht_mask *mask) {
  int64_t nodes = ht_mask_count(mask), least[6] = {0};
  for (int t = 0; t < 6; t++) {
    ht_mask permuted;
    ht_shifted_tiles tiles;
    HT_TRY(ht_mask_permute(mask, turn[t], &permuted));
    ht_status status = ht_shifted_count(&permuted, &tiles);
    ht_mask_free(&permuted);
    HT_TRY(status);
    int64_t here[6] = {tiles.grid,  tiles.rows,      tiles.free_rows,
                       tiles.slabs, tiles.slab_rows, tiles.slab_free};
    for (int i = 0; i < 6; i++)
      if (t == 0 || here[i] < least[i]) least[i] = here[i];
  }
  printf("| %s |", name);
  for (int i = 0; i < 6; i++) printf(" %.1f |", utilisation(nodes, least[i], HT_TILE_NODES));
  puts("");
  return HT_OK;
}

/* ---- (d) the lattice turned to the vessel ---- */

static ht_status print_turned(const char *name, const ht_mask *mask) {
  double axis[3];
  ht_mask turned;
  ht_tiling before, after;
  ht_main_axis(mask, axis);
  HT_TRY(ht_mask_turn(mask, axis, &turned));
  ht_status status = ht_tiling_build(&turned, NULL, &after);
  ht_mask_free(&turned);
  HT_TRY(status);
  HT_TRY(ht_tiling_build(mask, NULL, &before));
  printf("| %s | %.2f %.2f %.2f | %.1f | %.1f |\n", name, axis[0], axis[1], axis[2],
         100 * before.utilisation, 100 * after.utilisation);
  ht_tiling_free(&before);
  ht_tiling_free(&after);
  return HT_OK;
}

/* ---- orders ---- */

/* Blocks between those of two nodes side by side, at most, as % of all blocks: the room that the
 * CUDA backend's storage in little more than one copy needs. */
static ht_status measure_reach(const ht_mask *mask, ht_tile_order order, double *reach) {
  ht_tiling tiling;
  ht_tiling_options options = {.order = order};
  ht_blocks blocks;
  HT_TRY(ht_tiling_build(mask, &options, &tiling));
  ht_lattice_tables tables = {
      .tiling = &tiling, .neighbour = tiling.neighbour, .directions = HT_Q19};
  ht_status status = ht_blocks_build(&tables, 0, FILL, &blocks);
  ht_tiling_free(&tiling);
  HT_TRY(status);
  *reach = 100 * (double)blocks.reach / (double)blocks.blocks;
  ht_blocks_free(&blocks);
  return HT_OK;
}

static ht_status print_orders(const char *name, const ht_mask *mask) {
  printf("| %s |", name);
  for (int order = 0; ht_tile_order_words[order]; order++) {
    double reach;
    HT_TRY(measure_reach(mask, (ht_tile_order)order, &reach));
    printf(" %.1f |", reach);
  }
  puts("");
  return HT_OK;
}

/* ---- all masks ---- */

typedef struct {
  const char *title;
  ht_status (*print)(const char *name, const ht_mask *mask);
} table;

static const table tables[] = {
    {"| mask | 10^6 nodes | tiles at 000 | worst | mean | best | storage at 000 | at best | packed "
     "at 000, best | table bytes a node at 000, best, least |",
     print_origins},
    {"| mask | 4x4x4 | 8x4x2 | 16x2x2 | 16x4x1 | 8x8x1 | 32x2x1 | 8x4x4 | 8x8x4 | 8x8x8 | 4x4x2 | "
     "4x2x2 | 2x2x2 |",
     print_shapes},
    {"| mask | grid | rows | free rows | slabs | rows in slabs | free rows in slabs |",
     print_shifted},
    {"| mask | main axis | as it is | turned |", print_turned},
    {"| mask | raster | sweep | morton | hilbert | breadth |", print_orders},
};
enum { TABLES = sizeof tables / sizeof *tables };

static ht_status make_vessels(ht_mask *mask) {
  return ht_geometry_tubes((int[3]){730, 342, 334}, (double[2]){25, 45}, 0.175, 1, mask);
}
static ht_status make_small(ht_mask *mask) {
  return ht_geometry_tubes((int[3]){93, 161, 442}, (double[2]){9, 13}, 0.094, 1, mask);
}
static ht_status make_spheres(ht_mask *mask) {
  return ht_geometry_spheres((int[3]){192, 192, 192}, 20, 0.2, 1, mask);
}

static const struct {
  const char *name;
  ht_status (*make)(ht_mask *mask);
} generated[] = {
    {"vessels", make_vessels}, {"vessels-small", make_small}, {"spheres", make_spheres}};
enum { GENERATED = sizeof generated / sizeof *generated };

static ht_status read_mask(const char *path, ht_mask *mask) {
#ifdef HEMOTILE_HAVE_IMAGING
  return ht_import_mask(path, mask);
#else
  memset(mask, 0, sizeof *mask);
  return ht_fail(HT_ERR_USAGE, "%s: masks are read by a build with imaging only", path);
#endif
}

static ht_status print_table(const table *table, int files, char **file) {
  puts(table->title);
  for (int i = 0; i < (files ? files : GENERATED); i++) {
    ht_mask mask;
    HT_TRY(files ? read_mask(file[i], &mask) : generated[i].make(&mask));
    ht_status status = table->print(files ? file[i] : generated[i].name, &mask);
    ht_mask_free(&mask);
    HT_TRY(status);
  }
  puts("");
  return HT_OK;
}

int main(int argc, char **argv) {
  ht_status status = HT_OK;
  for (int t = 0; t < TABLES && status == HT_OK; t++)
    status = print_table(&tables[t], argc - 1, argv + 1);
  if (status != HT_OK) fprintf(stderr, "measure_placement: %s\n", ht_error_message());
  return (int)status;
}
