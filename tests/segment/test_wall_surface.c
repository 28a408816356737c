/* The wall's distance from triangles: tubes and a square duct, closed by caps, with extensions. */
#include "tests/check.h"
#include "segment/domain/extend.h"
#include "segment/shape/triangle_distance.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "segment/shape/wall_distance.h"
#include <stdlib.h>
#include <string.h>

/* A prism of `sides` around an axis, closed by caps; voxels of 1 mm, so that mm are spacings. */
typedef struct {
  int sides;
  double radius, length; /* to the corners */
  double centre[3], axis[3], across[2][3];
} prism;

static void corner_of(const prism *p, int n, double along, float out[3]) {
  double angle = 2 * HT_PI * (n % p->sides + 0.5) / p->sides;
  for (int r = 0; r < 3; r++)
    out[r] = (float)(p->centre[r] + along * p->axis[r] +
                     p->radius * (cos(angle) * p->across[0][r] + sin(angle) * p->across[1][r]));
}

static prism prism_of(int sides, double radius, double length, const double axis[3]) {
  prism p = {.sides = sides, .radius = radius, .length = length, .centre = {16.1, 15.237, 15.781}};
  memcpy(p.axis, axis, sizeof p.axis);
  ht_normalise(p.axis);
  ht_span_across(p.axis, p.across);
  return p;
}

static void middle_of(const prism *p, double along, float out[3]) {
  for (int r = 0; r < 3; r++) out[r] = (float)(p->centre[r] + along * p->axis[r]);
}

static ht_triangles triangles_of(const prism *p) {
  const double half = p->length / 2;
  ht_triangles t = {0};
  t.corner = calloc((size_t)p->sides * 4, sizeof *t.corner);
  assert_non_null(t.corner);
  for (int n = 0; n < p->sides; n++)
    for (int end = -1; end < 2; end += 2) {
      float(*side)[3] = t.corner[t.count++], (*cap)[3] = t.corner[t.count++];
      corner_of(p, n, end * half, side[0]);
      corner_of(p, n + 1, end * half, side[1]);
      corner_of(p, end < 0 ? n : n + 1, -end * half, side[2]);
      memcpy(cap, side, 2 * sizeof *cap);
      middle_of(p, end * half, cap[2]);
    }
  return t;
}

/* The distance from the endless prism's faces, > 0 inside. */
static double depth(const prism *p, const double at[3]) {
  double off[3], side = p->radius * cos(HT_PI / p->sides), half = p->radius * sin(HT_PI / p->sides);
  double inside = INFINITY, nearest = INFINITY;
  for (int r = 0; r < 3; r++) off[r] = at[r] - p->centre[r];
  double u = ht_dot(off, p->across[0]), v = ht_dot(off, p->across[1]);
  for (int n = 0; n < p->sides; n++) {
    double angle = 2 * HT_PI * (n + 1) / p->sides;
    double out = u * cos(angle) + v * sin(angle) - side, along = v * cos(angle) - u * sin(angle);
    inside = fmin(inside, -out);
    nearest = fmin(nearest, hypot(out, fmax(0, fabs(along) - half)));
  }
  return inside > 0 ? nearest : -nearest;
}

static double along_of(const prism *p, const double at[3]) {
  double off[3];
  for (int r = 0; r < 3; r++) off[r] = at[r] - p->centre[r];
  return ht_dot(off, p->axis);
}

/* The nodes inside, cut off a node before the caps; openings on these planes. */
static void make_domain(const prism *p, const ht_triangles *surface, ht_domain *domain) {
  const double end = p->length / 2 - 1;
  ht_mask mask;
  ht_openings openings = {.count = 2};
  ht_grid grid = ht_grid_make(32, 32, 32);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  int64_t nodes = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double at[3];
    ht_grid_voxel_position(&grid, v, at);
    mask.inside[v] = depth(p, at) > 0 && fabs(along_of(p, at)) <= end;
    nodes += mask.inside[v];
  }
  for (int i = 0; i < 2; i++) {
    ht_opening *one = &openings.item[i];
    one->role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    one->area_mm2 = (double)nodes / (2 * end);
    one->radius_mm = sqrt(one->area_mm2 / HT_PI);
    for (int r = 0; r < 3; r++) {
      one->normal[r] = one->direction[r] = (i ? 1 : -1) * p->axis[r];
      one->centre_mm[r] = p->centre[r] + end * one->normal[r];
    }
  }
  const ht_extend_options options = {
      .inlet_diameters = 1, .outlet_diameters = 1, .surface = surface};
  if (ht_domain_build(&mask, &openings, &options, domain) != HT_OK)
    fail_msg("%s", ht_error_message());
  assert_int_equal(ht_domain_measure_walls(domain, surface), HT_OK);
  ht_mask_free(&mask);
}

typedef struct {
  double rms, most;
  int64_t count, wrong; /* nodes on the wrong side */
} error;

/* Errors of the nodes within a spacing of the wall and more than 5 before a port. */
static error errors_of(const prism *p, const ht_domain *domain, int extension) {
  error e = {0};
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    double at[3], near_port = INFINITY;
    ht_grid_voxel_position(&domain->mask.grid, v, at);
    double truth = depth(p, at), beyond = fabs(along_of(p, at)) - (p->length / 2 - 1);
    if (fabs(truth) > 1 || (extension ? beyond <= 1 : beyond > -0.5)) continue;
    for (int q = 0; q < domain->ports; q++) {
      int place[3], port[3];
      ht_voxel_place(domain->mask.grid.dim, v, place);
      ht_voxel_place(domain->mask.grid.dim, domain->port[q].node[0], port);
      int a = domain->port[q].axis;
      near_port = fmin(near_port, domain->port[q].inward * (place[a] - port[a]));
    }
    if (near_port < 5) continue;
    double off = domain->wall_distance[v] - truth;
    e.rms += off * off;
    e.most = fmax(e.most, fabs(off));
    e.count++;
    e.wrong += (domain->mask.inside[v] != 0) != (truth > 0);
  }
  e.rms = sqrt(e.rms / (double)e.count);
  return e;
}

static void check(prism p, const char *what, double most_rms) {
  ht_triangles surface = triangles_of(&p);
  for (int exact = 0; exact < 2; exact++) {
    ht_domain domain;
    make_domain(&p, exact ? &surface : NULL, &domain);
    error vessel = errors_of(&p, &domain, 0), extension = errors_of(&p, &domain, 1);
    print_message("%s, from %s: the distance is off by %.4f spacings (rms), %.3f at most; in the "
                  "extensions %.4f, %.3f\n",
                  what, exact ? "triangles" : "voxels", vessel.rms, vessel.most, extension.rms,
                  extension.most);
    assert_true(vessel.count > 400 && extension.count > 200);
    if (exact) {
      assert_true(domain.port[0].follows_surface && domain.port[1].follows_surface);
      assert_true(vessel.rms < most_rms && extension.rms < most_rms + 0.02);
      assert_true(extension.wrong <= extension.count / 100);
    } else {
      assert_true(vessel.rms > 4 * most_rms);
    }
    ht_domain_free(&domain);
  }
  ht_triangles_free(&surface);
}

static void test_tubes(void **unused) {
  (void)unused;
  const double axis[2][3] = {{0, 0, 1}, {0.49, 0.1, 0.866}};
  for (int n = 0; n < 2; n++) check(prism_of(72, 6.5, 16, axis[n]), "a tube", 0.01);
}

/* Outside a corner the distance is that from the corner, not from the faces: `most_rms` is larger.
 */
static void test_duct(void **unused) {
  (void)unused;
  const double axis[3] = {0.49, 0.1, 0.866};
  check(prism_of(4, 7.5, 16, axis), "a square duct", 0.01);
}

/* A wall inside the vessel, as where two surfaces overlap, and a triangle far outside: no change.
 */
static void test_walls_that_are_none(void **unused) {
  (void)unused;
  const double axis[3] = {0.296, 0, 1};
  prism p = prism_of(72, 6.5, 16, axis);
  ht_triangles surface = triangles_of(&p);
  ht_domain plain, with;
  make_domain(&p, &surface, &plain);
  surface.corner = realloc(surface.corner, (size_t)(surface.count + 2) * sizeof *surface.corner);
  assert_non_null(surface.corner);
  const float more[2][3][3] = {{{13, 13, 16}, {19, 13, 16}, {16, 18, 16}},
                               {{2, 2, 16}, {5, 2, 16}, {2, 5, 16}}};
  memcpy(surface.corner[surface.count], more, sizeof more);
  surface.count += 2;
  free(plain.wall_distance), plain.wall_distance = NULL;
  with = plain;
  assert_int_equal(ht_domain_measure_walls(&with, &surface), HT_OK);
  error e = errors_of(&p, &with, 0);
  print_message("with walls inside: %.4f (rms), %.3f\n", e.rms, e.most);
  assert_true(e.rms < 0.02);
  ht_domain_free(&with);
  ht_triangles_free(&surface);
}

/* A branch a few nodes wide whose extensions follow the surface: wherever it lies between the
 * nodes, each layer and each port has nodes, also where the nodes inside form a cross. */
static void test_thin_branch(void **unused) {
  (void)unused;
  const double axis[3] = {0.117, -0.147, 0.982};
  for (int n = 0; n < 25; n++) {
    ht_domain domain;
    prism p = prism_of(36, 1.27, 16, axis);
    p.centre[0] = 16 + 0.2 * (n % 5), p.centre[1] = 16 + 0.2 * (n / 5);
    ht_triangles surface = triangles_of(&p);
    make_domain(&p, &surface, &domain);
    assert_int_equal(domain.ports, 2);
    for (int k = 0; k < 2; k++) assert_in_range(domain.port[k].nodes, HT_OPENING_FEWEST_NODES, 10);
    ht_domain_free(&domain);
    ht_triangles_free(&surface);
  }
}

/* Against the nearest of many points of the triangle. */
static void test_triangle(void **unused) {
  (void)unused;
  enum { FINE = 200 };
  const ht_corners t = {{0.3, -1, 2}, {4, 0.5, 1}, {-1, 3, 0.2}};
  for (int n = 0; n < 60; n++) {
    const double at[3] = {-3 + 0.17 * (n * 7 % 60), -3 + 0.13 * (n * 11 % 60), -1 + 0.08 * n};
    double least2 = INFINITY;
    for (int i = 0; i <= FINE; i++)
      for (int j = 0; i + j <= FINE; j++) {
        double off[3];
        for (int r = 0; r < 3; r++)
          off[r] = t[0][r] + (i * (t[1][r] - t[0][r]) + j * (t[2][r] - t[0][r])) / FINE - at[r];
        least2 = fmin(least2, ht_dot(off, off));
      }
    double found = ht_triangle_distance2(t, at);
    assert_true(found <= least2 + 1e-12 && sqrt(found) > sqrt(least2) - 0.03);
    double part[3], there[3] = {-at[0], -at[1], -at[2]};
    assert_true(ht_triangle_nearest(t, at, part) == found);
    for (int c = 0; c < 3; c++) {
      assert_true(part[c] >= -1e-12);
      for (int r = 0; r < 3; r++) there[r] += part[c] * t[c][r];
    }
    assert_float_equal(part[0] + part[1] + part[2], 1, 1e-12);
    assert_float_equal(ht_dot(there, there), found, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_triangle), cmocka_unit_test(test_tubes), cmocka_unit_test(test_duct),
      cmocka_unit_test(test_thin_branch), cmocka_unit_test(test_walls_that_are_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
