/* import/: several series in a folder: which one is taken, and what is listed. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
#include <string.h>

typedef void (*change)(dicom_image *image, int k);

/* `count` slices of a series; a folder of its own keeps names apart. */
static void add_series(const char *folder, const char *uid, int number, const char *description,
                       int count, change edit) {
  scratch_folder(folder);
  for (int k = 0; k < count; k++) {
    char name[64];
    dicom_image image = dicom_image_default(k);
    image.series = uid;
    image.series_number = number;
    image.description = description;
    if (edit) edit(&image, k);
    snprintf(name, sizeof name, "%s/%d", folder, k);
    write_image(name, image, k);
  }
}

/* A native CT of 3 slices and an angiography of 5. */
static void two_scans(void) {
  add_series("a", "1.2.9", 7, "CTA arterial", 5, NULL);
  add_series("b", "1.2.8", 2, "Native 2.0", 3, NULL);
}

static int slices_of(const char *series) {
  ht_import_options options = {.series = series};
  ht_volume volume;
  if (ht_import_volume(in_scratch(""), &options, NULL, &volume) != HT_OK) return 0;
  int slices = volume.grid.dim[2];
  ht_volume_free(&volume);
  return slices;
}

HT_TEST(several_scans_are_listed) {
  two_scans();
  write_bytes("readme.txt", "x", 1);
  assert_import_refused("", HT_ERR_SERIES, "several series");
  assert_import_refused(
      "", HT_ERR_SERIES,
      "\n  1  CT \"Native 2.0\", 3 files, 6 x 5 x 3 voxels of 0.5 x 0.7 x 1.5 mm");
  assert_import_refused("", HT_ERR_SERIES, "\n  2  CT \"CTA arterial\", 5 files, 6 x 5 x 5 voxels");
  assert_import_refused("", HT_ERR_SERIES, "(not DICOM: 1 file there)");
  assert_import_refused("", HT_ERR_SERIES, "choose one with --series N");
}

HT_TEST(phases_that_are_series_each_are_told) {
  add_series("a", "1.2.9", 7, "4D flow", 3, NULL);
  add_series("b", "1.2.8", 8, "4D flow", 3, NULL);
  assert_import_refused("", HT_ERR_SERIES, "the phases of a heartbeat");
  add_series("c", "1.2.7", 9, "4D flow", 4, NULL);
  ht_volume volume;
  ht_status status = ht_import_volume(in_scratch(""), NULL, NULL, &volume);
  assert_int_equal(status, HT_ERR_SERIES);
  assert_null(strstr(ht_error_message(), "heartbeat"));
}

HT_TEST(a_list_tells_all_of_each) {
  two_scans();
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_int_equal(list.count, 2);
  const ht_series *series = &list.series[1]; /* in the order of the scanner's numbers */
  assert_string_equal(series->format, "DICOM");
  assert_string_equal(series->uid, "1.2.9");
  assert_string_equal(series->description, "CTA arterial");
  assert_string_equal(series->modality, "CT");
  assert_string_equal(series->problem, "");
  assert_int_equal(series->files, 5);
  assert_int_equal(series->grid.dim[2], 5);
  assert_true(series->grid.origin_mm[2] == 7);
  ht_series_list_free(&list);
  assert_null(list.series);
  ht_series_list_free(&list);
  ht_series_list_free(NULL);
}

HT_TEST(one_is_chosen_by_number_uid_or_description) {
  two_scans();
  assert_int_equal(slices_of("1"), 3);
  assert_int_equal(slices_of("2"), 5);
  assert_int_equal(slices_of("1.2.9"), 5);
  assert_int_equal(slices_of("arterial"), 5);
  assert_int_equal(slices_of("NATIVE"), 3);
}

HT_TEST(a_wrong_choice_lists_them) {
  two_scans();
  const char *wrong[] = {"3", "0", "1.2.7", "venous", "99999999999999999999"};
  for (int i = 0; i < 5; i++) {
    char text[100];
    ht_import_options options = {.series = wrong[i]};
    ht_volume volume;
    snprintf(text, sizeof text, "--series \"%s\" fits no series", wrong[i]);
    ht_status status = ht_import_volume(in_scratch(""), &options, NULL, &volume);
    assert_refused(status, HT_ERR_SERIES, text);
    assert_refused(status, HT_ERR_SERIES, "CTA arterial");
  }
  ht_import_options options = {.series = "t"};
  ht_volume volume;
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "--series \"t\" fits 2 series");
}

HT_TEST(a_wrong_choice_is_refused_with_one_series_too) {
  write_series(3);
  assert_int_equal(slices_of("1"), 3);
  assert_int_equal(slices_of("angio"), 3);
  assert_int_equal(slices_of("2"), 0);
  assert_int_equal(slices_of("venous"), 0);
}

static void edit_localizer(dicom_image *image, int k) {
  image->type = "ORIGINAL\\PRIMARY\\LOCALIZER";
  if (k == 0) return;
  image->axes[4] = 0;
  image->axes[5] = -1;
}

static void edit_report(dicom_image *image, int k) {
  (void)k;
  image->flags = WITHOUT_IMAGE;
  image->modality = "SR";
}

static void edit_screenshot(dicom_image *image, int k) {
  (void)k;
  image->samples = 3;
  image->photometric = "RGB";
  image->allocated = image->stored = 8;
  image->high = 7;
  image->flags = WITHOUT_POSITION;
}

static void edit_projection(dicom_image *image, int k) {
  (void)k;
  image->modality = "XA";
  image->flags = WITHOUT_POSITION;
}

/* The localizers and reformats that a PACS sends with a scan are not taken. */
HT_TEST(what_is_no_scan_is_passed_over) {
  add_series("scan", "1.2.1", 5, "CTA", 4, NULL);
  add_series("scout", "1.2.2", 1, "Topogram", 2, edit_localizer);
  add_series("report", "1.2.3", 99, "Report", 1, edit_report);
  add_series("dose", "1.2.4", 98, "Dose", 3, edit_screenshot);
  add_series("run", "1.2.5", 97, "DSA", 2, edit_projection);
  add_series("one", "1.2.6", 2, "Monitoring", 1, NULL);
  assert_int_equal(slices_of(NULL), 4);
}

static void edit_missing(dicom_image *image, int k) {
  if (k >= 3) image->position[2] += 1.5;
}

static void edit_frames(dicom_image *image, int k) {
  (void)k;
  image->frames = 4;
}

static void edit_j2k(dicom_image *image, int k) {
  (void)k;
  image->syntax = "j2k2";
}

/* A scan that cannot be read is still what the user may mean: another is not taken instead. */
HT_TEST(a_bad_scan_beside_a_good_one_is_a_choice) {
  const change edits[3] = {edit_missing, edit_frames, edit_j2k};
  const char *reason[3] = {"1 slice is missing", "multi-frame", "which is not read"};
  add_series("good", "1.2.1", 1, "Native", 3, NULL);
  for (int n = 0; n < 3; n++) {
    char folder[8], uid[16];
    snprintf(folder, sizeof folder, "bad%d", n);
    snprintf(uid, sizeof uid, "1.2.2.%d", n);
    add_series(folder, uid, 2, "CTA", n == 1 ? 1 : 5, edits[n]);
    assert_import_refused("", HT_ERR_SERIES, "several series");
    assert_import_refused("", HT_ERR_SERIES, reason[n]);
  }
  assert_int_equal(slices_of("native"), 3);
}

HT_TEST(a_truncated_scan_beside_a_good_one_is_a_choice) {
  add_series("good", "1.2.1", 1, "Native", 3, NULL);
  add_series("bad", "1.2.2", 2, "CTA", 3, NULL);
  cut_file("bad/1", file_bytes("bad/1") - 10);
  assert_import_refused("", HT_ERR_SERIES, "several series");
  assert_int_equal(slices_of("1"), 3);
  ht_import_options options = {.series = "CTA"};
  ht_volume volume;
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_FORMAT,
                 "truncated");
}

HT_TEST(several_of_which_none_is_a_scan) {
  add_series("report", "1.2.3", 99, "Report", 1, edit_report);
  add_series("dose", "1.2.4", 98, "Dose", 3, edit_screenshot);
  assert_import_refused("", HT_ERR_SERIES, "none of them a scan");
}

/* The series that the list marks as taken is the one that an import takes: its number of slices; 0
 * if the import asks or fails. */
static void assert_taken(int number, int slices) {
  ht_series_list list;
  char wish[16];
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_int_equal(list.taken, number);
  ht_series_list_free(&list);
  assert_int_equal(slices_of(NULL), slices);
  snprintf(wish, sizeof wish, "%d", number);
  if (slices) assert_int_equal(slices_of(wish), slices);
}

static void edit_scout(dicom_image *image, int k) {
  (void)k;
  image->type = "ORIGINAL\\PRIMARY\\LOCALIZER";
}

HT_TEST(the_list_marks_what_is_taken_unasked) {
  add_series("report", "1.2.3", 1, "Report", 1, edit_report);
  assert_taken(1, 0); /* the only one; it fails with its problem */
  add_series("dose", "1.2.4", 98, "Dose", 3, edit_screenshot);
  assert_taken(0, 0);
  add_series("scout", "1.2.2", 3, "Topogram", 3, edit_scout);
  assert_taken(2, 3); /* no scan, and one regular volume */
  add_series("scan", "1.2.1", 5, "CTA", 4, NULL);
  assert_taken(3, 4);
  add_series("other", "1.2.8", 6, "Native", 5, NULL);
  assert_taken(0, 0);
}

static void of_own_series(dicom_image *image, int k) {
  static char uid[8][16];
  snprintf(uid[k], sizeof uid[k], "1.2.9.%d", k);
  image->series = uid[k];
}

static void of_no_series(dicom_image *image, int k) {
  (void)k;
  image->flags = WITHOUT_SERIES;
}

/* Files that were made anonymous one by one. */
static void assert_joined(change edit) {
  static ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  ht_volume volume;
  add_series("a", "1.2.9", 7, "CTA", 6, edit);
  ht_status status = ht_import_volume(in_scratch(""), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_int_equal(volume.grid.dim[2], 6);
  assert_non_null(strstr(notes.text, "all 6 of the folder are taken as one series"));
  ht_volume_free(&volume);
}

HT_TEST(slices_with_a_series_each_are_one) {
  assert_joined(of_own_series);
  dicom_image other = dicom_image_default(3);
  of_own_series(&other, 3);
  other.columns = 5, other.rows = 6;
  write_image("a/3", other, 3);
  assert_import_refused("", HT_ERR_SERIES, "several series");
}

HT_TEST(slices_without_a_series_are_one) {
  assert_joined(of_no_series);
  add_series("b", "1.2.9", 7, "CTA", 1, NULL);
  assert_import_refused("", HT_ERR_FORMAT, "no Series Instance UID");
}

HT_TEST(a_damaged_file_of_unknown_series_stops_it) {
  two_scans();
  write_image("stray", dicom_image_default(0), 0);
  cut_file("stray", 200);
  ht_import_options options = {.series = "1"};
  ht_volume volume;
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_FORMAT,
                 "'stray': truncated");
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_int_equal(list.count, 3);
  assert_int_equal(list.strays, 1);
  assert_int_equal(list.taken, 0);
  ht_series_list_free(&list);
}

HT_TEST(many_series_fit_into_the_message) {
  for (int n = 0; n < 60; n++) {
    char folder[8], uid[16];
    snprintf(folder, sizeof folder, "s%d", n);
    snprintf(uid, sizeof uid, "1.2.%d", n + 1);
    add_series(folder, uid, n, "A description of sixty-four characters, as long as they may be.", 2,
               NULL);
  }
  assert_import_refused("", HT_ERR_SERIES, "more: `hemotile info` lists all");
  assert_import_refused("", HT_ERR_SERIES, "part of its description");
}

/* Latin-1 becomes UTF-8; what could move the terminal's cursor becomes a space. */
HT_TEST(descriptions_are_made_printable) {
  dicom_image image = dicom_image_default(0);
  image.charset = "ISO_IR 100";
  image.description = "Gef\xe4\xdf\x1b[2J\x9b";
  write_image("a.dcm", image, 0);
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_string_equal(list.series[0].description, "Gef\xc3\xa4\xc3\x9f [2J ");
  ht_series_list_free(&list);
  image.charset = "NO SUCH SET";
  write_image("a.dcm", image, 0);
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  for (const char *c = list.series[0].description; *c; c++) assert_in_range(*c, ' ', '~');
  ht_series_list_free(&list);
}

HT_TEST(a_folder_that_is_not_there_by_its_name_lists_nothing) {
  ht_series_list list;
  memset(&list, 0x55, sizeof list);
  assert_refused(ht_import_list(in_scratch("none"), NULL, &list), HT_ERR_NOT_FOUND, "none");
  assert_int_equal(list.count, 0);
  assert_null(list.series);
}

/* ---- Patients ---- */

static void of_jane(dicom_image *image, int k) {
  (void)k;
  image->patient_id = "0000998877";
  image->patient_name = "DOE^JANE";
}

static void of_john(dicom_image *image, int k) {
  (void)k;
  image->patient_id = "4711";
  image->patient_name = "ROE^JOHN";
}

static void of_john_reformatted(dicom_image *image, int k) {
  of_john(image, k);
  image->type = "DERIVED\\SECONDARY\\REFORMATTED";
}

static void of_nobody(dicom_image *image, int k) {
  (void)k;
  image->patient_id = image->patient_name = "";
}

static void assert_two_patients(void) {
  assert_import_refused("", HT_ERR_SERIES, "it holds the files of 2 patients");
  assert_import_refused("", HT_ERR_SERIES, "5 files, patient 1");
  assert_null(strstr(ht_error_message(), "heartbeat"));
  assert_null(strstr(ht_error_message(), "DOE"));
  assert_null(strstr(ht_error_message(), "998877"));
}

/* Nothing else tells them apart: one name, size and place, as of two scans by one protocol. */
HT_TEST(two_patients_are_told_as_such) {
  add_series("a", "1.2.9", 7, "CTA", 5, of_jane);
  add_series("b", "1.2.8", 8, "CTA", 5, of_john);
  assert_two_patients();
  assert_int_equal(slices_of("2"), 5);
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_int_equal(list.patients, 2);
  assert_int_equal(list.taken, 0);
  assert_int_equal(list.series[0].patient, 1);
  assert_int_equal(list.series[1].patient, 2);
  ht_series_list_free(&list);
}

HT_TEST(a_reformat_of_another_patient_is_no_reason_to_choose) {
  add_series("a", "1.2.9", 7, "CTA", 5, of_jane);
  add_series("b", "1.2.8", 8, "CTA", 5, of_john_reformatted);
  assert_two_patients();
  ht_import_options options = {.series = "CTA"};
  ht_volume volume;
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "--series \"CTA\" fits 2 series");
  ht_import_notes notes;
  options = (ht_import_options){.series = "1", .notes = &notes};
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  assert_non_null(strstr(notes.text, "of 2 patients; series 1 was taken as requested"));
  ht_volume_free(&volume);
}

HT_TEST(patients_without_an_id_are_told_by_their_names) {
  add_series("a", "1.2.9", 7, "CTA", 5, of_jane);
  add_series("b", "1.2.8", 8, "CTA", 5, of_john);
  for (int k = 0; k < 10; k++) {
    char name[64];
    dicom_image image = dicom_image_default(k % 5);
    image.series = k < 5 ? "1.2.9" : "1.2.8";
    image.series_number = k < 5 ? 7 : 8;
    image.patient_id = "";
    image.patient_name = k < 5 ? "DOE^JANE" : "ROE^JOHN";
    snprintf(name, sizeof name, "%s/%d", k < 5 ? "a" : "b", k % 5);
    write_image(name, image, k % 5);
  }
  assert_import_refused("", HT_ERR_SERIES, "it holds the files of 2 patients");
}

/* Anonymised files tell nothing, or the same of all. */
HT_TEST(who_is_not_told_is_no_other_patient) {
  add_series("a", "1.2.9", 7, "CTA", 5, of_jane);
  add_series("b", "1.2.8", 8, "CTA", 1, of_nobody);
  dicom_image image = dicom_image_default(2);
  of_nobody(&image, 2);
  image.series = "1.2.9";
  image.series_number = 7;
  write_image("a/2", image, 2);
  image.series_number = 7;
  image.instance = 4;
  image.position[2] += 1.5;
  image.patient_name = "Doe^Jane^^"; /* as another system writes it */
  write_image("a/3", image, 3);
  assert_int_equal(slices_of(NULL), 5);
}

/* Slice 3 of the series in that folder is changed. */
static void in_one_series(const char *folder, change edit) {
  char name[64];
  add_series(folder, "1.2.9", 7, "CTA", 5, of_jane);
  dicom_image image = dicom_image_default(3);
  of_jane(&image, 3);
  image.series = "1.2.9";
  image.series_number = 7;
  edit(&image, 3);
  snprintf(name, sizeof name, "%s/3", folder);
  write_image(name, image, 3);
}

static void of_another_study(dicom_image *image, int k) {
  (void)k;
  image->study = "1.2.3.99";
}

static void of_another_place(dicom_image *image, int k) {
  image->frame_of_reference = k == 3 ? "1.2.77" : "1.2.78";
}

HT_TEST(series_of_two_patients_studies_or_places_are_refused) {
  ht_volume volume;
  in_one_series("a", of_john);
  assert_import_refused("a", HT_ERR_SERIES, "2 or more patients ('0' and '3') under one Series");
  in_one_series("b", of_another_study);
  assert_import_refused("b", HT_ERR_SERIES, "differ in Study Instance UID ('0' and '3')");
  add_series("c", "1.2.9", 7, "CTA", 5, of_another_place);
  assert_import_refused("c", HT_ERR_SERIES, "differ in Frame of Reference UID");
  in_one_series("d", of_another_place); /* the others tell no place */
  assert_int_equal(ht_import_volume(in_scratch("d"), NULL, NULL, &volume), HT_OK);
  ht_volume_free(&volume);
}

/* ---- Made anonymous file by file ---- */

static const char *numbered(const char *begin, int k) {
  static char text[8][32];
  snprintf(text[k % 8], sizeof text[0], "%s%d", begin, k);
  return text[k % 8];
}

static void of_own_id(dicom_image *image, int k) {
  image->patient_id = numbered("anon-", k);
  image->patient_name = "ANONYMOUS";
}

static void of_own_study(dicom_image *image, int k) {
  image->study = numbered("1.2.5.", k);
}

static void of_own_place(dicom_image *image, int k) {
  image->frame_of_reference = numbered("1.2.6.", k);
}

static void of_own_place_irregular(dicom_image *image, int k) {
  of_own_place(image, k);
  if (k == 4) image->position[2] += 0.4;
}

static void of_own_place_but_two(dicom_image *image, int k) {
  image->frame_of_reference = numbered("1.2.6.", k == 4 ? 0 : k);
}

HT_TEST(an_id_or_uid_of_each_file_is_told_as_such) {
  add_series("a", "1.2.9", 7, "CTA", 5, of_own_id);
  assert_import_refused("a", HT_ERR_SERIES, "each of its images has its own Patient ID: it was");
  assert_import_refused("a", HT_ERR_SERIES, "a tool that keeps one Patient ID for all");
  assert_null(strstr(ht_error_message(), "anon-"));
  add_series("b", "1.2.9", 7, "CTA", 5, of_own_study);
  assert_import_refused("b", HT_ERR_SERIES, "each of its images has its own Study Instance UID");
  add_series("c", "1.2.9", 7, "CTA", 2, of_own_id); /* of two this is not known */
  assert_import_refused("c", HT_ERR_SERIES, "of 2 or more patients");
}

/* The places alone tell that they belong together, where they are regular. */
HT_TEST(a_place_of_each_file_is_taken_where_regular) {
  ht_volume volume;
  ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  add_series("a", "1.2.9", 7, "CTA", 5, of_own_place);
  assert_int_equal(ht_import_volume(in_scratch("a"), &options, NULL, &volume), HT_OK);
  assert_int_equal(volume.grid.dim[2], 5);
  ht_volume_free(&volume);
  assert_non_null(strstr(notes.text, "each image has its own Frame of Reference UID"));
  add_series("b", "1.2.9", 7, "CTA", 5, of_own_place_irregular);
  assert_import_refused("b", HT_ERR_SERIES, "has its own Frame of Reference UID: it was made");
  add_series("c", "1.2.9", 7, "CTA", 2, of_own_place);
  assert_import_refused("c", HT_ERR_SERIES, "differ in Frame of Reference UID");
  add_series("d", "1.2.9", 7, "CTA", 5, of_own_place_but_two);
  assert_import_refused("d", HT_ERR_SERIES, "differ in Frame of Reference UID");
}

/* Slice 3 has that ID and name, the others "00AB 12" of DOE^JANE. */
static int slices_with(const char *id, const char *name) {
  for (int k = 0; k < 5; k++) {
    dicom_image image = dicom_image_default(k);
    image.patient_id = k == 3 ? id : "00AB 12";
    image.patient_name = k == 3 ? name : "DOE^JANE";
    write_image(numbered("", k), image, k);
  }
  return slices_of(NULL);
}

HT_TEST(ids_of_one_name_are_compared_as_people_do) {
  assert_int_equal(slices_with("AB12", "DOE^JANE"), 5);
  assert_int_equal(slices_with("ab1 2", "Doe^Jane^^"), 5);
  assert_int_equal(slices_with("AB12", "ROE^JANE"), 0);
  assert_int_equal(slices_with("AB12", ""), 0);
  assert_int_equal(slices_with("AB120", "DOE^JANE"), 0);
  assert_int_equal(slices_with("B12", "DOE^JANE"), 0);
  assert_int_equal(slices_with("0", "DOE^JANE"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(several_scans_are_listed),
      TEST(phases_that_are_series_each_are_told),
      TEST(a_list_tells_all_of_each),
      TEST(one_is_chosen_by_number_uid_or_description),
      TEST(a_wrong_choice_lists_them),
      TEST(a_wrong_choice_is_refused_with_one_series_too),
      TEST(what_is_no_scan_is_passed_over),
      TEST(a_bad_scan_beside_a_good_one_is_a_choice),
      TEST(a_truncated_scan_beside_a_good_one_is_a_choice),
      TEST(several_of_which_none_is_a_scan),
      TEST(the_list_marks_what_is_taken_unasked),
      TEST(slices_with_a_series_each_are_one),
      TEST(slices_without_a_series_are_one),
      TEST(a_damaged_file_of_unknown_series_stops_it),
      TEST(many_series_fit_into_the_message),
      TEST(descriptions_are_made_printable),
      TEST(a_folder_that_is_not_there_by_its_name_lists_nothing),
      TEST(two_patients_are_told_as_such),
      TEST(a_reformat_of_another_patient_is_no_reason_to_choose),
      TEST(patients_without_an_id_are_told_by_their_names),
      TEST(who_is_not_told_is_no_other_patient),
      TEST(series_of_two_patients_studies_or_places_are_refused),
      TEST(an_id_or_uid_of_each_file_is_told_as_such),
      TEST(a_place_of_each_file_is_taken_where_regular),
      TEST(ids_of_one_name_are_compared_as_people_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
