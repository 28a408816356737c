#include "tests/solver/common/level_box.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

static void place_at(const int voxel[3], int level, double at[3]) {
  for (int a = 0; a < 3; a++) at[a] = (voxel[a] + 0.5) / (1 << level) - 0.5;
}

static void fill_level(const ht_level_box_shape *shape, int level, ht_level_box *box) {
  const int scale = 1 << level;
  const ht_grid grid =
      ht_grid_make(shape->dim[0] * scale, shape->dim[1] * scale, shape->dim[2] * scale);
  const int64_t voxels = ht_grid_voxels(&grid);
  assert_int_equal(ht_mask_alloc(&grid, &box->mask[level]), HT_OK);
  if (level < shape->levels - 1) box->refined[level] = calloc((size_t)voxels, 1);
  if (shape->interpolated) box->distance[level] = calloc((size_t)voxels, sizeof(float));
  for (int64_t v = 0; v < voxels; v++) {
    int voxel[3];
    double at[3];
    ht_voxel_place(grid.dim, v, voxel);
    place_at(voxel, level, at);
    const double distance = shape->wall ? shape->wall(at, shape->data) : 1e3;
    box->mask[level].inside[v] = distance > 0;
    if (box->distance[level]) box->distance[level][v] = (float)(distance * scale);
    if (box->refined[level])
      box->refined[level][v] = !shape->level || shape->level(at, shape->data) > level;
  }
}

ht_status ht_level_box_try(const ht_level_box_shape *shape, const ht_lattice_setup *lattice,
                           ht_level_box *box) {
  memset(box, 0, sizeof *box);
  box->count = shape->levels;
  ht_level_setup level[HT_LEVELS_MOST];
  for (int l = 0; l < shape->levels; l++) {
    fill_level(shape, l, box);
    level[l] = (ht_level_setup){.mask = &box->mask[l],
                                .refined = box->refined[l],
                                .wall_distance = box->distance[l],
                                .drive_user = lattice->drive_user};
  }
  const ht_levels_setup setup = {shape->levels, level, *lattice};
  return ht_levels_create(&setup, &box->levels);
}

void ht_level_box_make(const ht_level_box_shape *shape, const ht_lattice_setup *lattice,
                       ht_level_box *box) {
  ht_status status = ht_level_box_try(shape, lattice, box);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
}

void ht_level_box_free(ht_level_box *box) {
  ht_levels_free(box->levels);
  for (int l = 0; l < box->count; l++) {
    ht_mask_free(&box->mask[l]);
    free(box->refined[l]);
    free(box->distance[l]);
  }
}

/* ---- flows ---- */

typedef struct {
  const ht_tiling *tiling;
  int level;
  ht_level_flow flow;
  const void *data;
} writer;

static void node_place(const ht_tiling *tiling, int level, int64_t node, double at[3]) {
  const int n = (int)(node % HT_TILE_NODES), in_tile[3] = {n & 3, (n >> 2) & 3, n >> 4};
  int voxel[3];
  for (int a = 0; a < 3; a++)
    voxel[a] = HT_TILE_SIDE * tiling->position[3 * (node / HT_TILE_NODES) + a] - tiling->origin[a] +
               in_tile[a];
  place_at(voxel, level, at);
}

static void give_state(void *user, int64_t node, ht_node_state *state) {
  const writer *from = user;
  double at[3];
  ht_voxel_flow flow = {0};
  node_place(from->tiling, from->level, node, at);
  from->flow(at, from->data, &flow);
  state->density = flow.density;
  memcpy(state->velocity, flow.velocity, sizeof flow.velocity);
  memcpy(state->stress, flow.stress, sizeof flow.stress);
}

void ht_level_box_write(const ht_level_box *box, ht_level_flow flow, const void *data) {
  for (int l = 0; l < box->count; l++) {
    writer from = {ht_levels_tiling(box->levels, l), l, flow, data};
    assert_int_equal(ht_lattice_set(ht_levels_lattice(box->levels, l), give_state, &from), HT_OK);
  }
}

static int64_t read_level(const ht_level_box *box, int level, ht_level_sample *to) {
  const ht_tiling *tiling = ht_levels_tiling(box->levels, level);
  const uint64_t *own = ht_levels_own(box->levels, level);
  const int64_t nodes = tiling->tiles * HT_TILE_NODES;
  double *all = calloc((size_t)nodes, 10 * sizeof(double));
  ht_lattice_fields fields = {.density = all, .velocity = all + nodes, .stress = all + 4 * nodes};
  assert_int_equal(
      ht_lattice_read(ht_levels_lattice(box->levels, level), 0, tiling->tiles, &fields), HT_OK);
  int64_t count = 0;
  for (int64_t n = 0; n < nodes; n++) {
    if (!((own[n / HT_TILE_NODES] >> (n % HT_TILE_NODES)) & 1)) continue;
    ht_level_sample *sample = &to[count++];
    node_place(tiling, level, n, sample->at);
    sample->density = fields.density[n];
    sample->level = level;
    sample->volume = 1.0 / (1 << 3 * level);
    memcpy(sample->velocity, fields.velocity + 3 * n, sizeof sample->velocity);
    memcpy(sample->stress, fields.stress + 6 * n, sizeof sample->stress);
  }
  free(all);
  return count;
}

ht_level_sample *ht_level_box_read(const ht_level_box *box, int64_t *nodes) {
  int64_t most = 0;
  for (int l = 0; l < box->count; l++) most += ht_levels_tiling(box->levels, l)->nodes;
  ht_level_sample *sample = calloc((size_t)most, sizeof *sample);
  assert_non_null(sample);
  *nodes = 0;
  for (int l = 0; l < box->count; l++) *nodes += read_level(box, l, sample + *nodes);
  return sample;
}

void ht_level_box_compare(const ht_level_box *box, ht_level_flow flow, const void *data,
                          ht_level_error *error) {
  int64_t nodes;
  ht_level_sample *sample = ht_level_box_read(box, &nodes);
  double sum[6] = {0}, volume = 0, mean = 0;
  memset(error, 0, sizeof *error);
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < nodes; i++) {
      const ht_level_sample *s = &sample[i];
      ht_voxel_flow exact = {0};
      flow(s->at, data, &exact);
      const double difference = s->density - exact.density;
      if (pass == 0) {
        mean += s->volume * difference, volume += s->volume;
        error->mass += s->volume * s->density;
        for (int a = 0; a < 3; a++) error->momentum[a] += s->volume * s->velocity[a];
        continue;
      }
      for (int a = 0; a < 3; a++) {
        sum[0] += s->volume * pow(s->velocity[a] - exact.velocity[a], 2);
        sum[1] += s->volume * pow(exact.velocity[a], 2);
      }
      for (int k = 0; k < 6; k++) {
        sum[2] += s->volume * pow(s->stress[k] - exact.stress[k], 2);
        sum[3] += s->volume * pow(exact.stress[k], 2);
      }
      sum[4] += s->volume * pow(difference - mean / volume, 2);
      sum[5] += s->volume * pow(exact.density, 2);
    }
  error->velocity = sqrt(sum[0] / sum[1]);
  error->stress = sqrt(sum[2] / sum[3]);
  error->density = sqrt(sum[4] / sum[5]);
  free(sample);
}
