/* app/: what is taken out of texts, and the hash that stays. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "identity.h"
#include "redact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const ht_identity jane = {"DOE^JANE^ANN", "QX-4711", "19310407", "20190823", "998877"};

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

static void names_numbers_and_dates_go(void **state) {
  (void)state;
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

/* What only holds a word is another word. */
static void other_words_stay(void **state) {
  (void)state;
  ht_identity_hide(&jane);
  assert_redacted("does annex 9988771 219310407 mean", "does annex 9988771 219310407 mean");
}

static void short_words_stay_alone_but_not_together(void **state) {
  (void)state;
  const ht_identity li = {"LI^WU", "12", "", "", ""};
  ht_identity_hide(&li);
  assert_redacted("li in 12 slices, wu_li, LI^WU", "li in 12 slices, [removed], [removed]");
}

static void phantoms_have_no_identity(void **state) {
  (void)state;
  const ht_identity phantom = {"PHANTOM^ANEURYSM", "HEMOTILE-PHANTOM", "", "20000101", ""};
  ht_identity_hide(&phantom);
  assert_redacted("phantom aneurysm", "phantom aneurysm");
}

static void what_does_not_fit_is_cut(void **state) {
  (void)state;
  char text[16] = "/a/doe/b/doe/c";
  ht_identity_hide(&jane);
  assert_int_equal(ht_redact(text, sizeof text), 1);
  assert_in_range(strlen(text), 0, 15);
  assert_null(strstr(text, "doe"));
}

static void a_hash_is_the_users_own(void **state) {
  (void)state;
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
  assert_int_equal(remove(path), 0);
  assert_int_equal(ht_identity_hash(&jane, two), HT_OK);
  assert_string_not_equal(one, two); /* another salt */
  other.id[0] = 0;
  assert_int_equal(ht_identity_hash(&other, two), HT_OK);
  assert_string_equal(two, "");
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
      TEST(short_words_stay_alone_but_not_together),
      TEST(phantoms_have_no_identity),
      TEST(what_does_not_fit_is_cut),
      TEST(a_hash_is_the_users_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
