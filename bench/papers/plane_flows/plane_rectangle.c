#include "bench/papers/plane_flows/plane_rectangle.h"
#include <stdlib.h>
#include <string.h>

static ht_status make_edge(ht_rectangle *r, int side) {
  int along_x = side >= 2, nx = r->nx, ny = r->ny, n = along_x ? nx : ny;
  HT_TRY(ht_alloc((void **)&r->edge[side], (size_t)n, sizeof(int64_t), "an edge"));
  r->edge_nodes[side] = n;
  for (int i = 0; i < n; i++) {
    int x = along_x ? i : side == 0 ? 0 : nx - 1, y = !along_x ? i : side == 2 ? 0 : ny - 1;
    r->edge[side][i] = x + (int64_t)nx * y;
  }
  return HT_OK;
}

static ht_status allocate(ht_rectangle *r) {
  size_t size = (size_t)r->nx * (size_t)r->ny;
  HT_TRY(ht_alloc((void **)&r->mask, size, 1, "the mask"));
  memset(r->mask, 1, size);
  for (int side = 0; side < 4; side++) HT_TRY(make_edge(r, side));
  HT_TRY(ht_alloc((void **)&r->density, size, sizeof(double), "the density"));
  HT_TRY(ht_alloc((void **)&r->velocity, 2 * size, sizeof(double), "the velocity"));
  return ht_alloc((void **)&r->stress, 3 * size, sizeof(double), "the stress");
}

ht_status ht_rectangle_make(int nx, int ny, ht_rectangle *rectangle) {
  *rectangle = (ht_rectangle){.nx = nx, .ny = ny};
  ht_status status = allocate(rectangle);
  if (status != HT_OK) ht_rectangle_free(rectangle);
  return status;
}

void ht_rectangle_free(ht_rectangle *rectangle) {
  if (!rectangle) return;
  ht_plane_free(rectangle->plane);
  free(rectangle->mask);
  for (int side = 0; side < 4; side++) free(rectangle->edge[side]);
  free(rectangle->density);
  free(rectangle->velocity);
  free(rectangle->stress);
  memset(rectangle, 0, sizeof *rectangle);
}

ht_plane_port ht_rectangle_port(const ht_rectangle *rectangle, int side, ht_port_kind kind) {
  return (ht_plane_port){.kind = kind,
                         .axis = side / 2,
                         .inward = side % 2 ? -1 : 1,
                         .nodes = rectangle->edge_nodes[side],
                         .node = rectangle->edge[side]};
}

ht_plane_setup ht_rectangle_setup(const ht_rectangle *rectangle, double tau, ht_device device,
                                  int threads) {
  return (ht_plane_setup){.nx = rectangle->nx,
                          .ny = rectangle->ny,
                          .mask = rectangle->mask,
                          .tau = tau,
                          .precision = HT_FP64,
                          .device = device,
                          .threads = threads};
}

ht_status ht_rectangle_begin(ht_rectangle *rectangle, const ht_plane_setup *setup) {
  ht_plane_free(rectangle->plane);
  rectangle->plane = NULL;
  return ht_plane_create(setup, &rectangle->plane);
}

ht_status ht_rectangle_read(ht_rectangle *rectangle) {
  ht_plane_fields fields = {rectangle->density, rectangle->velocity, rectangle->stress};
  return ht_plane_read(rectangle->plane, &fields);
}

ht_status ht_rectangle_settle(ht_rectangle *rectangle, const ht_rectangle_rest *rest,
                              int64_t *steps) {
  ht_lattice_monitor seen = {.change = 1};
  while (seen.change > rest->tolerance || seen.step < rest->least) {
    if (seen.step >= rest->most)
      return ht_fail(HT_ERR_NOT_STEADY, "%s: after %lld steps the velocity still changes by %.1e",
                     rest->note, (long long)seen.step, seen.change);
    HT_TRY(ht_progress_report(rest->progress, "validate", (double)seen.step, 0, rest->note));
    HT_TRY(ht_plane_step(rectangle->plane, rest->every));
    HT_TRY(ht_plane_watch(rectangle->plane, &seen));
    if (!(seen.max_speed <= rest->fastest))
      return ht_fail(HT_ERR_DIVERGED, "%s: after %lld steps the speed is %g", rest->note,
                     (long long)seen.step, seen.max_speed);
  }
  if (steps) *steps = seen.step;
  return HT_OK;
}
