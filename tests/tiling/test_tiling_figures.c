/* Figures of a tiling against those that the tiling paper derives. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "tests/tiling/random_mask.h"
#include "tiling/tiling.h"
#include "tiling/tiling_figures.h"

static void measure_box(int nx, int ny, int nz, ht_tiling_figures *figures) {
  ht_mask mask;
  ht_tiling tiling;
  assert_int_equal(ht_geometry_box((int[3]){nx, ny, nz}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_tiling_measure(&tiling, figures);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* Section 4.4: four tiles as 2 x 2 x 1 have 4 faces and 1 edge in common; long channels of one tile
 * about one face a tile and no edge, of two tiles 1.5 faces and half an edge. */
static void test_faces_and_edges(void **unused) {
  (void)unused;
  ht_tiling_figures f;
  measure_box(8, 8, 4, &f);
  assert_int_equal(f.faces, 4);
  assert_int_equal(f.edges, 1);
  assert_true(f.faces_a_tile == 1 && f.edges_a_tile == 0.25);
  measure_box(4, 4, 62500, &f);
  assert_int_equal(f.faces, 15624);
  assert_int_equal(f.edges, 0);
  measure_box(4, 8, 31248, &f);
  assert_int_equal(f.faces, 7812 + 2 * 7811);
  assert_int_equal(f.edges, 7811);
  measure_box(20, 24, 28, &f); /* 5 x 6 x 7 tiles */
  assert_int_equal(f.faces, 4 * 6 * 7 + 5 * 5 * 7 + 5 * 6 * 6);
  assert_int_equal(f.edges, 4 * 5 * 7 + 4 * 6 * 6 + 5 * 5 * 6);
  assert_int_equal(f.full_tiles, 5 * 6 * 7);
}

static int has_tile(const ht_tiling *tiling, const int32_t *at, int dx, int dy, int dz) {
  for (int64_t t = 0; t < tiling->tiles; t++) {
    const int32_t *p = tiling->position + 3 * t;
    if (p[0] == at[0] + dx && p[1] == at[1] + dy && p[2] == at[2] + dz) return 1;
  }
  return 0;
}

static void test_against_search(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 200; trial++) {
    ht_mask mask = ht_random_mask(17);
    ht_tiling tiling;
    ht_tiling_figures f;
    assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
    ht_tiling_measure(&tiling, &f);
    int64_t faces = 0, edges = 0;
    for (int64_t t = 0; t < tiling.tiles; t++) {
      const int32_t *at = tiling.position + 3 * t;
      int x = has_tile(&tiling, at, 1, 0, 0), y = has_tile(&tiling, at, 0, 1, 0),
          z = has_tile(&tiling, at, 0, 0, 1);
      faces += x + y + z;
      edges += (x && y && has_tile(&tiling, at, 1, 1, 0)) +
               (x && z && has_tile(&tiling, at, 1, 0, 1)) +
               (y && z && has_tile(&tiling, at, 0, 1, 1));
    }
    assert_int_equal(f.faces, faces);
    assert_int_equal(f.edges, edges);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* Best, worst and mean of the 8 x 8 channel: 1, 4/9 and 0.5625 (section 3.4), along any axis; 4
 * voxels long, so that 48 of the 64 origins cut it once more along its length. */
static void test_origins(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    int dim[3] = {8, 8, 8};
    ht_tiling_figures f;
    dim[axis] = 4;
    measure_box(dim[0], dim[1], dim[2], &f);
    assert_true(f.best == 1);
    assert_near(f.worst, 2.0 / 9, 1e-15);
    assert_near(f.mean, 0.5625 * (1 + 3 * 0.5) / 4, 1e-15);
    for (int a = 0; a < 3; a++) {
      assert_int_equal(f.best_origin[a], 0);
      assert_int_equal(f.worst_origin[a], 1);
    }
  }
}

/* Equation 15: 0.2 at a utilisation of 0.83, as the text under it says. Equation 16: for n_t far
 * smaller than q n_d it becomes (2 - eta) / eta. */
static void test_overheads(void **unused) {
  (void)unused;
  assert_true(ht_tiling_overhead(1) == 0);
  assert_near(ht_tiling_overhead(0.83), 0.2, 0.005);
  assert_near(ht_tiling_overhead(0.5), 1, 1e-15);
  assert_near(ht_tiling_memory_overhead(0.8, 19, 8, 2, 0), (2 - 0.8) / 0.8, 1e-15);
  assert_near(ht_tiling_memory_overhead(1, 19, 8, 2, 4), 156.0 / 152, 1e-15);
  assert_near(ht_tiling_memory_overhead(1, 19, 4, 1, 4), 4.0 / 76, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_faces_and_edges), cmocka_unit_test(test_against_search),
      cmocka_unit_test(test_origins), cmocka_unit_test(test_overheads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
