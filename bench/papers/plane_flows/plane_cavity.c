#include "bench/papers/plane_flows/plane_cavity.h"
#include <stdio.h>
#include <string.h>

ht_status ht_plane_cavity_run(const ht_plane_cavity *cavity, ht_plane_cavity_flow *flow) {
  char note[64];
  memset(flow, 0, sizeof *flow);
  flow->tau = 0.5 + 3 * cavity->lid_speed * cavity->n / cavity->reynolds;
  HT_TRY(ht_rectangle_make(cavity->n, cavity->n, &flow->box));
  ht_plane_port lid = ht_rectangle_port(&flow->box, 3, HT_PORT_MOVING_WALL);
  lid.velocity_lu[0] = cavity->lid_speed;
  ht_plane_setup setup = ht_rectangle_setup(&flow->box, flow->tau, cavity->device, cavity->threads);
  setup.collision = cavity->collision;
  setup.compressibility = cavity->compressibility;
  setup.ports = 1;
  setup.port = &lid;
  HT_TRY(ht_rectangle_begin(&flow->box, &setup));
  snprintf(note, sizeof note, "plane cavity, Re %d, %d nodes", cavity->reynolds, cavity->n);
  const ht_rectangle_rest rest = {.tolerance = cavity->tolerance,
                                  .every = 2000,
                                  .most = 20000000,
                                  .fastest = 1.1 * cavity->lid_speed,
                                  .progress = cavity->progress,
                                  .note = note};
  HT_TRY(ht_rectangle_settle(&flow->box, &rest, &flow->steps));
  flow->plane = (ht_cavity_plane){cavity->n, cavity->lid_speed, flow->box.velocity};
  return ht_rectangle_read(&flow->box);
}

void ht_plane_cavity_free(ht_plane_cavity_flow *flow) {
  if (flow) ht_rectangle_free(&flow->box);
}

double ht_plane_cavity_vortex(const ht_plane_cavity_flow *flow) {
  const ht_rectangle *box = &flow->box;
  double least = 0;
  for (int x = 0; x < box->nx; x++) {
    double stream = 0;
    for (int y = 0; y < box->ny; y++) {
      double u = box->velocity[2 * (x + box->nx * y)] / (flow->plane.lid_speed * box->nx);
      if (stream + u / 2 < least) least = stream + u / 2;
      stream += u;
    }
  }
  return least;
}
