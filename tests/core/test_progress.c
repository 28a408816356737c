/* core/progress: what is passed on, and the wish to stop. */
#include "tests/check.h"
#include "core/work/progress.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  int calls, answer;
  char line[128];
} listener;

static int listen(void *user, const char *stage, double done, double total, const char *note) {
  listener *ear = (listener *)user;
  ear->calls++;
  snprintf(ear->line, sizeof ear->line, "%s %g/%g [%s]", stage, done, total, note);
  return ear->answer;
}

HT_TEST(nobody_listening_is_fine) {
  const ht_progress deaf = {.report = NULL};
  assert_int_equal(ht_progress_report(NULL, "solve", 1, 2, "x"), HT_OK);
  assert_int_equal(ht_progress_report(&deaf, "solve", 1, 2, "x"), HT_OK);
}

HT_TEST(what_is_reported_arrives) {
  listener ear = {0, 0, ""};
  const ht_progress progress = {.report = listen, .user = &ear};
  assert_int_equal(ht_progress_report(&progress, "solve", 3, 8, "42 MFLUPS"), HT_OK);
  assert_string_equal(ear.line, "solve 3/8 [42 MFLUPS]");
  assert_int_equal(ht_progress_report(&progress, "import", 1, 0, NULL), HT_OK);
  assert_string_equal(ear.line, "import 1/0 []");
  assert_int_equal(ear.calls, 2);
}

HT_TEST(the_wish_to_stop_is_an_error) {
  listener ear = {0, 1, ""};
  const ht_progress progress = {.report = listen, .user = &ear};
  assert_int_equal(ht_progress_report(&progress, "segment", 1, 2, ""), HT_ERR_INTERRUPTED);
  assert_non_null(strstr(ht_error_message(), "segment"));
}

static void take(void *user, const char *name, double done, double value) {
  listener *ear = (listener *)user;
  snprintf(ear->line, sizeof ear->line, "%s %g at %g", name, value, done);
}

HT_TEST(a_number_arrives) {
  listener ear = {0, 0, ""};
  const ht_progress progress = {.report = listen, .user = &ear, .number = take};
  const ht_progress without = {.report = listen, .user = &ear};
  ht_progress_number(&progress, "change", 40, 3e-6);
  assert_string_equal(ear.line, "change 3e-06 at 40");
  ht_progress_number(&without, "change", 41, 2);
  ht_progress_number(NULL, "change", 41, 2);
  assert_string_equal(ear.line, "change 3e-06 at 40");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_listening_is_fine),
      cmocka_unit_test(what_is_reported_arrives),
      cmocka_unit_test(the_wish_to_stop_is_an_error),
      cmocka_unit_test(a_number_arrives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
