/* Compares the parts of tile_parts.h with those of METIS, for docs/tiling.md. Twice over the same
 * masks:
 *   measure_parts FOLDER MASK...          writes FOLDER/1.graph, FOLDER/2.graph and so on
 *   gpmetis -ptype=rb FOLDER/1.graph 8    (of METIS) writes FOLDER/1.graph.part.8; and so on
 *   measure_parts FOLDER MASK...          prints the figures of both, where that file is there
 * A vertex of the graph is a tile, all of one cost; an edge has the values that cross. */
#include "import/import.h"
#include "tiling/tile_parts.h"
#include "tiling/tiling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int cuts[] = {2, 4, 8, 16};
enum { CUTS = sizeof cuts / sizeof *cuts };

/* The values that cross between two tiles in a step, both ways. */
static ht_status values_between(const ht_tiling *tiling, int64_t one, int64_t other, int64_t *sum) {
  int32_t neighbour[2 * HT_TILE_NEIGHBOURS];
  uint64_t inside[2] = {tiling->inside[one], tiling->inside[other]};
  ht_tiling pair = *tiling;
  const int32_t part[2] = {0, 1};
  ht_tile_parts_figures figures;
  pair.tiles = 2;
  pair.inside = inside;
  pair.neighbour = neighbour;
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    const int32_t *of_one = tiling->neighbour + HT_TILE_NEIGHBOURS * one;
    const int32_t *of_other = tiling->neighbour + HT_TILE_NEIGHBOURS * other;
    neighbour[i] = of_one[i] == other ? 1 : -1;
    neighbour[HT_TILE_NEIGHBOURS + i] = of_other[i] == one ? 0 : -1;
  }
  HT_TRY(ht_tile_parts_measure(&pair, NULL, 2, part, &figures));
  *sum = figures.shared_values;
  return HT_OK;
}

static ht_status list_edges(const ht_tiling *tiling, int64_t tile, FILE *file, int64_t *edges) {
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = tiling->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    int64_t values = 0;
    if (there < 0 || there == tile) continue;
    HT_TRY(values_between(tiling, tile, there, &values));
    if (values == 0) continue;
    ++*edges;
    if (file) fprintf(file, " %d %lld", there + 1, (long long)values);
  }
  return HT_OK;
}

static ht_status write_graph(const ht_tiling *tiling, const double *cost, const char *path) {
  int64_t edges = 0, again = 0;
  for (int64_t t = 0; t < tiling->tiles; t++) HT_TRY(list_edges(tiling, t, NULL, &edges));
  FILE *file = fopen(path, "w");
  if (!file) return ht_fail(HT_ERR_WRITE, "%s cannot be written", path);
  fprintf(file, "%lld %lld 011\n", (long long)tiling->tiles, (long long)edges / 2);
  for (int64_t t = 0; t < tiling->tiles; t++) {
    fprintf(file, "%d", (int)cost[t]);
    HT_TRY(list_edges(tiling, t, file, &again));
    fputc('\n', file);
  }
  return fclose(file) == 0 ? HT_OK : ht_fail(HT_ERR_WRITE, "%s cannot be written", path);
}

static ht_status print_row(const ht_tiling *tiling, const double *cost, int parts,
                           const int32_t *part, const char *by) {
  ht_tile_parts_figures f;
  HT_TRY(ht_tile_parts_measure(tiling, cost, parts, part, &f));
  printf("| %d | %s | %.2f | %lld | %lld | %d |\n", parts, by, 100 * f.imbalance,
         (long long)f.shared_values, (long long)f.most_shared, f.most_neighbours);
  return HT_OK;
}

/* 0: METIS has not been run. */
static int read_parts(const char *graph, int parts, int64_t tiles, int32_t *part) {
  char path[4096 + 16];
  snprintf(path, sizeof path, "%s.part.%d", graph, parts);
  FILE *file = fopen(path, "r");
  int64_t read = 0;
  while (file && read < tiles && fscanf(file, "%d", &part[read]) == 1 && part[read] >= 0 &&
         part[read] < parts)
    read++;
  if (file) fclose(file);
  return read == tiles;
}

static ht_status compare(const ht_tiling *tiling, const double *cost, const char *graph,
                         int32_t *part) {
  for (int c = 0; c < CUTS; c++) {
    HT_TRY(ht_tile_parts_cut(tiling, cost, NULL, cuts[c], part));
    HT_TRY(print_row(tiling, cost, cuts[c], part, "hemotile"));
    if (read_parts(graph, cuts[c], tiling->tiles, part))
      HT_TRY(print_row(tiling, cost, cuts[c], part, "METIS"));
  }
  return HT_OK;
}

static ht_status measure(const ht_tiling *tiling, const char *graph) {
  double *cost = NULL;
  int32_t *part = NULL;
  FILE *there = fopen(graph, "r");
  ht_status status = HT_OK;
  if (there) fclose(there);
  HT_TRY_DONE(ht_alloc((void **)&cost, (size_t)tiling->tiles, sizeof *cost, "the cost"));
  HT_TRY_DONE(ht_alloc((void **)&part, (size_t)tiling->tiles, sizeof *part, "the parts"));
  for (int64_t t = 0; t < tiling->tiles; t++) cost[t] = 1; /* a tile is moved as a whole */
  HT_TRY_DONE(there ? compare(tiling, cost, graph, part) : write_graph(tiling, cost, graph));
done:
  free(cost);
  free(part);
  return status;
}

static ht_status measure_mask(const char *path, const char *graph) {
  ht_mask mask;
  ht_tiling tiling;
  HT_TRY(ht_import_mask(path, &mask));
  ht_status status = ht_tiling_build(&mask, NULL, &tiling);
  ht_mask_free(&mask);
  HT_TRY(status);
  printf("%s: %lld fluid nodes, %lld tiles\n", path, (long long)tiling.nodes,
         (long long)tiling.tiles);
  puts("| parts | by | imbalance, % | values that cross | most to a part | most neighbours |");
  status = measure(&tiling, graph);
  ht_tiling_free(&tiling);
  return status;
}

int main(int argc, char **argv) {
  char graph[4096];
  ht_status status = HT_OK;
  for (int i = 2; i < argc && status == HT_OK; i++) {
    snprintf(graph, sizeof graph, "%s/%d.graph", argv[1], i - 1);
    status = measure_mask(argv[i], graph);
  }
  if (status != HT_OK) fprintf(stderr, "measure_parts: %s\n", ht_error_message());
  return (int)status;
}
