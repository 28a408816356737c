/* A disk that fills up while a file is written, simulated by a limit on the size of files: the
 * message has the reason, no file is left, and a file of that name from before is untouched. */
#define _XOPEN_SOURCE 700
#include "tests/check.h"
#include "tests/export/expected_file.h"
#include "export/export.h"
#include "export/files/image_write.h"
#include "export/files/vtk_file.h"
#include "tests/export/voxel_pipe.h"
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef struct {
  ht_volume scan;
  ht_domain domain;
  ht_flow flow;
  ht_surface surface;
} results;

static results made;

/* Makes results of noise, which does not compress: every format is larger than the limit. */
static int make_results(void **unused) {
  (void)unused;
  ht_pipe pipe = {.across = 24, .length = 60, .spacing_mm = 0.2, .direction = {1, 0.3, 0.17}};
  ht_grid frame = ht_grid_make(1, 1, 1);
  uint32_t state = 1;
  if (ht_voxel_pipe(&pipe, &frame, 0.5, &made.domain) != HT_OK ||
      ht_pipe_flow(&pipe, &made.domain, 0.5, 0.0035, &made.flow) != HT_OK ||
      ht_surface_build(&made.domain, &made.surface) != HT_OK ||
      ht_surface_load(&made.surface, &made.domain, &made.flow) != HT_OK ||
      ht_volume_alloc(&made.domain.mask.grid, &made.scan) != HT_OK)
    return -1;
  for (int64_t v = 0; v < ht_grid_voxels(&made.scan.grid); v++)
    made.scan.values[v] = (float)((state = state * 1664525 + 1013904223) >> 8) * 0.37f;
  return 0;
}

static int free_results(void **unused) {
  (void)unused;
  ht_volume_free(&made.scan);
  ht_surface_free(&made.surface);
  ht_flow_free(&made.flow);
  ht_domain_free(&made.domain);
  return 0;
}

static ht_status write_scan(const char *path) {
  return ht_export_volume(path, &made.scan);
}
static ht_status write_velocity(const char *path) {
  return ht_export_velocity(path, &made.domain, &made.flow, &made.domain.mask.grid);
}
static ht_status write_pressure(const char *path) {
  return ht_export_pressure(path, &made.domain, &made.flow, &made.domain.mask.grid);
}
static ht_status write_vti(const char *path) {
  return ht_export_vti(path, &made.domain, &made.flow, &made.domain.mask.grid);
}
static ht_status write_vtp(const char *path) {
  return ht_export_vtp(path, &made.surface);
}

static const ht_dicom_study study = {.study_uid = "1.2.3", .frame_uid = "1.2.4"};

static ht_status write_dicom_speed(const char *path) {
  return ht_dicom_speed(path, &study, &made.domain, &made.flow, &made.domain.mask.grid);
}
static ht_status write_dicom_wall(const char *path) {
  const ht_dicom_load load = {&made.surface, made.surface.wss_mag_pa, HT_DICOM_WSS};
  return ht_dicom_wall(path, &study, &made.domain, &made.flow, &made.domain.mask.grid, &load);
}
static ht_status write_dicom_mask(const char *path) {
  return ht_dicom_segmentation(path, &study, &made.domain.mask);
}

typedef struct {
  const char *name;
  ht_status (*write)(const char *path);
} writer;

static const writer writers[] = {
    {"scan.nii.gz", write_scan},
    {"scan.nii", write_scan},
    {"scan.nrrd", write_scan},
    {"scan.mha", write_scan},
    {"velocity.nii.gz", write_velocity},
    {"velocity.nrrd", write_velocity},
    {"pressure.nii.gz", write_pressure},
    {"pressure.mha", write_pressure},
    {"flow.vti", write_vti},
    {"wall.vtp", write_vtp},
    {"speed.dcm", write_dicom_speed},
    {"wall.dcm", write_dicom_wall},
    {"mask.dcm", write_dicom_mask},
};
enum { WRITERS = sizeof writers / sizeof *writers };

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Names in the test's folder. */
static int files_there(void) {
  int count = 0;
  DIR *folder = opendir(ht_test_folder());
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));)
    count += entry->d_name[0] != '.' || entry->d_name[1] > '.';
  closedir(folder);
  return count;
}

static ht_status write_limited(const writer *one, const char *path, rlim_t bytes) {
  limit_files(bytes);
  ht_status status = one->write(path);
  limit_files(RLIM_INFINITY);
  return status;
}

/* Checks limits of zero, within the header, and within the voxels. */
static void test_no_file_is_left(void **unused) {
  (void)unused;
  const rlim_t limits[] = {0, 200, 20000};
  for (int w = 0; w < WRITERS; w++) {
    for (int l = 0; l < 3; l++) {
      const char *path = ht_test_path(writers[w].name);
      ht_status status = write_limited(&writers[w], path, limits[l]);
      if (status == HT_OK) print_message("%s: written at %d bytes\n", path, (int)limits[l]);
      assert_int_equal(status, HT_ERR_WRITE);
      assert_non_null(strstr(ht_error_message(), path));
      assert_non_null(strstr(ht_error_message(), "File too large"));
      assert_int_equal(files_there(), 0);
    }
  }
}

/* Checks the last byte, which many libraries write as they close the file. */
static void test_the_last_byte_counts(void **unused) {
  (void)unused;
  for (int w = 0; w < WRITERS; w++) {
    const char *path = ht_test_path(writers[w].name);
    struct stat whole;
    assert_int_equal(writers[w].write(path), HT_OK);
    assert_int_equal(stat(path, &whole), 0);
    remove(path);
    ht_status status = write_limited(&writers[w], path, (rlim_t)whole.st_size - 1);
    if (status == HT_OK) print_message("%s: written without its last byte\n", path);
    assert_int_equal(status, HT_ERR_WRITE);
    assert_int_equal(files_there(), 0);
  }
}

static void test_the_old_file_stays(void **unused) {
  (void)unused;
  for (int w = 0; w < WRITERS; w++) {
    const char *path = ht_test_path(writers[w].name);
    char back[8] = "";
    ht_test_write(path, "before", 6);
    assert_int_equal(write_limited(&writers[w], path, 20000), HT_ERR_WRITE);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(back, 1, sizeof back, stream), 6);
    fclose(stream);
    assert_string_equal(back, "before");
    assert_int_equal(files_there(), 1);
    assert_int_equal(writers[w].write(path), HT_OK); /* and with room it is replaced */
    assert_int_equal(files_there(), 1);
    remove(path);
  }
}

enum { SIDE = 256, LAYERS = 40 }; /* 40 blocks of a file */

/* Makes noise on demand on several cores. `source` counts the calls, one per block. */
static void make_noise(const void *source, int64_t first, int64_t count, void *out) {
  atomic_fetch_add((atomic_int *)(uintptr_t)source, 1);
  uint32_t state = (uint32_t)first;
  for (int64_t i = 0; i < count; i++)
    ((float *)out)[i] = (float)((state = state * 1664525 + 1013904223) >> 8);
}

static void make_noise_part(const void *source, int component, int64_t first, int64_t count,
                            void *out) {
  (void)component;
  make_noise(source, first, count, out);
}

/* Checks that blocks that no longer fit are not compressed either: for a large flow that takes
 * minutes. */
static void test_packing_stops(void **unused) {
  (void)unused;
  const ht_grid grid = ht_grid_make(SIDE, SIDE, LAYERS);
  const int64_t values = ht_grid_voxels(&grid);
  atomic_int packed = 0, written = 0;
  const ht_image_array image = {.grid = &grid,
                                .type = HT_VOXEL_FLOAT,
                                .components = 1,
                                .voxels = &packed,
                                .name = "",
                                .about = "",
                                .part = make_noise_part};
  const ht_vtk_array array = {"Float32", "noise", 1, values, make_noise, &written};
  ht_vtk_file file;
  limit_files(20000);
  ht_status of_image = ht_nifti_write(ht_test_path("noise.nii.gz"), &image);
  assert_int_equal(ht_vtk_open(ht_test_path("noise.vti"), "ImageData", &file), HT_OK);
  ht_vtk_data_array(&file, &array);
  ht_status of_vtk = ht_vtk_close(&file, "ImageData");
  limit_files(RLIM_INFINITY);
  assert_int_equal(of_image, HT_ERR_WRITE);
  assert_int_equal(of_vtk, HT_ERR_WRITE);
  assert_true(packed > 0 && packed <= LAYERS / 2);
  assert_true(written > 0 && written <= LAYERS / 2);
  assert_int_equal(files_there(), 0);
}

static void test_no_folder(void **unused) {
  (void)unused;
  for (int w = 0; w < WRITERS; w++) {
    char name[64];
    snprintf(name, sizeof name, "absent/%s", writers[w].name);
    const char *path = ht_test_path(name);
    assert_int_equal(writers[w].write(path), HT_ERR_WRITE);
    assert_non_null(strstr(ht_error_message(), path));
    assert_non_null(strstr(ht_error_message(), "No such file or directory"));
  }
}

static void test_unknown_ending(void **unused) {
  (void)unused;
  const char *path = ht_test_path("scan.tiff");
  assert_int_equal(write_scan(path), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), ".nii.gz, .nii, .nrrd, .mha"));
  assert_int_equal(files_there(), 0);
}

/* Checks that NaN never reaches a file. */
static void test_not_a_number(void **unused) {
  (void)unused;
  int64_t v = 0;
  while (made.domain.mask.inside[v] != HT_VESSEL) v++;
  float *pressure = made.flow.pressure_pa + ht_flow_node(&made.flow, v), kept = *pressure;
  *pressure = 0.0f / 0.0f;
  assert_int_equal(write_vti(ht_test_path("flow.vti")), HT_ERR_DIVERGED);
  assert_int_equal(write_velocity(ht_test_path("velocity.nii.gz")), HT_ERR_DIVERGED);
  *pressure = kept;
  kept = made.surface.wss_pa[4];
  made.surface.wss_pa[4] = 0.0f / 0.0f;
  assert_int_equal(write_vtp(ht_test_path("wall.vtp")), HT_ERR_DIVERGED);
  made.surface.wss_pa[4] = kept;
  assert_int_equal(files_there(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_file_is_left),    cmocka_unit_test(test_the_last_byte_counts),
      cmocka_unit_test(test_the_old_file_stays), cmocka_unit_test(test_no_folder),
      cmocka_unit_test(test_unknown_ending),     cmocka_unit_test(test_not_a_number),
      cmocka_unit_test(test_packing_stops),
  };
  signal(SIGXFSZ, SIG_IGN);
  return cmocka_run_group_tests(tests, make_results, free_results);
}
