/* The main way through a vessel: where it goes, its sections, the mouths of branches. */
#include "tests/check.h"
#include "segment/openings/main_path.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"

enum { SIDE = 60, LENGTH = 120 };
static const double mm = 0.5, middle = 29.5;

/* A pipe of 12 voxels' radius, which is tilted along x, narrows to 6 at z = 80, and has a branch of
 * 5 along x at z = 30. A thin one has a radius of 8, does not narrow and has a ball, its sac or
 * bulge, of 14 at z = 60. */
typedef struct {
  double tilt;
  int has_branch, is_thin;
  double ball_aside; /* centre of the ball, along x off the axis */
  double short_at;   /* > 0: the narrowing is short, its throat this far after z = 80 */
} vessel;

/* `along`: of the axis, from where it crosses z = 80. */
static double radius_at(const vessel *of, double along) {
  double off = along - of->short_at;
  return of->is_thin ? 8 : 12 - 6 * exp(-off * off / (of->short_at > 0 ? 8 : 60));
}

static int is_inside(const vessel *of, double x, double y, double z) {
  double length = sqrt(1 + of->tilt * of->tilt);
  double across = (x - middle - of->tilt * (z - LENGTH / 2.0)) / length;
  double along = (z - 80 + of->tilt * (x - middle - of->tilt * (80 - LENGTH / 2.0))) / length;
  if (hypot(across, y - middle) < radius_at(of, along)) return 1;
  if (of->is_thin) return hypot(hypot(x - middle - of->ball_aside, y - middle), z - 60) < 14;
  return of->has_branch && x > middle && hypot(y - middle, z - 30) < 5;
}

static void make(const vessel *of, ht_mask *mask, ht_openings *openings) {
  ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                  .spacing_mm = {mm, mm, mm},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double shift = of->tilt * LENGTH / 2, length = sqrt(1 + of->tilt * of->tilt);
  double radius_mm = radius_at(of, -INFINITY) * mm;
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask->inside[v] = (uint8_t)is_inside(of, (double)(v % SIDE), (double)(v / SIDE % SIDE),
                                         (double)(v / (SIDE * SIDE)));
  *openings =
      (ht_openings){.count = 3,
                    .item = {{.role = of->has_branch ? HT_ROLE_OUTLET : HT_ROLE_WALL,
                              .centre_mm = {(SIDE - 1) * mm, middle * mm, 30 * mm},
                              .normal = {1, 0, 0},
                              .direction = {1, 0, 0},
                              .radius_mm = 5 * mm},
                             {.role = HT_ROLE_INLET,
                              .flow_ml_s = 20,
                              .centre_mm = {(middle - shift) * mm, middle * mm, 0},
                              .normal = {0, 0, -1},
                              .direction = {-of->tilt / length, 0, -1 / length},
                              .radius_mm = radius_mm},
                             {.role = HT_ROLE_OUTLET,
                              .centre_mm = {(middle + shift) * mm, middle * mm, (LENGTH - 1) * mm},
                              .normal = {0, 0, 1},
                              .direction = {of->tilt / length, 0, 1 / length},
                              .radius_mm = radius_mm}}};
}

static void find_path(const vessel *of, ht_mask *mask, ht_openings *openings,
                      ht_vessel_path *path) {
  make(of, mask, openings);
  assert_int_equal(ht_main_path_find(mask, openings, path), HT_OK);
}

static double disc_mm2(double radius) {
  return HT_PI * radius * radius * mm * mm;
}

static void check_voxels(const ht_vessel_path *path, const ht_mask *mask, int s) {
  double position_mm[3], off[3];
  assert_true(path->first[s + 1] > path->first[s]);
  for (int64_t n = path->first[s]; n < path->first[s + 1]; n++) {
    assert_true(mask->inside[path->voxel[n]]);
    ht_grid_voxel_position(&path->grid, path->voxel[n], position_mm);
    for (int r = 0; r < 3; r++) off[r] = position_mm[r] - path->station[s].centre_mm[r];
    assert_near(ht_dot(off, path->normal[s]), 0, mm); /* sqrt(3) / 2, rounded up */
  }
}

/* Sections are two voxels apart. At one voxel from this throat the area is 30 % larger. */
HT_TEST(test_a_short_throat) {
  for (int shift = 1; shift <= 4; shift++) {
    const vessel of = {.short_at = 0.5 * shift};
    ht_mask mask;
    ht_openings openings;
    ht_vessel_path path;
    int least = 0;
    find_path(&of, &mask, &openings, &path);
    for (int s = 0; s < path.stations; s++)
      if (path.station[s].area_mm2 < path.station[least].area_mm2) least = s;
    double off = path.station[least].centre_mm[2] / mm - 80 - of.short_at;
    double area = path.station[least].area_mm2 / disc_mm2(6);
    if (fabs(off) > 0.8 || fabs(area - 1) > 0.08) fail_msg("shift %d: %g, %g", shift, off, area);
    check_voxels(&path, &mask, least);
    ht_vessel_path_free(&path);
    ht_mask_free(&mask);
  }
}

/* Checks that the way follows the axis, from the inlet to the outlet, with the areas of the
 * vessel. */
static void check_way(double tilt, double area_slack) {
  const vessel of = {.tilt = tilt};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path;
  double length = sqrt(1 + tilt * tilt), least = INFINITY, least_z = 0;
  find_path(&of, &mask, &openings, &path);
  assert_true(path.stations > 50 && path.stations <= 66);
  for (int s = 0; s < path.stations; s++) {
    const ht_station *at = &path.station[s];
    double z = at->centre_mm[2] / mm;
    double axis_mm = (middle + tilt * (z - LENGTH / 2.0)) * mm;
    assert_true(fabs(at->centre_mm[0] - axis_mm) < mm && fabs(at->centre_mm[1] - middle * mm) < mm);
    assert_true(!at->is_mixed && at->direction[2] > 0.9);
    /* Sections parallel to the ends of the lattice have the same direction. */
    assert_near(at->direction[0], tilt / length, 0.05);
    if (fabs(z - 80) > 18 && z > 4 && z < LENGTH - 5) /* where the radius does not change */
      assert_near(at->area_mm2 / disc_mm2(12), 1, area_slack);
    if (at->area_mm2 < least) least = at->area_mm2, least_z = z;
    check_voxels(&path, &mask, s);
  }
  assert_true(fabs(least / disc_mm2(6) - 1) < 0.08 && fabs(least_z - 80) <= 2);
  /* The path runs from a voxel after the inlet's plane to one before the outlet's. */
  assert_near(path.station[path.stations - 1].along_mm, (LENGTH - 3) * mm * length, 2 * mm);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
}

HT_TEST(test_a_pipe) {
  check_way(0, 0.015);
  check_way(0.25, 0.05);
}

/* The mouth of a branch is marked, and nothing far from it. */
HT_TEST(test_a_branch) {
  const vessel of = {.has_branch = 1};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path;
  int marked = 0;
  find_path(&of, &mask, &openings, &path);
  for (int s = 0; s < path.stations; s++) {
    double away = fabs(path.station[s].centre_mm[2] / mm - 30);
    if (away < 4) assert_true(path.station[s].is_mixed);
    if (away > 12) assert_false(path.station[s].is_mixed);
    marked += (int)path.station[s].is_mixed;
  }
  assert_true(marked >= 4);
  assert_true(path.station[path.stations - 1].centre_mm[2] > 110 * mm); /* the wider outlet */
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
}

/* The way past a sac stays on the axis, and the sections at the neck are marked. */
static void check_sac(double aside) {
  const vessel of = {.is_thin = 1, .ball_aside = aside};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path;
  find_path(&of, &mask, &openings, &path);
  assert_true(path.stations > 50);
  for (int s = 0; s < path.stations; s++) {
    const ht_station *at = &path.station[s];
    double away = fabs(at->centre_mm[2] / mm - 60),
           neck = sqrt(14 * 14 - (aside - 8) * (aside - 8));
    assert_near(at->centre_mm[0], middle * mm, mm);
    assert_near(at->centre_mm[1], middle * mm, mm);
    assert_true(at->direction[2] > 0.98);
    if (away < neck - 1) assert_true(at->is_mixed); /* the sac and the pipe are one there */
    if (away > neck + 6) assert_false(at->is_mixed);
    if (!at->is_mixed) assert_near(at->area_mm2 / disc_mm2(8), 1, 0.1);
  }
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
}

/* A neck a third wider than the vessel, and one nearly as wide as the sac. */
HT_TEST(test_a_sac) {
  check_sac(17);
  check_sac(8);
}

/* A vessel that is wider all around for a while is still a vessel. */
HT_TEST(test_a_bulge) {
  const vessel of = {.is_thin = 1};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path;
  double most = 0;
  find_path(&of, &mask, &openings, &path);
  for (int s = 0; s < path.stations; s++) {
    assert_false(path.station[s].is_mixed);
    most = fmax(most, path.station[s].area_mm2);
  }
  assert_near(most / disc_mm2(14), 1, 0.05);
  ht_vessel_path_free(&path);
  ht_mask_free(&mask);
}

HT_TEST(test_no_way) {
  const vessel of = {.tilt = 0};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path;
  make(&of, &mask, &openings);
  for (int64_t v = 60 * SIDE * SIDE; v < 62 * SIDE * SIDE; v++) mask.inside[v] = 0;
  assert_int_equal(ht_main_path_find(&mask, &openings, &path), HT_OK);
  assert_int_equal(path.stations, 0);
  ht_mask_free(&mask);
  make(&of, &mask, &openings);
  openings.item[1].role = HT_ROLE_WALL;
  assert_int_equal(ht_main_path_find(&mask, &openings, &path), HT_OK);
  assert_int_equal(path.stations, 0);
  ht_mask_free(&mask);
}

/* The way is the vessel's: of a segmentation whose case gives no flow yet it is the same. */
HT_TEST(test_without_a_flow) {
  const vessel of = {.tilt = 0.1, .has_branch = 1};
  ht_mask mask;
  ht_openings openings;
  ht_vessel_path path, same;
  find_path(&of, &mask, &openings, &path);
  openings.item[1].flow_ml_s = 0;
  assert_int_equal(ht_main_path_find(&mask, &openings, &same), HT_OK);
  assert_int_equal(same.stations, path.stations);
  for (int s = 0; s < path.stations; s++)
    assert_memory_equal(&same.station[s], &path.station[s], sizeof *path.station);
  ht_vessel_path_free(&path), ht_vessel_path_free(&same);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pipe),        cmocka_unit_test(test_a_short_throat),
      cmocka_unit_test(test_a_branch),      cmocka_unit_test(test_a_sac),
      cmocka_unit_test(test_a_bulge),       cmocka_unit_test(test_no_way),
      cmocka_unit_test(test_without_a_flow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
