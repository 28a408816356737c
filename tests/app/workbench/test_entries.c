/* workbench/cases/entries: what lies below the start folder, by numbers; links are left out. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "app/workbench/cases/entries.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
  char command[1024];
  (void)state;
  strcpy(folder, "/tmp/hemotile-entries-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(
      command, sizeof command,
      "cd %s && mkdir b case linked dicom && touch b/x.nii.gz case/manifest.json scan.NRRD "
      "notes.txt .hidden.nii && ln -s /etc out && ln -s /etc/passwd out.nii && "
      "ln -s /etc/passwd linked/a && head -c 128 /dev/zero > dicom/1 && printf DICM >> dicom/1",
      folder);
  return system(command);
}

static int remove_folder(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

typedef struct {
  char words[256];
  int number[16], count;
} seen;

static void look(void *user, const ht_entry *entry) {
  seen *of = user;
  char word[64];
  snprintf(word, sizeof word, "%d:%s ", (int)entry->kind, entry->name);
  strcat(of->words, word);
  of->number[of->count++] = entry->number;
}

HT_TEST(a_folder_is_listed_without_links) {
  ht_entries *entries;
  ht_entry_folder about;
  seen first = {0}, again = {0}, inner = {0};
  char path[HT_PATH_MAX], wanted[HT_PATH_MAX];
  assert_int_equal(ht_entries_open(folder, &entries), HT_OK);
  assert_int_equal(ht_entries_list(entries, 0, look, &first, &about), HT_OK);
  assert_string_equal(first.words, "0:b 2:case 0:dicom 0:linked 1:scan.NRRD ");
  assert_int_equal(about.links, 2);
  assert_int_equal(about.others, 1);
  assert_int_equal(about.parent, -1);
  assert_int_equal(ht_entries_list(entries, 0, look, &again, &about), HT_OK);
  assert_memory_equal(first.number, again.number, sizeof first.number); /* numbers stay */
  assert_int_equal(ht_entries_list(entries, first.number[0], look, &inner, &about), HT_OK);
  assert_string_equal(inner.words, "1:x.nii.gz ");
  assert_string_equal(about.name, "b");
  assert_int_equal(ht_entries_path(entries, inner.number[0], path), HT_OK);
  snprintf(wanted, sizeof wanted, "%s/b/x.nii.gz", folder);
  assert_string_equal(path, wanted);
  assert_int_equal(ht_entries_list(entries, first.number[2], look, &inner, &about), HT_OK);
  assert_int_equal(about.has_dicom, 1);
  ht_entries_free(entries);
}

HT_TEST(numbers_lead_nowhere_else) {
  ht_entries *entries;
  ht_entry_folder about;
  seen of = {0};
  char path[HT_PATH_MAX], command[256];
  assert_int_equal(ht_entries_open(folder, &entries), HT_OK);
  assert_int_equal(ht_entries_path(entries, 7, path), HT_ERR_NOT_FOUND);
  assert_int_equal(ht_entries_path(entries, -1, path), HT_ERR_NOT_FOUND);
  assert_int_equal(ht_entries_list(entries, 0, look, &of, &about), HT_OK);
  assert_int_equal(ht_entries_scan(entries, of.number[0], path), HT_OK);
  assert_int_equal(ht_entries_scan(entries, of.number[3], path), HT_ERR_USAGE); /* a link in it */
  /* An entry that became a link after it was listed. */
  snprintf(command, sizeof command, "cd %s && mv b c && ln -s /etc b", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(ht_entries_path(entries, of.number[0], path), HT_ERR_USAGE);
  ht_entries_free(entries);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_folder_is_listed_without_links),
                                     cmocka_unit_test(numbers_lead_nowhere_else)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
