/* The ends of a surface whose numbers are rounded, as in STL files that programs write as text. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <string.h>

enum { AROUND = 100, RINGS = 12 };

static const double radius = 3, length = 20;

/* A place of an oblique tube; `along` and `out` from 0 to 1. */
static void tube_place(double along, double out, int n, double at[3]) {
  const double axis[3] = {0.3, -0.4, 0.866}, far_off[3] = {-31.7, 12.4, -1195};
  double across[2][3], angle = 2 * HT_PI * (n % AROUND) / AROUND, unit[3];
  memcpy(unit, axis, sizeof unit);
  ht_normalise(unit);
  ht_span_across(unit, across);
  for (int r = 0; r < 3; r++)
    at[r] = far_off[r] + length * along * unit[r] +
            radius * out * (cos(angle) * across[0][r] + sin(angle) * across[1][r]);
}

static void write_triangle(FILE *file, const char *form, const double *const corner[3]) {
  fputs("facet normal 0 0 0\n outer loop\n", file);
  for (int c = 0; c < 3; c++) {
    fputs("  vertex", file);
    for (int r = 0; r < 3; r++) {
      fputc(' ', file);
      if (form[0] == 'e')
        fprintf(file, "%.6e", corner[c][r]);
      else
        fprintf(file, "%.*f", form[0] - '0', corner[c][r]);
    }
    fputc('\n', file);
  }
  fputs(" endloop\nendfacet\n", file);
}

/* Quadrilaterals between two rings, each with its place along the tube and away from its middle. */
static void write_band(FILE *file, const char *form, const double ring[2][2]) {
  for (int n = 0; n < AROUND; n++) {
    double p[4][3];
    for (int c = 0; c < 4; c++) tube_place(ring[c / 2][0], ring[c / 2][1], n + c % 2, p[c]);
    if (ring[0][1] > 0) write_triangle(file, form, (const double *const[3]){p[0], p[1], p[2]});
    if (ring[1][1] > 0) write_triangle(file, form, (const double *const[3]){p[1], p[3], p[2]});
  }
}

/* form: "2" for two digits after the point, "e" for seven digits in all. */
static void write_tube(const char *form, int is_open) {
  FILE *file = fopen(in_scratch("a.stl"), "w");
  assert_non_null(file);
  fputs("solid tube\n", file);
  for (int ring = 0; ring < RINGS; ring++)
    write_band(file, form,
               (const double[2][2]){{(double)ring / RINGS, 1}, {(ring + 1.0) / RINGS, 1}});
  if (!is_open) write_band(file, form, (const double[2][2]){{0, 0}, {0, 1}});
  if (!is_open) write_band(file, form, (const double[2][2]){{1, 1}, {1, 0}});
  fputs("endsolid\n", file);
  assert_int_equal(fclose(file), 0);
}

/* Each triangle of such an end lies in a plane of its own, and all of them are one end. */
HT_TEST(ends_of_rounded_numbers_are_whole) {
  static const char *const form[] = {"4", "3", "2", "1", "e"};
  const double area = AROUND / 2.0 * sin(2 * HT_PI / AROUND) * radius * radius;
  for (int n = 0; n < 10; n++) {
    ht_import_notes notes;
    ht_import_surface how = {0};
    ht_import_options options = {.surface = &how, .notes = &notes};
    ht_mask mask;
    write_tube(form[n % 5], n / 5);
    ht_status status = ht_import_vessel(in_scratch("a.stl"), &options, &mask);
    if (status != HT_OK) fail_msg("%s: %s", form[n % 5], ht_error_message());
    ht_mask_free(&mask);
    if (how.ends.count != 2) fail_msg("form %s: %d ends", form[n % 5], how.ends.count);
    assert_int_equal(strstr(notes.text, "2 flat ends of the surface") != NULL, n < 5);
    assert_int_equal(strstr(notes.text, "2 open ends of the surface") != NULL, n >= 5);
    const ht_opening *end = how.ends.item;
    assert_near(ht_distance(end[0].centre_mm, end[1].centre_mm), length, 0.25);
    assert_true(ht_dot(end[0].normal, end[1].normal) < -0.998);
    for (int e = 0; e < 2; e++) assert_near(end[e].area_mm2 / area, 1, 0.03);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(ends_of_rounded_numbers_are_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
