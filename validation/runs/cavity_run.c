#include "validation/runs/cavity_run.h"
#include "phantom/geometry.h"
#include "validation/runs/lattice_voxels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steady when the velocity changes by at most this while the lid moves once along the cavity; the
 * distance from the final state is then about ten times that. */
static const double steady = 1e-6;
enum { MOST_PASSES = 400 };

typedef struct {
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice *lattice;
  int64_t *voxel; /* next to the lid */
} box;

static void free_box(box *b) {
  ht_lattice_free(b->lattice);
  ht_tiling_free(&b->tiling);
  ht_mask_free(&b->mask);
  free(b->voxel);
}

static ht_status make(const ht_cavity *cavity, double tau, box *b) {
  int n = cavity->n, thick = cavity->kind == HT_CAVITY_CUBE ? n : 4;
  const ht_tiling_options at_corner = {.fixed_origin = 1}; /* 0 0 0: periodic axes need it */
  HT_TRY(ht_geometry_box((int[3]){n, n, thick}, &b->mask));
  HT_TRY(ht_tiling_build(&b->mask, &at_corner, &b->tiling));
  HT_TRY(ht_alloc((void **)&b->voxel, (size_t)n * (size_t)thick, sizeof(int64_t), "the lid"));
  for (int64_t i = 0; i < (int64_t)n * thick; i++)
    b->voxel[i] = i % n + n * ((n - 1) + (int64_t)n * (i / n));
  const ht_lattice_port lid = {.kind = HT_PORT_MOVING_WALL,
                               .axis = 1,
                               .inward = -1,
                               .wall_lu = {cavity->lid_speed, 0, 0},
                               .nodes = (int64_t)n * thick,
                               .voxel = b->voxel};
  ht_lattice_setup setup = {.tiling = &b->tiling,
                            .tau = tau,
                            .precision = cavity->precision,
                            .collision = cavity->collision,
                            .compressibility = cavity->compressibility,
                            .device = cavity->device,
                            .threads = cavity->threads,
                            .ports = 1,
                            .port = &lid};
  setup.periodic[2] = cavity->kind == HT_CAVITY_PLANE;
  return ht_lattice_create(&setup, &b->lattice);
}

/* The middle plane lies between nodes: the cubic through two on either side of it. */
static ht_status take_plane(const ht_cavity *cavity, const box *b, double **plane) {
  static const double weight[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
  size_t nodes = (size_t)cavity->n * (size_t)cavity->n;
  size_t first = cavity->kind == HT_CAVITY_CUBE ? (size_t)cavity->n / 2 - 2 : 0;
  double *state;
  HT_TRY(ht_alloc((void **)plane, nodes, 2 * sizeof(double), "the middle plane"));
  HT_TRY(ht_lattice_voxels(b->lattice, &b->tiling, &state));
  for (size_t i = 0; i < nodes; i++)
    for (size_t k = 0; k < 4; k++)
      for (size_t a = 0; a < 2; a++)
        (*plane)[2 * i + a] += weight[k] * state[4 * (i + nodes * (first + k)) + 1 + a];
  free(state);
  return HT_OK;
}

static ht_status settle(const ht_cavity *cavity, ht_lattice *lattice, ht_cavity_flow *flow) {
  ht_lattice_monitor seen = {.change = 1};
  int64_t pass = (int64_t)ceil(cavity->n / cavity->lid_speed);
  char note[64];
  snprintf(note, sizeof note, "cavity, Re %d, %d nodes", cavity->reynolds, cavity->n);
  flow->change = 1;
  for (int i = 0; i < MOST_PASSES && !(flow->change <= steady); i++) {
    HT_TRY(ht_progress_report(cavity->progress, "validate", i, MOST_PASSES, note));
    HT_TRY(ht_lattice_step(lattice, pass));
    HT_TRY(ht_lattice_watch(lattice, &seen));
    if (!isfinite(seen.max_speed))
      return ht_fail(HT_ERR_DIVERGED, "%s: unstable after %lld steps", note, (long long)seen.step);
    flow->change = i ? seen.change * (double)pass : 1;
  }
  flow->steps = seen.step;
  return HT_OK;
}

ht_status ht_cavity_run(const ht_cavity *cavity, ht_cavity_flow *flow) {
  ht_status status = HT_OK;
  box b = {0};
  memset(flow, 0, sizeof *flow);
  flow->tau = 0.5 + 3 * cavity->lid_speed * cavity->n / cavity->reynolds;
  HT_TRY_DONE(make(cavity, flow->tau, &b));
  snprintf(flow->device, sizeof flow->device, "%s", ht_lattice_device(b.lattice));
  HT_TRY_DONE(settle(cavity, b.lattice, flow));
  HT_TRY_DONE(take_plane(cavity, &b, &flow->velocity));
  flow->plane = (ht_cavity_plane){cavity->n, cavity->lid_speed, flow->velocity};
done:
  free_box(&b);
  return status;
}

void ht_cavity_free(ht_cavity_flow *flow) {
  if (!flow) return;
  free(flow->velocity);
  memset(flow, 0, sizeof *flow);
}
