/* The neck found from the centreline: of a ball on a tube, with and without a clear sac; and the
 * parent vessel beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sac_find.h"
#include "units.h"
#include "vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, NX = 100, NY = 56, NZ = 76, AXIS_Y = 28, AXIS_Z = 13 };
static const double spacing_mm = 0.2, tube = 9; /* voxels: radius */

typedef struct {
  double radius, above; /* of the ball and its height above the axis, voxels; radius 0: none */
  int is_stump;         /* a closed side branch in its place */
} bulge;

static int holds(const bulge *b, const double at[3]) {
  double across = hypot(at[0], at[1]);
  if (at[1] * at[1] + at[2] * at[2] < tube * tube) return 1;
  if (b->is_stump) return at[2] > 0 && at[2] < b->above && across < b->radius;
  return hypot(across, at[2] - b->above) < b->radius;
}

static void make_vessel(const bulge *b, ht_surface *surface) {
  ht_domain domain = {0};
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    const double from[3] = {at[0] - 0.5 * NX, at[1] - AXIS_Y, at[2] - AXIS_Z};
    int extension = at[0] < 6 || at[0] >= NX - 6;
    if (at[0] == 0 || at[0] == NX - 1 || !holds(b, from)) continue;
    domain.mask.inside[v] = extension ? HT_EXTENSION : HT_VESSEL;
  }
  assert_int_equal(ht_surface_build(&domain, surface), HT_OK);
  ht_domain_free(&domain);
}

/* The straight axis, its sections mixed under the ball. */
static ht_vessel_path make_path(const bulge *b) {
  ht_vessel_path path = {.stations = N, .station = calloc(N, sizeof *path.station)};
  for (int s = 0; s < N; s++) {
    double x = 6 + (NX - 12) * (s + 0.5) / N;
    path.station[s] =
        (ht_station){.along_mm = (x - 6) * spacing_mm,
                     .centre_mm = {x * spacing_mm, AXIS_Y * spacing_mm, AXIS_Z * spacing_mm},
                     .direction = {1, 0, 0},
                     .area_mm2 = HT_PI * pow(tube * spacing_mm, 2),
                     .is_mixed = fabs(x - 0.5 * NX) < b->radius + 2};
    if (path.station[s].is_mixed) path.station[s].area_mm2 *= 3; /* of vessel and sac: no use */
  }
  return path;
}

static void find(const bulge *b, ht_sac_mesh *sac, ht_sac_search *search, ht_vessel_path *path,
                 ht_surface *surface) {
  ht_surface_links links;
  make_vessel(b, surface);
  *path = make_path(b);
  assert_int_equal(ht_surface_links_make(surface, &links), HT_OK);
  assert_int_equal(ht_sac_find(surface, &links, path, 1, spacing_mm, sac, search), HT_OK);
  ht_surface_links_free(&links);
}

/* The lowest plane that leaves the tube alone lies on its top. */
static void test_ball(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_sac_mesh sac;
  ht_sac_search search;
  ht_vessel_path path;
  ht_surface surface;
  ht_sac_shape shape;
  ht_sac_parent parent;
  find(&b, &sac, &search, &path, &surface);
  print_message("%s\n", search.why);
  assert_int_equal(search.found, 1);
  assert_int_equal(search.others, 0);
  double height = sac.neck.origin_mm[2] / spacing_mm - AXIS_Z;
  print_message("neck %.2f voxels above the axis, normal %.4f %.4f %.4f\n", height,
                sac.neck.normal[0], sac.neck.normal[1], sac.neck.normal[2]);
  assert_true(height > tube - 0.5 && height < tube + 1.5);
  assert_true(sac.neck.normal[2] > 0.999);
  assert_int_equal(ht_sac_measure(&sac, &shape), HT_OK);
  double h = (b.above + b.radius - height) * spacing_mm, r = b.radius * spacing_mm;
  double volume = HT_PI * h * h * (3 * r - h) / 3;
  print_message("volume %.2f of %.2f\n", shape.volume_mm3, volume);
  assert_true(fabs(shape.volume_mm3 / volume - 1) < 0.02);
  ht_sac_parent_of(&sac, &shape, &path, 1, &parent);
  assert_true(parent.before >= 0 && parent.behind > parent.before);
  assert_int_equal(path.station[parent.before].is_mixed, 0);
  assert_true(fabs(parent.diameter_mm / (2 * tube * spacing_mm) - 1) < 0.02);
  assert_true(fabs(parent.size_ratio / (h / (2 * tube * spacing_mm)) - 1) < 0.02);
  assert_true(fabs(parent.vessel_angle_deg) < 2);
  assert_true(fabs(parent.flow_angle_deg - 90) < 4);
  assert_true(fabs(parent.inclination_angle_deg - 90) < 4);
  ht_sac_mesh_free(&sac);
  ht_surface_free(&surface);
  ht_vessel_path_free(&path);
}

static void test_none(void **unused) {
  (void)unused;
  const bulge flat[] = {{0, 0, 0}, {12, 2, 0}, {6, 50, 1}}; /* a tube, a dent, a stump */
  for (int i = 0; i < 3; i++) {
    ht_sac_mesh sac;
    ht_sac_search search;
    ht_vessel_path path;
    ht_surface surface;
    find(&flat[i], &sac, &search, &path, &surface);
    print_message("%d: %s\n", i, search.why);
    assert_int_equal(search.found, 0);
    assert_true(search.why[0] != 0);
    assert_true(sac.points == 0 && !sac.point_mm);
    ht_sac_mesh_free(&sac);
    ht_surface_free(&surface);
    ht_vessel_path_free(&path);
  }
}

static void test_no_path(void **unused) {
  (void)unused;
  const bulge b = {.radius = 18, .above = 22};
  ht_surface surface;
  ht_surface_links links;
  ht_sac_mesh sac;
  ht_sac_search search;
  make_vessel(&b, &surface);
  assert_int_equal(ht_surface_links_make(&surface, &links), HT_OK);
  assert_int_equal(ht_sac_find(&surface, &links, NULL, 0, spacing_mm, &sac, &search), HT_OK);
  assert_int_equal(search.found, 0);
  assert_true(search.why[0] != 0);
  ht_surface_links_free(&links);
  ht_surface_free(&surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_no_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
