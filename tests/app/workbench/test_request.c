/* app/workbench/request: the page's JSON as words of a command; what is no request is refused. */
#include "tests/check.h"
#include "app/workbench/request.h"
#include <stdio.h>
#include <string.h>

static ht_job_command command;

/* Returns the words after the program. */
static const char *words(void) {
  static char text[2048];
  text[0] = 0;
  for (int i = 1; i < command.words; i++) {
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%s", i > 1 ? "|" : "", command.word[i]);
  }
  return text;
}

static void run(const char *json, const char *expected) {
  if (ht_request_run(json, strlen(json), "case", &command) != HT_OK)
    fail_msg("%s: %s", json, ht_error_message());
  assert_string_equal(words(), expected);
}

static void refused(const char *json, const char *says) {
  assert_int_equal(ht_request_run(json, strlen(json), "case", &command), HT_ERR_USAGE);
  if (!strstr(ht_error_message(), says)) fail_msg("%s: %s", json, ht_error_message());
}

HT_TEST(test_a_run) {
  run("{}", "run|case");
  run("{\"first_look\": \"auto\"}", "run|case|--first-look|auto");
  refused("{\"first_look\": \"x\"}", "auto or only");
  run("{\"flow\": 2.5, \"dry_run\": true, \"restart\": false}", "run|case|--flow|2.5|--dry-run");
  run("{\"set\": [[\"flow.cycles\", \"5\"], [\"openings.a b.role\", \"wall\"]]}",
      "run|case|--set|flow.cycles=5|--set|openings.a b.role=wall");
  run("{\"set\": [[\"flow.waveform\", \"carotid\"]]}", "run|case|--set|flow.waveform=carotid");
}

/* Checks that ranges and words are those of the schema, with its message. */
HT_TEST(test_values_of_the_schema) {
  refused("{\"nodes_across\": 2}", "'nodes_across' of the request: nodes_across is 2: allowed is");
  refused("{\"device\": \"gpu\"}", "did you mean 'cuda'?");
  refused("{\"flow\": \"2,5\"}", "write a decimal point, not a comma");
  refused("{\"flow\": \"--help\"}", "must be a number");
}

/* Checks that the browser names no file. */
HT_TEST(test_no_paths) {
  static const char *const files[] = {"scan",          "mask",          "openings", "sac.neck_file",
                                      "vessel.points", "flow.waveform", "name",     ""};
  char json[128], says[64];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(json, sizeof json, "{\"set\": [[\"%s\", \"/etc/passwd\"]]}", files[i]);
    snprintf(says, sizeof says, "%s: the page does not set this", files[i]);
    refused(json, says);
  }
  /* Points without a file are none: they are removed. */
  ht_job_command command;
  const char none[] = "{\"set\": [[\"vessel.points\", \"\"]]}";
  assert_int_equal(ht_request_segment(none, strlen(none), "folder", &command), HT_OK);
  assert_string_equal(command.word[4], "vessel.points=");
  refused("{\"set\": [\"flow.cycles\"]}", "pairs of a key and a text");
  refused("{\"set\": [[\"flow.cycles\", [5]]]}", "pairs of a key and a text");
  refused("{\"set\": \"flow.cycles\"}", "a list of pairs");
  refused("{\"openings\": 1}", "unknown key 'openings'");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_run),
                                     cmocka_unit_test(test_values_of_the_schema),
                                     cmocka_unit_test(test_no_paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
