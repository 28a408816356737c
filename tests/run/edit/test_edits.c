/* run/edit: the list of steps survives a kill at every byte, and its mask is the same however it is
 * reached. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "core/disk/file.h"
#include "export/files/result_files.h"
#include "import/import.h"
#include "run/edit/edits_mask.h"
#include "run/edit/step_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a step as text ---- */

static void round_trip(const char *text) {
  ht_edit_step step;
  char *written = NULL;
  size_t length;
  if (ht_edit_step_parse(text, strlen(text), &step) != HT_OK) fail_msg("%s", ht_error_message());
  FILE *stream = open_memstream(&written, &length);
  ht_edit_step_write(&step, stream);
  fclose(stream);
  assert_string_equal(written, text);
  free(written);
  ht_edit_step_free(&step);
}

HT_TEST(a_step_is_written_as_it_was_read) {
  round_trip("{\"step\": \"paint\", \"places_mm\": [[1.5, -2, 3.125]], \"radius_mm\": 0.75}");
  round_trip(
      "{\"step\": \"erase\", \"places_mm\": [[1.5, -2, 3], [0, 0, 0.001]], \"radius_mm\": 2, "
      "\"direction\": [0.5, 0, -0.866025], \"thickness_mm\": 1.25}");
  round_trip("{\"step\": \"cut\", \"places_mm\": [[0, 0, 0]], \"direction\": [0, 0, 1], "
             "\"keep_mm\": [1, 2, 3]}");
  round_trip("{\"step\": \"fill\"}");
  round_trip(
      "{\"step\": \"region\", \"places_mm\": [[1, 2, 3]], \"radius_mm\": 5, \"lower\": -20.5, "
      "\"upper\": 400}");
}

HT_TEST(what_is_no_step_is_refused_by_its_key) {
  static const char *const bad[][2] = {
      {"{\"step\": \"fil\"}", "step"},
      {"{\"places_mm\": [[1, 2, 3]]}", "step"},
      {"{\"step\": \"fill\", \"radius\": 2}", "radius"},
      {"{\"step\": \"paint\", \"places_mm\": [[1, 2]], \"radius_mm\": 2}", "places_mm"},
      {"{\"step\": \"paint\", \"places_mm\": [[1, 2, 3]], \"radius_mm\": -2}", "radius_mm"},
      {"{\"step\": \"paint\", \"places_mm\": [[1, 2, nan]], \"radius_mm\": 2}", "places_mm"},
      {"{\"step\": \"paint\", \"places_mm\": [[1, 2, 1e99]], \"radius_mm\": 2}", "places_mm"},
      {"[1, 2]", "step"},
      {"{\"step\": \"grow\", \"radius_mm\": 1", "step"},
  };
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    ht_edit_step step;
    assert_int_equal(ht_edit_step_parse(bad[b][0], strlen(bad[b][0]), &step), HT_ERR_USAGE);
    if (!strstr(ht_error_message(), bad[b][1])) fail_msg("%s: %s", bad[b][0], ht_error_message());
  }
}

/* ---- a case ---- */

static char folder[64];

static void path_of(const char *name, char path[HT_PATH_MAX]) {
  assert_int_equal(ht_path_join(path, folder, name), HT_OK);
}

static int make_case(void **state) {
  static ht_manifest record;
  static ht_case settings;
  char path[HT_PATH_MAX];
  ht_mask mask;
  (void)state;
  strcpy(folder, "/tmp/hemotile-edits-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  ht_grid grid = ht_grid_make(20, 18, 22);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = 0.5, grid.origin_mm[a] = 3 * a;
  if (ht_mask_alloc(&grid, &mask) != HT_OK) return 1;
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    mask.inside[v] = hypot(at[0] - 10, at[1] - 9) <= 4 && at[2] > 2 && at[2] < 20;
  }
  path_of(HT_FILE_DRAWN, path);
  if (ht_export_mask(path, &mask) != HT_OK) return 1;
  path_of(HT_FILE_MASK, path);
  if (ht_export_mask(path, &mask) != HT_OK) return 1;
  ht_mask_free(&mask);
  ht_case_defaults(&settings);
  memset(&record, 0, sizeof record);
  record.has_mask = 1;
  strcpy(record.input_sha256, "1234");
  strcpy(record.stage[HT_STAGE_SEGMENT].ended, "2026-11-29T00:00:00Z");
  record.stage[HT_STAGE_SEGMENT].seconds = 1;
  if (ht_hash_file(path, record.mask_sha256) != HT_OK) return 1;
  path_of(HT_FILE_MANIFEST, path);
  return ht_manifest_write(path, &record, &settings) != HT_OK;
}

static int remove_case(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void do_text(ht_edits *edits, const char *text) {
  ht_edit_step step;
  assert_int_equal(ht_edit_step_parse(text, strlen(text), &step), HT_OK);
  if (ht_edits_do(edits, -1, &step, NULL) != HT_OK) fail_msg("%s", ht_error_message());
  ht_edit_step_free(&step);
}

static const char *const lines[] = {
    "{\"step\": \"erase\", \"places_mm\": [[6.5, 7.5, 11]], \"radius_mm\": 1.5}",
    "{\"step\": \"paint\", \"places_mm\": [[2.5, 7.5, 11], [3, 8, 12]], \"radius_mm\": 1}",
    "{\"step\": \"grow\", \"radius_mm\": 0.5}",
    "{\"step\": \"cut\", \"places_mm\": [[5, 7.5, 13]], \"direction\": [0.1, 0, -1]}",
};

/* Hashes the mask as it goes to the pipeline. */
static uint64_t hash_of(const ht_edits *edits) {
  uint64_t value = 14695981039346656037u;
  ht_mask mask;
  assert_int_equal(ht_edited_result(&edits->edited, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++)
    value = (value ^ mask.inside[v]) * 1099511628211u;
  for (int a = 0; a < 3; a++) value = (value ^ (uint64_t)mask.grid.dim[a]) * 1099511628211u;
  ht_mask_free(&mask);
  return value;
}

static uint64_t hash_in_folder(int *position) {
  ht_edits edits;
  if (ht_edits_open(folder, &edits) != HT_OK) fail_msg("%s", ht_error_message());
  const uint64_t value = hash_of(&edits);
  if (position) *position = edits.position;
  ht_edits_free(&edits);
  return value;
}

HT_TEST(steps_undo_and_redo_are_there_when_the_case_is_opened_again) {
  ht_edits edits;
  uint64_t after[5];
  int position;
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  after[0] = hash_of(&edits);
  for (int s = 0; s < 4; s++) {
    do_text(&edits, lines[s]);
    after[s + 1] = hash_of(&edits);
    assert_true(after[s + 1] != after[s]);
    assert_true(hash_in_folder(&position) == after[s + 1]);
    assert_int_equal(position, s + 1);
  }
  assert_int_equal(ht_edits_move(&edits, -1, 1, NULL), HT_OK);
  assert_true(hash_of(&edits) == after[1]);
  assert_true(hash_in_folder(&position) == after[1]);
  assert_int_equal(position, 1);
  assert_int_equal(ht_edits_move(&edits, -1, 3, NULL), HT_OK);
  assert_true(hash_of(&edits) == after[3] && hash_in_folder(NULL) == after[3]);
  assert_int_equal(ht_edits_move(&edits, -1, 5, NULL), HT_ERR_USAGE);
  assert_int_equal(ht_edits_move(&edits, -1, -1, NULL), HT_ERR_USAGE);
  assert_int_equal(ht_edits_move(&edits, -1, 0, NULL), HT_OK);
  assert_true(hash_of(&edits) == after[0]);
  /* A step drops those that were undone. */
  do_text(&edits, lines[1]);
  assert_int_equal(edits.file.entries, 1);
  const uint64_t other = hash_of(&edits);
  assert_true(hash_in_folder(&position) == other && position == 1);
  ht_edits_free(&edits);
}

HT_TEST(a_page_that_does_not_know_the_last_step_is_told) {
  ht_edits one, other;
  ht_edit_step step;
  ht_box changed;
  assert_int_equal(ht_edits_open(folder, &one), HT_OK);
  assert_int_equal(ht_edits_open(folder, &other), HT_OK);
  assert_int_equal(ht_edit_step_parse(lines[0], strlen(lines[0]), &step), HT_OK);
  assert_int_equal(ht_edits_do(&one, one.file.lines, &step, &changed), HT_OK);
  /* the ball of 3 voxels around (13, 9, 10), as far as the tube of 4 around (10, 9) has it */
  assert_int_equal(changed.first[0], 10);
  assert_int_equal(changed.last[0], 14);
  assert_int_equal(changed.first[2], 7);
  assert_int_equal(ht_edits_do(&other, other.file.lines, &step, NULL), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "another page"));
  assert_true(hash_of(&other) == hash_of(&one)); /* it knows now */
  ht_edit_step_free(&step);
  assert_int_equal(ht_edit_step_parse(lines[1], strlen(lines[1]), &step), HT_OK);
  assert_int_equal(ht_edits_do(&other, other.file.lines, &step, NULL), HT_OK);
  assert_int_equal(ht_edits_move(&one, one.file.lines, 0, NULL), HT_ERR_USAGE);
  assert_int_equal(ht_edits_move(&one, one.file.lines, 0, NULL), HT_OK);
  assert_int_equal(ht_edits_refresh(&other), HT_OK);
  assert_int_equal(other.position, 0);
  ht_edit_step_free(&step);
  ht_edits_free(&one);
  ht_edits_free(&other);
}

/* A kill or a full disk can cut the last line at any byte: the steps before it are there, and the
 * next step is appended as if it had never been. */
HT_TEST(a_line_that_is_cut_off_at_any_byte_loses_no_other) {
  char path[HT_PATH_MAX], copy[HT_PATH_MAX];
  struct stat two, three;
  uint64_t after[4];
  ht_edits edits;
  path_of(HT_FILE_EDITS, path);
  path_of("copy", copy);
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  for (int s = 0; s < 3; s++) {
    do_text(&edits, lines[s]);
    after[s] = hash_of(&edits);
    assert_int_equal(stat(path, s == 1 ? &two : &three), 0);
  }
  after[3] = after[2];
  ht_edits_free(&edits);
  assert_int_equal(ht_file_copy(path, copy), HT_OK);
  for (off_t size = two.st_size; size < three.st_size; size++) {
    assert_int_equal(ht_file_copy(copy, path), HT_OK);
    assert_int_equal(truncate(path, size), 0);
    assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
    assert_int_equal(edits.position, 2);
    assert_int_equal(edits.file.was_torn, size > two.st_size);
    assert_true(hash_of(&edits) == after[1]);
    if (size % 8 == 0) {
      do_text(&edits, lines[2]);
      assert_true(hash_of(&edits) == after[2] && hash_in_folder(NULL) == after[2]);
    }
    ht_edits_free(&edits);
  }
  /* The first line, too: there is no list then, and it is said. */
  assert_int_equal(truncate(path, 20), 0);
  assert_int_equal(ht_edits_open(folder, &edits), HT_ERR_FORMAT);
}

/* A disk that is full in the middle of a line: the step is not done, and the file is as before. */
HT_TEST(a_full_disk_loses_no_step_and_leaves_no_half) {
  char path[HT_PATH_MAX];
  struct stat before, after;
  struct rlimit limit, full;
  ht_edits edits;
  ht_edit_step step;
  path_of(HT_FILE_EDITS, path);
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  do_text(&edits, lines[0]);
  const uint64_t first = hash_of(&edits);
  assert_int_equal(stat(path, &before), 0);
  assert_int_equal(ht_edit_step_parse(lines[1], strlen(lines[1]), &step), HT_OK);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  full = limit;
  full.rlim_cur = (rlim_t)before.st_size + 10;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
  const ht_status status = ht_edits_do(&edits, -1, &step, NULL);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(status, HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), "the step is not done"));
  assert_int_equal(stat(path, &after), 0);
  assert_int_equal(after.st_size, before.st_size);
  assert_int_equal(edits.position, 1);
  assert_true(hash_of(&edits) == first);
  assert_int_equal(ht_edits_do(&edits, -1, &step, NULL), HT_OK);
  const uint64_t second = hash_of(&edits);
  assert_true(second != first && hash_in_folder(NULL) == second);
  ht_edit_step_free(&step);
  ht_edits_free(&edits);
}

HT_TEST(a_damaged_line_or_another_first_mask_is_refused) {
  char path[HT_PATH_MAX];
  ht_edits edits;
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  do_text(&edits, lines[0]);
  ht_edits_free(&edits);
  path_of(HT_FILE_EDITS, path);
  FILE *file = fopen(path, "a");
  fputs("{\"step\": \"pain\"}\n", file);
  fclose(file);
  assert_int_equal(ht_edits_open(folder, &edits), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "line 3"));
  struct stat is;
  assert_int_equal(stat(path, &is), 0);
  assert_int_equal(truncate(path, is.st_size - 17), 0);
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  ht_edits_free(&edits);
  path_of(HT_FILE_EDITS_BASE, path);
  file = fopen(path, "a");
  fputs("x", file);
  fclose(file);
  assert_int_equal(ht_edits_open(folder, &edits), HT_ERR_CASE);
}

HT_TEST(a_kept_mask_is_taken_only_if_it_is_of_these_steps) {
  char path[HT_PATH_MAX];
  ht_edits edits;
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  for (int s = 0; s < 3; s++) do_text(&edits, lines[s]);
  assert_int_equal(ht_edits_keep(&edits), HT_OK);
  const uint64_t third = hash_of(&edits);
  do_text(&edits, lines[3]);
  const uint64_t fourth = hash_of(&edits);
  ht_edits_free(&edits);
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  assert_int_equal(edits.first_delta, 3); /* it was read */
  assert_true(hash_of(&edits) == fourth);
  /* Undo goes on before what was read. */
  assert_int_equal(ht_edits_move(&edits, -1, 2, NULL), HT_OK);
  assert_int_equal(edits.first_delta, 0);
  do_text(&edits, lines[3]);
  const uint64_t other = hash_of(&edits);
  ht_edits_free(&edits);
  assert_true(hash_in_folder(NULL) == other && other != third);
  /* A damaged one is as none. */
  path_of(HT_FILE_EDITS_MASK, path);
  assert_int_equal(truncate(path, 200), 0);
  assert_true(hash_in_folder(NULL) == other);
}

/* ---- the pipeline's mask ---- */

static ht_manifest *read_record(void) {
  static ht_manifest record;
  char path[HT_PATH_MAX];
  path_of(HT_FILE_MANIFEST, path);
  assert_int_equal(ht_manifest_read(path, &record), HT_OK);
  return &record;
}

static void hash_mask(char hex[HT_HASH_TEXT]) {
  char path[HT_PATH_MAX];
  path_of(HT_FILE_MASK, path);
  assert_int_equal(ht_hash_file(path, hex), HT_OK);
}

HT_TEST(the_corrected_mask_takes_the_place_of_the_mask) {
  char path[HT_PATH_MAX], own[HT_HASH_TEXT], hex[HT_HASH_TEXT], again[HT_HASH_TEXT];
  ht_manifest *record = read_record();
  ht_edits edits;
  ht_edits_known known;
  ht_mask mask;
  hash_mask(own);
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  for (int s = 0; s < 3; s++) do_text(&edits, lines[s]);
  assert_int_equal(ht_edits_look(folder, own, &known), HT_OK);
  assert_true(known.is_pending && !known.is_made && known.steps == 3);
  assert_int_equal(ht_edits_write_mask(&edits, record, 0, NULL), HT_OK);
  hash_mask(hex);
  assert_int_equal(ht_edits_look(folder, hex, &known), HT_OK);
  assert_true(!known.is_pending && known.is_made);
  path_of(HT_FILE_MASK, path);
  assert_int_equal(ht_import_mask(path, &mask), HT_OK);
  assert_int_equal(ht_mask_count(&mask), edits.edited.voxels);
  ht_mask_free(&mask);
  /* Killed before the mask had its name: it is done again. */
  path_of(HT_FILE_EDITS_BASE, path);
  char to[HT_PATH_MAX];
  path_of(HT_FILE_MASK, to);
  assert_int_equal(ht_file_copy(path, to), HT_OK);
  assert_int_equal(ht_edits_look(folder, own, &known), HT_OK);
  assert_true(known.is_pending);
  assert_int_equal(ht_edits_write_mask(&edits, record, 0, NULL), HT_OK);
  hash_mask(again);
  assert_string_equal(again, hex);
  /* Without steps it is hemotile's own again, bit for bit. */
  assert_int_equal(ht_edits_move(&edits, -1, 0, NULL), HT_OK);
  assert_int_equal(ht_edits_write_mask(&edits, record, 0, NULL), HT_OK);
  hash_mask(again);
  assert_string_equal(again, own);
  /* A mask of another program is not replaced, but kept. */
  FILE *file = fopen(to, "a");
  fputs("x", file);
  fclose(file);
  assert_int_equal(ht_edits_move(&edits, -1, 3, NULL), HT_OK);
  assert_int_equal(ht_edits_write_mask(&edits, record, 0, NULL), HT_ERR_USAGE);
  assert_int_equal(ht_edits_write_mask(&edits, record, 1, NULL), HT_OK);
  hash_mask(again);
  assert_string_equal(again, hex);
  path_of("mask_edited_1.nii.gz", path);
  assert_true(ht_file_exists(path));
  ht_edits_free(&edits);
}

HT_TEST(steps_of_another_vessel_are_set_aside) {
  char path[HT_PATH_MAX], aside[64];
  ht_manifest *record = read_record();
  ht_edits edits;
  int made;
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  do_text(&edits, lines[0]);
  ht_edits_free(&edits);
  strcpy(record->input_sha256, "5678");
  assert_int_equal(ht_edits_after_segment(folder, record, NULL, &made, aside), HT_OK);
  assert_int_equal(made, 0);
  assert_string_equal(aside, "edits_1.jsonl");
  path_of("edits_1_base.nii.gz", path);
  assert_true(ht_file_exists(path));
  path_of(HT_FILE_EDITS, path);
  assert_false(ht_file_exists(path));
  assert_int_equal(ht_edits_after_segment(folder, record, NULL, &made, aside), HT_OK);
  assert_string_equal(aside, "");
}

/* On a lattice twice as fine the corrections are the same tissue, and the mask elsewhere is that of
 * the lattice. */
HT_TEST(corrections_come_to_another_lattice) {
  char path[HT_PATH_MAX], aside[64];
  ht_manifest *record = read_record();
  ht_edits edits;
  ht_mask fine, mask;
  int made;
  assert_int_equal(ht_edits_open(folder, &edits), HT_OK);
  do_text(&edits, lines[0]);
  do_text(&edits, lines[1]);
  ht_grid grid = ht_grid_make(40, 36, 44);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = 0.25, grid.origin_mm[a] = 3 * a - 0.125;
  assert_int_equal(ht_mask_alloc(&grid, &fine), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double place[3];
    ht_grid_voxel_position(&grid, v, place);
    fine.inside[v] = hypot(place[0] - 5, place[1] - 7.5) <= 2 && place[2] > 7.2 && place[2] < 15.9;
  }
  path_of(HT_FILE_MASK, path);
  assert_int_equal(ht_export_mask(path, &fine), HT_OK);
  assert_int_equal(ht_hash_file(path, record->mask_sha256), HT_OK);
  assert_int_equal(ht_edits_after_segment(folder, record, NULL, &made, aside), HT_OK);
  assert_true(made && !aside[0]);
  assert_int_equal(ht_import_mask(path, &mask), HT_OK);
  assert_near(mask.grid.spacing_mm[0], 0.25, 1e-6);
  int wrong = 0, differ = 0, voxels = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&mask.grid, v, p);
    const double ball = hypot(hypot(p[0] - 6.5, p[1] - 7.5), p[2] - 11) - 1.5,
                 tube = fmax(hypot(p[0] - 5, p[1] - 7.5) - 2, fmax(7.2 - p[2], p[2] - 15.9));
    const double share =
                     fmin(1, fmax(0, ((p[0] - 2.5) * 0.5 + (p[1] - 7.5) * 0.5 + p[2] - 11) / 1.5)),
                 way[3] = {p[0] - 2.5 - 0.5 * share, p[1] - 7.5 - 0.5 * share, p[2] - 11 - share},
                 painted = hypot(hypot(way[0], way[1]), way[2]) - 1;
    const double off = fmin(fmax(tube, -ball), painted);
    const int wanted = off <= 0;
    voxels += wanted;
    differ += wanted != mask.inside[v];
    wrong += wanted != mask.inside[v] && fabs(off) > 0.5; /* a voxel of the steps' lattice */
  }
  assert_int_equal(wrong, 0);
  assert_true(differ < 0.05 * voxels);
  /* Not into the mask of a segmentation that failed: it may be of any vessel. */
  record->stage[HT_STAGE_SEGMENT].ended[0] = 0;
  assert_int_equal(ht_edits_write_mask(&edits, record, 0, NULL), HT_ERR_CASE);
  ht_mask_free(&mask);
  ht_mask_free(&fine);
  ht_edits_free(&edits);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_case, remove_case)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_written_as_it_was_read),
      cmocka_unit_test(what_is_no_step_is_refused_by_its_key),
      CASE(steps_undo_and_redo_are_there_when_the_case_is_opened_again),
      CASE(a_page_that_does_not_know_the_last_step_is_told),
      CASE(a_line_that_is_cut_off_at_any_byte_loses_no_other),
      CASE(a_full_disk_loses_no_step_and_leaves_no_half),
      CASE(a_damaged_line_or_another_first_mask_is_refused),
      CASE(a_kept_mask_is_taken_only_if_it_is_of_these_steps),
      CASE(the_corrected_mask_takes_the_place_of_the_mask),
      CASE(steps_of_another_vessel_are_set_aside),
      CASE(corrections_come_to_another_lattice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
