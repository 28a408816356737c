/* The published tables are read completely, with their gaps. */
#include "tests/check.h"
#include "validation/known/cavity_reference.h"
#include "validation/known/embedded_text.h"
#include "validation/known/reference.h"
#include <string.h>

static double cell(const ht_reference *table, int row, const char *name) {
  int column = ht_reference_column(table, name);
  assert_true(column >= 0);
  return table->value[row * table->columns + column];
}

static void test_every_table_is_read(void **unused) {
  (void)unused;
  int tables = 0;
  for (const ht_embedded_text *one = ht_embedded_texts; one->name; one++, tables++) {
    ht_reference table;
    assert_int_equal(ht_reference_read(one->name, &table), HT_OK);
    assert_true(table.columns >= 2);
    assert_true(table.rows >= 10);
    assert_int_equal(one->text[0], '#'); /* its source */
    ht_reference_free(&table);
  }
  assert_true(tables >= 7);
}

static void test_values_and_gaps(void **unused) {
  (void)unused;
  ht_reference table;
  assert_int_equal(ht_reference_read("cavity_plane_v_ghia_1982", &table), HT_OK);
  assert_int_equal(table.rows, 15);
  assert_true(cell(&table, 0, "x") == 0.9688);
  assert_true(cell(&table, 0, "re5000") == -0.49774);
  assert_true(cell(&table, 4, "re1000") == -0.51550);
  assert_true(isnan(cell(&table, 4, "re400"))); /* the misprint */
  assert_int_equal(ht_reference_column(&table, "re7"), -1);
  ht_reference_free(&table);
}

/* Pressure of a laboratory at a place; NAN: none. */
static double pressure_at(const ht_reference *table, double laboratory, double z_m) {
  for (int r = 0; r < table->rows; r++)
    if (cell(table, r, "laboratory") == laboratory && fabs(cell(table, r, "z_m") - z_m) < 1e-4)
      return cell(table, r, "pressure_pa");
  return NAN;
}

/* The differences from z = -63 to 32 mm that the validation counts, and the peak dissipation. */
static void test_turbulent_tables(void **unused) {
  (void)unused;
  static const double laboratory[] = {243, 468, 763, 297};
  static const double drop_pa[] = {15176, 14035, 13620, 17835};
  ht_reference table;
  assert_int_equal(ht_reference_read("fda_nozzle_re5000_pressure", &table), HT_OK);
  for (int l = 0; l < 4; l++) {
    double drop =
        pressure_at(&table, laboratory[l], -0.063) - pressure_at(&table, laboratory[l], 0.032);
    assert_near(drop, drop_pa[l], 1);
  }
  ht_reference_free(&table);
  double most = 0;
  assert_int_equal(ht_reference_read("taylor_green_re1600_spectral", &table), HT_OK);
  for (int r = 0; r < table.rows; r++) most = fmax(most, cell(&table, r, "dissipation"));
  assert_true(fabs(most - 0.01286) < 1e-5 && cell(&table, 0, "energy") == 0.125);
  ht_reference_free(&table);
}

static void test_no_such_table(void **unused) {
  (void)unused;
  ht_reference table;
  assert_int_equal(ht_reference_read("nothing", &table), HT_ERR_INTERNAL);
  assert_null(table.value);
  ht_reference_free(&table);
}

/* Coordinates are turned into ours: lid at the top, moving along +x. */
static void test_cavity_coordinates(void **unused) {
  (void)unused;
  ht_cavity_points points;
  assert_int_equal(ht_cavity_published(HT_CAVITY_CUBE, 1000, 1, &points), HT_OK);
  assert_int_equal(points.count, 15);
  assert_near(points.at[0], 0.9766, 1e-12); /* next to the lid: along with it */
  assert_true(points.value[0] == 0.58964);
  assert_int_equal(ht_cavity_published(HT_CAVITY_CUBE, 1000, 0, &points), HT_OK);
  assert_true(points.at[0] < 0.1 &&
              points.value[0] > 0); /* up along the wall downstream of the lid */
  assert_int_equal(ht_cavity_published(HT_CAVITY_PLANE, 400, 0, &points), HT_OK);
  assert_int_equal(points.count, 14);
  assert_int_equal(ht_cavity_published(HT_CAVITY_CUBE, 100, 0, &points), HT_OK);
  assert_int_equal(points.count, 0);
  assert_int_equal(ht_cavity_published(HT_CAVITY_PLANE, 77, 0, &points), HT_OK);
  assert_int_equal(points.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_table_is_read), cmocka_unit_test(test_values_and_gaps),
      cmocka_unit_test(test_turbulent_tables), cmocka_unit_test(test_no_such_table),
      cmocka_unit_test(test_cavity_coordinates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
