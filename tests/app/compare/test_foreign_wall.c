/* compare/: the wall of another program: names and units of its arrays. */
#include "tests/check.h"
#include "app/compare/compared_wall.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/ht_foreign_XXXXXX.vtp";

/* Writes a tetrahedron of 10 mm with an array of vectors in dyn/cm2 and one of an index. */
static void write_file(void) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData>\n"
        "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"4\"><PointData>\n"
        "<DataArray type=\"Float64\" Name=\"shear (mean)\" NumberOfComponents=\"3\" "
        "format=\"ascii\">3 4 0 0 0 20 1 2 2 nan 0 0</DataArray>\n"
        "<DataArray type=\"Float32\" Name=\"index\" format=\"ascii\">0 0.1 0.2 0.5</DataArray>\n"
        "</PointData><CellData>"
        "<DataArray type=\"Float32\" Name=\"of cells\" format=\"ascii\">1 2 3 4</DataArray>"
        "</CellData><Points>\n"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 10 0 0 0 10 0 "
        "0 0 10</DataArray></Points><Polys>\n"
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 2 1 0 1 3 0 3 2 1 2 3"
        "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3 6 9 12"
        "</DataArray></Polys></Piece></PolyData></VTKFile>\n",
        file);
  fclose(file);
}

HT_TEST(test_parse) {
  ht_foreign_array array;
  assert_int_equal(ht_foreign_array_parse("tawss=WSS: mean:dyn/cm2", &array), HT_OK);
  assert_int_equal(array.number, HT_OF_TAWSS);
  assert_string_equal(array.array, "WSS: mean");
  assert_float_equal(array.pa, 0.1, 0);
  assert_int_equal(ht_foreign_array_parse("osi=OSI", &array), HT_OK);
  assert_float_equal(array.pa, 1, 0);
  assert_int_equal(ht_foreign_array_parse("pressure=p:mmHg", &array), HT_OK);
  assert_float_equal(array.pa, 133.322387415, 1e-9);
  static const char *const bad[] = {
      "",         "tawss",      "tawss=", "tawss=:Pa", "tawss=WSS", "wss=a:pa",  "wss=a:bar",
      "WSS=a:Pa", "speed=a:Pa", "osi=",   "=a:Pa",     "wss:Pa",    "pressure=p"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(ht_foreign_array_parse(bad[i], &array), HT_ERR_USAGE);
}

HT_TEST(test_read) {
  ht_foreign_array array[2];
  ht_compared_wall wall;
  assert_int_equal(ht_foreign_array_parse("wss=shear (mean):dyn/cm2", &array[0]), HT_OK);
  assert_int_equal(ht_foreign_array_parse("osi=index", &array[1]), HT_OK);
  const ht_wall_reading how = {1, HT_UNIT_CM, 2, array};
  assert_int_equal(ht_compared_wall_read(path, &how, NULL, &wall), HT_OK);
  assert_null(wall.values[HT_OF_TAWSS]);
  assert_null(wall.values[HT_OF_PRESSURE]);
  const float *wss = wall.values[HT_OF_WSS];
  assert_float_equal(wss[0], 0.5, 1e-7); /* |3 4 0| dyn/cm2 */
  assert_float_equal(wss[1], 2, 1e-7);
  assert_float_equal(wss[2], 0.3, 1e-7);
  assert_true(isnan(wss[3]));
  assert_float_equal(wall.values[HT_OF_OSI][3], 0.5, 0);
  assert_float_equal(wall.surface.point_mm[3], 100, 1e-4); /* 10 cm */
  assert_int_equal(wall.surface.triangles, 4);
  assert_true(wall.surface.normal[0] < 0 && wall.surface.normal[2] < 0); /* of corner 0: out */
  ht_compared_wall_free(&wall);
}

static void refused(const char *line, const char *text) {
  ht_foreign_array array;
  ht_compared_wall wall;
  int arrays = line != NULL;
  if (line) assert_int_equal(ht_foreign_array_parse(line, &array), HT_OK);
  const ht_wall_reading how = {1, HT_UNIT_MM, arrays, &array};
  assert_int_equal(ht_compared_wall_read(path, &how, NULL, &wall), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), text));
  assert_non_null(strstr(ht_error_message(), "shear (mean), index"));
  assert_non_null(strstr(ht_error_message(), "Cell Data to Point Data"));
  assert_null(wall.surface.point_mm);
}

HT_TEST(test_missing) {
  refused(NULL, "none of its arrays has a name of hemotile");
  refused("wss=stress:Pa", "there is no array 'stress'");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_read),
                                     cmocka_unit_test(test_missing)};
  close(mkstemps(path, 4));
  write_file();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  return failed;
}
