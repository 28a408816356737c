/* run/refine: where a lattice may be coarser than its finest spacing, in vessels of circles, whose
 * radius at each z is known. Voxels are 0.1 mm wide, blocks 8 of them. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "run/refine/refine.h"
#include <stdlib.h>
#include <string.h>

static const double spacing_mm = 0.1, nu = 3.3e-6;
static double fluid_m2_s = 3.3e-7; /* all jets are turbulent */
static ht_domain domain;
static ht_openings openings;
static ht_throat throat;
static ht_refine_vessel vessel;
static ht_refined refined;

static const ht_refine_rules rules = {.spacing_mm = 0.1,
                                      .across = 16,
                                      .kinematic_m2_s = 3.3e-6,
                                      .cell_reynolds_max = 25,
                                      .dx_plus_max = 5,
                                      .most = 2};

/* ---- one rule at a time ---- */

HT_TEST(test_dx_plus) {
  /* Re 303: laminar, dx sqrt(8 U / (nu D)); Re 12121: Blasius. */
  assert_near(ht_planned_dx_plus(0.2, 5, nu, 0.2), 2e-4 * sqrt(8 * 0.2 / (nu * 5e-3)), 1e-12);
  assert_near(ht_planned_dx_plus(2, 20, nu, 0.2),
              2e-4 * 2 * sqrt(0.0396 * pow(2 * 20e-3 / nu, -0.25)) / nu, 1e-9);
  assert_near(ht_planned_dx_plus(0, 5, nu, 0.2), 0, 0);
}

HT_TEST(test_width) {
  assert_int_equal(ht_refine_width_level(&rules, 3.19), 0); /* 16 nodes of 0.2 mm are 3.2 mm */
  assert_int_equal(ht_refine_width_level(&rules, 3.21), 1);
  assert_int_equal(ht_refine_width_level(&rules, 6.41), 2);
  ht_refine_rules one = rules;
  one.most = 1;
  assert_int_equal(ht_refine_width_level(&one, 6.41), 1);
}

/* A throat with 20 nodes asks for 16 elsewhere; twice as many for twice as many, so that all are
 * refined alike. A pipe is its own throat, and never wide enough for a coarser level. */
HT_TEST(test_across) {
  assert_near(ht_refine_across(16, 10), 16, 0);
  assert_near(ht_refine_across(16, 20), 16, 1e-12);
  assert_near(ht_refine_across(16, 40), 32, 1e-12);
  for (double nodes = 8; nodes < 200; nodes += 8) {
    ht_refine_rules pipe = rules;
    pipe.across = ht_refine_across(16, nodes);
    if (nodes >= HT_REFINE_INLET_ACROSS)
      assert_int_equal(ht_refine_width_level(&pipe, nodes * spacing_mm), 0);
  }
}

HT_TEST(test_speed) {
  /* cell Reynolds number on the finest level: U * 1e-4 / nu; 25 on level 1 is U = 0.4125 */
  assert_int_equal(ht_refine_speed_level(&rules, 0.2), 2);
  assert_int_equal(ht_refine_speed_level(&rules, 0.4), 1);
  assert_int_equal(ht_refine_speed_level(&rules, 0.42), 0);
}

HT_TEST(test_section) {
  ht_fine_reason why;
  ht_refine_section one = {.diameter_mm = 7, .speed_m_s = 0.1};
  assert_int_equal(ht_refine_section_level(&rules, &one, &why), 2);
  one.speed_m_s = 0.5;
  assert_int_equal(ht_refine_section_level(&rules, &one, &why), 0);
  assert_int_equal(why, HT_FINE_SPEED);
  one = (ht_refine_section){.diameter_mm = 3, .speed_m_s = 0.1};
  assert_int_equal(ht_refine_section_level(&rules, &one, &why), 0);
  assert_int_equal(why, HT_FINE_NARROW);
  one = (ht_refine_section){.diameter_mm = 7, .is_jet = 1};
  assert_int_equal(ht_refine_section_level(&rules, &one, &why), 0);
  assert_int_equal(why, HT_FINE_JET);
}

/* Ten diameters, and ten times as far where the Reynolds number is below 1500. */
HT_TEST(test_jet) {
  assert_near(ht_refine_jet_mm(10, 1.7, 3, 3.3e-6), 30, 1e-12);
  assert_near(ht_refine_jet_mm(10, 1.6, 3, 3.3e-6), 300, 1e-12);
}

/* The layer at the wall has 6 nodes of the next finer level, where dx+ is above 5. */
HT_TEST(test_layer) {
  ht_refine_section one = {.diameter_mm = 7, .speed_m_s = 0.1};
  assert_near(ht_refine_layer_mm(&rules, &one, 2), 0, 0); /* dx+ 2.4 */
  one.speed_m_s = 0.5;                                    /* dx+ 2.8 on level 1, 5.5 on level 2 */
  assert_near(ht_refine_layer_mm(&rules, &one, 1), 0, 0);
  assert_near(ht_refine_layer_mm(&rules, &one, 2), 6 * 0.2, 1e-12);
  one.speed_m_s = 2;
  assert_near(ht_refine_layer_mm(&rules, &one, 1), 6 * 0.1, 1e-12);
  assert_near(ht_refine_layer_mm(&rules, &one, 0), 0, 0);
}

HT_TEST(test_ends) {
  ht_refine_rules own = rules;
  const ht_refine_end inlet = {.diameter_mm = 8, .is_inlet = 1}, outlet = {.diameter_mm = 1.8};
  /* the inlet has 80 nodes, the outlet 18: on level 2 20 and 4.5 */
  assert_int_equal(ht_refine_end_level(&own, &inlet), 2);
  assert_int_equal(ht_refine_end_level(&own, &outlet), 1);
  own.spacing_mm = 0.21; /* 19 and 4.3 on level 1 */
  assert_int_equal(ht_refine_end_level(&own, &inlet), 0);
  assert_int_equal(ht_refine_end_level(&own, &outlet), 0);
  own.spacing_mm = 0.05;
  assert_int_equal(ht_refine_end_level(&own, &outlet), 2);
  own.inlet_cell_reynolds = 11; /* 22 on level 1 */
  assert_int_equal(ht_refine_end_level(&own, &inlet), 1);
  own.inlet_cell_reynolds = 0.49 * own.cell_reynolds_max; /* above it where it is cut smaller */
  assert_int_equal(ht_refine_end_level(&own, &inlet), 0);
  own.most = 0;
  assert_int_equal(ht_refine_end_level(&own, &outlet), 0);
}

HT_TEST(test_tau) {
  assert_int_equal(ht_refine_tau_level(0.51, 0.502, 2), 2);
  assert_int_equal(ht_refine_tau_level(0.506, 0.502, 2), 1);
  assert_int_equal(ht_refine_tau_level(0.503, 0.502, 2), 0);
  assert_int_equal(ht_refine_tau_level(1.01, 0.502, 2), 0);
  assert_int_equal(ht_refine_tau_level(1.5, 0.502, 2), 0); /* 1 on level 1 */
  assert_int_equal(ht_refine_tau_level(1.2, 0.502, 2), 2);
}

/* ---- vessels ---- */

enum { SIDE = 96, LENGTH = 480 };

/* Makes the port of an opening of the plane z. */
static void set_port(int z, const ht_opening *opening, ht_port *port) {
  enum { PLANE = SIDE * SIDE };
  *port = (ht_port){.opening = *opening, .axis = 2, .inward = z ? -1 : 1};
  port->node = calloc(PLANE, sizeof *port->node);
  for (int64_t v = (int64_t)z * PLANE; v < (int64_t)(z + 1) * PLANE; v++)
    if (domain.mask.inside[v]) port->node[port->nodes++] = v;
}

/* Makes the domain of a vessel along z with this radius in voxels; what is beyond 16 voxels of the
 * ends is extension. flow: mL/s; narrow_at: voxel of the throat. */
static void make(double (*radius)(double z), double flow_ml_s, double narrow_at) {
  const ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                        .spacing_mm = {0.1, 0.1, 0.1},
                        .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double middle = SIDE / 2 - 0.5;
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    const int is_end = at[2] < 16 || at[2] >= LENGTH - 16;
    if (hypot(at[0] - middle, at[1] - middle) < radius(at[2]))
      domain.mask.inside[v] = is_end ? HT_EXTENSION : HT_VESSEL;
  }
  openings = (ht_openings){.count = 2};
  domain.ports = 2;
  for (int i = 0; i < 2; i++)
    openings.item[i] =
        (ht_opening){.role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET,
                     .flow_ml_s = i ? 0 : flow_ml_s,
                     .centre_mm = {0.1 * middle, 0.1 * middle, 0.1 * (i ? LENGTH - 17 : 16)},
                     .radius_mm = 0.1 * radius(i ? LENGTH : 0)};
  for (int i = 0; i < 2; i++) set_port(i ? LENGTH - 1 : 0, &openings.item[i], &domain.port[i]);
  const double mm = 0.1 * radius(narrow_at), area_mm2 = HT_PI * mm * mm;
  throat = (ht_throat){.flow_ml_s = flow_ml_s,
                       .area_mm2 = area_mm2,
                       .speed_m_s = flow_ml_s / area_mm2,
                       .centre_mm = {0.1 * middle, 0.1 * middle, 0.1 * narrow_at}};
  const double outflow[2] = {0, flow_ml_s};
  const ht_refine_flow flow = {&openings, outflow, &throat, 1, 10, fluid_m2_s};
  assert_int_equal(ht_refine_vessel_make(&domain, &flow, &vessel), HT_OK);
}

static ht_refine_rules own_rules(void) {
  ht_refine_rules own = rules;
  own.cell_reynolds_max = 2500;
  own.across = ht_refine_across(16, 2 * sqrt(throat.area_mm2 / HT_PI) / spacing_mm);
  return own;
}

static void choose(const ht_refine_rules *by, const double (*neck)[3]) {
  assert_int_equal(ht_refine_choose(&domain, &vessel, by, neck, &refined), HT_OK);
}

static void drop(void) {
  ht_refined_free(&refined);
  ht_refine_vessel_free(&vessel);
  ht_domain_free(&domain);
}

static int level_at(double x, double z) {
  const int at[3] = {(int)x, SIDE / 2, (int)z};
  return refined.coarser[ht_voxel_index(domain.mask.grid.dim, at)];
}

static double wide(double z) {
  (void)z;
  return 40;
}

HT_TEST(test_pipe) {
  make(wide, 5, 200);
  const ht_refine_rules own = own_rules();
  choose(&own, NULL);
  assert_null(refined.coarser);
  assert_int_equal(refined.levels, 1);
  assert_string_equal(refined.why, "no part of the vessel may be coarser");
  assert_near(ht_refined_cost(&refined).updates, 1, 0);
  assert_near(ht_refined_cost(&refined).nodes, 1, 0);
  assert_near(refined.fine[HT_FINE_NARROW], 1, 0);
  ht_refined_free(&refined);
  choose(&rules, NULL); /* 16 nodes across, whatever the throat has */
  assert_null(refined.coarser);
  assert_non_null(strstr(refined.why, "a coarser lattice would do"));
  drop();
}

/* 80 voxels wide, in a throat 12 wide at 90: its jet reaches to 210. */
static double narrowed(double z) {
  return 40 - 34 * exp(-(z - 90) * (z - 90) / 50);
}

/* Asserts what the solver needs: blocks of one level, those of level 2 twice as wide, and no two
 * neighbours that differ by two. Counts the nodes. */
static void check_blocks(void) {
  const int *dim = domain.mask.grid.dim;
  double nodes[3] = {0, 0, 0}, work = 0, fluid = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&domain.mask.grid); v++) {
    int at[3], corner[3], level = refined.coarser[v];
    if (domain.mask.inside[v] == HT_SOLID) continue;
    nodes[level] += pow(8, -level);
    work += pow(16, -level);
    fluid++;
    if (domain.mask.inside[v] != HT_VESSEL) continue;
    ht_voxel_place(dim, v, at);
    for (int a = 0; a < 3; a++) corner[a] = at[a] - at[a] % (level == 2 ? 16 : 8);
    for (int a = 0; a < 3; a++) { /* the next block, and the corner of its own */
      int next[3] = {at[0], at[1], at[2]};
      next[a] += 8;
      if (!ht_voxel_in_grid(dim, next)) continue;
      const int64_t there = ht_voxel_index(dim, next), own = ht_voxel_index(dim, corner);
      if (domain.mask.inside[there] == HT_VESSEL)
        assert_true(abs(refined.coarser[there] - level) < 2);
      if (domain.mask.inside[own] == HT_VESSEL) assert_int_equal(refined.coarser[own], level);
    }
  }
  for (int level = 0; level < 3; level++)
    assert_near(refined.nodes[level], nodes[level], 1e-9 * fluid);
  assert_near(refined.share, 1.1 * work / fluid, 1e-12);
}

HT_TEST(test_narrowing) {
  char where[120];
  make(narrowed, 5, 90);
  ht_refine_rules own = own_rules();
  choose(&own, NULL);
  assert_non_null(refined.coarser);
  assert_int_equal(refined.levels, 3);
  check_blocks();
  assert_int_equal(level_at(48, 90), 0);  /* the throat */
  assert_int_equal(level_at(48, 80), 0);  /* before it */
  assert_int_equal(level_at(48, 200), 0); /* its jet */
  assert_int_equal(level_at(48, 40), 2);
  assert_int_equal(level_at(48, 300), 2);
  assert_int_equal(level_at(48, 220), 1); /* between: never 2 next to 0 */
  assert_int_equal(level_at(48, 2), 2);   /* extensions: 20 nodes across */
  assert_int_equal(level_at(48, LENGTH - 2), 2);
  assert_true(refined.fine[HT_FINE_JET] > 0.2 && refined.fine[HT_FINE_JET] < 0.35);
  assert_near(refined.fine[HT_FINE_WALL], 0, 0);
  ht_refined_where(&refined, where, sizeof where);
  assert_non_null(strstr(where, "the throat and its jet 2"));
  /* the estimate by the sections */
  const ht_refine_cost cost = ht_refine_cost_at(&vessel, &own), real = ht_refined_cost(&refined);
  assert_near(real.updates, refined.share, 0);
  assert_near(cost.updates, real.updates, 0.2 * real.updates);
  assert_near(cost.nodes, real.nodes, 0.2 * real.nodes);
  ht_refined_free(&refined);
  own.most = 1;
  choose(&own, NULL);
  assert_int_equal(refined.levels, 2);
  assert_int_equal(level_at(48, 300), 1);
  ht_refined_free(&refined);
  own.most = 2; /* a small outlet keeps its extension fine, and no more */
  vessel.end[1].diameter_mm = 1.4;
  choose(&own, NULL);
  assert_int_equal(refined.levels, 3);
  assert_int_equal(level_at(48, LENGTH - 2), 0);
  assert_int_equal(level_at(48, LENGTH - 40), 2);
  assert_int_equal(level_at(48, 2), 2);
  drop();
}

/* With 60 mL/s dx+ is 5.3 on level 1: 6 fine nodes at the wall, and whole blocks. */
HT_TEST(test_wall) {
  make(narrowed, 60, 90);
  const ht_refine_rules own = own_rules();
  choose(&own, NULL);
  if (refined.coarser) check_blocks();
  assert_true(refined.fine[HT_FINE_WALL] > 0.05);
  drop();
}

/* A second place, 14 wide at 270, that is more than half as fast. */
static double twice_narrowed(double z) {
  return narrowed(z) - 33 * exp(-(z - 270) * (z - 270) / 50);
}

static int is_jet_at(int z) {
  const int at[3] = {SIDE / 4, SIDE / 4, z / 2};
  return vessel.section[vessel.of[ht_voxel_index(vessel.cells.grid.dim, at)]].is_jet;
}

HT_TEST(test_second_narrowing) {
  make(twice_narrowed, 2, 90);
  const ht_refine_rules own = own_rules();
  assert_true(is_jet_at(90) && is_jet_at(200));
  assert_false(is_jet_at(230));
  assert_true(is_jet_at(270) && is_jet_at(390)); /* ten of its diameters, 14 or 16: to 430 */
  assert_false(is_jet_at(450));
  choose(&own, NULL);
  assert_true(refined.fine[HT_FINE_JET] > 0.5);
  drop();
}

/* The throat's Reynolds number is 1280: its jet reaches to the outlet. */
HT_TEST(test_laminar_jet) {
  const double before_m2_s = fluid_m2_s;
  fluid_m2_s = 1.25 * nu;
  make(narrowed, 5, 90);
  fluid_m2_s = before_m2_s;
  assert_true(is_jet_at(90) && is_jet_at(230) && is_jet_at(450));
  assert_false(is_jet_at(40));
  drop();
}

/* Makes all sections fine that are not between these z alone. */
static void keep_coarse(int from, int to) {
  for (int s = 0; s < vessel.sections; s++) vessel.section[s].is_jet = 0;
  for (int64_t c = 0; c < ht_grid_voxels(&vessel.cells.grid); c++) {
    int at[3];
    ht_voxel_place(vessel.cells.grid.dim, c, at);
    if (vessel.of[c] >= 0 && (2 * at[2] < from || 2 * at[2] >= to))
      vessel.section[vessel.of[c]].is_jet = 1;
  }
}

/* Where it saves too little, there is one spacing, and it says what several would take. An island
 * of one block is none. */
HT_TEST(test_pays) {
  make(narrowed, 5, 90);
  const ht_refine_rules own = own_rules();
  keep_coarse(240, 340);
  choose(&own, NULL);
  assert_null(refined.coarser);
  assert_non_null(strstr(refined.why, "% of its node updates, more than 60 %"));
  keep_coarse(238, 250);
  choose(&own, NULL);
  assert_string_equal(refined.why, "no part of the vessel may be coarser");
  drop();
}

/* A sac 40 wide at the side of a vessel of 20: the vessel is no wider there, and has no
 * jet. */
static double thin(double z) {
  (void)z;
  return 10;
}

static void add_sac(void) {
  for (int64_t v = 0; v < ht_grid_voxels(&domain.mask.grid); v++) {
    int at[3];
    ht_voxel_place(domain.mask.grid.dim, v, at);
    if (hypot(hypot(at[0] - 74, at[1] - 47.5), at[2] - 160) < 20) domain.mask.inside[v] = HT_VESSEL;
  }
}

HT_TEST(test_sac) {
  make(thin, 1, 100);
  add_sac();
  const double outflow[2] = {0, 1};
  const ht_refine_flow flow = {&openings, outflow, &throat, 1, 10, fluid_m2_s};
  double widest_mm = 0;
  ht_refine_vessel_free(&vessel);
  assert_int_equal(ht_refine_vessel_make(&domain, &flow, &vessel), HT_OK);
  for (int s = 0; s < vessel.sections; s++) {
    const ht_refine_section *one = &vessel.section[s];
    widest_mm = fmax(widest_mm, one->diameter_mm);
    assert_false(one->is_jet);
    if (one->speed_m_s > 0) assert_true(one->diameter_mm < 2.5);
  }
  assert_true(widest_mm > 3);
  drop();
}

/* The neck is fine where a plane says where it is. */
HT_TEST(test_neck) {
  static const double neck[2][3] = {{4.75, 4.75, 32}, {0, 0, 2}};
  make(narrowed, 5, 90);
  const ht_refine_rules own = own_rules();
  choose(&own, neck);
  assert_non_null(refined.coarser);
  check_blocks();
  assert_int_equal(level_at(48, 318), 0);
  assert_int_equal(level_at(48, 350), 2);
  assert_true(refined.fine[HT_FINE_NECK] > 0);
  drop();
}

HT_TEST(test_without_flow) {
  make(narrowed, 0, 90);
  assert_int_equal(vessel.sections, 0);
  choose(&rules, NULL);
  assert_null(refined.coarser);
  assert_near(ht_refine_cost_at(&vessel, &rules).updates, 1, 0);
  drop();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dx_plus),     cmocka_unit_test(test_width),
      cmocka_unit_test(test_across),      cmocka_unit_test(test_speed),
      cmocka_unit_test(test_section),     cmocka_unit_test(test_jet),
      cmocka_unit_test(test_layer),       cmocka_unit_test(test_ends),
      cmocka_unit_test(test_tau),         cmocka_unit_test(test_pipe),
      cmocka_unit_test(test_narrowing),   cmocka_unit_test(test_wall),
      cmocka_unit_test(test_pays),        cmocka_unit_test(test_second_narrowing),
      cmocka_unit_test(test_laminar_jet), cmocka_unit_test(test_sac),
      cmocka_unit_test(test_neck),        cmocka_unit_test(test_without_flow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
