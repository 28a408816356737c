/* workbench/fields: small requests of the page; whatever is not a number or a name of them is
 * refused. */
#include "tests/check.h"
#include "app/workbench/server/fields.h"
#include <string.h>

typedef struct {
  int entry;
  char name[8], text[16];
} target;

static const ht_field fields[] = {{"entry", HT_FIELD_NUMBER, offsetof(target, entry), 99},
                                  {"name", HT_FIELD_NAME, offsetof(target, name), 8},
                                  {"text", HT_FIELD_TEXT, offsetof(target, text), 16},
                                  {0}};

static ht_status read(const char *text, target *to) {
  *to = (target){-1, "", ""};
  return ht_fields_read(fields, text, strlen(text), to);
}

HT_TEST(values_are_taken) {
  target to;
  assert_int_equal(read("{\"entry\": 42, \"name\": \"p-1.x_\", \"text\": \"*TOF 3*\"}", &to),
                   HT_OK);
  assert_int_equal(to.entry, 42);
  assert_string_equal(to.name, "p-1.x_");
  assert_string_equal(to.text, "*TOF 3*");
  assert_int_equal(read("{\"name\": \"a\"}", &to), HT_OK);
  assert_int_equal(to.entry, -1); /* absent: as it was */
}

HT_TEST(what_is_no_value_is_refused) {
  static const char *const texts[] = {
      "",
      "[1]",
      "{\"entry\": 100}",
      "{\"entry\": -1}",
      "{\"entry\": 1.0}",
      "{\"entry\": [1]}",
      "{\"entry\": \"\"}",
      "{\"entry\": 99999999999}",
      "{\"name\": \"../x\"}",
      "{\"name\": \".x\"}",
      "{\"name\": \"-o\"}",
      "{\"name\": \"\"}",
      "{\"name\": \"a b\"}",
      "{\"name\": \"12345678\"}",
      "{\"text\": \"a\\nb\"}",
      "{\"text\": \"a\\\\b\"}",
      "{\"text\": \"\xc3\xa9\"}",
      "{\"other\": 1}",
  };
  target to;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (read(texts[i], &to) != HT_ERR_USAGE) fail_msg("taken: %s", texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_taken),
                                     cmocka_unit_test(what_is_no_value_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
