/* Words for values, a length of time and an amount of memory in words, the width of a column of
 * words. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/text/utf8.h"
#include "core/text/words.h"
#include <stdio.h>
#include <string.h>

static void find_words(void **unused) {
  static const char *const words[] = {"fp32", "fp64", NULL};
  char text[32];
  (void)unused;
  assert_int_equal(ht_word_find(words, "fp64 and more", 4), 1);
  assert_int_equal(ht_word_find(words, "fp6", 3), -1);
  ht_word_list(words, "|", text, sizeof text);
  assert_string_equal(text, "fp32|fp64");
}

static void tell_a_length_of_time(void **unused) {
  static const struct {
    double seconds;
    const char *text;
  } all[] = {
      {0.2, "1 s"}, {89.5, "90 s"}, {90, "2 minutes"}, {1500, "25 minutes"}, {5400, "1.5 hours"}};
  char text[32];
  (void)unused;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ht_duration_words(all[i].seconds, text);
    assert_string_equal(text, all[i].text);
  }
}

static void tell_an_amount_of_memory(void **unused) {
  static const struct {
    double bytes;
    const char *text;
  } all[] = {{0, "0 kB"},       {8192, "8 kB"},     {3.21e6, "3.21 MB"}, {12.34e6, "12.3 MB"},
             {162e6, "162 MB"}, {1.5e9, "1.50 GB"}, {80e9, "80.0 GB"},   {1232e9, "1232 GB"}};
  (void)unused;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    assert_string_equal(ht_memory_words(all[i].bytes).text, all[i].text);
}

/* A letter of several bytes is one column wide. */
static void find_the_width_of_a_column(void **unused) {
  static const struct {
    int other;
    char name[16];
  } rows[] = {{0, "inlet"},
              {0, "\xc3\xa4u\xc3\x9f"
                  "ere"},
              {0, "links"}};
  (void)unused;
  assert_int_equal(ht_utf8_width(2, rows->name, sizeof *rows, 3), 6);
  assert_int_equal(ht_utf8_width(12, rows->name, sizeof *rows, 3), 12);
  assert_int_equal(ht_utf8_width(2, NULL, sizeof *rows, 0), 2);
}

/* Names from outside, in rooms of 8 bytes: cut between characters, without what no file may hold.
 */
static void copy_a_name(void **unused) {
  static const char *const names[][2] = {{"", ""},
                                         {"inlet", "inlet"},
                                         {"inlet-left", "inlet-l"},
                                         {"links\xc3\xa4u", "links\xc3\xa4"},
                                         {"inlet-\xc3\xa4", "inlet-"},
                                         {"a\xe4\xfcz", "a__z"},
                                         {"a\tb\x1b\xc2\x9b"
                                          "c",
                                          "a_b__c"}};
  char name[8];
  (void)unused;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ht_text_copy(names[i][0], name, sizeof name);
    assert_string_equal(name, names[i][1]);
  }
}

static void cut_a_text_between_characters(void **unused) {
  const char *text = "a\xc3\xa4\xe2\x82\xac"; /* of 1, 2 and 3 bytes */
  static const int fits[] = {0, 1, 1, 3, 3, 3, 6, 6};
  (void)unused;
  for (int size = 1; size <= 8; size++) assert_int_equal(ht_utf8_fit(text, size), fits[size - 1]);
}

HT_TEST(wrap_a_text) {
  char text[300] = "", long_word[90] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  memset(long_word, 'x', sizeof long_word - 1);
  fprintf(stream, "  --name");
  ht_words_wrap(stream, "a text with", 8, 4);
  ht_words_wrap(stream, long_word, 40, 4); /* no room for it in a line of 40 columns */
  fclose(stream);
  assert_int_equal(strncmp(text, "  --name a text with\n\n    xxx", 29), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(find_words),
                                     cmocka_unit_test(tell_a_length_of_time),
                                     cmocka_unit_test(tell_an_amount_of_memory),
                                     cmocka_unit_test(find_the_width_of_a_column),
                                     cmocka_unit_test(copy_a_name),
                                     cmocka_unit_test(cut_a_text_between_characters),
                                     cmocka_unit_test(wrap_a_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
