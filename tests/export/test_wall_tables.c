/* The wall as a table, as an image and along the centreline: of a straight pipe, by a number that
 * is the place along it. The bend of a centreline: of a screw. */
#include "tests/check.h"
#include "export/beat/path_shape.h"
#include "export/files/result_files.h"
#include "core/numbers/units.h"
#include "export/wall/wall_along.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 50, NY = 30, NZ = 30, STATIONS = 20 };
static const double spacing_mm = 0.5, radius = 10; /* voxels */

static void make_pipe(ht_domain *domain, ht_surface *surface) {
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  memset(domain, 0, sizeof *domain);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    if (at[0] == 0 || at[0] == NX - 1 || hypot(at[1] - 14.6, at[2] - 15.2) >= radius) continue;
    domain->mask.inside[v] = at[0] < 5 || at[0] >= NX - 5 ? HT_EXTENSION : HT_VESSEL;
  }
  assert_int_equal(ht_surface_build(domain, surface), HT_OK);
}

/* The value of each point: its x, mm. */
static float *along(const ht_surface *surface) {
  float *value = malloc((size_t)surface->points * sizeof *value);
  for (int64_t p = 0; p < surface->points; p++) value[p] = surface->point_mm[3 * p];
  return value;
}

static void test_stations(void **unused) {
  (void)unused;
  ht_domain domain;
  ht_surface surface;
  ht_station station[STATIONS] = {{0}};
  double mean[STATIONS];
  make_pipe(&domain, &surface);
  float *value = along(&surface);
  for (int s = 0; s < STATIONS; s++) {
    station[s] = (ht_station){.along_mm = s, .area_mm2 = HT_PI * pow(radius * spacing_mm, 2)};
    const double centre[3] = {4 + 0.8 * s, 14.6 * spacing_mm, 15.2 * spacing_mm};
    memcpy(station[s].centre_mm, centre, sizeof centre);
  }
  station[7].is_mixed = 1;
  station[9].area_mm2 = 1; /* the wall is beyond its reach */
  assert_int_equal(ht_wall_along(&surface, value, station, STATIONS, mean), HT_OK);
  for (int s = 1; s + 1 < STATIONS; s++) {
    if (s == 7 || s == 9)
      assert_true(isnan(mean[s]));
    else if (fabs(mean[s] - station[s].centre_mm[0]) > 0.2) /* the points are 0.5 mm apart */
      fail_msg("station %d: %g, not %g", s, mean[s], station[s].centre_mm[0]);
  }
  free(value);
  ht_surface_free(&surface);
  ht_domain_free(&domain);
}

static void test_table(void **unused) {
  (void)unused;
  static const char path[] = "test_wall_tables.csv";
  ht_domain domain;
  ht_surface surface;
  char line[300];
  make_pipe(&domain, &surface);
  surface.wss_mag_pa = along(&surface);
  uint8_t *in_sac = calloc((size_t)surface.points, 1);
  in_sac[1] = 1;
  assert_int_equal(ht_export_wall_csv(path, &surface, NULL, in_sac), HT_OK);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "x_mm,y_mm,z_mm,area_mm2,wss_pa,in_sac\n");
  double area = 0, x, y, z, part, wss;
  int64_t rows = 0;
  int sac;
  while (fgets(line, sizeof line, file)) {
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%d", &x, &y, &z, &part, &wss, &sac), 6);
    assert_float_equal(x, wss, 1e-3);
    assert_int_equal(sac, rows == 1);
    area += part;
    rows++;
  }
  fclose(file);
  ht_wall_stats stats;
  ht_surface_stats(&surface, &stats);
  assert_int_equal(rows, surface.points);
  assert_float_equal(area, stats.area_mm2, 1e-3 * stats.area_mm2);
  remove(path);
  free(in_sac);
  ht_surface_free(&surface);
  ht_domain_free(&domain);
}

/* Checks that every voxel at the wall has its own place; none in the middle and outside. */
static void test_image(void **unused) {
  (void)unused;
  static const char path[] = "test_wall_tables.nii";
  ht_domain domain;
  ht_surface surface;
  make_pipe(&domain, &surface);
  float *value = along(&surface), *voxel = malloc(NX * NY * NZ * sizeof *voxel);
  assert_int_equal(
      ht_export_wall_image(path, &surface, value, &domain, &domain.mask.grid, "x", "x mm"), HT_OK);
  FILE *file = fopen(path, "rb"); /* NIfTI-1: 352 bytes, then float32 */
  assert_non_null(file);
  assert_int_equal(fseek(file, 352, SEEK_SET), 0);
  assert_int_equal(fread(voxel, sizeof *voxel, NX * NY * NZ, file), NX * NY * NZ);
  fclose(file);
  int filled = 0, rim = 0;
  for (int64_t v = 0; v < NX * NY * NZ; v++) {
    int at[3];
    ht_voxel_place(domain.mask.grid.dim, v, at);
    double away = hypot(at[1] - 14.6, at[2] - 15.2);
    int within = domain.mask.inside[v] == HT_VESSEL && at[0] > 6 && at[0] < NX - 7;
    if (voxel[v] != 0 && within) assert_float_equal(voxel[v], at[0] * spacing_mm, 0.3);
    if (away < radius - 2 || away > radius) assert_true(voxel[v] == 0);
    rim += within && away > radius - 0.8;
    filled += within && away > radius - 0.8 && voxel[v] != 0;
  }
  print_message("%d of %d voxels at the wall have a value\n", filled, rim);
  assert_true(filled > 0.95 * rim && rim > 1000);
  remove(path);
  free(value);
  free(voxel);
  ht_surface_free(&surface);
  ht_domain_free(&domain);
}

/* ---- the bend of a centreline ---- */

/* A screw of radius a, that rises by 2 pi b in a turn: curvature a / (a^2 + b^2), torsion
 * b / (a^2 + b^2). A left-handed one has the torsion's sign changed. */
static void test_screw(void **unused) {
  (void)unused;
  enum { N = 120 };
  static ht_station station[N];
  double curvature[N], torsion[N];
  const double a = 10, diameter = 4;
  for (int hand = -1; hand <= 1; hand++) { /* 0: a circle */
    double b = 4.0 * hand, speed = sqrt(a * a + b * b);
    for (int s = 0; s < N; s++) {
      double along_mm = 0.5 * s, t = along_mm / speed;
      station[s] = (ht_station){.along_mm = along_mm,
                                .centre_mm = {a * cos(t), a * sin(t), b * t},
                                .area_mm2 = HT_PI * diameter * diameter / 4};
    }
    assert_int_equal(ht_path_shape(station, N, curvature, torsion), HT_OK);
    assert_true(isnan(curvature[1]) && isnan(torsion[N - 7])); /* too near an end */
    assert_false(isnan(curvature[N - 6]));
    for (int s = 10; s < N - 10; s++) {
      assert_float_equal(curvature[s], a / (speed * speed), 0.02 * a / (speed * speed));
      assert_float_equal(torsion[s], b / (speed * speed), 0.02 * 4 / (speed * speed) + 1e-9);
    }
  }
}

static void test_straight(void **unused) {
  (void)unused;
  enum { N = 60 };
  ht_station station[N];
  double curvature[N], torsion[N];
  for (int s = 0; s < N; s++)
    station[s] = (ht_station){.along_mm = s, .centre_mm = {s, 0, 0}, .area_mm2 = 10, .is_mixed = 0};
  assert_int_equal(ht_path_shape(station, N, curvature, torsion), HT_OK);
  assert_float_equal(curvature[30], 0, 1e-9);
  assert_true(isnan(torsion[30])); /* too straight to twist */
  for (int s = 0; s < N; s++) station[s].is_mixed = 1;
  assert_int_equal(ht_path_shape(station, N, curvature, torsion), HT_OK);
  assert_true(isnan(curvature[30]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stations), cmocka_unit_test(test_table),
      cmocka_unit_test(test_image),    cmocka_unit_test(test_screw),
      cmocka_unit_test(test_straight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
