/* The cores of vortices whose place is known. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "export/lines/vortex_core.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 48 };
static const double spacing_mm = 0.25, ball_mm = 5;

typedef void (*field)(const double mm[3], double v[3]);

/* A cube about the origin on a turned lattice; the ball in it counts. Returns the length of the
 * cores. */
static double length_of(field velocity, double least_mm) {
  const double c = cos(0.4), s = sin(0.4);
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  const double turned[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
  memcpy(grid.direction, turned, sizeof turned);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = spacing_mm;
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++)
      grid.origin_mm[r] -= grid.direction[r][a] * (spacing_mm * (SIDE - 1) / 2 + 0.013 * (a + 1));
  size_t voxels = (size_t)ht_grid_voxels(&grid);
  ht_flow flow = {.grid = grid, .nodes = (int64_t)voxels};
  uint8_t *inside = malloc(voxels);
  assert_int_equal(ht_node_map_of_mask((int64_t)voxels, NULL, &flow.node_of), HT_OK);
  flow.velocity_m_s = malloc(3 * voxels * sizeof(float));
  for (size_t n = 0; n < voxels; n++) {
    double mm[3], v[3];
    ht_grid_voxel_position(&grid, (int64_t)n, mm);
    velocity(mm, v);
    inside[n] = ht_length(mm) < ball_mm;
    for (int r = 0; r < 3; r++) flow.velocity_m_s[3 * n + r] = (float)v[r];
  }
  double length_mm;
  assert_int_equal(ht_vortex_core_length(&flow, inside, least_mm, &length_mm), HT_OK);
  free(inside);
  ht_node_map_free(&flow.node_of);
  free(flow.velocity_m_s);
  return length_mm;
}

/* Burgers' vortex about an oblique line through the origin: a swirl that falls off, drawn out along
 * the line. */
static const double axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
static void burgers(const double mm[3], double v[3]) {
  const double strain = 0.02, core_mm = 1.5;
  double along = ht_dot(mm, axis), from[3], swirl[3];
  for (int r = 0; r < 3; r++) from[r] = mm[r] - along * axis[r];
  ht_cross(axis, from, swirl);
  double square = ht_dot(from, from) / (core_mm * core_mm);
  double turn = square > 1e-9 ? 0.3 * (1 - exp(-square)) / square : 0.3;
  for (int r = 0; r < 3; r++)
    v[r] = turn * swirl[r] + 2 * strain * along * axis[r] - strain * from[r];
}

/* The ball's diameter; the line ends in the last whole cube, up to a cube's diagonal before the
 * ball's surface at each end. */
HT_TEST(the_core_of_burgers_vortex_is_its_axis) {
  double length = length_of(burgers, 1);
  assert_in_range((int)(1000 * length), 1000 * (2 * ball_mm - 2 * sqrt(3) * spacing_mm),
                  1000 * 2 * ball_mm);
}

/* A vortex ring of 3 mm about z, its core turning as a solid; the blood goes nowhere along it. */
static const double ring_mm = 3;
static void ring(const double mm[3], double v[3]) {
  double radius = hypot(mm[0], mm[1]), out = radius - ring_mm, away = hypot(out, mm[2]);
  double turn = 0.1 * exp(-away * away);
  v[0] = radius > 0 ? -turn * mm[2] * mm[0] / radius : 0;
  v[1] = radius > 0 ? -turn * mm[2] * mm[1] / radius : 0;
  v[2] = turn * out;
}

HT_TEST(the_core_of_a_ring_is_its_circle) {
  double around = 2 * HT_PI * ring_mm;
  assert_float_equal(length_of(ring, 1), around, 0.03 * around);
  assert_float_equal(length_of(ring, 1.1 * around), 0, 0); /* shorter than requested */
}

/* Flows without a swirl: sheared, drawn out, or at rest. */
static void poiseuille(const double mm[3], double v[3]) {
  double along = ht_dot(mm, axis), square = ht_dot(mm, mm) - along * along;
  for (int r = 0; r < 3; r++) v[r] = 0.5 * (1 - square / 100) * axis[r];
}
static void stretch(const double mm[3], double v[3]) {
  for (int r = 0; r < 3; r++) v[r] = 0.1 * (r == 2 ? 2 : -1) * mm[r];
}
static void rest(const double mm[3], double v[3]) {
  (void)mm;
  v[0] = v[1] = v[2] = 0;
}

HT_TEST(a_flow_without_a_vortex_has_no_core) {
  assert_float_equal(length_of(poiseuille, 1), 0, 0);
  assert_float_equal(length_of(stretch, 1), 0, 0);
  assert_float_equal(length_of(rest, 1), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_core_of_burgers_vortex_is_its_axis),
      cmocka_unit_test(the_core_of_a_ring_is_its_circle),
      cmocka_unit_test(a_flow_without_a_vortex_has_no_core),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
