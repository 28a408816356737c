/* run/privacy: what stays in a text for a file: hemotile's own words, allowed names, labels; and
 * names that may hold the identity in spellings that no list has. */
#include "tests/check.h"
#include "run/privacy/redact.h"
#include "core/text/words.h"
#include <stdio.h>
#include <string.h>

static int forget(void **state) {
  (void)state;
  ht_redact_nothing();
  ht_redact_keep(0);
  return 0;
}

static void assert_redacted(const char *text, const char *expected) {
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  const int found = ht_redact(copy, sizeof copy);
  assert_string_equal(copy, expected);
  assert_int_equal(found, strstr(expected, "[removed]") || strstr(expected, "[path]"));
}

HT_TEST(what_is_quoted_goes) {
  assert_redacted("the series \"head Doe\" cannot be read",
                  "the series \"[removed]\" cannot be read");
  assert_redacted("column 'Doe' and 'Jane'", "column '[removed]' and '[removed]'");
  assert_redacted("'7.5.31'", "'[removed]'");
  assert_redacted("'\xE5\xB1\xB1'", "'[removed]'");
  assert_redacted("it ends in \"Doe", "it ends in \"[removed]");
  assert_redacted("no quote: the patient's, the openings' 3 mm",
                  "no quote: the patient's, the openings' 3 mm");
  assert_redacted("an empty '' stays", "an empty '' stays");
}

/* A text may hold the signs that quote it. */
HT_TEST(a_quote_in_a_quote_is_no_end) {
  assert_redacted("'O'Brien' is", "'[removed]' is");
  assert_redacted("'O' Brien' is", "'[removed]' is");
  assert_redacted("\"head \"Doe\" x\" is", "\"[removed]\" is");
  assert_redacted("'Doe' ... 's patients' scan", "'[removed]' ... '[removed]' scan");
}

HT_TEST(what_is_allowed_stays) {
  static const char *const words[] = {"outlet", "flow", "cycles", "steady", "false", "left ICA"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) ht_redact_allow(words[i]);
  assert_redacted("'outlet-2' and 'left ICA', 'flow.cycles'",
                  "'outlet-2' and 'left ICA', 'flow.cycles'");
  assert_redacted("marked 'steady: false'", "marked 'steady: false'");
  assert_redacted("'left' alone", "'[removed]' alone");
  assert_redacted("'left ICA Doe'", "'[removed]'");
  assert_redacted("'outlet-1931', 'outlet 7 5 31'", "'[removed]', '[removed]'");
  assert_redacted("'folder-0123456789ab', 'file-0123456789ab.nii.gz', 'DIR/case.yaml'",
                  "'folder-0123456789ab', 'file-0123456789ab.nii.gz', 'DIR/case.yaml'");
  assert_redacted("'folder-0123456789ab Doe', 'DIR/Doe.nii'", "'[removed]', '[removed]'");
}

HT_TEST(what_is_typed_is_marked) {
  ht_redact_allow("run");
  ht_redact_allow("scan");
  ht_redact_path("Doe/scan", "folder-0123456789ab", 1);
  assert_redacted("hemotile " HT_MARK_BEGIN "run" HT_MARK_END " " HT_MARK_BEGIN
                  "Doe/scan" HT_MARK_END " --series " HT_MARK_BEGIN "head Doe" HT_MARK_END
                  " --from " HT_MARK_BEGIN "1.5,2,-3" HT_MARK_END,
                  "hemotile run folder-0123456789ab --series [removed] --from 1.5,2,-3");
  assert_redacted("--set " HT_MARK_BEGIN "scan=Doe/scan" HT_MARK_END " --set " HT_MARK_BEGIN
                  "scan=Doe" HT_MARK_END,
                  "--set scan=folder-0123456789ab --set [removed]");
  assert_redacted(HT_MARK_BEGIN "a" HT_MARK_END "Doe" HT_MARK_END " x", "[removed] x");
  ht_redact_keep(1);
  assert_redacted("--series " HT_MARK_BEGIN "head 'Doe'" HT_MARK_END, "--series head 'Doe'");
}

HT_TEST(unknown_paths_go) {
  ht_redact_path("out", "DIR", 0);
  assert_redacted("in /data/Doe/x.nii: 3 mm/s, 1/2, /dev/shm", "in [path]: 3 mm/s, 1/2, /dev/shm");
}

HT_TEST(near_names_are_found) {
  static const char *const near[] = {"MMustermann",
                                     "xMustermannx",
                                     "Muster-mann",
                                     "musterman",
                                     "Anne Marie",
                                     "mustermanns",
                                     "MRN 55667",
                                     "7. Mai 1931",
                                     "May 7th, 31",
                                     "310507",
                                     "1931\xE5\xB9\xB4"
                                     "5\xE6\x9C\x88"
                                     "7\xE6\x97\xA5",
                                     "5/7/1931",
                                     "\xEF\xBC\xAD\xEF\xBC\xB5sterman",
                                     "M\xC3\xBCsterm\xC3\xA4nn",
                                     "ID055667"};
  static const char *const others[] = {"left ICA",     "outlet-2",   "inlet", "p01",  "P-2 distal",
                                       "Zulauf links", "aorta 2019", "a",     "mann", "1931"};
  ht_redact_word("Mustermann", 10);
  ht_redact_word("Annemarie", 9);
  ht_redact_word("55667", 5);
  ht_redact_word("Li", 2);
  ht_redact_date("19310507");
  ht_redact_date("00000000"); /* no day */
  for (size_t i = 0; i < sizeof near / sizeof *near; i++)
    if (!ht_redact_holds(near[i])) fail_msg("'%s' is not found", near[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ht_redact_holds(others[i])) fail_msg("'%s' is found", others[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(what_is_quoted_goes, forget),
      cmocka_unit_test_teardown(a_quote_in_a_quote_is_no_end, forget),
      cmocka_unit_test_teardown(what_is_allowed_stays, forget),
      cmocka_unit_test_teardown(what_is_typed_is_marked, forget),
      cmocka_unit_test_teardown(unknown_paths_go, forget),
      cmocka_unit_test_teardown(near_names_are_found, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
