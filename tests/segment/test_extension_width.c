/* Tests that an extension is as wide as the vessel that it continues, also at a plane that is
 * oblique to it, with few nodes across: another width changes the blood's momentum there, and the
 * pressure drop with it. */
#include "tests/check.h"
#include "segment/openings/border.h"
#include "segment/domain/extend.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"

static const double radius = 5, middle = 29.5;

static void random_unit(uint64_t *seed, double v[3]) {
  do
    for (int a = 0; a < 3; a++) v[a] = 2 * ht_test_random(seed) - 1;
  while (ht_length(v) > 1 || ht_length(v) < 0.1);
  ht_normalise(v);
}

/* The normal of a plane that is turned by `degrees` against the tube. */
static void turned(const double along[3], double degrees, uint64_t *seed, double normal[3]) {
  double side[3];
  random_unit(seed, side);
  const double part = ht_dot(side, along);
  for (int a = 0; a < 3; a++) side[a] -= part * along[a];
  ht_normalise(side);
  for (int a = 0; a < 3; a++)
    normal[a] = cos(degrees * HT_PI / 180) * along[a] + sin(degrees * HT_PI / 180) * side[a];
}

/* The sections of both ports over the tube's, less 1. */
static void build(double degrees, uint64_t *seed, double off[2]) {
  double along[3], normal[3], lps[3], mm[3];
  random_unit(seed, along);
  ht_grid grid = ht_tube_grid(60, 60, 60);
  const double centre[3] = {middle, middle, middle};
  ht_tube tube = ht_tube_through(centre, along, radius);
  ht_mask mask = ht_tube_mask(&grid, &tube, 1);
  ht_openings openings = {.count = 2};
  for (int end = 0; end < 2; end++) {
    double at[3];
    for (int a = 0; a < 3; a++) along[a] = -along[a];
    turned(along, degrees, seed, normal);
    for (int a = 0; a < 3; a++) at[a] = middle + along[a] * (12 + ht_test_random(seed));
    ht_grid_position(&grid, at, mm);
    ht_grid_to_lps(&grid, normal, lps);
    ht_assert_ok(ht_openings_cut(&mask, mm, lps, 0, &openings.item[end]));
  }
  ht_domain domain;
  const ht_extend_options options = {.inlet_diameters = 1, .outlet_diameters = 1};
  ht_assert_ok(ht_openings_assign(&openings));
  ht_assert_ok(ht_domain_build(&mask, &openings, &options, &domain));
  for (int p = 0; p < 2; p++) {
    const ht_port *port = &domain.port[p];
    off[p] =
        (double)port->nodes * fabs(port->direction[port->axis]) / (HT_PI * radius * radius) - 1;
  }
  ht_domain_free(&domain);
  ht_mask_free(&mask);
}

static void be_as_wide_as_the_vessel(void **unused) {
  enum { TUBES = 60 };
  (void)unused;
  uint64_t seed = 7;
  double squares = 0, sum = 0;
  for (int k = 0; k < TUBES; k++) {
    double off[2];
    build(k % 2 ? 35 : 0, &seed, off);
    squares += (off[0] * off[0] + off[1] * off[1]) / (2 * TUBES);
    sum += (off[0] + off[1]) / (2 * TUBES);
  }
  print_message("port's section over the tube's: %+.4f, root mean square %.4f\n", sum,
                sqrt(squares));
  assert_near(sum, 0, 0.01);
  assert_true(sqrt(squares) < 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(be_as_wide_as_the_vessel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
