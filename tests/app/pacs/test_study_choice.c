/* app/pacs/study_choice: the series of a study that is computed, and whether it is complete. */
#define _GNU_SOURCE
#include "tests/app/pacs/object_fixture.h"
#include "phantom/phantom.h"
#include "app/pacs/study_choice.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes a small CT study in folder/scan. */
static void make_study(void) {
  char path[128];
  ht_phantom_options options;
  ht_phantom phantom;
  ht_phantom_defaults(HT_PHANTOM_PIPE, &options);
  options.spacing_mm = 1;
  assert_int_equal(ht_phantom_make(&options, NULL, &phantom), HT_OK);
  snprintf(path, sizeof path, "%s/scan", ht_fixture_folder);
  assert_int_equal(ht_dicom_write_series(path, &phantom.scan, "CT Angio head", 1), HT_OK);
  ht_phantom_free(&phantom);
}

static int rule_of(const ht_pacs_watch *watch) {
  ht_study_series *list;
  int count, series = -1;
  assert_int_equal(ht_study_list(ht_fixture_folder, &list, &count), HT_OK);
  assert_int_equal(count, 1);
  assert_true(list[0].objects > 1);
  assert_true(strspn(list[0].first.series_uid, "0123456789.") > 5);
  const int rule = ht_study_rule(watch, list, count, &series);
  assert_int_equal(series, rule < 0 ? -1 : 0);
  free(list);
  return rule;
}

HT_TEST(the_first_rule_that_fits_is_taken) {
  static ht_pacs_watch watch = {.rules = 4,
                                .rule = {{.modality = "MR"},
                                         {.modality = "CT", .description = "*foot*"},
                                         {.modality = "ct", .description = "*angio*"},
                                         {.modality = ""}}};
  make_study();
  assert_int_equal(rule_of(&watch), 2);
  strcpy(watch.rule[2].description, "angio"); /* not the whole of it */
  assert_int_equal(rule_of(&watch), 3);
  watch.rules = 3;
  assert_int_equal(rule_of(&watch), -1);
}

/* Three series of 24, 40 and 2 objects; the last one fits no rule of a CT. */
static ht_study_series three[] = {
    {.first = {.series_uid = "1.1", .modality = "CT"}, .objects = 24},
    {.first = {.series_uid = "1.2", .modality = "CT"}, .objects = 40},
    {.first = {.series_uid = "1.3", .modality = "SR"}, .objects = 2},
};
static const ht_pacs_rule of_ct = {.modality = "CT"};
static char message[400];

static int is_whole(const ht_pacs_match *said, int answers) {
  message[0] = 0;
  const int whole = ht_study_is_whole(&of_ct, three, 3, said, answers, message);
  assert_int_equal(whole, message[0] == 0);
  return whole;
}

HT_TEST(the_largest_series_is_taken) {
  static ht_pacs_watch watch = {.rules = 1, .rule = {{.modality = "CT"}}};
  int series = -1;
  assert_int_equal(ht_study_rule(&watch, three, 3, &series), 0);
  assert_int_equal(series, 1);
}

/* Checks that the release of the association decides where no archive can be asked. */
HT_TEST(a_series_that_broke_off_waits) {
  assert_true(is_whole(NULL, 0));
  three[0].unfinished = 1; /* not the largest now, but it may become so */
  assert_false(is_whole(NULL, 0));
  assert_non_null(strstr(message, "1.1 was not released"));
  three[0].unfinished = 0;
  three[2].unfinished = 1; /* fits no rule */
  assert_true(is_whole(NULL, 0));
  three[2].unfinished = 0;
}

HT_TEST(the_count_of_the_archive_decides) {
  ht_pacs_match said[] = {{.series_uid = "1.2", .images = 40}, {.series_uid = "1.1", .images = 38}};
  assert_false(is_whole(said, 2));
  assert_non_null(strstr(message, "24 of the 38 objects that the archive has of series 1.1"));
  said[1].images = 24;
  assert_true(is_whole(said, 2));
  three[0].unfinished = 1; /* all have come, and then it broke off */
  assert_true(is_whole(said, 2));
  said[1].images = 12; /* the archive has not got all of it */
  assert_false(is_whole(said, 2));
  said[1].images = -1; /* it does not say */
  assert_false(is_whole(said, 2));
  assert_false(is_whole(said, 1));
  three[0].unfinished = 0;
  assert_true(is_whole(said, 1));
}

/* Checks without an archive: by what is in the folder. */
HT_TEST(what_was_computed_is_not_chosen_again) {
  static ht_pacs_settings settings = {.watch = {.rules = 1, .rule = {{.modality = "CT"}}}};
  ht_study_state before = {.step = HT_STUDY_RECEIVED};
  ht_study_choice choice;
  make_study();
  ht_study_choose(&settings, ht_fixture_folder, "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_READY);
  assert_int_equal(choice.images, choice.objects);
  before = (ht_study_state){.step = HT_STUDY_SENT, .images = choice.images};
  strcpy(before.series, choice.series);
  ht_study_choose(&settings, ht_fixture_folder, "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_SAME);
  before.step = HT_STUDY_PROCESSING; /* a run that did not end */
  ht_study_choose(&settings, ht_fixture_folder, "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_READY);
  before.step = HT_STUDY_SENT;
  before.images--; /* one more has come since */
  ht_study_choose(&settings, ht_fixture_folder, "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_READY);
  strcpy(settings.watch.rule[0].modality, "MR");
  ht_study_choose(&settings, ht_fixture_folder, "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_NONE);
  ht_study_choose(&settings, "/nowhere", "1.2", &before, &choice);
  assert_int_equal(choice.kind, HT_CHOICE_FAILED);
  assert_true(choice.message[0] != 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_first_rule_that_fits_is_taken, ht_fixture_begin,
                                      ht_fixture_end),
      cmocka_unit_test(the_largest_series_is_taken),
      cmocka_unit_test(a_series_that_broke_off_waits),
      cmocka_unit_test(the_count_of_the_archive_decides),
      cmocka_unit_test_setup_teardown(what_was_computed_is_not_chosen_again, ht_fixture_begin,
                                      ht_fixture_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
