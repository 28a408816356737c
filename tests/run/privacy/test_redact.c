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

HT_TEST(a_word_goes_in_every_spelling) {
  ht_redact_word("M\xC3\xBCller-L\xC3\xBC"
                 "denscheidt",
                 22);
  ht_redact_word("Jos\xC3\xA9", 5);
  ht_redact_word("004711", 6);
  ht_redact_word("Al", 2);
  ht_redact_word("123", 3);
  assert_redacted("scan of M\xC3\xBCller-L\xC3\xBC"
                  "denscheidt",
                  "scan of [removed]");
  assert_redacted("MUELLER LUEDENSCHEIDT_head", "[removed]_head");
  assert_redacted("mullerludenscheidt.nii", "[removed].nii");
  assert_redacted("JOSE, jos\xC3\xA9 and Jose\xCC\x81", "[removed], [removed] and [removed]");
  assert_redacted("Josef stays", "Josef stays"); /* another word */
  assert_redacted("number 4711 or 00004711, not 47110", "number [removed] or [removed], not 47110");
  assert_redacted("Al and 123 are too short", "Al and 123 are too short");
}

HT_TEST(a_day_goes_in_every_order) {
  ht_redact_date("19310507");
  assert_redacted("19310507, 1931-05-07, 7.5.1931", "[removed], [removed], [removed]");
  assert_redacted("05/07/31 and 07.05.31", "[removed] and [removed]");
  assert_redacted("7 May 1931, May 7, 1931", "[removed], [removed]");
  assert_redacted("1931 alone, 7.5 mm, 19310508", "1931 alone, 7.5 mm, 19310508");
  ht_redact_date("no date");
  ht_redact_date("19311301");
  assert_redacted("1.13.1931", "1.13.1931");
}

HT_TEST(a_path_goes_as_a_whole) {
  ht_redact_path("/data/Doe", "folder-1", 1);
  ht_redact_path("/data/out", "DIR", 0);
  char deep[64] = "/data/Doe/a/b.dcm: cut off", flat[64] = "/data/out/wall.vtp is full";
  assert_int_equal(ht_redact(deep, sizeof deep), 1);
  assert_string_equal(deep, "folder-1: cut off");
  assert_int_equal(ht_redact(flat, sizeof flat), 1);
  assert_string_equal(flat, "DIR/wall.vtp is full");
  assert_redacted("/data/Doerr/x", "[path]"); /* another folder */
}

/* A file's name keeps what is no identity, for it must stay a name. */
HT_TEST(a_name_loses_words_and_days_alone) {
  char name[] = "Mustermann_19310507 'left' /x.nii";
  ht_redact_word("Mustermann", 10);
  ht_redact_date("19310507");
  assert_int_equal(ht_redact_name(name, sizeof name), 1);
  assert_null(strstr(name, "Mustermann"));
  assert_null(strstr(name, "1931"));
  assert_non_null(strstr(name, "'left' /x.nii"));
  char other[] = "outlet-2.nii";
  assert_int_equal(ht_redact_name(other, sizeof other), 0);
  assert_string_equal(other, "outlet-2.nii");
}

/* A text that grows beyond its memory is cut, never written past. */
HT_TEST(a_longer_text_is_cut) {
  char small[24] = "'a' 'b' 'c' Doe Doe";
  memset(small + 20, 'x', 4);
  ht_redact_word("Doe", 3);
  assert_int_equal(ht_redact(small, 20), 1);
  assert_true(strlen(small) < 20);
  assert_memory_equal(small + 20, "xxxx", 4);
  assert_null(strstr(small, "Doe"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(what_is_quoted_goes, forget),
      cmocka_unit_test_teardown(a_quote_in_a_quote_is_no_end, forget),
      cmocka_unit_test_teardown(what_is_allowed_stays, forget),
      cmocka_unit_test_teardown(what_is_typed_is_marked, forget),
      cmocka_unit_test_teardown(unknown_paths_go, forget),
      cmocka_unit_test_teardown(near_names_are_found, forget),
      cmocka_unit_test_teardown(a_word_goes_in_every_spelling, forget),
      cmocka_unit_test_teardown(a_day_goes_in_every_order, forget),
      cmocka_unit_test_teardown(a_path_goes_as_a_whole, forget),
      cmocka_unit_test_teardown(a_name_loses_words_and_days_alone, forget),
      cmocka_unit_test_teardown(a_longer_text_is_cut, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
