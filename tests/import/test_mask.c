/* import/: masks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "import_fixture.h"
#include <math.h>
#include <string.h>

enum { NX = 20, NY = 10, NZ = 4, VOXELS = NX * NY * NZ };

/* All lengths times `scale`. */
static void write_scaled(const char *name, const float voxels[VOXELS], float scale) {
  nifti_file file = nifti_default();
  const int dim[8] = {3, NX, NY, NZ, 1, 1, 1, 1};
  memcpy(file.dim, dim, sizeof dim);
  file.type = 16;
  file.bits = 32;
  for (int a = 0; a < 3; a++) file.pixdim[a + 1] *= scale;
  for (int n = 0; n < 12; n++) file.rows[n / 4][n % 4] *= scale;
  nifti_write(name, &file, voxels, VOXELS * sizeof *voxels);
}

static void write_mask(const char *name, const float voxels[VOXELS]) {
  write_scaled(name, voxels, 1);
}

/* Imports what was written; inside has to be where the value is > 0. */
static void assert_mask(const float voxels[VOXELS]) {
  ht_mask mask;
  write_mask("mask.nii.gz", voxels);
  ht_status status = ht_import_mask(in_scratch("mask.nii.gz"), &mask);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_int_equal(mask.grid.dim[0], NX);
  assert_int_equal(mask.grid.dim[2], NZ);
  assert_true(fabs(mask.grid.spacing_mm[1] - 0.75) < 1e-6);
  for (int i = 0; i < VOXELS; i++) assert_int_equal(mask.inside[i], voxels[i] > 0);
  ht_mask_free(&mask);
}

static void assert_mask_refused(const char *name, ht_status expected, const char *text) {
  ht_mask mask;
  memset(&mask, 0x55, sizeof mask);
  assert_refused(ht_import_mask(in_scratch(name), &mask), expected, text);
  assert_null(mask.inside);
  ht_mask_free(&mask);
}

static void a_voxel_above_zero_is_vessel(void **state) {
  (void)state;
  float voxels[VOXELS] = {0};
  voxels[3] = 1;
  voxels[4] = 255;
  voxels[5] = -1;
  voxels[6] = 0.25f;
  voxels[7] = NAN;
  assert_mask(voxels);
}

static void a_map_of_many_labels_is_a_mask(void **state) {
  (void)state;
  float voxels[VOXELS];
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)(i / 8);
  assert_mask(voxels);
}

/* The warning of a mask of these voxels; "": none. */
static const char *warning_of(const float voxels[VOXELS], float scale) {
  static ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  ht_mask mask;
  write_scaled("mask.nii", voxels, scale);
  ht_status status = ht_import_vessel(in_scratch("mask.nii"), &options, &mask);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  ht_mask_free(&mask);
  return notes.warning;
}

static void several_values_above_zero_are_told(void **state) {
  (void)state;
  float voxels[VOXELS] = {0};
  voxels[3] = voxels[4] = 255;
  assert_string_equal(warning_of(voxels, 1), "");
  voxels[4] = 7;
  assert_non_null(strstr(warning_of(voxels, 1), "the mask has 2 labels (7 to 255)"));
  voxels[5] = 0.5f;
  assert_non_null(strstr(warning_of(voxels, 1), "has 3 values above 0 (0.5 to 255)"));
}

/* Voxels of 0.5 x 0.75 x 1.25 mm, written in cm. */
static void voxels_in_centimetres_are_told(void **state) {
  (void)state;
  float voxels[VOXELS] = {1};
  assert_string_equal(warning_of(voxels, 1), "");
  assert_non_null(strstr(warning_of(voxels, 0.1f), "if its lengths are in cm"));
  ht_import_notes notes;
  ht_import_options options = {.notes = &notes, .is_own = 1};
  ht_mask mask;
  assert_int_equal(ht_import_vessel(in_scratch("mask.nii"), &options, &mask), HT_OK);
  assert_string_equal(notes.warning, "");
  ht_mask_free(&mask);
}

static void a_mask_is_no_scan(void **state) {
  (void)state;
  static ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  ht_volume scan;
  float voxels[VOXELS] = {0};
  voxels[3] = 1;
  voxels[4] = 2;
  write_mask("scan.nii", voxels);
  assert_int_equal(ht_import_volume(in_scratch("scan.nii"), &options, NULL, &scan), HT_OK);
  assert_non_null(strstr(notes.warning, "the scan has only 3 different values (0 to 2)"));
  ht_volume_free(&scan);
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)(i % 9);
  write_mask("scan.nii", voxels);
  assert_int_equal(ht_import_volume(in_scratch("scan.nii"), &options, NULL, &scan), HT_OK);
  assert_string_equal(notes.warning, "");
  ht_volume_free(&scan);
}

static void an_empty_mask_is_no_vessel(void **state) {
  (void)state;
  float voxels[VOXELS] = {0};
  voxels[9] = -3;
  write_mask("mask.nii", voxels);
  assert_mask_refused("mask.nii", HT_ERR_VESSEL, "mask.nii: the mask is empty");
}

static void a_scan_is_no_mask(void **state) {
  (void)state;
  float voxels[VOXELS];
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)((i * 7919) % 499 - 100);
  write_mask("scan.nii", voxels);
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "not a mask: it has more than 256 different");
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)((i * 7919) % 97); /* of 8 bits */
  write_mask("scan.nii", voxels);
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "not a mask: it has 97 different values");
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "give a scan as `scan:`");
}

static void what_is_no_image_is_refused(void **state) {
  (void)state;
  float voxels[VOXELS] = {1};
  write_series(2);
  assert_mask_refused("", HT_ERR_FORMAT, "not from a folder or an archive");
  assert_mask_refused("slice-0.dcm", HT_ERR_FORMAT, "no segmentation (SEG)");
  assert_mask_refused("none.nii", HT_ERR_NOT_FOUND, "none.nii");
  write_mask("mask.nii", voxels);
  cut_file("mask.nii", 1000);
  assert_mask_refused("mask.nii", HT_ERR_FORMAT,
                      "mask.nii: truncated: its header promises 800 voxels, there are 162");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_voxel_above_zero_is_vessel),
      TEST(a_map_of_many_labels_is_a_mask),
      TEST(several_values_above_zero_are_told),
      TEST(voxels_in_centimetres_are_told),
      TEST(a_mask_is_no_scan),
      TEST(an_empty_mask_is_no_vessel),
      TEST(a_scan_is_no_mask),
      TEST(what_is_no_image_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
