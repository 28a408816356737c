/* run/record/identity.c and run/privacy/: the words removed from texts, and the hash that stays. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "run/record/identity.h"
#include "run/privacy/redact.h"
#include "core/text/shell_word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const ht_identity jane = {"DOE^JANE^ANN", "QX-4711", "19310407", "20190823",
                                 "998877",       "",        "",         ""};

static void assert_redacted(const char *text, const char *expected) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", text);
  assert_int_equal(ht_redact(copy, sizeof copy), strcmp(text, expected) != 0);
  assert_string_equal(copy, expected);
}

static int forget(void **state) {
  (void)state;
  ht_redact_nothing();
  return 0;
}

HT_TEST(names_numbers_and_dates_go) {
  assert_redacted("/data/DOE^JANE^ANN/1", "/data/DOE^JANE^ANN/1");
  ht_identity_hide(&jane);
  assert_redacted("/data/DOE^JANE^ANN/1", "/data/[removed]/1");
  assert_redacted("Jane Doe, doe_jane, DOEJANE", "[removed], [removed], [removed]");
  assert_redacted("of Jane's", "of [removed]'s");
  assert_redacted("qx-4711_ct.zip 998877", "[removed]_ct.zip [removed]");
  assert_redacted("1931-04-07 07.04.1931 19310407 2019_08_23",
                  "[removed] [removed] [removed] [removed]");
  assert_redacted("/scans/20190823doe2", "/scans/[removed][removed]2");
}

/* A word that only contains another is not that word. */
HT_TEST(other_words_stay) {
  ht_identity_hide(&jane);
  assert_redacted("does annex 9988771 219310407 mean", "does annex 9988771 219310407 mean");
}

HT_TEST(own_words_stay) {
  const ht_identity one = {"MASK^CASE^WARNING", "ERROR-1", "", "", "EDITED", "", "", ""};
  ht_identity_hide(&one);
  assert_redacted("warning: DIR/case.yaml", "warning: DIR/case.yaml");
  assert_redacted("hemotile: error: `mask.nii.gz`: a mask",
                  "hemotile: error: `mask.nii.gz`: a [removed]");
  assert_redacted("kept as mask_edited_12.nii.gz", "kept as mask_edited_12.nii.gz");
  const ht_identity number = {"", "471104", "", "", "", "", "", ""};
  ht_identity_hide(&number);
  assert_redacted("mask_edited_471104.nii.gz", "[removed]_[removed]_[removed].nii.gz");
  assert_redacted("a warning: x", "a [removed]: x"); /* within a line it is any word */
  assert_redacted("my-mask.nii.gz old.case.yaml mask.nii.gz.old",
                  "my-[removed].nii.gz old.[removed].yaml [removed].nii.gz.old");
  assert_redacted("mask case.yaml", "[removed].yaml"); /* the name goes on into it */
}

HT_TEST(short_words_stay_alone_but_not_together) {
  const ht_identity li = {"LI^WU", "12", "", "", "", "", "", ""};
  ht_identity_hide(&li);
  assert_redacted("li in 12 slices, wu_li, LI^WU", "li in 12 slices, [removed], [removed]");
}

static void forget_and_hide(const char *name, const char *id, const char *birth_date) {
  ht_identity one = {0};
  ht_redact_nothing();
  snprintf(one.name, sizeof one.name, "%s", name);
  snprintf(one.id, sizeof one.id, "%s", id);
  snprintf(one.birth_date, sizeof one.birth_date, "%s", birth_date);
  ht_identity_hide(&one);
}

/* Checks letters of either case, of both of Unicode's forms, without the marks, spelt in ASCII; a
 * byte of Latin-1. */
HT_TEST(letters_of_all_kinds_are_found) {
  forget_and_hide("MÜLLER^JÜRGEN", "", "");
  assert_redacted("Müller_Jürgen müller Mu\u0308ller_Ju\u0308rgen",
                  "[removed] [removed] [removed]");
  assert_redacted("muller, mueller, Mueller Juergen, m\xfcller",
                  "[removed], [removed], [removed], [removed]");
  assert_redacted("mullers muell", "mullers muell");
  forget_and_hide("MUELLER^JUERGEN", "", "");
  assert_redacted("Müller_Jürgen Mu\u0308ller", "[removed] [removed]");
  forget_and_hide("GROSS^ASE", "", "");
  assert_redacted("Groß, grosser, GROẞ; -- Åse", "[removed], grosser, [removed]; -- [removed]");
  forget_and_hide("SØRENSEN^ŁUKASZ", "", "");
  assert_redacted("Sorensen soerensen, -- lukasz", "[removed] [removed], -- [removed]");
  forget_and_hide("ЩУКИН^ЙОСИФ", "", "");
  assert_redacted("Щукин/щукин и", "[removed]/[removed] и");
}

HT_TEST(signs_within_a_name_do_not_matter) {
  forget_and_hide("O'BRIEN^MARY JANE", "", "");
  assert_redacted("OBrien o’brien O_BRIEN; -- MaryJane; -- mary-jane",
                  "[removed] [removed] [removed]; -- [removed]; -- [removed]");
  forget_and_hide("OBRIEN", "", "");
  assert_redacted("O'Brien O’Brien's", "[removed] [removed]'s");
  forget_and_hide("DOE^JANE^ANN", "", "");
  assert_redacted("JaneAnnDoe DoeHead doehead", "[removed] [removed]Head doehead");
}

/* Written without a space between family and given name, and in a text without any. */
HT_TEST(names_without_spaces_are_found) {
  forget_and_hide("Wang^XiaoDong=王^小東=", "", "");
  assert_redacted("王小東 王^小東 頭王小東頭 王小 wangxiaodong",
                  "[removed] [removed] 頭[removed]頭 王小 [removed]");
  forget_and_hide("Yamada^Tarou=山田^太郎=やまだ^たろう", "", "");
  assert_redacted("山田太郎 やまだたろう ﾔﾏﾀﾞ 太郎 Tarou_Yamada",
                  "[removed] [removed] ﾔﾏﾀﾞ [removed] [removed]");
  forget_and_hide("KIM^CHULSOO=김^철수", "", "");
  assert_redacted("김철수 철수", "[removed] [removed]");
}

HT_TEST(numbers_are_found_without_what_fills_them) {
  forget_and_hide("", "0000998877", "");
  assert_redacted("998877 0000998877 00998877 1998877 9988770 x998877.zip",
                  "[removed] [removed] [removed] 1998877 9988770 x[removed].zip");
  forget_and_hide("", "PAT-0099887Z", "");
  assert_redacted("pat99887z 99887 PAT 0099887 Z 0099887",
                  "[removed] [removed] [removed] [removed]");
  forget_and_hide("", "0012", "");
  assert_redacted("12 0012", "12 [removed]");
}

HT_TEST(days_are_found_as_people_write_them) {
  static const char *const days[] = {"19310407",      "1931-04-07",  "07041931",      "04071931",
                                     "07-04-1931",    "7.4.31",      "07.04.31",      "4/7/1931",
                                     "310407",        "070431",      "31-04-07",      "1931_4_7",
                                     "7. April 1931", "07-Apr-1931", "7APR31",        "Apr 7, 1931",
                                     "1931 Apr 07",   "７.４.1931",  "19310407123000"};
  char text[64], expected[64];
  forget_and_hide("", "", "19310407");
  for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
    snprintf(text, sizeof text, "on %s: x", days[i]);
    snprintf(expected, sizeof expected, "on [removed]: x");
    assert_redacted(text, expected);
  }
  assert_redacted("1931 7.4., 1930-04-07 119310407 8.4.31 7.4.310",
                  "1931 7.4., 1930-04-07 119310407 8.4.31 7.4.310");
}

/* Checks that a path is replaced whole, and what is in it; a word that is spelt like it too, but no
 * part of one. */
HT_TEST(paths_go) {
  ht_redact_path("scans/Müller Jürgen/", "folder-1", 1);
  ht_redact_path("/data/scans/Müller Jürgen", "folder-1", 1);
  ht_redact_path("scans", "folder-2", 1);
  ht_redact_path("out", "DIR", 0);
  ht_redact_path("out/case.yaml", "file-3", 1);
  assert_redacted("import scans/Müller Jürgen/ -o out", "import folder-1 -o DIR");
  assert_redacted("scans/Müller Jürgen/A B/IM 1: damaged", "folder-1: damaged");
  assert_redacted("(/data/scans/Müller Jürgen)", "(folder-1)");
  assert_redacted("scans/other: `hemotile info scans`", "folder-2: `hemotile info folder-2`");
  assert_redacted("look at out/pictures/wall.png; out/case.yaml",
                  "look at DIR/pictures/wall.png; DIR/case.yaml");
  char name[16] = "out";
  assert_int_equal(ht_redact_name(name, sizeof name), 0); /* as the name of a case: its folder's */
  assert_redacted("rescans outer about scans2 -out", "rescans outer about scans2 -out");
}

/* A folder may be called as a word of the messages. */
HT_TEST(words_that_are_paths_stay_words) {
  ht_redact_path("scan", "folder-1", 1);
  ht_redact_path("guessed", "DIR", 0);
  ht_redact_path("a", "folder-2", 1);
  assert_redacted("roles were guessed in a scan of it", "roles were guessed in a scan of it");
  assert_redacted("hemotile run --force scan -o guessed", "hemotile run --force folder-1 -o DIR");
  assert_redacted("see `hemotile info scan` and `hemotile solve guessed --steps 5`",
                  "see `hemotile info folder-1` and `hemotile solve DIR --steps 5`");
  assert_redacted("guessed: no folder", "DIR: no folder");
  assert_redacted("hemotile: error: guessed: the scan (scan) is done, all is in guessed; a/b",
                  "hemotile: error: DIR: the scan (folder-1) is done, all is in DIR; folder-2");
}

/* Checks paths as a message has them in a command: with the letters in between that a shell
 * needs. */
HT_TEST(paths_go_in_commands) {
  char word[64], text[128];
  ht_identity_hide_output("O'Brien, $5");
  ht_shell_word("O'Brien, $5", word, sizeof word);
  assert_string_equal(word, "'O'\\''Brien, $5'");
  snprintf(text, sizeof text, "go on with `hemotile solve %s`", word);
  assert_redacted(text, "go on with `hemotile solve DIR`");
}

/* Checks that a file's name ends where it ends, if the file exists. */
HT_TEST(names_of_files_may_hold_any_letter) {
  char folder[] = "/tmp/hemotile-identity-XXXXXX", path[128], text[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a: b, (c)", folder);
  fclose(fopen(path, "w"));
  ht_redact_path(folder, "folder-1", 1);
  snprintf(text, sizeof text, "%s and more", path);
  assert_redacted(text, "folder-1 and more");
  remove(path);
  remove(folder);
}

HT_TEST(phantoms_have_no_identity) {
  const ht_identity phantom = {
      "PHANTOM^ANEURYSM", "HEMOTILE-PHANTOM", "", "20000101", "", "", "", ""};
  ht_identity_hide(&phantom);
  assert_redacted("phantom aneurysm", "phantom aneurysm");
}

HT_TEST(what_does_not_fit_is_cut) {
  char text[16] = "/a/doe/b/doe/c";
  ht_identity_hide(&jane);
  assert_int_equal(ht_redact(text, sizeof text), 1);
  assert_in_range(strlen(text), 0, 15);
  assert_null(strstr(text, "doe"));
}

HT_TEST(a_hash_is_the_users_own) {
  char folder[] = "/tmp/hemotile-identity-XXXXXX", path[128], one[HT_HASH_TEXT], two[HT_HASH_TEXT];
  struct stat info;
  ht_identity other = jane;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
  assert_int_equal(ht_identity_hash(&jane, one), HT_OK);
  assert_int_equal(ht_identity_hash(&jane, two), HT_OK);
  assert_string_equal(one, two);
  assert_int_equal(strlen(one), 64);
  strcpy(other.id, "QX-4712");
  assert_int_equal(ht_identity_hash(&other, two), HT_OK);
  assert_string_not_equal(one, two);
  snprintf(path, sizeof path, "%s/hemotile/salt", folder);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_int_equal(info.st_size, 32);
  assert_true(ht_identity_has_salt());
  assert_int_equal(remove(path), 0);
  assert_false(ht_identity_has_salt());
  assert_int_not_equal(stat(path, &info), 0); /* the question makes none */
  assert_int_equal(ht_identity_hash(&jane, two), HT_OK);
  assert_string_not_equal(one, two); /* another salt */
  other.id[0] = 0;
  assert_int_equal(ht_identity_hash(&other, two), HT_OK);
  assert_string_equal(two, "");
  char label[HT_LABEL_MAX], again[HT_LABEL_MAX];
  assert_int_equal(ht_identity_label("data/Doe_Jane.nii.gz", label), HT_OK);
  assert_int_equal(ht_identity_label("Doe_Jane.nii.gz", again), HT_OK);
  assert_string_not_equal(label, again); /* many scans have the same last name */
  assert_int_equal(ht_identity_label("data/Doe_Jane.nii.gz", again), HT_OK);
  assert_string_equal(label, again);
  assert_int_equal(strlen(label), strlen("file-0123456789ab.nii.gz"));
  assert_non_null(strstr(label, ".nii.gz"));
  assert_int_equal(ht_identity_label(folder, label), HT_OK);
  assert_memory_equal(label, "folder-", 7);
  assert_int_equal(strlen(label), strlen("folder-0123456789ab"));
  remove(path);
  snprintf(path, sizeof path, "%s/hemotile", folder);
  remove(path);
  remove(folder);
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(names_numbers_and_dates_go),
      TEST(other_words_stay),
      TEST(own_words_stay),
      TEST(short_words_stay_alone_but_not_together),
      TEST(letters_of_all_kinds_are_found),
      TEST(signs_within_a_name_do_not_matter),
      TEST(names_without_spaces_are_found),
      TEST(numbers_are_found_without_what_fills_them),
      TEST(days_are_found_as_people_write_them),
      TEST(paths_go),
      TEST(words_that_are_paths_stay_words),
      TEST(paths_go_in_commands),
      TEST(names_of_files_may_hold_any_letter),
      TEST(phantoms_have_no_identity),
      TEST(what_does_not_fit_is_cut),
      TEST(a_hash_is_the_users_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
