#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cavity_run.h"
#include "voxel_fields.h"
#include <math.h>
#include <stdlib.h>

/* Steady where the velocity changes by no more than this while the lid goes once along the cavity;
 * what is left to go is then some ten times that. */
static const double steady = 1e-6;
enum { MOST_PASSES = 400 };

static void make(const ht_cavity *cavity, ht_cavity_flow *flow, ht_box *box) {
  int n = cavity->n, thick = cavity->kind == HT_CAVITY_CUBE ? n : 4;
  int64_t *voxel = calloc((size_t)n * (size_t)thick, sizeof *voxel);
  assert_non_null(voxel);
  for (int64_t i = 0; i < (int64_t)n * thick; i++)
    voxel[i] = i % n + n * ((n - 1) + (int64_t)n * (i / n));
  ht_lattice_port lid = {.kind = HT_PORT_MOVING_WALL,
                         .axis = 1,
                         .inward = -1,
                         .wall_lu = {cavity->lid_speed, 0, 0},
                         .nodes = (int64_t)n * thick,
                         .voxel = voxel};
  flow->tau = 0.5 + 3 * cavity->lid_speed * n / cavity->reynolds;
  ht_lattice_setup setup = {.tau = flow->tau,
                            .precision = cavity->precision,
                            .device = cavity->device,
                            .threads = 1,
                            .ports = 1,
                            .port = &lid};
  setup.periodic[2] = cavity->kind == HT_CAVITY_PLANE;
  ht_set_model(&setup, cavity->model);
  ht_box_make((int[3]){n, n, thick}, &setup, box);
  free(voxel);
}

/* The middle plane lies between nodes: the cubic through two on either side of it. */
static double *take_plane(const ht_cavity *cavity, const ht_box *box) {
  static const double weight[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
  size_t nodes = (size_t)cavity->n * (size_t)cavity->n;
  size_t first = cavity->kind == HT_CAVITY_CUBE ? (size_t)cavity->n / 2 - 2 : 0;
  double *state = ht_read_voxels(box->lattice, &box->tiling);
  double *plane = calloc(nodes, 2 * sizeof(double));
  assert_non_null(plane);
  for (size_t i = 0; i < nodes; i++)
    for (size_t k = 0; k < 4; k++)
      for (size_t a = 0; a < 2; a++)
        plane[2 * i + a] += weight[k] * state[4 * (i + nodes * (first + k)) + 1 + a];
  free(state);
  return plane;
}

void ht_cavity_run(const ht_cavity *cavity, ht_cavity_flow *flow) {
  ht_box box;
  ht_lattice_monitor monitor = {.change = 1};
  int64_t pass = (int64_t)ceil(cavity->n / cavity->lid_speed);
  make(cavity, flow, &box);
  flow->change = 1;
  for (int i = 0; i < MOST_PASSES && !(flow->change <= steady); i++) {
    assert_int_equal(ht_lattice_step(box.lattice, pass), HT_OK);
    assert_int_equal(ht_lattice_watch(box.lattice, &monitor), HT_OK);
    assert_true(isfinite(monitor.max_speed));
    flow->change = i ? monitor.change * (double)pass : 1;
  }
  flow->steps = monitor.step;
  flow->plane = (ht_cavity_plane){cavity->n, cavity->lid_speed, take_plane(cavity, &box)};
  ht_box_free(&box);
}
