/* The ladder's public functions and the code that all rungs share, from the start values to reading
 * back. The rungs themselves are in dense.cu, tile.cu, packed.cu and list_walls.cu, their kernel in
 * rung_kernels.cuh. */
#include "bench/papers/ladder/ladder.h"
#include "solver/cuda/cuda_device.cuh"
#include "bench/papers/ladder/ladder_state.cuh"
#include "bench/papers/ladder/ladder_values.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef ht_status (*ht_family)(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder);

#define TILING_PAPER "Tomczak & Szafran, Comput. Phys. Commun. 235 (2019) 258"
#define OBRECHT      "Obrecht et al., Comput. Math. Appl. 61 (2011) 3628"

static const ht_ladder_rung rungs[] = {
    {"dense-pull", "whole box, all shifts on reading, node types",
     "Mawson & Revell, Comput. Phys. Commun. 185 (2014) 2566"},
    {"dense-split", "whole box, the shift along x on reading, the others on writing",
     OBRECHT ", section 7.1"},
    {"dense-reversed", "whole box, all shifts on reading, a block a row", OBRECHT ", section 7.2"},
    {"tile-xyz", "4x4x4 tiles, every direction in the order XYZ", TILING_PAPER ", equation 11"},
    {"tile-xyz-yxz", "4x4x4 tiles, YXZ for what moves along x",
     TILING_PAPER ", equations 11 and 12"},
    {"tile-zigzag", "4x4x4 tiles, XYZ + YXZ + zigzagNE", TILING_PAPER ", equations 11 to 13"},
    {"tile-popcount", "fluid nodes of each tile, places counted in its mask", "this project"},
    {"packed", "fluid nodes of all tiles in chunks of 64, places counted in masks", "this project"},
    {"list", "the same storage, 18 addresses a node",
     "Bernaschi et al., Concurr. Comput. 22 (2010) 1; Huang et al., J. Parallel Distrib. Comput. "
     "84 (2015) 1"},
    {HT_LADDER_LIST_WALLS, "the same with interpolated walls", "this project"},
};

static const ht_family families[] = {
    ht_dense_build, ht_dense_build, ht_dense_build,  ht_tile_build,   ht_tile_build,
    ht_tile_build,  ht_tile_build,  ht_packed_build, ht_packed_build, ht_list_walls_build};

enum { RUNGS = sizeof rungs / sizeof rungs[0] };
static_assert(RUNGS == sizeof families / sizeof families[0], "each rung has its family");

const ht_ladder_rung *ht_ladder_rungs(int *count) {
  *count = RUNGS;
  return rungs;
}

/* ---- start ---- */

/* Voxel of node `local` of a tile, along axis `k`. */
static int32_t voxel_of(const ht_tiling *tiling, int64_t tile, int local, int k) {
  int in_tile = (local >> (2 * k)) & 3;
  return HT_TILE_SIDE * tiling->position[3 * tile + k] - tiling->origin[k] + in_tile;
}

/* Voxels of each tile's first node, or of each fluid node: [tiles or nodes][3]. */
static ht_status positions(const ht_ladder *ladder, int32_t **position, int64_t *count) {
  const ht_tiling *tiling = ladder->tiling;
  int by_node = ladder->order == HT_BY_NODE;
  *count = by_node ? tiling->nodes : tiling->tiles;
  HT_TRY(ht_alloc((void **)position, (size_t)*count * 3, sizeof(int32_t), "the start"));
  int32_t *next = *position;
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (int n = 0; n < (by_node ? HT_TILE_NODES : 1); n++) {
      if (by_node && !((tiling->inside[t] >> n) & 1)) continue;
      for (int k = 0; k < 3; k++) *next++ = voxel_of(tiling, t, n, k);
    }
  return HT_OK;
}

static ht_status start(ht_ladder *ladder, double noise) {
  int32_t *position;
  void *d_position = NULL;
  int64_t count;
  HT_TRY(positions(ladder, &position, &count));
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_ladder_allocate(&d_position, count * 3 * 4, "the start"));
  HT_TRY_DONE(
      ht_cuda_check(cudaMemcpy(d_position, position, (size_t)count * 3 * 4, cudaMemcpyHostToDevice),
                    "copying the start"));
  ladder->start(ladder, noise, (const int32_t *)d_position);
  HT_TRY_DONE(ht_cuda_check(cudaGetLastError(), "making the start"));
  HT_TRY_DONE(ht_cuda_check(cudaDeviceSynchronize(), "making the start"));
done:
  cudaFree(d_position);
  free(position);
  return status;
}

/* ---- life ---- */

static ht_status build(ht_family family, const ht_ladder_setup *setup, ht_ladder *ladder) {
  HT_TRY(family(ladder->rung->name, setup, ladder));
  int64_t bytes = ladder->values * ht_precision_bytes(ladder->precision);
  for (int i = 0; i < 2; i++) {
    HT_TRY(ht_ladder_allocate(&ladder->d_copy[i], bytes, "a copy of the distribution functions"));
    ladder->bytes += bytes;
  }
  return setup->noise_lu > 0 ? start(ladder, setup->noise_lu) : HT_OK;
}

static ht_status find_rung(const char *name, int *number) {
  char all[256] = "";
  for (*number = 0; *number < RUNGS; ++*number) {
    size_t used = strlen(all);
    if (strcmp(name, rungs[*number].name) == 0) return HT_OK;
    snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", rungs[*number].name);
  }
  return ht_fail(HT_ERR_USAGE, "there is no layout '%s' on the ladder; it has %s", name, all);
}

ht_status ht_ladder_create(const char *rung, const ht_ladder_setup *setup, ht_ladder **ladder) {
  char device[128], why[256];
  int number;
  *ladder = NULL;
  HT_TRY(find_rung(rung, &number));
  if (!(setup->tau > 0.5))
    return ht_fail(HT_ERR_UNSTABLE, "the relaxation time is %g; it has to be above 0.5",
                   setup->tau);
  HT_TRY(ht_device_describe(HT_DEVICE_CUDA, device, why));
  ht_ladder *made = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the ladder"));
  made->rung = &rungs[number];
  made->tiling = setup->tiling;
  made->omega = 1 / setup->tau;
  made->precision = setup->precision;
  made->kind = setup->step_kind;
  ht_status status = build(families[number], setup, made);
  if (status == HT_OK)
    *ladder = made;
  else
    ht_ladder_free(made);
  return status;
}

void ht_ladder_free(ht_ladder *ladder) {
  if (!ladder) return;
  for (int i = 0; i < 2; i++) cudaFree(ladder->d_copy[i]);
  for (int i = 0; i < ladder->tables; i++) cudaFree(ladder->d_table[i]);
  free(ladder);
}

ht_status ht_ladder_step(ht_ladder *ladder, int64_t steps) {
  for (int64_t s = 0; s < steps; s++, ladder->steps++) ladder->step(ladder);
  HT_TRY(ht_cuda_check(cudaGetLastError(), "starting a step"));
  return ht_cuda_check(cudaDeviceSynchronize(), "stepping");
}

void ht_ladder_measure_cost(const ht_ladder *ladder, ht_lattice_cost *cost) {
  cost->bytes = ladder->bytes;
  ht_cuda_measure_kernel(ladder->kernel, ladder->threads, cost);
}

/* ---- reading back ---- */

/* Runs `kernel` into [places][width] on the device and copies that to the host. */
static ht_status fetch(ht_ladder *ladder, void (*kernel)(ht_ladder *, double *), int width,
                       double **h_out) {
  void *d_out = NULL;
  int64_t count = ladder->places * width, bytes = count * (int64_t)sizeof(double);
  HT_TRY(ht_alloc((void **)h_out, (size_t)count, sizeof(double), "the flow on the host"));
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_ladder_allocate(&d_out, bytes, "reading the flow"));
  kernel(ladder, (double *)d_out);
  HT_TRY_DONE(ht_cuda_check(cudaGetLastError(), "reading the flow"));
  HT_TRY_DONE(ht_cuda_check(cudaMemcpy(*h_out, d_out, (size_t)bytes, cudaMemcpyDeviceToHost),
                            "copying the flow to the host"));
done:
  cudaFree(d_out);
  if (status != HT_OK) free(*h_out), *h_out = NULL;
  return status;
}

/* Place of a fluid node in the rung's order; `rank` fluid nodes come before it. */
static int64_t place_of(const ht_ladder *ladder, int64_t tile, int local, int64_t rank) {
  const int *dim = ladder->tiling->dim;
  int at[3];
  if (ladder->order == HT_BY_NODE) return rank;
  if (ladder->order == HT_BY_TILE) return HT_TILE_NODES * tile + local;
  for (int k = 0; k < 3; k++) at[k] = voxel_of(ladder->tiling, tile, local, k);
  return ht_voxel_index(dim, at);
}

/* Columns first, ... first + count of each node from h_in [places][width] to out
 * [tiles][64][count]; 0 at solid nodes. */
static void arrange(const ht_ladder *ladder, const double *h_in, int width, int first, int count,
                    double *out) {
  const ht_tiling *tiling = ladder->tiling;
  int64_t rank = 0;
  memset(out, 0, (size_t)(tiling->tiles * HT_TILE_NODES * count) * sizeof(double));
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (int n = 0; n < HT_TILE_NODES; n++) {
      if (!((tiling->inside[t] >> n) & 1)) continue;
      const double *from = h_in + width * place_of(ladder, t, n, rank++) + first;
      memcpy(out + count * (HT_TILE_NODES * t + n), from, (size_t)count * sizeof(double));
    }
}

ht_status ht_ladder_read(ht_ladder *ladder, double *density, double *velocity) {
  double *fields;
  HT_TRY(fetch(ladder, ladder->read, 4, &fields));
  if (density) arrange(ladder, fields, 4, 0, 1, density);
  if (velocity) arrange(ladder, fields, 4, 1, 3, velocity);
  free(fields);
  return HT_OK;
}

ht_status ht_ladder_values(ht_ladder *ladder, double *values) {
  double *all;
  HT_TRY(fetch(ladder, ladder->list, HT_Q19, &all));
  arrange(ladder, all, HT_Q19, 0, HT_Q19, values);
  free(all);
  return HT_OK;
}
