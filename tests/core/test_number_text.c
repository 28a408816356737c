/* Numbers that people write: decimal ones alone. */
#include "tests/check.h"
#include "core/text/number_text.h"

static void reads(const char *text, double value, int length) {
  char *end;
  assert_true(ht_number_read(text, &end) == value);
  assert_int_equal(end - text, length);
}

HT_TEST(read_decimals) {
  reads("-1.5e3 mm", -1500, 6);
  reads(" +.25", 0.25, 5);
  reads("007", 7, 3);
  reads("0", 0, 1);
  reads("1e999", INFINITY, 5);
}

HT_TEST(take_nothing_else) {
  reads("0x1A", 0, 1);
  reads("-0X10", 0, 2);
  reads("inf", 0, 0);
  reads("-infinity", 0, 0);
  reads("nan", 0, 0);
  reads("", 0, 0);
  reads("two", 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(read_decimals),
                                     cmocka_unit_test(take_nothing_else)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
