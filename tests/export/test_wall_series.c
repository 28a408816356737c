/* TAWSS, OSI, RRT and ECAP against closed forms. */
#include "tests/check.h"
#include "export/wall/wall_series.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static void make_surface(int64_t points, ht_surface *surface) {
  *surface = (ht_surface){.points = points};
  surface->wss_pa = calloc(3 * (size_t)points, sizeof(float));
  surface->wss_mag_pa = calloc((size_t)points, sizeof(float));
  surface->pressure_pa = calloc((size_t)points, sizeof(float));
}

static void set_wss(ht_surface *surface, int64_t p, double x, double y, double z) {
  const double v[3] = {x, y, z};
  for (int r = 0; r < 3; r++) surface->wss_pa[3 * p + r] = (float)v[r];
  surface->wss_mag_pa[p] = (float)sqrt(x * x + y * y + z * z);
}

/* Point 0: A sin; 1: A + B sin, A > B; 2: a turning vector; 3: at rest; 4: steady; 5: B + A sin
 * with A > B, whose sign changes. */
static const double a = 2, b = 0.5;
enum { POINTS = 6, SAMPLES = 1000 };

static void set_sample(ht_surface *surface, double phase) {
  double s = sin(phase);
  set_wss(surface, 0, 0, a * s, 0);
  set_wss(surface, 1, 0, 0, a + b * s);
  set_wss(surface, 2, a * cos(phase), a * s, 0);
  set_wss(surface, 3, 0, 0, 0);
  set_wss(surface, 4, 1, -2, 2);
  set_wss(surface, 5, b + a * s, 0, 0);
  for (int64_t p = 0; p < POINTS; p++) surface->pressure_pa[p] = (float)(100 * s + (double)p);
}

/* Fills the series with samples half a step off the zeros. `uneven`: of two lengths in turn, each
 * sample in its middle. */
static void fill_series(ht_wall_series *series, int uneven) {
  ht_surface surface;
  make_surface(POINTS, &surface);
  double begun = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double width = uneven ? (k % 2 ? 1.5 : 0.5) / SAMPLES : 1.0 / SAMPLES;
    double time = begun + 0.5 * width;
    begun += width;
    set_sample(&surface, 2 * HT_PI * time);
    assert_int_equal(
        ht_wall_series_add(series, &surface, 0, time, width, 5 + 4 * sin(2 * HT_PI * time)), HT_OK);
  }
  ht_surface_free(&surface);
}

static void check_closed_forms(int uneven) {
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  fill_series(&series, uneven);
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  /* B + A sin: mean |.| = (2 / pi) (B asin(B / A) + sqrt(A^2 - B^2)) */
  double mixed = 2 / HT_PI * (b * asin(b / a) + sqrt(a * a - b * b));
  const double tawss[POINTS] = {2 * a / HT_PI, a, a, 0, 3, mixed};
  const double of_mean[POINTS] = {0, a, 0, 0, 3, b};
  for (int p = 0; p < POINTS; p++) {
    double osi = tawss[p] > 0 ? 0.5 * (1 - of_mean[p] / tawss[p]) : 0;
    assert_float_equal(cycle.tawss_pa[p], tawss[p], 2e-5);
    assert_float_equal(cycle.mean_wss_mag_pa[p], of_mean[p], 2e-5);
    assert_float_equal(cycle.osi[p], osi, 1e-5);
    assert_float_equal(cycle.ecap_per_pa[p], tawss[p] > 0 ? osi / tawss[p] : 0, 1e-5);
    if (of_mean[p] > 0) assert_float_equal(cycle.rrt_per_pa[p] * of_mean[p], 1, 1e-4);
    if (of_mean[p] > 0)
      assert_float_equal(cycle.rrt_per_pa[p] * (1 - 2 * cycle.osi[p]) * cycle.tawss_pa[p], 1, 1e-5);
    assert_true(cycle.osi[p] >= 0 && cycle.osi[p] <= 0.5f);
    assert_true(cycle.tawss_pa[p] >= cycle.mean_wss_mag_pa[p] * 0.999999f);
  }
  assert_float_equal(cycle.osi[0], 0.5, 1e-5);
  assert_float_equal(cycle.osi[2], 0.5, 1e-5);
  assert_float_equal(cycle.period_s, 1, 1e-12);
  assert_int_equal(cycle.samples, SAMPLES);
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
}

HT_TEST(closed_forms) {
  check_closed_forms(0);
  check_closed_forms(1); /* the weights count */
}

HT_TEST(range_and_peak) {
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  fill_series(&series, 0);
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  assert_float_equal(cycle.peak_time_s, 0.25, 0.51 / SAMPLES);
  assert_float_equal(cycle.peak_flow_ml_s, 9, 1e-4);
  assert_float_equal(cycle.wss_peak_pa[1], a, 1e-4);
  assert_float_equal(cycle.wss_peak_mag_pa[1], a + b, 1e-4);
  assert_float_equal(cycle.pressure_peak_pa[4], 104, 1e-2);
  assert_float_equal(cycle.wss_min_pa[1], a - b, 1e-4);
  assert_float_equal(cycle.wss_max_pa[1], a + b, 1e-4);
  assert_float_equal(cycle.wss_max_pa[5], a + b, 1e-4);
  assert_true(cycle.wss_min_pa[5] < 0.01f);
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
}

/* A turning vector of unit length over half a turn: |mean| = 2 / pi, OSI = (1 - 2 / pi) / 2. */
HT_TEST(half_a_turn) {
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  ht_surface surface;
  make_surface(1, &surface);
  for (int k = 0; k < SAMPLES; k++) {
    double phase = HT_PI * (k + 0.5) / SAMPLES;
    set_wss(&surface, 0, cos(phase), 0, sin(phase));
    assert_int_equal(ht_wall_series_add(&series, &surface, 0, k, 0.002, 1), HT_OK);
  }
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  assert_float_equal(cycle.tawss_pa[0], 1, 1e-6);
  assert_float_equal(cycle.osi[0], 0.5 - 1 / HT_PI, 1e-5);
  assert_float_equal(cycle.rrt_per_pa[0], HT_PI / 2, 1e-5);
  assert_float_equal(cycle.mean_wss_pa[2], 2 / HT_PI, 1e-5);
  assert_float_equal(cycle.peak_time_s, 0, 0); /* all alike: the first */
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
  ht_surface_free(&surface);
}

/* Checks that zero denominators give the values that wall_series.h names, and are counted. */
HT_TEST(still_points) {
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  ht_surface surface;
  make_surface(3, &surface);
  for (int k = 0; k < 2; k++) { /* to and fro, at rest, along */
    set_wss(&surface, 0, k ? 1 : -1, 0, 0);
    set_wss(&surface, 2, 1, 0, 0);
    assert_int_equal(ht_wall_series_add(&series, &surface, 0, k, 1, k), HT_OK);
  }
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  assert_true(cycle.osi[0] == 0.5f && cycle.ecap_per_pa[0] == 0.5f);
  assert_float_equal(cycle.rrt_per_pa[0] * HT_STILL_WSS_PA, 1, 1e-6);
  assert_true(cycle.osi[1] == 0 && cycle.ecap_per_pa[1] == 0 && cycle.tawss_pa[1] == 0);
  assert_float_equal(cycle.rrt_per_pa[1] * HT_STILL_WSS_PA, 1, 1e-6);
  assert_true(cycle.osi[2] == 0 && cycle.rrt_per_pa[2] == 1);
  assert_int_equal(cycle.still, 2);
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
  ht_surface_free(&surface);
}

HT_TEST(refused) {
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  ht_surface two, three, bare = {.points = 2};
  make_surface(2, &two);
  make_surface(3, &three);
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_ERR_INTERNAL);
  assert_int_equal(ht_wall_series_add(&series, &bare, 0, 0, 1, 0), HT_ERR_INTERNAL);
  assert_int_equal(ht_wall_series_add(&series, &two, 0, 0, 0, 0), HT_ERR_INTERNAL);
  assert_int_equal(ht_wall_series_add(&series, &two, 0, 0, NAN, 0), HT_ERR_INTERNAL);
  assert_int_equal(ht_wall_series_add(&series, &two, 0, 0, 1, 0), HT_OK);
  assert_int_equal(ht_wall_series_add(&series, &three, 0, 0, 1, 0), HT_ERR_INTERNAL);
  two.wss_mag_pa[1] = NAN;
  assert_int_equal(ht_wall_series_add(&series, &two, 0, 0, 1, 0), HT_ERR_DIVERGED);
  assert_int_equal(series.samples, 1);
  assert_true(series.weight_s == 1);
  ht_wall_series_free(&series);
  ht_wall_series_free(NULL);
  ht_wall_cycle_free(NULL);
  ht_surface_free(&two);
  ht_surface_free(&three);
}

/* Two triangles of area 1 and 3: numbers over the area, not over the points. */
HT_TEST(over_the_area) {
  ht_surface surface;
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  ht_cycle_stats stats;
  make_surface(6, &surface);
  surface.triangles = 2;
  surface.point_mm = calloc(18, sizeof(float));
  surface.triangle = calloc(6, sizeof(int32_t));
  const float corner[6][2] = {{0, 0}, {2, 0}, {0, 1}, {5, 0}, {7, 0}, {5, 3}};
  for (int p = 0; p < 6; p++) {
    memcpy(surface.point_mm + 3 * p, corner[p], sizeof corner[p]);
    surface.triangle[p] = p;
    set_wss(&surface, p, p < 3 ? 0.1 : 2, 0, 0);
  }
  assert_int_equal(ht_wall_series_add(&series, &surface, 0, 0.1, 0.5, 3), HT_OK);
  for (int p = 0; p < 3; p++) set_wss(&surface, p, -0.1, 0, 0);
  assert_int_equal(ht_wall_series_add(&series, &surface, 0, 0.6, 0.5, 2), HT_OK);
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  ht_cycle_stats_of(&surface, &cycle, &stats);
  assert_float_equal(stats.tawss_pa.mean, 0.25 * 0.1 + 0.75 * 2, 1e-6);
  assert_float_equal(stats.tawss_pa.median, 2, 1e-6);
  assert_float_equal(stats.tawss_pa.max, 2, 0);
  assert_float_equal(stats.low_share, 0.25, 1e-6);
  assert_float_equal(stats.osi.mean, 0.125, 1e-6);
  assert_float_equal(stats.osi.median, 0, 1e-6);
  assert_float_equal(stats.osi.p99, 0.5, 1e-6);
  assert_float_equal(stats.still_share, 0.5, 1e-9);
  assert_float_equal(stats.peak_time_s, 0.1, 0);
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
  ht_surface_free(&surface);
}

/* Checks that the peak is that of the first beat; its values are means of the beats at its time. */
HT_TEST(peak_of_several_beats) {
  static const double inflow[2][3] = {{1, 2, 3}, {4, 1, 2}}; /* a beat begins at its second time */
  ht_surface surface;
  ht_wall_series series = {0};
  ht_wall_cycle cycle;
  make_surface(1, &surface);
  for (int k = 0; k < 6; k++) {
    set_wss(&surface, 0, k, k < 3 ? 1 : -1, 0);
    surface.pressure_pa[0] = (float)(10 * k);
    assert_int_equal(ht_wall_series_add(&series, &surface, k / 3, 0.1 * ((k + 1) % 3), 0.1,
                                        inflow[k / 3][k % 3]),
                     HT_OK);
  }
  assert_int_equal(ht_wall_series_result(&series, &cycle), HT_OK);
  assert_float_equal(cycle.peak_time_s, 0, 0);
  assert_float_equal(cycle.peak_flow_ml_s, 2.5, 1e-9);
  assert_float_equal(cycle.wss_peak_pa[0], 3.5, 1e-6); /* of samples 2 and 5 */
  assert_float_equal(cycle.wss_peak_pa[1], 0, 1e-6);
  assert_float_equal(cycle.wss_peak_mag_pa[0], 3.5, 1e-6);
  assert_float_equal(cycle.pressure_peak_pa[0], 35, 1e-5);
  assert_int_equal(cycle.samples, 6);
  ht_wall_cycle_free(&cycle);
  ht_wall_series_free(&series);
  ht_surface_free(&surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(range_and_peak),
      cmocka_unit_test(half_a_turn),
      cmocka_unit_test(still_points),
      cmocka_unit_test(refused),
      cmocka_unit_test(over_the_area),
      cmocka_unit_test(peak_of_several_beats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
