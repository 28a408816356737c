#include "validation/runs/periodic_box.h"
#include "phantom/geometry.h"
#include "validation/runs/lattice_voxels.h"
#include <stdlib.h>
#include <string.h>

enum { TILES_A_READ = 4096 };

ht_status ht_periodic_box_make(const int dim[3], ht_mask *mask, ht_lattice_setup *setup,
                               ht_periodic_box *box) {
  const ht_tiling_options at_corner = {.fixed_origin = 1}; /* 0 0 0: periodic axes need it */
  memset(box, 0, sizeof *box);
  if (mask) {
    box->mask = *mask;
    memset(mask, 0, sizeof *mask);
  } else {
    HT_TRY(ht_geometry_box(dim, &box->mask));
  }
  HT_TRY(ht_tiling_build(&box->mask, &at_corner, &box->tiling));
  setup->tiling = &box->tiling;
  return ht_lattice_create(setup, &box->lattice);
}

void ht_periodic_box_free(ht_periodic_box *box) {
  if (!box) return;
  ht_lattice_free(box->lattice);
  ht_tiling_free(&box->tiling);
  ht_mask_free(&box->mask);
  memset(box, 0, sizeof *box);
}

/* Density, velocity and stress of `tiles` tiles in one piece. */
static ht_status fields_alloc(int64_t tiles, ht_lattice_fields *fields) {
  size_t nodes = (size_t)tiles * HT_TILE_NODES;
  double *all;
  HT_TRY(ht_alloc((void **)&all, nodes, 10 * sizeof(double), "the flow of a box"));
  *fields = (ht_lattice_fields){.density = all, .velocity = all + nodes, .stress = all + 4 * nodes};
  return HT_OK;
}

ht_status ht_periodic_box_begin(ht_periodic_box *box, ht_box_flow_at flow, const void *context) {
  ht_lattice_fields fields;
  HT_TRY(fields_alloc(box->tiling.tiles, &fields));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < box->tiling.tiles * HT_TILE_NODES; n++) {
    ht_box_flow here = {0};
    int voxel[3];
    if (!ht_tiling_voxel(&box->tiling, n, voxel)) continue;
    flow(context, voxel, &here);
    fields.density[n] = here.density;
    memcpy(fields.velocity + 3 * n, here.velocity, sizeof here.velocity);
    memcpy(fields.stress + 6 * n, here.stress, sizeof here.stress);
  }
  ht_status status = ht_lattice_write(box->lattice, &fields);
  free(fields.density);
  return status;
}

static void visit_tiles(const ht_periodic_box *box, int64_t first, int64_t tiles,
                        const ht_lattice_fields *fields, ht_box_visit visit, void *user) {
  for (int64_t n = 0; n < tiles * HT_TILE_NODES; n++) {
    ht_box_flow here;
    int voxel[3];
    if (!ht_tiling_voxel(&box->tiling, first * HT_TILE_NODES + n, voxel)) continue;
    here.density = fields->density[n];
    memcpy(here.velocity, fields->velocity + 3 * n, sizeof here.velocity);
    memcpy(here.stress, fields->stress + 6 * n, sizeof here.stress);
    visit(user, voxel, &here);
  }
}

ht_status ht_periodic_box_read(ht_periodic_box *box, ht_box_visit visit, void *user) {
  ht_lattice_fields fields;
  ht_status status = HT_OK;
  HT_TRY(fields_alloc(TILES_A_READ, &fields));
  for (int64_t first = 0; first < box->tiling.tiles && status == HT_OK; first += TILES_A_READ) {
    int64_t left = box->tiling.tiles - first, tiles = left < TILES_A_READ ? left : TILES_A_READ;
    status = ht_lattice_read(box->lattice, first, tiles, &fields);
    if (status == HT_OK) visit_tiles(box, first, tiles, &fields, visit, user);
  }
  free(fields.density);
  return status;
}
