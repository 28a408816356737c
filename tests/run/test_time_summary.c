/* run/record/time_summary: what summary.json keeps is what it prints. */
#define _POSIX_C_SOURCE 200809L
#include "tests/run/members_text.h"

#include "run/record/time_summary.h"
#include <string.h>

static ht_manifest manifest;

static void record(ht_stage stage, double seconds) {
  manifest.stage[stage].seconds = seconds;
  snprintf(manifest.stage[stage].ended, sizeof manifest.stage[stage].ended, "2026-11-23T20:00:00Z");
}

static int begin(void **state) {
  (void)state;
  memset(&manifest, 0, sizeof manifest);
  record(HT_STAGE_SEGMENT, 2);
  record(HT_STAGE_TILE, 0.5);
  record(HT_STAGE_SOLVE, 4);
  record(HT_STAGE_EXPORT, 1.25);
  return 0;
}

/* Checks a run of `export` alone: the other stages are added to its time. */
HT_TEST(stages_of_other_commands_are_added) {
  ht_time_summary all = ht_time_of(&manifest, HT_STAGE_IMPORT, 8);
  ht_time_summary one = ht_time_of(&manifest, HT_STAGE_EXPORT, 1.5);
  assert_true(all.seconds == 8);
  assert_true(one.seconds == 1.5 + 2 + 0.5 + 4);
  assert_true(one.stage[HT_STAGE_IMPORT] == 0);
  assert_true(one.stage[HT_STAGE_EXPORT] == 1.25);
}

static void printed(const ht_time_summary *time, char text[200]) {
  FILE *stream = fmemopen(text, 200, "w");
  ht_time_print(stream, time);
  fclose(stream);
}

HT_TEST(what_is_kept_is_read_back_and_printed) {
  char first[200] = "", second[200] = "";
  ht_time_summary time = ht_time_of(&manifest, HT_STAGE_IMPORT, 8), back = {0};
  there_and_back(ht_time_members, &time, &back);
  printed(&time, first);
  printed(&back, second);
  assert_string_equal(first, second);
  assert_string_equal(first,
                      "  time                  8.0 s from the command to the results: segment 2.0, "
                      "tile 0.5, solve 4.0, export 1.2, other 0.2\n");
}

HT_TEST(an_old_summary_has_none) {
  char text[200] = "";
  ht_time_summary time = {0};
  ht_members_read(NULL, ht_time_members, &time);
  printed(&time, text);
  assert_string_equal(text, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(stages_of_other_commands_are_added, begin),
      cmocka_unit_test_setup(what_is_kept_is_read_back_and_printed, begin),
      cmocka_unit_test(an_old_summary_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
