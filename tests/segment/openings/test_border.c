/* Openings at the border of a mask, planes that cut it, roles and connection. */
#include "tests/check.h"
#include "segment/openings/border.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include <string.h>

static const double spacing_mm = 0.4; /* of ht_tube_grid */

static double degrees_apart(const double a[3], const double b[3]) {
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  double size =
      sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
  return acos(fmax(-1, fmin(1, dot / size))) * 180 / HT_PI;
}

static ht_mask one_tube(const int dim[3], const double middle[3], const double direction[3],
                        double radius) {
  ht_grid grid = ht_tube_grid(dim[0], dim[1], dim[2]);
  ht_tube tube = ht_tube_through(middle, direction, radius);
  return ht_tube_mask(&grid, &tube, 1);
}

static ht_openings find(const ht_mask *mask, int expected, int expected_ignored) {
  ht_openings openings;
  int ignored;
  ht_assert_ok(ht_openings_at_border(mask, &openings, &ignored));
  assert_int_equal(openings.count, expected);
  assert_int_equal(ignored, expected_ignored);
  return openings;
}

/* The voxel index of a position; and a vector of index axes in LPS. */
static void index_of(const ht_mask *mask, const double mm[3], double index[3]) {
  ht_grid_index(&mask->grid, mm, index);
}

/* ---- at the border ---- */

static void test_straight_tubes(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    double along[3] = {axis == 0, axis == 1, axis == 2}, sides = 0;
    ht_mask mask = one_tube((int[3]){32, 33, 34}, (double[3]){15.3, 16.4, 16.1}, along, 8);
    ht_openings openings = find(&mask, 2, 0);
    for (int i = 0; i < 2; i++) {
      const ht_opening *o = &openings.item[i];
      double index[3], normal[3];
      index_of(&mask, o->centre_mm, index);
      ht_grid_from_lps(&mask.grid, o->normal, normal);
      int high = normal[axis] > 0;
      sides += normal[axis];
      assert_near(index[axis], (high ? mask.grid.dim[axis] - 1 : 0), 1e-9);
      assert_true(fabs(index[(axis + 1) % 3] - (double[3]){15.3, 16.4, 16.1}[(axis + 1) % 3]) < .1);
      assert_near(fabs(normal[axis]), 1, 1e-12);
      assert_true(degrees_apart(o->normal, o->direction) < 1e-5);
      assert_near(o->radius_mm / (8 * spacing_mm), 1, 0.02);
      assert_near(o->area_mm2 / (HT_PI * 64 * 0.16), 1, 0.02);
      assert_int_equal(o->at_border, 1);
      assert_int_equal(o->role, HT_ROLE_NONE);
    }
    assert_near(sides, 0, 1e-12); /* one on each side */
    ht_mask_free(&mask);
  }
}

/* The section on the face is an ellipse; radius and direction are the tube's. */
static void test_oblique_tubes(void **unused) {
  (void)unused;
  const double angles[3] = {17, 37, 45};
  for (int k = 0; k < 3; k++) {
    double tilt = angles[k] * HT_PI / 180;
    double along[3] = {sin(tilt) * cos(0.7), sin(tilt) * sin(0.7), cos(tilt)}, lps[3];
    ht_mask mask = one_tube((int[3]){90, 90, 40}, (double[3]){44.2, 45.1, 20}, along, 9);
    ht_openings openings = find(&mask, 2, 0);
    for (int i = 0; i < 2; i++) {
      const ht_opening *o = &openings.item[i];
      ht_grid_to_lps(&mask.grid, along, lps);
      double apart = degrees_apart(o->direction, lps);
      assert_true(fmin(apart, 180 - apart) < 1.5);
      assert_true(degrees_apart(o->direction, o->normal) < angles[k] + 1.5);
      assert_near(o->radius_mm / (9 * spacing_mm), 1, 0.02);
      assert_near(o->area_mm2 / (HT_PI * 81 * 0.16), 1, 0.03);
      assert_near(ht_opening_plane_mm2(o) * cos(tilt) / (HT_PI * 81 * 0.16), 1, 0.02);
    }
    ht_mask_free(&mask);
  }
}

/* A ring that the border cuts: the direction is that of the ring there, not of the chord inward of
 * it. */
static void test_bends(void **unused) {
  (void)unused;
  const double rings[5][3] = {{60, 5, 0}, {40, 5, 0}, {60, 9, 0}, {45, 8, 0.3}, {60, 5, 0.3}};
  for (int k = 0; k < 5; k++) { /* radii of ring and tube; angle at the border */
    double ring = rings[k][0], radius = rings[k][1], angle = rings[k][2];
    ht_grid grid = ht_tube_grid(2 * (int)ring, (int)(1.3 * ring), 30);
    double middle[2] = {ring - 0.3, -ring * sin(angle)}, worst = 0; /* the border is y = 0 */
    ht_mask mask;
    ht_assert_ok(ht_mask_alloc(&grid, &mask));
    for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
      int at[3];
      ht_voxel_place(grid.dim, v, at);
      double off = hypot(at[0] - middle[0], at[1] - middle[1]) - ring * 0.7;
      mask.inside[v] = off * off + pow(at[2] - 14.6, 2) < radius * radius;
    }
    ht_openings openings = find(&mask, 2, 0);
    for (int i = 0; i < 2; i++) {
      double index[3], out[3];
      index_of(&mask, openings.item[i].centre_mm, index);
      ht_grid_from_lps(&grid, openings.item[i].direction, out);
      double x = index[0] - middle[0], y = index[1] - middle[1], side = x > 0 ? 1 : -1;
      worst = fmax(worst, degrees_apart(out, (double[3]){side * y, -side * x, 0}));
    }
    if (worst > 3) fail_msg("ring %g, tube %g: %.2f degrees off", ring * 0.7, radius, worst);
    ht_mask_free(&mask);
  }
}

/* Hook: straight for `straight` voxels inward of the border y = 0, at an angle to y; then a
 * ring. */
static int is_in_hook(const int at[3], double angle, double straight, double ring, double radius) {
  double x = at[0] - 24.3, y = at[1], c = cos(angle), s = sin(angle);
  double side = c * x - s * y, beyond = s * x + c * y - straight;
  double off = beyond > 0 ? hypot(side - ring, beyond) - ring : side;
  return off * off + pow(at[2] - 14.6, 2) < radius * radius && (beyond <= 0 || side < ring);
}

static double off_in_hook(double angle, double straight, double ring, double radius) {
  ht_grid grid = ht_tube_grid(70, 50, 30);
  ht_mask mask;
  double out[3];
  ht_assert_ok(ht_mask_alloc(&grid, &mask));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    mask.inside[v] = (uint8_t)is_in_hook(at, angle, straight, ring, radius);
  }
  ht_openings openings = find(&mask, 1, 0);
  ht_grid_from_lps(&grid, openings.item[0].direction, out);
  ht_mask_free(&mask);
  return degrees_apart(out, (double[3]){-sin(angle), -cos(angle), 0});
}

/* A bend that begins inward of the border: the direction is that before it. */
static void test_bends_behind_the_border(void **unused) {
  (void)unused;
  double square = 0, worst = 0;
  for (int k = 0; k < 12; k++) {
    double off = off_in_hook(0.04 * k - 0.2, 5, 10, 5);
    square += off * off / 12;
    worst = fmax(worst, off);
  }
  print_message("direction off by %.2f degrees (RMS), %.2f at most\n", sqrt(square), worst);
  assert_true(sqrt(square) < 1.5 && worst < 3);
}

/* Steep ones, along every axis, also where the tube leaves by another face not far inward. */
static void test_steep_tubes(void **unused) {
  (void)unused;
  const double angles[5] = {50, 60, 66, 70, 75}, radii[3] = {4, 6.5, 9};
  for (int k = 0; k < 30; k++) {
    int up = k % 3, first = (up + 1) % 3, second = (up + 2) % 3, short_box = k >= 15, dim[3];
    double tilt = angles[k % 5] * HT_PI / 180, radius = radii[k / 5 % 3], middle[3], along[3];
    double lps[3], across = radius / cos(tilt);
    along[up] = cos(tilt), along[first] = sin(tilt), along[second] = 0.02;
    dim[up] = short_box ? (int)(2.5 * radius) + 40 : 25;
    dim[first] = (int)((short_box ? 12 : 25) * tan(tilt) + 2 * across) + 8;
    dim[second] = (int)(2 * radius) + 9;
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * dim[a] + 0.17 * a;
    if (short_box) middle[up] = 0, middle[first] = across + 4;
    ht_mask mask = one_tube(dim, middle, along, radius);
    ht_openings openings = find(&mask, 2, 0);
    ht_grid_to_lps(&mask.grid, along, lps);
    for (int i = 0; i < 2; i++) {
      const ht_opening *one = &openings.item[i];
      double index[3], off = degrees_apart(one->direction, lps);
      index_of(&mask, one->centre_mm, index);
      if (short_box && fabs(index[up]) > 0.5) continue; /* the other end */
      off = fmin(off, 180 - off);
      if (off > 2 || fabs(one->radius_mm / (radius * spacing_mm) - 1) > 0.03)
        fail_msg("%d: %g degrees, radius %g: %.2f degrees off, radius %.3f of it", k, angles[k % 5],
                 radius, off, one->radius_mm / (radius * spacing_mm));
      assert_near(one->area_mm2 / (HT_PI * pow(one->radius_mm, 2)), 1, 1e-12);
      assert_near(ht_opening_turn_degrees(one), angles[k % 5], 2);
    }
    ht_mask_free(&mask);
  }
}

/* A tube along the border: the direction leaves room for an extension. */
static void test_grazing_tube(void **unused) {
  (void)unused;
  double tilt = 86 * HT_PI / 180, along[3] = {sin(tilt), 0, cos(tilt)};
  ht_mask mask = one_tube((int[3]){120, 40, 30}, (double[3]){60, 20, 2}, along, 7);
  ht_openings openings;
  int ignored;
  ht_assert_ok(ht_openings_at_border(&mask, &openings, &ignored));
  for (int i = 0; i < openings.count; i++)
    assert_true(ht_opening_turn_degrees(&openings.item[i]) < HT_OPENING_STEEPEST_DEGREES + 1e-5);
  ht_mask_free(&mask);
}

/* Round an edge of the grid it is one opening still, on the face with more of it. */
static void test_tube_over_an_edge(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(50, 50, 40);
  ht_tube tube = {{25, 25, 20}, {-40, -28, 20}, 7};
  ht_mask mask = ht_tube_mask(&grid, &tube, 1);
  ht_openings openings = find(&mask, 1, 0);
  double normal[3];
  int64_t on_face = 0;
  for (int y = 0; y < 50; y++)
    for (int z = 0; z < 40; z++) on_face += mask.inside[50 * (y + 50 * z)];
  ht_grid_from_lps(&grid, openings.item[0].normal, normal);
  assert_true(normal[0] < -0.999);
  assert_near(ht_opening_plane_mm2(&openings.item[0]), (double)on_face * 0.16, 1e-9);
  ht_mask_free(&mask);
}

static void test_small_patches_are_counted(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 40, 40);
  ht_tube tubes[3] = {{{20, 20, -9}, {20, 20, 60}, 6},
                      {{20, 20, 20}, {60, 20, 20}, 1.5},
                      {{20, 20, 20}, {-60, 20, 20}, 1.5}};
  ht_mask mask = ht_tube_mask(&grid, tubes, 3);
  find(&mask, 2, 2);
  ht_mask_free(&mask);
}

/* Corners count as touching: two squares that meet at one are one opening of 18 voxels. */
static void test_patches_are_8_connected(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(20, 20, 20);
  ht_mask mask;
  ht_assert_ok(ht_mask_alloc(&grid, &mask));
  for (int z = 0; z < 6; z++)
    for (int k = 0; k < 9; k++) {
      mask.inside[5 + k % 3 + 20 * (5 + k / 3) + 400 * z] = 1;
      mask.inside[8 + k % 3 + 20 * (8 + k / 3) + 400 * z] = 1;
    }
  ht_openings openings = find(&mask, 1, 0);
  assert_near(ht_opening_plane_mm2(&openings.item[0]), 18 * 0.16, 1e-12);
  ht_mask_free(&mask);
}

static void test_too_many(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(60, 60, 4);
  ht_openings openings;
  ht_mask mask;
  int ignored;
  ht_assert_ok(ht_mask_alloc(&grid, &mask));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask.inside[v] = v % 60 % 6 < 4 && v / 60 % 60 % 6 < 4 && v % 60 > 5 && v / 60 % 60 > 5;
  assert_int_equal(ht_openings_at_border(&mask, &openings, &ignored), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "64"));
  assert_int_equal(openings.count, 0);
  ht_mask_free(&mask);
}

/* ---- the 48 symmetries of the grid ---- */

static ht_mask turned(const ht_mask *mask, const int order[3], int flips) {
  ht_grid grid =
      ht_grid_make(mask->grid.dim[order[0]], mask->grid.dim[order[1]], mask->grid.dim[order[2]]);
  ht_mask out;
  ht_assert_ok(ht_mask_alloc(&grid, &out));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3] = {(int)(v % grid.dim[0]), (int)(v / grid.dim[0] % grid.dim[1]),
                 (int)(v / grid.dim[0] / grid.dim[1])};
    int from[3];
    for (int a = 0; a < 3; a++) from[order[a]] = (flips >> a) & 1 ? grid.dim[a] - 1 - at[a] : at[a];
    out.inside[v] = mask->inside[from[0] + mask->grid.dim[0] *
                                               (from[1] + (int64_t)mask->grid.dim[1] * from[2])];
  }
  return out;
}

static void test_symmetries(void **unused) {
  (void)unused;
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  ht_grid grid = ht_grid_make(44, 38, 35);
  ht_tube tubes[3] = {{{20, 18, 17}, {-30, 5, 30}, 6.3},
                      {{20, 18, 17}, {70, 40, 10}, 4.4},
                      {{20, 18, 17}, {25, 10, 80}, 5.1}};
  ht_mask mask = ht_tube_mask(&grid, tubes, 3);
  ht_openings first = find(&mask, 3, 0);
  for (int k = 0; k < 48; k++) {
    ht_mask other = turned(&mask, orders[k / 8], k % 8);
    ht_openings openings = find(&other, 3, 0);
    for (int i = 0; i < 3; i++) {
      const ht_opening *a = &first.item[i], *b = &openings.item[i];
      assert_near(a->area_mm2 / b->area_mm2, 1, 1e-12);
      assert_near(a->radius_mm / b->radius_mm, 1, 1e-12);
      assert_near(degrees_apart(a->normal, a->direction), degrees_apart(b->normal, b->direction),
                  1e-5);
    }
    ht_mask_free(&other);
  }
  ht_mask_free(&mask);
}

/* ---- cutting ---- */

/* Cuts at a voxel index along index axes. */
static ht_status cut_at(ht_mask *mask, const double index[3], const double normal[3],
                        double search_mm, ht_opening *opening) {
  double mm[3], lps[3];
  ht_grid_position(&mask->grid, index, mm);
  ht_grid_to_lps(&mask->grid, normal, lps);
  return ht_openings_cut(mask, mm, lps, search_mm, opening);
}

static void test_cut_takes_the_outer_piece(void **unused) {
  (void)unused;
  double along[3] = {0.3, 0.2, 1}, size = sqrt(1.13), centre[3];
  ht_mask mask = one_tube((int[3]){60, 60, 60}, (double[3]){30, 30, 30}, along, 8);
  int64_t before = ht_mask_count(&mask);
  ht_opening o;
  /* a little off the axis, the normal twice as long */
  ht_assert_ok(cut_at(&mask, (double[3]){32, 29, 31}, (double[3]){0.6, 0.4, 2}, 0, &o));
  assert_near(o.radius_mm / (8 * spacing_mm), 1, 0.02);
  assert_near(o.area_mm2 / (HT_PI * 64 * 0.16), 1, 0.03);
  assert_int_equal(o.at_border, 0);
  assert_true(degrees_apart(o.normal, o.direction) == 0);
  index_of(&mask, o.centre_mm, centre);
  double share =
      ((centre[0] - 30) * along[0] + (centre[1] - 30) * along[1] + centre[2] - 30) / size;
  for (int a = 0; a < 3; a++) assert_near(centre[a] - 30, share * along[a] / size, 0.25);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double at[3] = {(double)(v % 60), (double)(v / 60 % 60), (double)(v / 3600)}, beyond = 0;
    for (int a = 0; a < 3; a++) beyond += (at[a] - centre[a]) * along[a] / size;
    assert_true(!mask.inside[v] || beyond < 0.03);
  }
  assert_true(ht_mask_count(&mask) > before * 0.4 && ht_mask_count(&mask) < before * 0.6);
  ht_mask_free(&mask);
}

/* A plane turned against the tube: the direction and the section are the tube's; also where the
 * tube ends at the plane already, and on a coarse grid. */
static void test_cut_at_turned_planes(void **unused) {
  (void)unused;
  const double turns[7] = {-35, -20, 10, 15, 25, 35, 50};
  for (int k = 0; k < 28; k++) {
    double radius = k % 2 ? 8 : 5, turn = turns[k % 7] * HT_PI / 180, lps[3], normal[3];
    double along[3] = {0.3, 0.2, 1}, aside[3] = {1, 0, -0.3}, size[2] = {sqrt(1.13), sqrt(1.09)};
    ht_opening o;
    for (int a = 0; a < 3; a++) {
      along[a] /= size[0];
      normal[a] = cos(turn) * along[a] + sin(turn) * aside[a] / size[1];
    }
    ht_mask mask = one_tube((int[3]){64, 64, 64}, (double[3]){32, 32, 32}, along, radius);
    if (k >= 14) ht_assert_ok(cut_at(&mask, (double[3]){32, 32, 32}, normal, 0, &o));
    double in = k >= 14; /* a voxel before its end, as ht_place_inside_end has it */
    ht_assert_ok(cut_at(&mask,
                        (double[3]){32 - in * normal[0], 32 - in * normal[1], 32 - in * normal[2]},
                        normal, 0, &o));
    ht_grid_to_lps(&mask.grid, along, lps);
    double slack = 0.2 / radius; /* a fifth of a voxel: the rim's steps on one plane */
    if (degrees_apart(o.direction, lps) > 2 ||
        fabs(o.radius_mm / (radius * spacing_mm) - 1) > slack)
      fail_msg("%d: %g degrees, radius %g: %.2f degrees off, radius %.3f of it", k, turns[k % 7],
               radius, degrees_apart(o.direction, lps), o.radius_mm / (radius * spacing_mm));
    assert_near(o.area_mm2 / (HT_PI * pow(o.radius_mm, 2)), 1, 1e-12);
    assert_near(ht_opening_plane_mm2(&o) * cos(turn) / o.area_mm2, 1, 0.03);
    ht_mask_free(&mask);
  }
}

/* A cut of a Y removes only the branch, also where the other branch crosses the plane too. */
static void test_cut_leaves_other_branches(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(80, 40, 80);
  ht_tube y[3] = {{{40, 20, -20}, {40, 20, 30}, 7},
                  {{40, 20, 30}, {10, 20, 100}, 5},
                  {{40, 20, 30}, {70, 20, 100}, 5}};
  ht_mask mask = ht_tube_mask(&grid, y, 3), two = ht_tube_mask(&grid, y, 2);
  ht_opening o;
  ht_assert_ok(cut_at(&mask, (double[3]){57.1, 20, 70}, (double[3]){0, 0, 1}, 0, &o));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int x = (int)(v % 80), z = (int)(v / 3200);
    if (two.inside[v]) assert_true(mask.inside[v]); /* trunk and left branch */
    if (x > 40 && z > 70) assert_false(mask.inside[v]);
    if (x > 40 && z > 70 - 3 && z <= 70 && fabs(x - 57.1) < 3 && v / 80 % 40 == 20)
      assert_true(mask.inside[v]);
  }
  ht_mask_free(&mask);
  ht_mask_free(&two);
}

/* A ring, whose outer part comes round to the inner side: a cut removes a slab, and no more. */
static void test_cut_of_a_ring_takes_a_slab(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(70, 30, 70);
  ht_tube ring[4] = {{{15, 15, 15}, {55, 15, 15}, 5},
                     {{55, 15, 15}, {55, 15, 55}, 5},
                     {{55, 15, 55}, {15, 15, 55}, 5},
                     {{15, 15, 55}, {15, 15, 15}, 5}};
  ht_mask mask = ht_tube_mask(&grid, ring, 4), whole = ht_tube_mask(&grid, ring, 4);
  ht_opening o;
  ht_assert_ok(cut_at(&mask, (double[3]){15, 15, 30}, (double[3]){0, 0, 1}, 0, &o));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int slab =
        v % 70 < 25 && v / 2100 > 30 && (double)(v / 2100) - 30 <= 2 * o.radius_mm / spacing_mm;
    assert_int_equal(mask.inside[v], slab ? 0 : whole.inside[v]);
  }
  ht_mask_free(&mask);
  ht_mask_free(&whole);
}

static void test_cut_refusals(void **unused) {
  (void)unused;
  ht_mask mask = one_tube((int[3]){60, 60, 60}, (double[3]){30, 30, 30}, (double[3]){0, 0, 1}, 5);
  int64_t before = ht_mask_count(&mask);
  ht_opening o;
  /* far off: says where the vessel is; not on the plane at all; along the vessel; no normal */
  assert_int_equal(cut_at(&mask, (double[3]){5, 30, 30}, (double[3]){0, 0, 1}, 4, &o),
                   HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "nearest vessel is at"));
  assert_int_equal(cut_at(&mask, (double[3]){5, 30, 30}, (double[3]){1, 0, 0}, 0, &o),
                   HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "nearest vessel is at"));
  assert_int_equal(cut_at(&mask, (double[3]){30, 30, 30}, (double[3]){1, 0, 0}, 0, &o),
                   HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "runs along it"));
  assert_int_equal(cut_at(&mask, (double[3]){30, 30, 30}, (double[3]){0, 0, 0}, 0, &o),
                   HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "normal"));
  assert_int_equal(cut_at(&mask, (double[3]){30, 30, 58.5}, (double[3]){0, 0, -1}, 0, &o), HT_OK);
  assert_int_equal(before - ht_mask_count(&mask), before / 60 * 59); /* the last layer stays */
  ht_mask_free(&mask);
}

/* ---- roles, connection ---- */

static ht_openings three(void) {
  ht_openings openings = {.count = 3};
  for (int i = 0; i < 3; i++) {
    openings.item[i].area_mm2 = (double[3]){2, 9, 4}[i];
    openings.item[i].radius_mm = 1;
  }
  return openings;
}

static void test_roles_by_area(void **unused) {
  (void)unused;
  ht_openings openings = three();
  ht_assert_ok(ht_openings_assign(&openings));
  assert_string_equal(openings.item[1].name, "inlet");
  assert_string_equal(openings.item[2].name, "outlet-1");
  assert_string_equal(openings.item[0].name, "outlet-2");
  assert_int_equal(openings.item[1].role, HT_ROLE_INLET);
  assert_int_equal(openings.item[0].role, HT_ROLE_OUTLET);
}

static void test_roles_given(void **unused) {
  (void)unused;
  ht_openings openings = three();
  openings.item[0].role = HT_ROLE_INLET;
  strcpy(openings.item[1].name, "outlet-2"); /* a person's */
  ht_assert_ok(ht_openings_assign(&openings));
  assert_string_equal(openings.item[0].name, "inlet");
  assert_int_equal(openings.item[1].role, HT_ROLE_OUTLET);
  assert_string_equal(openings.item[1].name, "outlet-2");
  assert_string_equal(openings.item[2].name, "outlet-3");
}

static void test_roles_refused(void **unused) {
  (void)unused;
  ht_openings none = {0}, walls = three(), no_outlet = three();
  assert_int_equal(ht_openings_assign(&none), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "no opening"));
  for (int i = 0; i < 3; i++) walls.item[i].role = i ? HT_ROLE_WALL : HT_ROLE_OUTLET;
  assert_int_equal(ht_openings_assign(&walls), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "inlet"));
  for (int i = 0; i < 3; i++) no_outlet.item[i].role = i ? HT_ROLE_WALL : HT_ROLE_NONE;
  assert_int_equal(ht_openings_assign(&no_outlet), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "outlet"));
}

static void test_connection(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 20, 30);
  ht_tube tubes[2] = {{{10, 10, -9}, {10, 10, 50}, 5}, {{28, 10, 12}, {28, 10, 50}, 4}};
  ht_mask mask = ht_tube_mask(&grid, tubes, 2);
  ht_openings openings = find(&mask, 3, 0);
  ht_assert_ok(ht_openings_assign(&openings));
  assert_int_equal(ht_openings_connected(&mask, &openings), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), openings.item[2].name));
  openings.item[2].role = HT_ROLE_WALL;
  ht_assert_ok(ht_openings_connected(&mask, &openings));
  openings.item[1].role = HT_ROLE_WALL; /* the inlet has no outlet left */
  openings.item[2].role = HT_ROLE_OUTLET;
  assert_int_equal(ht_openings_connected(&mask, &openings), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "inlet"));
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_tubes),
      cmocka_unit_test(test_oblique_tubes),
      cmocka_unit_test(test_bends),
      cmocka_unit_test(test_bends_behind_the_border),
      cmocka_unit_test(test_steep_tubes),
      cmocka_unit_test(test_grazing_tube),
      cmocka_unit_test(test_tube_over_an_edge),
      cmocka_unit_test(test_small_patches_are_counted),
      cmocka_unit_test(test_patches_are_8_connected),
      cmocka_unit_test(test_too_many),
      cmocka_unit_test(test_symmetries),
      cmocka_unit_test(test_cut_takes_the_outer_piece),
      cmocka_unit_test(test_cut_at_turned_planes),
      cmocka_unit_test(test_cut_leaves_other_branches),
      cmocka_unit_test(test_cut_of_a_ring_takes_a_slab),
      cmocka_unit_test(test_cut_refusals),
      cmocka_unit_test(test_roles_by_area),
      cmocka_unit_test(test_roles_given),
      cmocka_unit_test(test_roles_refused),
      cmocka_unit_test(test_connection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
