/* The learned network on the CPU: against plain loops, the same bits with any number of threads and
 * any memory, the brightness against its definition, and what is refused. */
#include "tests/check.h"
#include "tests/segment/learned/small_network.h"
#include "segment/learned/brightness.h"
#include "segment/learned/conv.h"
#include "segment/learned/learned.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ht_learned_options on_cpu = {.device = HT_LEARNED_CPU, .threads = 1};

static void make_weights(ht_learned_weights *weights, unsigned char **file) {
  size_t count;
  *file = small_network_file(&count);
  assert_int_equal(ht_learned_weights_decode(*file, count, "small", weights), HT_OK);
}

static void check_found(const ht_learned *found, const float *raw, int64_t voxels) {
  const uint8_t *images[3] = {found->artery, found->other, found->hard};
  for (int64_t v = 0; v < voxels; v++) {
    double sum = 0;
    for (int n = 0; n < 4; n++) sum += exp((double)raw[n * voxels + v]);
    for (int n = 0; n < 3; n++)
      assert_near(images[n][v] / 255.0, exp((double)raw[(n + 1) * voxels + v]) / sum, 0.51 / 255);
    assert_near(found->distance[v], fmin(fmax(128 * (double)raw[4 * voxels + v], -127), 127),
                0.501);
  }
}

/* Rows of 13 and 16 voxels end within the vectors' blocks; no size is a multiple of 4. */
static void check_size(int nx, int ny, int nz) {
  unsigned char *file;
  ht_learned_weights weights;
  ht_learned_brightness brightness;
  ht_learned found;
  ht_volume scan = small_scan(nx, ny, nz);
  const int64_t voxels = ht_grid_voxels(&scan.grid);
  float *raw = malloc(5 * voxels * sizeof *raw), *bright = malloc(voxels * sizeof *bright);
  double *wanted = malloc(5 * voxels * sizeof *wanted), most = 0;
  make_weights(&weights, &file);
  assert_int_equal(ht_learned_find_brightness(&scan, &weights, &brightness), HT_OK);
  ht_learned_brighten(&brightness, scan.values, (int)voxels, bright);
  small_network_outputs(file, bright, scan.grid.dim, wanted);
  assert_int_equal(ht_learned_apply(&weights, &scan, &on_cpu, raw, &found), HT_OK);
  for (int64_t n = 0; n < 5 * voxels; n++) {
    assert_near(raw[n], wanted[n], 3e-4); /* fp32: 1e-5 of the largest */
    most = fmax(most, fabs(wanted[n]));
  }
  print_message("outputs up to %.2f\n", most);
  assert_true(most > 1); /* the weights say something */
  check_found(&found, raw, voxels);
  assert_string_equal(found.why_cpu, "");
  ht_learned_free(&found);
  ht_learned_weights_free(&weights);
  ht_volume_free(&scan);
  free(file), free(raw), free(bright), free(wanted);
}

HT_TEST(plain_loops_agree) {
  check_size(13, 11, 9);
  check_size(18, 1, 3);
}

static ht_status apply(const ht_volume *scan, int threads, double most_bytes, float *raw,
                       ht_learned *found) {
  unsigned char *file;
  ht_learned_weights weights;
  make_weights(&weights, &file);
  const ht_learned_options options = {
      .device = HT_LEARNED_CPU, .threads = threads, .most_bytes = most_bytes};
  const ht_status status = ht_learned_apply(&weights, scan, &options, raw, found);
  ht_learned_weights_free(&weights);
  free(file);
  return status;
}

HT_TEST(threads_and_strips_give_the_same_bits) {
  ht_volume scan = small_scan(9, 130, 7);
  const size_t bytes = 5 * (size_t)ht_grid_voxels(&scan.grid) * sizeof(float);
  float *one = malloc(bytes), *other = malloc(bytes);
  ht_learned whole, strips;
  assert_int_equal(apply(&scan, 1, 0, one, &whole), HT_OK);
  assert_int_equal(apply(&scan, 3, 0.75 * whole.peak_bytes, other, &strips), HT_OK);
  assert_true(strips.peak_bytes <= 0.75 * whole.peak_bytes);
  assert_memory_equal(one, other, bytes);
  assert_memory_equal(whole.artery, strips.artery, 4 * (size_t)ht_grid_voxels(&scan.grid));
  ht_learned_free(&strips);
  assert_int_equal(apply(&scan, 1, 0.01 * whole.peak_bytes, NULL, &strips), HT_ERR_MEMORY);
  assert_non_null(strstr(ht_error_message(), "cut the scan"));
  assert_null(strips.artery);
  ht_learned_free(&whole);
  ht_volume_free(&scan);
  free(one), free(other);
}

/* The baseline and this processor's vectors, for rows of any length. */
HT_TEST(instruction_sets_agree) {
  enum { FROM = 16, TO = 32, MOST = 31 };
  static float in[(MOST + 2 + HT_CONV_BEYOND) * FROM], weight[27 * FROM * TO], bias[TO];
  static float base[MOST * TO], best[MOST * TO];
  const char *name;
  for (size_t n = 0; n < sizeof in / sizeof *in; n++) in[n] = (float)(rand() % 100) / 100;
  for (size_t n = 0; n < sizeof weight / sizeof *weight; n++)
    weight[n] = (float)(rand() % 100) / 1000 - 0.05f;
  ht_conv_row row = {
      .row_count = 9, .taps = 3, .from = FROM, .to = TO, .relu = 1, .weight = weight, .bias = bias};
  for (int n = 0; n < 9; n++) row.rows[n] = in;
  for (row.count = 1; row.count <= MOST; row.count++) {
    memset(base, 0, sizeof base), memset(best, 0, sizeof best);
    row.out = base, ht_conv_row_base(&row);
    row.out = best, ht_conv_choose(&name)(&row);
    for (int n = 0; n < MOST * TO; n++) assert_near(base[n], best[n], 1e-4);
    for (int n = row.count * TO; n < MOST * TO; n++) assert_true(base[n] == 0 && best[n] == 0);
  }
  print_message("%s\n", name);
}

static ht_status find_brightness(const float *values, int count, ht_learned_brightness *brightness,
                                 float *out) {
  const ht_volume scan = {.grid = ht_grid_make(count, 1, 1), .values = (float *)values};
  const ht_learned_weights weights = {.quantile = {0.02, 0.995}, .range = {-1, 3}};
  HT_TRY(ht_learned_find_brightness(&scan, &weights, brightness));
  ht_learned_brighten(brightness, values, count, out);
  return HT_OK;
}

/* network.normalise: rank floor(0.02 (n - 1)), and of the m values above it floor(0.995 (m - 1)).
 */
HT_TEST(brightness_is_by_ranks) {
  enum { COUNT = 1001 };
  static float values[COUNT], out[COUNT];
  ht_learned_brightness brightness;
  for (int n = 0; n < COUNT; n++) values[n] = (float)((n * 8) % COUNT);
  assert_int_equal(find_brightness(values, COUNT, &brightness, out), HT_OK);
  assert_near(brightness.low, 20, 0);             /* of 0 .. 1000 */
  assert_near(brightness.span, 21 + 974 - 20, 0); /* 980 values above: rank 974.105 */
  for (int n = 0; n < COUNT; n++) assert_near(out[n], (values[n] - 20) / 975, 1e-6);
  /* Half of the scan is one value: it does not count for the upper rank. */
  for (int n = 0; n < COUNT; n++) values[n] = n % 2 ? -1000 : (float)n;
  values[4] = NAN, values[6] = INFINITY;
  assert_int_equal(find_brightness(values, COUNT, &brightness, out), HT_OK);
  assert_near(brightness.low, -1000, 0);
  assert_near(brightness.span, 1994, 0); /* 499 values above: rank 495 of 0, 2, 8, 10, ..., 1000 */
  assert_near(out[4], 0, 0);
  assert_near(out[6], 0, 0);
  values[4] = 1e30f, values[6] = -1e30f;
  assert_int_equal(find_brightness(values, COUNT, &brightness, out), HT_OK);
  assert_near(out[4], 3, 0);
  assert_near(out[6], -1, 0);
}

HT_TEST(scans_without_contrast_are_taken) {
  static float values[100], out[100];
  ht_learned_brightness brightness;
  for (int n = 0; n < 100; n++) values[n] = 70;
  assert_int_equal(find_brightness(values, 100, &brightness, out), HT_OK);
  for (int n = 0; n < 100; n++) assert_near(out[n], 0, 0);
  assert_int_equal(find_brightness(values, 1, &brightness, out), HT_OK);
  for (int n = 0; n < 100; n++) values[n] = n % 2 ? NAN : INFINITY;
  assert_int_equal(find_brightness(values, 100, &brightness, out), HT_ERR_FORMAT);
}

static void check_refused(unsigned char *file, size_t count, const char *why) {
  ht_learned_weights weights;
  assert_int_equal(ht_learned_weights_decode(file, count, "x.htnet", &weights), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), why));
  assert_non_null(strstr(ht_error_message(), "x.htnet"));
  assert_null(weights.values);
}

HT_TEST(other_files_are_refused) {
  size_t count;
  ht_learned_weights weights;
  unsigned char *file = small_network_file(&count), kept;
  check_refused(file, 63, "HTVESSEL");
  check_refused(file, count - 1, "bytes");
  file[0] = 'h', check_refused(file, count, "HTVESSEL"), file[0] = 'H';
  file[8] = 2, check_refused(file, count, "version 2"), file[8] = 1;
  file[12] = 9, check_refused(file, count, "9 levels"), file[12] = SMALL_LEVELS;
  file[20] = 33, check_refused(file, count, "level 2 has 33"), file[20] = 32;
  kept = file[65], file[65] = 0x7e, check_refused(file, count, "layer 1 is no number"),
  file[65] = kept;
  assert_int_equal(ht_learned_weights_read("/no/such.htnet", &weights), HT_ERR_NOT_FOUND);
  FILE *written = fopen("test_learned.htnet", "wb");
  assert_int_equal(fwrite(file, 1, count, written), count);
  fclose(written);
  assert_int_equal(ht_learned_weights_read("test_learned.htnet", &weights), HT_OK);
  assert_int_equal(weights.count, 13);
  ht_learned_weights_free(&weights);
  remove("test_learned.htnet");
  free(file);
}

/* Finds in the scan with its axes in another order, and compares with what was found in it. */
static void check_turned(const ht_volume *scan, const ht_learned *wanted, const int axis[3],
                         const int sign[3]) {
  const int *dim = scan->grid.dim;
  ht_volume other = {.grid = ht_grid_make(dim[axis[0]], dim[axis[1]], dim[axis[2]])};
  const int64_t voxels = ht_grid_voxels(&other.grid);
  int64_t *same = malloc(voxels * sizeof *same); /* the voxel of `scan` */
  ht_learned found;
  other.values = malloc(voxels * sizeof *other.values);
  memset(other.grid.direction, 0, sizeof other.grid.direction);
  for (int a = 0; a < 3; a++) other.grid.direction[axis[a]][a] = sign[a];
  for (int64_t v = 0; v < voxels; v++) {
    int at[3], of[3];
    ht_voxel_place(other.grid.dim, v, at);
    for (int a = 0; a < 3; a++) of[axis[a]] = sign[a] > 0 ? at[a] : other.grid.dim[a] - 1 - at[a];
    same[v] = ht_voxel_index(dim, of);
    other.values[v] = scan->values[same[v]];
  }
  assert_int_equal(ht_learned_find(&other, &on_cpu, &found), HT_OK);
  assert_memory_equal(&found.grid, &other.grid, sizeof found.grid);
  for (int n = 0; n < HT_LEARNED_IMAGES; n++)
    for (int64_t v = 0; v < voxels; v++)
      assert_int_equal(found.artery[n * voxels + v], wanted->artery[n * voxels + same[v]]);
  ht_learned_free(&found);
  ht_volume_free(&other);
  free(same);
}

/* A vessel along z in noise. */
static ht_volume small_vessel(void) {
  const double radius = 4;
  ht_volume scan = small_scan(22, 13, 9);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    int at[3];
    ht_voxel_place(scan.grid.dim, v, at);
    const int is_blood = hypot(at[0] - 11, at[1] - 6) < radius;
    scan.values[v] = fmodf(scan.values[v], 100) + (is_blood ? 300 : 0);
  }
  return scan;
}

HT_TEST(the_order_of_axes_does_not_count) {
  ht_volume scan = small_vessel();
  ht_learned found;
  int64_t seen = 0;
  assert_int_equal(ht_learned_find(&scan, &on_cpu, &found), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) seen += found.artery[v] > 128;
  assert_true(seen > 100);
  check_turned(&scan, &found, (const int[]){2, 0, 1}, (const int[]){1, -1, 1});
  check_turned(&scan, &found, (const int[]){0, 1, 2}, (const int[]){-1, -1, 1});
  check_turned(&scan, &found, (const int[]){1, 0, 2}, (const int[]){1, 1, -1});
  ht_learned_free(&found);
  ht_volume_free(&scan);
}

static int stop_soon(void *user, const char *stage, double done, double total, const char *note) {
  (void)stage, (void)note;
  assert_true(done > 0 && done <= total);
  return ++*(int *)user == 2;
}

/* The program's own weights. */
HT_TEST(a_scan_of_one_value_is_background) {
  ht_volume scan = small_scan(9, 8, 8);
  ht_learned found;
  int reports = 0;
  const ht_progress progress = {.report = stop_soon, .user = &reports};
  const ht_learned_options stopped = {.device = HT_LEARNED_CPU, .progress = &progress};
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) scan.values[v] = -3;
  assert_int_equal(ht_learned_find(&scan, &on_cpu, &found), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++)
    assert_true(found.artery[v] < 128 && found.other[v] < 128 && found.hard[v] < 128);
  assert_non_null(strstr(found.device, "CPU, 1 thread, "));
  assert_true(found.peak_bytes > 0 && found.seconds > 0);
  ht_learned_free(&found);
  assert_int_equal(ht_learned_find(&scan, &stopped, &found), HT_ERR_INTERRUPTED);
  assert_null(found.artery);
  ht_learned_free(&found);
  ht_learned_free(NULL);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_loops_agree),
      cmocka_unit_test(threads_and_strips_give_the_same_bits),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(brightness_is_by_ranks),
      cmocka_unit_test(scans_without_contrast_are_taken),
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(the_order_of_axes_does_not_count),
      cmocka_unit_test(a_scan_of_one_value_is_background),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
