/* run/inputs/run_sac: one sac on one vessel in several orientations and on several lattices, from
 * the mask on: its centreline, its wall, its neck. */
#include "tests/check.h"
#include "segment/openings/main_path.h"
#include "export/sac/sac_find.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pipe_mm = 2, half_mm = 7, beyond_mm = 8.2, box_mm = 9.5;

typedef struct {
  double radius_mm, above_mm; /* of the ball, and its middle above the axis */
  double bend_mm;             /* radius of the vessel's bend, the ball outside; 0: straight */
  double blend_mm;            /* rounding of the neck's edge */
} shape;

/* Axes of the vessel: along it, across, towards the ball. */
static void turn(double degrees, double axis[3][3]) {
  double a = degrees * HT_PI / 180, b = 0.6 * a, c = 1.7 * a;
  const double about_z[3] = {cos(a), sin(a), 0};
  const double up[3] = {0, 0, 1};
  double side[3], tilt[3];
  ht_cross(up, about_z, side);
  for (int r = 0; r < 3; r++) axis[0][r] = cos(b) * about_z[r] + sin(b) * up[r];
  for (int r = 0; r < 3; r++) tilt[r] = cos(b) * up[r] - sin(b) * about_z[r];
  for (int r = 0; r < 3; r++) {
    axis[1][r] = cos(c) * side[r] + sin(c) * tilt[r];
    axis[2][r] = cos(c) * tilt[r] - sin(c) * side[r];
  }
}

/* Finds the place along the vessel's axis, and the distance from it. */
static void place(const shape *s, const double at[3], double *along, double *away) {
  *along = at[0];
  *away = hypot(at[1], at[2]);
  if (s->bend_mm == 0) return;
  double out = s->bend_mm + at[2];
  *along = s->bend_mm * atan2(at[0], out);
  *away = hypot(at[1], hypot(at[0], out) - s->bend_mm);
}

static double outside_mm(const shape *s, const double at[3], double *along) {
  double away;
  place(s, at, along, &away);
  const double from[3] = {at[0], at[1], at[2] - s->above_mm};
  double a = away - pipe_mm, b = ht_length(from) - s->radius_mm;
  double share = s->blend_mm > 0 ? fmax(0, s->blend_mm - fabs(a - b)) / s->blend_mm : 0;
  return fmin(a, b) - 0.25 * s->blend_mm * share * share;
}

static void make_masks(const shape *s, double axis[3][3], double h, ht_domain *domain,
                       ht_mask *vessel) {
  int n = (int)(2 * box_mm / h);
  ht_grid grid = ht_grid_make(n, n, n);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = h, grid.origin_mm[a] = -box_mm + 0.3 * h * a;
  memset(domain, 0, sizeof *domain);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  assert_int_equal(ht_mask_alloc(&grid, vessel), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double p[3], at[3], along;
    ht_grid_voxel_position(&grid, v, p);
    for (int r = 0; r < 3; r++) at[r] = ht_dot(p, axis[r]);
    double d = outside_mm(s, at, &along);
    if (d >= 0 || fabs(along) > beyond_mm) continue;
    domain->mask.inside[v] = fabs(along) > half_mm ? HT_EXTENSION : HT_VESSEL;
    vessel->inside[v] = fabs(along) <= half_mm;
  }
}

static void make_openings(const shape *s, double axis[3][3], ht_openings *openings) {
  *openings = (ht_openings){.count = 2};
  for (int e = 0; e < 2; e++) {
    ht_opening *o = &openings->item[e];
    double sign = e ? 1 : -1, angle = s->bend_mm > 0 ? sign * half_mm / s->bend_mm : 0;
    double x = s->bend_mm > 0 ? s->bend_mm * sin(angle) : sign * half_mm;
    double z = s->bend_mm > 0 ? s->bend_mm * (cos(angle) - 1) : 0;
    snprintf(o->name, sizeof o->name, "end-%d", e);
    o->role = e ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    o->flow_ml_s = !e;
    o->radius_mm = pipe_mm, o->area_mm2 = HT_PI * pipe_mm * pipe_mm;
    for (int r = 0; r < 3; r++) {
      o->centre_mm[r] = x * axis[0][r] + z * axis[2][r];
      o->normal[r] = o->direction[r] = sign * (cos(angle) * axis[0][r] - sin(angle) * axis[2][r]);
    }
  }
}

static void measure(const shape *s, double angle, double h, ht_sac_shape *to) {
  double axis[3][3];
  ht_domain domain;
  ht_mask vessel;
  ht_openings openings;
  ht_vessel_path path;
  ht_surface surface;
  ht_surface_links links;
  ht_sac_mesh sac;
  ht_sac_search search;
  turn(angle, axis);
  make_masks(s, axis, h, &domain, &vessel);
  make_openings(s, axis, &openings);
  assert_int_equal(ht_main_path_find(&vessel, &openings, &path), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_int_equal(ht_surface_links_make(&surface, &links), HT_OK);
  const ht_sac_vessel in = {&surface, &links, &path, 1, &openings, h};
  assert_int_equal(ht_sac_find(&in, &sac, &search), HT_OK);
  assert_int_equal(search.found, 1);
  assert_int_equal(ht_sac_measure(&sac, to), HT_OK);
  print_message("%5.1f degrees, %.2f mm: neck %.3f mm2, %.3f mm above the axis, aspect ratio %.3f, "
                "bottleneck "
                "%.3f\n",
                angle, h, to->neck_area_mm2, ht_dot(sac.neck.origin_mm, axis[2]), to->aspect_ratio,
                to->bottleneck_factor);
  ht_sac_mesh_free(&sac);
  ht_surface_links_free(&links);
  ht_surface_free(&surface);
  ht_vessel_path_free(&path);
  ht_domain_free(&domain);
  ht_mask_free(&vessel);
}

typedef struct {
  double least, most, sum;
} spread;

static void add(spread *s, double value) {
  s->least = s->sum > 0 ? fmin(s->least, value) : value;
  s->most = fmax(s->most, value);
  s->sum += value;
}

static int is_within(const spread *s, double share) {
  return s->most < (1 + share) * s->least;
}

enum { AREA, HEIGHT, ASPECT, BOTTLENECK, NUMBERS, VIEWS = 4 };

static const double degrees[VIEWS] = {0, 33, 67, 100};

/* Checks that the numbers in all orientations agree within 3 %. Fills their means. */
static void check_views(const shape *s, double spacing_mm, double mean[NUMBERS]) {
  spread of[NUMBERS] = {{0}};
  for (int i = 0; i < VIEWS; i++) {
    ht_sac_shape one;
    measure(s, degrees[i], spacing_mm, &one);
    const double number[NUMBERS] = {one.neck_area_mm2, one.height_mm, one.aspect_ratio,
                                    one.bottleneck_factor};
    for (int n = 0; n < NUMBERS; n++) add(&of[n], number[n]);
  }
  for (int n = 0; n < NUMBERS; n++) {
    print_message("  spread %.1f %%\n", 100 * (of[n].most / of[n].least - 1));
    assert_true(is_within(&of[n], 0.03));
    mean[n] = of[n].sum / VIEWS;
  }
}

/* Checks that the means on two lattices agree within 2 %. */
static void check_lattices(const shape *s, const double spacing_mm[2], double mean[NUMBERS]) {
  double coarse[NUMBERS];
  check_views(s, spacing_mm[0], coarse);
  check_views(s, spacing_mm[1], mean);
  for (int n = 0; n < NUMBERS; n++) assert_near(mean[n] / coarse[n], 1, 0.02);
}

static const double lattices_mm[] = {0.25, 0.2}; /* 16 and 20 nodes across */

/* The plane lies a fifth of the tube's radius above it, on every lattice. */
static void test_straight(void **unused) {
  (void)unused;
  const shape s = {.radius_mm = 3, .above_mm = 4.6};
  double down_mm = s.above_mm - 1.2 * pipe_mm, mean[NUMBERS];
  double radius_mm = sqrt(s.radius_mm * s.radius_mm - down_mm * down_mm);
  check_lattices(&s, lattices_mm, mean);
  assert_near(mean[AREA] / (HT_PI * radius_mm * radius_mm), 1, 0.02);
  assert_near(mean[HEIGHT] / (s.radius_mm + down_mm), 1, 0.01);
  assert_near(mean[ASPECT] * 2 * radius_mm / (s.radius_mm + down_mm), 1, 0.02);
  assert_near(mean[BOTTLENECK] * radius_mm / s.radius_mm, 1, 0.02);
}

static void test_bend(void **unused) {
  (void)unused;
  const shape s = {.radius_mm = 2.8, .above_mm = 3.85, .bend_mm = 8};
  double mean[NUMBERS];
  check_views(&s, 0.2, mean);
}

/* A rounded edge, and a neck of 3.2 mm. */
static void test_edges(void **unused) {
  (void)unused;
  const shape blended = {.radius_mm = 2.5, .above_mm = 4, .blend_mm = 0.8};
  const shape narrow = {.radius_mm = 2.5, .above_mm = 4.3};
  double mean[NUMBERS];
  check_views(&blended, 0.25, mean);
  check_views(&narrow, 0.2, mean);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight), cmocka_unit_test(test_bend),
                                     cmocka_unit_test(test_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
