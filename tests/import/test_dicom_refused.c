/* import/: DICOM that is no regular volume, each with its true reason. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void (*defect)(dicom_image *image, int k);

/* Four slices, each changed by the defect, have to be refused with that text. */
static void assert_defect(defect change, ht_status expected, const char *text) {
  for (int k = 0; k < 4; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    change(&image, k);
    snprintf(name, sizeof name, "%d.dcm", k);
    write_image(name, image, k);
  }
  assert_import_refused("", expected, text);
  ht_series_list list; /* the list tells the same instead of failing */
  assert_int_equal(ht_import_list(in_scratch(""), NULL, &list), HT_OK);
  assert_int_equal(list.count, 1);
  if (!strstr(list.series[0].problem, text))
    fail_msg("the list says \"%s\", expected \"%s\"", list.series[0].problem, text);
  ht_series_list_free(&list);
}

#define DEFECT(name, code, text, ...)                                                              \
  static void change_##name(dicom_image *image, int k) {                                           \
    (void)k;                                                                                       \
    __VA_ARGS__;                                                                                   \
  }                                                                                                \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    assert_defect(change_##name, code, text);                                                      \
  }

DEFECT(a_missing_slice, HT_ERR_SERIES,
       "1 slice is missing between '1.dcm' (8.50 mm) and '2.dcm' (11.50 mm)",
       if (k > 1) image->position[2] += 1.5)
DEFECT(a_stray_slice, HT_ERR_SERIES,
       "'3.dcm' lies 178.3 mm from the next slice, and the others are 1.5 mm apart",
       if (k == 3) image->position[2] += 176.8)
DEFECT(missing_slices, HT_ERR_SERIES,
       "3 slices are missing between '2.dcm' (10.00 mm) and '3.dcm' (16.00 mm)",
       if (k > 2) image->position[2] += 4.5)
DEFECT(slices_nearly_at_one_place, HT_ERR_SERIES, "two lie only 0.2 mm apart, most 1.5 mm",
       if (k == 3) image->position[2] -= 1.3)
DEFECT(a_slice_pushed_sideways, HT_ERR_SERIES, "'1.dcm' lies 0.2 mm off its place",
       if (k == 1) image->position[0] += 0.2)
DEFECT(two_images_at_each_position, HT_ERR_SERIES, "Choose one with --phase: 1, 2",
       image->position[2] = 7 + 1.5 * (k / 2))
DEFECT(one_image_uid_for_all_hides_no_image, HT_ERR_SERIES, "4 images lie at only 2 positions",
       image->image = "1.2.3.9";
       image->position[2] = 7 + 1.5 * (k / 2))
DEFECT(more_than_a_gantry_tilt, HT_ERR_SERIES, "50.00 degrees off the slices' normal",
       image->axes[4] = cos(50 * HT_PI / 180);
       image->axes[5] = -sin(50 * HT_PI / 180))
DEFECT(a_duplicated_slice, HT_ERR_SERIES, "duplicated slices at 8.50 mm (2); remove",
       if (k > 1) image->position[2] -= 1.5)
DEFECT(velocities_only, HT_ERR_SERIES, "no vessel shows in them",
       image->type = "ORIGINAL\\PRIMARY\\P\\ND")
DEFECT(another_size, HT_ERR_SERIES, "'0.dcm' has 6 x 5 pixels, '3.dcm' 5 x 6",
       if (k == 3) image->columns = 5, image->rows = 6)
DEFECT(another_pixel_spacing, HT_ERR_SERIES, "'0.dcm' has 0.5 x 0.7 mm, '2.dcm' 0.5 x 0.71",
       if (k == 2) image->row_distance = 0.71)
DEFECT(
    another_orientation, HT_ERR_SERIES, "'0.dcm' and '2.dcm' have different orientations",
    if (k == 2) {
      image->axes[4] = 0;
      image->axes[5] = -1;
    })
DEFECT(colour, HT_ERR_SERIES, "'0.dcm': a colour image (RGB, 3 samples per pixel)",
       image->samples = 3;
       image->photometric = "RGB"; image->allocated = image->stored = 8; image->high = 7)
DEFECT(a_palette, HT_ERR_SERIES, "a colour image (PALETTE COLOR, 1 sample per pixel)",
       image->photometric = "PALETTE COLOR")
DEFECT(several_frames, HT_ERR_SERIES, "a multi-frame image (3 frames in one file)",
       image->frames = 3)
DEFECT(a_mosaic, HT_ERR_SERIES, "a mosaic (all slices as tiles of one image)",
       image->type = "ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC")
DEFECT(no_position, HT_ERR_SERIES, "no Image Position and Orientation (Patient)",
       image->flags = WITHOUT_POSITION)
DEFECT(positions_far_off, HT_ERR_FORMAT, "'0.dcm': Image Position (Patient) is 100 km off and more",
       image->position[2] = k > 1 ? 1e200 : -1e200)
DEFECT(no_spacing, HT_ERR_SERIES, "no Pixel Spacing", image->flags = WITHOUT_SPACING)
DEFECT(spacing_of_zero, HT_ERR_SERIES, "not > 0", image->row_distance = 0)
DEFECT(axes_that_are_none, HT_ERR_FORMAT, "not two unit vectors at a right angle",
       image->axes[3] = 0.5)
DEFECT(axes_of_zero, HT_ERR_FORMAT, "not two unit vectors at a right angle", image->axes[0] = 0)
DEFECT(a_report, HT_ERR_SERIES, "it holds no images: modality SR", image->flags = WITHOUT_IMAGE;
       image->modality = "SR")
DEFECT(no_pixels, HT_ERR_FORMAT, "'0.dcm': truncated: no pixel values",
       image->flags = WITHOUT_PIXELS)
DEFECT(a_lookup_table, HT_ERR_SERIES, "Modality LUT", image->flags = WITH_LOOKUP_TABLE)
DEFECT(a_ct_without_units, HT_ERR_SERIES, "a CT without rescale slope and intercept",
       image->slope = image->intercept = NULL)
DEFECT(some_without_units, HT_ERR_SERIES, "'0.dcm' gives a rescale slope and intercept and '2.dcm'",
       image->modality = "MR";
       if (k == 2) image->slope = image->intercept = NULL)
DEFECT(half_a_scale, HT_ERR_FORMAT, "Rescale Slope and Intercept are not two numbers",
       image->intercept = NULL)
DEFECT(a_decimal_comma_in_the_slope, HT_ERR_FORMAT,
       "RescaleSlope is \"1,5\", which is no number of DICOM (a decimal comma?)",
       image->slope = "1,5")
DEFECT(a_decimal_comma_in_the_spacing, HT_ERR_FORMAT, "PixelSpacing is \"0,5\", which is no number",
       static const char *const tags[] = {"PixelSpacing", "0,5\\0,5", NULL};
       image->tags = tags)
DEFECT(a_decimal_comma_in_a_position, HT_ERR_FORMAT, "ImagePositionPatient is \"1,25\"",
       static const char *const tags[] = {"ImagePositionPatient", "0\\1,25\\0", NULL};
       if (k == 2) image->tags = tags)
DEFECT(a_number_with_a_rest, HT_ERR_FORMAT,
       "RescaleIntercept is \"-1024 HU\", which is no number:", image->intercept = "-1024 HU")
DEFECT(frames_with_a_rest, HT_ERR_FORMAT, "NumberOfFrames is \"1;\"",
       static const char *const tags[] = {"NumberOfFrames", "1;", NULL};
       image->tags = tags)
DEFECT(a_slope_of_zero, HT_ERR_FORMAT, "slope not 0", image->slope = "0")
DEFECT(jpeg_2000_part_2, HT_ERR_FORMAT, "which is not read: export the series again",
       image->syntax = "j2k2")
DEFECT(more_bits_stored_than_there_are, HT_ERR_FORMAT, "pixels of 16 bits with 17 stored",
       image->stored = 17;
       image->high = 16)
DEFECT(pixels_of_32_bits, HT_ERR_FORMAT, "pixels of 32 bits", image->allocated = image->stored = 32;
       image->high = 31)
DEFECT(no_series, HT_ERR_FORMAT, "no Series Instance UID", image->flags = WITHOUT_SERIES)

HT_TEST(jpeg_2000_that_is_none) {
  write_series(3);
  dicom_image image = dicom_image_default(1);
  image.syntax = "j2k";
  write_image("slice-1.dcm", image, 1);
  assert_import_refused("", HT_ERR_FORMAT,
                        "slice-1.dcm: its pixel values cannot be decoded (damaged");
}

HT_TEST(a_single_image) {
  write_series(1);
  assert_import_refused("", HT_ERR_SERIES, "one image only");
  write_image("copy", dicom_image_default(0), 0); /* twice the same is still one */
  assert_import_refused("", HT_ERR_SERIES, "one image only");
}

/* ---- Sizes that are not those of the pixels ---- */

enum { ROWS = 0x10, COLUMNS = 0x11, ALLOCATED = 0x100 };

/* Writes the number (US, explicit VR, little endian) of group 0028 into the file as it lies. */
static void patch_number(const char *name, unsigned element, unsigned value) {
  static unsigned char bytes[20000];
  const unsigned char tag[] = {0x28, 0, element & 0xff, (unsigned char)(element >> 8), 'U', 'S',
                               2,    0};
  FILE *file = fopen(in_scratch(name), "rb");
  assert_non_null(file);
  size_t count = fread(bytes, 1, sizeof bytes, file), at = 0;
  fclose(file);
  while (at + 10 <= count && memcmp(bytes + at, tag, sizeof tag) != 0) at++;
  assert_true(at + 10 <= count);
  bytes[at + 8] = (unsigned char)value;
  write_bytes(name, bytes, count);
}

/* 20 x 16 pixels, whose header says something else in all slices. */
static void assert_size_refused(const char *syntax, unsigned element, unsigned value,
                                const char *text) {
  static uint16_t pixels[320];
  for (int i = 0; i < 320; i++) pixels[i] = (uint16_t)(i % 7 * 500);
  for (int k = 0; k < 3; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    image.columns = 20;
    image.rows = 16;
    image.syntax = syntax;
    image.pixels = pixels;
    snprintf(name, sizeof name, "%d.dcm", k);
    assert_int_equal(dicom_image_write(in_scratch(name), &image), 1);
    patch_number(name, element, value);
    if (element == ALLOCATED)
      patch_number(name, 0x101, value), patch_number(name, 0x102, value - 1);
  }
  assert_import_refused("", HT_ERR_FORMAT, text);
}

/* 3 slices of 6 x 5 pixels of 16 bits, 60 bytes, with `extra` bytes of 0 after them, the last one
 * `last`. */
static void write_padded(const char *syntax, size_t extra, uint8_t last) {
  static uint16_t pixels[400];
  for (int k = 0; k < 3; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    memset(pixels, 0, sizeof pixels);
    for (int i = 0; i < 30; i++) pixels[i] = pixel_of(k, i);
    image.syntax = syntax;
    image.pixels = pixels;
    image.extra = (int)extra / 2;
    pixels[30 + extra / 2 - 1] = last;
    snprintf(name, sizeof name, "%d.dcm", k);
    assert_int_equal(dicom_image_write(in_scratch(name), &image), 1);
  }
}

HT_TEST(zeros_to_the_end_of_a_block_are_padding) {
  const char *syntax[] = {"explicit", "implicit", "big", "deflated"};
  for (int n = 0; n < 4; n++) {
    write_padded(syntax[n], 452, 0);
    ht_volume volume = scan_import("");
    for (int i = 0; i < 90; i++)
      assert_true(volume.values[i] == (float)(2 * pixel_of(i / 30, i % 30) - 1024));
    ht_volume_free(&volume);
    write_padded(syntax[n], 452, 1);
    assert_import_refused("", HT_ERR_FORMAT, "512 bytes of pixel values, but 6 x 5 pixels of 16");
  }
  write_padded("explicit", 480, 0); /* 40 rows */
  assert_import_refused("", HT_ERR_FORMAT, "540 bytes of pixel values");
  write_padded("explicit", 500, 0); /* 50 columns */
  assert_import_refused("", HT_ERR_FORMAT, "560 bytes of pixel values");
  write_padded("explicit", 514, 0);
  assert_import_refused("", HT_ERR_FORMAT, "574 bytes of pixel values");
}

HT_TEST(a_size_that_is_not_that_of_the_pixels) {
  assert_size_refused("explicit", ROWS, 8,
                      "640 bytes of pixel values, but 20 x 8 pixels of 16 bits have 320");
  assert_size_refused("explicit", ROWS, 15, "but 20 x 15 pixels of 16 bits have 600");
  assert_size_refused("explicit", COLUMNS, 19, "but 19 x 16 pixels of 16 bits have 608");
  assert_size_refused("explicit", ALLOCATED, 8, "but 20 x 16 pixels of 8 bits have 320");
  assert_size_refused("explicit", ROWS, 17, "truncated");
  assert_size_refused("explicit", ROWS, 0, "its header says 20 x 0 pixels (Columns x Rows), but");
  assert_size_refused("rle", ROWS, 15, "RLE data of 320 pixels, the header says 20 x 15 = 300");
  assert_size_refused("rle", COLUMNS, 10, "the header says 10 x 16 = 160");
  assert_size_refused("rle", ROWS, 17, "the header says 20 x 17");
  assert_size_refused("rle", ALLOCATED, 8, "RLE data of 2 segments");
  assert_size_refused("jpeg", ROWS, 32, "JPEG data of 20 x 16 pixels, the header says 20 x 32");
  assert_size_refused("jpeg", ROWS, 8, "the header says 20 x 8");
  assert_size_refused("jpeg", COLUMNS, 40, "the header says 40 x 16");
  assert_size_refused("jpeg", ALLOCATED, 8, "JPEG data of 16 bits, the header says 8 allocated");
  assert_size_refused("jpegls", ROWS, 8, "cannot be decoded");
  assert_size_refused("jpegls", ROWS, 32, "cannot be decoded");
}

/* The mark of the end of compressed pixels, 8 bytes, means nothing here: without it a slice is
 * still whole. */
static int is_whole(const char *syntax, long cut) {
  return cut == 8 && (strcmp(syntax, "rle") == 0 || strncmp(syntax, "jpeg", 4) == 0);
}

HT_TEST(nothing_but_padding) {
  static const char *const tags[] = {"PixelPaddingValue", "0", "PixelPaddingRangeLimit", "65535",
                                     NULL};
  for (int k = 0; k < 2; k++) {
    dicom_image image = dicom_image_default(k);
    image.tags = tags;
    write_image(k ? "1.dcm" : "0.dcm", image, k);
  }
  assert_import_refused("", HT_ERR_FORMAT, "all have the Pixel Padding Value");
}

/* Cut anywhere, a slice is named and the series refused: never a volume without it. */
HT_TEST(a_truncated_slice) {
  const char *syntax[] = {"explicit", "implicit", "big", "deflated", "rle", "jpeg", "jpegls"};
  for (int n = 0; n < 7; n++) {
    dicom_image image = dicom_image_default(1);
    image.syntax = syntax[n];
    write_series(3);
    write_image("slice-1.dcm", image, 1);
    long whole = file_bytes("slice-1.dcm");
    for (long bytes = whole - 1; bytes > 0; bytes--) {
      cut_file("slice-1.dcm", bytes);
      ht_volume volume;
      ht_status status = ht_import_volume(in_scratch(""), NULL, NULL, &volume);
      for (int i = 0; status == HT_OK && i < 30; i++)
        assert_true(volume.values[30 + i] == (float)(2 * pixel_of(1, i) - 1024));
      if (status == HT_OK) ht_volume_free(&volume);
      if (status == HT_OK && is_whole(syntax[n], whole - bytes)) continue;
      if (status != HT_ERR_FORMAT || !strstr(ht_error_message(), "slice-1.dcm"))
        fail_msg("%s, %ld of %ld bytes: %d %s", syntax[n], bytes, whole, status,
                 ht_error_message());
    }
  }
}

HT_TEST(an_empty_file_among_slices) {
  write_series(3);
  write_bytes("slice-3.dcm", "", 0);
  assert_import_refused("", HT_ERR_FORMAT, "'slice-3.dcm': truncated: only 0 bytes");
  remove(in_scratch("slice-3.dcm"));
  write_bytes("IM0004", "\0\0", 2);
  assert_import_refused("", HT_ERR_FORMAT, "'IM0004': truncated: only 2 bytes");
  remove(in_scratch("IM0004"));
  write_bytes("1.2.840.5", "", 0);
  assert_import_refused("", HT_ERR_FORMAT, "'1.2.840.5': truncated: only 0 bytes");
}

/* A link that leads nowhere stands in for a file that may not be read. */
HT_TEST(a_slice_that_cannot_be_read) {
  write_series(3);
  assert_int_equal(symlink("nowhere", in_scratch("slice-3.dcm")), 0);
  assert_import_refused(
      "", HT_ERR_NOT_FOUND,
      "'slice-3.dcm': cannot be read: No such file or directory (it may belong to "
      "the series: make it readable");
  remove(in_scratch("slice-3.dcm"));
  assert_int_equal(symlink("nowhere", in_scratch("README.txt")), 0);
  assert_int_equal(symlink("nowhere", in_scratch(".#slice-3.dcm")), 0); /* an editor's lock */
  ht_volume volume = scan_import("");
  assert_int_equal(volume.grid.dim[2], 3);
  ht_volume_free(&volume);
}

HT_TEST(a_slice_without_permission) {
  if (geteuid() == 0) skip(); /* root may read all */
  write_series(3);
  assert_int_equal(chmod(in_scratch("slice-1.dcm"), 0), 0);
  assert_import_refused("", HT_ERR_NOT_FOUND, "'slice-1.dcm': cannot be read: Permission denied");
}

HT_TEST(an_empty_folder) {
  assert_import_refused("", HT_ERR_FORMAT, "the folder holds no files");
}

HT_TEST(a_folder_without_dicom) {
  static const char text[300] = "Dear colleague";
  write_bytes("letter.dcm", text, sizeof text);
  write_bytes("scan.nii.gz", text, sizeof text);
  assert_import_refused("", HT_ERR_FORMAT,
                        "no DICOM image among its 2 files (such as 'letter.dcm')");
  assert_import_refused("letter.dcm", HT_ERR_FORMAT,
                        "neither a DICOM file, a zip archive nor an image file");
  write_bytes("letter.dcm", text, 14); /* shorter than a preamble is no sign of DICOM */
  assert_import_refused("", HT_ERR_FORMAT,
                        "no DICOM image among its 2 files (such as 'letter.dcm')");
  ht_series_list list;
  assert_refused(ht_import_list(in_scratch(""), NULL, &list), HT_ERR_FORMAT, "no DICOM image");
  assert_null(list.series);
}

HT_TEST(text_that_begins_like_dicom) {
  char text[600];
  memset(text, 'x', sizeof text);
  memcpy(text + 128, "DICM", 4);
  write_bytes("fake.dcm", text, sizeof text);
  assert_import_refused("fake.dcm", HT_ERR_FORMAT, "'fake.dcm': truncated or damaged");
  memset(text, 0, sizeof text);
  text[0] = 8;
  write_bytes("fake.dcm", text, sizeof text);
  assert_import_refused("fake.dcm", HT_ERR_FORMAT, "");
}

HT_TEST(nothing_there) {
  ht_volume volume;
  ht_series_list list;
  assert_refused(ht_import_volume(in_scratch("nowhere"), NULL, NULL, &volume), HT_ERR_NOT_FOUND,
                 "nowhere: there is no such file or folder");
  assert_refused(ht_import_list(in_scratch("nowhere"), NULL, &list), HT_ERR_NOT_FOUND, "nowhere");
}

/* Two files of 1 kB that claim 65535 x 65535 pixels each. */
HT_TEST(a_claim_beyond_the_files_is_refused) {
  for (int k = 0; k < 2; k++) {
    dicom_image image = dicom_image_default(k);
    char name[16];
    snprintf(name, sizeof name, "%d.dcm", k);
    image.syntax = "rle";
    write_image(name, image, k);
    unsigned char bytes[8192];
    FILE *file = fopen(in_scratch(name), "r+b");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    const unsigned char rows[] = {0x28, 0, 0x10, 0, 'U', 'S', 2, 0, 5, 0};
    const unsigned char columns[] = {0x28, 0, 0x11, 0, 'U', 'S', 2, 0, 6, 0};
    for (size_t at = 0; at + sizeof rows <= size; at++)
      if (memcmp(bytes + at, rows, sizeof rows) == 0 ||
          memcmp(bytes + at, columns, sizeof columns) == 0)
        memset(bytes + at + 8, 0xff, 2);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
  }
  assert_import_refused("", HT_ERR_FORMAT, "claim 65535 x 65535 pixels, more than files of");
}

/* Two ranges of spacing are resampled, but not to a thousand times what there is. */
HT_TEST(a_claim_of_empty_space_is_refused) {
  for (int k = 0; k < 8; k++) {
    dicom_image image = dicom_image_default(k);
    char name[16];
    snprintf(name, sizeof name, "%d.dcm", k);
    image.position[2] = k < 5 ? 0.05 * k : 1e5 * (k - 4);
    write_image(name, image, k);
  }
  assert_import_refused("", HT_ERR_FORMAT, "can hold (a volume of 6 x 5 x ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_missing_slice),
      TEST(a_stray_slice),
      TEST(missing_slices),
      TEST(slices_nearly_at_one_place),
      TEST(a_slice_pushed_sideways),
      TEST(two_images_at_each_position),
      TEST(one_image_uid_for_all_hides_no_image),
      TEST(more_than_a_gantry_tilt),
      TEST(a_duplicated_slice),
      TEST(velocities_only),
      TEST(a_claim_beyond_the_files_is_refused),
      TEST(a_claim_of_empty_space_is_refused),
      TEST(another_size),
      TEST(another_pixel_spacing),
      TEST(another_orientation),
      TEST(colour),
      TEST(a_palette),
      TEST(several_frames),
      TEST(a_mosaic),
      TEST(no_position),
      TEST(positions_far_off),
      TEST(no_spacing),
      TEST(spacing_of_zero),
      TEST(axes_that_are_none),
      TEST(axes_of_zero),
      TEST(a_report),
      TEST(no_pixels),
      TEST(a_lookup_table),
      TEST(a_ct_without_units),
      TEST(some_without_units),
      TEST(half_a_scale),
      TEST(a_slope_of_zero),
      TEST(a_decimal_comma_in_the_slope),
      TEST(a_decimal_comma_in_the_spacing),
      TEST(a_decimal_comma_in_a_position),
      TEST(a_number_with_a_rest),
      TEST(frames_with_a_rest),
      TEST(nothing_but_padding),
      TEST(jpeg_2000_part_2),
      TEST(jpeg_2000_that_is_none),
      TEST(more_bits_stored_than_there_are),
      TEST(pixels_of_32_bits),
      TEST(no_series),
      TEST(a_single_image),
      TEST(a_size_that_is_not_that_of_the_pixels),
      TEST(zeros_to_the_end_of_a_block_are_padding),
      TEST(a_truncated_slice),
      TEST(an_empty_file_among_slices),
      TEST(a_slice_that_cannot_be_read),
      TEST(a_slice_without_permission),
      TEST(an_empty_folder),
      TEST(a_folder_without_dicom),
      TEST(text_that_begins_like_dicom),
      TEST(nothing_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
