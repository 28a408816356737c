/* import/: VTK's PolyData with numbers at its points. */
#include "tests/check.h"
#include "import/surface/formats/vtp_mesh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/ht_mesh_XXXXXX.vtp";

/* Two pieces: a square of 20 mm, and a triangle above it. `first`, `second`: their values. */
static const char whole[] =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<PolyData>\n"
    "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" format=\"ascii\">0</DataArray>"
    "</FieldData>\n"
    "<Piece NumberOfPoints=\"4\"><PointData Scalars=\"load\">\n"
    "<DataArray type=\"Float32\" Name=\"load\" format=\"ascii\">%s</DataArray>\n"
    "<DataArray type=\"Float32\" Name=\"push\" NumberOfComponents=\"3\" format=\"ascii\">"
    "1 2 3 4 5 6 7 8 9 10 11 12</DataArray></PointData>\n"
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 20 0 0 20 "
    "20 0 0 20 0</DataArray></Points><Polys>"
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray></Polys></Piece>\n"
    "<Piece NumberOfPoints=\"3\"><PointData>\n"
    "<DataArray type=\"Float32\" Name=\"load\" format=\"ascii\">%s</DataArray></PointData>\n"
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 5 20 0 5 20 "
    "20 5</DataArray></Points><Polys>"
    "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3</DataArray></Polys></Piece>\n"
    "</PolyData>\n</VTKFile>\n";

static char text[4000];

static void write_text(size_t length) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fwrite(text, 1, length, file);
  fclose(file);
}

static void write_values(const char *first, const char *second) {
  snprintf(text, sizeof text, whole, first, second);
  write_text(strlen(text));
}

static int is_named(void *user, const char *name) {
  return strcmp(user, name) == 0;
}

static ht_status read_named(const char *name, ht_vtp_mesh *mesh) {
  return ht_vtp_mesh_read(path, HT_UNIT_MM, is_named, (void *)name, NULL, mesh);
}

HT_TEST(test_pieces) {
  ht_vtp_mesh mesh;
  static const int32_t corners[9] = {0, 1, 2, 0, 2, 3, 4, 5, 6};
  write_values("1 2 3 4", "5 6 7");
  assert_int_equal(read_named("load", &mesh), HT_OK);
  assert_int_equal(mesh.points, 7);
  assert_int_equal(mesh.triangles, 3);
  assert_memory_equal(mesh.triangle, corners, sizeof corners);
  assert_int_equal(mesh.arrays, 2);
  assert_string_equal(mesh.array[1].name, "push");
  assert_int_equal(mesh.array[1].components, 3);
  assert_null(mesh.array[1].value);
  for (int p = 0; p < 7; p++) assert_float_equal(mesh.array[0].value[p], p + 1, 0);
  assert_float_equal(mesh.point_mm[3 * 6 + 1], 20, 0);
  ht_vtp_mesh_free(&mesh);
  assert_int_equal(read_named("none", &mesh), HT_OK);
  assert_null(mesh.array[0].value);
  ht_vtp_mesh_free(&mesh);
}

/* 3D Slicer names the axes; here in base64: 4 bytes, "RAS" and a 0. */
HT_TEST(test_axes) {
  static const char named[] = "<FieldData><Array type=\"String\" Name=\"SPACE\" "
                              "NumberOfTuples=\"1\" format=\"binary\">BAAAAFJBUwA=</Array>";
  char *at;
  ht_vtp_mesh mesh;
  write_values("1 2 3 4", "5 6 7");
  assert_non_null(at = strstr(text, "<FieldData>"));
  memmove(at + strlen(named), at + 11, strlen(at + 11) + 1);
  memcpy(at, named, strlen(named));
  write_text(strlen(text));
  assert_int_equal(read_named("load", &mesh), HT_OK);
  assert_float_equal(mesh.point_mm[3 * 6], -20, 0);
  assert_float_equal(mesh.point_mm[3 * 6 + 1], -20, 0);
  assert_float_equal(mesh.point_mm[3 * 6 + 2], 5, 0);
  ht_vtp_mesh_free(&mesh);
}

/* A missing value would give every point after it another's. */
HT_TEST(test_damaged) {
  ht_vtp_mesh mesh;
  static const char *const first[] = {"1 2 3", "1 2 3 4 5", "", "1 2 x 4"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    write_values(first[i], "5 6 7");
    assert_int_equal(read_named("load", &mesh), HT_ERR_FORMAT);
    assert_null(mesh.point_mm);
    assert_int_equal(read_named("none", &mesh), HT_OK); /* the wall itself is whole */
    ht_vtp_mesh_free(&mesh);
  }
  write_values("1 2 3 4", "5 6 7");
  assert_int_equal(read_named("push", &mesh), HT_ERR_FORMAT); /* of the first piece alone */
  assert_non_null(strstr(ht_error_message(), "missing at some points"));
}

HT_TEST(test_truncated) {
  ht_vtp_mesh mesh;
  write_values("1 2 3 4", "5 6 7");
  size_t end = (size_t)(strstr(text, "</PolyData>") - text);
  for (size_t length = 0; length < end; length += 7) {
    write_text(length);
    assert_int_equal(read_named("load", &mesh), HT_ERR_FORMAT);
    assert_true(strlen(ht_error_message()) > 20);
    assert_null(mesh.array[0].value);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_axes),
                                     cmocka_unit_test(test_damaged),
                                     cmocka_unit_test(test_truncated)};
  close(mkstemps(path, 4));
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  return failed;
}
