#include "tests/check.h"

#include "core/text/suggest.h"

HT_TEST(test_distance) {
  assert_int_equal(ht_edit_distance("", ""), 0);
  assert_int_equal(ht_edit_distance("flow", "flow"), 0);
  assert_int_equal(ht_edit_distance("flow", "flw"), 1);
  assert_int_equal(ht_edit_distance("flow", "fowl"), 2);
  assert_int_equal(ht_edit_distance("rnu", "run"), 1); /* a swap is one mistake */
  assert_int_equal(ht_edit_distance("visocity_pa_s", "viscosity_pa_s"), 2);
  assert_int_equal(ht_edit_distance("abc", ""), 3);
}

static const char *nearest(const char *typed) {
  static const char *const words[] = {"run", "segment", "solve", "tile"};
  const char *best = NULL;
  int distance = 0;
  for (int i = 0; i < 4; i++) ht_suggest(typed, words[i], &best, &distance);
  return best;
}

HT_TEST(test_suggestion) {
  assert_string_equal(nearest("rnu"), "run");
  assert_string_equal(nearest("sgement"), "segment");
  assert_string_equal(nearest("solv"), "solve");
  assert_null(nearest("xyzzy"));
  assert_null(nearest("q"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_suggestion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
