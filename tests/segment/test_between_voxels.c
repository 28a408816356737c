/* The wall between the voxels of a scan: its triangles, and its place on lattices of all kinds. */
#include "tests/check.h"
#include "segment/surface/between_voxels.h"
#include "core/vessel/domain.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "segment/shape/wall_distance.h"
#include <stdlib.h>

enum { NX = 20, NZ = 60 };
static const double radius = 5.1; /* voxels of 0.4 mm */
static const double axis[3] = {0.02, 0.05, 1}, middle[3] = {9.3, 9.6, 29.5};

/* Distance of a place, in voxel indices, from the tube's axis. */
static double off_axis(const double at[3]) {
  double off[3], square = 0, length2 = ht_dot(axis, axis);
  for (int a = 0; a < 3; a++) off[a] = at[a] - middle[a];
  double along = ht_dot(off, axis) / length2;
  for (int a = 0; a < 3; a++) square += pow(off[a] - along * axis[a], 2);
  return sqrt(square);
}

/* A scan of the tube, whose edge is 4 voxels wide: half-way at the radius. */
static ht_isosurface tube_surface(void) {
  ht_grid grid = ht_tube_grid(NX, NX, NZ);
  ht_volume scan;
  ht_mask vessel;
  ht_isosurface surface;
  ht_assert_ok(ht_volume_alloc(&grid, &scan));
  ht_assert_ok(ht_mask_alloc(&grid, &vessel));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    double depth = radius - off_axis((double[3]){at[0], at[1], at[2]});
    scan.values[v] = (float)(100 + 50 * fmin(2, fmax(-2, depth)));
    vessel.inside[v] = depth >= 0;
  }
  ht_isosurface_of_level(&scan, &vessel, 100, INFINITY, &surface);
  ht_mask_free(&vessel);
  return surface;
}

HT_TEST(the_triangles_are_the_tube) {
  ht_isosurface surface = tube_surface();
  ht_triangles triangles;
  double lowest = 0, highest = 0, facing = 0;
  ht_assert_ok(ht_isosurface_triangles(&surface, &triangles));
  assert_true(triangles.count > 1000);
  for (int t = 0; t < triangles.count; t++) {
    double at[3][3], side[2][3], normal[3], out[3];
    for (int c = 0; c < 3; c++) {
      const float *p = triangles.corner[t][c];
      ht_grid_index(&surface.field.grid, (double[3]){p[0], p[1], p[2]}, at[c]);
      if (fabs(off_axis(at[c]) - radius) > 0.06) /* linear between corners: 1 / (8 radius) */
        fail_msg("a corner %.3f voxels off the axis", off_axis(at[c]));
      lowest = fmin(lowest, at[c][2]), highest = fmax(highest, at[c][2]);
    }
    for (int a = 0; a < 3; a++) {
      side[0][a] = at[1][a] - at[0][a], side[1][a] = at[2][a] - at[0][a];
      out[a] = a < 2 ? at[0][a] - middle[a] - axis[a] * (at[0][2] - middle[2]) : 0;
    }
    ht_cross(side[0], side[1], normal);
    facing += ht_dot(normal, out) > 0;
  }
  assert_true(facing == triangles.count);
  assert_true(lowest < -0.5 && highest > NZ - 0.5); /* the voxels' own borders */
  ht_triangles_free(&triangles);
  ht_isosurface_free(&surface);
}

/* Area of the tube across z, of the mask's nodes and inside the wall, over the true one. */
static void areas_of(const ht_isosurface *surface, const ht_triangles *triangles, double spacing_mm,
                     double area[2]) {
  ht_domain domain = {0};
  const double voxel_mm = surface->field.grid.spacing_mm[0];
  ht_assert_ok(ht_isosurface_sample(surface, spacing_mm, 0, NULL, NULL, &domain.mask));
  ht_assert_ok(ht_domain_measure_walls(&domain, triangles));
  const int *dim = domain.mask.grid.dim;
  int64_t layer = (int64_t)dim[0] * dim[1], first = dim[2] / 3, last = dim[2] - 1 - dim[2] / 3;
  area[0] = area[1] = 0;
  for (int64_t v = layer * first; v < layer * (last + 1); v++) {
    area[0] += domain.mask.inside[v] != 0;
    area[1] += ht_domain_part_inside(&domain, v);
  }
  double across = HT_PI * radius * radius * voxel_mm * voxel_mm * ht_length(axis) / axis[2];
  for (int i = 0; i < 2; i++)
    area[i] *= spacing_mm * spacing_mm / across / (double)(last - first + 1);
  ht_domain_free(&domain);
}

/* 7 to 14 nodes across. */
HT_TEST(the_wall_does_not_depend_on_the_lattice) {
  ht_isosurface surface = tube_surface();
  ht_triangles triangles;
  double least = INFINITY, most = 0;
  ht_assert_ok(ht_isosurface_triangles(&surface, &triangles));
  triangles.of_voxels = 1;
  for (double spacing_mm = 0.58; spacing_mm > 0.29; spacing_mm -= 0.028) {
    double area[2];
    areas_of(&surface, &triangles, spacing_mm, area);
    least = fmin(least, area[0]), most = fmax(most, area[0]);
    if (fabs(area[1] - 1) > 0.015)
      fail_msg("spacing %.3f mm: %.4f of the area inside the wall (%.4f by nodes)", spacing_mm,
               area[1], area[0]);
  }
  assert_true(most - least > 0.02); /* the nodes' number does depend on it */
  ht_triangles_free(&triangles);
  ht_isosurface_free(&surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_triangles_are_the_tube),
      cmocka_unit_test(the_wall_does_not_depend_on_the_lattice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
