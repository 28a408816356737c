/* DICOM objects as public readers (pydicom, dciodvfy) find them: values, places, units, names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "expected_file.h"
#include "export.h"
#include <stdio.h>
#include <string.h>

static const ht_dicom_study patient = {
    .patient_name = "D\xc3\x96"
                    "E^JANE",
    .patient_id = "4711",
    .birth_date = "19310407",
    .sex = "F",
    .study_uid = "1.2.3.4",
    .frame_uid = "1.2.3.5",
    .study_date = "20190823",
    .study_time = "101112",
    .study_id = "7",
    .accession = "998877",
};

/* One start of the reader for one file; `kind` is how it looks at it. */
static void check(const char *path, const char *kind) {
  char argument[300];
  snprintf(argument, sizeof argument, "%s '%s'", kind, path);
  assert_int_equal(ht_test_python("check_dicom.py", argument), 0);
}

static void expect_values(const char *path, const ht_grid *grid, const void *values, size_t size) {
  char raw[300];
  snprintf(raw, sizeof raw, "%s.raw", path);
  ht_test_write(raw, values, size);
  ht_test_write_grid(path, grid);
}

/* 105 voxels are no whole number of bytes; every plane begins inside one. */
static void test_segmentation(void **unused) {
  (void)unused;
  const double angle[3] = {0.3, 0.2, -1};
  for (int left = 0; left < 2; left++) {
    ht_grid grid = ht_test_grid(7, 5, 3, angle, left);
    ht_mask mask;
    const char *path = ht_test_path(left ? "left.dcm" : "right.dcm");
    assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
    for (int v = 0; v < 105; v++) mask.inside[v] = v % 3 == 0 || v == 104;
    assert_int_equal(ht_dicom_segmentation(path, &patient, &mask), HT_OK);
    expect_values(path, &grid, mask.inside, 105);
    check(path, "segmentation");
    ht_mask_free(&mask);
  }
}

static void test_too_large(void **unused) {
  (void)unused;
  ht_mask mask = {.grid = ht_grid_make(70000, 2, 2)};
  assert_int_equal(ht_dicom_segmentation(ht_test_path("large.dcm"), &patient, &mask), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "70000 x 2 x 2"));
}

static void test_new_uids(void **unused) {
  (void)unused;
  char one[HT_UID_TEXT], other[HT_UID_TEXT];
  assert_int_equal(ht_uid_new(one), HT_OK);
  assert_int_equal(ht_uid_new(other), HT_OK);
  assert_string_not_equal(one, other);
  /* 0x0123456789ab8def8123456789abcdef: the bits that mark a UUID of a hash are set. */
  ht_uid_of_hash("0123456789abcdef0123456789abcdef", one);
  assert_string_equal(one, "2.25.1512366075203868706818050733967658479");
  ht_uid_of_hash("0123", one);
  assert_string_equal(one, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_new_uids),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_segmentation),
  };
  if (!ht_test_python_has("pydicom")) {
    printf("needs python3-pydicom\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
