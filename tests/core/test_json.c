/* core/json: what is written, byte for byte, and numbers that come back. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "core/formats/json.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *text; /* filled by text_of */
  size_t length;
  ht_json json;
} writer;

static void start(writer *out) {
  memset(out, 0, sizeof *out);
  FILE *stream = open_memstream(&out->text, &out->length);
  assert_non_null(stream);
  out->json = (ht_json){stream, 0, 1};
}

static void assert_written(writer *out, const char *expected) {
  fclose(out->json.stream);
  assert_string_equal(out->text, expected);
  free(out->text);
}

HT_TEST(an_object_with_every_kind_of_value) {
  writer out;
  start(&out);
  ht_json_object(&out.json, NULL);
  ht_json_string(&out.json, "name", "aneurysm");
  ht_json_number(&out.json, "tau", 0.55);
  ht_json_integer(&out.json, "steps", -9007199254740993);
  ht_json_bool(&out.json, "steady", 1);
  ht_json_bool(&out.json, "resumed", 0);
  ht_json_numbers(&out.json, "normal", (const double[]){0, -1, 0.5}, 3);
  ht_json_object_end(&out.json);
  assert_written(&out, "{\n"
                       "  \"name\": \"aneurysm\",\n"
                       "  \"tau\": 0.55,\n"
                       "  \"steps\": -9007199254740993,\n"
                       "  \"steady\": true,\n"
                       "  \"resumed\": false,\n"
                       "  \"normal\": [0, -1, 0.5]\n"
                       "}\n");
}

HT_TEST(nesting_and_commas) {
  writer out;
  start(&out);
  ht_json_object(&out.json, NULL);
  ht_json_array(&out.json, "openings");
  for (int i = 0; i < 2; i++) {
    ht_json_object(&out.json, NULL);
    ht_json_integer(&out.json, "n", i);
    ht_json_object_end(&out.json);
  }
  ht_json_array_end(&out.json);
  ht_json_bool(&out.json, "after", 1);
  ht_json_object_end(&out.json);
  assert_written(&out, "{\n"
                       "  \"openings\": [\n"
                       "    {\n"
                       "      \"n\": 0\n"
                       "    },\n"
                       "    {\n"
                       "      \"n\": 1\n"
                       "    }\n"
                       "  ],\n"
                       "  \"after\": true\n"
                       "}\n");
}

HT_TEST(empty_things) {
  writer out;
  start(&out);
  ht_json_object(&out.json, NULL);
  ht_json_array(&out.json, "none");
  ht_json_array_end(&out.json);
  ht_json_object(&out.json, "nothing");
  ht_json_object_end(&out.json);
  ht_json_numbers(&out.json, "numbers", NULL, 0);
  ht_json_string(&out.json, "text", "");
  ht_json_object_end(&out.json);
  assert_written(&out, "{\n"
                       "  \"none\": [],\n"
                       "  \"nothing\": {},\n"
                       "  \"numbers\": [],\n"
                       "  \"text\": \"\"\n"
                       "}\n");
}

/* Quotes, backslashes and control characters are escaped in values and keys; UTF-8 passes. */
HT_TEST(strings_are_escaped) {
  writer out;
  start(&out);
  ht_json_array(&out.json, NULL);
  ht_json_string(&out.json, NULL, "a \"b\" C:\\d\n\t\x01\x1f\x7f M\xc3\xbcller");
  ht_json_array_end(&out.json);
  assert_written(&out,
                 "[\n  \"a \\\"b\\\" C:\\\\d\\u000a\\u0009\\u0001\\u001f\x7f M\xc3\xbcller\"\n"
                 "]\n");
  start(&out);
  ht_json_object(&out.json, NULL);
  ht_json_bool(&out.json, "say \"x\"", 1);
  ht_json_object_end(&out.json);
  assert_written(&out, "{\n  \"say \\\"x\\\"\": true\n}\n");
}

/* Paths may be in Latin-1: readers refuse a file for one byte that is no UTF-8. */
static void what_is_no_utf8_becomes_the_replacement_character(void **state) {
  static const struct {
    const char *text, *written;
  } cases[] = {
      {"s\xe9", "\"s\\ufffd\""},                                /* Latin-1, at the end */
      {"s\xe9/scan", "\"s\\ufffd/scan\""},                      /* and within */
      {"\x80\xbf", "\"\\ufffd\\ufffd\""},                       /* no first byte */
      {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong, 2 bytes */
      {"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\""},            /* overlong, 3 bytes */
      {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* surrogate */
      {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* above U+10FFFF */
      {"\xe2\x82", "\"\\ufffd\\ufffd\""},                       /* cut */
      {"\xed\x9f\xbf \xe2\x82\xac \xf0\x9f\xab\x80",
       "\"\xed\x9f\xbf \xe2\x82\xac \xf0\x9f\xab\x80\""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    writer out;
    start(&out);
    ht_json_string(&out.json, NULL, cases[i].text);
    assert_written(&out, cases[i].written);
  }
}

/* JSON has no NaN: a reader gets null, not a file that it cannot parse. */
HT_TEST(what_is_no_number_becomes_null) {
  writer out;
  start(&out);
  ht_json_object(&out.json, NULL);
  ht_json_number(&out.json, "a", NAN);
  ht_json_number(&out.json, "b", INFINITY);
  ht_json_numbers(&out.json, "c", (const double[]){1, -INFINITY, -NAN}, 3);
  ht_json_object_end(&out.json);
  assert_written(&out, "{\n  \"a\": null,\n  \"b\": null,\n  \"c\": [1, null, null]\n}\n");
}

HT_TEST(numbers_come_back_bit_for_bit) {
  const double values[] = {
      0.1,     1.0 / 3,           DBL_MAX,        -DBL_MIN, DBL_TRUE_MIN,
      1e-300,  3.141592653589793, 1060 / 3.0 * 7, 2e22,     123456789012345678.0,
      0.46875, 1 + DBL_EPSILON};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    writer out;
    start(&out);
    ht_json_number(&out.json, NULL, values[i]);
    fclose(out.json.stream);
    double back = strtod(out.text, NULL);
    assert_memory_equal(&back, &values[i], sizeof back);
    free(out.text);
  }
}

HT_TEST(short_numbers_stay_short) {
  writer out;
  start(&out);
  ht_json_numbers(&out.json, NULL, (const double[]){0.05, 1060, 3.5e-3, -0.7}, 4);
  assert_written(&out, "[0.05, 1060, 0.0035, -0.7]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_object_with_every_kind_of_value),
      cmocka_unit_test(nesting_and_commas),
      cmocka_unit_test(empty_things),
      cmocka_unit_test(strings_are_escaped),
      cmocka_unit_test(what_is_no_utf8_becomes_the_replacement_character),
      cmocka_unit_test(what_is_no_number_becomes_null),
      cmocka_unit_test(numbers_come_back_bit_for_bit),
      cmocka_unit_test(short_numbers_stay_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
