/* The plane cavity with a sliding lid against Ghia, Ghia & Shin, J. Comput. Phys. 48 (1982) 387.
 * Built twice: the short one has Re 100, the long one (HT_LONG) the rest, in
 * fp32 on the GPU, or on all cores. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "plane_box.h"
#include <math.h>
#include <stdlib.h>

/* Table I: place on the vertical line x = 0.5, velocity along it for Re 100, 400, 1000. */
static const double table_u[][4] = {
    {0.9766, 0.84123, 0.75837, 0.65928},    {0.9688, 0.78871, 0.68439, 0.57492},
    {0.9609, 0.73722, 0.61756, 0.51117},    {0.9531, 0.68717, 0.55892, 0.46604},
    {0.8516, 0.23151, 0.29093, 0.33304},    {0.7344, 0.00332, 0.16256, 0.18719},
    {0.6172, -0.13641, 0.02135, 0.05702},   {0.5000, -0.20581, -0.11477, -0.06080},
    {0.4531, -0.21090, -0.17119, -0.10648}, {0.2813, -0.15662, -0.32726, -0.27805},
    {0.1719, -0.10150, -0.24299, -0.38289}, {0.1016, -0.06434, -0.14612, -0.29730},
    {0.0703, -0.04775, -0.10338, -0.22220}, {0.0625, -0.04192, -0.09266, -0.20196},
    {0.0547, -0.03717, -0.08186, -0.18109}};

/* Table II: the other velocity on the horizontal line y = 0.5; without 0.9063, whose value for Re
 * 400 is a known misprint. */
static const double table_v[][4] = {
    {0.9688, -0.05906, -0.12146, -0.21388}, {0.9609, -0.07391, -0.15663, -0.27669},
    {0.9531, -0.08864, -0.19254, -0.33714}, {0.9453, -0.10313, -0.22847, -0.39188},
    {0.8594, -0.22445, -0.44993, -0.42665}, {0.8047, -0.24533, -0.38598, -0.31966},
    {0.5000, 0.05454, 0.05186, 0.02526},    {0.2344, 0.17527, 0.30174, 0.32235},
    {0.2266, 0.17507, 0.30203, 0.33075},    {0.1563, 0.16077, 0.28124, 0.37095},
    {0.0938, 0.12317, 0.22965, 0.32627},    {0.0781, 0.10890, 0.20920, 0.30353},
    {0.0703, 0.10091, 0.19713, 0.29012},    {0.0625, 0.09233, 0.18360, 0.27485}};
enum { U_POINTS = sizeof table_u / sizeof *table_u, V_POINTS = sizeof table_v / sizeof *table_v };

/* Runs a cavity of n x n nodes (n odd, so that nodes lie on the middle lines) until the velocity
 * changes by less than `tolerance` a step. */
static plane_box run_cavity(int n, double reynolds, double lid, int model, double tolerance) {
  plane_box box = plane_box_make(n, n);
  ht_plane_port wall = plane_box_port(&box, 3, HT_PORT_MOVING_WALL);
  ht_plane_setup setup = plane_box_setup(&box, 0.5 + 3 * lid * n / reynolds);
  ht_lattice_monitor monitor;
  ht_plane *plane;
  wall.velocity_lu[0] = lid;
#ifdef HT_LONG
  setup.threads = 0; /* all */
  setup.device = HT_DEVICE_AUTO;
  setup.precision = HT_FP32;
#endif
  setup.collision = (ht_collision)(model / 2);
  setup.compressibility = (ht_compressibility)(model % 2);
  setup.ports = 1;
  setup.port = &wall;
  assert_int_equal(ht_plane_create(&setup, &plane), HT_OK);
  do {
    assert_int_equal(ht_plane_step(plane, 2000), HT_OK);
    assert_int_equal(ht_plane_watch(plane, &monitor), HT_OK);
    assert_true(monitor.max_speed < 1.1 * lid); /* and not NaN */
    assert_true(monitor.step < 10000000);
  } while (monitor.change > tolerance);
  ht_plane_fields fields = {box.density, box.velocity, box.stress};
  assert_int_equal(ht_plane_read(plane, &fields), HT_OK);
  print_message("Re %g, %d nodes, model %d: tau %.4f, %lld steps\n", reynolds, n, model, setup.tau,
                (long long)monitor.step);
  ht_plane_free(plane);
  return box;
}

/* A velocity component (over the lid's) on a middle line, linear between nodes. */
static double middle(const plane_box *box, double lid, int component, double place) {
  double at = place * box->nx - 0.5;
  int i = (int)floor(at), half = box->nx / 2;
  double value[2];
  for (int k = 0; k < 2; k++) {
    int node = component == 0 ? half + box->nx * (i + k) : i + k + box->nx * half;
    value[k] = box->velocity[2 * node + component] / lid;
  }
  return value[0] + (at - i) * (value[1] - value[0]);
}

static double rms(const plane_box *box, double lid, int column) {
  double sum = 0;
  for (int i = 0; i < U_POINTS; i++)
    sum += pow(middle(box, lid, 0, table_u[i][0]) - table_u[i][column], 2);
  for (int i = 0; i < V_POINTS; i++)
    sum += pow(middle(box, lid, 1, table_v[i][0]) - table_v[i][column], 2);
  return sqrt(sum / (U_POINTS + V_POINTS));
}

static void check_ghia(int n, int column, int model) {
  static const double reynolds[4] = {0, 100, 400, 1000};
  const double lid = 0.1;
  plane_box box = run_cavity(n, reynolds[column], lid, model, 2e-8);
  double error = rms(&box, lid, column);
  print_message("  RMS %.4f\n", error);
  assert_true(error <= 0.01);
  plane_box_free(&box);
}

#ifndef HT_LONG
static void test_re_100(void **unused) {
  (void)unused;
  check_ghia(65, 1, 0);
  check_ghia(65, 1, 3);
}
#else
static void test_all_models(void **unused) {
  (void)unused;
  for (int model = 0; model < 4; model++) check_ghia(129, 2, model);
}

static void test_re_1000(void **unused) {
  (void)unused;
  check_ghia(129, 3, 2);
  check_ghia(129, 3, 0);
}

/* The stream function in the middle of the main vortex, over lid and side. */
static double strongest(const plane_box *box, double lid) {
  double least = 0;
  for (int x = 0; x < box->nx; x++) {
    double stream = 0;
    for (int y = 0; y < box->ny; y++) {
      double u = box->velocity[2 * (x + box->nx * y)] / (lid * box->nx);
      if (stream + u / 2 < least) least = stream + u / 2;
      stream += u;
    }
  }
  return least;
}

/* MRT holds where the grid is coarse; table III has the stream function. Measured: 4.8 % and 4.7 %
 * low with 129 nodes, 3.3 % (Re 3200) with 193: the error of the grid, about first order. */
static void check_vortex(int n, double reynolds, double published) {
  const double lid = 0.1;
  plane_box box = run_cavity(n, reynolds, lid, 2, 4e-9); /* the core spins up slowly */
  double stream = strongest(&box, lid);
  print_message("  stream function %.5f, published %.5f\n", stream, published);
  assert_true(fabs(stream / published - 1) < 0.06);
  plane_box_free(&box);
}

static void test_high_reynolds(void **unused) {
  (void)unused;
  check_vortex(129, 3200, -0.120377);
  check_vortex(129, 5000, -0.118966);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifndef HT_LONG
      cmocka_unit_test(test_re_100),
#else
      cmocka_unit_test(test_all_models),
      cmocka_unit_test(test_re_1000),
      cmocka_unit_test(test_high_reynolds),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
