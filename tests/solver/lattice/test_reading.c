/* A few nodes read alone have the fields that ht_lattice_read gives, to the bit; a state that was
 * kept while the steps went on has them to the rounding of the device that finds them. With "gpu"
 * as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/compare_backends.h"
#include "tests/solver/common/ported_vessel.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS = 16, MORE = 5, VALUES = 10 }; /* density, velocity, stress */

static ht_device device;

typedef struct {
  ht_ported_vessel vessel;
  ht_tiling tiling;
  ht_lattice *lattice;
  float *distance;
} flow;

/* Rough: walls between a fifth and four fifths of the way to the first solid nodes. */
static float *distances(const ht_mask *mask) {
  int64_t voxels = ht_grid_voxels(&mask->grid);
  float *distance = malloc((size_t)voxels * sizeof *distance);
  assert_non_null(distance);
  for (int64_t v = 0; v < voxels; v++)
    distance[v] =
        (float)((mask->inside[v] ? 1 : -1) * (0.2 + 0.6 * (double)(v * 7919 % 101) / 101));
  return distance;
}

static void run(ht_precision precision, ht_collision collision, int interpolated, flow *made) {
  ht_lattice_setup setup = ht_ported_vessel_setup(&made->vessel, &made->tiling);
  made->distance = distances(&made->vessel.mask);
  setup.precision = precision;
  setup.collision = collision;
  setup.device = device;
  setup.ramp_steps = 2 * STEPS; /* what the ports prescribe changes */
  setup.wall_distance = interpolated ? made->distance : NULL;
  assert_int_equal(ht_lattice_create(&setup, &made->lattice), HT_OK);
  assert_int_equal(ht_lattice_step(made->lattice, STEPS), HT_OK);
}

static void end(flow *made) {
  ht_lattice_free(made->lattice);
  ht_tiling_free(&made->tiling);
  ht_ported_vessel_free(&made->vessel);
  free(made->distance);
}

static void assert_same_node(const ht_lattice_fields *a, int64_t i, const ht_lattice_fields *b,
                             int64_t j) {
  assert_memory_equal(a->density + i, b->density + j, sizeof(double));
  assert_memory_equal(a->velocity + 3 * i, b->velocity + 3 * j, 3 * sizeof(double));
  assert_memory_equal(a->stress + 6 * i, b->stress + 6 * j, 6 * sizeof(double));
}

/* Every third fluid node of every fifth tile, and of the tiles of the ports all. */
static int64_t choose_nodes(const flow *of, int64_t *node) {
  int64_t count = 0, dim[2] = {of->tiling.dim[0], of->tiling.dim[1]};
  for (int64_t t = 0; t < of->tiling.tiles; t++) {
    int has_port = 0;
    for (int p = 0; p < HT_VESSEL_PORTS; p++)
      for (int64_t i = 0; i < of->vessel.port[p].nodes; i++) {
        int64_t v = of->vessel.voxel[p][i];
        int64_t at[3] = {v % dim[0], v / dim[0] % dim[1], v / dim[0] / dim[1]};
        int here = 1;
        for (int a = 0; a < 3; a++)
          here &= (at[a] + of->tiling.origin[a]) / HT_TILE_SIDE == of->tiling.position[3 * t + a];
        has_port |= here;
      }
    for (int n = 0; n < HT_TILE_NODES; n++)
      if (((of->tiling.inside[t] >> n) & 1) && (has_port || (t % 5 == 0 && n % 3 == 0)))
        node[count++] = HT_TILE_NODES * t + n;
  }
  return count;
}

static void compare_marked(flow *of, int64_t nodes, const int64_t *node, int64_t count) {
  ht_lattice_fields all = ht_alloc_fields(nodes), few = ht_alloc_fields(count);
  assert_int_equal(ht_lattice_read_marked(of->lattice, &few), HT_OK);
  assert_int_equal(ht_lattice_read(of->lattice, 0, of->tiling.tiles, &all), HT_OK);
  for (int64_t n = 0; n < nodes; n++) assert_true(isfinite(all.density[n]));
  for (int64_t i = 0; i < count; i++) assert_same_node(&few, i, &all, node[i]);
  assert_int_equal(ht_lattice_read_marked(of->lattice, &few), HT_OK); /* now after a whole read */
  for (int64_t i = 0; i < count; i++) assert_same_node(&few, i, &all, node[i]);
  free(all.density);
  free(few.density);
}

/* `twin` has made the same steps; it is read where `of` only keeps its state. */
static void compare_kept(flow *of, flow *twin, ht_precision precision, int64_t nodes) {
  ht_lattice_fields wanted = ht_alloc_fields(nodes), kept = ht_alloc_fields(nodes);
  const size_t bytes = (size_t)(VALUES * nodes) * sizeof(double);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(ht_lattice_step(of->lattice, MORE), HT_OK);
    assert_int_equal(ht_lattice_step(twin->lattice, MORE), HT_OK);
    assert_int_equal(ht_lattice_keep(of->lattice, 1), HT_OK);
    assert_int_equal(ht_lattice_read(twin->lattice, 0, of->tiling.tiles, &wanted), HT_OK);
    assert_int_equal(ht_lattice_step(of->lattice, MORE), HT_OK);
    assert_int_equal(ht_lattice_step(twin->lattice, MORE), HT_OK);
    ht_visit_fields(of->lattice, &kept);
    ht_assert_fields(of->lattice, precision, nodes, &wanted, &kept);
    assert_int_equal(ht_lattice_read(of->lattice, 0, of->tiling.tiles, &kept), HT_OK);
    assert_true(memcmp(wanted.density, kept.density, bytes) != 0);
    ht_keep_fields(of->lattice, &wanted); /* without steps after it */
    ht_assert_fields(of->lattice, precision, nodes, &kept, &wanted);
  }
  free(wanted.density);
  free(kept.density);
}

static void check(ht_precision precision, ht_collision collision, int interpolated) {
  flow of = {0}, twin = {0};
  run(precision, collision, interpolated, &of);
  run(precision, collision, interpolated, &twin);
  int64_t nodes = of.tiling.tiles * HT_TILE_NODES;
  int64_t *node = calloc((size_t)nodes, sizeof *node);
  assert_non_null(node);
  int64_t count = choose_nodes(&of, node);
  assert_true(count > 0 && count < of.tiling.nodes / 2);
  assert_int_equal(ht_lattice_mark(of.lattice, count, node), HT_OK);
  compare_marked(&of, nodes, node, count);
  assert_int_equal(ht_lattice_step(of.lattice, MORE), HT_OK);
  assert_int_equal(ht_lattice_step(twin.lattice, MORE), HT_OK);
  compare_marked(&of, nodes, node, count);
  compare_kept(&of, &twin, precision, nodes);
  compare_marked(&of, nodes, node, count);
  free(node);
  end(&of);
  end(&twin);
}

static void test_half_way(void **unused) {
  (void)unused;
  check(HT_FP32, HT_LBGK, 0);
  check(HT_FP16, HT_MRT, 0);
}

static void test_interpolated(void **unused) {
  (void)unused;
  check(HT_FP32, HT_LBGK, 1);
  check(HT_FP64, HT_CUMULANT, 1);
  check(HT_FP16, HT_LBGK, 1);
}

/* Fields of no nodes, and others in place of those chosen before. */
static void test_choose_again(void **unused) {
  (void)unused;
  flow of = {0};
  run(HT_FP32, HT_LBGK, 1, &of);
  int64_t nodes = of.tiling.tiles * HT_TILE_NODES, node[2] = {-1, -1};
  for (int64_t n = 0; n < nodes && node[1] < 0; n++)
    if ((of.tiling.inside[n / HT_TILE_NODES] >> (n % HT_TILE_NODES)) & 1) node[node[0] >= 0] = n;
  assert_int_equal(ht_lattice_mark(of.lattice, 0, node), HT_OK);
  compare_marked(&of, nodes, node, 0);
  assert_int_equal(ht_lattice_mark(of.lattice, 2, node), HT_OK);
  compare_marked(&of, nodes, node, 2);
  assert_int_equal(ht_lattice_mark(of.lattice, 1, node + 1), HT_OK);
  compare_marked(&of, nodes, node + 1, 1);
  end(&of);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_half_way),
                                     cmocka_unit_test(test_interpolated),
                                     cmocka_unit_test(test_choose_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
