/* bench/paper_tables: the figures that were typed in, against what the paper prints elsewhere. */
#include "tests/check.h"
#include "bench/measure/bench_geometry.h"
#include "bench/papers/tables/paper_tables.h"
#include <string.h>

static ht_paper_entry entry[HT_PAPER_ENTRIES];

static int count_of(const char *name) {
  const ht_paper_table *table = ht_paper_table_find(name);
  assert_non_null(table);
  return ht_paper_table_entries(table, entry);
}

HT_TEST(tables_have_the_papers_size) {
  assert_int_equal(count_of("3"), 12);
  assert_int_equal(count_of("4"), 12);
  assert_int_equal(count_of("5"), 5);
  assert_int_equal(count_of("6"), 9 * 2 * 6);
  assert_int_equal(count_of("7"), 3 * 2);
  assert_int_equal(count_of("8"), 12);
  assert_int_equal(count_of("9"), 12);
  assert_int_equal(count_of("fig19"), 2 * 12 + 9 * 12 + 24);
  assert_null(ht_paper_table_find("10"));
}

/* Tables 5, 7, 8 and 9 print MFLUPS and bandwidth utilisation, rounded to three digits. */
HT_TEST(the_two_columns_agree) {
  int compared = 0;
  for (int t = 0; ht_paper_table_number(t); t++) {
    int count = ht_paper_table_entries(ht_paper_table_number(t), entry);
    assert_true(count <= HT_PAPER_ENTRIES);
    for (int i = 0; i < count; i++) {
      if (isnan(entry[i].printed)) continue;
      assert_near(ht_paper_fraction(&entry[i]), entry[i].printed, 0.0011);
      compared++;
    }
  }
  assert_true(compared >= 5 + 6 + 24);
}

/* Within a table a kernel with less work is not slower, to within noise; a sparser medium is
 * slower. */
HT_TEST(the_order_is_plausible) {
  int count = count_of("6");
  for (int i = 12; i < count; i++) {
    assert_true(entry[i].mflups < 1.02 * entry[i - 12].mflups);
    assert_true(entry[i].utilisation < entry[i - 12].utilisation);
  }
  for (int i = 0; i < count; i += 6)
    for (int k = 1; k < 6; k++) assert_true(entry[i + k].mflups < 1.01 * entry[i + k - 1].mflups);
}

/* The paper's own example, section 4.6.1: 637 / 680 = 0.937 and 971 / 1006 = 0.965. */
HT_TEST(the_aneurysm_by_the_dense_cavity) {
  int count = count_of("8"), found = 0;
  for (int i = 0; i < count; i++) {
    if (entry[i].step != HT_STEP_FLOW || entry[i].collision != HT_LBGK ||
        entry[i].fluid != HT_INCOMPRESSIBLE)
      continue;
    double expected = entry[i].precision == HT_FP64 ? 0.937 : 0.965;
    assert_near(entry[i].mflups / ht_paper_dense(&entry[i]), expected, 0.0006);
    found++;
  }
  assert_int_equal(found, 2);
}

/* The benchmark knows every geometry of the tables. */
HT_TEST(every_geometry_is_there) {
  ht_bench_geometry geometry;
  for (int t = 0; ht_paper_table_number(t); t++) {
    int count = ht_paper_table_entries(ht_paper_table_number(t), entry);
    for (int i = 0; i < count; i++)
      assert_int_equal(ht_bench_geometry_choose(entry[i].geometry, entry[i].size, entry[i].porosity,
                                                1, &geometry),
                       HT_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_have_the_papers_size),
      cmocka_unit_test(the_two_columns_agree),
      cmocka_unit_test(the_order_is_plausible),
      cmocka_unit_test(the_aneurysm_by_the_dense_cavity),
      cmocka_unit_test(every_geometry_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
