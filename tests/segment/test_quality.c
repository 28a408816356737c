/* The numbers of a mask's quality against what is known of the scan: its blur, its noise, what
 * touches the vessel and where it is thin. */
#include "tests/check.h"
#include "segment/quality/quality.h"
#include "tests/segment/tube_scan.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

static const ht_openings no_openings;

/* A tube of 5 mm radius through voxels of 0.5 mm, oblique to them. */
static tube_scan scan_of(double blur_mm, double noise) {
  tube_scan make;
  memset(&make, 0, sizeof make); /* compared byte by byte */
  make = tube_scan_default();
  for (int a = 0; a < 3; a++) make.dim[a] = 40, make.spacing_mm[a] = 0.5;
  make.tube[0].radius_mm = 5;
  make.blur_mm = blur_mm;
  make.noise = noise;
  return make;
}

/* The scan, which takes most of the time, is kept for the next test. */
static const ht_volume *scan_for(const tube_scan *make) {
  static tube_scan made;
  static ht_volume scan;
  if (scan.values && memcmp(make, &made, sizeof made) == 0) return &scan;
  ht_volume_free(&scan);
  memcpy(&made, make, sizeof made);
  tube_scan_volume(make, &scan);
  return &scan;
}

static void copy_scan(const tube_scan *make, ht_volume *copy) {
  const ht_volume *scan = scan_for(make);
  assert_int_equal(ht_volume_alloc(&scan->grid, copy), HT_OK);
  memcpy(copy->values, scan->values, (size_t)ht_grid_voxels(&scan->grid) * sizeof(float));
}

/* The mask: the tubes of `drawn`. */
static void measure(const tube_scan *make, const tube_scan *drawn, const ht_vessel_path *path,
                    int has_values, ht_mask_quality *quality) {
  ht_mask mask;
  tube_scan_mask(drawn, &mask);
  assert_int_equal(
      ht_quality_measure(scan_for(make), has_values, &mask, &no_openings, path, quality), HT_OK);
  ht_mask_free(&mask);
}

/* 80 to 20 % of a Gaussian edge: 1.683 sigma. Sigma^2 has the blur, the voxels of tube_scan.c (3
 * points a side: 2/27 voxel^2) and linear interpolation (1/6 voxel^2). */
HT_TEST(the_edge_is_as_wide_as_the_blur) {
  const double blur_mm[] = {0.3, 0.6};
  for (int n = 0; n < 2; n++) {
    ht_mask_quality q;
    tube_scan make = scan_of(blur_mm[n], 0);
    measure(&make, &make, NULL, 1, &q);
    double sigma = sqrt(blur_mm[n] * blur_mm[n] + 0.25 * (2.0 / 27 + 1.0 / 6));
    assert_float_equal(q.edge_mm, 1.683 * sigma, 0.06 * 1.683 * sigma);
    assert_float_equal(q.edge_voxels, q.edge_mm / 0.5, 0.02 * q.edge_voxels);
    assert_float_equal(q.offset_voxels, 0, 0.1);
    assert_float_equal(q.level, 0.5, 0.05);
    assert_float_equal(q.missing_share, 0, 1e-9);
    assert_int_equal(ht_quality_judge(&q), 0);
  }
}

HT_TEST(contrast_and_noise_are_those_of_the_scan) {
  const double noise[] = {50, 10};
  for (int n = 0; n < 2; n++) {
    ht_mask_quality q;
    tube_scan make = scan_of(0.4, noise[n]);
    measure(&make, &make, NULL, 1, &q);
    assert_float_equal(q.noise, noise[n], 0.05 * noise[n]);
    assert_float_equal(q.blood, 300, 4); /* 2 % of the contrast: the edge's foot */
    assert_float_equal(q.tissue, 100, 4);
    assert_float_equal(q.contrast_to_noise, 200 / noise[n], 0.06 * 200 / noise[n]);
    assert_int_equal(ht_quality_judge(&q) & HT_QUALITY_LOW_CONTRAST,
                     noise[n] > 40 ? HT_QUALITY_LOW_CONTRAST : 0);
  }
}

/* A clean wall: growth = area x shift / volume = 2 / R x 0.05 / slope, and the slope in the middle
 * of a Gaussian edge is 1 / (sqrt(2 pi) sigma). */
HT_TEST(the_leakage_index_is_that_of_a_clean_wall) {
  ht_mask_quality q;
  tube_scan make = scan_of(0.6, 10);
  measure(&make, &make, NULL, 1, &q);
  double sigma = sqrt(0.36 + 0.25 * 2.0 / 27);
  double index = 2 / 5.0 * sqrt(2 * HT_PI) * sigma;
  assert_float_equal(q.leak_index, index, 0.2 * index);
  assert_float_equal(q.leak_index_per_unit, 100 * q.leak_index / (q.blood - q.tissue), 1e-6);
  assert_float_equal(q.leak_ratio, 1, 0.3);
}

/* A tube of 2 mm radius along an axis of the voxels, cut by a plane through its middle that is
 * turned by some degrees; the level of its wall is that of `drawn_mm`. */
static void cut_tube(const tube_scan *make, double degrees, double drawn_mm, const ht_volume *scan,
                     ht_mask_quality *quality) {
  const double turn = degrees * HT_PI / 180;
  tube_scan drawn = *make;
  ht_mask mask;
  ht_openings openings = {.count = 1};
  ht_opening *cut = &openings.item[0];
  *cut = (ht_opening){.normal = {sin(turn), 0, cos(turn)}, .direction = {0, 0, 1}, .radius_mm = 2};
  memcpy(cut->centre_mm, make->tube[0].through, sizeof cut->centre_mm);
  drawn.tube[0].radius_mm = drawn_mm;
  tube_scan_mask(&drawn, &mask);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&mask.grid, v, p);
    for (int r = 0; r < 3; r++) p[r] -= cut->centre_mm[r];
    if (ht_dot(p, cut->normal) > 0) mask.inside[v] = 0;
  }
  assert_int_equal(ht_quality_measure(scan, 1, &mask, &openings, NULL, quality), HT_OK);
  ht_mask_free(&mask);
}

static tube_scan straight_tube(void) {
  tube_scan make = scan_of(0.4, 0);
  make.tilt = 0;
  make.tube[0].radius_mm = 2;
  for (int r = 0; r < 3; r++) make.tube[0].along[r] = r == 2;
  return make;
}

/* The rings of voxels of a vessel along an axis pass a level together, but its wall is clean at
 * every level and however its end is cut. */
HT_TEST(a_cut_plane_is_no_leak) {
  const double degrees[] = {0, 10, 30, 45, 60}, drawn_mm[] = {1.85, 2, 2.15};
  const tube_scan make = straight_tube();
  double sigma = sqrt(0.16 + 0.25 * 2.0 / 27), index = 2 / 2.0 * sqrt(2 * HT_PI) * sigma;
  for (int d = 0; d < 5; d++)
    for (int n = 0; n < 3; n++) {
      ht_mask_quality q;
      cut_tube(&make, degrees[d], drawn_mm[n], scan_for(&make), &q);
      if (fabs(q.leak_index / index - 1) > 0.25)
        fail_msg("%g degrees, %g mm: leakage index %g for %g", degrees[d], drawn_mm[n],
                 q.leak_index, index);
      assert_int_equal(ht_quality_judge(&q) & HT_QUALITY_LEAKS, 0);
    }
}

/* Something at 61 % of the contrast touches on the mask's side of the plane; the level of a wall
 * that is drawn 0.1 mm inside is above 0.5 + 0.1 / (sqrt(2 pi) sigma) = 0.6 by half a step of the
 * lattice. */
HT_TEST(a_leak_is_found_beside_a_cut_plane) {
  const tube_scan make = straight_tube();
  ht_volume scan;
  copy_scan(&make, &scan);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    double p[3], out;
    ht_grid_voxel_position(&scan.grid, v, p);
    out = tube_scan_distance(&make, p);
    for (int r = 0; r < 3; r++) p[r] -= make.tube[0].through[r];
    if (out > 0 && out < 1.5 && p[1] > 0 && p[2] < -1.5 && p[2] > -6)
      scan.values[v] = fmaxf(scan.values[v], 100 + 0.61f * 200);
  }
  for (int turned = 0; turned < 2; turned++) {
    ht_mask_quality q;
    cut_tube(&make, turned ? 30 : 0, 1.9, &scan, &q);
    if (!(ht_quality_judge(&q) & HT_QUALITY_LEAKS))
      fail_msg("%d: level %g, index %g, ratio %g", turned, q.level, q.leak_index, q.leak_ratio);
  }
  ht_volume_free(&scan);
}

HT_TEST(a_wall_off_the_edge_is_seen) {
  ht_mask_quality q;
  for (int wide = 0; wide < 2; wide++) {
    tube_scan make = scan_of(0.4, 10), drawn = make;
    drawn.tube[0].radius_mm += wide ? 0.5 : -0.5;
    measure(&make, &drawn, NULL, 1, &q);
    assert_float_equal(q.offset_voxels, wide ? 1 : -1, 0.15);
    assert_true(ht_quality_judge(&q) & (wide ? HT_QUALITY_TOO_WIDE : HT_QUALITY_TOO_NARROW));
  }
}

/* A ball of 3 mm whose centre is 1.5 mm outside of the tube of 5 mm. */
static void add_ball(tube_scan *make, double contact[3]) {
  double axis[3], side[3], along = 0;
  memcpy(axis, make->tube[0].along, sizeof axis);
  ht_normalise(axis);
  tube_scan_axis(make, 0, side);
  along = ht_dot(side, axis);
  for (int r = 0; r < 3; r++) side[r] -= along * axis[r];
  ht_normalise(side);
  make->tube[1] = (tube){.radius_mm = 3, .half_length_mm = 1e-6};
  make->tubes = 2;
  for (int r = 0; r < 3; r++) {
    make->tube[1].along[r] = axis[r];
    make->tube[1].through[r] = make->tube[0].through[r] + 6.5 * side[r];
    contact[r] = make->tube[0].through[r] + 5 * side[r];
  }
}

/* The ball cuts a disc of about sqrt(9 - 1.5^2) = 2.6 mm radius out of the wall; 2 voxels inward of
 * its rim it is thinner than the two voxels that are looked at. */
HT_TEST(what_touches_is_found) {
  ht_mask_quality q;
  double contact[3];
  tube_scan make = scan_of(0.4, 10), drawn = make;
  add_ball(&make, contact);
  measure(&make, &drawn, NULL, 1, &q);
  assert_true(ht_quality_judge(&q) & HT_QUALITY_TOUCHES);
  assert_true(ht_distance(q.touching.at.centre_mm, contact) < 1);
  assert_in_range((int)q.touching.area_mm2, 10, 26);
  assert_true(q.missing.area_mm2 >= q.touching.area_mm2 * 0.9);
  measure(&make, &make, NULL, 1, &q); /* in the mask it is a part of the vessel */
  assert_int_equal(ht_quality_judge(&q), 0);
}

/* A part of the mask that is air in the scan. */
HT_TEST(what_is_dark_is_found) {
  ht_mask_quality q;
  double contact[3];
  tube_scan make = scan_of(0.4, 10), drawn = make;
  add_ball(&drawn, contact);
  measure(&make, &drawn, NULL, 1, &q);
  assert_true(ht_quality_judge(&q) & HT_QUALITY_DARK);
  assert_true(ht_distance(q.dark.at.centre_mm, contact) < 2.5);
  assert_true(q.bright_share == 0);
}

/* 21 sections 1 mm apart, 2 mm across in the middle third of the path. */
static void make_path(ht_station station[21], ht_vessel_path *path) {
  *path = (ht_vessel_path){.stations = 21, .station = station};
  for (int s = 0; s < 21; s++) {
    double diameter = s >= 7 && s < 14 ? s == 10 ? 1.5 : 1.6 : 4;
    if (s == 9 || s == 11) diameter = 1.5;
    station[s] = (ht_station){.along_mm = s,
                              .centre_mm = {5, -7, 11 + s - 10.0},
                              .direction = {0, 0, 1},
                              .area_mm2 = HT_PI * diameter * diameter / 4};
  }
}

HT_TEST(thin_parts_are_found) {
  ht_mask_quality q;
  ht_station station[21];
  ht_vessel_path path;
  tube_scan make = scan_of(0.4, 10);
  make_path(station, &path);
  measure(&make, &make, &path, 1, &q);
  assert_float_equal(q.path_mm, 20, 1e-9);
  assert_float_equal(q.thin_mm, 7, 1e-9);
  assert_float_equal(q.thin_share, 0.35, 1e-9);
  assert_float_equal(q.thinnest_mm, 1.5, 1e-9);
  assert_float_equal(q.thinnest_voxels, 3, 1e-9);
  assert_float_equal(q.thinnest_at.along_mm, 9.5, 1.5);
  assert_int_equal(ht_quality_judge(&q), HT_QUALITY_THIN);
}

/* 2 mm apart, of pixels of 0.5 mm. */
HT_TEST(thick_slices_are_found) {
  ht_mask_quality q;
  ht_station station[21];
  ht_vessel_path path;
  tube_scan make = scan_of(0.4, 10), thick = make;
  make_path(station, &path);
  thick.dim[2] = 10;
  thick.spacing_mm[2] = 2;
  measure(&thick, &make, &path, 0, &q);
  assert_float_equal(q.longest_mm, 2, 1e-9);
  assert_true(ht_quality_judge(&q) & HT_QUALITY_SLICES);
  q.thinnest_mm = 8.1;
  assert_false(ht_quality_judge(&q) & HT_QUALITY_SLICES);
}

/* A tube of 3 voxels across next to the vessel, to the border of the grid. */
HT_TEST(thin_branches_count) {
  ht_mask_quality q;
  tube_scan make = scan_of(0.4, 10);
  measure(&make, &make, NULL, 0, &q);
  assert_true(q.thin_volume_share < 0.01);
  tube_scan drawn = make;
  double wide_mm = 4, thin_mm = 0.75;
  drawn.tube[0].radius_mm = wide_mm;
  drawn.tube[1] = drawn.tube[0];
  drawn.tubes = 2;
  drawn.tube[1].radius_mm = thin_mm;
  drawn.tube[1].through[1] += 7;
  measure(&make, &drawn, NULL, 0, &q);
  double share = thin_mm * thin_mm / (thin_mm * thin_mm + wide_mm * wide_mm);
  assert_float_equal(q.thin_volume_share, share, 0.4 * share);
}

HT_TEST(a_ready_mask_has_no_values) {
  ht_mask_quality q;
  ht_station station[21];
  ht_vessel_path path;
  tube_scan make = scan_of(0.4, 10);
  make_path(station, &path);
  measure(&make, &make, &path, 0, &q);
  assert_true(isnan(q.blood) && isnan(q.contrast_to_noise) && isnan(q.edge_mm));
  assert_true(isnan(q.leak_index) && isnan(q.touching_share) && isnan(q.dark_share));
  assert_int_equal(ht_quality_judge(&q), HT_QUALITY_THIN);
}

/* Brightness that falls by half along the vessel is none of the mask's faults. */
HT_TEST(slow_changes_do_not_count) {
  ht_volume scan;
  ht_mask mask;
  ht_mask_quality q;
  tube_scan make = scan_of(0.4, 10);
  copy_scan(&make, &scan);
  tube_scan_mask(&make, &mask);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++)
    scan.values[v] *= 1 - 0.5f * (float)(v / 1600) / 40;
  assert_int_equal(ht_quality_measure(&scan, 1, &mask, &no_openings, NULL, &q), HT_OK);
  assert_int_equal(ht_quality_judge(&q), 0);
  assert_float_equal(q.offset_voxels, 0, 0.1);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(what_cannot_be_measured_is_said) {
  ht_volume scan;
  ht_mask mask;
  ht_mask_quality q;
  tube_scan make = scan_of(0.4, 10);
  copy_scan(&make, &scan);
  tube_scan_mask(&make, &mask);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) scan.values[v] = -scan.values[v];
  assert_int_equal(ht_quality_measure(&scan, 1, &mask, &no_openings, NULL, &q), HT_OK);
  assert_int_equal(ht_quality_judge(&q), HT_QUALITY_NO_CONTRAST);
  mask.grid.origin_mm[0] += 500;
  assert_int_equal(ht_quality_measure(&scan, 1, &mask, &no_openings, NULL, &q), HT_ERR_VESSEL);
  memset(mask.inside, 0, (size_t)ht_grid_voxels(&mask.grid));
  assert_int_equal(ht_quality_measure(&scan, 1, &mask, &no_openings, NULL, &q), HT_ERR_VESSEL);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* A lattice of a fifth of the voxels: every second node stays. */
HT_TEST(a_fine_lattice_becomes_coarser) {
  ht_mask mask, coarse;
  tube_scan make = scan_of(0.4, 10);
  ht_grid scan = tube_scan_grid(&make);
  tube_scan_mask(&make, &mask);
  assert_int_equal(ht_quality_coarsen(&scan, &mask, &coarse), HT_OK);
  assert_null(coarse.inside);
  for (int a = 0; a < 3; a++) mask.grid.spacing_mm[a] = 0.1;
  assert_int_equal(ht_quality_coarsen(&scan, &mask, &coarse), HT_OK);
  assert_float_equal(coarse.grid.spacing_mm[0], 0.2, 1e-12);
  assert_int_equal(coarse.grid.dim[2], 20);
  assert_float_equal((double)ht_mask_count(&coarse) * 8, (double)ht_mask_count(&mask),
                     0.05 * (double)ht_mask_count(&mask));
  ht_mask_free(&coarse);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_edge_is_as_wide_as_the_blur),
      cmocka_unit_test(contrast_and_noise_are_those_of_the_scan),
      cmocka_unit_test(the_leakage_index_is_that_of_a_clean_wall),
      cmocka_unit_test(a_cut_plane_is_no_leak),
      cmocka_unit_test(a_leak_is_found_beside_a_cut_plane),
      cmocka_unit_test(a_wall_off_the_edge_is_seen),
      cmocka_unit_test(what_touches_is_found),
      cmocka_unit_test(what_is_dark_is_found),
      cmocka_unit_test(thin_parts_are_found),
      cmocka_unit_test(thick_slices_are_found),
      cmocka_unit_test(thin_branches_count),
      cmocka_unit_test(a_ready_mask_has_no_values),
      cmocka_unit_test(slow_changes_do_not_count),
      cmocka_unit_test(what_cannot_be_measured_is_said),
      cmocka_unit_test(a_fine_lattice_becomes_coarser),
  };
  return cmocka_run_group_tests_name("quality of a mask", tests, NULL, NULL);
}
