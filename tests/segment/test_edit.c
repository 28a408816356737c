#include "tests/segment/edit_mask.h"
#include <string.h>

/* ---- brushes ---- */

static int is_tube_and_ball(const double at[3]) {
  return is_tube(at) || hypot(hypot(at[0] - 15.2, at[1] - 10.1), at[2] - 12.3) <= 3.1;
}

HT_TEST(paints_a_ball) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_tube);
  double place[1][3];
  place_at(&grid, 15.2, 10.1, 12.3, place[0]);
  apply(&edited, &(ht_edit_step){HT_EDIT_PAINT, .place_mm = place, .places = 1, .radius_mm = 1.55});
  assert_is(&edited, is_tube_and_ball, -4, 32);
  ht_edited_free(&edited);
}

static int is_tube_less_way(const double at[3]) {
  const double off = at[2] < 8.2 ? at[2] - 8.2 : at[2] > 16.4 ? at[2] - 16.4 : 0;
  return is_tube(at) && !(hypot(hypot(at[0] - 13.7, at[1] - 10.2), off) <= 2.5);
}

HT_TEST(erases_along_the_way_of_a_stroke) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_tube);
  double place[2][3];
  place_at(&grid, 13.7, 10.2, 8.2, place[0]);
  place_at(&grid, 13.7, 10.2, 16.4, place[1]);
  apply(&edited, &(ht_edit_step){HT_EDIT_ERASE, .place_mm = place, .places = 2, .radius_mm = 1.25});
  assert_is(&edited, is_tube_less_way, -4, 32);
  ht_edited_free(&edited);
}

static int is_tube_and_disc(const double at[3]) {
  return is_tube(at) || (at[2] == 12 && hypot(at[0] - 15.2, at[1] - 10.1) <= 3.1);
}

static int is_tube_and_thick_disc(const double at[3]) {
  return is_tube(at) || (fabs(at[2] - 12.1) <= 1.5 && hypot(at[0] - 15.2, at[1] - 10.1) <= 3.1);
}

HT_TEST(paints_a_disc_of_a_voxel_or_of_its_thickness) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  double place[1][3];
  place_at(&grid, 15.2, 10.1, 12.1, place[0]);
  ht_edit_step step = {HT_EDIT_PAINT,     .place_mm = place,  .places = 1,
                       .radius_mm = 1.55, .has_direction = 1, .direction = {0, 0, 3}};
  ht_edited edited = begin(&grid, is_tube);
  apply(&edited, &step);
  assert_is(&edited, is_tube_and_disc, -4, 32);
  ht_edited_free(&edited);
  edited = begin(&grid, is_tube);
  step.thickness_mm = 1.5;
  apply(&edited, &step);
  assert_is(&edited, is_tube_and_thick_disc, -4, 32);
  ht_edited_free(&edited);
}

static int is_tube_and_far_ball(const double at[3]) {
  /* to the scan's border at 29.5 along x, and no farther */
  return is_tube(at) ||
         (at[0] <= 29 && hypot(hypot(at[0] - 27.1, at[1] - 10.1), at[2] - 12.3) <= 4);
}

HT_TEST(paints_beyond_the_mask_up_to_the_border_of_the_scan) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_grid scan = grid_of(15, 10, 14, 1); /* ends at index 29.5 along x */
  double index[3] = {0.5, 0.5, 0.5}, place[1][3];
  ht_grid_position(&grid, index, scan.origin_mm);
  ht_mask base = mask_of(&grid, is_tube), result;
  ht_edited edited;
  assert_int_equal(ht_edited_begin(&base, &scan, &edited), HT_OK);
  place_at(&grid, 27.1, 10.1, 12.3, place[0]);
  apply(&edited, &(ht_edit_step){HT_EDIT_PAINT, .place_mm = place, .places = 1, .radius_mm = 2});
  assert_is(&edited, is_tube_and_far_ball, -4, 40);
  /* The result ends there, so that the vessel is open there, and has the base's box elsewhere. */
  assert_int_equal(ht_edited_result(&edited, &result), HT_OK);
  assert_int_equal(result.grid.dim[0], 30);
  assert_int_equal(result.grid.dim[1], 20);
  assert_int_equal(ht_mask_count(&result), edited.voxels);
  assert_near(ht_distance(result.grid.origin_mm, grid.origin_mm), 0, 0);
  ht_mask_free(&result);
  ht_mask_free(&base);
  ht_edited_free(&edited);
}

/* ---- cuts ---- */

static int is_tube_above(const double at[3]) {
  return is_tube(at) && (at[2] - 12.3) + 0.5 * (at[0] - 10) >= 0;
}

HT_TEST(a_plane_keeps_the_side_that_its_normal_points_to) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_tube);
  double place[1][3];
  place_at(&grid, 10, 10, 12.3, place[0]);
  apply(&edited, &(ht_edit_step){HT_EDIT_CUT, .place_mm = place, .places = 1, .has_direction = 1,
                                 .direction = {0.5, 0, 1}});
  assert_is(&edited, is_tube_above, -4, 32);
  ht_edited_free(&edited);
}

static int is_u(const double at[3]) { /* two tubes joined at the bottom */
  return at[2] >= 2 && at[2] <= 20 && fabs(at[1] - 10) <= 2 &&
         (fabs(at[0] - 5) <= 2 || fabs(at[0] - 17) <= 2 || at[2] <= 5) && at[0] >= 3 && at[0] <= 19;
}

static int is_u_right_top(const double at[3]) {
  return is_u(at) && at[2] >= 8 && at[0] > 10;
}

HT_TEST(a_cut_can_keep_one_piece) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_u);
  ht_edit_step step = {HT_EDIT_CUT, .places = 1, .has_direction = 1, .direction = {0, 0, 1},
                       .has_keep = 1};
  double place[1][3];
  step.place_mm = place;
  place_at(&grid, 10, 10, 7.5, place[0]);
  place_at(&grid, 17, 10, 15, step.keep_mm);
  apply(&edited, &step);
  assert_is(&edited, is_u_right_top, -4, 32);
  ht_edited_free(&edited);
}

static int is_u_less_right_top(const double at[3]) {
  return is_u(at) && !(at[2] > 7.5 && at[0] > 10);
}

static int is_ring(const double at[3]) { /* the two tubes joined at the top, too */
  return is_u(at) ||
         (at[2] >= 17 && at[2] <= 20 && fabs(at[1] - 10) <= 2 && at[0] >= 3 && at[0] <= 19);
}

HT_TEST(a_cut_by_a_disc_removes_only_what_hangs_on_it) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_u);
  double place[1][3];
  ht_edit_delta delta;
  ht_edit_step step = {HT_EDIT_CUT,    .place_mm = place,  .places = 1,
                       .radius_mm = 2, .has_direction = 1, .direction = {0, 0, -1}};
  place_at(&grid, 17, 10, 7.5, place[0]);
  apply(&edited, &step);
  assert_is(&edited, is_u_less_right_top, -4, 32);
  ht_edited_free(&edited);
  edited = begin(&grid, is_ring);
  assert_int_equal(ht_edit_apply(&step, NULL, &edited, &delta), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "around the disc"));
  step.radius_mm = 0.7; /* smaller than the tube */
  assert_int_equal(ht_edit_apply(&step, NULL, &edited, &delta), HT_ERR_USAGE);
  assert_is(&edited, is_ring, -4, 32);
  ht_edited_free(&edited);
}

static int is_u_outside_lasso(const double at[3]) {
  /* the triangle (1, 10) (9, 10) (5, 25) of x and z, through all y */
  const double x = at[0], z = at[2];
  const int in = z > 9.9 && z - 9.9 < (x - 1) * 15.1 / 4.1 && z - 9.9 < (9.2 - x) * 15.1 / 4.1;
  return is_u(at) && !in;
}

HT_TEST(a_lasso_removes_what_it_covers) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_u);
  double corner[3][3];
  /* The corners need not lie in one plane: what counts is where they are seen. */
  place_at(&grid, 1, -40, 9.9, corner[0]);
  place_at(&grid, 9.2, 3, 9.9, corner[1]);
  place_at(&grid, 5.1, 55, 25, corner[2]);
  apply(&edited, &(ht_edit_step){HT_EDIT_LASSO, .place_mm = corner, .places = 3, .has_direction = 1,
                                 .direction = {0, -2, 0}});
  assert_is(&edited, is_u_outside_lasso, -4, 32);
  ht_edited_free(&edited);
}

/* ---- shapes ---- */

static int is_hollow(const double at[3]) {
  return is_tube(at) && !(hypot(at[0] - 10, at[1] - 10) < 1.5 && at[2] > 10 && at[2] < 14);
}

HT_TEST(fills_cavities) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_hollow);
  apply(&edited, &(ht_edit_step){.kind = HT_EDIT_FILL});
  assert_is(&edited, is_tube, -4, 32);
  ht_edited_free(&edited);
}

static int is_box(const double at[3]) {
  return at[0] >= 8 && at[0] <= 12 && at[1] >= 8 && at[1] <= 11 && at[2] >= 6 && at[2] <= 15;
}

static int is_grown_box(const double at[3]) { /* within one voxel along the axes */
  double off = 0;
  const double low[3] = {8, 8, 6}, high[3] = {12, 11, 15};
  for (int a = 0; a < 3; a++) off += pow(fmax(0, fmax(low[a] - at[a], at[a] - high[a])), 2);
  return off <= 1;
}

HT_TEST(grows_and_shrinks_by_a_voxel) {
  const ht_grid grid = grid_of(24, 20, 28, 0.3);
  ht_edited edited = begin(&grid, is_box);
  apply(&edited, &(ht_edit_step){HT_EDIT_GROW, .radius_mm = 0.3});
  assert_is(&edited, is_grown_box, -4, 32);
  apply(&edited, &(ht_edit_step){HT_EDIT_SHRINK, .radius_mm = 0.3});
  assert_is(&edited, is_box, -4, 32);
  ht_edited_free(&edited);
}

static int is_two_boxes(const double at[3]) { /* two apart, with a hair on one */
  return (at[0] >= 4 && at[0] <= 8 && at[1] >= 5 && at[1] <= 12 && at[2] >= 5 && at[2] <= 12) ||
         (at[0] >= 11 && at[0] <= 15 && at[1] >= 5 && at[1] <= 12 && at[2] >= 5 && at[2] <= 12) ||
         (at[0] == 6 && at[1] == 8 && at[2] > 12 && at[2] <= 16);
}

HT_TEST(closes_a_gap_and_smooths_a_hair_away) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_two_boxes);
  assert_int_equal(inside_at(&edited, 9, 8, 8), 0);
  apply(&edited, &(ht_edit_step){HT_EDIT_CLOSE, .radius_mm = 1});
  assert_int_equal(inside_at(&edited, 9, 8, 8), 1);
  assert_int_equal(inside_at(&edited, 10, 8, 8), 1);
  assert_int_equal(inside_at(&edited, 3, 8, 8), 0);
  assert_int_equal(inside_at(&edited, 6, 8, 16), 1);
  apply(&edited, &(ht_edit_step){HT_EDIT_SMOOTH, .radius_mm = 1});
  assert_int_equal(inside_at(&edited, 6, 8, 16), 0);
  assert_int_equal(inside_at(&edited, 6, 8, 8), 1);
  ht_edited_free(&edited);
}

static double random_unit(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

/* Against the definition: most of the ball of 2.2 voxels; and the distance to the mask. */
HT_TEST(agrees_with_the_definitions_on_a_random_mask) {
  const ht_grid grid = grid_of(14, 13, 12, 0.5);
  uint32_t seed = 7;
  ht_mask base;
  assert_int_equal(ht_mask_alloc(&grid, &base), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) base.inside[v] = random_unit(&seed) < 0.3;
  for (int kind = 0; kind < 3; kind++) {
    const ht_edit_kind kinds[] = {HT_EDIT_SMOOTH, HT_EDIT_GROW, HT_EDIT_SHRINK};
    ht_edited edited;
    assert_int_equal(ht_edited_begin(&base, NULL, &edited), HT_OK);
    const ht_edit_step step = {kinds[kind], .radius_mm = kind == 0 ? 1.1 : 0.71};
    ht_edit_delta delta;
    const ht_status status = ht_edit_apply(&step, NULL, &edited, &delta);
    const int is_all = status == HT_ERR_USAGE; /* nothing may be left of a shrunk one */
    assert_true(status == HT_OK || (is_all && kind == 2));
    for (int64_t v = 0; v < ht_grid_voxels(&grid) && !is_all; v++) {
      int at[3], there = 0, inside = 0;
      ht_voxel_place(grid.dim, v, at);
      const int radius2 = kind == 0 ? 4 : 2; /* 2.2^2 = 4.84, 1.42^2 = 2.02 */
      for (int z = -2; z <= 2; z++)
        for (int y = -2; y <= 2; y++)
          for (int x = -2; x <= 2; x++) {
            const int to[3] = {at[0] + x, at[1] + y, at[2] + z};
            if (x * x + y * y + z * z > radius2 || !ht_voxel_in_grid(grid.dim, to)) continue;
            there++;
            inside += base.inside[ht_voxel_index(grid.dim, to)];
          }
      const int own = base.inside[v];
      const int wanted = kind == 0   ? (2 * inside == there ? own : 2 * inside > there)
                         : kind == 1 ? inside > 0
                                     : inside == there;
      assert_int_equal(inside_at(&edited, at[0], at[1], at[2]), wanted);
    }
    ht_edit_delta_free(&delta);
    ht_edited_free(&edited);
  }
  ht_mask_free(&base);
}

static int is_tube_and_island(const double at[3]) {
  return is_tube(at) || (at[0] >= 18 && at[1] >= 17);
}

static int is_island(const double at[3]) {
  return at[0] >= 18 && at[1] >= 17 && at[0] < 24 && at[1] < 20 && at[2] >= 0 && at[2] < 28;
}

HT_TEST(drops_islands) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_tube_and_island);
  apply(&edited, &(ht_edit_step){.kind = HT_EDIT_ISLANDS});
  assert_is(&edited, is_tube, -4, 32);
  ht_edited_free(&edited);
  edited = begin(&grid, is_tube_and_island);
  ht_edit_step step = {HT_EDIT_ISLANDS, .has_keep = 1};
  place_at(&grid, 21, 19, 12, step.keep_mm);
  apply(&edited, &step);
  assert_is(&edited, is_island, -4, 32);
  ht_edited_free(&edited);
}

/* ---- with the scan ---- */

HT_TEST(grows_into_the_scan_from_a_place) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_volume scan;
  assert_int_equal(ht_volume_alloc(&grid, &scan), HT_OK);
  /* A second tube of 200, 6 voxels across, next to the first, a bright wall between them. */
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    scan.values[v] = at[0] >= 16 && at[0] <= 20 && at[1] >= 8 && at[1] <= 12 ? 200 : 20;
  }
  ht_edited edited = begin(&grid, is_tube);
  double place[1][3];
  place_at(&grid, 18, 10, 14, place[0]);
  ht_edit_step step = {HT_EDIT_REGION,   .place_mm = place, .places = 1,
                       .radius_mm = 2.3, .lower = 150,      .upper = 250};
  ht_edit_delta delta;
  assert_int_equal(ht_edit_apply(&step, NULL, &edited, &delta), HT_ERR_USAGE); /* no scan */
  assert_int_equal(ht_edit_apply(&step, &scan, &edited, &delta), HT_OK);
  ht_edit_delta_free(&delta);
  for (int z = 0; z < 28; z++)
    for (int x = 15; x < 24; x++)
      assert_int_equal(inside_at(&edited, x, 10, z),
                       x >= 16 && x <= 20 && hypot(x - 18, z - 14) <= 4.6);
  step.lower = 300, step.upper = 400;
  assert_int_equal(ht_edit_apply(&step, &scan, &edited, &delta), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "300 to 400"));
  ht_volume_free(&scan);
  ht_edited_free(&edited);
}

/* ---- between sections ---- */

static int is_cone_ends(const double at[3]) { /* of a cone, the sections at 4 and at 24 */
  const double radius = at[2] == 4 ? 6 : at[2] == 24 ? 2 : -1;
  const double shift = 4 * (at[2] - 4) / 20;
  return hypot(at[0] - 9 - shift, at[1] - 10) <= radius;
}

HT_TEST(interpolates_between_sections) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_cone_ends);
  double place[2][3];
  place_at(&grid, 13, 10, 24, place[0]);
  place_at(&grid, 9, 10, 4, place[1]);
  ht_edit_step step = {HT_EDIT_INTERPOLATE, .place_mm = place, .places = 2, .has_direction = 1,
                       .direction = {0, 0, 1}};
  apply(&edited, &step);
  for (int z = 4; z <= 24; z++)
    for (int x = 0; x < 24; x++) {
      const double share = (z - 4) / 20.0, radius = 6 - 4 * share,
                   off = hypot(x - 9 - 4 * share, 0) - radius;
      if (fabs(off) > 0.75 && inside_at(&edited, x, 10, z) != (off < 0))
        fail_msg("voxel %d 10 %d is %d, %g from the cone", x, z, off >= 0, off);
    }
  assert_int_equal(inside_at(&edited, 13, 10, 25), 0);
  ht_edit_delta delta;
  place_at(&grid, 2, 3, 4, place[1]);
  assert_int_equal(ht_edit_apply(&step, NULL, &edited, &delta), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "place 2"));
  ht_edited_free(&edited);
}

/* ---- undo, failures ---- */

static int64_t differing(const ht_edited *one, const ht_edited *other) {
  int64_t count = 0;
  for (int z = -8; z < 48; z++)
    for (int y = -8; y < 48; y++)
      for (int x = -8; x < 48; x++) count += inside_at(one, x, y, z) != inside_at(other, x, y, z);
  return count;
}

HT_TEST(each_step_is_undone_and_redone_exactly) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5), scan = grid_of(40, 40, 40, 0.5);
  ht_mask base = mask_of(&grid, is_tube);
  ht_edited edited, fresh, done;
  ht_edit_delta delta[4];
  double place[1][3];
  place_at(&grid, 26, 10, 30, place[0]);
  const ht_edit_step steps[4] = {{HT_EDIT_PAINT, .place_mm = place, .places = 1, .radius_mm = 3},
                                 {HT_EDIT_GROW, .radius_mm = 0.5},
                                 {.kind = HT_EDIT_ISLANDS},
                                 {HT_EDIT_SHRINK, .radius_mm = 1}};
  assert_int_equal(ht_edited_begin(&base, &scan, &edited), HT_OK);
  assert_int_equal(ht_edited_begin(&base, &scan, &fresh), HT_OK);
  assert_int_equal(ht_edited_begin(&base, &scan, &done), HT_OK);
  for (int s = 0; s < 4; s++) {
    assert_int_equal(ht_edit_apply(&steps[s], NULL, &edited, &delta[s]), HT_OK);
    assert_true(delta[s].runs > 0);
    apply(&done, &steps[s]);
  }
  for (int s = 3; s >= 0; s--) assert_int_equal(ht_edit_toggle(&delta[s], &edited), HT_OK);
  assert_int_equal(differing(&edited, &fresh), 0);
  assert_int_equal(edited.voxels, fresh.voxels);
  for (int s = 0; s < 4; s++) assert_int_equal(ht_edit_toggle(&delta[s], &edited), HT_OK);
  assert_int_equal(differing(&edited, &done), 0);
  assert_int_equal(edited.voxels, done.voxels);
  for (int s = 0; s < 4; s++) ht_edit_delta_free(&delta[s]);
  ht_edited_free(&edited);
  ht_edited_free(&fresh);
  ht_edited_free(&done);
  ht_mask_free(&base);
}

HT_TEST(refuses_what_is_no_step) {
  const ht_grid grid = grid_of(24, 20, 28, 0.5);
  ht_edited edited = begin(&grid, is_tube);
  ht_edit_delta delta;
  double place[1][3] = {{0, 0, 0}};
  const ht_edit_step bad[] = {
      {HT_EDIT_PAINT, .radius_mm = 1},                 /* no place */
      {HT_EDIT_PAINT, .place_mm = place, .places = 1}, /* no radius */
      {HT_EDIT_PAINT, .place_mm = place, .places = 1, .radius_mm = NAN},
      {HT_EDIT_PAINT, .place_mm = place, .places = 1, .radius_mm = 1}, /* outside the scan */
      {HT_EDIT_CUT, .place_mm = place, .places = 1},                   /* no normal */
      {HT_EDIT_CUT, .place_mm = place, .places = 1, .has_direction = 1},
      {HT_EDIT_FILL, .radius_mm = 1},
      {HT_EDIT_GROW, .radius_mm = 0.2},  /* less than a voxel */
      {HT_EDIT_SHRINK, .radius_mm = 15}, /* all of it */
      {HT_EDIT_SMOOTH, .radius_mm = 16}, /* more than 30 voxels */
      {.kind = HT_EDIT_KINDS},
  };
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    assert_int_equal(ht_edit_apply(&bad[b], NULL, &edited, &delta), HT_ERR_USAGE);
    assert_int_equal(delta.runs, 0);
  }
  assert_is(&edited, is_tube, -4, 32);
  ht_edited_free(&edited);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paints_a_ball),
      cmocka_unit_test(erases_along_the_way_of_a_stroke),
      cmocka_unit_test(paints_a_disc_of_a_voxel_or_of_its_thickness),
      cmocka_unit_test(paints_beyond_the_mask_up_to_the_border_of_the_scan),
      cmocka_unit_test(a_plane_keeps_the_side_that_its_normal_points_to),
      cmocka_unit_test(a_cut_can_keep_one_piece),
      cmocka_unit_test(a_cut_by_a_disc_removes_only_what_hangs_on_it),
      cmocka_unit_test(a_lasso_removes_what_it_covers),
      cmocka_unit_test(fills_cavities),
      cmocka_unit_test(grows_and_shrinks_by_a_voxel),
      cmocka_unit_test(closes_a_gap_and_smooths_a_hair_away),
      cmocka_unit_test(agrees_with_the_definitions_on_a_random_mask),
      cmocka_unit_test(drops_islands),
      cmocka_unit_test(grows_into_the_scan_from_a_place),
      cmocka_unit_test(interpolates_between_sections),
      cmocka_unit_test(each_step_is_undone_and_redone_exactly),
      cmocka_unit_test(refuses_what_is_no_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
