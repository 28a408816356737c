/* The journal of a study, and its place on the disk. */
#define _GNU_SOURCE
#include "tests/app/pacs/object_fixture.h"
#include "app/pacs/study_state.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

HT_TEST(a_state_is_read_back) {
  ht_study_state before = {
      .step = HT_STUDY_SENDING, .objects = 38, .attempts = 2, .series = "1.2.3", .images = 36};
  ht_study_state after;
  strcpy(before.message, "code 23: \"see\" messages.txt");
  assert_int_equal(ht_study_write(ht_fixture_folder, &before), HT_OK);
  assert_int_equal(ht_study_read(ht_fixture_folder, &after), HT_OK);
  assert_memory_equal(&before, &after, sizeof before);
}

HT_TEST(a_study_without_a_journal_is_received) {
  ht_study_state read;
  assert_int_equal(ht_study_read(ht_fixture_folder, &read), HT_OK);
  assert_int_equal(read.step, HT_STUDY_RECEIVED);
  assert_int_equal(read.objects, 0);
}

static void put_state(const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/state.json", ht_fixture_folder);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

/* Checks that the file is kept, and that the study has failed until a person has looked. */
HT_TEST(a_damaged_journal_is_set_aside) {
  static const char *const damaged[] = {"{\"state\": \"somewhere\"}\n", "", "{\"state\": \"se"};
  for (int i = 0; i < 3; i++) {
    char path[128];
    ht_study_state read, again;
    put_state(damaged[i]);
    assert_int_equal(ht_study_read(ht_fixture_folder, &read), HT_ERR_FORMAT);
    assert_non_null(strstr(ht_error_message(), "state.json"));
    assert_int_equal(ht_study_set_aside(ht_fixture_folder, &read), HT_OK);
    assert_int_equal(read.step, HT_STUDY_FAILED);
    assert_non_null(strstr(read.message, "remove state.json"));
    assert_int_equal(ht_study_read(ht_fixture_folder, &again), HT_OK);
    assert_memory_equal(&again, &read, sizeof read);
    snprintf(path, sizeof path, "%s/state.json.damaged", ht_fixture_folder);
    assert_int_equal(access(path, R_OK), 0);
  }
}

/* Makes a DICOM file at folder/incoming; `*object` is what is in it. */
static void make_object(const char *uid, const char *patient, ht_pacs_object *object) {
  char path[128];
  *object = (ht_pacs_object){.study_uid = "1.2", .series_uid = "1.2.3"};
  snprintf(object->instance_uid, sizeof object->instance_uid, "%s", uid);
  snprintf(object->patient_id, sizeof object->patient_id, "%s", patient);
  snprintf(path, sizeof path, "%s/incoming", ht_fixture_folder);
  assert_int_equal(ht_object_fixture_write(path, object), 0);
}

static ht_study_kept kept;

static ht_status keep(const ht_pacs_object *object, int unfinished) {
  char study[128], path[128];
  snprintf(study, sizeof study, "%s/1.2", ht_fixture_folder);
  snprintf(path, sizeof path, "%s/incoming", ht_fixture_folder);
  return ht_study_keep(study, object, path, unfinished, &kept);
}

static long size_of(const char *name) {
  char path[256];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", ht_fixture_folder, name);
  return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

HT_TEST(an_object_is_kept_once) {
  char study[128];
  struct stat info;
  ht_pacs_object object;
  make_object("1.2.3.4", "A", &object);
  assert_int_equal(keep(&object, 0), HT_OK);
  const long first = size_of("1.2/scan/1.2.3.4.dcm");
  make_object("1.2.3.4", "A", &object);
  snprintf(study, sizeof study, "%s/incoming", ht_fixture_folder);
  assert_int_equal(truncate(study, first + 2), 0);
  assert_int_equal(keep(&object, 0), HT_OK);
  assert_int_equal(size_of("1.2/scan/1.2.3.4.dcm"), first); /* the first stays */
  snprintf(study, sizeof study, "%s/1.2", ht_fixture_folder);
  assert_int_equal(ht_study_objects(study), 1);
  assert_int_equal(stat(study, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
}

/* An empty file, which a full disk left once, is no object. */
HT_TEST(an_object_that_cannot_be_read_makes_room) {
  ht_pacs_object object;
  char path[128];
  make_object("1.2.3.4", "A", &object);
  assert_int_equal(keep(&object, 0), HT_OK);
  snprintf(path, sizeof path, "%s/1.2/scan/1.2.3.4.dcm", ht_fixture_folder);
  assert_int_equal(truncate(path, 0), 0);
  make_object("1.2.3.4", "A", &object);
  assert_int_equal(keep(&object, 0), HT_OK);
  assert_true(size_of("1.2/scan/1.2.3.4.dcm") > 100);
}

HT_TEST(a_study_is_of_one_patient) {
  ht_pacs_object object;
  make_object("1.2.3.4", "A", &object);
  assert_int_equal(keep(&object, 0), HT_OK);
  make_object("1.2.3.4", "B", &object); /* the same object, of another patient */
  assert_int_equal(keep(&object, 1), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "of another patient"));
  make_object("1.2.3.5", "B", &object); /* a further one */
  assert_int_equal(keep(&object, 1), HT_ERR_FORMAT);
  assert_int_equal(size_of("1.2/scan/1.2.3.5.dcm"), -1);
  assert_int_equal(size_of("1.2/unfinished/1.2.3"), -1); /* nothing waits for it */
  make_object("1.2.3.4", "A", &object);
  strcpy(object.series_uid, "1.2.9");
  assert_int_equal(keep(&object, 1), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "of another series"));
}

HT_TEST(the_same_patient_is_written_in_several_ways) {
  const ht_pacs_object one = {
      .patient_id = "17 ", .patient_name = "Doe^Jane^^", .birth_date = "19700101"};
  ht_pacs_object other = {.patient_id = "17", .patient_name = "DOE^JANE=x"};
  assert_true(ht_pacs_same_patient(&one, &other));
  strcpy(other.birth_date, "19700102");
  assert_false(ht_pacs_same_patient(&one, &other));
  other = (ht_pacs_object){.patient_id = "17", .patient_name = "Doe^Janet"};
  assert_false(ht_pacs_same_patient(&one, &other));
  other = (ht_pacs_object){.patient_id = "170", .patient_name = "Doe^Jane"};
  assert_false(ht_pacs_same_patient(&one, &other));
}

HT_TEST(a_series_is_marked_until_it_is_whole) {
  char study[128];
  ht_pacs_object object;
  snprintf(study, sizeof study, "%s/1.2", ht_fixture_folder);
  make_object("1.2.3.4", "A", &object);
  assert_int_equal(keep(&object, 1), HT_OK);
  assert_true(kept.is_new && !kept.was_marked);
  assert_true(ht_study_is_unfinished(study, "1.2.3"));
  assert_false(ht_study_is_unfinished(study, "1.2"));
  ht_study_finish(study, "1.2.3");
  assert_false(ht_study_is_unfinished(study, "1.2.3"));
  make_object("1.2.3.4", "A", &object); /* one that is there already marks it, too */
  assert_int_equal(keep(&object, 1), HT_OK);
  assert_true(!kept.is_new && !kept.was_marked);
  assert_true(ht_study_is_unfinished(study, "1.2.3"));
  make_object("1.2.3.5", "A", &object);
  assert_int_equal(keep(&object, 1), HT_OK);
  assert_true(kept.is_new && kept.was_marked);
}

HT_TEST(names_of_files_are_safe) {
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
      cmocka_unit_test_setup_teardown(a_state_is_read_back, ht_fixture_begin, ht_fixture_end),
      cmocka_unit_test_setup_teardown(a_study_without_a_journal_is_received, ht_fixture_begin,
                                      ht_fixture_end),
      cmocka_unit_test_setup_teardown(a_damaged_journal_is_set_aside, ht_fixture_begin,
                                      ht_fixture_end),
      cmocka_unit_test_setup_teardown(an_object_is_kept_once, ht_fixture_begin, ht_fixture_end),
      cmocka_unit_test_setup_teardown(an_object_that_cannot_be_read_makes_room, ht_fixture_begin,
                                      ht_fixture_end),
      cmocka_unit_test_setup_teardown(a_study_is_of_one_patient, ht_fixture_begin, ht_fixture_end),
      cmocka_unit_test(the_same_patient_is_written_in_several_ways),
      cmocka_unit_test_setup_teardown(a_series_is_marked_until_it_is_whole, ht_fixture_begin,
                                      ht_fixture_end),
      cmocka_unit_test(names_of_files_are_safe)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
