/* Levels: their nodes, what is refused, and bits that do not depend on the number of threads. On
 * the CPU, or with the argument "gpu" there. */
#include "tests/check.h"
#include "core/status.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/level_box.h"
#include "tests/solver/common/memory_stream.h"
#include <stdlib.h>
#include <string.h>

static ht_device device;

typedef struct {
  int from, to;     /* of level 1 along axis 0, coarse voxels */
  int finer, until; /* of level 2 */
} slab;

static int level_at(const double at[3], const void *data) {
  const slab *s = data;
  if (!(at[0] > s->from - 0.5 && at[0] < s->to - 0.5)) return 0;
  return 1 + (at[0] > s->finer - 0.5 && at[0] < s->until - 0.5);
}

static ht_lattice_setup lattice_of(ht_precision precision, int threads) {
  ht_lattice_setup setup = {.tau = 0.53,
                            .precision = precision,
                            .collision = HT_CUMULANT,
                            .device = device,
                            .threads = threads,
                            .periodic = {1, 1, 1}};
  return setup;
}

static void shear_at(const double at[3], const void *data, ht_voxel_flow *to) {
  (void)data;
  to->velocity[0] = 0.03 + 0.02 * sin(HT_PI * at[1] / 2);
  to->velocity[1] = 0.01 * cos(HT_PI * at[0] / 16);
}

static void make(const slab *where, int levels, ht_precision precision, int threads,
                 ht_level_box *box) {
  const ht_level_box_shape shape = {
      .dim = {32, 4, 4}, .levels = levels, .level = level_at, .data = where};
  const ht_lattice_setup lattice = lattice_of(precision, threads);
  ht_level_box_make(&shape, &lattice, box);
}

/* ---- nodes ---- */

static int64_t own_nodes(const ht_level_box *box, int level) {
  const uint64_t *own = ht_levels_own(box->levels, level);
  int64_t count = 0;
  for (int64_t t = 0; t < ht_levels_tiling(box->levels, level)->tiles; t++)
    count += __builtin_popcountll(own[t]);
  return count;
}

/* Every place is one level's; the coarse level has two layers on the other side of each interface,
 * the fine one two of its own. */
HT_TEST(test_nodes) {
  const slab where = {8, 24, 0, 0};
  ht_level_box box;
  make(&where, 2, HT_FP32, 1, &box);
  assert_int_equal(own_nodes(&box, 0), 16 * 4 * 4);
  assert_int_equal(own_nodes(&box, 1), 8 * 16 * 4 * 4);
  assert_int_equal(ht_levels_tiling(box.levels, 0)->nodes, (16 + 4) * 4 * 4);
  assert_int_equal(ht_levels_tiling(box.levels, 1)->nodes, (32 + 4) * 8 * 8);
  ht_level_box_free(&box);
}

/* ---- bits ---- */

/* 66 coarse steps, the first ones of them in a piece. */
static double *stepped(ht_precision precision, int threads, int first, int64_t *count) {
  const slab where = {8, 24, 12, 20};
  ht_level_box box;
  make(&where, 3, precision, threads, &box);
  ht_level_box_write(&box, shear_at, NULL);
  assert_int_equal(ht_levels_step(box.levels, first), HT_OK);
  assert_int_equal(ht_levels_step(box.levels, 66 - first), HT_OK);
  ht_level_sample *sample = ht_level_box_read(&box, count);
  double *value = calloc((size_t)*count, 4 * sizeof *value);
  for (int64_t i = 0; i < *count; i++) {
    value[4 * i] = sample[i].density;
    memcpy(value + 4 * i + 1, sample[i].velocity, sizeof sample[i].velocity);
  }
  free(sample);
  ht_level_box_free(&box);
  return value;
}

/* Bits depend neither on the number of threads nor on the pieces in which steps are asked for. */
HT_TEST(test_threads) {
  for (int p = HT_FP32; p <= HT_FP64; p++) {
    int64_t count;
    double *one = stepped((ht_precision)p, 1, 0, &count);
    double *two = stepped((ht_precision)p, 2, 37, &count);
    assert_memory_equal(one, two, (size_t)count * 4 * sizeof *one);
    assert_true(fabs(one[1]) > 1e-3);
    free(one);
    free(two);
  }
}

/* A saved state, loaded into other levels of the same setup, goes on bit for bit, over the next
 * balance of mass. */
HT_TEST(test_transfer) {
  const slab where = {8, 24, 0, 0};
  ht_level_box box[2];
  ht_memory buffer = {0};
  int64_t count;
  for (int i = 0; i < 2; i++) make(&where, 2, HT_FP32, 1 + i, &box[i]);
  ht_level_box_write(&box[0], shear_at, NULL);
  assert_int_equal(ht_levels_step(box[0].levels, 61), HT_OK);
  ht_state save = ht_memory_stream(&buffer, 0), load = ht_memory_stream(&buffer, 1);
  assert_int_equal(ht_levels_transfer(box[0].levels, &save), HT_OK);
  assert_int_equal(ht_levels_transfer(box[1].levels, &load), HT_OK);
  ht_level_sample *sample[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ht_levels_step(box[i].levels, 5), HT_OK);
    sample[i] = ht_level_box_read(&box[i], &count);
  }
  assert_memory_equal(sample[0], sample[1], (size_t)count * sizeof *sample[0]);
  for (int i = 0; i < 2; i++) {
    free(sample[i]);
    ht_level_box_free(&box[i]);
  }
  ht_memory_free(&buffer);
}

/* One level is the lattice as it is without levels, bit for bit. */
HT_TEST(test_one_level) {
  const int dim[3] = {32, 4, 4};
  const slab nowhere = {0, 0, 0, 0};
  ht_lattice_setup lattice = lattice_of(HT_FP32, 1);
  ht_level_box levels;
  ht_box alone;
  make(&nowhere, 1, HT_FP32, 1, &levels);
  ht_box_make(dim, &lattice, &alone);
  ht_level_box_write(&levels, shear_at, NULL);
  const int64_t nodes = alone.tiling.tiles * HT_TILE_NODES;
  double *one = calloc((size_t)nodes, 3 * sizeof *one), *other = calloc((size_t)nodes, 24);
  ht_lattice_fields fields = {.velocity = one}, fields_alone = {.velocity = other};
  assert_int_equal(
      ht_lattice_read(ht_levels_lattice(levels.levels, 0), 0, alone.tiling.tiles, &fields), HT_OK);
  assert_int_equal(ht_lattice_write(alone.lattice, &fields), HT_OK);
  assert_int_equal(ht_lattice_write(ht_levels_lattice(levels.levels, 0), &fields), HT_OK);
  assert_int_equal(ht_levels_step(levels.levels, 9), HT_OK);
  assert_int_equal(ht_lattice_step(alone.lattice, 9), HT_OK);
  ht_lattice_read(ht_levels_lattice(levels.levels, 0), 0, alone.tiling.tiles, &fields);
  ht_lattice_read(alone.lattice, 0, alone.tiling.tiles, &fields_alone);
  assert_memory_equal(one, other, (size_t)nodes * 24);
  free(one);
  free(other);
  ht_level_box_free(&levels);
  ht_box_free(&alone);
}

/* ---- refusals ---- */

static void expect_refusal(const ht_levels_setup *setup, const char *words) {
  ht_levels *levels = NULL;
  assert_int_equal(ht_levels_create(setup, &levels), HT_ERR_USAGE);
  if (!strstr(ht_error_message(), words)) fail_msg("'%s' is not in: %s", words, ht_error_message());
  assert_null(levels);
}

HT_TEST(test_refusals) {
  const slab where = {8, 24, 9, 20};
  ht_level_box box = {.count = 2};
  make(&where, 2, HT_FP32, 1, &box);
  ht_level_setup level[3] = {{.mask = &box.mask[0], .refined = box.refined[0]},
                             {.mask = &box.mask[1]}};
  ht_levels_setup setup = {2, level, lattice_of(HT_FP32, 1)};
  setup.lattice.tau = 0.75; /* the fine level's is 1 */
  expect_refusal(&setup, "the relaxation time of a level is 1");
  setup.lattice = lattice_of(HT_FP16, 1);
  expect_refusal(&setup, "fp32 or fp64");
  setup.lattice = lattice_of(HT_FP32, 1);
  setup.lattice.noise_lu = 1e-3;
  expect_refusal(&setup, "noise");
  setup.lattice.noise_lu = 0;
  level[1].mask = &box.mask[0];
  expect_refusal(&setup, "it has to be 64");
  level[1].mask = &box.mask[1];
  const int64_t next_to_it = 10 + 32 * 2; /* a port there is within three nodes */
  const double speed = 0;
  const ht_lattice_port port = {.kind = HT_PORT_VELOCITY,
                                .inward = 1,
                                .direction = {1, 0, 0},
                                .nodes = 1,
                                .voxel = &next_to_it,
                                .speed_lu = &speed};
  setup.lattice.ports = 1;
  setup.lattice.port = &port;
  expect_refusal(&setup, "a port is within 3 nodes of another level");
  ht_level_box_free(&box);
}

/* Level 2 begins one node behind level 1. */
HT_TEST(test_levels_too_near) {
  const slab where = {8, 24, 9, 20};
  const ht_level_box_shape shape = {
      .dim = {32, 4, 4}, .levels = 3, .level = level_at, .data = &where};
  const ht_lattice_setup lattice = lattice_of(HT_FP32, 1);
  ht_level_box box;
  assert_int_equal(ht_level_box_try(&shape, &lattice, &box), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "too near to each other"));
  ht_level_box_free(&box);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nodes),    cmocka_unit_test(test_threads),
      cmocka_unit_test(test_transfer), cmocka_unit_test(test_one_level),
      cmocka_unit_test(test_refusals), cmocka_unit_test(test_levels_too_near)};
  device = ht_chosen_device(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
