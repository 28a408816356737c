#include "tests/check.h"
#include "phantom/geometry.h"
#include "validation/runs/lattice_voxels.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>
#include <string.h>

double *ht_read_voxels(ht_lattice *lattice, const ht_tiling *tiling) {
  double *values;
  assert_int_equal(ht_lattice_voxels(lattice, tiling, &values), HT_OK);
  return values;
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
    if (!ht_tiling_voxel(tiling, n, at)) continue;
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
  setup->collision = HT_MODEL_COLLISION(model);
  setup->compressibility = HT_MODEL_COMPRESSIBILITY(model);
}

const char *ht_model_name(int model) {
  static const char *const name[HT_MODELS] = {"LBGK incompressible", "LBGK quasi-compressible",
                                              "MRT incompressible", "MRT quasi-compressible",
                                              "cumulant"};
  return name[model];
}

const char *ht_precision_name(ht_precision precision) {
  return precision == HT_FP64 ? "fp64" : "fp32";
}
