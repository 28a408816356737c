/* core/openings, core/domain, core/flow: names of roles; freeing whole, half-built and no object.
 * A leak or a double free shows under AddressSanitizer. */
#include "tests/check.h"
#include "core/vessel/domain.h"
#include "core/vessel/flow.h"
#include <stdlib.h>
#include <string.h>

HT_TEST(roles_have_names) {
  assert_string_equal(ht_role_name(HT_ROLE_INLET), "inlet");
  assert_string_equal(ht_role_name(HT_ROLE_OUTLET), "outlet");
  assert_string_equal(ht_role_name(HT_ROLE_WALL), "wall");
  assert_string_equal(ht_role_name(HT_ROLE_NONE), "none");
  assert_string_equal(ht_role_name((ht_role)77), "none");
}

HT_TEST(a_zeroed_struct_has_no_role) {
  ht_opening opening;
  memset(&opening, 0, sizeof opening);
  assert_int_equal(opening.role, HT_ROLE_NONE);
}

HT_TEST(a_domain_is_freed_with_its_ports) {
  ht_domain *domain = calloc(1, sizeof *domain);
  ht_grid grid = ht_grid_make(4, 4, 4);
  assert_non_null(domain);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  domain->ports = 2;
  domain->port[0].node = malloc(8 * sizeof(int64_t));
  domain->port[1].node = malloc(8 * sizeof(int64_t));
  ht_domain_free(domain);
  assert_null(domain->mask.inside);
  assert_null(domain->port[1].node);
  assert_int_equal(domain->ports, 0);
  ht_domain_free(domain);
  free(domain);
}

/* A port that was filled before `ports` was counted up. */
HT_TEST(a_half_built_domain_is_freed) {
  ht_domain *domain = calloc(1, sizeof *domain);
  assert_non_null(domain);
  domain->port[0].node = malloc(8);
  ht_domain_free(domain);
  assert_null(domain->port[0].node);
  free(domain);
  ht_domain_free(NULL);
}

HT_TEST(a_flow_is_freed) {
  ht_flow flow;
  memset(&flow, 0, sizeof flow);
  flow.nodes = 3;
  flow.velocity_m_s = malloc(9 * sizeof(float));
  flow.stress_pa = malloc(18 * sizeof(float));
  ht_flow_free(&flow);
  assert_null(flow.velocity_m_s);
  assert_null(flow.stress_pa);
  assert_int_equal(flow.nodes, 0);
  ht_flow_free(&flow);
  ht_flow_free(NULL);
}

/* Checks that as many entries as fit stay, evenly spaced from the first. */
HT_TEST(changes_stay_evenly_spaced) {
  static ht_flow_stats stats;
  for (int seen = 0; seen < 1000; seen++) {
    ht_flow_note_change(&stats, 100 * (seen + 1), 1.0 / (seen + 1));
    assert_in_range(stats.changes, seen < HT_CHANGES_MOST ? seen + 1 : HT_CHANGES_MOST / 2,
                    HT_CHANGES_MOST);
  }
  assert_int_equal(stats.change_every, 16);
  assert_int_equal(stats.changes, 63); /* 0, 16, ... 992 */
  for (int i = 0; i < stats.changes; i++) {
    assert_float_equal(stats.change_step[i], 100 * (16 * i + 1), 1e-9);
    assert_float_equal(stats.change[i], 1.0 / (16 * i + 1), 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roles_have_names),
      cmocka_unit_test(a_zeroed_struct_has_no_role),
      cmocka_unit_test(a_domain_is_freed_with_its_ports),
      cmocka_unit_test(a_half_built_domain_is_freed),
      cmocka_unit_test(a_flow_is_freed),
      cmocka_unit_test(changes_stay_evenly_spaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
