#include "tests/check.h"
#include "tests/bench/papers/plane/plane_box.h"

static void expect(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

plane_box plane_box_make(int nx, int ny) {
  plane_box box;
  expect(ht_rectangle_make(nx, ny, &box));
  return box;
}

void plane_box_free(plane_box *box) {
  ht_rectangle_free(box);
}

ht_plane_port plane_box_port(const plane_box *box, int side, ht_port_kind kind) {
  return ht_rectangle_port(box, side, kind);
}

ht_plane_setup plane_box_setup(const plane_box *box, double tau) {
  return ht_rectangle_setup(box, tau, HT_DEVICE_CPU, 1);
}

void plane_box_run(plane_box *box, const ht_plane_setup *setup, int64_t steps) {
  expect(ht_rectangle_begin(box, setup));
  expect(ht_plane_step(box->plane, steps));
  expect(ht_rectangle_read(box));
}
