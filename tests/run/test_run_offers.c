/* run/lattice/run_offers: what lattices of several resolutions take, and what they resolve. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "run/lattice/run_offers.h"
#include "run/lattice/run_plan.h"
#include "run/lattice/run_time.h"
#include "segment/domain/extend.h"
#include "solver/plan/collision_choice.h"
#include <string.h>

enum { SIDE = 22, LENGTH = 60 };
static const double middle = 10.5, radius = 8, throat_radius = 3;
static ht_case settings;
static ht_run_vessel vessel;
static ht_lattice_offers offers;
static int most_across = 40;

/* A pipe 16 mm wide that narrows to 6 mm in its middle. */
static void make_pipe(void) {
  ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                  .spacing_mm = {1, 1, 1},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, &vessel.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % SIDE), y = (double)(v / SIDE % SIDE), z = (double)(v / (SIDE * SIDE));
    double r = radius - (radius - throat_radius) * exp(-(z - 30) * (z - 30) / 40);
    vessel.mask.inside[v] = (uint8_t)(hypot(x - middle, y - middle) < r);
  }
  vessel.placed.openings = (ht_openings){.count = 2,
                                         .item = {{.role = HT_ROLE_INLET,
                                                   .name = "inlet",
                                                   .normal = {0, 0, -1},
                                                   .direction = {0, 0, -1},
                                                   .centre_mm = {middle, middle, 0},
                                                   .area_mm2 = 201,
                                                   .radius_mm = radius},
                                                  {.role = HT_ROLE_OUTLET,
                                                   .name = "outlet",
                                                   .normal = {0, 0, 1},
                                                   .direction = {0, 0, 1},
                                                   .centre_mm = {middle, middle, LENGTH - 1},
                                                   .area_mm2 = 201,
                                                   .radius_mm = radius}}};
}

static ht_status build(ht_domain *domain) {
  ht_extend_options extensions;
  ht_extend_defaults(&extensions);
  return ht_domain_build(&vessel.mask, &vessel.placed.openings, &extensions, domain);
}

/* Offers lattices by the vessel's mask. */
static ht_status offer_lattices(const ht_run_measures *of) {
  double copy_rate = 1e10;
  ht_domain domain;
  assert_int_equal(build(&domain), HT_OK);
  const ht_status status = ht_run_offer_lattices(of, &domain, 8, most_across, &copy_rate, &offers);
  ht_domain_free(&domain);
  return status;
}

static ht_status offer(double flow_ml_s) {
  ht_run_measures of;
  ht_case_defaults(&settings);
  settings.solver.device = HT_DEVICE_CPU;
  settings.inlet_flow_ml_s = flow_ml_s;
  ht_run_measure(&settings, &vessel, ht_mask_ml(&vessel.mask), &of);
  if (flow_ml_s > 0) /* 4 Q rho / (pi D mu) */
    assert_near(of.reynolds, 4e-6 * flow_ml_s * 1060 / (HT_PI * 16e-3 * 0.0035),
                1e-6 * of.reynolds);
  vessel.placed.openings.item[0].flow_ml_s = flow_ml_s;
  return offer_lattices(&of);
}

/* One beat more may follow a coarse start where none is added for other reasons. */
HT_TEST(test_most_steps_after_a_coarse_start) {
  const ht_coarse_choice coarse = {.applies = 1, .lead = 50};
  ht_waveform waveform = {.period_s = 1};
  ht_solver_options solver;
  ht_solver_defaults(&solver);
  solver.waveform = &waveform;
  solver.cycles = 4;
  solver.samples = 50;
  for (int collision = HT_LBGK; collision <= HT_CUMULANT; collision++) {
    solver.collision = (ht_collision)collision;
    const double steps = ht_run_steps_after(&coarse, &solver, 1, 4000);
    assert_near(steps, 2000 + 3000 / 16., 1e-9);
    assert_near(ht_run_most_steps(&coarse, &solver, 1, 4000, 0), steps + 1000, 1e-9);
  }
  solver.max_cycles = 7;
  const double steps = ht_run_steps_after(&coarse, &solver, 1, 4000);
  assert_near(ht_run_most_steps(&coarse, &solver, 1, 4000, 0), steps + 3000, 1e-9);
}

HT_TEST(test_offers) {
  make_pipe();
  assert_int_equal(offer(10), HT_OK);
  assert_int_equal(offers.count, 33);
  assert_near(offers.mask_across, 16, 1e-9);
  assert_near(offers.narrow_mm, 6, 0.7);
  const ht_lattice_offer *coarse = &offers.offer[8 - 8], *fine = &offers.offer[32 - 8];
  assert_near(fine->fluid_nodes, 64 * coarse->fluid_nodes, 1e-6 * fine->fluid_nodes);
  assert_near(fine->inlet_across, 32, 1e-9);
  assert_near(fine->cell_reynolds, coarse->cell_reynolds / 4, 1e-6);
  assert_true(fine->seconds > coarse->seconds && fine->bytes > coarse->bytes);
  assert_int_equal(coarse->verdict, HT_OFFER_COARSE);
  assert_non_null(strstr(coarse->why, "nodes across the narrowest place: every number is coarse"));
  assert_non_null(strstr(fine->why, "below 16 the wall shear stress"));
  for (int i = 1; i < offers.count; i++)
    assert_true(offers.offer[i].throat_across > offers.offer[i - 1].throat_across);
  assert_true(offers.auto_across >= 20);
  ht_mask_free(&vessel.mask);
}

HT_TEST(test_without_a_flow) {
  make_pipe();
  assert_int_equal(offer(0), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "the flow into 'inlet' is not known"));
  ht_mask_free(&vessel.mask);
}

/* A pipe 16 mm wide with a branch 10 mm wide, on a lattice of this spacing. */
static void make_branched(double mm) {
  enum { WIDE = 22, HIGH = 60, REACH = 40 };
  ht_grid grid = {.dim = {(int)(REACH / mm), (int)(WIDE / mm), (int)(HIGH / mm)},
                  .spacing_mm = {mm, mm, mm},
                  .origin_mm = {mm / 2, mm / 2, mm / 2},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, &vessel.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    double x = mm * (at[0] + 0.5), y = mm * (at[1] + 0.5), z = mm * (at[2] + 0.5);
    vessel.mask.inside[v] =
        (uint8_t)(hypot(x - 11, y - 11) < 8 || (x > 11 && hypot(y - 11, z - HIGH / 2.0) < 5));
  }
  vessel.placed.openings = (ht_openings){.count = 3,
                                         .item = {{.role = HT_ROLE_INLET,
                                                   .name = "inlet",
                                                   .normal = {0, 0, -1},
                                                   .direction = {0, 0, -1},
                                                   .centre_mm = {11, 11, mm / 2},
                                                   .flow_ml_s = 10,
                                                   .radius_mm = 8},
                                                  {.role = HT_ROLE_OUTLET,
                                                   .name = "outlet",
                                                   .normal = {0, 0, 1},
                                                   .direction = {0, 0, 1},
                                                   .centre_mm = {11, 11, HIGH - mm / 2},
                                                   .flow_fraction = 0.2,
                                                   .radius_mm = 8},
                                                  {.role = HT_ROLE_OUTLET,
                                                   .name = "branch",
                                                   .normal = {1, 0, 0},
                                                   .direction = {1, 0, 0},
                                                   .centre_mm = {REACH - mm / 2, 11, HIGH / 2.0},
                                                   .flow_fraction = 0.8,
                                                   .radius_mm = 5}}};
}

/* Asserts that the lattice with these nodes across is offered with the collision and the steps that
 * the run plans on the vessel's own mask. */
static void assert_planned(int across, double within) {
  const ht_lattice_offer *offered = &offers.offer[across - 8];
  ht_solver_options options = ht_run_options(&settings, &vessel.placed.openings);
  ht_solver_reasons reasons;
  ht_domain domain;
  ht_throat throat;
  ht_collision_choice choice;
  assert_int_equal(build(&domain), HT_OK);
  assert_int_equal(ht_run_flow_options(&settings, &vessel, &options, &throat), HT_OK);
  assert_int_equal(ht_collision_choose(&domain, &options, &choice), HT_OK);
  options.collision = choice.collision;
  assert_int_equal(ht_solver_explain(&domain, &options, &reasons), HT_OK);
  assert_int_equal(offered->collision, choice.collision);
  assert_near(offered->steps, (double)reasons.likely_steps, within * offered->steps);
  ht_domain_free(&domain);
}

/* 0.8 of the flow through the branch, whose section is 0.4 of the pipe's: its velocity, not
 * the inlet's, decides the step. */
HT_TEST(test_unequal_shares) {
  ht_run_measures of;
  ht_case_defaults(&settings);
  settings.solver.device = HT_DEVICE_CPU;
  settings.inlet_flow_ml_s = 10;
  settings.outlets = HT_OUTLETS_FRACTIONS;
  make_branched(1);
  ht_run_measure(&settings, &vessel, ht_mask_ml(&vessel.mask), &of);
  assert_int_equal(offer_lattices(&of), HT_OK);
  assert_planned(16, 0.001);
  ht_mask_free(&vessel.mask);
  make_branched(0.5);
  assert_planned(32, 0.1);
  ht_mask_free(&vessel.mask);
}

/* Offers lattices with up to 80 nodes across; returns that one. */
static ht_lattice_offer offer_fine(ht_refine_choice refine) {
  ht_run_measures of;
  ht_case_defaults(&settings);
  settings.solver.device = HT_DEVICE_CPU;
  settings.inlet_flow_ml_s = 40;
  settings.refine = refine;
  settings.refine_jet_diameters = 1;
  vessel.placed.openings.item[0].flow_ml_s = 40;
  ht_run_measure(&settings, &vessel, ht_mask_ml(&vessel.mask), &of);
  most_across = 80;
  assert_int_equal(offer_lattices(&of), HT_OK);
  most_across = 40;
  return offers.offer[80 - 8];
}

/* Levels take less time and memory; a lattice that is too coarse for them has one spacing. */
HT_TEST(test_offered_levels) {
  make_pipe();
  const ht_lattice_offer one = offer_fine(HT_REFINE_NO), levels = offer_fine(HT_REFINE_AUTO);
  assert_near(one.updates, 1, 0);
  assert_true(levels.updates > 0.1 && levels.updates < 0.6);
  assert_near(levels.seconds, levels.updates * one.seconds, 1e-9 * one.seconds);
  assert_true(levels.bytes < one.bytes);
  assert_near(offers.offer[30 - 8].updates, 1, 0); /* 15 nodes across the vessel on level 1 */
  ht_mask_free(&vessel.mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_most_steps_after_a_coarse_start), cmocka_unit_test(test_offers),
      cmocka_unit_test(test_without_a_flow), cmocka_unit_test(test_unequal_shares),
      cmocka_unit_test(test_offered_levels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
