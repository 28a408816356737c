/* The lattice that a vessel needs, and the reasons for spacing and step. */
#include "tests/check.h"
#include "solver/lattice/lattice.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/plan/resolution.h"
#include "core/numbers/units.h"
#include <string.h>

static const double kinematic = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;

static ht_vessel_size begin(double speed_m_s, ht_solver_options *options) {
  ht_solver_defaults(options);
  return (ht_vessel_size){.widest_mm = 4, .volume_mm3 = 400, .speed_m_s = speed_m_s};
}

/* A vessel of 4 mm: at 0.1 m/s 20 nodes across do, at 0.8 m/s the cell Reynolds number decides. */
static void test_as_few_nodes_as_the_flow_allows(void **unused) {
  (void)unused;
  ht_solver_options options;
  ht_resolution chosen;
  ht_vessel_size vessel = begin(0.1, &options);
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  assert_true(chosen.nodes_across == 20);
  assert_near(chosen.spacing_mm, 0.2, 1e-12);
  assert_near(chosen.cell_reynolds, 0.1 * 0.2e-3 / kinematic, 1e-9);
  vessel.speed_m_s = 0.8;
  for (int collision = HT_LBGK; collision <= HT_MRT; collision++) {
    options.collision = (ht_collision)collision;
    double most = collision == HT_MRT ? 50 : 25, bytes = chosen.bytes;
    assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
    assert_true(chosen.cell_reynolds_max == most);
    assert_true(chosen.cell_reynolds <= 0.9 * most);
    /* One node less would be too few. */
    assert_true(0.8 * 4e-3 / (chosen.nodes_across - 1) / kinematic > 0.9 * most);
    assert_near(chosen.nodes_across * chosen.spacing_mm, 4, 1e-12);
    if (collision == HT_LBGK)
      assert_near(chosen.bytes / bytes, pow(chosen.nodes_across / 20, 3),
                  0.01 * chosen.bytes / bytes);
  }
}

static void test_memory_that_is_not_there(void **unused) {
  (void)unused;
  ht_solver_options options;
  ht_resolution chosen;
  ht_vessel_size vessel = begin(0.8, &options);
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  vessel.available_bytes = 1.01 * chosen.bytes;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  vessel.available_bytes = 0.5 * chosen.bytes;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_ERR_MEMORY);
  assert_non_null(strstr(ht_error_message(), "44 nodes across"));
  assert_non_null(strstr(ht_error_message(), "at most 0.79 times"));
  assert_non_null(strstr(ht_error_message(), "--collision mrt"));
  vessel.available_bytes = 0.1 * chosen.bytes;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_ERR_MEMORY);
  assert_null(strstr(ht_error_message(), "mrt (half")); /* would not do alone */
  assert_non_null(strstr(ht_error_message(), "--collision mrt together with --precision fp16"));
  vessel.available_bytes = 0.01 * chosen.bytes; /* nor together: how far it goes */
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_ERR_MEMORY);
  assert_non_null(strstr(ht_error_message(), "or with --collision mrt at most 0.4"));
}

/* A node at 20 nodes across has one link to a wall: two fifths more. */
static void test_memory_of_walls(void **unused) {
  (void)unused;
  ht_solver_options options;
  ht_resolution chosen;
  ht_vessel_size vessel = begin(0.1, &options);
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  double without = chosen.bytes;
  options.walls = HT_WALLS_INTERPOLATED;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  assert_near(chosen.bytes / without, 1.38, 0.05);
  assert_int_equal(ht_resolution_choose(&vessel, &options, 200, &chosen), HT_OK);
  assert_near(chosen.bytes / without / 1000, 1.038, 0.005);
}

/* Memory of a pipe that is made: what the backend counts, which leaves out the tables of planes and
 * tiles. */
static void test_memory_of_a_pipe(void **unused) {
  (void)unused;
  enum { ACROSS = 24, LONG = 26 }; /* and a plane more at each end: whole tiles */
  const ht_tiling_options at_origin = {.fixed_origin = 1};
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  ht_solver_defaults(&options);
  options.walls = HT_WALLS_INTERPOLATED;
  options.device = HT_DEVICE_CPU;
  assert_int_equal(ht_pipe_domain(ACROSS, LONG, 2, 1, 0.2, 1, &domain), HT_OK);
  const int *dim = domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&domain.mask.grid), plane = voxels / dim[2];
  memcpy(domain.mask.inside, domain.mask.inside + plane, (size_t)plane);
  memcpy(domain.mask.inside + voxels - plane, domain.mask.inside + plane, (size_t)plane);
  assert_int_equal(ht_tiling_build(&domain.mask, &at_origin, &tiling), HT_OK);
  assert_int_equal(ht_alloc((void **)&domain.wall_distance, (size_t)voxels, sizeof(float), "walls"),
                   HT_OK);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    double off = 0.5 * (ACROSS + 1);
    domain.wall_distance[v] = (float)(0.5 * ACROSS - hypot(at[0] - off, at[1] - off));
  }
  for (int precision = 0; precision < 3; precision++) {
    double bytes[2];
    options.precision = (ht_precision)precision;
    for (int walls = 0; walls < 2; walls++) {
      ht_lattice_setup setup = {.tiling = &tiling,
                                .tau = 0.8,
                                .precision = options.precision,
                                .device = HT_DEVICE_CPU,
                                .threads = 1,
                                .periodic = {0, 0, 1},
                                .wall_distance = walls ? domain.wall_distance : NULL};
      ht_lattice *lattice;
      ht_lattice_cost cost;
      assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
      ht_lattice_measure_cost(lattice, &cost);
      bytes[walls] = (double)cost.bytes;
      ht_lattice_free(lattice);
    }
    double estimate = ht_wall_bytes(&options, (double)tiling.nodes, ACROSS);
    print_message("walls: %.0f bytes, estimate %.0f\n", bytes[1] - bytes[0], estimate);
    assert_near(estimate / (bytes[1] - bytes[0]), 1.08, 0.05);
  }
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

/* Bytes a node of what is read, and of means that only some flows need: beat_results.c,
 * flow_average.h. */
static void test_memory_of_the_machine(void **unused) {
  (void)unused;
  static ht_waveform beat = {.period_s = 1};
  const ht_lattice_size size = {.tiles = 2000, .nodes = 1e5, .nodes_across = 20};
  ht_solver_options options;
  ht_solver_defaults(&options);
  options.device = HT_DEVICE_CPU;
  options.averages = 1;
  const ht_host_needs steady = ht_solver_host_needs(&size, &options);
  assert_near(steady.unrest / size.nodes, 40 + 16 + 8 + 12, 1e-9);
  assert_true(steady.lattice > ht_solver_bytes(size.tiles, options.collision, options.precision) +
                                   ht_wall_bytes(&options, size.nodes, size.nodes_across));
  options.waveform = &beat;
  options.samples = 50;
  options.cycles = 5, options.max_cycles = 10;
  ht_host_needs pulse = ht_solver_host_needs(&size, &options);
  assert_near((pulse.reading - steady.reading) / size.nodes, 104, 1e-6);
  assert_near(pulse.unrest / size.nodes, 10 * 16 + 8, 1e-9);
  options.samples = 11; /* each second is a phase */
  assert_near(ht_solver_host_needs(&size, &options).unrest / size.nodes, 6 * 16 + 8, 1e-9);
  options.max_cycles = 0; /* no beat is added, nor compared with the first */
  pulse = ht_solver_host_needs(&size, &options);
  assert_near((pulse.reading - steady.reading) / size.nodes, 92, 1e-6);
  assert_true(pulse.unrest == 0 && pulse.lattice == steady.lattice);
}

/* Walls go with the square of the nodes across, and are the same in fp16: what is advised fits. */
static void test_advice_with_walls(void **unused) {
  (void)unused;
  ht_solver_options options;
  ht_resolution chosen, slower;
  ht_vessel_size vessel = begin(0.8, &options);
  options.walls = HT_WALLS_INTERPOLATED;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_OK);
  vessel.available_bytes = 0.62 * chosen.bytes; /* without walls fp16 would do */
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_ERR_MEMORY);
  assert_null(strstr(ht_error_message(), "--precision fp16"));
  assert_non_null(strstr(ht_error_message(), "--collision mrt"));
  vessel.available_bytes = 0.135 * chosen.bytes; /* without walls MRT would do */
  assert_int_equal(ht_resolution_choose(&vessel, &options, 20, &chosen), HT_ERR_MEMORY);
  assert_null(strstr(ht_error_message(), "--collision mrt (half"));
  double finest_mm = ht_resolution_finest_mm(&vessel, &options, vessel.available_bytes);
  vessel.speed_m_s *= 0.99 * chosen.spacing_mm / finest_mm;
  assert_int_equal(ht_resolution_choose(&vessel, &options, 4, &slower), HT_OK);
  assert_true(slower.bytes > 0.7 * vessel.available_bytes);
}

/* The explanation of a step agrees with the plan. */
static void check_reasons(double flow_ml_s, int step_of_viscosity) {
  ht_domain domain;
  ht_solver_options options;
  ht_solver_reasons r;
  ht_units units;
  ht_flow_stats stats;
  ht_solver_defaults(&options);
  assert_int_equal(ht_pipe_domain(14, 20, 2, 1, 0.3, flow_ml_s, &domain), HT_OK);
  assert_int_equal(ht_solver_explain(&domain, &options, &r), HT_OK);
  assert_int_equal(ht_solver_plan(&domain, &options, &units, &stats), HT_OK);
  assert_true(r.units.dt_s == units.dt_s && r.tau == stats.tau && r.reynolds == stats.reynolds);
  assert_int_equal(r.step_of_viscosity, step_of_viscosity);
  assert_int_equal(r.of_outlets, 0);
  assert_near(r.cell_reynolds, r.speed_m_s * 0.3e-3 / kinematic, 1e-6 * r.cell_reynolds);
  assert_near(r.speed_lu, r.speed_m_s * units.dt_s / 0.3e-3, 1e-12);
  if (step_of_viscosity)
    assert_near(r.tau, r.tau_max, 1e-9);
  else
    assert_near(r.speed_lu, options.max_velocity_lu, 1e-9);
  assert_true(r.likely_steps > 0 && r.likely_steps < r.most_steps);
  ht_domain_free(&domain);
}

/* The peak velocity estimated before there is a lattice is that of the plan, whose section is the
 * pipe's own nodes; and well below that of a paraboloid in a wide vessel. */
static void test_peak_of_a_pulse(void **unused) {
  (void)unused;
  const double spacing_mm = 0.3;
  ht_domain domain;
  ht_solver_options options;
  ht_solver_reasons r;
  ht_waveform waveform;
  ht_harmonics series = {.period_s = 0.8, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0.8}};
  double factor = 0, area_m2 = 1;
  assert_int_equal(ht_waveform_series(&series, &waveform), HT_OK);
  ht_solver_defaults(&options);
  options.waveform = &waveform;
  options.profile = HT_PROFILE_WOMERSLEY;
  assert_int_equal(ht_pipe_domain(14, 20, 2, 1, spacing_mm, 0.5, &domain), HT_OK);
  assert_int_equal(ht_solver_explain(&domain, &options, &r), HT_OK);
  for (int p = 0; p < domain.ports; p++)
    if (domain.port[p].opening.role == HT_ROLE_INLET)
      area_m2 = (double)domain.port[p].nodes * 1e-6 * spacing_mm * spacing_mm;
  double diameter_m = sqrt(4 * area_m2 / HT_PI);
  assert_int_equal(ht_profile_peak(&waveform, diameter_m, kinematic, &factor), HT_OK);
  assert_near(factor * 0.5e-6 / area_m2 / r.speed_m_s, 1, 0.04);
  options.samples = 2000; /* they shorten the step, which is the inlet's all the same */
  assert_int_equal(ht_solver_explain(&domain, &options, &r), HT_OK);
  assert_true(r.speed_lu < 0.9 * options.max_velocity_lu);
  assert_true(!r.step_of_throat && !r.step_of_viscosity);
  assert_int_equal(ht_profile_peak(&waveform, 0.0005, kinematic, &factor), HT_OK);
  assert_near(factor, 2 * 1.8, 0.1);
  assert_int_equal(ht_profile_peak(&waveform, 0.025, kinematic, &factor), HT_OK);
  assert_true(factor > 1.8 && factor < 0.85 * 2 * 1.8);
  ht_domain_free(&domain);
}

static void test_reasons(void **unused) {
  (void)unused;
  check_reasons(1, 0);
  check_reasons(0.01, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_few_nodes_as_the_flow_allows),
      cmocka_unit_test(test_memory_that_is_not_there),
      cmocka_unit_test(test_memory_of_walls),
      cmocka_unit_test(test_memory_of_a_pipe),
      cmocka_unit_test(test_memory_of_the_machine),
      cmocka_unit_test(test_advice_with_walls),
      cmocka_unit_test(test_peak_of_a_pulse),
      cmocka_unit_test(test_reasons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
