/* A whole run on levels against one on the finest spacing alone: a pipe whose throat has the
 * finest. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
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

/* Lets the lattice be coarser away from the throat. */
static void coarsen(vessel *v) {
  const int *dim = v->domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&v->domain.mask.grid);
  v->coarser = calloc((size_t)voxels, 1);
  for (int64_t i = 0; i < voxels; i++)
    v->coarser[i] = llabs(i / dim[0] / dim[1] - THROAT) > REACH + 2;
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
HT_TEST(test_throat) {
  vessel uniform, refined;
  begin(&uniform);
  run(&uniform);
  begin(&refined);
  coarsen(&refined);
  run(&refined);
  const ht_flow_stats *stats = &refined.stats;
  print_message("uniform: %lld nodes, %lld steps, drop %.3f Pa; levels: %lld + %lld nodes, %lld "
                "steps, drop %.3f Pa, mass %.1e\n",
                (long long)uniform.stats.fluid_nodes, (long long)uniform.stats.steps,
                drop_pa(&uniform), (long long)stats->level_nodes[0],
                (long long)stats->level_nodes[1], (long long)stats->steps, drop_pa(&refined),
                stats->mass_imbalance);
  assert_int_equal(uniform.stats.levels, 1);
  assert_int_equal(stats->levels, 2);
  assert_int_equal(stats->fluid_nodes, uniform.stats.fluid_nodes);
  assert_true(2 * stats->level_nodes[1] < uniform.stats.fluid_nodes);
  assert_near(stats->dx_m, uniform.stats.dx_m, 1e-12);
  assert_near(stats->port[0].flow_ml_s, 0.2, 2e-4);
  assert_near(stats->mass_imbalance, 0, 1e-3);
  assert_near(drop_pa(&refined), drop_pa(&uniform), 0.05 * drop_pa(&uniform));
  for (int z = ENDS; z <= LENGTH - ENDS; z += 8) {
    const double off = difference(&refined, &uniform, z, z + 8);
    print_message("z %d: velocity %.4f, flow %.4f mL/s\n", z, off, through(&refined, z));
    assert_true(off < 0.05);
    assert_near(through(&refined, z), 0.2, 0.04 * 0.2);
  }
  end(&uniform);
  end(&refined);
}

/* Nowhere the finest spacing: refused. */
HT_TEST(test_no_finest) {
  vessel v;
  begin(&v);
  coarsen(&v);
  memset(v.coarser, 1, (size_t)ht_grid_voxels(&v.domain.mask.grid));
  assert_int_equal(ht_solve(&v.domain, &v.tiling, &v.options, NULL, &v.flow, &v.stats),
                   HT_ERR_USAGE);
  end(&v);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_throat),
                                     cmocka_unit_test(test_no_finest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
