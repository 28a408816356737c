#include "tests/check.h"
#include "core/vessel/node_map.h"
#include <stdlib.h>

enum { VOXELS = 1000, NODES = 300 };

/* Returns the voxel of node n. 7 * 3 has no factor in common with 1000: no voxel comes twice. */
static int64_t voxel_of(int64_t n) {
  return 7 * 3 * n % VOXELS;
}

HT_TEST(test_list) {
  static int64_t voxel[NODES], expected[VOXELS];
  ht_node_map map;
  for (int v = 0; v < VOXELS; v++) expected[v] = -1;
  for (int n = 0; n < NODES; n++) expected[voxel[n] = voxel_of(n)] = n;
  assert_int_equal(ht_node_map_of_voxels(VOXELS, NODES, voxel, &map), HT_OK);
  assert_int_equal(map.nodes, NODES);
  for (int v = 0; v < VOXELS; v++) assert_int_equal(ht_node_map_at(&map, v), expected[v]);
  ht_node_map_set(&map, voxel[5], 17);
  assert_int_equal(ht_node_map_at(&map, voxel[5]), 17);
  ht_node_map_free(&map);
}

HT_TEST(test_mask) {
  static uint8_t inside[VOXELS];
  ht_node_map some, all;
  for (int n = 0; n < NODES; n++) inside[voxel_of(n)] = (uint8_t)(1 + n % 2);
  assert_int_equal(ht_node_map_of_mask(VOXELS, inside, &some), HT_OK);
  assert_int_equal(ht_node_map_of_mask(VOXELS, NULL, &all), HT_OK);
  int64_t next = 0;
  for (int v = 0; v < VOXELS; v++) {
    assert_int_equal(ht_node_map_at(&some, v), inside[v] ? next++ : -1);
    assert_int_equal(ht_node_map_at(&all, v), v);
  }
  assert_int_equal(next, NODES);
  assert_true(ht_node_map_same(&some, &some) && !ht_node_map_same(&some, &all));
  ht_node_map_set(&all, 3, 4);
  ht_node_map_free(&some);
  assert_int_equal(ht_node_map_of_mask(VOXELS, NULL, &some), HT_OK);
  assert_false(ht_node_map_same(&some, &all)); /* the numbers count */
  ht_node_map_free(&some);
  ht_node_map_free(&all);
}

HT_TEST(test_refused) {
  const int64_t twice[] = {4, 9, 4}, outside[] = {4, VOXELS}, below[] = {-1};
  ht_node_map map;
  assert_int_equal(ht_node_map_of_voxels(VOXELS, 3, twice, &map), HT_ERR_FORMAT);
  assert_int_equal(ht_node_map_of_voxels(VOXELS, 2, outside, &map), HT_ERR_FORMAT);
  assert_int_equal(ht_node_map_of_voxels(VOXELS, 1, below, &map), HT_ERR_FORMAT);
  assert_null(map.has);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_list), cmocka_unit_test(test_mask),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
