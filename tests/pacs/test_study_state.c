/* The journal of a study, its place on the disk, and which rule fits it. */
#define _GNU_SOURCE
#include "phantom.h"
#include "study_state.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-study-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static void a_state_is_read_back(void **state) {
  (void)state;
  ht_study_state before = {.step = HT_STUDY_SENDING, .objects = 38, .attempts = 2};
  ht_study_state after;
  strcpy(before.message, "code 23: \"see\" messages.txt");
  assert_int_equal(ht_study_write(folder, &before), HT_OK);
  assert_int_equal(ht_study_read(folder, &after), HT_OK);
  assert_memory_equal(&before, &after, sizeof before);
}

static void a_study_without_a_journal_is_received(void **state) {
  (void)state;
  ht_study_state read;
  assert_int_equal(ht_study_read(folder, &read), HT_OK);
  assert_int_equal(read.step, HT_STUDY_RECEIVED);
  assert_int_equal(read.objects, 0);
}

static void put_state(const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/state.json", folder);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

/* Its file is kept, and the study has failed until a person has looked. */
static void a_damaged_journal_is_set_aside(void **state) {
  (void)state;
  static const char *const damaged[] = {"{\"state\": \"somewhere\"}\n", "", "{\"state\": \"se"};
  for (int i = 0; i < 3; i++) {
    char path[128];
    ht_study_state read, again;
    put_state(damaged[i]);
    assert_int_equal(ht_study_read(folder, &read), HT_ERR_FORMAT);
    assert_non_null(strstr(ht_error_message(), "state.json"));
    assert_int_equal(ht_study_set_aside(folder, &read), HT_OK);
    assert_int_equal(read.step, HT_STUDY_FAILED);
    assert_non_null(strstr(read.message, "remove state.json"));
    assert_int_equal(ht_study_read(folder, &again), HT_OK);
    assert_memory_equal(&again, &read, sizeof read);
    snprintf(path, sizeof path, "%s/state.json.damaged", folder);
    assert_int_equal(access(path, R_OK), 0);
  }
}

static void an_object_is_kept_once(void **state) {
  (void)state;
  char path[256], study[128];
  const ht_pacs_object object = {.instance_uid = "1.2.3"};
  snprintf(study, sizeof study, "%s/1.2", folder);
  for (int n = 0; n < 2; n++) {
    snprintf(path, sizeof path, "%s/1.2.3.part", folder);
    FILE *file = fopen(path, "w");
    fputc('0' + n, file);
    fclose(file);
    assert_int_equal(ht_study_keep(study, &object, path), HT_OK);
  }
  assert_int_equal(ht_study_objects(study), 1);
  snprintf(path, sizeof path, "%s/scan/1.2.3.dcm", study);
  FILE *file = fopen(path, "r");
  assert_int_equal(fgetc(file), '0'); /* the first stays */
  fclose(file);
  struct stat info;
  assert_int_equal(stat(study, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
}

/* A small CT study in folder/scan. */
static void make_study(void) {
  char path[128];
  ht_phantom_options options;
  ht_phantom phantom;
  ht_phantom_defaults(HT_PHANTOM_PIPE, &options);
  options.spacing_mm = 1;
  assert_int_equal(ht_phantom_make(&options, NULL, &phantom), HT_OK);
  snprintf(path, sizeof path, "%s/scan", folder);
  assert_int_equal(ht_dicom_write_series(path, &phantom.scan, "CT Angio head", 1), HT_OK);
  ht_phantom_free(&phantom);
}

static int rule_of(const ht_pacs_watch *watch) {
  char uid[65] = "";
  ht_status status;
  const ht_pacs_rule *rule = ht_study_rule(folder, watch, uid, &status);
  assert_int_equal(status, HT_OK);
  assert_true(!rule || strspn(uid, "0123456789.") > 5);
  return rule ? (int)(rule - watch->rule) : -1;
}

static void the_first_rule_that_fits_is_taken(void **state) {
  (void)state;
  static ht_pacs_watch watch = {.rules = 4,
                                .rule = {{.modality = "MR"},
                                         {.modality = "CT", .description = "*foot*"},
                                         {.modality = "ct", .description = "*angio*"},
                                         {.modality = ""}}};
  make_study();
  assert_int_equal(rule_of(&watch), 2);
  strcpy(watch.rule[2].description, "angio"); /* not the whole of it */
  assert_int_equal(rule_of(&watch), 3);
  watch.rules = 3;
  assert_int_equal(rule_of(&watch), -1);
}

static void names_of_files_are_safe(void **state) {
  (void)state;
  assert_int_equal(ht_pacs_check_uid("1.2.840.1", "x"), HT_OK);
  assert_int_equal(ht_pacs_check_uid("", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_uid("../1", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_uid("..", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_uid(".", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_uid("1..2", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_ae("ARCHIVE 1", "x"), HT_OK);
  assert_int_equal(ht_pacs_check_ae("A\\B", "x"), HT_ERR_USAGE);
  assert_int_equal(ht_pacs_check_ae("SEVENTEEN_LETTERS", "x"), HT_ERR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_state_is_read_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_study_without_a_journal_is_received, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_damaged_journal_is_set_aside, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_object_is_kept_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_first_rule_that_fits_is_taken, set_up, tear_down),
      cmocka_unit_test(names_of_files_are_safe)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
