/* Poiseuille flow in a pipe of 24 nodes across, along each of the six axis directions. */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/solver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 24, LENGTH = 40 };
static const double spacing_mm = 0.2, pi = HT_PI;

typedef struct {
  double error;     /* relative L2 error of the axial velocity in the middle plane */
  double slope;     /* pressure gradient over that of Poiseuille */
  double imbalance; /* (in - out) / in */
  float *axial;     /* [ACROSS+2][ACROSS+2] of the middle plane, m/s */
} pipe_result;

/* Nodes 1 .. LENGTH along the pipe, counted from the inlet. */
static int plane_at(int from_inlet, int sign) {
  return sign > 0 ? from_inlet : LENGTH + 1 - from_inlet;
}

/* Axial velocity against the paraboloid that carries the same flow through the nominal radius. */
static void compare(const ht_flow *flow, int axis, int sign, double flow_ml_s,
                    pipe_result *result) {
  const int *dim = flow->grid.dim;
  double radius = 0.5 * ACROSS * spacing_mm, peak = 2 * flow_ml_s / (pi * radius * radius);
  double error2 = 0, size2 = 0;
  for (int j = 0; j < ACROSS + 2; j++) {
    for (int i = 0; i < ACROSS + 2; i++) {
      int at[3];
      at[axis] = plane_at(LENGTH / 2, sign), at[(axis + 1) % 3] = i, at[(axis + 2) % 3] = j;
      int64_t v = at[0] + dim[0] * (at[1] + (int64_t)dim[1] * at[2]);
      int node = ht_flow_node(flow, v);
      if (node < 0) continue;
      double a = (i - 0.5 * (ACROSS + 1)) * spacing_mm, b = (j - 0.5 * (ACROSS + 1)) * spacing_mm;
      double exact = peak * (1 - (a * a + b * b) / (radius * radius));
      double got = sign * flow->velocity_m_s[3 * (int64_t)node + axis];
      result->axial[j * (ACROSS + 2) + i] = (float)got;
      error2 += (got - exact) * (got - exact);
      size2 += exact * exact;
    }
  }
  result->error = sqrt(error2 / size2);
}

static double mean_pressure(const ht_flow *flow, int axis, int plane) {
  const int *dim = flow->grid.dim;
  double sum = 0, count = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    if (at[axis] != plane || ht_flow_node(flow, v) < 0) continue;
    sum += flow->pressure_pa[ht_flow_node(flow, v)];
    count++;
  }
  return sum / count;
}

static void run_pipe(int axis, int sign, ht_precision precision, int64_t steps,
                     pipe_result *result) {
  double flow_ml_s = 0.5, radius = 0.5e-3 * ACROSS * spacing_mm;
  ht_domain domain;
  ht_tiling tiling;
  ht_flow flow;
  ht_flow_stats stats;
  ht_solver_options options;
  ht_solver_defaults(&options);
  options.precision = precision;
  options.device = HT_DEVICE_CPU;
  options.max_steps = steps;
  options.stop_at_max_steps = 1;
  assert_int_equal(ht_pipe_domain(ACROSS, LENGTH, axis, sign, spacing_mm, flow_ml_s, &domain),
                   HT_OK);
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  ht_status status = ht_solve(&domain, &tiling, &options, NULL, &flow, &stats);
  if (status != HT_OK) print_message("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  result->axial = calloc((ACROSS + 2) * (ACROSS + 2), sizeof(float));
  compare(&flow, axis, sign, flow_ml_s, result);
  double drop = mean_pressure(&flow, axis, plane_at(LENGTH / 4, sign)) -
                mean_pressure(&flow, axis, plane_at(3 * LENGTH / 4, sign));
  double exact = 8 * options.viscosity_pa_s * flow_ml_s * 1e-6 / (pi * pow(radius, 4));
  result->slope = drop / (LENGTH / 2 * spacing_mm * 1e-3) / exact;
  result->imbalance = stats.mass_imbalance;
  print_message("axis %d sign %+d: L2 error %.4f, pressure gradient / exact %.4f, mass %.2e, tau "
                "%.4f, change %.1e, %s\n",
                axis, sign, result->error, result->slope, stats.mass_imbalance, stats.tau,
                stats.steady_change, stats.device);
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

/* Steps to the steady flow; and enough steps that one direction's flow is not another's by
 * chance. */
enum { STEADY = 4000, BEGUN = 300 };

/* The bar of the main job: relative L2 error <= 3 % at 24 nodes across; the pressure gradient goes
 * with the fourth power of the effective radius, so 6 % there says as much. */
static void test_poiseuille(void **unused) {
  (void)unused;
  pipe_result twice = {0}, single = {0};
  run_pipe(0, 1, HT_FP64, STEADY, &twice);
  assert_true(twice.error <= 0.03);
  assert_near(twice.slope, 1, 0.08);
  assert_near(twice.imbalance, 0, 1e-3);
  run_pipe(2, 1, HT_FP32, STEADY, &single);
  /* fp32 with shifted distribution functions: a part in a thousand of the error bar. */
  assert_near(single.error, twice.error, 1e-3);
  free(single.axial);
  free(twice.axial);
}

static void test_every_axis(void **unused) {
  (void)unused;
  pipe_result first = {0}, other = {0};
  run_pipe(0, 1, HT_FP64, BEGUN, &first);
  assert_true(first.error < 0.5); /* it flows */
  for (int axis = 0; axis < 3; axis++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      if (axis == 0 && sign == 1) continue; /* the first */
      run_pipe(axis, sign, HT_FP64, BEGUN, &other);
      /* The other flow is the same to rounding: the fields are float, so an ulp of the peak. */
      for (int n = 0; n < (ACROSS + 2) * (ACROSS + 2); n++)
        assert_true(fabsf(other.axial[n] - first.axial[n]) <=
                    3e-7f * first.axial[(ACROSS + 2) * (ACROSS / 2) + ACROSS / 2]);
      assert_near(other.error, first.error, 1e-6);
      free(other.axial);
    }
  }
  free(first.axial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_poiseuille),
      cmocka_unit_test(test_every_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
