/* phantom/geometry: the geometries of the benchmark. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "core/numbers/units.h"
#include <string.h>

static const int dim[3] = {60, 50, 40};
static const double tube_radius[2] = {4, 6};

static double porosity(const ht_mask *mask) {
  return (double)ht_mask_count(mask) / (double)ht_grid_voxels(&mask->grid);
}

HT_TEST(a_box_is_full) {
  ht_mask mask;
  assert_int_equal(ht_geometry_box(dim, &mask), HT_OK);
  assert_int_equal(ht_mask_count(&mask), 60 * 50 * 40);
  ht_mask_free(&mask);
}

/* The porosity may be off by one sphere at most. */
HT_TEST(the_porosity_is_what_was_asked_for) {
  const double voxels = 60 * 50 * 40, ball = 4.0 / 3 * 3.1416 * 6.5 * 6.5 * 6.5 / voxels;
  ht_mask mask;
  for (int i = 1; i < 6; i++) {
    assert_int_equal(ht_geometry_tubes(dim, tube_radius, 0.1 * i, 1, &mask), HT_OK);
    assert_true(porosity(&mask) >= 0.1 * i && porosity(&mask) < 0.1 * i + ball);
    ht_mask_free(&mask);
    assert_int_equal(ht_geometry_spheres(dim, 6, 0.1 * i, 1, &mask), HT_OK);
    assert_true(porosity(&mask) <= 0.1 * i && porosity(&mask) > 0.1 * i - ball);
    ht_mask_free(&mask);
  }
}

HT_TEST(the_seed_decides) {
  ht_mask one, again, other;
  size_t voxels = 60 * 50 * 40;
  assert_int_equal(ht_geometry_tubes(dim, tube_radius, 0.2, 5, &one), HT_OK);
  assert_int_equal(ht_geometry_tubes(dim, tube_radius, 0.2, 5, &again), HT_OK);
  assert_int_equal(ht_geometry_tubes(dim, tube_radius, 0.2, 6, &other), HT_OK);
  assert_memory_equal(one.inside, again.inside, voxels);
  assert_memory_not_equal(one.inside, other.inside, voxels);
  ht_mask_free(&one);
  ht_mask_free(&again);
  ht_mask_free(&other);
}

/* The first sphere of one radius, alone: its voxels are those within the radius of a centre. */
HT_TEST(a_sphere_has_its_volume) {
  const int large[3] = {400, 400, 400};
  ht_mask mask;
  assert_int_equal(ht_geometry_spheres(large, 20, 0.9995, 3, &mask), HT_OK);
  double missing = (double)(ht_grid_voxels(&mask.grid) - ht_mask_count(&mask));
  double ball = 4.0 / 3 * HT_PI * 20 * 20 * 20;
  assert_near(missing / ball, 1, 0.02);
  ht_mask_free(&mask);
}

HT_TEST(the_seed_decides_on_spheres_too) {
  ht_mask one, again, other;
  size_t voxels = 60 * 50 * 40;
  assert_int_equal(ht_geometry_spheres(dim, 6, 0.4, 5, &one), HT_OK);
  assert_int_equal(ht_geometry_spheres(dim, 6, 0.4, 5, &again), HT_OK);
  assert_int_equal(ht_geometry_spheres(dim, 6, 0.4, 6, &other), HT_OK);
  assert_memory_equal(one.inside, again.inside, voxels);
  assert_memory_not_equal(one.inside, other.inside, voxels);
  ht_mask_free(&one);
  ht_mask_free(&again);
  ht_mask_free(&other);
}

/* Square: every voxel; round: the area of the circle, the same in every slice and every quarter. */
HT_TEST(channels_have_their_section) {
  ht_mask square, circle;
  for (int across = 4; across <= 128; across += 31) {
    assert_int_equal(ht_geometry_channel(across, 5, 0, &square), HT_OK);
    assert_int_equal(ht_geometry_channel(across, 5, 1, &circle), HT_OK);
    assert_int_equal(ht_mask_count(&square), 5 * across * across);
    double area = (double)ht_mask_count(&circle) / 5;
    assert_int_equal(ht_geometry_channel_section(across, 0), across * across);
    assert_int_equal(5 * ht_geometry_channel_section(across, 1), ht_mask_count(&circle));
    assert_near(area, 0.785398 * across * across, 1.5 * across);
    size_t slice = (size_t)(across * across);
    assert_memory_equal(circle.inside, circle.inside + 4 * slice, slice);
    for (int i = 0; i < across * across; i++) {
      int x = i % across, y = i / across;
      assert_int_equal(circle.inside[i], circle.inside[across - 1 - x + across * y]);
      assert_int_equal(circle.inside[i], circle.inside[y + across * x]);
    }
    ht_mask_free(&square);
    ht_mask_free(&circle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_is_full),
      cmocka_unit_test(the_porosity_is_what_was_asked_for),
      cmocka_unit_test(the_seed_decides),
      cmocka_unit_test(a_sphere_has_its_volume),
      cmocka_unit_test(the_seed_decides_on_spheres_too),
      cmocka_unit_test(channels_have_their_section),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
