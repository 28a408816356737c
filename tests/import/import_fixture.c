#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- Files ---- */

static char folder[PATH_BYTES / 2];

const char *scratch_make(void) {
  const char *home = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/import-XXXXXX", home && *home ? home : "/tmp");
  assert_non_null(mkdtemp(folder));
  return folder;
}

static void remove_all(const char *path) {
  struct dirent *entry;
  DIR *dir = opendir(path);
  while (dir && (entry = readdir(dir))) {
    char inside[PATH_BYTES];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(inside, sizeof inside, "%.330s/%.255s", path, entry->d_name);
    if (unlink(inside) != 0) remove_all(inside);
  }
  if (dir) closedir(dir);
  rmdir(path);
}

void scratch_remove(void) {
  remove_all(folder);
}

int scratch_set_up(void **state) {
  (void)state;
  scratch_make();
  return 0;
}

int scratch_tear_down(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

const char *in_scratch(const char *name) {
  static char path[9][PATH_BYTES];
  static int next;
  next = (next + 1) % 9;
  snprintf(path[next], PATH_BYTES, "%s%s%.255s", folder, *name ? "/" : "", name);
  return path[next];
}

void scratch_folder(const char *name) {
  assert_int_equal(mkdir(in_scratch(name), 0700), 0);
}

void write_bytes(const char *name, const void *bytes, size_t count) {
  FILE *file = fopen(in_scratch(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

void cut_file(const char *name, long bytes) {
  assert_true(bytes < file_bytes(name));
  assert_int_equal(truncate(in_scratch(name), bytes), 0);
}

long file_bytes(const char *name) {
  struct stat info;
  assert_int_equal(stat(in_scratch(name), &info), 0);
  return (long)info.st_size;
}

/* ---- DICOM ---- */

uint16_t pixel_of(int k, int i) {
  return (uint16_t)((700 * k + 37 * i + 5) % 4096);
}

void write_image(const char *name, dicom_image image, int k) {
  enum { PIXELS_MAX = 512 };
  uint16_t pixels[PIXELS_MAX];
  for (int i = 0; i < PIXELS_MAX; i++) pixels[i] = pixel_of(k, i);
  assert_true(image.frames * image.samples * image.rows * image.columns <= PIXELS_MAX);
  if (!image.pixels) image.pixels = pixels;
  if (!dicom_image_write(in_scratch(name), &image)) fail_msg("could not write %s", name);
}

void write_series(int count) {
  for (int k = 0; k < count; k++) {
    char name[32];
    snprintf(name, sizeof name, "slice-%d.dcm", k);
    write_image(name, dicom_image_default(k), k);
  }
}

/* ---- NIfTI: the places are those of nifti1.h ---- */

nifti_file nifti_default(void) {
  nifti_file file = {0};
  const int dim[8] = {3, 5, 4, 3, 1, 1, 1, 1};
  const float pixdim[8] = {1, 0.5f, 0.75f, 1.25f};
  const float rows[3][4] = {{0, -0.75f, 0, 10}, {0.5f, 0, 0, -20}, {0, 0, 1.25f, 30}};
  memcpy(file.dim, dim, sizeof dim);
  memcpy(file.pixdim, pixdim, sizeof pixdim);
  memcpy(file.rows, rows, sizeof rows);
  file.type = 4;
  file.bits = 16;
  file.offset = 352;
  file.units = 2;
  file.sform = 1;
  file.magic = "n+1";
  return file;
}

static void put(unsigned char *at, const void *value, int bytes, int big_endian) {
  const unsigned char *from = value;
  for (int b = 0; b < bytes; b++) at[b] = from[big_endian ? bytes - 1 - b : b];
}

static void put16(unsigned char *header, int at, int value, int big_endian) {
  int16_t number = (int16_t)value;
  put(header + at, &number, 2, big_endian);
}

static void put_floats(unsigned char *header, int at, const float *value, int count, int big) {
  for (int i = 0; i < count; i++) put(header + at + 4 * i, &value[i], 4, big);
}

static void encode(const nifti_file *file, unsigned char header[352]) {
  const int big = file->big_endian;
  int32_t size = 348;
  memset(header, 0, 352);
  put(header, &size, 4, big);
  for (int a = 0; a < 8; a++) put16(header, 40 + 2 * a, file->dim[a], big);
  put16(header, 70, file->type, big);
  put16(header, 72, file->bits, big);
  put_floats(header, 76, file->pixdim, 8, big);
  put_floats(header, 108, &file->offset, 1, big);
  put_floats(header, 112, &file->slope, 1, big);
  put_floats(header, 116, &file->intercept, 1, big);
  header[123] = (unsigned char)file->units;
  put16(header, 252, file->qform, big);
  put16(header, 254, file->sform, big);
  put_floats(header, 256, file->quaternion, 3, big);
  put_floats(header, 268, file->shift, 3, big);
  put_floats(header, 280, file->rows[0], 12, big);
  memcpy(header + 344, file->magic, 4);
}

void nifti_write(const char *name, const nifti_file *file, const void *voxels, size_t bytes) {
  unsigned char header[352];
  encode(file, header);
  size_t length = strlen(name);
  gzFile out = gzopen(in_scratch(name), name[length - 1] == 'z' ? "wb" : "wbT");
  assert_non_null(out);
  assert_int_equal(gzwrite(out, header, sizeof header), sizeof header);
  if (bytes) assert_int_equal(gzwrite(out, voxels, (unsigned)bytes), bytes);
  assert_int_equal(gzclose(out), Z_OK);
}

/* ---- Messages ---- */

void assert_refused(ht_status got, ht_status expected, const char *text) {
  if (got == HT_OK) fail_msg("was not refused; expected \"%s\"", text);
  if (got != expected || !strstr(ht_error_message(), text))
    fail_msg("got %d \"%s\", expected %d and \"%s\"", got, ht_error_message(), expected, text);
}

void assert_import_refused(const char *name, ht_status expected, const char *text) {
  ht_volume volume;
  memset(&volume, 0x55, sizeof volume);
  assert_refused(ht_import_volume(in_scratch(name), NULL, NULL, &volume), expected, text);
  assert_null(volume.values);
  assert_int_equal(volume.grid.dim[0], 0);
  ht_volume_free(&volume);
  if (strstr(ht_error_message(), "(0x")) fail_msg("an address: %s", ht_error_message());
}

/* ---- The scan of 5 x 4 x 3 voxels ---- */

void scan_fill(int16_t voxels[SCAN_VOXELS]) {
  for (int i = 0; i < SCAN_VOXELS; i++) voxels[i] = (int16_t)(17 * i - 300);
}

void scan_write(const char *name, const nifti_file *file) {
  int16_t voxels[SCAN_VOXELS];
  scan_fill(voxels);
  nifti_write(name, file, voxels, sizeof voxels);
}

ht_volume scan_import(const char *name) {
  ht_volume volume;
  ht_status status = ht_import_volume(in_scratch(name), NULL, NULL, &volume);
  if (status != HT_OK) fail_msg("%s: %d %s", name, status, ht_error_message());
  return volume;
}

void assert_all_close(const double *got, const double *expected, int count, double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(got[i] - expected[i]) <= tolerance))
      fail_msg("number %d: got %.10g, expected %.10g", i, got[i], expected[i]);
}

/* The grid of nifti_default in LPS: the first two rows (RAS) change their sign. By hand: i runs
 * along +A, which is -P; j along -R, which is +L; k along +S. */
void assert_scan_grid(const ht_grid *grid) {
  const int dim[3] = {5, 4, 3};
  const double spacing[3] = {0.5, 0.75, 1.25}, origin[3] = {-10, 20, 30};
  const double direction[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  assert_memory_equal(grid->dim, dim, sizeof dim);
  assert_all_close(grid->spacing_mm, spacing, 3, 1e-6); /* float32 of lengths near 1 */
  assert_all_close(grid->origin_mm, origin, 3, 1e-5);
  assert_all_close(grid->direction[0], direction, 9, 1e-6);
}

void assert_scan_voxels(const ht_volume *volume, double slope, double intercept) {
  for (int i = 0; i < SCAN_VOXELS; i++)
    assert_true(volume->values[i] == (float)((17 * i - 300) * slope + intercept));
}

void assert_scan_read(const char *name) {
  ht_volume volume = scan_import(name);
  assert_scan_grid(&volume.grid);
  assert_scan_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
}
