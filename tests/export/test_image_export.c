/* Images as a public reader (nibabel) finds them: values, types, positions. */
#include "tests/check.h"
#include "tests/export/expected_file.h"
#include "export/export.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *list; /* the images that the reader still has to check */

static int begin_list(void **unused) {
  (void)unused;
  list = fopen(ht_test_path("list"), "w");
  return list ? 0 : -1;
}

/* Runs the reader once for all the images of a test. */
static void check_all(void) {
  char argument[300];
  assert_int_equal(fclose(list), 0);
  snprintf(argument, sizeof argument, "'%s'", ht_test_path("list"));
  assert_int_equal(ht_test_python("check_image.py", argument), 0);
}

/* A path of its own for each image: "mask-3.nii.gz". */
static const char *next_path(const char *name, const char *ending) {
  static int images;
  char file[64];
  snprintf(file, sizeof file, "%s-%d.%s", name, images++, ending);
  return ht_test_path(file);
}

/* Puts an image on the list, with what the reader has to find in it. */
static void expect_image(const char *path, const ht_grid *grid, const void *voxels, size_t size,
                         const char *type, int components) {
  char raw[300];
  snprintf(raw, sizeof raw, "%s.raw", path);
  ht_test_write(raw, voxels, size);
  ht_test_write_grid(path, grid);
  assert_true(fprintf(list, "%s\t%s\t%d\n", path, type, components) > 0);
}

static const char *const endings[] = {"nii.gz", "nii", "nrrd", "mha"};

/* The whole extent of a scan in float32 steps: 400 x 300 x 40 voxels are 200 mm. */
static void test_positions(void **unused) {
  (void)unused;
  const double angle[][3] = {
      {0, 0, 0}, {0.003, 0, 1e-4}, {0.01, 0.02, 0.005}, {0.3, 0.2, -1}, {3.1, 0.01, 0.02}};
  for (size_t a = 0; a < sizeof angle / sizeof *angle; a++) {
    for (int left = 0; left < 2; left++) {
      ht_grid grid = ht_test_grid(400, 300, 40, angle[a], left);
      ht_mask mask;
      assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
      mask.inside[1] = 1, mask.inside[400] = 2, mask.inside[400 * 300 * 39] = 255;
      const char *path = next_path("mask", "nii.gz");
      assert_int_equal(ht_export_mask(path, &mask), HT_OK);
      expect_image(path, &grid, mask.inside, (size_t)ht_grid_voxels(&grid), "uint8", 1);
      ht_mask_free(&mask);
    }
  }
  check_all();
}

static void test_formats_of_a_mask(void **unused) {
  (void)unused;
  const double angle[3] = {0.3, 0.2, -1};
  ht_grid grid = ht_test_grid(7, 5, 3, angle, 1);
  ht_mask mask;
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int v = 0; v < 105; v++) mask.inside[v] = v % 3 == 0;
  for (int e = 0; e < 4; e++) {
    const char *path = next_path("mask", endings[e]);
    assert_int_equal(ht_export_mask(path, &mask), HT_OK);
    expect_image(path, &grid, mask.inside, 105, "uint8", 1);
  }
  check_all();
  ht_mask_free(&mask);
}

static void check_volume(const ht_volume *volume, const void *expected, size_t size,
                         const char *type) {
  for (int e = 0; e < 4; e++) {
    const char *path = next_path("scan", endings[e]);
    assert_int_equal(ht_export_volume(path, volume), HT_OK);
    expect_image(path, &volume->grid, expected, size, type, 1);
  }
}

/* Checks that Hounsfield units stay int16; one value with a fraction or out of range makes all
 * float. */
static void test_type_of_a_volume(void **unused) {
  (void)unused;
  const double angle[3] = {0, 0.1, 0};
  ht_grid grid = ht_test_grid(4, 3, 2, angle, 0);
  ht_volume volume;
  int16_t whole[24];
  assert_int_equal(ht_volume_alloc(&grid, &volume), HT_OK);
  for (int v = 0; v < 24; v++) volume.values[v] = whole[v] = (int16_t)(v * 137 - 1024);
  volume.values[3] = whole[3] = -32768, volume.values[4] = whole[4] = 32767;
  check_volume(&volume, whole, sizeof whole, "int16");
  volume.values[5] = 32768;
  check_volume(&volume, volume.values, 24 * sizeof(float), "float32");
  volume.values[5] = 0.5f;
  check_volume(&volume, volume.values, 24 * sizeof(float), "float32");
  check_all();
  ht_volume_free(&volume);
}

/* One slice, one row, one voxel: no dimension is lost. */
static void test_flat_images(void **unused) {
  (void)unused;
  const double angle[3] = {0.3, 0.2, -1};
  const int size[][3] = {{4, 3, 1}, {4, 1, 1}, {1, 1, 1}, {1, 3, 2}};
  for (int s = 0; s < 4; s++) {
    ht_grid grid = ht_test_grid(size[s][0], size[s][1], size[s][2], angle, 0);
    ht_volume volume;
    assert_int_equal(ht_volume_alloc(&grid, &volume), HT_OK);
    for (int v = 0; v < ht_grid_voxels(&grid); v++) volume.values[v] = 0.25f + (float)v;
    check_volume(&volume, volume.values, sizeof(float) * (size_t)ht_grid_voxels(&grid), "float32");
    ht_volume_free(&volume);
  }
  check_all();
}

/* A vessel of 3 x 2 x 1 voxels at (5, 4, 3) with an extension next to it at x = 8. */
static void make_flow(ht_domain *domain, ht_flow *flow) {
  const double angle[3] = {0.3, 0.2, -1};
  ht_grid grid = ht_test_grid(12, 10, 9, angle, 0);
  memset(domain, 0, sizeof *domain);
  memset(flow, 0, sizeof *flow);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  flow->grid = grid;
  flow->nodes = 8;
  flow->velocity_m_s = malloc(sizeof(float) * 3 * 8);
  flow->pressure_pa = malloc(sizeof(float) * 8);
  for (int n = 0; n < 8; n++) {
    int v = 5 + n % 4 + 12 * (4 + n / 4 + 10 * 3);
    domain->mask.inside[v] = n % 4 == 3 ? HT_EXTENSION : HT_VESSEL;
    flow->pressure_pa[n] = 100.25f + (float)n;
    for (int c = 0; c < 3; c++) flow->velocity_m_s[3 * n + c] = 0.1f * (float)(10 * n + c + 1);
  }
  assert_int_equal(ht_node_map_of_mask(12 * 10 * 9, domain->mask.inside, &flow->node_of), HT_OK);
}

/* The mask's grid: x 3..9, y 2..7, z -1..4 of the lattice. */
static void test_flow_on_the_lattice_of_the_mask(void **unused) {
  (void)unused;
  enum { NX = 7, NY = 6, NZ = 6 };
  ht_domain domain;
  ht_flow flow;
  make_flow(&domain, &flow);
  ht_grid box = domain.mask.grid;
  double low[3] = {3, 2, -1};
  ht_grid_position(&domain.mask.grid, low, box.origin_mm);
  box.dim[0] = NX, box.dim[1] = NY, box.dim[2] = NZ;
  float velocity[NZ][NY][NX][3] = {0}, pressure[NZ][NY][NX] = {0};
  for (int n = 0; n < 8; n++) {
    if (n % 4 == 3) continue;
    pressure[4][2 + n / 4][2 + n % 4] = flow.pressure_pa[n];
    memcpy(velocity[4][2 + n / 4][2 + n % 4], flow.velocity_m_s + 3 * n, 3 * sizeof(float));
  }
  for (int e = 0; e < 4; e++) {
    const char *path = next_path("velocity", endings[e]);
    assert_int_equal(ht_export_velocity(path, &domain, &flow, &box), HT_OK);
    expect_image(path, &box, velocity, sizeof velocity, "float32", 3);
    path = next_path("pressure", endings[e]);
    assert_int_equal(ht_export_pressure(path, &domain, &flow, &box), HT_OK);
    expect_image(path, &box, pressure, sizeof pressure, "float32", 1);
  }
  check_all();
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

/* A grid whose voxels lie between the lattice's, or that lacks a voxel of the vessel (x 5 to 7), is
 * never written on. */
static void test_another_lattice(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_flow flow;
  make_flow(&domain, &flow);
  const char *path = ht_test_path("wrong.nii");
  for (int wrong = 0; wrong < 5; wrong++) {
    ht_grid grid = domain.mask.grid;
    double first[3] = {wrong == 0 ? 6 : 0, 0, 0};
    ht_grid_position(&domain.mask.grid, first, grid.origin_mm);
    if (wrong == 1) grid.dim[0] = 7;
    if (wrong == 2) grid.origin_mm[1] += 0.02 * grid.spacing_mm[0];
    if (wrong == 3) grid.spacing_mm[2] *= 1.002;
    if (wrong == 4) grid.direction[0][1] *= -1, grid.direction[1][1] *= -1;
    if (wrong == 4) grid.direction[2][1] *= -1;
    assert_int_equal(ht_export_velocity(path, &domain, &flow, &grid), HT_ERR_INTERNAL);
    assert_int_equal(ht_export_pressure(path, &domain, &flow, &grid), HT_ERR_INTERNAL);
    assert_int_equal(ht_export_vti(path, &domain, &flow, &grid), HT_ERR_INTERNAL);
  }
  assert_null(fopen(path, "r"));
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_positions, begin_list),
      cmocka_unit_test_setup(test_formats_of_a_mask, begin_list),
      cmocka_unit_test_setup(test_type_of_a_volume, begin_list),
      cmocka_unit_test_setup(test_flat_images, begin_list),
      cmocka_unit_test_setup(test_flow_on_the_lattice_of_the_mask, begin_list),
      cmocka_unit_test(test_another_lattice),
  };
  if (!ht_test_python_has("nibabel, numpy")) return 77;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
