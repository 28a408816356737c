/* Windows over an image: against their definition, and panels against the whole image. */
#include "tests/check.h"
#include "segment/shape/windows.h"
#include <stdlib.h>
#include <string.h>

enum { NX = 75, NY = 21, NZ = 9, VOXELS = NX * NY * NZ };

static int64_t index_of(int x, int y, int z) {
  return x + NX * (y + (int64_t)NY * z);
}

static void read_floats(const void *values, int64_t from, int count, float *to) {
  memcpy(to, (const float *)values + from, (size_t)count * sizeof *to);
}

/* Mostly one value that a Gaussian's rounding changes, in some rows others. */
static void fill(float *value) {
  srand(7);
  for (int v = 0; v < VOXELS; v++) value[v] = -6.5f;
  for (int n = 0; n < 40; n++)
    value[index_of(rand() % NX, 5 + rand() % 4, rand() % 3)] = (float)(rand() % 13);
}

static void check_panels(const float *source, const ht_window *window, const uint8_t *same) {
  static float whole[VOXELS], panel[VOXELS];
  const ht_image image = {{NX, NY, NZ}, whole};
  const ht_window_source from = {{NX, NY, NZ}, source, read_floats, same};
  memcpy(whole, source, sizeof whole);
  assert_int_equal(ht_window_pass(&image, window), HT_OK);
  assert_memory_not_equal(whole, source, sizeof whole);
  for (int first = 0; first < NX; first += HT_PANEL_WIDTH) {
    int width = NX - first < HT_PANEL_WIDTH ? NX - first : HT_PANEL_WIDTH;
    const ht_image part = {{width, NY, NZ}, panel};
    assert_int_equal(ht_window_panel(&from, window, first, &part), HT_OK);
    for (int row = 0; row < NY * NZ; row++)
      assert_memory_equal(panel + row * width, whole + row * NX + first, width * sizeof *panel);
  }
}

HT_TEST(panels_are_the_whole) {
  static float source[VOXELS];
  static uint8_t same[NY * NZ];
  const ht_image image = {{NX, NY, NZ}, source};
  const ht_window gaussian = ht_window_gaussian(2, 8), largest = ht_window_largest(3);
  const ht_window nearest = ht_window_nearest2(6);
  fill(source);
  ht_window_rows_same(&image, same);
  assert_int_equal(same[0], 1);
  check_panels(source, &gaussian, same);
  check_panels(source, &largest, NULL);
  for (int v = 0; v < VOXELS; v++) source[v] = source[v] < 0 ? 49 : 0;
  check_panels(source, &nearest, NULL);
}

/* One voxel: its squared distance, a cube of it, and the product of three Gaussians. */
HT_TEST(windows_of_a_voxel) {
  static float value[VOXELS];
  const ht_image image = {{NX, NY, NZ}, value};
  const int64_t middle = index_of(30, 10, 4), beside = index_of(32, 11, 3);
  const ht_window gaussian = ht_window_gaussian(1, 8), largest = ht_window_largest(1);
  const ht_window nearest = ht_window_nearest2(6);
  for (int v = 0; v < VOXELS; v++) value[v] = v == middle ? 0 : 49;
  assert_int_equal(ht_window_pass(&image, &nearest), HT_OK);
  assert_true(value[beside] == 6 && value[index_of(30, 10, 0)] == 16);
  memset(value, 0, sizeof value);
  value[middle] = 1;
  assert_int_equal(ht_window_pass(&image, &largest), HT_OK);
  assert_true(value[beside] == 0 && value[index_of(31, 11, 3)] == 1);
  memset(value, 0, sizeof value);
  value[middle] = 1;
  assert_int_equal(ht_window_pass(&image, &gaussian), HT_OK);
  assert_float_equal(value[beside], exp(-3) * value[middle], 1e-7); /* single precision */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(panels_are_the_whole),
                                     cmocka_unit_test(windows_of_a_voxel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
