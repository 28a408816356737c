/* The pictures along and across a vessel's centreline. */
#include "tests/check.h"
#include "export/drawing/annotate.h"
#include "export/pictures/path_view.h"
#include "tests/export/pictures/picture_check.h"
#include "export/pictures/pictures.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>

enum { STATIONS = 16, SIDE = 268 };
static const double radius_mm = 5, length_mm = 30;

/* A tube along z, voxels of a millimetre; its axis at x = y = 0, z from 0 to 30. */
static void make_tube(ht_volume *scan, ht_mask *mask) {
  ht_grid grid = ht_grid_make(31, 31, 41);
  for (int a = 0; a < 3; a++) grid.origin_mm[a] = a == 2 ? -5 : -15;
  assert_int_equal(ht_volume_alloc(&grid, scan), HT_OK);
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double p[3];
    ht_grid_voxel_position(&grid, v, p);
    double away = hypot(p[0], p[1]) - radius_mm;
    scan->values[v] = (float)(100 - 80 * fmin(1, fmax(-1, away)));
    mask->inside[v] = away <= 0 && p[2] >= 0 && p[2] <= length_mm;
  }
}

static void make_path(const ht_mask *mask, ht_vessel_path *path) {
  *path = (ht_vessel_path){.stations = STATIONS, .grid = mask->grid};
  size_t many = STATIONS + 1;
  assert_int_equal(ht_alloc((void **)&path->station, many, sizeof *path->station, "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->normal, many, sizeof *path->normal, "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&path->first, many, sizeof *path->first, "x"), HT_OK);
  for (int s = 0; s < STATIONS; s++) {
    double along = length_mm * s / (STATIONS - 1);
    path->station[s] = (ht_station){.along_mm = along,
                                    .centre_mm = {0, 0, along},
                                    .direction = {0, 0, 1},
                                    .area_mm2 = HT_PI * radius_mm * radius_mm};
    path->normal[s][2] = 1;
  }
}

/* The line is some pixels wide, and voxels are a millimetre. */
static int green_near(const ht_canvas *canvas, double x, double y, int reach_x, int reach_y) {
  for (int j = -reach_y; j <= reach_y; j++)
    for (int i = -reach_x; i <= reach_x; i++) {
      ht_rgb c = ht_check_pixel(canvas, (int)x + i, (int)y + j);
      if (c.r == ht_vessel_line.r && c.g == ht_vessel_line.g && c.b == ht_vessel_line.b) return 1;
    }
  return 0;
}

/* Checks the two views, which are side by side, as such a short vessel allows: 450 pixels for 22
 * mm. */
HT_TEST(the_outline_follows_the_straight_vessel) {
  ht_volume scan;
  ht_mask mask;
  ht_vessel_path path;
  ht_canvas canvas;
  const char *file = ht_check_path("straightened.png");
  make_tube(&scan, &mask);
  make_path(&mask, &path);
  assert_int_equal(ht_picture_straightened(file, &scan, &mask, NULL, &path, NULL), HT_OK);
  ht_check_read(file, &canvas);
  double px = 450 / 22.0, middle = HT_HEADER_HEIGHT + 225;
  for (int view = 0; view < 2; view++)
    for (int n = 1; n < 10; n++) {
      double x = HT_PICTURE_MARGIN + view * (floor(length_mm * px) + HT_PANEL_GAP) + n * 3 * px;
      assert_true(green_near(&canvas, x, middle - radius_mm * px, 0, (int)(0.5 * px)));
      assert_true(green_near(&canvas, x, middle + radius_mm * px, 0, (int)(0.5 * px)));
      assert_false(green_near(&canvas, x, middle, 0, (int)(4 * px)));
      int inside = ht_check_grey(ht_check_pixel(&canvas, (int)x, (int)middle));
      int outside = ht_check_grey(ht_check_pixel(&canvas, (int)x, (int)(middle + 8 * px)));
      assert_true(inside > 230 && outside < 25);
    }
  ht_canvas_free(&canvas);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Each section shows 10 mm to every side of the centre. */
HT_TEST(every_section_has_its_outline) {
  ht_volume scan;
  ht_mask mask;
  ht_vessel_path path;
  ht_canvas canvas;
  ht_path_marks marks;
  const char *file = ht_check_path("sections.png");
  make_tube(&scan, &mask);
  make_path(&mask, &path);
  path.station[9].area_mm2 *= 0.99;
  assert_int_equal(ht_picture_sections(file, &scan, &mask, &path, NULL), HT_OK);
  ht_check_read(file, &canvas);
  ht_path_marks_find(&path, &marks);
  assert_int_equal(marks.count, 8);
  assert_int_equal(marks.station[marks.narrowest], 9);
  double px = SIDE / 20.0;
  for (int m = 0; m < marks.count; m++) {
    double x = HT_PICTURE_MARGIN + m % 6 * (SIDE + HT_PANEL_GAP) + SIDE / 2.0;
    double y = HT_HEADER_HEIGHT + m / 6 * (SIDE + HT_PANEL_TITLE_HEIGHT) + SIDE / 2.0;
    for (int side = -1; side <= 1; side += 2) {
      assert_true(green_near(&canvas, x + side * radius_mm * px, y, (int)(0.6 * px), 0));
      assert_true(green_near(&canvas, x, y + side * radius_mm * px, 0, (int)(0.6 * px)));
    }
    assert_false(green_near(&canvas, x, y, (int)(3 * px), (int)(3 * px)));
  }
  ht_canvas_free(&canvas);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Number of columns of the plot without the curve, between its first and its last column. */
static int empty_columns(const ht_canvas *canvas) {
  enum { TOP = 150, BOTTOM = 710 };
  int first = -1, last = -1, held = 0;
  for (int x = 0; x < canvas->width; x++)
    for (int y = TOP; y < BOTTOM; y++) {
      ht_rgb c = ht_check_pixel(canvas, x, y);
      if (c.r != 64 || c.g != 200 || c.b != 176) continue;
      if (first < 0) first = x;
      last = x;
      held++;
      break;
    }
  assert_true(held > 100);
  return last - first + 1 - held;
}

/* Stations 6 to 9 are at a sac: no curve from 5 to 10, a third of the way. */
HT_TEST(the_pressure_has_a_gap_at_a_sac) {
  ht_beat beat = {.samples = 1, .stations = STATIONS};
  const ht_flow_stats stats = {0};
  ht_canvas canvas;
  const char *file = ht_check_path("centreline.png");
  assert_int_equal(ht_alloc((void **)&beat.time_s, 1, sizeof(double), "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&beat.station, STATIONS, sizeof *beat.station, "x"), HT_OK);
  assert_int_equal(ht_beat_resize(&beat, 1), HT_OK);
  for (int s = 0; s < STATIONS; s++) {
    beat.station[s].along_mm = s;
    beat.section_pa[s] = 1000 - 10 * s;
  }
  for (int with_sac = 0; with_sac < 2; with_sac++) {
    for (int s = 6; s < 10; s++) beat.station[s].is_mixed = with_sac;
    for (int s = 6; s < 10 && with_sac; s++) beat.section_pa[s] = 0;
    assert_int_equal(ht_picture_centreline(file, &beat, &stats, NULL), HT_OK);
    ht_check_read(file, &canvas);
    int width = 1254 / 16 * 15; /* width of the curve: the axis goes to 16 */
    int empty = empty_columns(&canvas);
    assert_true(with_sac ? abs(empty - width / 3) < 12 : empty == 0);
    ht_canvas_free(&canvas);
  }
  ht_beat_free(&beat);
}

/* The angle of the first vector across, from the helix's normal towards its binormal. */
static double angle_of(const ht_path_frame *at) {
  const double normal[3] = {-at->centre_mm[0] / 10, -at->centre_mm[1] / 10, 0};
  double binormal[3];
  ht_cross(at->tangent, normal, binormal);
  return atan2(ht_dot(at->across[0], binormal), ht_dot(at->across[0], normal));
}

/* Checks a helix of radius a and pitch 2 pi b: the frame turns back against the normal by the
 * torsion, b / (a^2 + b^2), for each mm, so that it does not turn about the path. */
HT_TEST(the_frames_do_not_twist) {
  enum { COUNT = 200, FROM = 20, TO = 180 };
  static ht_station station[COUNT];
  const ht_vessel_path path = {.stations = COUNT, .station = station};
  ht_path_frame *frame;
  double turned = 0;
  for (int s = 0; s < COUNT; s++) {
    double turn = 4 * HT_PI * s / COUNT;
    station[s] = (ht_station){.centre_mm = {10 * cos(turn), 10 * sin(turn), 2 * turn},
                              .along_mm = turn * sqrt(104),
                              .area_mm2 = HT_PI};
  }
  assert_int_equal(ht_path_frames(&path, &frame), HT_OK);
  for (int s = 1; s < COUNT; s++) {
    const ht_path_frame *at = &frame[s];
    assert_float_equal(ht_dot(at->across[0], at->tangent), 0, 1e-9);
    assert_float_equal(ht_dot(at->across[0], at->across[1]), 0, 1e-9);
    assert_float_equal(ht_length(at->across[1]), 1, 1e-9);
    if (s > FROM && s <= TO) turned += remainder(angle_of(at) - angle_of(at - 1), 2 * HT_PI);
  }
  double torsion = 2 / 104.0 * (station[TO].along_mm - station[FROM].along_mm);
  assert_float_equal(turned, -torsion, 0.02 * torsion);
  free(frame);
}

/* Checks that in a plane the vector across the plane stays. */
HT_TEST(a_bend_keeps_its_plane) {
  enum { COUNT = 50 };
  static ht_station station[COUNT];
  const ht_vessel_path path = {.stations = COUNT, .station = station};
  ht_path_frame *frame, between;
  for (int s = 0; s < COUNT; s++) {
    double turn = HT_PI * s / (COUNT - 1);
    station[s] = (ht_station){.centre_mm = {20 - 20 * cos(turn), 3, 20 * sin(turn)},
                              .along_mm = 20 * turn,
                              .area_mm2 = 9};
  }
  assert_int_equal(ht_path_frames(&path, &frame), HT_OK);
  for (int s = 0; s < COUNT; s++) assert_float_equal(frame[s].across[0][1], -1, 1e-9);
  ht_path_frame_at(frame, COUNT, 10 * HT_PI, &between);
  assert_float_equal(between.centre_mm[0], 20, 0.2);
  assert_float_equal(between.centre_mm[2], 20, 0.2);
  assert_float_equal(between.across[0][1], -1, 1e-9);
  free(frame);
}

HT_TEST(a_full_disk_leaves_no_picture) {
  ht_volume scan;
  ht_mask mask;
  ht_vessel_path path;
  int before = ht_check_entries();
  make_tube(&scan, &mask);
  make_path(&mask, &path);
  ht_check_disk_limit(5000);
  ht_status straight =
      ht_picture_straightened(ht_check_path("full.png"), &scan, &mask, NULL, &path, NULL);
  ht_status across = ht_picture_sections(ht_check_path("full.png"), &scan, &mask, &path, NULL);
  ht_check_disk_limit(-1);
  assert_int_equal(straight, HT_ERR_WRITE);
  assert_int_equal(across, HT_ERR_WRITE);
  assert_int_equal(ht_check_entries(), before);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_outline_follows_the_straight_vessel),
      cmocka_unit_test(every_section_has_its_outline),
      cmocka_unit_test(the_pressure_has_a_gap_at_a_sac),
      cmocka_unit_test(the_frames_do_not_twist),
      cmocka_unit_test(a_bend_keeps_its_plane),
      cmocka_unit_test(a_full_disk_leaves_no_picture),
  };
  return cmocka_run_group_tests_name("pictures along a vessel", tests, ht_check_folder_make,
                                     ht_check_folder_remove);
}
