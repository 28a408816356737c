/* An aneurysm's sac: its shape against spheres, ellipsoids and cones on voxels, and planes that
 * must not cut. Resolution: 24 voxels across the parent vessel, 48 across a sac; bound 2 %. */
#include "tests/check.h"
#include "export/sac/sac.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double spacing_mm = 0.1;

/* A body about a vessel along x: index space, from the middle of the vessel. */
typedef int (*shape_of)(const double at[3]);

enum { NX = 120, NY = 70, NZ = 90, AXIS_Y = 35, AXIS_Z = 17 };
static const double tube = 12; /* radius of the parent, voxels */

static int in_tube(const double at[3]) {
  return at[1] * at[1] + at[2] * at[2] < tube * tube;
}

/* The grid, oblique in space: a rotation about z and a shift. */
static ht_grid grid_of(void) {
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  const double angle = 0.4;
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm, grid.origin_mm[a] = 10 * a - 7.3;
  grid.direction[0][0] = cos(angle), grid.direction[0][1] = -sin(angle);
  grid.direction[1][0] = sin(angle), grid.direction[1][1] = cos(angle);
  return grid;
}

/* The vessel's ends are extensions, so its wall is open there. */
static void make_surface(shape_of inside, ht_grid *grid, ht_surface *surface) {
  ht_domain domain = {0};
  *grid = grid_of();
  assert_int_equal(ht_mask_alloc(grid, &domain.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    int at[3];
    ht_voxel_place(grid->dim, v, at);
    const double from[3] = {at[0] - 0.5 * NX + 0.2, at[1] - AXIS_Y + 0.1, at[2] - AXIS_Z - 0.3};
    int extension = at[0] < 6 || at[0] >= NX - 6;
    if (at[0] == 0 || at[0] == NX - 1 || !inside(from)) continue;
    domain.mask.inside[v] = extension ? HT_EXTENSION : HT_VESSEL;
  }
  assert_int_equal(ht_surface_build(&domain, surface), HT_OK);
  ht_domain_free(&domain);
}

/* The plane at a height above the vessel's axis, voxels; turned about y by some degrees. */
static ht_neck_plane plane_at(const ht_grid *grid, double height, double degrees, double side) {
  const double turn = degrees * HT_PI / 180;
  const double index[3] = {0.5 * NX - 0.2, AXIS_Y - 0.1, AXIS_Z + 0.3 + height};
  const double along[3] = {side * sin(turn), 0, side * cos(turn)};
  ht_neck_plane plane;
  ht_grid_position(grid, index, plane.origin_mm);
  ht_grid_to_lps(grid, along, plane.normal);
  return plane;
}

/* The body that was made last: making one takes most of the time of measuring it. */
static struct {
  shape_of inside; /* NULL: none */
  ht_grid grid;
  ht_surface surface;
  ht_surface_links links;
} body;

static void make_body(shape_of inside) {
  if (inside == body.inside) return;
  ht_surface_links_free(&body.links);
  ht_surface_free(&body.surface);
  body.inside = inside;
  if (!inside) return;
  make_surface(inside, &body.grid, &body.surface);
  assert_int_equal(ht_surface_links_make(&body.surface, &body.links), HT_OK);
}

static ht_status measure(shape_of inside, double height, double degrees, double side,
                         ht_sac_shape *shape) {
  ht_sac_mesh sac;
  make_body(inside);
  ht_neck_plane plane = plane_at(&body.grid, height, degrees, side);
  ht_status status = ht_sac_cut(&body.surface, &body.links, &plane, &sac);
  if (status == HT_OK) status = ht_sac_measure(&sac, shape);
  if (status == HT_OK) { /* the normal points into the sac, whatever was given */
    double up[3], lps[3] = {0, 0, 1};
    ht_grid_to_lps(&body.grid, lps, up);
    assert_true(ht_dot(sac.neck.normal, up) > 0.8);
    assert_true(sac.neck_area_mm2 == shape->neck_area_mm2);
  }
  ht_sac_mesh_free(&sac);
  return status;
}

static void near(const char *what, double got, double wanted, double bound) {
  double error = got / wanted - 1;
  print_message("  %-20s %9.4f of %9.4f: %+.2f %%\n", what, got, wanted, 100 * error);
  if (!(fabs(error) <= bound)) fail_msg("%s is %g, not %g", what, got, wanted);
}

/* An index that is 0 or a few per cent: 2 % of its range. */
static void close_to(const char *what, double got, double wanted) {
  print_message("  %-20s %9.4f of %9.4f\n", what, got, wanted);
  if (!(fabs(got - wanted) <= 0.02)) fail_msg("%s is %g, not %g", what, got, wanted);
}

/* ---- a sphere on a tube ---- */

static const double ball = 24, ball_at = 32; /* voxels: radius, height above the axis */

static int ball_on_tube(const double at[3]) {
  double z = at[2] - ball_at;
  return in_tube(at) || at[0] * at[0] + at[1] * at[1] + z * z < ball * ball;
}

/* The part of the ball above the plane at height `cut`, mm. */
static void check_ball(double cut, const ht_sac_shape *s) {
  double r = ball * spacing_mm, h = (ball_at + ball - cut) * spacing_mm;
  double rim = sqrt(h * (2 * r - h)), volume = HT_PI * h * h * (3 * r - h) / 3;
  double area = 2 * HT_PI * r * h;
  double round_off = 1 - cbrt(18 * HT_PI) * pow(volume, 2.0 / 3) / area;
  near("volume", s->volume_mm3, volume, 0.02);
  near("area", s->area_mm2, area, 0.02);
  near("neck area", s->neck_area_mm2, HT_PI * rim * rim, 0.02);
  near("neck width", s->neck_width_mm, 2 * rim, 0.02);
  near("neck, widest", s->neck_widest_mm, 2 * rim, 0.02);
  near("neck, narrowest", s->neck_narrowest_mm, 2 * rim, 0.02);
  near("height", s->height_mm, h, 0.02);
  near("length", s->length_mm, h, 0.02);
  near("width", s->width_mm, h > r ? 2 * r : 2 * rim, 0.02);
  near("aspect ratio", s->aspect_ratio, h / (2 * rim), 0.02);
  near("bottleneck factor", s->bottleneck_factor, h > r ? r / rim : 1, 0.02);
  close_to("undulation", s->undulation, 0);
  close_to("ellipticity", s->ellipticity, round_off);
  close_to("non-sphericity", s->non_sphericity, round_off);
}

static void test_ball(void **unused) {
  (void)unused;
  ht_sac_shape shape;
  for (int side = -1; side <= 1; side += 2) { /* the normal may point either way */
    assert_int_equal(measure(ball_on_tube, 20, 0, side, &shape), HT_OK);
    check_ball(20, &shape);
  }
  assert_int_equal(measure(ball_on_tube, 32, 0, 1, &shape), HT_OK); /* a hemisphere */
  check_ball(32, &shape);
  assert_int_equal(measure(ball_on_tube, 31, 15, 1, &shape), HT_OK);
  check_ball(32 - cos(15 * HT_PI / 180), &shape);
}

/* ---- half an ellipsoid ---- */

static const double half_axis[3] = {28, 18, 40};

static int ellipsoid_on_tube(const double at[3]) {
  double sum = 0;
  for (int a = 0; a < 3; a++) sum += pow((at[a] - (a == 2 ? 18 : 0)) / half_axis[a], 2);
  return in_tube(at) || sum < 1;
}

/* The area of half the ellipsoid, by parameters. */
static double ellipsoid_area(void) {
  enum { N = 400 };
  double sum = 0, a = half_axis[0], b = half_axis[1], c = half_axis[2];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double t = 0.5 * HT_PI * (i + 0.5) / N, f = 2 * HT_PI * (j + 0.5) / N;
      double n[3] = {b * c * sin(t) * cos(f), a * c * sin(t) * sin(f), a * b * cos(t)};
      sum += sin(t) * ht_length(n) * (0.5 * HT_PI / N) * (2 * HT_PI / N);
    }
  return sum;
}

static void test_ellipsoid(void **unused) {
  (void)unused;
  ht_sac_shape s;
  const double mm2 = spacing_mm * spacing_mm, mm3 = mm2 * spacing_mm;
  const double *h = half_axis;
  double volume = 2.0 / 3 * HT_PI * h[0] * h[1] * h[2] * mm3, area = ellipsoid_area() * mm2;
  double elongation = 1 - cbrt(18 * HT_PI) * pow(volume, 2.0 / 3) / area;
  assert_int_equal(measure(ellipsoid_on_tube, 18, 0, 1, &s), HT_OK);
  near("volume", s.volume_mm3, volume, 0.02);
  near("area", s.area_mm2, area, 0.02);
  near("neck area", s.neck_area_mm2, HT_PI * h[0] * h[1] * mm2, 0.02);
  near("neck, widest", s.neck_widest_mm, 2 * h[0] * spacing_mm, 0.02);
  near("neck, narrowest", s.neck_narrowest_mm, 2 * h[1] * spacing_mm, 0.02);
  near("height", s.height_mm, h[2] * spacing_mm, 0.02);
  near("width", s.width_mm, 2 * h[0] * spacing_mm, 0.02);
  near("bottleneck factor", s.bottleneck_factor, 1, 0.02);
  close_to("undulation", s.undulation, 0);
  close_to("ellipticity", s.ellipticity, elongation);
  close_to("non-sphericity", s.non_sphericity, elongation);
  assert_true(elongation > 0.03); /* else the two lines above check little */
}

/* ---- a cone ---- */

static const double cone_radius = 26, cone_height = 60, cone_base = 14;

static int cone_on_tube(const double at[3]) {
  double z = at[2] - cone_base;
  double radius = cone_radius * (1 - z / cone_height);
  int in_cone = z > -10 && radius > 0 && at[0] * at[0] + at[1] * at[1] < radius * radius;
  return in_tube(at) || in_cone;
}

static void check_cone(const ht_sac_shape *s, double height_bound) {
  double r = cone_radius * spacing_mm, h = cone_height * spacing_mm, slant = hypot(r, h);
  double volume = HT_PI * r * r * h / 3, area = HT_PI * r * slant;
  near("volume", s->volume_mm3, volume, 0.02);
  near("area", s->area_mm2, area, 0.02);
  near("neck area", s->neck_area_mm2, HT_PI * r * r, 0.02);
  near("width", s->width_mm, 2 * r, 0.02);
  near("height", s->height_mm, h, height_bound);
  near("aspect ratio", s->aspect_ratio, h / (2 * r), height_bound);
  close_to("undulation", s->undulation, 0);
  close_to("non-sphericity", s->non_sphericity, 1 - cbrt(18 * HT_PI) * pow(volume, 2.0 / 3) / area);
}

/* Voxels lose the tip where the cone is thinner than one: 2.3 of them. */
static void test_cone(void **unused) {
  (void)unused;
  ht_sac_shape s;
  assert_int_equal(measure(cone_on_tube, cone_base, 0, 1, &s), HT_OK);
  check_cone(&s, 2.5 / cone_height);
}

/* Checks the same cone as triangles, on a stump that is open below. */
static void test_cone_of_triangles(void **unused) {
  (void)unused;
  enum { N = 96, POINTS = 2 * N + 1, TRIANGLES = 3 * N };
  static float point[POINTS][3], normal[POINTS][3];
  static int32_t triangle[TRIANGLES][3];
  const double h = cone_height * spacing_mm, r = cone_radius * spacing_mm;
  for (int i = 0; i < N; i++) {
    double angle = 2 * HT_PI * i / N;
    for (int ring = 0; ring < 2; ring++) {
      double z = ring ? 1e-4 : -1, radius = r * (ring ? 1 : 0.8);
      float *to = point[ring * N + i];
      to[0] = (float)(radius * cos(angle)), to[1] = (float)(radius * sin(angle)), to[2] = (float)z;
    }
    int next = (i + 1) % N;
    const int32_t corner[3][3] = {
        {i, next, N + next}, {i, N + next, N + i}, {N + i, N + next, 2 * N}};
    memcpy(triangle[3 * i], corner, sizeof corner);
  }
  point[2 * N][2] = (float)h;
  ht_surface surface = {.points = POINTS,
                        .triangles = TRIANGLES,
                        .point_mm = point[0],
                        .normal = normal[0],
                        .triangle = triangle[0]};
  const ht_neck_plane plane = {{0.3, 0, 0}, {0, 0, -2}};
  ht_surface_links links;
  ht_sac_mesh sac;
  ht_sac_shape shape;
  assert_int_equal(ht_surface_links_make(&surface, &links), HT_OK);
  assert_int_equal(ht_sac_cut(&surface, &links, &plane, &sac), HT_OK);
  assert_int_equal(ht_sac_measure(&sac, &shape), HT_OK);
  check_cone(&shape, 0.002);
  near("length", shape.length_mm, h, 0.002);
  ht_sac_mesh_free(&sac);
  ht_surface_links_free(&links);
}

/* ---- two balls: a hull that is not the sac ---- */

static int two_balls(const double at[3]) {
  double z = at[2] - 30;
  double left = pow(at[0] + 18, 2) + at[1] * at[1] + z * z;
  double right = pow(at[0] - 18, 2) + at[1] * at[1] + z * z;
  return in_tube(at) || left < 20 * 20 || right < 20 * 20;
}

/* Two half balls, less the lens in which they meet, against half of a capsule. */
static void test_undulation(void **unused) {
  (void)unused;
  ht_sac_shape s;
  double r = 20 * spacing_mm, d = 36 * spacing_mm;
  double lens = HT_PI * (4 * r + d) * pow(2 * r - d, 2) / 12;
  double volume = 0.5 * (2 * 4.0 / 3 * HT_PI * pow(r, 3) - lens);
  double hull = 0.5 * (4.0 / 3 * HT_PI * pow(r, 3) + HT_PI * r * r * d);
  assert_int_equal(measure(two_balls, 30, 0, 1, &s), HT_OK);
  near("volume", s.volume_mm3, volume, 0.02);
  near("hull's volume", s.hull_volume_mm3, hull, 0.02);
  near("hull's area", s.hull_area_mm2, 0.5 * (4 * HT_PI * r * r + 2 * HT_PI * r * d), 0.02);
  close_to("undulation", s.undulation, 1 - volume / hull);
  assert_true(s.undulation > 0.1);
}

/* ---- planes that do not cut off a sac ---- */

static void test_refused(void **unused) {
  (void)unused;
  ht_sac_shape shape;
  assert_int_equal(measure(ball_on_tube, 70, 0, 1, &shape), HT_ERR_CASE); /* above the sac */
  assert_int_equal(measure(ball_on_tube, 0, 90, 1, &shape), HT_ERR_CASE); /* across the vessel */
  assert_int_equal(measure(ball_on_tube, 4, 0, 1, &shape), HT_ERR_CASE);  /* along the vessel */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),       cmocka_unit_test(test_refused),
      cmocka_unit_test(test_ellipsoid),  cmocka_unit_test(test_cone),
      cmocka_unit_test(test_undulation), cmocka_unit_test(test_cone_of_triangles),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  make_body(NULL);
  return failed;
}
