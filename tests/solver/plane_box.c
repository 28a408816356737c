#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "plane_box.h"
#include <stdlib.h>
#include <string.h>

plane_box plane_box_make(int nx, int ny) {
  plane_box box = {.nx = nx, .ny = ny};
  size_t size = (size_t)nx * (size_t)ny;
  box.mask = malloc(size);
  memset(box.mask, 1, size);
  for (int side = 0; side < 4; side++) {
    int along_x = side >= 2, n = along_x ? nx : ny;
    box.edge_nodes[side] = n;
    box.edge[side] = malloc((size_t)n * sizeof(int64_t));
    for (int i = 0; i < n; i++) {
      int x = along_x ? i : side == 0 ? 0 : nx - 1, y = !along_x ? i : side == 2 ? 0 : ny - 1;
      box.edge[side][i] = x + (int64_t)nx * y;
    }
  }
  box.density = calloc(size, sizeof(double));
  box.velocity = calloc(2 * size, sizeof(double));
  box.stress = calloc(3 * size, sizeof(double));
  return box;
}

void plane_box_free(plane_box *box) {
  free(box->mask);
  for (int side = 0; side < 4; side++) free(box->edge[side]);
  free(box->density);
  free(box->velocity);
  free(box->stress);
}

ht_plane_port plane_box_port(const plane_box *box, int side, ht_port_kind kind) {
  return (ht_plane_port){.kind = kind,
                         .axis = side / 2,
                         .inward = side % 2 ? -1 : 1,
                         .nodes = box->edge_nodes[side],
                         .node = box->edge[side]};
}

ht_plane_setup plane_box_setup(const plane_box *box, double tau) {
  return (ht_plane_setup){.nx = box->nx,
                          .ny = box->ny,
                          .mask = box->mask,
                          .tau = tau,
                          .precision = HT_FP64,
                          .device = HT_DEVICE_CPU,
                          .threads = 1};
}

void plane_box_run(plane_box *box, const ht_plane_setup *setup, int64_t steps) {
  ht_plane *plane;
  if (ht_plane_create(setup, &plane) != HT_OK) fail_msg("%s", ht_error_message());
  assert_int_equal(ht_plane_step(plane, steps), HT_OK);
  ht_plane_fields fields = {box->density, box->velocity, box->stress};
  assert_int_equal(ht_plane_read(plane, &fields), HT_OK);
  ht_plane_free(plane);
}
