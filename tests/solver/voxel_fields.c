#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "geometry.h"
#include "voxel_fields.h"
#include <stdlib.h>
#include <string.h>

/* The voxel of a node of a tiling; 0 where it is solid. */
static int voxel_of(const ht_tiling *tiling, int64_t node, int voxel[3]) {
  int64_t tile = node / HT_TILE_NODES;
  int local = (int)(node % HT_TILE_NODES);
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  for (int a = 0; a < 3; a++)
    voxel[a] = 4 * tiling->position[3 * tile + a] - tiling->origin[a] + in_tile[a];
  return (int)((tiling->inside[tile] >> local) & 1);
}

double *ht_read_voxels(ht_lattice *lattice, const ht_tiling *tiling) {
  int64_t nodes = tiling->tiles * HT_TILE_NODES;
  const int *dim = tiling->dim;
  double *by_node = calloc((size_t)nodes, 4 * sizeof(double));
  double *out = calloc((size_t)dim[0] * (size_t)dim[1] * (size_t)dim[2], 4 * sizeof(double));
  assert_non_null(by_node);
  assert_non_null(out);
  ht_lattice_fields fields = {.density = by_node, .velocity = by_node + nodes};
  assert_int_equal(ht_lattice_read(lattice, 0, tiling->tiles, &fields), HT_OK);
  for (int64_t n = 0; n < nodes; n++) {
    int at[3];
    if (!voxel_of(tiling, n, at)) continue;
    double *to = out + 4 * (at[0] + dim[0] * (at[1] + (int64_t)dim[1] * at[2]));
    to[0] = by_node[n];
    memcpy(to + 1, by_node + nodes + 3 * n, 3 * sizeof(double));
  }
  free(by_node);
  return out;
}

void ht_write_voxels(ht_lattice *lattice, const ht_tiling *tiling, ht_flow_at flow,
                     const void *data) {
  int64_t nodes = tiling->tiles * HT_TILE_NODES;
  double *all = calloc((size_t)nodes, 10 * sizeof(double));
  assert_non_null(all);
  ht_lattice_fields fields = {.density = all, .velocity = all + nodes, .stress = all + 4 * nodes};
  for (int64_t n = 0; n < nodes; n++) {
    int at[3];
    ht_voxel_flow here = {0};
    if (!voxel_of(tiling, n, at)) continue;
    flow(at, data, &here);
    fields.density[n] = here.density;
    memcpy(fields.velocity + 3 * n, here.velocity, sizeof here.velocity);
    memcpy(fields.stress + 6 * n, here.stress, sizeof here.stress);
  }
  assert_int_equal(ht_lattice_write(lattice, &fields), HT_OK);
  free(all);
}

void ht_box_make(const int dim[3], ht_lattice_setup *setup, ht_box *box) {
  const ht_tiling_options at_corner = {.fixed_origin = 1}; /* 0 0 0: as periodic axes want it */
  assert_int_equal(ht_geometry_box(dim, &box->mask), HT_OK);
  assert_int_equal(ht_tiling_build(&box->mask, &at_corner, &box->tiling), HT_OK);
  setup->tiling = &box->tiling;
  ht_status status = ht_lattice_create(setup, &box->lattice);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
}

void ht_box_free(ht_box *box) {
  ht_lattice_free(box->lattice);
  ht_tiling_free(&box->tiling);
  ht_mask_free(&box->mask);
}

void ht_set_model(ht_lattice_setup *setup, int model) {
  setup->collision = (ht_collision)(model / 2);
  setup->compressibility = (ht_compressibility)(model % 2);
}

const char *ht_model_name(int model) {
  static const char *const name[HT_MODELS] = {"LBGK incompressible", "LBGK quasi-compressible",
                                              "MRT incompressible", "MRT quasi-compressible"};
  return name[model];
}

const char *ht_precision_name(ht_precision precision) {
  return precision == HT_FP64 ? "fp64" : "fp32";
}
