#include "validation/runs/jet_slab.h"
#include "solver/plan/collision_limits.h"
#include "validation/runs/periodic_box.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void place(const ht_jet_slab *jet, const int voxel[3], double *r, double out[2]) {
  for (int a = 0; a < 2; a++) out[a] = voxel[a] - 0.5 * (jet->n - 1);
  *r = hypot(out[0], out[1]);
  for (int a = 0; a < 2; a++) out[a] /= *r; /* the axis lies between nodes */
}

static void flow_at(const void *context, const int voxel[3], ht_box_flow *flow) {
  const ht_jet_slab *jet = context;
  double r, out[2], viscosity = jet->speed_lu / jet->cell_reynolds;
  place(jet, voxel, &r, out);
  double profile = tanh((r - jet->radius_lu) / jet->width_lu);
  double slope = -0.5 * jet->speed_lu * (1 - profile * profile) / jet->width_lu;
  flow->velocity[2] = 0.5 * jet->speed_lu * (1 - profile);
  for (int a = 0; a < 2; a++) flow->stress[4 + a] = viscosity * slope * out[a];
}

typedef struct {
  const ht_jet_slab *jet;
  double most, square, nodes;
  double part, weight; /* of cos 4 phi near the radius */
} measure;

static void add_node(void *user, const int voxel[3], const ht_box_flow *flow) {
  measure *m = user;
  double r, out[2], speed = hypot(flow->velocity[0], flow->velocity[1]);
  place(m->jet, voxel, &r, out);
  m->most = speed <= m->most ? m->most : speed; /* keeps a NAN */
  m->square += speed * speed;
  m->nodes++;
  if (fabs(r - m->jet->radius_lu) > m->jet->width_lu) return;
  /* Less the mean profile's slope, to which a ring of nodes has hardly a fourfold part. */
  double fourfold = 8 * pow(out[0], 4) - 8 * out[0] * out[0] + 1;
  double start = 0.5 * m->jet->speed_lu * (1 - tanh((r - m->jet->radius_lu) / m->jet->width_lu));
  m->part += fourfold * (flow->velocity[2] - start);
  m->weight += fourfold * fourfold;
}

ht_status ht_jet_slab_run(const ht_jet_slab *jet, ht_jet_slab_flow *flow) {
  ht_lattice_setup setup = {.tau = 0.5 + 3 * jet->speed_lu / jet->cell_reynolds,
                            .precision = jet->precision,
                            .collision = jet->collision,
                            .compressibility = jet->compressibility,
                            .device = jet->device,
                            .threads = jet->threads,
                            .corrects_diagonals =
                                ht_collision_has_jets(jet->collision, jet->cell_reynolds),
                            .periodic = {1, 1, 1}};
  ht_periodic_box box;
  measure m = {.jet = jet};
  ht_status status = ht_periodic_box_make((int[3]){jet->n, jet->n, 4}, NULL, &setup, &box);
  memset(flow, 0, sizeof *flow);
  if (status == HT_OK) {
    snprintf(flow->device, sizeof flow->device, "%s", ht_lattice_device(box.lattice));
    status = ht_periodic_box_begin(&box, flow_at, jet);
  }
  if (status == HT_OK) status = ht_lattice_step(box.lattice, jet->steps);
  if (status == HT_OK) status = ht_periodic_box_read(&box, add_node, &m);
  ht_periodic_box_free(&box);
  flow->across = m.most / jet->speed_lu;
  flow->across_rms = sqrt(m.square / m.nodes) / jet->speed_lu;
  flow->fourfold = 2 * m.part / m.weight / jet->speed_lu;
  if (status == HT_OK && !isfinite(flow->across_rms))
    return ht_fail(HT_ERR_DIVERGED, "jet slab: unstable after %lld steps", (long long)jet->steps);
  return status;
}
