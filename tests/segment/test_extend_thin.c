#include "tests/check.h"
#include "segment/openings/border.h"
#include "tests/segment/domain_checks.h"
#include "segment/domain/extend.h"
#include "tests/segment/tube_mask.h"
#include <string.h>

typedef struct {
  ht_mask mask;
  ht_openings openings;
  ht_domain domain;
} vessel;

static ht_status extend(vessel *v) {
  ht_extend_options options;
  ht_extend_defaults(&options);
  ht_assert_ok(ht_openings_assign(&v->openings));
  return ht_domain_build(&v->mask, &v->openings, &options, &v->domain);
}

static void vessel_free(vessel *v) {
  ht_mask_free(&v->mask);
  ht_domain_free(&v->domain);
}

/* A tube between two faces, and its patches there, however few voxels they have. */
static vessel thin_tube(double radius, uint64_t *seed) {
  double middle[3], along[3];
  ht_grid grid = ht_tube_grid(24, 24, 24);
  for (int a = 0; a < 3; a++) middle[a] = 11 + 2 * ht_test_random(seed);
  for (int a = 0; a < 3; a++) along[a] = a == 2 ? 1 : 0.8 * (ht_test_random(seed) - 0.5);
  double length = sqrt(along[0] * along[0] + along[1] * along[1] + 1);
  for (int a = 0; a < 3; a++) along[a] /= length;
  ht_tube tube = ht_tube_through(middle, along, radius);
  vessel v = {.mask = ht_tube_mask(&grid, &tube, 1)};
  int ignored;
  ht_assert_ok(ht_openings_of_patches(&v.mask, 1, &v.openings, &ignored));
  assert_int_equal(v.openings.count, 2);
  return v;
}

/* The widest branch that is closed unasked has 1.26 nodes of radius on 12 nodes across: whichever
 * pixels its section has (a cross has no square), blood leaves there. */
static void test_thin_branches_are_open(void **unused) {
  (void)unused;
  uint64_t seed = 43;
  for (int k = 0; k < 60; k++) {
    vessel v = thin_tube(1.26, &seed);
    ht_assert_ok(extend(&v));
    ht_check_domain(&v.mask, &v.domain);
    for (int p = 0; p < 2; p++)
      assert_in_range(v.domain.port[p].nodes, HT_OPENING_FEWEST_NODES, 10);
    vessel_free(&v);
  }
}

/* Fewer nodes than a port needs. */
static void test_too_coarse(void **unused) {
  (void)unused;
  uint64_t seed = 1;
  vessel v = thin_tube(0.72, &seed);
  assert_int_equal(extend(&v), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "spacing"));
  vessel_free(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thin_branches_are_open),
      cmocka_unit_test(test_too_coarse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
