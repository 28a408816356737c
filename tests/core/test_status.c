/* core/status: codes, names and the message that stays. */
#include "tests/check.h"
#include "core/status.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Every value of the enum: a new one has to be added here and to docs/troubleshooting.md. */
static const ht_status codes[] = {HT_OK,
                                  HT_ERR_USAGE,
                                  HT_ERR_CASE,
                                  HT_ERR_TIME,
                                  HT_ERR_NOT_FOUND,
                                  HT_ERR_FORMAT,
                                  HT_ERR_SERIES,
                                  HT_ERR_VESSEL,
                                  HT_ERR_OPENINGS,
                                  HT_ERR_MEMORY,
                                  HT_ERR_WRITE,
                                  HT_ERR_DEVICE,
                                  HT_ERR_NETWORK,
                                  HT_ERR_UNSTABLE,
                                  HT_ERR_DIVERGED,
                                  HT_ERR_NOT_STEADY,
                                  HT_ERR_VALIDATION,
                                  HT_ERR_BATCH,
                                  HT_ERR_INTERNAL,
                                  HT_ERR_INTERRUPTED};
enum { CODES = sizeof codes / sizeof codes[0] };

HT_TEST(every_code_has_its_own_name) {
  for (int i = 0; i < CODES; i++) {
    assert_string_not_equal(ht_status_name(codes[i]), "unknown");
    for (int j = 0; j < i; j++)
      assert_string_not_equal(ht_status_name(codes[i]), ht_status_name(codes[j]));
  }
}

HT_TEST(a_strange_code_still_has_a_name) {
  assert_string_equal(ht_status_name((ht_status)99), "unknown");
}

/* A shell sees 8 bits; 126 to 128 are the shell's own, and 0 is success. */
HT_TEST(codes_are_usable_as_exit_codes) {
  assert_int_equal(HT_OK, 0);
  for (int i = 1; i < CODES; i++) {
    assert_in_range(codes[i], 1, 255);
    assert_true(codes[i] < 126 || codes[i] > 128);
  }
}

HT_TEST(fail_keeps_the_message_and_returns_the_code) {
  assert_int_equal(ht_fail(HT_ERR_FORMAT, "%s: slice %d", "a.dcm", 7), HT_ERR_FORMAT);
  assert_string_equal(ht_error_message(), "a.dcm: slice 7");
}

HT_TEST(context_goes_before_the_message) {
  ht_fail(HT_ERR_CASE, "unknown key");
  assert_int_equal(ht_fail_in(HT_ERR_CASE, "case.yaml"), HT_ERR_CASE);
  assert_int_equal(ht_fail_in(HT_ERR_CASE, "run"), HT_ERR_CASE);
  assert_string_equal(ht_error_message(), "run: case.yaml: unknown key");
}

HT_TEST(a_percent_sign_in_a_name_is_harmless) {
  ht_fail(HT_ERR_NOT_FOUND, "%s", "50%s%n.nii");
  ht_fail_in(HT_ERR_NOT_FOUND, "100%d");
  assert_string_equal(ht_error_message(), "100%d: 50%s%n.nii");
}

HT_TEST(a_very_long_message_is_cut_not_overrun) {
  char name[10000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  ht_fail(HT_ERR_NOT_FOUND, "%s", name);
  size_t length = strlen(ht_error_message());
  assert_in_range(length, 1000, sizeof name - 2);
  ht_fail_in(HT_ERR_NOT_FOUND, "in front");
  assert_memory_equal(ht_error_message(), "in front: xxx", 13);
}

static void *message_of_a_new_thread(void *copy) {
  snprintf(copy, 64, "%s", ht_error_message());
  ht_fail(HT_ERR_WRITE, "of the other thread");
  return NULL;
}

HT_TEST(messages_belong_to_their_thread) {
  char seen[64] = "not run";
  pthread_t thread;
  ht_fail(HT_ERR_FORMAT, "of this thread");
  assert_int_equal(pthread_create(&thread, NULL, message_of_a_new_thread, seen), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_string_equal(seen, "");
  assert_string_equal(ht_error_message(), "of this thread");
}

static ht_status forwards(ht_status code, int *reached) {
  HT_TRY(code);
  *reached = 1;
  return HT_OK;
}

static ht_status forwards_past_cleanup(ht_status code, int *cleaned) {
  ht_status status = HT_OK;
  HT_TRY_DONE(code);
  *cleaned = 10;
done:
  ++*cleaned;
  return status;
}

HT_TEST(a_value_out_of_range_is_named) {
  const ht_range closed = {1, 10, 0}, above = {1, 10, 1};
  assert_int_equal(ht_check_range("samples", 1, &closed), HT_OK);
  assert_int_equal(ht_check_range("samples", 10, &closed), HT_OK);
  assert_int_equal(ht_check_range("samples", 10.5, &closed), HT_ERR_CASE);
  assert_string_equal(ht_error_message(), "samples is 10.5; allowed is 1 to 10");
  assert_int_equal(ht_check_range("samples", NAN, &closed), HT_ERR_CASE);
  assert_int_equal(ht_check_range("samples", 1.5, &above), HT_OK);
  assert_int_equal(ht_check_range("samples", 1, &above), HT_ERR_CASE);
  assert_string_equal(ht_error_message(), "samples is 1; allowed is above 1 up to 10");
}

/* libpng, DCMTK, zlib, libzip. */
HT_TEST(a_lack_of_memory_is_told_by_a_librarys_words) {
  const char *const lack[] = {"Out of memory", "Virtual Memory exhausted", "insufficient memory",
                              "Malloc failure"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(ht_check_reason("a.png", lack[i]), HT_ERR_MEMORY);
    assert_non_null(strstr(ht_error_message(), "a.png: not enough memory ("));
  }
  assert_int_equal(ht_check_reason("a.png", "bad adaptive filter value"), HT_OK);
}

HT_TEST(the_macros_forward) {
  int reached = 0, cleaned = 0;
  assert_int_equal(forwards(HT_ERR_VESSEL, &reached), HT_ERR_VESSEL);
  assert_int_equal(reached, 0);
  assert_int_equal(forwards(HT_OK, &reached), HT_OK);
  assert_int_equal(reached, 1);
  assert_int_equal(forwards_past_cleanup(HT_ERR_VESSEL, &cleaned), HT_ERR_VESSEL);
  assert_int_equal(cleaned, 1);
  assert_int_equal(forwards_past_cleanup(HT_OK, &cleaned), HT_OK);
  assert_int_equal(cleaned, 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_code_has_its_own_name),
      cmocka_unit_test(a_strange_code_still_has_a_name),
      cmocka_unit_test(codes_are_usable_as_exit_codes),
      cmocka_unit_test(fail_keeps_the_message_and_returns_the_code),
      cmocka_unit_test(context_goes_before_the_message),
      cmocka_unit_test(a_percent_sign_in_a_name_is_harmless),
      cmocka_unit_test(a_very_long_message_is_cut_not_overrun),
      cmocka_unit_test(messages_belong_to_their_thread),
      cmocka_unit_test(a_value_out_of_range_is_named),
      cmocka_unit_test(a_lack_of_memory_is_told_by_a_librarys_words),
      cmocka_unit_test(the_macros_forward),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
