/* The flow domain of thin vessels, and beside stumps. */
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

/* A tube cut at x = 30, beside a branch whose far end may reach beyond that plane. */
static vessel cut_beside(const ht_tube *beside) {
  double mm[3], lps[3];
  int ignored;
  ht_opening cut;
  ht_grid grid = ht_tube_grid(70, 50, 40);
  const ht_tube tubes[2] = {{{-20, 20, 20}, {90, 20, 20}, 7}, *beside};
  vessel v = {.mask = ht_tube_mask(&grid, tubes, 1)};
  ht_grid_position(&grid, (double[3]){30, 20, 20}, mm);
  ht_grid_to_lps(&grid, (double[3]){1, 0, 0}, lps);
  ht_assert_ok(ht_openings_cut(&v.mask, mm, lps, 0, &cut));
  ht_mask more = ht_tube_mask(&grid, beside, 1);
  for (int64_t n = 0; n < ht_grid_voxels(&grid); n++) v.mask.inside[n] |= more.inside[n];
  ht_mask_free(&more);
  ht_assert_ok(ht_openings_at_border(&v.mask, &v.openings, &ignored));
  v.openings.item[v.openings.count++] = cut;
  return v;
}

/* What is no vessel beyond the plane does not stop the extension there: a bulge of the wall that
 * crosses the plane beside the section, and a piece that is not connected. A branch does. */
static void test_past_stumps(void **unused) {
  (void)unused;
  const ht_tube bulge = {{24, 26, 20}, {31, 29, 20}, 2.2}, loose = {{33, 22, 20}, {35, 22, 20}, 2};
  const ht_tube branch = {{20, 20, 20}, {80, 38, 20}, 4};
  for (int k = 0; k < 2; k++) {
    vessel v = cut_beside(k ? &loose : &bulge);
    ht_assert_ok(extend(&v));
    assert_int_equal(v.domain.ports, 2);
    for (int p = 0; p < 2; p++) {
      const ht_port *port = &v.domain.port[p];
      assert_true(ht_extension_voxels(&v.domain, p) >= 13 * port->nodes);
    }
    vessel_free(&v);
  }
  vessel v = cut_beside(&branch);
  assert_int_equal(extend(&v), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "another part of the vessel"));
  vessel_free(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thin_branches_are_open),
      cmocka_unit_test(test_too_coarse),
      cmocka_unit_test(test_past_stumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
