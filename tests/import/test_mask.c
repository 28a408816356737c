/* import/: masks. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
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
  assert_near(mask.grid.spacing_mm[1], 0.75, 1e-6);
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

HT_TEST(a_voxel_above_zero_is_vessel) {
  float voxels[VOXELS] = {0};
  voxels[3] = 1;
  voxels[4] = 255;
  voxels[5] = -1;
  voxels[6] = 0.25f;
  voxels[7] = NAN;
  assert_mask(voxels);
}

HT_TEST(a_map_of_many_labels_is_a_mask) {
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

HT_TEST(several_values_above_zero_are_told) {
  float voxels[VOXELS] = {0};
  voxels[3] = voxels[4] = 255;
  assert_string_equal(warning_of(voxels, 1), "");
  voxels[4] = 7;
  assert_non_null(strstr(warning_of(voxels, 1), "the mask has 2 labels (7 to 255)"));
  voxels[5] = 0.5f;
  assert_non_null(strstr(warning_of(voxels, 1), "has 3 values above 0 (0.5 to 255)"));
}

static void put_along_x(float voxels[VOXELS], int y, int z, float value) {
  for (int i = 0; i < NX; i++) voxels[(z * NY + y) * NX + i] = value;
}

/* Half of a voxel's edge is vessel where its value is half of the inside's. */
HT_TEST(soft_edges_are_cut_at_half) {
  for (int whole = 0; whole < 2; whole++) {
    float voxels[VOXELS] = {0}, most = whole ? 255 : 1;
    static ht_import_notes notes;
    ht_import_options options = {.notes = &notes};
    ht_mask mask;
    for (int y = 2; y < 8; y++)
      for (int z = 0; z < NZ; z++) put_along_x(voxels, y, z, most);
    for (int i = 0; i < NX; i++) voxels[1 * NX + i] = most * (float)(10 + i * 67 % 200) / 255;
    if (whole)
      for (int i = 0; i < NX; i++) voxels[1 * NX + i] = roundf(voxels[1 * NX + i]);
    write_mask("mask.nii", voxels);
    assert_int_equal(ht_import_vessel(in_scratch("mask.nii"), &options, &mask), HT_OK);
    for (int i = 0; i < VOXELS; i++) assert_int_equal(mask.inside[i], voxels[i] >= most / 2);
    assert_non_null(strstr(notes.warning, "soft edges"));
    assert_non_null(strstr(notes.warning, "it is cut at half of the largest"));
    ht_mask_free(&mask);
  }
}

static int64_t count_of(const char *name, const char *wish) {
  ht_import_options options = {.series = wish};
  ht_mask mask;
  ht_status status = ht_import_vessel(in_scratch(name), &options, &mask);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  int64_t count = ht_mask_count(&mask);
  ht_mask_free(&mask);
  return count;
}

static void assert_label_refused(const char *name, const char *wish, const char *text) {
  ht_import_options options = {.series = wish};
  ht_mask mask;
  assert_refused(ht_import_vessel(in_scratch(name), &options, &mask), HT_ERR_VESSEL, text);
}

HT_TEST(a_label_is_chosen_by_its_number) {
  float voxels[VOXELS] = {0};
  put_along_x(voxels, 3, 1, 1);
  put_along_x(voxels, 5, 1, 7);
  put_along_x(voxels, 6, 1, 7);
  write_mask("mask.nii", voxels);
  assert_int_equal(count_of("mask.nii", NULL), 3 * NX);
  assert_int_equal(count_of("mask.nii", "1"), NX);
  assert_int_equal(count_of("mask.nii", "7"), 2 * NX);
  assert_label_refused("mask.nii", "2", "no voxel has the label 2 (series:); its labels are 1, 7");
  assert_label_refused("mask.nii", "artery", "it has labels without names");
}

/* Writes segments as 3D Slicer does: names in the header, overlapping segments in layers of their
 * own. */
static void write_segments(int layers) {
  static const char names[] = "Segment0_ID:=Segment_1\nSegment0_LabelValue:=1\nSegment0_Layer:=0\n"
                              "Segment0_Name:=right artery\nSegment1_LabelValue:=%d\n"
                              "Segment1_Layer:=%d\nSegment1_Name:=vein\n";
  char bytes[2000];
  int length = snprintf(
      bytes, sizeof bytes,
      "NRRD0004\ntype: unsigned char\ndimension: %s\n"
      "space: left-posterior-superior\nsizes: %s5 4 3\n"
      "space directions: %s(1,0,0) (0,1,0) (0,0,2)\nkinds: %sdomain domain domain\n"
      "encoding: raw\nspace origin: (1,2,3)\n",
      layers ? "4" : "3", layers ? "2 " : "", layers ? "none " : "", layers ? "list " : "");
  length += snprintf(bytes + length, sizeof bytes - (size_t)length, names, layers ? 1 : 2, layers);
  bytes[length++] = '\n';
  for (int i = 0; i < 60; i++) {
    if (layers) bytes[length++] = i < 20;
    bytes[length++] = (char)(layers ? i < 45 : i < 20 ? 1 : i < 45 ? 2 : 0);
  }
  write_bytes("s.seg.nrrd", bytes, (size_t)length);
}

HT_TEST(a_segment_of_3d_slicer_is_chosen_by_its_name) {
  for (int layers = 0; layers < 2; layers++) {
    write_segments(layers);
    assert_int_equal(count_of("s.seg.nrrd", "artery"), 20);
    assert_int_equal(count_of("s.seg.nrrd", "VEIN"), layers ? 45 : 25);
    assert_label_refused("s.seg.nrrd", "bone", "its segments are \"right artery\" (1), \"vein\" (");
  }
  assert_label_refused("s.seg.nrrd", NULL, "its segments are \"right artery\" (1), \"vein\" (1)");
  write_segments(0);
  assert_int_equal(count_of("s.seg.nrrd", "2"), 25);
}

/* A wall of 12 voxels around a lumen of 4, 10 mm long. */
HT_TEST(a_hollow_vessel_is_refused) {
  float voxels[VOXELS] = {0};
  for (int y = 3; y < 7; y++)
    for (int z = 0; z < NZ; z++) put_along_x(voxels, y, z, 1);
  assert_mask(voxels);
  for (int y = 4; y < 6; y++)
    for (int z = 1; z < 3; z++) put_along_x(voxels, y, z, 0);
  write_mask("mask.nii", voxels);
  assert_mask_refused("mask.nii", HT_ERR_VESSEL,
                      "the vessel is hollow: 0.113 mL of wall around a "
                      "lumen of 0.0375 mL");
  for (int i = 0; i < NX; i++) /* closed again, but for a bubble */
    for (int y = 4; y < 6 && i > 2; y++)
      for (int z = 1; z < 3; z++) voxels[(z * NY + y) * NX + i] = 1;
  assert_mask(voxels);
}

/* The voxel size and place of a file that went through an array without them. */
HT_TEST(a_place_that_was_lost_is_told) {
  float voxels[VOXELS] = {1};
  nifti_file file = nifti_default();
  const int dim[8] = {3, NX, NY, NZ, 1, 1, 1, 1};
  memcpy(file.dim, dim, sizeof dim);
  file.type = 16;
  file.bits = 32;
  memset(file.rows, 0, sizeof file.rows);
  for (int a = 0; a < 3; a++) file.pixdim[a + 1] = file.rows[a][a] = 1;
  static ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  ht_mask mask;
  for (int moved = 0; moved < 2; moved++) {
    file.rows[2][3] = (float)moved;
    nifti_write("mask.nii", &file, voxels, sizeof voxels);
    assert_int_equal(ht_import_vessel(in_scratch("mask.nii"), &options, &mask), HT_OK);
    if (moved) assert_string_equal(notes.warning, "");
    if (!moved) assert_non_null(strstr(notes.warning, "has lost its place and voxel size"));
    ht_mask_free(&mask);
  }
}

/* Voxels of 0.5 x 0.75 x 1.25 mm, written in cm. */
HT_TEST(voxels_in_centimetres_are_told) {
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

HT_TEST(a_mask_is_no_scan) {
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
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)(i / 40); /* 20 labels in pieces */
  write_mask("scan.nii", voxels);
  assert_int_equal(ht_import_volume(in_scratch("scan.nii"), &options, NULL, &scan), HT_OK);
  assert_non_null(strstr(notes.warning, "the scan has only 20 different values (0 to 19)"));
  ht_volume_free(&scan);
}

HT_TEST(an_empty_mask_is_no_vessel) {
  float voxels[VOXELS] = {0};
  voxels[9] = -3;
  write_mask("mask.nii", voxels);
  assert_mask_refused("mask.nii", HT_ERR_VESSEL, "mask.nii: the mask is empty");
}

HT_TEST(a_scan_is_no_mask) {
  float voxels[VOXELS];
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)((i * 7919) % 499 - 100);
  write_mask("scan.nii", voxels);
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "not a mask: it has more than 256 different");
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)((i * 7919) % 97); /* of 8 bits */
  write_mask("scan.nii", voxels);
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "not a mask: it has 97 different values");
  assert_mask_refused("scan.nii", HT_ERR_FORMAT, "give a scan as `scan:`");
}

HT_TEST(what_is_no_image_is_refused) {
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
      TEST(a_voxel_above_zero_is_vessel),       TEST(a_map_of_many_labels_is_a_mask),
      TEST(several_values_above_zero_are_told), TEST(soft_edges_are_cut_at_half),
      TEST(a_label_is_chosen_by_its_number),    TEST(a_segment_of_3d_slicer_is_chosen_by_its_name),
      TEST(a_hollow_vessel_is_refused),         TEST(a_place_that_was_lost_is_told),
      TEST(voxels_in_centimetres_are_told),     TEST(a_mask_is_no_scan),
      TEST(an_empty_mask_is_no_vessel),         TEST(a_scan_is_no_mask),
      TEST(what_is_no_image_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
