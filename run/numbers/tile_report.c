#include "run/numbers/tile_report.h"
#include "solver/cuda/blocks/blocks.h"
#include "run/process/console.h"
#include "solver/kernels/directions.h"
#include "core/formats/json.h"
#include "tiling/tiling_figures.h"
#include <stdlib.h>

/* Storage of the paper's implementation (its section 4.5): two copies of the values, and two bytes
 * for the type of a node. */
enum { PAPER_COPIES = 2, PAPER_TYPE_BYTES = 2 };

static void origin_json(ht_json *json, const char *key, const int origin[3]) {
  ht_json_numbers(json, key, (double[3]){origin[0], origin[1], origin[2]}, 3);
}

static double memory_overhead(double utilisation, int value_bytes) {
  return ht_tiling_memory_overhead(utilisation, HT_Q19, value_bytes, PAPER_COPIES,
                                   PAPER_TYPE_BYTES);
}

static void overhead_json(ht_json *json, const char *key, double utilisation) {
  ht_json_object(json, key);
  ht_json_number(json, "operations", ht_tiling_overhead(utilisation));
  ht_json_number(json, "memory_fp64", memory_overhead(utilisation, 8));
  ht_json_number(json, "memory_fp32", memory_overhead(utilisation, 4));
  ht_json_number(json, "memory_fp16", memory_overhead(utilisation, 2));
  ht_json_object_end(json);
}

/* Writes the nodes in GPU memory: a tile with many nodes is a block, the nodes of all other tiles
 * are packed. */
static void storage_json(ht_json *json, const ht_tiling *tiling) {
  int64_t packed, blocks = ht_blocks_count(tiling, HT_BLOCK_FILL, &packed);
  ht_json_object(json, "gpu_storage");
  ht_json_integer(json, "blocks", blocks);
  ht_json_integer(json, "packed_nodes", packed);
  ht_json_number(json, "utilisation",
                 (double)tiling->nodes / ((double)HT_TILE_NODES * (double)blocks));
  ht_json_object_end(json);
}

static void origins_json(ht_json *json, const ht_tiling *tiling, const ht_tiling_figures *figures) {
  ht_json_number(json, "utilisation_at_origin_000", tiling->utilisation_at_origin_000);
  ht_json_number(json, "utilisation_best", figures->best);
  ht_json_number(json, "utilisation_worst", figures->worst);
  ht_json_number(json, "utilisation_mean", figures->mean);
  origin_json(json, "best_origin", figures->best_origin);
  origin_json(json, "worst_origin", figures->worst_origin);
  ht_json_numbers(json, "utilisation_of_every_origin", tiling->utilisation_of, HT_TILE_ORIGINS);
}

static ht_status write_json(const char *path, const ht_domain *domain, const ht_tiling *tiling) {
  ht_tiling_figures figures;
  ht_output output;
  ht_json json;
  ht_tiling_measure(tiling, &figures);
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_numbers(&json, "lattice", (double[3]){tiling->dim[0], tiling->dim[1], tiling->dim[2]}, 3);
  ht_json_number(&json, "spacing_mm", domain->mask.grid.spacing_mm[0]);
  ht_json_integer(&json, "fluid_nodes", tiling->nodes);
  ht_json_integer(&json, "tiles", tiling->tiles);
  ht_json_integer(&json, "full_tiles", figures.full_tiles);
  origin_json(&json, "origin", tiling->origin);
  ht_json_string(&json, "order", ht_tile_order_words[tiling->order]);
  ht_json_number(&json, "utilisation", tiling->utilisation);
  origins_json(&json, tiling, &figures);
  ht_json_integer(&json, "common_faces", figures.faces);
  ht_json_integer(&json, "common_edges", figures.edges);
  ht_json_number(&json, "common_faces_per_tile", figures.faces_a_tile);
  ht_json_number(&json, "common_edges_per_tile", figures.edges_a_tile);
  storage_json(&json, tiling);
  overhead_json(&json, "overhead", tiling->utilisation);
  overhead_json(&json, "overhead_at_origin_000", tiling->utilisation_at_origin_000);
  return ht_json_commit(&json, &output);
}

ht_status ht_run_tile_places(const ht_tiling *tiling, ht_tile_places *places, int32_t **first) {
  HT_TRY(ht_alloc((void **)first, (size_t)tiling->tiles, 3 * sizeof **first, "the tiles' picture"));
  for (int64_t i = 0; i < 3 * tiling->tiles; i++)
    (*first)[i] = HT_TILE_SIDE * tiling->position[i] - tiling->origin[i % 3];
  *places = (ht_tile_places){HT_TILE_SIDE, tiling->tiles, *first};
  return HT_OK;
}

static ht_status draw(const ht_given *given, const ht_domain *domain, const ht_tiling *tiling) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_picture_text text = {.name = ht_run_name(given, folder)};
  ht_tile_places places;
  int32_t *first;
  HT_TRY(ht_path_join(path, given->folder, HT_FOLDER_PICTURES));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_TILES));
  HT_TRY(ht_run_tile_places(tiling, &places, &first));
  ht_status status = ht_picture_tiles(path, &domain->mask, &places, &text);
  free(first);
  return status;
}

ht_status ht_run_draw_levels(const ht_run *run) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_picture_text text = {.name = ht_run_name(&run->given, folder)};
  if (!run->refined.coarser) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_LEVELS, path));
  return ht_picture_levels(path, &run->domain, run->refined.coarser, &text);
}

ht_status ht_run_write_tiling(const ht_given *given, const ht_domain *domain,
                              const ht_tiling *tiling) {
  char path[HT_PATH_MAX];
  ht_console_note("tiles: %lld for %lld fluid nodes, utilisation %.1f %% (origin 0 0 0: %.1f %%)",
                  (long long)tiling->tiles, (long long)tiling->nodes, 100 * tiling->utilisation,
                  100 * tiling->utilisation_at_origin_000);
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_TILING));
  HT_TRY(write_json(path, domain, tiling));
  return draw(given, domain, tiling);
}
