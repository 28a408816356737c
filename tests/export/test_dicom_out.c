/* DICOM objects as public readers (pydicom, dciodvfy) find them: values, places, units, names. */
#include "tests/check.h"
#include "export/drawing/canvas.h"
#include "tests/export/expected_file.h"
#include "export/export.h"
#include "tests/export/voxel_pipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const ht_dicom_study patient = {
    .patient_name = "D\xc3\x96"
                    "E^JANE",
    .patient_id = "4711",
    .birth_date = "19310407",
    .sex = "F",
    .study_uid = "1.2.3.4",
    .frame_uid = "1.2.3.5",
    .study_date = "20190823",
    .study_time = "101112",
    .study_id = "7",
    .accession = "998877",
};

/* Runs the reader for one file; `kind` selects its checks. */
static void check(const char *path, const char *kind) {
  char argument[300];
  snprintf(argument, sizeof argument, "%s '%s'", kind, path);
  assert_int_equal(ht_test_python("check_dicom.py", argument), 0);
}

static void expect_values(const char *path, const ht_grid *grid, const void *values, size_t size) {
  char raw[300];
  snprintf(raw, sizeof raw, "%s.raw", path);
  ht_test_write(raw, values, size);
  ht_test_write_grid(path, grid);
}

/* Checks a segmentation of 105 voxels, which are no whole number of bytes; every plane begins
 * inside one. */
static void test_segmentation(void **unused) {
  (void)unused;
  const double angle[3] = {0.3, 0.2, -1};
  for (int left = 0; left < 2; left++) {
    ht_grid grid = ht_test_grid(7, 5, 3, angle, left);
    ht_mask mask;
    const char *path = ht_test_path(left ? "left.dcm" : "right.dcm");
    assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
    for (int v = 0; v < 105; v++) mask.inside[v] = v % 3 == 0 || v == 104;
    assert_int_equal(ht_dicom_segmentation(path, &patient, &mask), HT_OK);
    expect_values(path, &grid, mask.inside, 105);
    check(path, "segmentation");
    ht_mask_free(&mask);
  }
}

/* A pipe across the lattice with Poiseuille's flow, on a grid larger than its domain at one end. */
typedef struct {
  ht_domain domain;
  ht_flow flow;
  ht_surface surface;
  ht_grid grid; /* of the maps */
  float *values;
  int low; /* the grid's place on the domain's, along each axis */
} pipe_flow;

static void make_pipe(pipe_flow *of) {
  const double angle[3] = {0.3, 0.2, -1};
  ht_pipe pipe = {.across = 12, .length = 30, .spacing_mm = 0.2, .direction = {1, 0.3, 0.17}};
  ht_grid frame = ht_test_grid(1, 1, 1, angle, 1);
  double at[3];
  memset(of, 0, sizeof *of);
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 0.5, &of->domain), HT_OK);
  assert_int_equal(ht_pipe_flow(&pipe, &of->domain, 0.5, 0.0035, &of->flow), HT_OK);
  assert_int_equal(ht_surface_build(&of->domain, &of->surface), HT_OK);
  assert_int_equal(ht_surface_load(&of->surface, &of->domain, &of->flow), HT_OK);
  of->grid = of->domain.mask.grid;
  of->low = -2;
  ht_grid_position(&of->domain.mask.grid, (const double[3]){of->low, of->low, of->low}, at);
  for (int a = 0; a < 3; a++) {
    of->grid.dim[a] += 3;
    of->grid.origin_mm[a] = at[a];
  }
  of->values = calloc((size_t)ht_grid_voxels(&of->grid), sizeof *of->values);
  assert_non_null(of->values);
}

static void free_pipe(pipe_flow *of) {
  free(of->values);
  ht_surface_free(&of->surface);
  ht_flow_free(&of->flow);
  ht_domain_free(&of->domain);
}

/* The voxel of the domain at one of the grid; -1 outside, or no vessel. */
static int64_t voxel_of(const pipe_flow *of, const int at[3]) {
  const ht_mask *mask = &of->domain.mask;
  int there[3] = {at[0] + of->low, at[1] + of->low, at[2] + of->low};
  if (!ht_voxel_in_grid(mask->grid.dim, there)) return -1;
  int64_t v = ht_voxel_index(mask->grid.dim, there);
  return mask->inside[v] == HT_VESSEL ? v : -1;
}

static void test_speed(void **unused) {
  (void)unused;
  pipe_flow of;
  make_pipe(&of);
  const char *path = ht_test_path("speed.dcm");
  for (int64_t g = 0; g < ht_grid_voxels(&of.grid); g++) {
    int at[3];
    ht_voxel_place(of.grid.dim, g, at);
    int64_t v = voxel_of(&of, at);
    if (v < 0) continue;
    const float *u = of.flow.velocity_m_s + 3 * ht_flow_node(&of.flow, v);
    of.values[g] = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  assert_int_equal(ht_dicom_speed(path, &patient, &of.domain, &of.flow, &of.grid), HT_OK);
  expect_values(path, &of.grid, of.values, sizeof(float) * (size_t)ht_grid_voxels(&of.grid));
  check(path, "speed");
  free_pipe(&of);
}

/* Tells whether the voxel is at the wall: next to solid. */
static int touches(const pipe_flow *of, const int at[3]) {
  const ht_mask *mask = &of->domain.mask;
  int there[3];
  for (int n = 0; n < 27; n++) {
    there[0] = at[0] + of->low + n % 3 - 1;
    there[1] = at[1] + of->low + n / 3 % 3 - 1;
    there[2] = at[2] + of->low + n / 9 - 1;
    if (ht_voxel_in_grid(mask->grid.dim, there) &&
        mask->inside[ht_voxel_index(mask->grid.dim, there)] == HT_SOLID)
      return 1;
  }
  return 0;
}

/* The value of the nearest point of those whose voxel is at most one away along each axis, by
 * trying all; -1: none. */
static float nearest_load(const pipe_flow *of, const int at[3]) {
  double index[3], least = 1e9;
  float value = HT_DICOM_NO_LOAD;
  for (int64_t p = 0; p < of->surface.points; p++) {
    const float *point = of->surface.point_mm + 3 * p;
    ht_grid_index(&of->grid, (const double[3]){point[0], point[1], point[2]}, index);
    int beside = 1;
    for (int a = 0; a < 3; a++) beside = beside && abs((int)lround(index[a]) - at[a]) <= 1;
    double off = hypot(hypot(index[0] - at[0], index[1] - at[1]), index[2] - at[2]);
    if (!beside || off >= least) continue;
    least = off;
    value = of->surface.wss_mag_pa[p];
  }
  return value;
}

static void test_wall(void **unused) {
  (void)unused;
  pipe_flow of;
  make_pipe(&of);
  const char *path = ht_test_path("wall.dcm");
  int loaded = 0;
  for (int64_t g = 0; g < ht_grid_voxels(&of.grid); g++) {
    int at[3];
    ht_voxel_place(of.grid.dim, g, at);
    of.values[g] = HT_DICOM_NO_LOAD;
    if (voxel_of(&of, at) < 0 || !touches(&of, at)) continue;
    of.values[g] = nearest_load(&of, at);
    loaded += of.values[g] >= 0;
  }
  assert_true(loaded > 500);
  const ht_dicom_load load = {&of.surface, of.surface.wss_mag_pa, HT_DICOM_WSS};
  assert_int_equal(ht_dicom_wall(path, &patient, &of.domain, &of.flow, &of.grid, &load), HT_OK);
  expect_values(path, &of.grid, of.values, sizeof(float) * (size_t)ht_grid_voxels(&of.grid));
  check(path, "wall");
  of.surface.wss_mag_pa[3] = NAN;
  assert_int_equal(ht_dicom_wall(path, &patient, &of.domain, &of.flow, &of.grid, &load),
                   HT_ERR_DIVERGED);
  free_pipe(&of);
}

/* Pixels of an odd number of bytes, all different. */
static void test_capture(void **unused) {
  (void)unused;
  ht_canvas canvas;
  ht_dicom_place place = {"", 2};
  const char *path = ht_test_path("capture.dcm");
  char picture[300];
  snprintf(picture, sizeof picture, "%s.png", path);
  assert_int_equal(ht_canvas_alloc(31, 17, (ht_rgb){0, 0, 0}, &canvas), HT_OK);
  for (int i = 0; i < 3 * 31 * 17; i++) canvas.rgb[i] = (unsigned char)(i * 7 + i / 256);
  assert_int_equal(ht_canvas_write(&canvas, picture), HT_OK);
  expect_values(path, &(ht_grid){0}, canvas.rgb, 3 * 31 * 17);
  ht_canvas_free(&canvas);
  assert_int_equal(ht_uid_new(place.series_uid), HT_OK);
  assert_int_equal(ht_dicom_capture(path, &patient, &place, picture, "a picture"), HT_OK);
  check(path, "capture");
  ht_test_write(picture, "no picture", 10);
  assert_int_equal(ht_dicom_capture(path, &patient, &place, picture, ""), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), picture));
}

static void test_document(void **unused) {
  (void)unused;
  static const char text[] = "%PDF-1.4 of odd length";
  const char *path = ht_test_path("document.dcm");
  char pdf[300];
  snprintf(pdf, sizeof pdf, "%s.pdf", path);
  ht_test_write(pdf, text, sizeof text - 2);
  assert_int_equal(ht_dicom_document(path, &patient, pdf, "a report"), HT_OK);
  check(path, "document");
  ht_test_write(pdf, "<html>", 6);
  assert_int_equal(ht_dicom_document(path, &patient, pdf, ""), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "not a PDF file"));
  assert_int_equal(ht_dicom_document(path, &patient, "/nowhere.pdf", ""), HT_ERR_FORMAT);
}

/* Checks characters of Latin-1, others, a line that is too long, pages. */
static void test_plain_pdf(void **unused) {
  (void)unused;
  char text[20000] = "  \xc3\xa9t\xc3\xa9 \xe2\x80\x93 5\n", picture[300], pdf[300];
  for (int i = 0; i < 400; i++) strcat(text, i % 7 ? "a word of a long line " : "end\n");
  ht_canvas canvas;
  const char *path = ht_test_path("plain.dcm");
  snprintf(picture, sizeof picture, "%s.png", path);
  snprintf(pdf, sizeof pdf, "%s.pdf", path);
  assert_int_equal(ht_canvas_alloc(300, 20, (ht_rgb){0, 0, 255}, &canvas), HT_OK);
  assert_int_equal(ht_canvas_write(&canvas, picture), HT_OK);
  ht_canvas_free(&canvas);
  ht_pdf_page page = {"D\xc3\x96", text, 1, {picture}, {"a caption"}};
  assert_int_equal(ht_plain_pdf(pdf, &page), HT_OK);
  assert_int_equal(ht_dicom_document(path, &patient, pdf, "a report"), HT_OK);
  check(path, "document");
  page.picture[0] = "/nowhere.png";
  assert_int_equal(ht_plain_pdf(pdf, &page), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "/nowhere.png"));
  page.pictures = 0;
  assert_int_equal(ht_plain_pdf("/nowhere/a.pdf", &page), HT_ERR_WRITE);
}

#ifndef __SANITIZE_ADDRESS__ /* which takes terabytes of addresses for itself */
static double address_space(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_true(file && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  return 4096.0 * (double)pages;
}
#endif

/* The picture of 12 MB has to fit several times: with any less, it is memory that lacks, not the
 * picture that is damaged. */
static void test_little_memory(void **unused) {
  (void)unused;
#ifndef __SANITIZE_ADDRESS__
  char picture[300], pdf[300];
  ht_canvas canvas;
  const ht_dicom_place place = {"1.2.3.9", 1};
  const char *path = ht_test_path("little.dcm");
  int lacks = 0, last = HT_ERR_MEMORY;
  snprintf(picture, sizeof picture, "%s.png", path);
  snprintf(pdf, sizeof pdf, "%s.pdf", path);
  assert_int_equal(ht_canvas_alloc(2000, 2000, (ht_rgb){0, 0, 255}, &canvas), HT_OK);
  assert_int_equal(ht_canvas_write(&canvas, picture), HT_OK);
  ht_canvas_free(&canvas);
  ht_pdf_page page = {"a", "b", 1, {picture}, {"c"}};
  for (int step = 0; step < 24; step++) {
    const struct rlimit little = {(rlim_t)(address_space() + 2.5e6 * step), RLIM_INFINITY};
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    int code[2] = {ht_plain_pdf(pdf, &page),
                   ht_dicom_capture(path, &patient, &place, picture, "a")};
    assert_int_equal(setrlimit(RLIMIT_AS, &all), 0);
    for (int i = 0; i < 2; i++) {
      if (code[i] != HT_OK && code[i] != HT_ERR_MEMORY) fail_msg("%s", ht_error_message());
      lacks += code[i] == HT_ERR_MEMORY;
    }
    last = code[0] == HT_OK ? code[1] : code[0];
  }
  assert_true(lacks > 4);
  assert_int_equal(last, HT_OK);
#endif
}

static void test_too_large(void **unused) {
  (void)unused;
  ht_mask mask = {.grid = ht_grid_make(70000, 2, 2)};
  assert_int_equal(ht_dicom_segmentation(ht_test_path("large.dcm"), &patient, &mask), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "70000 x 2 x 2"));
}

static void test_new_uids(void **unused) {
  (void)unused;
  char one[HT_UID_TEXT], other[HT_UID_TEXT];
  assert_int_equal(ht_uid_new(one), HT_OK);
  assert_int_equal(ht_uid_new(other), HT_OK);
  assert_string_not_equal(one, other);
  /* The UID is 0x0123456789ab8def8123456789abcdef, with the bits set that mark a UUID of a hash. */
  ht_uid_of_hash("0123456789abcdef0123456789abcdef", one);
  assert_string_equal(one, "2.25.1512366075203868706818050733967658479");
  ht_uid_of_hash("0123", one);
  assert_string_equal(one, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_new_uids),      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_segmentation),  cmocka_unit_test(test_speed),
      cmocka_unit_test(test_wall),          cmocka_unit_test(test_capture),
      cmocka_unit_test(test_document),      cmocka_unit_test(test_plain_pdf),
      cmocka_unit_test(test_little_memory),
  };
  if (!ht_test_python_has("pydicom")) {
    printf("needs python3-pydicom\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
