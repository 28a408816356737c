#include "tests/check.h"
#include "tests/solver/cpu/tube_links.h"
#include "phantom/geometry.h"
#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include "tiling/tiling.h"
#include <stdlib.h>

static uint32_t links_of(const ht_tiling *tiling, int directions, int64_t node) {
  uint32_t fluid = (tiling->inside[node / 64] >> node % 64) & 1, links = fluid;
  for (int q = 1; q < directions; q++) {
    int slot, from;
    ht_pull_source((int)(node % 64), q, &slot, &from);
    int32_t there = tiling->neighbour[HT_TILE_NEIGHBOURS * (node / 64) + slot];
    if (!fluid || there < 0 || !((tiling->inside[there] >> from) & 1)) links |= 1u << q;
  }
  return links;
}

void ht_tube_mask(ht_mask *mask) {
  assert_int_equal(ht_geometry_tubes((int[3]){25, 19, 22}, (double[2]){4, 6}, 0.25, 5, mask),
                   HT_OK);
}

void ht_tube_links_make(int directions, ht_tube_links *tubes) {
  ht_mask mask;
  tubes->directions = directions;
  ht_tube_mask(&mask);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tubes->tiling), HT_OK);
  ht_mask_free(&mask);
  size_t tiles = (size_t)tubes->tiling.tiles;
  tubes->values = tubes->tiling.tiles * HT_TILE_VALUES(directions);
  tubes->slot = calloc(tiles, sizeof *tubes->slot);
  tubes->wall = calloc(tiles * (size_t)directions, sizeof *tubes->wall);
  tubes->links = calloc(tiles * 64, sizeof *tubes->links);
  assert_true(tubes->slot && tubes->wall && tubes->links);
  for (int64_t n = 0; n < tubes->tiling.tiles * 64; n++) {
    tubes->slot[n / 64] = (int32_t)(n / 64);
    tubes->links[n] = links_of(&tubes->tiling, directions, n);
    for (int q = 0; q < directions; q++)
      tubes->wall[n / 64 * directions + q] |= (uint64_t)((tubes->links[n] >> q) & 1) << n % 64;
  }
}

void ht_tube_links_free(ht_tube_links *tubes) {
  ht_tiling_free(&tubes->tiling);
  free(tubes->slot);
  free(tubes->wall);
  free(tubes->links);
}

double *ht_tube_start(const ht_tube_links *tubes, double (*start)(int64_t i, int directions)) {
  double *values = calloc((size_t)tubes->values, sizeof *values);
  assert_non_null(values);
  for (int64_t i = 0; i < tubes->values; i++) {
    const int64_t node = i / HT_TILE_VALUES(tubes->directions) * 64 + i % 64;
    if (tubes->links[node] & 1)
      values[i] = (double)ht_half_load(ht_half_store((float)start(i, tubes->directions)));
  }
  return values;
}

double *ht_velocity_after(const ht_lattice_setup *setup, int64_t steps) {
  const int64_t tiles = setup->tiling->tiles;
  ht_lattice *lattice;
  double *velocity = calloc((size_t)tiles * 64 * 3, sizeof *velocity);
  ht_lattice_fields fields = {.velocity = velocity};
  assert_non_null(velocity);
  assert_int_equal(ht_lattice_create(setup, &lattice), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, steps), HT_OK);
  assert_int_equal(ht_lattice_read(lattice, 0, tiles, &fields), HT_OK);
  ht_lattice_free(lattice);
  return velocity;
}
