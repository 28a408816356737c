/* import/: DICOM series that are one regular volume: order, grid, values, transfer syntaxes. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ht_volume import(const char *name) {
  ht_volume volume;
  ht_status status = ht_import_volume(in_scratch(name), NULL, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  return volume;
}

/* The values of the default series: slice k of the volume is slice first + step * k as written. */
static void assert_values(const ht_volume *volume, int first, int step) {
  int plane = volume->grid.dim[0] * volume->grid.dim[1];
  for (int k = 0; k < volume->grid.dim[2]; k++)
    for (int i = 0; i < plane; i++)
      assert_true(volume->values[k * plane + i] ==
                  2.f * (float)pixel_of(first + step * k, i) - 1024.f);
}

/* Positions are decimal strings of 10 digits here: 1e-6 mm is their rounding at 100 mm. */
static void assert_position(const ht_grid *grid, int k, const double expected[3]) {
  const double index[3] = {0, 0, k};
  double position[3];
  ht_grid_position(grid, index, position);
  for (int r = 0; r < 3; r++)
    if (!(fabs(position[r] - expected[r]) <= 1e-6))
      fail_msg("slice %d: got %.10g, expected %.10g", k, position[r], expected[r]);
}

static void assert_default_grid(const ht_grid *grid, int slices) {
  const double spacing[3] = {0.5, 0.7, 1.5};
  assert_int_equal(grid->dim[0], 6);
  assert_int_equal(grid->dim[1], 5);
  assert_int_equal(grid->dim[2], slices);
  for (int a = 0; a < 3; a++) {
    assert_near(grid->spacing_mm[a], spacing[a], 1e-12);
    for (int r = 0; r < 3; r++) assert_near(grid->direction[r][a], (r == a), 1e-12);
  }
  for (int k = 0; k < slices; k++) {
    const double expected[3] = {-100, 20.5, 7 + 1.5 * k};
    assert_position(grid, k, expected);
  }
}

HT_TEST(a_series_becomes_a_volume) {
  write_series(4);
  ht_volume volume = import("");
  assert_default_grid(&volume.grid, 4);
  assert_values(&volume, 0, 1);
  assert_string_equal(volume.modality, "CT");
  ht_volume_free(&volume);
}

HT_TEST(slices_sort_by_position_not_by_name_or_number) {
  const int order[5] = {3, 0, 4, 1, 2};
  for (int n = 0; n < 5; n++) {
    char name[8];
    dicom_image image = dicom_image_default(order[n]);
    image.instance = 10 - n;
    snprintf(name, sizeof name, "IM%d", n); /* nor by an ending */
    write_image(name, image, order[n]);
  }
  ht_volume volume = import("");
  assert_default_grid(&volume.grid, 5);
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

HT_TEST(a_file_stands_for_its_series) {
  write_series(3);
  dicom_image other = dicom_image_default(7);
  other.series = "1.2.3.5";
  write_image("other.dcm", other, 7);
  ht_volume volume = import("slice-1.dcm");
  assert_default_grid(&volume.grid, 3);
  ht_volume_free(&volume);
  char kept[PATH_BYTES];
  assert_non_null(getcwd(kept, sizeof kept));
  assert_int_equal(chdir(in_scratch("")), 0);
  ht_status status = ht_import_volume("slice-2.dcm", NULL, NULL, &volume);
  assert_int_equal(chdir(kept), 0);
  assert_int_equal(status, HT_OK);
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

HT_TEST(files_in_folders_below_count_and_others_do_not) {
  scratch_folder("DICOM");
  scratch_folder("DICOM/ST0");
  write_image("DICOM/ST0/I0", dicom_image_default(0), 0);
  write_image("DICOM/I1", dicom_image_default(1), 1);
  write_image("I2", dicom_image_default(2), 2);
  write_bytes("README.txt", "read me\n", 8);
  write_bytes("LOCKFILE", "", 0); /* not a slice cut short, as IM0001 of no bytes would be */
  write_bytes("letter.dcm.txt", "a letter", 8);
  static const char page[500] = "<html>";
  write_bytes("viewer.html", page, sizeof page);
  assert_int_equal(symlink(in_scratch(""), in_scratch("DICOM/round")), 0);
  ht_volume volume = import("");
  assert_default_grid(&volume.grid, 3);
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

/* A coronal series written from back to front, whose rows and columns give a normal that points
 * forward: the volume's third axis is the one along which the slices lie, with its sign. */
HT_TEST(oblique_slices_keep_their_places) {
  const double c = cos(0.4), s = sin(0.4);
  const double axes[6] = {c, s, 0, 0, 0, -1}, normal[3] = {-s, c, 0};
  for (int k = 0; k < 4; k++) {
    char name[32];
    dicom_image image = dicom_image_default(k);
    memcpy(image.axes, axes, sizeof axes);
    for (int r = 0; r < 3; r++) image.position[r] = 50 - 2.25 * k * normal[r];
    snprintf(name, sizeof name, "slice-%d.dcm", k);
    write_image(name, image, k);
  }
  ht_volume volume = import("");
  assert_near(volume.grid.spacing_mm[2], 2.25, 1e-8);
  for (int k = 0; k < 4; k++) {
    double expected[3];
    for (int r = 0; r < 3; r++) expected[r] = 50 - 2.25 * (3 - k) * normal[r];
    assert_position(&volume.grid, k, expected);
  }
  for (int r = 0; r < 3; r++) {
    assert_near(volume.grid.direction[r][0], axes[r], 1e-9);
    assert_near(volume.grid.direction[r][1], axes[3 + r], 1e-9);
  }
  assert_values(&volume, 3, -1);
  ht_volume_free(&volume);
}

HT_TEST(every_transfer_syntax_gives_the_same_values) {
  const char *syntax[] = {"explicit", "implicit", "big", "deflated", "rle", "jpeg", "jpegls"};
  for (int n = 0; n < 7; n++) {
    scratch_folder(syntax[n]);
    for (int k = 0; k < 3; k++) {
      char name[64];
      dicom_image image = dicom_image_default(k);
      image.syntax = syntax[n];
      snprintf(name, sizeof name, "%s/%d.dcm", syntax[n], k);
      write_image(name, image, k);
    }
    ht_volume volume = import(syntax[n]);
    assert_default_grid(&volume.grid, 3);
    assert_values(&volume, 0, 1);
    ht_volume_free(&volume);
  }
}

/* Stored bits, by hand: overlays next to them are not part of the number. */
HT_TEST(bits_stored_and_sign_are_heeded) {
  uint16_t pixels[30] = {0x0fff, 0x1234, 0xf800, 0x07ff, 0x0800};
  const float as_unsigned[5] = {4095, 0x234, 0x800, 2047, 2048};
  const float as_signed[5] = {-1, 0x234, -2048, 2047, -2048};
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    for (int k = 0; k < 2; k++) {
      dicom_image image = dicom_image_default(k);
      image.pixels = pixels;
      image.is_signed = is_signed;
      image.slope = image.intercept = NULL;
      image.modality = "MR";
      write_image(k ? "1.dcm" : "0.dcm", image, k);
    }
    ht_volume volume = import("");
    for (int i = 0; i < 5; i++)
      assert_true(volume.values[i] == (is_signed ? as_signed : as_unsigned)[i]);
    ht_volume_free(&volume);
  }
}

HT_TEST(a_high_bit_above_the_stored_ones_is_heeded) {
  uint16_t pixels[30] = {0xfff7, 0x1230};
  for (int k = 0; k < 2; k++) {
    dicom_image image = dicom_image_default(k);
    image.pixels = pixels;
    image.high = 15; /* 12 bits stored in bits 4 to 15 */
    write_image(k ? "1.dcm" : "0.dcm", image, k);
  }
  ht_volume volume = import("");
  assert_true(volume.values[0] == 2 * 4095 - 1024);
  assert_true(volume.values[1] == 2 * 0x123 - 1024);
  ht_volume_free(&volume);
}

HT_TEST(pixels_of_8_bits_are_read) {
  const char *syntax[] = {"explicit", "implicit", "big", "rle", "jpeg"};
  uint16_t pixels[30];
  for (int i = 0; i < 30; i++) pixels[i] = (uint16_t)(255 - 8 * i);
  for (int n = 0; n < 6; n++) {
    for (int k = 0; k < 2; k++) {
      dicom_image image = dicom_image_default(k);
      image.allocated = image.stored = 8;
      image.high = 7;
      image.pixels = pixels;
      if (n < 5)
        image.syntax = syntax[n];
      else
        image.flags = WITH_BYTES_AS_WORDS;
      write_image(k ? "1.dcm" : "0.dcm", image, k);
    }
    ht_volume volume = import("");
    for (int i = 0; i < 60; i++)
      if (volume.values[i] != 2.f * pixels[i % 30] - 1024)
        fail_msg("way %d, pixel %d: got %g", n, i, volume.values[i]);
    ht_volume_free(&volume);
  }
}

/* Padding as scanners mark the outside of their circle: too dark for a scan, or brighter than any
 * vessel; in the header also with the other sign than the pixels have. */
HT_TEST(padded_pixels_get_the_smallest_value) {
  static const char *const tags[3][5] = {
      {"PixelPaddingValue", "63536"},
      {"PixelPaddingValue", "63000", "PixelPaddingRangeLimit", "63536"},
      {"PixelPaddingValue", "-2000"}};
  uint16_t pixels[30];
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < 30; i++) pixels[i] = (uint16_t)(i % 5 == 0 ? 63536 : 100 + i);
    if (n == 1) pixels[5] = 63200;
    for (int k = 0; k < 2; k++) {
      dicom_image image = dicom_image_default(k);
      image.stored = 16;
      image.high = 15;
      image.is_signed = n == 2;
      image.pixels = pixels;
      image.tags = tags[n];
      write_image(k ? "1.dcm" : "0.dcm", image, k);
    }
    ht_volume volume = import("");
    for (int i = 0; i < 60; i++)
      assert_true(volume.values[i] == 2.f * (float)(i % 5 ? 100 + i % 30 : 101) - 1024);
    ht_volume_free(&volume);
  }
}

/* PET and some MR: each slice has its own slope. */
HT_TEST(slope_and_intercept_are_those_of_each_slice) {
  const char *slope[3] = {"0.5", "2", "-1.25"}, *intercept[3] = {"0", "10.5", "-3"};
  const float s[3] = {0.5f, 2, -1.25f}, b[3] = {0, 10.5f, -3};
  for (int k = 0; k < 3; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    image.slope = slope[k];
    image.intercept = intercept[k];
    snprintf(name, sizeof name, "%d", k);
    write_image(name, image, k);
  }
  ht_volume volume = import("");
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 30; i++)
      assert_true(volume.values[30 * k + i] == s[k] * (float)pixel_of(k, i) + b[k]);
  ht_volume_free(&volume);
}

/* MONOCHROME1 says how to display an image, not what its values mean. */
HT_TEST(monochrome1_does_not_change_the_values) {
  for (int k = 0; k < 3; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    image.photometric = "MONOCHROME1";
    snprintf(name, sizeof name, "%d", k);
    write_image(name, image, k);
  }
  ht_volume volume = import("");
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

HT_TEST(second_copies_of_an_image_are_left_out) {
  write_series(3);
  scratch_folder("again");
  write_image("again/a", dicom_image_default(1), 1);
  write_image("again/b", dicom_image_default(2), 2);
  ht_volume volume = import("");
  assert_default_grid(&volume.grid, 3);
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

/* The copy that can be decoded is used. */
HT_TEST(a_readable_copy_is_preferred) {
  write_series(3);
  dicom_image image = dicom_image_default(1);
  image.syntax = "j2k2";
  write_image("a-copy.dcm", image, 1);
  ht_volume volume = import("");
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

HT_TEST(files_without_preamble_are_read) {
  for (int k = 0; k < 3; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    image.flags = WITHOUT_PREAMBLE;
    image.syntax = k == 1 ? "implicit" : "explicit";
    snprintf(name, sizeof name, "%d", k);
    write_image(name, image, k);
  }
  ht_volume volume = import("");
  assert_default_grid(&volume.grid, 3);
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

HT_TEST(positions_may_be_rounded) {
  const double rounding[4] = {0.004, -0.003, 0.002, -0.004}; /* as if written with 2 decimals */
  for (int k = 0; k < 4; k++) {
    char name[16];
    dicom_image image = dicom_image_default(k);
    image.position[2] += rounding[k];
    snprintf(name, sizeof name, "%d", k);
    write_image(name, image, k);
  }
  ht_volume volume = import("");
  assert_values(&volume, 0, 1);
  ht_volume_free(&volume);
}

typedef struct {
  int calls, stop_at;
  double last;
} watch;

static int on_progress(void *user, const char *stage, double done, double total, const char *note) {
  watch *w = user;
  assert_string_equal(stage, "import");
  assert_true(*note != 0);
  assert_true(done <= total);
  w->last = done;
  return ++w->calls == w->stop_at;
}

HT_TEST(progress_is_reported_and_can_stop_it) {
  write_series(6);
  watch w = {0, 0, 0};
  ht_progress progress = {.report = on_progress, .user = &w};
  ht_volume volume;
  assert_int_equal(ht_import_volume(in_scratch(""), NULL, &progress, &volume), HT_OK);
  assert_true(w.calls >= 3 && w.last > 0);
  ht_volume_free(&volume);
  for (int stop = 1; stop <= 3; stop++) {
    w = (watch){0, stop, 0};
    assert_int_equal(ht_import_volume(in_scratch(""), NULL, &progress, &volume),
                     HT_ERR_INTERRUPTED);
    assert_null(volume.values);
  }
}

HT_TEST(folders_behind_links_and_far_down_are_looked_into) {
  char deep[200] = "1";
  scratch_folder(deep);
  for (int i = 0; i < 30; i++) scratch_folder(strcat(deep, "/1"));
  scratch_folder("links");
  scratch_folder("scan");
  assert_int_equal(symlink(in_scratch("scan"), in_scratch("links/scan")), 0);
  assert_int_equal(symlink(in_scratch("links"), in_scratch("links/round")), 0);
  for (int k = 0; k < 3; k++) {
    char name[PATH_BYTES];
    snprintf(name, sizeof name, "%s/%d", deep, k);
    write_image(name, dicom_image_default(k), k);
    snprintf(name, sizeof name, "scan/%d", k);
    write_image(name, dicom_image_default(k), k);
  }
  const char *folders[] = {"1", "links"};
  for (int i = 0; i < 2; i++) {
    ht_volume volume = import(folders[i]);
    assert_default_grid(&volume.grid, 3);
    ht_volume_free(&volume);
  }
}

/* Opening a pipe would wait for whoever writes into it. */
HT_TEST(a_pipe_in_the_folder_is_left_out) {
  ht_volume volume;
  ht_import_notes notes;
  ht_identity found[4];
  ht_import_options options = {.notes = &notes};
  write_series(3);
  assert_int_equal(mkfifo(in_scratch("pipe.dcm"), 0600), 0);
  alarm(60);
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  ht_volume_free(&volume);
  assert_non_null(strstr(notes.text, "a pipe, a socket or a device: 'pipe.dcm'"));
  assert_import_refused("pipe.dcm", HT_ERR_FORMAT, "neither a file nor a folder");
  assert_int_equal(ht_import_identities(in_scratch("pipe.dcm"), NULL, found, 4), 0);
  alarm(0);
}

/* Some disc images and copies have them; as elements they would be half a minute's work. */
HT_TEST(zeros_behind_the_pixels_cost_nothing) {
  const double most_s = 6; /* of computing: milliseconds, where they are not read */
  ht_volume volume;
  write_series(4);
  assert_int_equal(truncate(in_scratch("slice-2.dcm"), 100 << 20), 0);
  clock_t begin = clock();
  assert_int_equal(ht_import_volume(in_scratch(""), NULL, NULL, &volume), HT_OK);
  assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < most_s);
  assert_int_equal(volume.grid.dim[2], 4);
  ht_volume_free(&volume);
}

/* Files that a first look has listed and read are not listed and read again: a file that comes
 * later is not seen, and a header that changes keeps its series. (A run refuses both:
 * input_stamps.h.) */
HT_TEST(a_look_is_taken_over) {
  ht_volume volume;
  ht_path_list files = {0};
  ht_identity with[4], without[4];
  dicom_image moved = dicom_image_default(1);
  write_series(3);
  assert_int_equal(ht_path_list_folder(in_scratch(""), 1, &files), HT_OK);
  ht_dicom_look look = {.files = &files};
  ht_import_options options = {.look = &look};
  const int found = ht_import_identities(in_scratch(""), NULL, without, 4);
  assert_int_equal(ht_import_identities(in_scratch(""), &look, with, 4), found);
  assert_int_equal(look.count, 3);
  assert_memory_equal(with, without, (size_t)found * sizeof *with);
  write_image("slice-3.dcm", dicom_image_default(3), 3);
  moved.series = "9.9.9";
  write_image("slice-1.dcm", moved, 1);
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  assert_default_grid(&volume.grid, 3);
  ht_volume_free(&volume);
  ht_dicom_look_free(&look);
  ht_path_list_free(&files);
  assert_import_refused("", HT_ERR_SERIES, "1 slice is missing");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_series_becomes_a_volume),
      TEST(slices_sort_by_position_not_by_name_or_number),
      TEST(a_file_stands_for_its_series),
      TEST(files_in_folders_below_count_and_others_do_not),
      TEST(oblique_slices_keep_their_places),
      TEST(every_transfer_syntax_gives_the_same_values),
      TEST(bits_stored_and_sign_are_heeded),
      TEST(a_high_bit_above_the_stored_ones_is_heeded),
      TEST(pixels_of_8_bits_are_read),
      TEST(padded_pixels_get_the_smallest_value),
      TEST(slope_and_intercept_are_those_of_each_slice),
      TEST(monochrome1_does_not_change_the_values),
      TEST(second_copies_of_an_image_are_left_out),
      TEST(a_readable_copy_is_preferred),
      TEST(files_without_preamble_are_read),
      TEST(positions_may_be_rounded),
      TEST(progress_is_reported_and_can_stop_it),
      TEST(folders_behind_links_and_far_down_are_looked_into),
      TEST(a_pipe_in_the_folder_is_left_out),
      TEST(a_look_is_taken_over),
      TEST(zeros_behind_the_pixels_cost_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
