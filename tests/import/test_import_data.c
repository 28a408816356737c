/* import/ on real scans (label data): each is read as its reference says, or refused for its true
 * reason. The folder is in HEMOTILE_DATA; without it the test is skipped. */
#include "tests/check.h"
#include "import/phase_contrast/pc_files.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *data_folder(void) {
  const char *folder = getenv("HEMOTILE_DATA");
  return folder ? folder : "";
}

static const char *in_data(const char *name) {
  static char path[2][PATH_BYTES];
  static int next;
  next = !next;
  snprintf(path[next], PATH_BYTES, "%s/%s", data_folder(), name);
  return path[next];
}

static ht_volume import(const char *path) {
  ht_volume volume;
  ht_status status = ht_import_volume(path, NULL, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  return volume;
}

static void assert_data_refused(const char *name, ht_status expected, const char *text) {
  ht_volume volume;
  assert_refused(ht_import_volume(in_data(name), NULL, NULL, &volume), expected, text);
}

/* ---- Series with a reference ---- */

/* The voxel of `volume` whose centre is at that position, to 0.001 mm (a NIfTI's float32). */
static float value_at(const ht_volume *volume, const double position[3]) {
  double index[3], back[3];
  int64_t at = 0;
  ht_grid_index(&volume->grid, position, index);
  for (int a = 2; a >= 0; a--) {
    index[a] = nearbyint(index[a]);
    assert_in_range((int)index[a], 0, volume->grid.dim[a] - 1);
    at = at * volume->grid.dim[a] + (int)index[a];
  }
  ht_grid_position(&volume->grid, index, back);
  for (int r = 0; r < 3; r++) assert_near(back[r], position[r], 1e-3);
  return volume->values[at];
}

/* Same voxels at the same places, in whatever order. Values are float32 of the same numbers. */
static void assert_same_scan(const ht_volume *got, const ht_volume *expected) {
  const int *dim = got->grid.dim;
  assert_int_equal(ht_grid_voxels(&got->grid), ht_grid_voxels(&expected->grid));
  for (int64_t i = 0; i < ht_grid_voxels(&got->grid); i++) {
    const double index[3] = {(double)(i % dim[0]), (double)(i / dim[0] % dim[1]),
                             (double)(i / ((int64_t)dim[0] * dim[1]))};
    double position[3];
    ht_grid_position(&got->grid, index, position);
    float reference = value_at(expected, position);
    if (!(fabsf(got->values[i] - reference) <= 1e-6f * fabsf(reference)))
      fail_msg("voxel %lld: got %.9g, the reference has %.9g", (long long)i, got->values[i],
               reference);
  }
}

static void assert_like_reference(const char *series, const char *reference) {
  ht_volume got = import(in_data(series)), expected = import(in_data(reference));
  assert_string_equal(got.modality, "MR");
  assert_same_scan(&got, &expected);
  ht_volume_free(&got);
  ht_volume_free(&expected);
}

#define LIKE_REFERENCE_IN(folder, name, series)                                                    \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    assert_like_reference(folder "/" series, folder "/" series "_ground_truth.nii.gz");            \
    assert_like_reference(folder "/" series, folder "/" series "_ground_truth_reoriented.nii.gz"); \
  }

#define LIKE_REFERENCE(name, series) LIKE_REFERENCE_IN("dicom-generic", name, series)

LIKE_REFERENCE(explicit_series, "anatomical/001")
LIKE_REFERENCE(implicit_series, "anatomical/001_implicit")
LIKE_REFERENCE(oblique_series_with_a_slope_per_slice, "anatomical/002_non_isotropic")
LIKE_REFERENCE(jpeg_series, "compressed_jpeg/001")
LIKE_REFERENCE(jpeg_ls_series, "compressed_jpegls/001")
LIKE_REFERENCE(rle_series, "compressed_rle/001")
LIKE_REFERENCE(jpeg_2000_series, "compressed_j2k/001")
LIKE_REFERENCE(another_jpeg_2000_series, "compressed/001")
LIKE_REFERENCE_IN("dicom-hard", multi_frame_series, "siemens_multiframe/anatomical/001")

/* ---- Series that are refused ---- */

HT_TEST(colour_is_refused) {
  assert_data_refused("dicom-generic/rgb/001", HT_ERR_SERIES, "a colour image (RGB, 3 samples");
  assert_data_refused("dicom-generic/rgb/001_ground_truth.nii.gz", HT_ERR_FORMAT, "colour image");
}

HT_TEST(gantry_tilt_is_sheared_back) {
  ht_import_notes notes;
  ht_volume volume;
  ht_import_options options = {.notes = &notes};
  ht_status status =
      ht_import_volume(in_data("dicom-hard/gantrytilting/001"), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_non_null(strstr(notes.text, "a gantry tilt of 14.00 degrees was sheared back"));
  /* Expected by the headers: 3 x 5 mm along z, columns along (0, cos 14, -sin 14), 0.418 mm. The
   * table's way is 15 sin 14 = 3.63 mm = 8.7 pixels along the columns, against them. */
  const double sine = 0.2419218955997, cosine = 0.970295726276, pixel = 0.41796875;
  const double first[3] = {-106.791015625, -256.61886606561, -61.951915066986};
  const double expected[3] = {first[0], first[1] - 9 * pixel * cosine, first[2] + 9 * pixel * sine};
  const int dim[3] = {512, 521, 4};
  assert_memory_equal(volume.grid.dim, dim, sizeof dim);
  assert_all_close(volume.grid.origin_mm, expected, 3, 1e-6);
  assert_near(volume.grid.spacing_mm[2], 5 * cosine, 1e-6);
  /* Slice 0 is exact, and lies 9 rows further down. */
  const float *values = volume.values;
  for (int i = 0; i < 512; i++) assert_true(values[512 * 8 + i] == values[i]); /* the fill */
  for (int64_t i = 0; i < 512 * 521; i++) assert_true(values[i] == nearbyintf(values[i]));
  ht_volume_free(&volume);
}

HT_TEST(a_missing_slice_is_interpolated_where_allowed) {
  ht_import_notes notes;
  ht_volume volume;
  ht_import_options options = {.allow_gaps_mm = 10, .notes = &notes};
  ht_status status =
      ht_import_volume(in_data("dicom-hard/sliceincrement/001"), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_non_null(strstr(notes.text, "1 missing slice was interpolated at 1 place, across 10 mm"));
  const double origin[3] = {-123.5, -115.199997, 18.1075};
  assert_int_equal(volume.grid.dim[2], 5);
  assert_all_close(volume.grid.origin_mm, origin, 3, 1e-6);
  assert_near(volume.grid.spacing_mm[2], 5, 1e-6);
  const int64_t plane = 512 * 512;
  const float *v = volume.values;
  for (int64_t i = 0; i < plane; i++)
    assert_true(fabsf(v[3 * plane + i] - (v[2 * plane + i] + v[4 * plane + i]) / 2) < 1e-3f);
  ht_volume_free(&volume);
}

HT_TEST(a_missing_slice_is_refused) {
  assert_data_refused("dicom-hard/sliceincrement/001", HT_ERR_SERIES,
                      "1 slice is missing between 'IM-0001-0009-0001.dcm' (28.11 mm) and "
                      "'IM-0001-0010-0001.dcm' (38.11 mm): the others are 5 mm apart");
}

HT_TEST(images_at_one_place_are_no_volume) {
  assert_data_refused("dicom-hard/notavolume/001", HT_ERR_SERIES,
                      "4 images lie at only 1 position");
}

HT_TEST(several_series_are_listed) {
  assert_data_refused("dicom-generic/anatomical", HT_ERR_SERIES, "64 x 28 x 4 voxels");
}

/* ---- One mosaic in nine transfer syntaxes ---- */

enum { SIDE = 384, TILE = 64, TILES = 6, SLICES = 35 };

/* The reference holds the mosaic's tiles as slices, each with its rows upside down. */
static void assert_mosaic(const float *got, const ht_volume *reference) {
  for (int k = 0; k < SLICES; k++)
    for (int i = 0; i < TILE * TILE; i++) {
      int x = i % TILE, y = i / TILE;
      int at = k % TILES * TILE + x + SIDE * (k / TILES * TILE + y);
      float expected = reference->values[x + TILE * (TILE - 1 - y + TILE * k)];
      if (got[at] != expected) fail_msg("tile %d: got %g, expected %g", k, got[at], expected);
    }
}

HT_TEST(every_transfer_syntax_gives_the_reference) {
  assert_data_refused("dicom-transfer-syntaxes/In", HT_ERR_SERIES, "a mosaic");
  for (int n = 1; n <= 9; n++) {
    char from[64], reference[64];
    snprintf(from, sizeof from, "dicom-transfer-syntaxes/In/%d.dcm", n);
    snprintf(reference, sizeof reference, "dicom-transfer-syntaxes/Ref/%d.nii", n);
    scratch_make();
    for (int k = 0; k < 2; k++) /* no mosaic any more: two slices with the same pixels */
      assert_int_equal(
          dicom_copy_as_slice(in_data(from), in_scratch(k ? "1" : "0"), "1.2.3", k + 1, k), 1);
    ht_volume got = import(in_scratch("")), expected = import(in_data(reference));
    assert_mosaic(got.values, &expected);
    assert_mosaic(got.values + SIDE * SIDE, &expected);
    ht_volume_free(&got);
    ht_volume_free(&expected);
    scratch_remove();
  }
}

/* ---- The angiographies ---- */

static void assert_scan(const char *name, const int dim[3], const double spacing[3], double least,
                        double most) {
  ht_volume volume = import(in_data(name));
  float low = volume.values[0], high = low;
  for (int64_t i = 0; i < ht_grid_voxels(&volume.grid); i++) {
    low = fminf(low, volume.values[i]);
    high = fmaxf(high, volume.values[i]);
  }
  for (int a = 0; a < 3; a++) {
    assert_int_equal(volume.grid.dim[a], dim[a]);
    assert_near(volume.grid.spacing_mm[a], spacing[a], 5e-4);
  }
  assert_true(fabs(low - least) < 1e-3 && fabs(high - most) < 1e-3);
  ht_volume_free(&volume);
}

HT_TEST(the_ct_angiography_is_read) {
  const int dim[3] = {256, 242, 154};
  const double spacing[3] = {0.720, 0.721, 1};
  assert_scan("ct-avm/CT_AVM.nii.gz", dim, spacing, 0, 563.2); /* uint8 with a slope */
}

HT_TEST(the_mr_angiography_is_read) {
  const int dim[3] = {200, 256, 120};
  const double spacing[3] = {0.521, 0.521, 0.650};
  assert_scan("tof-mra-circle-of-willis/chris_MRA.nii.gz", dim, spacing, 0, 254);
}

HT_TEST(a_scan_given_as_a_mask_is_refused) {
  const char *name[] = {"ct-avm/CT_AVM.nii.gz", "tof-mra-circle-of-willis/chris_MRA.nii.gz"};
  for (int n = 0; n < 2; n++) {
    ht_mask mask;
    assert_refused(ht_import_mask(in_data(name[n]), &mask), HT_ERR_FORMAT, "this is not a mask");
  }
}

/* Measured velocities: of all combinations of signs the published one has the smallest
 * divergence. */
HT_TEST(turned_velocities_contradict_the_conservation_of_mass) {
  const char *direction[] = {NULL, "lr, column, through", "row, pa, through", "row, column, hf"};
  for (int d = 0; d < 4; d++) {
    ht_import_notes notes = {"", ""};
    ht_measured_flow flow;
    const ht_pc_given given = {.direction = direction[d]};
    const ht_pc_files files = {.count = 1,
                               .velocity = {in_data("carotid-pc-mra/velocity.nii.gz")},
                               .magnitude = in_data("carotid-pc-mra/angiogram.nii.gz"),
                               .unit_m_s = 1};
    if (ht_pc_files_read(&files, &given, &notes, &flow) != HT_OK)
      fail_msg("%s", ht_error_message());
    assert_int_equal(flow.encodings, 3);
    assert_int_equal(strstr(notes.warning, "conservation of mass") != NULL, d > 0);
    for (int e = 0; e < 3; e++) assert_near(fabs(flow.encoding[e].direction[e]), 1, 1e-6);
    if (d == 0)
      for (int e = 0; e < 3; e++) assert_near(flow.encoding[e].direction[e], 1, 1e-6);
    ht_measured_flow_free(&flow);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_series),
      cmocka_unit_test(implicit_series),
      cmocka_unit_test(oblique_series_with_a_slope_per_slice),
      cmocka_unit_test(jpeg_series),
      cmocka_unit_test(jpeg_ls_series),
      cmocka_unit_test(rle_series),
      cmocka_unit_test(jpeg_2000_series),
      cmocka_unit_test(another_jpeg_2000_series),
      cmocka_unit_test(multi_frame_series),
      cmocka_unit_test(colour_is_refused),
      cmocka_unit_test(gantry_tilt_is_sheared_back),
      cmocka_unit_test(a_missing_slice_is_interpolated_where_allowed),
      cmocka_unit_test(a_missing_slice_is_refused),
      cmocka_unit_test(images_at_one_place_are_no_volume),
      cmocka_unit_test(several_series_are_listed),
      cmocka_unit_test(every_transfer_syntax_gives_the_reference),
      cmocka_unit_test(the_ct_angiography_is_read),
      cmocka_unit_test(the_mr_angiography_is_read),
      cmocka_unit_test(a_scan_given_as_a_mask_is_refused),
      cmocka_unit_test(turned_velocities_contradict_the_conservation_of_mass),
  };
  struct stat info;
  if (stat(data_folder(), &info) != 0 || stat(in_data("dicom-generic"), &info) != 0) {
    printf("HEMOTILE_DATA names no folder of real scans: skipped\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
