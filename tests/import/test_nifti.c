/* import/: NIfTI files, each written byte by byte. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NIfTI that is read ---- */

HT_TEST(nifti_is_read_plain_and_compressed) {
  const char *name[] = {"a.nii", "a.nii.gz", "A.NII.GZ"};
  for (int n = 0; n < 3; n++) {
    nifti_file file = nifti_default();
    if (n < 2)
      scan_write(name[n], &file);
    else
      assert_int_equal(rename(in_scratch("a.nii.gz"), in_scratch(name[n])), 0);
    ht_volume volume = scan_import(name[n]);
    assert_scan_grid(&volume.grid);
    assert_scan_voxels(&volume, 1, 0);
    assert_string_equal(volume.modality, "");
    ht_volume_free(&volume);
  }
}

HT_TEST(nifti_slope_and_intercept_are_applied) {
  const float slope[4] = {0.5f, 0, NAN, -2}, intercept[4] = {-1024, 7, NAN, 0};
  const double expected[4][2] = {{0.5, -1024}, {1, 0}, {1, 0}, {-2, 0}}; /* slope 0: none */
  for (int n = 0; n < 4; n++) {
    nifti_file file = nifti_default();
    file.slope = slope[n];
    file.intercept = intercept[n];
    scan_write("a.nii", &file);
    ht_volume volume = scan_import("a.nii");
    assert_scan_voxels(&volume, expected[n][0], expected[n][1]);
    ht_volume_free(&volume);
  }
}

HT_TEST(nifti_of_the_other_byte_order_is_read) {
  int16_t voxels[SCAN_VOXELS];
  unsigned char bytes[2 * SCAN_VOXELS];
  scan_fill(voxels);
  for (int i = 0; i < SCAN_VOXELS; i++) {
    bytes[2 * i] = (unsigned char)((uint16_t)voxels[i] >> 8);
    bytes[2 * i + 1] = (unsigned char)voxels[i];
  }
  nifti_file file = nifti_default();
  file.big_endian = 1;
  nifti_write("a.nii", &file, bytes, sizeof bytes);
  assert_scan_read("a.nii");
}

#define TYPED(number, code)                                                                        \
  do {                                                                                             \
    number typed[SCAN_VOXELS];                                                                     \
    for (int i = 0; i < SCAN_VOXELS; i++) typed[i] = (number)(2 * i);                              \
    nifti_file file = nifti_default();                                                             \
    file.type = code;                                                                              \
    file.bits = 8 * (int)sizeof(number);                                                           \
    nifti_write("t.nii", &file, typed, sizeof typed);                                              \
    ht_volume volume = scan_import("t.nii");                                                       \
    for (int i = 0; i < SCAN_VOXELS; i++) assert_true(volume.values[i] == 2.f * (float)i);         \
    ht_volume_free(&volume);                                                                       \
  } while (0)

HT_TEST(nifti_of_every_number_type_is_read) {
  TYPED(uint8_t, 2);
  TYPED(int8_t, 256);
  TYPED(int16_t, 4);
  TYPED(uint16_t, 512);
  TYPED(int32_t, 8);
  TYPED(uint32_t, 768);
  TYPED(int64_t, 1024);
  TYPED(uint64_t, 1280);
  TYPED(float, 16);
  TYPED(double, 64);
}

/* Quaternion (0, 0, sin 45): a quarter turn about z, x to y, as in the default sform. */
HT_TEST(nifti_places_come_from_the_qform_where_there_is_no_sform) {
  nifti_file file = nifti_default();
  file.sform = 0;
  file.qform = 1;
  file.quaternion[2] = (float)sqrt(0.5);
  file.shift[0] = 10;
  file.shift[1] = -20;
  file.shift[2] = 30;
  scan_write("a.nii", &file);
  ht_volume volume = scan_import("a.nii");
  assert_scan_grid(&volume.grid);
  ht_volume_free(&volume);
}

/* Turned about two axes and a metre away: ITK 5.2 finds these axes not at right angles. */
HT_TEST(nifti_with_an_sform_alone_is_where_it_says) {
  nifti_file file = nifti_default();
  const double a = 0.35, b = 0.2, origin[3] = {900, -1100, 700};
  const double turn[3][3] = {{cos(a), -sin(a) * cos(b), sin(a) * sin(b)},
                             {sin(a), cos(a) * cos(b), -cos(a) * sin(b)},
                             {0, sin(b), cos(b)}};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) file.rows[r][c] = (float)turn[r][c] * file.pixdim[c + 1];
    file.rows[r][3] = (float)origin[r];
  }
  scan_write("a.nii", &file);
  ht_volume volume = scan_import("a.nii");
  for (int r = 0; r < 3; r++) {
    double sign = r < 2 ? -1 : 1; /* RAS to LPS */
    assert_near(volume.grid.origin_mm[r], sign * origin[r], 1e-4);
    for (int c = 0; c < 3; c++) assert_near(volume.grid.direction[r][c], sign * turn[r][c], 1e-6);
  }
  ht_volume_free(&volume);
}

HT_TEST(nifti_with_one_time_point_is_a_volume) {
  nifti_file file = nifti_default();
  file.dim[0] = 4;
  scan_write("a.nii", &file);
  assert_scan_read("a.nii");
}

HT_TEST(left_handed_axes_are_kept) {
  nifti_file file = nifti_default();
  file.rows[2][2] = -1.25f;
  scan_write("a.nii", &file);
  ht_volume volume = scan_import("a.nii");
  const double direction[9] = {0, 1, 0, -1, 0, 0, 0, 0, -1};
  assert_all_close(volume.grid.direction[0], direction, 9, 1e-6);
  ht_volume_free(&volume);
}

static void write_floats(const char *name, const float *voxels) {
  nifti_file file = nifti_default();
  file.type = 16;
  file.bits = 32;
  nifti_write(name, &file, voxels, SCAN_VOXELS * sizeof *voxels);
}

/* Reads `voxels` as a.nii; what the notes warn of has to hold `warning`, "" where of nothing. */
static ht_volume import_warned(const float *voxels, const char *warning) {
  ht_import_notes notes = {"", "of an import before"};
  ht_import_options options = {.notes = &notes};
  ht_volume volume;
  write_floats("a.nii", voxels);
  assert_int_equal(ht_import_volume(in_scratch("a.nii"), &options, NULL, &volume), HT_OK);
  assert_non_null(strstr(notes.warning, warning));
  if (!*warning) assert_string_equal(notes.warning, "");
  return volume;
}

HT_TEST(nan_becomes_the_smallest_value_and_is_counted) {
  float voxels[SCAN_VOXELS];
  for (int i = 0; i < SCAN_VOXELS; i++) voxels[i] = (float)(i + 3);
  ht_volume volume = import_warned(voxels, "");
  ht_volume_free(&volume);
  voxels[0] = NAN;
  volume = import_warned(voxels, "a.nii: 1 voxel has no value");
  ht_volume_free(&volume);
  voxels[58] = voxels[59] = -INFINITY;
  volume = import_warned(voxels, "a.nii: 3 voxels have no value");
  assert_true(volume.values[0] == 4 && volume.values[58] == 4 && volume.values[59] == 4);
  assert_true(volume.values[57] == 60);
  ht_volume_free(&volume);
}

HT_TEST(infinity_and_nothing_but_nan_are_refused) {
  float voxels[SCAN_VOXELS] = {0};
  voxels[7] = INFINITY;
  write_floats("a.nii", voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "1 voxel is infinite");
  for (int i = 0; i < SCAN_VOXELS; i++) voxels[i] = i % 2 ? NAN : -INFINITY;
  write_floats("a.nii", voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "all NaN");
}

/* ---- NIfTI that is refused ---- */

HT_TEST(a_truncated_nifti_is_refused) {
  const char *name[] = {"a.nii", "a.nii.gz"};
  for (int n = 0; n < 2; n++) {
    nifti_file file = nifti_default();
    scan_write(name[n], &file);
    for (long bytes = file_bytes(name[n]) - 1; bytes >= 0; bytes--) {
      cut_file(name[n], bytes);
      assert_import_refused(name[n], HT_ERR_FORMAT, name[n]);
    }
  }
}

/* A flipped bit of the compressed data fails its checksum, or changes no voxel (deflate has a few
 * bits to spare). */
HT_TEST(a_damaged_gzip_is_refused) {
  nifti_file file = nifti_default();
  scan_write("a.nii.gz", &file);
  long size = file_bytes("a.nii.gz");
  unsigned char *bytes = malloc((size_t)size);
  int unnoticed = 0;
  FILE *in = fopen(in_scratch("a.nii.gz"), "rb");
  assert_non_null(in);
  assert_int_equal(fread(bytes, 1, (size_t)size, in), size);
  fclose(in);
  for (long at = 10; at < size; at++) {
    bytes[at] ^= 0x10;
    write_bytes("b.nii.gz", bytes, (size_t)size);
    ht_volume volume;
    if (ht_import_volume(in_scratch("b.nii.gz"), NULL, NULL, &volume) == HT_OK)
      assert_scan_voxels(&volume, 1, 0), unnoticed++;
    ht_volume_free(&volume);
    bytes[at] ^= 0x10;
  }
  assert_in_range(unnoticed, 0, size / 20);
  free(bytes);
}

typedef void (*defect)(nifti_file *file);

static void assert_defect(defect change, const char *text) {
  static const unsigned char voxels[16 * SCAN_VOXELS * 8];
  nifti_file file = nifti_default();
  change(&file);
  nifti_write("a.nii", &file, voxels, sizeof voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, text);
  nifti_write("a.nii.gz", &file, voxels, sizeof voxels);
  assert_import_refused("a.nii.gz", HT_ERR_FORMAT, text);
}

#define DEFECT(name, text, ...)                                                                    \
  static void change_##name(nifti_file *file) {                                                    \
    __VA_ARGS__;                                                                                   \
  }                                                                                                \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    assert_defect(change_##name, text);                                                            \
  }

DEFECT(several_time_points, "it has 7 time points", file->dim[0] = 4; file->dim[4] = 7)
DEFECT(vectors, "several values per voxel", file->dim[0] = 5; file->dim[5] = 3)
DEFECT(colour, "a colour image", file->type = 128; file->bits = 24)
DEFECT(complex_numbers, "complex", file->type = 32; file->bits = 64)
DEFECT(one_slice, "one slice only", file->dim[3] = 1)
DEFECT(a_plane, "one slice only", file->dim[0] = 2)
DEFECT(no_voxels, "claims 0 voxels in dim[2]", file->dim[2] = 0)
DEFECT(negative_voxels, "claims -5 voxels", file->dim[1] = -5)
DEFECT(nine_dimensions, "claims 9 dimensions", file->dim[0] = 9)
DEFECT(absurd_size, "claims more voxels than a file of",
       file->dim[1] = file->dim[2] = file->dim[3] = 2300)
DEFECT(overflowing_size, "2^40", file->dim[1] = file->dim[2] = file->dim[3] = 32767)
DEFECT(a_table, "27307 x 1 x 6 voxels: a volume needs at least 2", file->dim[1] = 27307;
       file->dim[2] = 1; file->dim[3] = 6)
DEFECT(a_length_of_four_metres, "4 m long along its first axis, which no scan of a patient is",
       file->dim[1] = 8000;
       file->dim[2] = file->dim[3] = 2)
DEFECT(metres, "in metres", file->units = 1)
DEFECT(micrometres, "in micrometres", file->units = 3)
DEFECT(no_orientation, "left and right are not known", file->sform = file->qform = 0)
DEFECT(metres_without_unit, "metres or centimetres: save it with its lengths in mm",
       file->units = 0;
       for (int a = 1; a < 4; a++) file->pixdim[a] *= 1e-3f;
       for (int i = 0; i < 12; i++) file->rows[i / 4][i % 4] *= 1e-3f)
DEFECT(micrometres_without_unit, "voxels would be 500 x 750 x 1250 mm", file->units = 0;
       for (int a = 1; a < 4; a++) file->pixdim[a] *= 1e3f;
       for (int i = 0; i < 12; i++) file->rows[i / 4][i % 4] *= 1e3f)
DEFECT(an_sform_with_shear, "its sform is sheared: its first and second axis meet at",
       file->rows[0][0] = file->rows[1][1] = 0.05f;
       file->pixdim[1] = 0.502494f; file->pixdim[2] = 0.751665f)
DEFECT(an_sform_of_another_size,
       "voxels of 0.5 mm along its first axis in the sform, 1 mm in pixdim", file->pixdim[1] = 1)
DEFECT(mirrored_forms, "mirror images", file->qform = 1; file->pixdim[0] = -1)
DEFECT(a_qform_that_is_no_rotation, "qform is not a rotation", file->sform = 0; file->qform = 1;
       file->quaternion[0] = 1.2f)
DEFECT(an_sform_of_zeros, "0 mm along its first axis", memset(file->rows, 0, sizeof file->rows))
DEFECT(an_sform_of_nan, "nan mm along its first axis", file->rows[0][0] = NAN)
DEFECT(spacing_of_zero, "0 mm in pixdim", file->pixdim[3] = 0)
DEFECT(an_analyze_file, "not a NIfTI file of one part", file->magic = "ni1")
DEFECT(voxels_inside_the_header, "voxels begin at byte 4", file->offset = 4)

HT_TEST(what_is_no_nifti_is_refused) {
  static char text[500] = "Not a scan at all.";
  write_bytes("a.nii", text, sizeof text);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "not a NIfTI file");
  write_bytes("a.nii.gz", text, sizeof text);
  assert_import_refused("a.nii.gz", HT_ERR_FORMAT, "not a NIfTI file");
  write_bytes("empty.nii", "", 0);
  assert_import_refused("empty.nii", HT_ERR_FORMAT, "there are 0");
  int32_t nifti2 = 540;
  memcpy(text, &nifti2, sizeof nifti2);
  write_bytes("two.nii", text, sizeof text);
  assert_import_refused("two.nii", HT_ERR_FORMAT, "not a NIfTI file of one part");
  memcpy(text + 4, "n+2", 4);
  write_bytes("two.nii", text, sizeof text);
  assert_import_refused("two.nii", HT_ERR_FORMAT, "a NIfTI header has 540 bytes, there are 500");
}

HT_TEST(a_compressed_file_of_the_wrong_name_is_refused) {
  nifti_file file = nifti_default();
  scan_write("a.nii.gz", &file);
  assert_int_equal(rename(in_scratch("a.nii.gz"), in_scratch("a.nii")), 0);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "rename it to end in .nii.gz");
}

HT_TEST(an_unknown_ending_lists_the_known) {
  write_bytes("scan.jpg", "123456", 6);
  assert_import_refused("scan.jpg", HT_ERR_FORMAT, ".nii, .nii.gz, .hdr, .nrrd, .nhdr, .mha, .mhd");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(nifti_is_read_plain_and_compressed),
      TEST(nifti_slope_and_intercept_are_applied),
      TEST(nifti_of_the_other_byte_order_is_read),
      TEST(nifti_of_every_number_type_is_read),
      TEST(nifti_places_come_from_the_qform_where_there_is_no_sform),
      TEST(nifti_with_an_sform_alone_is_where_it_says),
      TEST(nifti_with_one_time_point_is_a_volume),
      TEST(left_handed_axes_are_kept),
      TEST(nan_becomes_the_smallest_value_and_is_counted),
      TEST(infinity_and_nothing_but_nan_are_refused),
      TEST(a_truncated_nifti_is_refused),
      TEST(a_damaged_gzip_is_refused),
      TEST(several_time_points),
      TEST(vectors),
      TEST(colour),
      TEST(complex_numbers),
      TEST(one_slice),
      TEST(a_plane),
      TEST(no_voxels),
      TEST(negative_voxels),
      TEST(nine_dimensions),
      TEST(absurd_size),
      TEST(overflowing_size),
      TEST(a_table),
      TEST(a_length_of_four_metres),
      TEST(metres),
      TEST(micrometres),
      TEST(no_orientation),
      TEST(metres_without_unit),
      TEST(micrometres_without_unit),
      TEST(an_sform_with_shear),
      TEST(an_sform_of_another_size),
      TEST(mirrored_forms),
      TEST(a_qform_that_is_no_rotation),
      TEST(an_sform_of_zeros),
      TEST(an_sform_of_nan),
      TEST(spacing_of_zero),
      TEST(an_analyze_file),
      TEST(voxels_inside_the_header),
      TEST(what_is_no_nifti_is_refused),
      TEST(a_compressed_file_of_the_wrong_name_is_refused),
      TEST(an_unknown_ending_lists_the_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
