/* The study of tile placement: the tiling paper's closed results, and brute force. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "bench/papers/tile_study.h"

/* Tomczak & Szafran, section 3.3: 9 placements at 4/9, 6 at 2/3, 1 at 1, mean 0.56. */
HT_TEST(the_square_channel_of_8) {
  double u[HT_CHANNEL_TILINGS];
  int low = 0, middle = 0, full = 0;
  assert_int_equal(ht_tile_channel(8, 0, u), HT_OK);
  for (int o = 0; o < HT_CHANNEL_TILINGS; o++) {
    low += fabs(u[o] - 4.0 / 9) < 1e-12;
    middle += fabs(u[o] - 2.0 / 3) < 1e-12;
    full += u[o] == 1;
  }
  assert_int_equal(low, 9);
  assert_int_equal(middle, 6);
  assert_int_equal(full, 1);
  ht_tile_spread spread = ht_tile_spread_of(u, HT_CHANNEL_TILINGS);
  assert_near(spread.mean, 0.5625, 1e-12);
  assert_true(spread.min == u[15] && spread.max == 1 && spread.distinct == 3);
  assert_true(spread.origin_000 == u[0]);
}

/* Study of one section: a side of 4 k + 1 nodes needs as many tiles wherever they lie; among the
 * sides of one k, 4 k + 2 has the lowest utilisation. */
HT_TEST(sides_of_square_channels) {
  double u[HT_CHANNEL_TILINGS];
  for (int k = 1; k <= 31; k++) {
    double lowest[4];
    for (int m = 0; m < 4; m++) {
      assert_int_equal(ht_tile_channel(4 * k + m, 0, u), HT_OK);
      ht_tile_spread spread = ht_tile_spread_of(u, HT_CHANNEL_TILINGS);
      lowest[m] = spread.min;
      assert_true((spread.distinct == 1) == (m == 1));
    }
    assert_true(lowest[2] <= lowest[0] && lowest[2] < lowest[1] && lowest[2] < lowest[3]);
  }
}

/* Compares with tiles that are counted one by one. */
HT_TEST(round_channels_equal_brute_force) {
  for (int across = 4; across <= 40; across++) {
    double u[HT_CHANNEL_TILINGS];
    ht_mask mask;
    assert_int_equal(ht_geometry_channel(across, 1, 1, &mask), HT_OK);
    assert_int_equal(ht_tile_channel(across, 1, u), HT_OK);
    for (int o = 0; o < HT_CHANNEL_TILINGS; o++) {
      uint8_t tile[11][11] = {{0}};
      int nodes = 0, tiles = 0;
      for (int v = 0; v < across * across; v++) {
        if (!mask.inside[v]) continue;
        nodes++;
        tile[(v / across + o / 4) / 4][(v % across + o % 4) / 4] = 1;
      }
      for (int t = 0; t < 121; t++) tiles += tile[t / 11][t % 11];
      assert_near(u[o], nodes / (16.0 * tiles), 1e-12);
    }
    ht_mask_free(&mask);
  }
}

HT_TEST(bars) {
  static const double value[] = {0.5, 0.9, 0.7, 0.85, 0.9};
  assert_int_equal(ht_tile_stays_above(value, 5, 0.8), HT_CHANNEL_LEAST + 3);
  assert_int_equal(ht_tile_stays_above(value, 5, 0.1), HT_CHANNEL_LEAST);
  assert_int_equal(ht_tile_stays_above(value, 5, 0.95), 0);
}

HT_TEST(masks) {
  ht_tile_spread spread;
  double storage;
  ht_mask mask;
  assert_int_equal(ht_geometry_box((int[3]){8, 8, 8}, &mask), HT_OK);
  assert_int_equal(ht_tile_spread_mask(&mask, &spread, &storage), HT_OK);
  assert_true(spread.max == 1 && spread.origin_000 == 1 && storage == 1);
  assert_near(spread.min, 512 / (64.0 * 27), 1e-12);
  /* Each axis has 2, 3, 3 and 3 tiles: the mean of the product is the product of the means. */
  assert_near(spread.mean, pow((0.5 + 3 / 3.0) / 4, 3) * 8, 1e-12);
  for (int v = 0; v < 512; v++) mask.inside[v] = 0;
  assert_int_equal(ht_tile_spread_mask(&mask, &spread, &storage), HT_ERR_VESSEL);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_square_channel_of_8),
      cmocka_unit_test(sides_of_square_channels),
      cmocka_unit_test(round_channels_equal_brute_force),
      cmocka_unit_test(bars),
      cmocka_unit_test(masks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
