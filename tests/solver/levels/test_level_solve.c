/* A whole run on levels against one on the finest spacing alone: a pipe with a throat that only the
 * finer level sees well. */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/levels/level_domain.h"
#include "solver/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 28, LENGTH = 128, ENDS = 16, THROAT = 64 };
static double narrow = 0.3, reach = 14; /* of the radius; nodes to either side */

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  uint8_t *coarser;
  ht_flow flow;
  ht_flow_stats stats;
} vessel;

static int scale = 1;

static double radius_at(double z) {
  const double off = fabs(z * scale + 0.5 * (scale - 1) - THROAT) / reach;
  return 0.5 * ACROSS / scale * (1 - (off < 1 ? narrow * 0.5 * (1 + cos(HT_PI * off)) : 0));
}

/* A wall that narrows, with its distances, and extensions at both ends. `coarse`: at twice the
 * spacing. */
static void shape(vessel *v) {
  const int *dim = v->domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&v->domain.mask.grid);
  v->domain.wall_distance = calloc((size_t)voxels, sizeof(float));
  for (int64_t i = 0; i < voxels; i++) {
    int at[3];
    ht_voxel_place(dim, i, at);
    const double x = at[0] - 0.5 * (dim[0] - 1), y = at[1] - 0.5 * (dim[1] - 1);
    const double away = radius_at(at[2]) - hypot(x, y);
    const int is_within = at[2] >= 1 && at[2] <= LENGTH / scale;
    const int is_end = at[2] <= ENDS / scale || at[2] > (LENGTH - ENDS) / scale;
    v->domain.wall_distance[i] = (float)fmax(-3, fmin(3, away));
    v->domain.mask.inside[i] =
        (uint8_t)(is_within && away > 0 ? (is_end ? HT_EXTENSION : HT_VESSEL) : HT_SOLID);
  }
}

static void begin(vessel *v) {
  if (getenv("N")) narrow = atof(getenv("N"));
  const double q = getenv("Q") ? atof(getenv("Q")) : 0.9;
  memset(v, 0, sizeof *v);
  assert_int_equal(ht_pipe_domain(ACROSS / scale, LENGTH / scale, 2, 1, 0.15 * scale, q, &v->domain), HT_OK);
  shape(v);
  assert_int_equal(ht_tiling_build(&v->domain.mask, NULL, &v->tiling), HT_OK);
  ht_solver_defaults(&v->options);
  v->options.device = HT_DEVICE_CPU;
  v->options.walls = HT_WALLS_INTERPOLATED;
  v->options.collision = getenv("CUM") ? HT_CUMULANT : HT_MRT;
  v->options.threads = 1;
  v->options.steady_tolerance = 1e-6;
  v->options.throat_speed_m_s = 0.3 * q / 0.9;
  v->options.throat_mm = 0.15 * ACROSS * (1 - narrow);
}

/* Lets the lattice be coarser everywhere but around the throat. */
static void coarsen(vessel *v, int halvings) {
  const int *dim = v->domain.mask.grid.dim;
  v->coarser = calloc((size_t)ht_grid_voxels(&v->domain.mask.grid), 1);
  for (int64_t i = 0; i < ht_grid_voxels(&v->domain.mask.grid); i++)
    v->coarser[i] = (uint8_t)(fabs((double)(i / dim[0] / dim[1]) - THROAT) > 16 ? halvings : 0);
  v->options.coarser = v->coarser;
  v->options.halvings = halvings;
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

/* Relative difference of the velocities, and of the viscous stress next to the wall. */
static void differ(const vessel *a, const vessel *b, int from, int to, double *u, double *wall) {
  const int *dim = a->domain.mask.grid.dim;
  double off = 0, size = 0, stress = 0, strength = 0;
  for (int64_t i = 0; i < ht_grid_voxels(&a->domain.mask.grid); i++) {
    const int64_t z = i / dim[0] / dim[1], n = ht_flow_node(&a->flow, i);
    const int64_t m = ht_flow_node(&b->flow, i);
    if (n < 0 || z < from || z >= to) continue;
    for (int k = 0; k < 3; k++) {
      off += pow(a->flow.velocity_m_s[3 * n + k] - b->flow.velocity_m_s[3 * m + k], 2);
      size += pow(b->flow.velocity_m_s[3 * m + k], 2);
    }
    if (a->domain.wall_distance[i] > 1.5f) continue;
    for (int k = 0; k < 6; k++) {
      stress += pow(a->flow.stress_pa[6 * n + k] - b->flow.stress_pa[6 * m + k], 2);
      strength += pow(b->flow.stress_pa[6 * m + k], 2);
    }
  }
  *u = sqrt(off / size);
  *wall = sqrt(stress / strength);
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

HT_TEST(test_throat) {
  if (getenv("SCALE")) {
    vessel c;
    scale = 2;
    begin(&c);
    c.options.max_steps = 6000, c.options.stop_at_max_steps = 1;
    run(&c);
    for (int z = 4; z < LENGTH / 2; z += 4) print_message("z %d: %.4f mL/s\n", 2 * z, through(&c, z));
    print_message("coarse: %lld nodes, %lld steps, change %g, drop %.4f Pa, tau %.4f\n",
                (long long)c.stats.fluid_nodes, (long long)c.stats.steps, c.stats.steady_change, drop_pa(&c), c.stats.tau);
    return;
  }
  vessel uniform, refined;
  double u, wall;
  begin(&uniform);
  run(&uniform);
  print_message("%lld steps, change %g\n", (long long)uniform.stats.steps, uniform.stats.steady_change);
  begin(&refined);
  coarsen(&refined, 1);
  refined.options.max_steps = 6000, refined.options.stop_at_max_steps = 1;
  run(&refined);
  for (int z = 8; z < LENGTH; z += 8)
    print_message("z %d: %.4f %.4f mL/s\n", z, through(&uniform, z), through(&refined, z));
  for (int z = 8; z < LENGTH; z += 8) {
    differ(&refined, &uniform, z, z + 8, &u, &wall);
    print_message("z %d: velocity %.2e, stress at the wall %.2e\n", z, u, wall);
  }
  print_message("uniform: %lld nodes, %lld steps, %.1f s, drop %.4f Pa, tau %.4f\n",
                (long long)uniform.stats.fluid_nodes, (long long)uniform.stats.steps,
                uniform.stats.seconds, drop_pa(&uniform), uniform.stats.tau);
  print_message("levels: %lld + %lld nodes, %lld steps, %.1f s, drop %.4f Pa, tau %.4f\n",
                (long long)refined.stats.level_nodes[0], (long long)refined.stats.level_nodes[1],
                (long long)refined.stats.steps, refined.stats.seconds, drop_pa(&refined),
                refined.stats.tau);
  print_message("ports %.4f %.4f, change %g, most %.4f m/s (%.4f)\n", refined.stats.port[0].flow_ml_s, refined.stats.port[1].flow_ml_s, refined.stats.steady_change, refined.stats.max_velocity_m_s, uniform.stats.max_velocity_m_s);
  const int *dim = uniform.domain.mask.grid.dim;
  for (int z = 8; z < LENGTH; z += 8)
    for (int x = 0; x < dim[0]; x++) {
      int64_t i = x + (int64_t)dim[0] * (dim[1] / 2 + (int64_t)dim[1] * z), n = ht_flow_node(&uniform.flow, i);
      if (x == 0) print_message("\nz %d:", z);
      if (n >= 0) print_message(" %.3f/%.3f", refined.flow.velocity_m_s[3 * n + 2], uniform.flow.velocity_m_s[3 * n + 2]);
    }
  end(&uniform);
  end(&refined);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_throat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
