/* The CUDA backend against the CPU backend, on the same case. Skipped (77) where there is no GPU.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "geometry.h"
#include "lattice.h"
#include "pipe_domain.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *read_all(ht_lattice *lattice, const ht_tiling *tiling) {
  double *all = calloc((size_t)tiling->tiles * 64, 10 * sizeof(double));
  assert_non_null(all);
  int64_t n = tiling->tiles * 64;
  ht_lattice_fields fields = {all, all + n, all + 4 * n};
  assert_int_equal(ht_lattice_read(lattice, 0, tiling->tiles, &fields), HT_OK);
  return all;
}

/* Relative L2 difference of density, velocity and stress after `steps`. */
static double difference(ht_lattice_setup *setup, int64_t steps) {
  double *values[2], error = 0, size = 0;
  ht_lattice_monitor seen[2];
  double flow[2][2] = {{0}};
  for (int d = 0; d < 2; d++) {
    ht_lattice *lattice;
    setup->device = d ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
    assert_int_equal(ht_lattice_create(setup, &lattice), HT_OK);
    assert_int_equal(ht_lattice_step(lattice, steps / 2), HT_OK);
    if (setup->ports) assert_int_equal(ht_lattice_scale_inflow(lattice, 0, 1.02), HT_OK);
    assert_int_equal(ht_lattice_step(lattice, steps - steps / 2), HT_OK);
    assert_int_equal(ht_lattice_port_flow(lattice, flow[d]), HT_OK);
    assert_int_equal(ht_lattice_watch(lattice, &seen[d]), HT_OK);
    values[d] = read_all(lattice, setup->tiling);
    ht_lattice_free(lattice);
  }
  for (int64_t i = 0; i < setup->tiling->tiles * 64 * 10; i++) {
    error += (values[0][i] - values[1][i]) * (values[0][i] - values[1][i]);
    size += values[0][i] * values[0][i];
  }
  free(values[0]);
  free(values[1]);
  assert_true(size > 0);
  for (int p = 0; p < setup->ports; p++)
    assert_true(fabs(flow[0][p] - flow[1][p]) <= 1e-4 * fabs(flow[0][0]));
  assert_true(fabs(seen[0].max_speed - seen[1].max_speed) <= 1e-5 * seen[0].max_speed);
  return sqrt(error / size);
}

/* fp64 to 1e-12 relative; fp32 to 1e-5: rounding differs (fused multiply-add), nothing else. */
static void check(ht_lattice_setup *setup, const char *what) {
  setup->precision = HT_FP64;
  double twice = difference(setup, 1000);
  setup->precision = HT_FP32;
  double single = difference(setup, 1000);
  print_message("%s: relative difference fp64 %.2e, fp32 %.2e\n", what, twice, single);
  assert_true(twice <= 1e-12);
  assert_true(single <= 1e-5);
}

static void test_closed_vessels(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  assert_int_equal(ht_geometry_tubes((int[3]){61, 47, 53}, (double[2]){5, 8}, 0.2, 3, &mask),
                   HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling, .tau = 0.6, .noise_lu = 0.05};
  check(&setup, "closed vessels");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void check_pipe(int axis, int sign) {
  ht_domain domain;
  ht_tiling tiling;
  assert_int_equal(ht_pipe_domain(14, 22, axis, sign, 0.2, 1, &domain), HT_OK);
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  double *speed = calloc((size_t)domain.port[0].nodes, sizeof(double));
  for (int64_t i = 0; i < domain.port[0].nodes; i++) speed[i] = 0.03;
  ht_lattice_port port[2];
  for (int p = 0; p < 2; p++) {
    const ht_port *from = &domain.port[p];
    port[p] = (ht_lattice_port){.kind = p ? HT_PORT_PRESSURE : HT_PORT_VELOCITY,
                                .axis = from->axis,
                                .inward = from->inward,
                                .density_lu = 0.001 * p,
                                .nodes = from->nodes,
                                .voxel = from->node,
                                .speed_lu = speed};
    /* Oblique to the plane, so that the transverse terms count. */
    port[p].direction[axis] = from->inward * 0.9;
    port[p].direction[(axis + 1) % 3] = 0.3;
    port[p].direction[(axis + 2) % 3] = -sqrt(1 - 0.81 - 0.09);
  }
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.7, .ramp_steps = 200, .ports = 2, .port = port};
  char what[64];
  snprintf(what, sizeof what, "pipe along axis %d, sign %+d", axis, sign);
  check(&setup, what);
  free(speed);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

static void test_pipes(void **unused) {
  (void)unused;
  check_pipe(0, 1);
  check_pipe(1, -1);
  check_pipe(2, 1);
}

int main(void) {
  char name[128], why[256];
  ht_device cuda = HT_DEVICE_CUDA;
  if (ht_device_describe(cuda, name, why) != HT_OK) {
    print_message("skipped: %s\n", ht_error_message());
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_vessels),
      cmocka_unit_test(test_pipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
