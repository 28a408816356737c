/* The parts of the report: a thinned wall, texts and bytes in the page, the scan's part. */
#include "tests/check.h"

#define _GNU_SOURCE
#include "export/report/page_picture.h"
#include "export/report/page_text.h"
#include "export/report/report_scan.h"
#include "export/report/thin_mesh.h"
#include "tests/export/voxel_pipe.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_pipe(ht_surface *surface) {
  ht_pipe pipe = {.across = 16, .length = 40, .spacing_mm = 0.5, .direction = {1, 0.2, 0.1}};
  ht_grid frame = ht_grid_make(1, 1, 1);
  ht_domain domain;
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 1, &domain), HT_OK);
  assert_int_equal(ht_surface_build(&domain, surface), HT_OK);
  ht_domain_free(&domain);
}

static double area_of(const ht_surface *surface, const ht_thin_mesh *mesh) {
  double sum = 0;
  for (int64_t t = 0; t < mesh->triangles; t++) {
    const float *p[3];
    double u[3], v[3];
    for (int c = 0; c < 3; c++) {
      assert_in_range(mesh->triangle[3 * t + c], 0, mesh->points - 1);
      p[c] = surface->point_mm + 3 * mesh->of[mesh->triangle[3 * t + c]];
    }
    for (int r = 0; r < 3; r++) u[r] = p[1][r] - p[0][r], v[r] = p[2][r] - p[0][r];
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
           z = u[0] * v[1] - u[1] * v[0];
    sum += 0.5 * sqrt(x * x + y * y + z * z);
  }
  return sum;
}

HT_TEST(a_small_surface_stays_whole) {
  ht_surface surface;
  ht_thin_mesh mesh;
  make_pipe(&surface);
  assert_int_equal(ht_thin_mesh_make(&surface, surface.points, &mesh), HT_OK);
  assert_int_equal(mesh.points, surface.points);
  assert_memory_equal(mesh.triangle, surface.triangle,
                      3 * sizeof(int32_t) * (size_t)surface.triangles);
  ht_thin_mesh_free(&mesh);
  ht_surface_free(&surface);
}

/* Checks a surface with a quarter of the points: edges grow to some two spacings, a quarter of the
 * radius of 8, and a polygon of such edges has 1 - 0.25^2/24 of the circle's length. Each of the
 * two rims recedes by half an edge at most: together 2 of 24. */
HT_TEST(a_fine_surface_is_thinned) {
  ht_surface surface;
  ht_thin_mesh whole, mesh;
  make_pipe(&surface);
  int64_t most = surface.points / 4;
  assert_int_equal(ht_thin_mesh_make(&surface, surface.points, &whole), HT_OK);
  assert_int_equal(ht_thin_mesh_make(&surface, most, &mesh), HT_OK);
  assert_in_range(mesh.points, most / 3, most);
  for (int64_t p = 0; p < mesh.points; p++) {
    assert_in_range(mesh.of[p], 0, surface.points - 1);
    for (int64_t q = 0; q < p; q++) assert_int_not_equal(mesh.of[p], mesh.of[q]);
  }
  double area = area_of(&surface, &whole);
  assert_float_equal(area_of(&surface, &mesh), area, 2.0 / 24 * area);
  ht_thin_mesh_free(&whole);
  ht_thin_mesh_free(&mesh);
  ht_surface_free(&surface);
}

static char *written(void (*put)(FILE *stream, const void *user), const void *user) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  put(stream, user);
  fclose(stream);
  return text;
}

static void put_base64(FILE *stream, const void *user) {
  ht_page_put_base64(stream, user, strlen(user));
}
static void put_text(FILE *stream, const void *user) {
  ht_page_put_text(stream, user);
}
static void put_json(FILE *stream, const void *user) {
  ht_page_put_json(stream, user, strlen(user));
}

static void check_written(void (*put)(FILE *, const void *), const char *from, const char *to) {
  char *text = written(put, from);
  assert_string_equal(text, to);
  free(text);
}

/* Checks texts in the page; base64 by the vectors of RFC 4648, section 10. */
HT_TEST(texts_cannot_end_an_element) {
  check_written(put_base64, "", "");
  check_written(put_base64, "f", "Zg==");
  check_written(put_base64, "fo", "Zm8=");
  check_written(put_base64, "foo", "Zm9v");
  check_written(put_base64, "foobar", "Zm9vYmFy");
  check_written(put_text, "a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;");
  check_written(put_json, "{\"n\": \"</script><!--\"}", "{\"n\": \"\\u003c/script>\\u003c!--\"}");
}

/* A scan whose value is 1000 x + its place in the others; the part is where the surface is. */
HT_TEST(the_scan_is_cut_and_shaded) {
  ht_volume scan;
  ht_report_scan part;
  float corner[6] = {3.2f, 4, 5, 8, 6.6f, 7};
  ht_surface surface = {.points = 2, .point_mm = corner};
  ht_grid grid = ht_grid_make(20, 18, 16);
  assert_int_equal(ht_volume_alloc(&grid, &scan), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) scan.values[v] = (float)(v % 20);
  scan.values[0] = NAN;
  assert_int_equal(ht_report_scan_make(&scan, &surface, 2, 100000, &part), HT_OK);
  assert_int_equal(part.grid.dim[0], 10); /* 1 .. 10 */
  assert_int_equal(part.grid.dim[1], 8);  /* 2 .. 9 */
  assert_int_equal(part.grid.dim[2], 7);  /* 3 .. 9 */
  assert_float_equal(part.grid.origin_mm[0], 1, 1e-9);
  assert_float_equal(part.low, 1, 1e-6);
  assert_float_equal(part.high, 10, 1e-6);
  for (int i = 0; i < 10; i++) assert_int_equal(part.shade[10 + i], lround(255 * i / 9.0));
  ht_report_scan_free(&part);
  /* A limit of 260 voxels keeps every third along each axis. Beyond the scan there is nothing. */
  assert_int_equal(ht_report_scan_make(&scan, &surface, 99, 260, &part), HT_OK);
  assert_true(ht_grid_voxels(&part.grid) <= 260);
  assert_int_equal(part.grid.dim[0], 7);
  assert_float_equal(part.grid.spacing_mm[0], 3, 1e-9);
  assert_int_equal(part.shade[0], 0); /* not a number */
  ht_report_scan_free(&part);
  ht_volume_free(&scan);
}

/* A PNG of noise: it cannot be compressed. The caller frees. */
static char *noise_png(int side, size_t *size) {
  png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
  uint8_t *rgb = malloc(PNG_IMAGE_SIZE(((png_image){
      .format = PNG_FORMAT_RGB, .width = (png_uint_32)side, .height = (png_uint_32)side})));
  uint32_t seed = 1;
  for (int i = 0; i < 3 * side * side; i++) {
    seed = seed * 1664525u + 1013904223u;
    rgb[i] = (uint8_t)(seed >> 24);
  }
  image.width = image.height = (png_uint_32)side;
  png_alloc_size_t length = PNG_IMAGE_PNG_SIZE_MAX(image);
  char *png = malloc(length);
  assert_true(png_image_write_to_memory(&image, png, &length, 0, rgb, 0, NULL));
  free(rgb);
  *size = length;
  return png;
}

static void check_address(const char *bytes, size_t size, const char *begins, size_t most) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  assert_int_equal(ht_page_put_picture(stream, bytes, size), HT_OK);
  fclose(stream);
  assert_memory_equal(text, begins, strlen(begins));
  assert_true(length <= most);
  free(text);
}

/* Checks the format of a large picture: RIFF in base64 begins with UklGR, a PNG with iVBOR; base64
 * takes 4 bytes for 3. */
HT_TEST(a_large_picture_becomes_webp) {
  size_t size;
  char *png = noise_png(100, &size);
  check_address(png, size, "data:image/png;base64,iVBOR", 30 + 4 * size / 3);
  free(png);
  png = noise_png(500, &size);
  assert_true(size > 700000);
  check_address(png, size, "data:image/webp;base64,UklGR", size);
  png[size / 2] ^= 1; /* damaged: as it is */
  check_address(png, size, "data:image/png;base64,iVBOR", 30 + 4 * size / 3);
  free(png);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_surface_stays_whole),  cmocka_unit_test(a_fine_surface_is_thinned),
      cmocka_unit_test(texts_cannot_end_an_element),  cmocka_unit_test(the_scan_is_cut_and_shaded),
      cmocka_unit_test(a_large_picture_becomes_webp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
