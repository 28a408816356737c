#include "solver/ranks/part_tables.h"
#include <stdlib.h>
#include <string.h>

static int is_at_border(const ht_lattice_tables *tables, const int32_t *part, int64_t tile) {
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    if (there >= 0 && part[there] != part[tile]) return 1;
  }
  return 0;
}

static void count_tiles(const ht_part_plan *plan, ht_part_figures *figures) {
  const ht_tiling *tiling = plan->whole->tiling;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    ht_part_figures *of = &figures[plan->part[t]];
    of->tiles++;
    of->nodes += __builtin_popcountll(tiling->inside[t]);
    of->border_tiles += is_at_border(plan->whole, plan->part, t);
  }
}

/* Counts the bytes from one part to another, as ht_part_build() lays them out. */
static int64_t bytes_between(const ht_part_plan *plan, const ht_needs *needs, int to, int from) {
  int64_t bytes = 0;
  for (int kind = 0; kind < HT_CROSS_KINDS; kind++)
    bytes += ht_cross_list_bytes(plan->whole->precision, kind,
                                 ht_needs_of(needs, kind, to, from)->count);
  return bytes;
}

static void count_bytes(const ht_part_plan *plan, const ht_needs *needs, ht_part_figures *figures) {
  for (int p = 0; p < plan->parts; p++)
    for (int other = 0; other < plan->parts; other++) {
      int64_t in = bytes_between(plan, needs, p, other);
      int64_t out = bytes_between(plan, needs, other, p);
      figures[p].received_bytes += in;
      figures[p].sent_bytes += out;
      figures[p].neighbours += in > 0 || out > 0;
    }
}

static ht_status weigh(const ht_part_plan *plan, ht_part_figures *figures) {
  const int64_t tiles = plan->whole->tiling->tiles;
  double *cost, all = 0;
  HT_TRY(ht_alloc((void **)&cost, (size_t)tiles, sizeof *cost, "the cost of the tiles"));
  ht_part_weigh(plan->whole, cost);
  for (int64_t t = 0; t < tiles; t++) {
    figures[plan->part[t]].load += cost[t];
    all += cost[t];
  }
  for (int p = 0; p < plan->parts; p++) figures[p].load *= plan->parts / all;
  free(cost);
  return HT_OK;
}

ht_status ht_part_figures_find(const ht_lattice_tables *tables, int parts, ht_part_figures *figures,
                               int32_t *part) {
  ht_part_plan plan;
  ht_needs needs;
  memset(figures, 0, (size_t)parts * sizeof *figures);
  HT_TRY(ht_part_plan_make(tables, parts, &plan));
  memcpy(part, plan.part, (size_t)tables->tiling->tiles * sizeof *part);
  count_tiles(&plan, figures);
  ht_status status = weigh(&plan, figures);
  if (status == HT_OK) status = ht_needs_find(tables, parts, plan.part, &needs);
  if (status == HT_OK) {
    count_bytes(&plan, &needs, figures);
    ht_needs_free(&needs);
  }
  ht_part_plan_free(&plan);
  return status;
}
