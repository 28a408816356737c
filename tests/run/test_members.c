/* run/folder/members: every member of every record that is written is read back. The records are
 * filled by their own tables, with another value for each member. */
#define _POSIX_C_SOURCE 200809L
#include "tests/run/members_text.h"

#include "run/folder/flow_file.h"
#include "run/record/beat_summary.h"
#include "run/record/cycle_summary.h"
#include "run/record/manifest.h"
#include "run/record/plausible_summary.h"
#include "run/record/sac_summary.h"
#include "run/record/time_summary.h"
#include <string.h>

enum { OF_ONE_RUN = HT_NOT_READ | HT_OPTIONAL }; /* others must follow from what is read */
static int value;                                /* of the next member */

static void fill(const ht_member *members, void *record, int flags);

static void fill_one(const ht_member *of, void *record, int flags) {
  char *at = (char *)record + of->offset;
  value++;
  switch (of->type) {
  case HT_MEMBER_NUMBER:
    for (size_t i = 0; i < of->size / sizeof(double); i++) ((double *)at)[i] = value + 0.25;
    if (of->number) *(int *)((char *)record + of->number - 1) = 2;
    break;
  case HT_MEMBER_INT:
    for (size_t i = 0; i < of->size / sizeof(int); i++)
      ((int *)at)[i] = of->words || (of->options & HT_BOOL) ? 1 : value;
    break;
  case HT_MEMBER_INTEGER:
    *(int64_t *)at = value;
    break;
  case HT_MEMBER_TEXT:
    snprintf(at, of->size, "%d", value);
    break;
  case HT_MEMBER_OBJECT:
  case HT_MEMBER_GROUP:
    fill(of->inner, at, flags);
    break;
  case HT_MEMBER_ITEMS:
    for (size_t i = 0; i < 2; i++) fill(of->inner, at + i * of->size, flags);
    *(int *)((char *)record + of->number - 1) = 2;
  }
}

static void fill(const ht_member *members, void *record, int flags) {
  for (const ht_member *of = members; of->key || of->inner; of++)
    if ((of->options & OF_ONE_RUN) != OF_ONE_RUN) fill_one(of, record, flags);
  for (const ht_member *of = members; of->key || of->inner; of++)
    if (of->flag) *(int *)((char *)record + of->flag - 1) = flags;
}

/* Checks that the text of the record read back is that of the record. */
static void check(const char *what, const ht_member *members, size_t size) {
  for (int flags = 0; flags < 2; flags++) {
    void *record = calloc(1, size), *again = calloc(1, size);
    assert_true(record && again);
    value = 0;
    fill(members, record, flags);
    char *text = members_text(members, record);
    members_of_text(text, members, again);
    char *second = members_text(members, again);
    if (strcmp(text, second) != 0 || (flags && strlen(text) < 20))
      fail_msg("%s: written\n%sread back\n%s", what, text, second);
    free(text), free(second), free(record), free(again);
  }
}
#define CHECK(record, members) check(#members, members, sizeof(record))

HT_TEST(all_that_is_written_is_read) {
  CHECK(ht_sac_numbers, ht_sac_members);
  CHECK(ht_mask_quality, ht_quality_members);
  CHECK(ht_cycle_stats, ht_cycle_members);
  CHECK(ht_gradient, ht_gradient_members);
  CHECK(ht_averages, ht_averages_members);
  CHECK(ht_flow_plan, ht_flow_plan_members);
  CHECK(ht_plausible, ht_plausible_members);
  CHECK(ht_time_summary, ht_time_members);
  CHECK(ht_manifest, ht_manifest_members);
  CHECK(ht_flow_stats, ht_flow_stats_members);
}

/* The load over a beat, and a sac's flow at a moment of it. */
HT_TEST(a_beat_of_a_sac_is_read) {
  ht_sac_numbers sac = {.found = 1, .is_pulsatile = 1, .has_phase = 1}, again = {0};
  sac.load.osi_max = 0.375;
  sac.phase_flow.turnover_s = 1.5;
  sac.parent.diameter_mm = NAN;
  there_and_back(ht_sac_members, &sac, &again);
  assert_true(again.found && again.is_pulsatile && again.has_phase);
  assert_near(again.load.osi_max, 0.375, 0);
  assert_near(again.phase_flow.turnover_s, 1.5, 0);
  assert_near(again.parent.diameter_mm, 0, 0); /* unknown: neither it nor its ratios are written */
  assert_true(isnan(again.parent.size_ratio));
}

/* A record from outside: lists that do not fit, places far away, words that are none. */
HT_TEST(wrong_values_are_left_out) {
  typedef struct {
    int count, word;
    double list[2], place_mm[3], needed;
  } odd;
  static const char *const words[] = {"no", "yes", NULL};
  const ht_member members[] = {
      {HT_MEMBER(odd, "list", list), HT_NUMBER_AT(odd, count)},
      {HT_MEMBER(odd, "word", word), .words = words},
      {HT_MEMBER(odd, "place_mm", place_mm), .options = HT_POSITION},
      {HT_MEMBER(odd, "needed", needed), .options = HT_REQUIRED},
      {0},
  };
  odd one = {.count = 7, .word = 1};
  ht_yaml yaml;
  const char text[] = "{\"list\": [1, 2, 3], \"word\": \"perhaps\", \"place_mm\": [1, 2, 3e9]}";
  assert_int_equal(ht_yaml_parse("text", text, strlen(text), HT_ERR_FORMAT, &yaml), HT_OK);
  assert_int_equal(ht_members_read(yaml.root, members, &one), 0);
  ht_yaml_free(&yaml);
  assert_int_equal(one.count, 0);
  assert_int_equal(one.word, 1);
  assert_near(one.place_mm[0], 0, 0);
  assert_int_equal(ht_members_read(NULL, members, &one), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_is_written_is_read),
                                     cmocka_unit_test(a_beat_of_a_sac_is_read),
                                     cmocka_unit_test(wrong_values_are_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
