/* app/pacs/carried: completeness of a series that several associations bring. */
#include "tests/check.h"

#include "app/pacs/carried.h"
#include <string.h>

static char whole[256]; /* "1.2/1.2.3 ", one after the other */

static ht_carried_series last;

static void take(void *user, const ht_carried_series *series) {
  (void)user;
  last = *series;
  strcat(strcat(strcat(strcat(whole, series->study), "/"), series->series), " ");
}

static void bring(ht_carried *list, int sender, const char *series) {
  assert_int_equal(ht_carried_add(list, sender, "1.2", series, 1, 0), HT_OK);
}

static const char *end(ht_carried *list, int sender, int released, unsigned open) {
  whole[0] = 0;
  assert_int_equal(ht_carried_end(list, sender, released, open, take, NULL), HT_OK);
  return whole;
}

HT_TEST(a_release_makes_whole) {
  ht_carried list = {0};
  bring(&list, 3, "1.2.3");
  bring(&list, 3, "1.2.4");
  bring(&list, 3, "1.2.3");
  assert_true(ht_carried_has(&list, 3, "1.2", "1.2.4"));
  assert_false(ht_carried_has(&list, 2, "1.2", "1.2.4"));
  assert_true(ht_carried_study(&list, "1.2"));
  assert_string_equal(end(&list, 3, 1, 0), "1.2/1.2.3 1.2/1.2.4 ");
  assert_false(ht_carried_study(&list, "1.2"));
  assert_string_equal(end(&list, 3, 1, 0), "");
  bring(&list, 3, "1.2.3");
  assert_string_equal(end(&list, 3, 0, 0), "");
  bring(&list, 3, "1.2.3"); /* sent again */
  assert_string_equal(end(&list, 3, 1, 0), "1.2/1.2.3 ");
  ht_carried_free(&list);
}

/* Checks that both of two associations that bring the halves of a series have to be released. */
HT_TEST(the_last_of_several_makes_whole) {
  ht_carried list = {0};
  bring(&list, 0, "1.2.3");
  bring(&list, 1, "1.2.3");
  bring(&list, 1, "1.2.4");
  assert_string_equal(end(&list, 0, 1, 2), "");
  assert_string_equal(end(&list, 1, 1, 0), "1.2/1.2.3 1.2/1.2.4 ");
  ht_carried_free(&list);
}

HT_TEST(what_broke_is_not_made_whole_by_its_other_half) {
  ht_carried list = {0};
  bring(&list, 0, "1.2.3");
  bring(&list, 1, "1.2.3");
  assert_string_equal(end(&list, 0, 0, 1u << 1 | 1u << 31), "");
  bring(&list, 31, "1.2.3"); /* it was open then, and brings its part later */
  bring(&list, 31, "1.2.4");
  assert_false(ht_carried_has(&list, 30, "1.2", "1.2.3"));
  assert_string_equal(end(&list, 1, 1, 1u << 31), "");
  assert_string_equal(end(&list, 31, 1, 0), "1.2/1.2.4 ");
  bring(&list, 1, "1.2.3"); /* a later one */
  assert_string_equal(end(&list, 1, 1, 0), "1.2/1.2.3 ");
  ht_carried_free(&list);
}

HT_TEST(what_a_retry_brings_is_counted) {
  ht_carried list = {0};
  for (int n = 0; n < 5; n++)
    assert_int_equal(ht_carried_add(&list, 0, "1.2", "1.2.3", n == 4, n == 0), HT_OK);
  assert_string_equal(end(&list, 0, 1, 0), "1.2/1.2.3 ");
  assert_true(last.came == 5 && last.fresh == 1 && last.retry);
  ht_carried_free(&list);
}

/* Checks that an open association that has brought nothing does not hold up the study. */
HT_TEST(the_open_ones_without_objects_do_not_count) {
  ht_carried list = {0};
  bring(&list, 0, "1.2.3");
  assert_string_equal(end(&list, 0, 0, 2), "");
  assert_false(ht_carried_study(&list, "1.2"));
  bring(&list, 2, "1.2.3");
  assert_string_equal(end(&list, 2, 1, 2), "1.2/1.2.3 ");
  assert_string_equal(end(&list, 1, 1, 0), "");
  ht_carried_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_release_makes_whole), cmocka_unit_test(the_last_of_several_makes_whole),
      cmocka_unit_test(what_broke_is_not_made_whole_by_its_other_half),
      cmocka_unit_test(what_a_retry_brings_is_counted),
      cmocka_unit_test(the_open_ones_without_objects_do_not_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
