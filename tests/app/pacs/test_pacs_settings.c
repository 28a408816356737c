/* app/pacs/pacs_settings: the file of an archive and of a watch; app/pacs/pacs_object: whose a
 * DICOM object is. */
#include "tests/app/pacs/object_fixture.h"
#include "app/pacs/pacs_settings.h"
#include "tests/check.h"
#include <stdio.h>
#include <string.h>

static ht_pacs_settings settings;

/* Writes the text to a file and reads it over the defaults. */
static ht_status read_text(const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/pacs.yaml", ht_fixture_folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  ht_pacs_defaults(&settings);
  return ht_pacs_read(path, &settings);
}

/* Checks that the text is refused at "line:column: ", with a message that has `words`. */
static void assert_refused(const char *text, const char *place, const char *words) {
  char expected[200];
  snprintf(expected, sizeof expected, "%s/pacs.yaml:%s: ", ht_fixture_folder, place);
  assert_int_equal(read_text(text), HT_ERR_CASE);
  if (!strstr(ht_error_message(), expected) || !strstr(ht_error_message(), words))
    fail_msg("'%s' lacks '%s' or '%s'", ht_error_message(), expected, words);
}

HT_TEST(every_key_is_read) {
  char path[128];
  assert_int_equal(
      read_text("host: archive.example\nport: 4242\ncalled_ae: ORTHANC\ncalling_ae: HEMO 1\n"
                "timeout_s: 5\ntls: {ca: ca.pem, certificate: /etc/our.pem, key: our.key}\n"
                "watch:\n  address: 0.0.0.0\n  port: 11113\n  folder: studies\n  quiet_s: 7\n"
                "  count: no\n  send: no\n  tls: yes\n  calling: [CT1, MR 2]\n"
                "  rules:\n    - {modality: MR, description: '*tof*', preset: tof}\n    - {}\n"),
      HT_OK);
  assert_string_equal(settings.host, "archive.example");
  assert_int_equal(settings.port, 4242);
  assert_string_equal(settings.called_ae, "ORTHANC");
  assert_string_equal(settings.calling_ae, "HEMO 1");
  assert_int_equal(settings.timeout_s, 5);
  assert_int_equal(settings.tls, 1);
  snprintf(path, sizeof path, "%s/ca.pem", ht_fixture_folder); /* relative to the file */
  assert_string_equal(settings.tls_ca, path);
  assert_string_equal(settings.tls_certificate, "/etc/our.pem");
  snprintf(path, sizeof path, "%s/our.key", ht_fixture_folder);
  assert_string_equal(settings.tls_key, path);
  const ht_pacs_watch *watch = &settings.watch;
  assert_string_equal(watch->address, "0.0.0.0");
  assert_int_equal(watch->port, 11113);
  snprintf(path, sizeof path, "%s/studies", ht_fixture_folder);
  assert_string_equal(watch->folder, path);
  assert_int_equal(watch->quiet_s, 7);
  assert_int_equal(watch->count, 0);
  assert_int_equal(watch->send, 0);
  assert_int_equal(watch->tls, 1);
  assert_int_equal(watch->callers, 2);
  assert_string_equal(watch->caller[0], "CT1");
  assert_string_equal(watch->caller[1], "MR 2");
  assert_int_equal(watch->rules, 2);
  assert_string_equal(watch->rule[0].modality, "MR");
  assert_string_equal(watch->rule[0].description, "*tof*");
  assert_string_equal(watch->rule[0].preset, "tof");
  assert_string_equal(watch->rule[1].modality, "");
}

HT_TEST(what_is_not_given_keeps_its_default) {
  assert_int_equal(read_text("host: archive\n"), HT_OK);
  assert_int_equal(settings.port, 104);
  assert_string_equal(settings.called_ae, "ANY-SCP");
  assert_string_equal(settings.calling_ae, "HEMOTILE");
  assert_int_equal(settings.tls, 0);
  assert_string_equal(settings.watch.address, "127.0.0.1"); /* never the network unasked */
  assert_int_equal(settings.watch.count, 1);
  assert_int_equal(settings.watch.send, 1);
  assert_int_equal(settings.watch.callers, 0);
}

HT_TEST(a_mistake_is_told_with_its_place) {
  assert_refused("host: archive\nprot: 104\n", "2:1", "unknown key 'prot' of the file");
  assert_refused("port: 70000\n", "1:7", "allowed is a whole number from 1 to 65535");
  assert_refused("port: 104.5\n", "1:7", "'104.5'");
  assert_refused("port: 99999999999999999999\n", "1:7", "from 1 to 65535");
  assert_refused("port: 0x68\n", "1:7", "'0x68'");
  assert_refused("host: ''\n", "1:8", "host needs a value");
  assert_refused("called_ae: THIS IS MUCH TOO LONG\n", "1:12", "called_ae");
  assert_refused("called_ae: 'A\\B'\n", "1:13", "without a backslash");
  assert_refused("tls: yes\n", "1:6", "tls needs keys");
  assert_refused("watch: {send: true}\n", "1:15", "allowed is yes or no");
  assert_refused("watch: {calling: CT1}\n", "1:18", "a list of AE titles");
  assert_refused("watch: {rules: {modality: CT}}\n", "1:17", "rules is a list");
  assert_refused("watch: {rules: [{modalty: CT}]}\n", "1:18", "unknown key 'modalty' of a rule");
  assert_refused("watch: {rules: [{case: none.yaml}]}\n", "1:18", "no such case file");
  assert_refused("watch: {rules: [{case: pacs.yaml, preset: tof}]}\n", "1:18",
                 "either a case or a preset");
  assert_refused("- host\n", "1:1", "expected 'key: value' lines");
}

HT_TEST(an_archive_is_checked_before_it_is_called) {
  ht_pacs_defaults(&settings);
  assert_int_equal(ht_pacs_check(&settings), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "--host"));
  strcpy(settings.host, "archive");
  assert_int_equal(ht_pacs_check(&settings), HT_OK);
  settings.tls = 1;
  assert_int_equal(ht_pacs_check(&settings), HT_ERR_USAGE); /* whom to trust */
  assert_non_null(strstr(ht_error_message(), "--tls-ca"));
  snprintf(settings.tls_ca, sizeof settings.tls_ca, "%s/none.pem", ht_fixture_folder);
  assert_int_equal(ht_pacs_check(&settings), HT_ERR_NOT_FOUND);
  assert_non_null(strstr(ht_error_message(), "none.pem"));
  assert_int_equal(read_text("host: archive\ntls: {ca: pacs.yaml}\n"), HT_OK);
  assert_int_equal(ht_pacs_check(&settings), HT_OK);
  strcpy(settings.tls_certificate, settings.tls_ca); /* without its key */
  assert_int_equal(ht_pacs_check(&settings), HT_ERR_USAGE);
  settings.watch.tls = 1;
  assert_int_equal(ht_pacs_check_watch_tls(&settings), HT_ERR_USAGE);
  strcpy(settings.tls_key, settings.tls_ca);
  assert_int_equal(ht_pacs_check(&settings), HT_OK);
  assert_int_equal(ht_pacs_check_watch_tls(&settings), HT_OK);
}

/* A UID becomes the name of a folder, so none may lead out of it. */
HT_TEST(only_a_uid_is_a_uid) {
  static const char *const no[] = {"",    ".",    "..",     "1..2", ".1", "1.",
                                   "1/2", "1.2a", "../1.2", "-1",   " 1", "1.2\n"};
  char longest[70];
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    if (ht_pacs_check_uid(no[i], "uid") == HT_OK) fail_msg("'%s' passes", no[i]);
  memset(longest, '1', sizeof longest);
  longest[65] = 0;
  assert_int_equal(ht_pacs_check_uid(longest, "uid"), HT_ERR_USAGE);
  longest[64] = 0;
  assert_int_equal(ht_pacs_check_uid(longest, "uid"), HT_OK);
  assert_int_equal(ht_pacs_check_uid("1.2.840.10008.1.2", "uid"), HT_OK);
}

HT_TEST(a_pattern_fits_the_whole_text) {
  assert_int_equal(ht_pacs_fits("", "anything"), 1);
  assert_int_equal(ht_pacs_fits("*tof*", "Head TOF 3D"), 1);
  assert_int_equal(ht_pacs_fits("tof", "Head TOF 3D"), 0);
  assert_int_equal(ht_pacs_fits("head ?", "HEAD 1"), 1);
  assert_int_equal(ht_pacs_fits("head ?", "HEAD 12"), 0);
  assert_int_equal(ht_pacs_fits("a\\*", "a\\bc"), 1); /* a backslash is a sign as others */
}

/* Two patients who share a name or a number are two. */
HT_TEST(one_patient_has_one_number_name_and_birth) {
  const ht_pacs_object doe = {
      .patient_id = "P7", .patient_name = "Doe^Jane", .birth_date = "19310507"};
  ht_pacs_object other = doe;
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 1);
  strcpy(other.patient_name, "DOE^JANE");
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 1);
  strcpy(other.birth_date, "");
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 1);
  strcpy(other.birth_date, "19310508");
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 0);
  other = doe;
  strcpy(other.patient_id, "P8");
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 0);
  other = doe;
  strcpy(other.patient_name, "Doe^John");
  assert_int_equal(ht_pacs_same_patient(&doe, &other), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_is_read),
      cmocka_unit_test(what_is_not_given_keeps_its_default),
      cmocka_unit_test(a_mistake_is_told_with_its_place),
      cmocka_unit_test(an_archive_is_checked_before_it_is_called),
      cmocka_unit_test(only_a_uid_is_a_uid),
      cmocka_unit_test(a_pattern_fits_the_whole_text),
      cmocka_unit_test(one_patient_has_one_number_name_and_birth),
  };
  return cmocka_run_group_tests(tests, ht_fixture_begin, ht_fixture_end);
}
