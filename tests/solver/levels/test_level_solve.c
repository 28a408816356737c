/* A whole run on levels against one on the finest spacing alone: a pipe whose throat has the
 * finest. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "solver/inflow/outlets.h"
#include "solver/levels/level_domain.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/pipe_domain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 16, LENGTH = 112, ENDS = 16, THROAT = 56, REACH = 14 };
static const double narrow = 0.3; /* of the radius */
static ht_device device;

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  uint8_t *coarser;
  ht_flow flow;
  ht_flow_stats stats;
} vessel;

static double radius_at(double z) {
  const double off = fabs(z - THROAT) / REACH;
  return 0.5 * ACROSS * (1 - (off < 1 ? narrow * 0.5 * (1 + cos(HT_PI * off)) : 0));
}

/* A wall that narrows, with its distances, and extensions at both ends. */
static void shape(vessel *v) {
  const int *dim = v->domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&v->domain.mask.grid);
  v->domain.wall_distance = calloc((size_t)voxels, sizeof(float));
  for (int64_t i = 0; i < voxels; i++) {
    int at[3];
    ht_voxel_place(dim, i, at);
    const double x = at[0] - 0.5 * (dim[0] - 1), y = at[1] - 0.5 * (dim[1] - 1);
    const double away = radius_at(at[2]) - hypot(x, y);
    const int is_within = at[2] >= 1 && at[2] <= LENGTH;
    const int is_end = at[2] <= ENDS || at[2] > LENGTH - ENDS;
    v->domain.wall_distance[i] = (float)fmax(-3, fmin(3, away));
    v->domain.mask.inside[i] =
        (uint8_t)(is_within && away > 0 ? (is_end ? HT_EXTENSION : HT_VESSEL) : HT_SOLID);
  }
}

static void begin(vessel *v) {
  memset(v, 0, sizeof *v);
  assert_int_equal(ht_pipe_domain(ACROSS, LENGTH, 2, 1, 0.15, 0.2, &v->domain), HT_OK);
  shape(v);
  assert_int_equal(ht_tiling_build(&v->domain.mask, NULL, &v->tiling), HT_OK);
  ht_solver_defaults(&v->options);
  v->options.device = device;
  v->options.walls = HT_WALLS_INTERPOLATED;
  v->options.collision = HT_MRT;
  v->options.threads = 1;
  v->options.steady_tolerance = 1e-6;
}

/* Lets the lattice be coarser before the throat, and from `until` on after it. */
static void coarsen(vessel *v, int until) {
  const int *dim = v->domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&v->domain.mask.grid);
  v->coarser = calloc((size_t)voxels, 1);
  for (int64_t i = 0; i < voxels; i++) {
    const int64_t z = i / dim[0] / dim[1];
    v->coarser[i] = z < THROAT - REACH - 2 || z >= until;
  }
  v->options.coarser = v->coarser;
  v->options.halvings = 1;
}

static void end(vessel *v) {
  ht_flow_free(&v->flow);
  ht_tiling_free(&v->tiling);
  ht_domain_free(&v->domain);
  free(v->coarser);
}

static void run(vessel *v) {
  ht_status status = ht_solve(&v->domain, &v->tiling, &v->options, NULL, &v->flow, &v->stats);
  if (status != HT_OK) print_message("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
}

/* Relative difference of the velocities from plane `from` up to before `to`. */
static double difference(const vessel *a, const vessel *b, int from, int to) {
  const int *dim = a->domain.mask.grid.dim;
  double off = 0, size = 0;
  for (int64_t i = (int64_t)from * dim[0] * dim[1]; i < (int64_t)to * dim[0] * dim[1]; i++) {
    const int64_t n = ht_flow_node(&a->flow, i);
    for (int64_t k = 3 * n; n >= 0 && k < 3 * n + 3; k++) {
      off += pow(a->flow.velocity_m_s[k] - b->flow.velocity_m_s[k], 2);
      size += pow(b->flow.velocity_m_s[k], 2);
    }
  }
  return sqrt(off / size);
}

static double drop_pa(const vessel *v) {
  return v->stats.port[0].pressure_pa - v->stats.port[1].pressure_pa;
}

/* Flow along z through a plane, mL/s. */
static double through(const vessel *v, int z) {
  const int *dim = v->domain.mask.grid.dim;
  const double dx_m = v->flow.grid.spacing_mm[0] * 1e-3;
  double sum = 0;
  for (int64_t i = (int64_t)z * dim[0] * dim[1]; i < (int64_t)(z + 1) * dim[0] * dim[1]; i++) {
    const int64_t node = ht_flow_node(&v->flow, i);
    if (node >= 0) sum += v->flow.velocity_m_s[3 * node + 2] * ht_domain_part_inside(&v->domain, i);
  }
  return 1e6 * sum * dx_m * dx_m;
}

/* The bars are those of 8 nodes across, the coarse level's: its section is off by some per cent by
 * how the lattice cuts it. */
static void compare(const vessel *refined, const vessel *uniform) {
  const ht_flow_stats *stats = &refined->stats;
  print_message("uniform: %lld nodes, %lld steps, drop %.3f Pa; levels: %lld + %lld nodes, %lld "
                "steps, drop %.3f Pa, mass %.1e\n",
                (long long)uniform->stats.fluid_nodes, (long long)uniform->stats.steps,
                drop_pa(uniform), (long long)stats->level_nodes[0],
                (long long)stats->level_nodes[1], (long long)stats->steps, drop_pa(refined),
                stats->mass_imbalance);
  assert_int_equal(uniform->stats.levels, 1);
  assert_int_equal(stats->levels, 2);
  assert_int_equal(stats->fluid_nodes, uniform->stats.fluid_nodes);
  assert_near(stats->dx_m, uniform->stats.dx_m, 1e-12);
  assert_near(stats->port[0].flow_ml_s, 0.2, 2e-4);
  assert_near(stats->mass_imbalance, 0, 3e-4);
  assert_near(drop_pa(refined), drop_pa(uniform), 0.05 * drop_pa(uniform));
  for (int z = ENDS; z <= LENGTH - ENDS; z += 8) {
    const double off = difference(refined, uniform, z, z + 8);
    print_message("z %d: velocity %.4f, flow %.4f mL/s\n", z, off, through(refined, z));
    assert_true(off < 0.05);
    assert_near(through(refined, z), 0.2, 0.04 * 0.2);
  }
}

HT_TEST(test_throat) {
  vessel uniform, refined, at_outlet;
  begin(&uniform);
  run(&uniform);
  begin(&refined);
  coarsen(&refined, THROAT + REACH + 3);
  run(&refined);
  assert_true(2 * refined.stats.level_nodes[1] < uniform.stats.fluid_nodes);
  compare(&refined, &uniform);
  begin(&at_outlet); /* with its port and extension on the finest level */
  coarsen(&at_outlet, LENGTH + 2);
  at_outlet.options.coarse_start = 1;
  run(&at_outlet);
  print_message("%lld steps before: %s\n", (long long)at_outlet.stats.coarse_steps,
                at_outlet.stats.coarse_note);
  assert_true(at_outlet.stats.coarse_steps > 0);
  assert_true(2 * at_outlet.stats.level_nodes[1] > uniform.stats.fluid_nodes);
  compare(&at_outlet, &uniform);
  assert_near(difference(&at_outlet, &uniform, LENGTH - ENDS, LENGTH + 1), 0, 0.01);
  end(&uniform);
  end(&refined);
  end(&at_outlet);
}

/* A beat into a Windkessel. */
static void begin_beat(vessel *v, ht_waveform *wave) {
  ht_harmonics series = {.period_s = 0.08, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0.5}};
  begin(v);
  assert_int_equal(ht_waveform_series(&series, wave), HT_OK);
  v->options.waveform = wave;
  v->options.outlets = HT_OUTLETS_WINDKESSEL;
  v->options.samples = 10;
  v->options.cycles = 3;
  v->options.max_velocity_lu = 0.1;
  v->options.sound_deviation = 1;
  ht_opening *outlet = &v->domain.port[1].opening;
  outlet->windkessel[0] = 5e7;   /* 10 Pa at the mean flow */
  outlet->windkessel[1] = 5e-11; /* a time of 20 ms */
  outlet->windkessel[2] = 4e8;   /* 80 Pa */
}

/* A Windkessel on the finer level gets the flow and gives the pressures that it has on the coarser
 * one. (Sound makes them others on a lattice with another step.) */
HT_TEST(test_windkessel) {
  ht_waveform wave;
  vessel at_throat, at_outlet;
  begin_beat(&at_throat, &wave);
  coarsen(&at_throat, THROAT + REACH + 3);
  run(&at_throat);
  begin_beat(&at_outlet, &wave);
  coarsen(&at_outlet, LENGTH + 2);
  run(&at_outlet);
  for (int p = 0; p < 2; p++) {
    const ht_port_result *one = &at_throat.stats.port[p], *port = &at_outlet.stats.port[p];
    print_message("%s: %.4f mL/s, %.2f, %.2f to %.2f Pa; on the finer level %.4f mL/s, %.2f, %.2f "
                  "to %.2f Pa\n",
                  one->name, one->flow_ml_s, one->pressure_pa, one->lowest_pressure_pa,
                  one->highest_pressure_pa, port->flow_ml_s, port->pressure_pa,
                  port->lowest_pressure_pa, port->highest_pressure_pa);
    assert_near(port->flow_ml_s, one->flow_ml_s, 0.01 * 0.2);
    assert_near(port->pressure_pa, one->pressure_pa, 0.015 * one->pressure_pa);
    assert_near(port->lowest_pressure_pa, one->lowest_pressure_pa,
                0.015 * one->highest_pressure_pa);
    assert_near(port->highest_pressure_pa, one->highest_pressure_pa,
                0.015 * one->highest_pressure_pa);
  }
  assert_int_equal(at_outlet.stats.steps, at_throat.stats.steps);
  end(&at_throat);
  end(&at_outlet);
}

/* Each port is on the level that its extension asks for, with nodes of that level alone. */
HT_TEST(test_ports) {
  vessel v;
  ht_level_domain made;
  begin(&v);
  coarsen(&v, LENGTH + 2);
  for (int64_t i = 0; i < ht_grid_voxels(&v.domain.mask.grid); i++) v.coarser[i] *= 2;
  assert_int_equal(ht_level_domain_make(&v.domain, v.coarser, 2, &made), HT_OK);
  assert_int_equal(made.coarsest.port[0].halvings, 0);
  assert_int_equal(made.coarsest.port[1].halvings, 2);
  assert_int_equal(made.domain[0].port[1].nodes + made.domain[1].port[1].nodes, 0);
  assert_int_equal(made.domain[2].port[1].nodes, v.domain.port[1].nodes);
  assert_int_equal(made.domain[2].port[0].nodes, 0);
  assert_near(ht_port_grid(&made.coarsest, 1).spacing_mm[2], v.domain.mask.grid.spacing_mm[2], 0);
  assert_near(ht_port_grid(&made.coarsest, 1).origin_mm[2], v.domain.mask.grid.origin_mm[2], 1e-12);
  assert_near(ht_port_area_m2(&made.coarsest, 1), ht_port_area_m2(&v.domain, 1), 1e-12);
  ht_level_domain_free(&made);
  /* With an extension of the outlet that begins near that of the inlet both share blocks. */
  for (int64_t i = 0; i < ht_grid_voxels(&v.domain.mask.grid); i++) {
    const int64_t z = i / v.domain.mask.grid.dim[0] / v.domain.mask.grid.dim[1];
    v.coarser[i] = z <= ENDS;
    if (v.domain.mask.inside[i] && z > 2 * ENDS + 4) v.domain.mask.inside[i] = HT_EXTENSION;
  }
  assert_int_equal(ht_level_domain_make(&v.domain, v.coarser, 1, &made), HT_OK);
  assert_int_equal(made.coarsest.port[0].halvings, 1);
  ht_level_domain_free(&made);
  end(&v);
}

HT_TEST(test_threads) {
  vessel v[2];
  for (int i = 0; i < 2; i++) {
    begin(&v[i]);
    coarsen(&v[i], LENGTH + 2);
    v[i].options.threads = 1 + i;
    v[i].options.max_steps = 66;
    v[i].options.stop_at_max_steps = 1;
    run(&v[i]);
  }
  assert_memory_equal(v[0].flow.velocity_m_s, v[1].flow.velocity_m_s,
                      3 * (size_t)v[0].flow.nodes * sizeof(float));
  for (int i = 0; i < 2; i++) end(&v[i]);
}

/* Nowhere the finest spacing: refused. */
HT_TEST(test_no_finest) {
  vessel v;
  begin(&v);
  coarsen(&v, LENGTH);
  memset(v.coarser, 1, (size_t)ht_grid_voxels(&v.domain.mask.grid));
  assert_int_equal(ht_solve(&v.domain, &v.tiling, &v.options, NULL, &v.flow, &v.stats),
                   HT_ERR_USAGE);
  end(&v);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_throat),
                                     cmocka_unit_test(test_windkessel),
                                     cmocka_unit_test(test_ports), cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_no_finest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
