/* Tests of phantom/dicom_series: the files written, refused and left. check_dicom_series.py checks
 * that another reader finds the scan in them. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "core/disk/file.h"
#include "phantom/phantom.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NX = 5, NY = 4, NZ = 3 };

static void assert_ok(ht_status status) {
  if (status != HT_OK) fail_msg("%d: %s", (int)status, ht_error_message());
}

/* A small volume of whole numbers and a folder of its own for each test. */
typedef struct {
  ht_volume volume;
  char folder[64];
} fixture;

static int begin(void **state) {
  fixture *f = calloc(1, sizeof *f);
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  if (!f || ht_volume_alloc(&grid, &f->volume) != HT_OK) return 1;
  for (int v = 0; v < NX * NY * NZ; v++) f->volume.values[v] = (float)(7 * v - 100);
  snprintf(f->volume.modality, sizeof f->volume.modality, "CT");
  snprintf(f->folder, sizeof f->folder, "/tmp/test_dicom_series.XXXXXX");
  *state = f;
  return mkdtemp(f->folder) == NULL;
}

static int end(void **state) {
  fixture *f = *state;
  char command[192];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", f->folder, f->folder);
  int failed = system(command) != 0;
  ht_volume_free(&f->volume);
  free(f);
  return failed;
}

static void inside(const fixture *f, const char *name, char path[HT_PATH_MAX]) {
  snprintf(path, HT_PATH_MAX, "%s/%s", f->folder, name);
}

static int entries(const char *folder) {
  int count = 0;
  DIR *listing = opendir(folder);
  if (!listing) return -1;
  for (struct dirent *entry; (entry = readdir(listing));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(listing);
  return count;
}

/* The bytes of one slice; the caller frees. */
static char *slice_bytes(const char *folder, int number, size_t *size) {
  char path[HT_PATH_MAX];
  struct stat info;
  snprintf(path, sizeof path, "%s/slice-%04d.dcm", folder, number);
  FILE *file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &info) != 0) fail_msg("%s is not there", path);
  char *bytes = malloc((size_t)info.st_size);
  assert_non_null(bytes);
  *size = fread(bytes, 1, (size_t)info.st_size, file);
  assert_int_equal(*size, info.st_size);
  fclose(file);
  return bytes;
}

static int same_series(const char *a, const char *b) {
  int same = 1;
  for (int k = 1; k <= NZ; k++) {
    size_t size[2];
    char *bytes[2] = {slice_bytes(a, k, &size[0]), slice_bytes(b, k, &size[1])};
    same = same && size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
  }
  return same;
}

static void there_is_one_dicom_file_a_slice(void **state) {
  const fixture *f = *state;
  char folder[HT_PATH_MAX];
  inside(f, "new/series", folder); /* neither exists */
  assert_ok(ht_dicom_write_series(folder, &f->volume, "hemotile phantom test", 1));
  assert_int_equal(entries(folder), NZ);
  for (int k = 1; k <= NZ; k++) {
    size_t size;
    char *bytes = slice_bytes(folder, k, &size);
    assert_true(size > 132);
    assert_memory_equal(bytes + 128, "DICM", 4);
    free(bytes);
  }
}

static void the_same_call_writes_the_same_bytes(void **state) {
  const fixture *f = *state;
  char one[HT_PATH_MAX], again[HT_PATH_MAX], other[HT_PATH_MAX];
  inside(f, "one", one), inside(f, "again", again), inside(f, "other", other);
  assert_ok(ht_dicom_write_series(one, &f->volume, "test", 1));
  assert_ok(ht_dicom_write_series(again, &f->volume, "test", 1));
  assert_ok(ht_dicom_write_series(other, &f->volume, "test", 2));
  assert_true(same_series(one, again));
  assert_false(same_series(one, other)); /* another series has other UIDs */
}

static void a_series_is_written_over_itself(void **state) {
  const fixture *f = *state;
  assert_ok(ht_dicom_write_series(f->folder, &f->volume, "test", 1));
  assert_ok(ht_dicom_write_series(f->folder, &f->volume, "test", 1));
  assert_int_equal(entries(f->folder), NZ);
}

static void a_longer_series_is_not_mixed_with_it(void **state) {
  fixture *f = *state;
  assert_ok(ht_dicom_write_series(f->folder, &f->volume, "test", 1));
  f->volume.grid.dim[2] = NZ - 1;
  assert_int_equal(ht_dicom_write_series(f->folder, &f->volume, "test", 1), HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), "slice-0003.dcm"));
  assert_int_equal(entries(f->folder), NZ);
}

static void what_dicom_cannot_hold_is_refused(void **state) {
  fixture *f = *state;
  char folder[HT_PATH_MAX];
  inside(f, "series", folder);
  f->volume.values[17] = NAN;
  assert_int_equal(ht_dicom_write_series(folder, &f->volume, "test", 1), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "voxel 17"));
  assert_false(ht_folder_exists(folder));
  f->volume.values[17] = 0;
  f->volume.grid.spacing_mm[1] = 0;
  assert_int_equal(ht_dicom_write_series(folder, &f->volume, "test", 1), HT_ERR_FORMAT);
  assert_false(ht_folder_exists(folder));
  f->volume.grid.spacing_mm[1] = 1;
  f->volume.grid.dim[0] = 65536;
  assert_int_equal(ht_dicom_write_series(folder, &f->volume, "test", 1), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "65535"));
  f->volume.grid.dim[0] = NX;
}

/* A folder in the place of slice 3: slices 1 and 2 were written and have to be removed. */
static void nothing_is_kept_of_a_series_that_fails(void **state) {
  const fixture *f = *state;
  char obstacle[HT_PATH_MAX];
  inside(f, "slice-0003.dcm", obstacle);
  assert_int_equal(mkdir(obstacle, 0700), 0);
  assert_int_equal(ht_dicom_write_series(f->folder, &f->volume, "test", 1), HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), "slice-0003.dcm"));
  assert_int_equal(entries(f->folder), 1);
}

static void a_file_in_the_place_of_the_folder_is_refused(void **state) {
  const fixture *f = *state;
  char path[HT_PATH_MAX];
  inside(f, "file", path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(ht_dicom_write_series(path, &f->volume, "test", 1), HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), path));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(there_is_one_dicom_file_a_slice),
      TEST(the_same_call_writes_the_same_bytes),
      TEST(a_series_is_written_over_itself),
      TEST(a_longer_series_is_not_mixed_with_it),
      TEST(what_dicom_cannot_hold_is_refused),
      TEST(nothing_is_kept_of_a_series_that_fails),
      TEST(a_file_in_the_place_of_the_folder_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
