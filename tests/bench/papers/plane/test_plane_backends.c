/* Plane flows: the CUDA backend against the CPU backend on the same case. Skipped (77) where there
 * is no GPU. */
#include "tests/check.h"
#include "tests/bench/papers/plane/plane_box.h"
#include "tests/solver/common/chosen_device.h"
#include <stdlib.h>
#include <string.h>

/* Relative L2 difference of all fields after `steps` in two odd parts. */
static double difference(plane_box *box, ht_plane_setup *setup, int64_t steps) {
  size_t nodes = (size_t)box->nx * (size_t)box->ny;
  double *first = calloc(nodes, 6 * sizeof(double)), error = 0, size = 0;
  double *all[3] = {box->density, box->velocity, box->stress};
  for (int d = 0; d < 2; d++) {
    ht_plane *plane;
    setup->device = d ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
    if (ht_plane_create(setup, &plane) != HT_OK) fail_msg("%s", ht_error_message());
    assert_int_equal(ht_plane_step(plane, 137), HT_OK);
    assert_int_equal(ht_plane_step(plane, steps - 137), HT_OK);
    ht_plane_fields fields = {box->density, box->velocity, box->stress};
    assert_int_equal(ht_plane_read(plane, &fields), HT_OK);
    for (size_t k = 0, at = 0; k < 3; at += (k + 1) * nodes, k++)
      for (size_t i = 0; i < (k + 1) * nodes; i++) {
        if (d) error += pow(first[at + i] - all[k][i], 2), size += pow(first[at + i], 2);
        if (!d) first[at + i] = all[k][i];
      }
    ht_plane_free(plane);
  }
  free(first);
  assert_true(size > 0);
  return sqrt(error / size);
}

/* fp64 to 1e-12, fp32 to 1e-5: rounding differs (fused multiply-add), nothing else. fp16 rounds
 * what is stored to 11 bits at every step: 7e-4 from fp64 on the CPU. */
static void check_models(plane_box *box, ht_plane_setup *setup, const char *what) {
  static const double allowed[3] = {1e-5, 1e-12, 2e-3};
  static const char *const name[3] = {"fp32", "fp64", "fp16"};
  for (int model = 0; model < 4; model++)
    for (int precision = 0; precision < 3; precision++) {
      setup->collision = HT_MODEL_COLLISION(model);
      setup->compressibility = HT_MODEL_COMPRESSIBILITY(model);
      setup->precision = (ht_precision)precision;
      double error = difference(box, setup, 1000);
      print_message("%s, model %d, %s: %.2e\n", what, model, name[precision], error);
      assert_true(error <= allowed[precision]);
    }
}

static void add_disk(plane_box *box, double cx, double cy, double radius) {
  for (int y = 0; y < box->ny; y++)
    for (int x = 0; x < box->nx; x++)
      if (hypot(x - cx, y - cy) < radius) box->mask[x + box->nx * y] = 0;
}

/* Oblique inflow past a disk of solid tiles, out through a pressure edge, one wall sliding. */
static void test_channel(void **unused) {
  (void)unused;
  plane_box box = plane_box_make(131, 77);
  ht_plane_port port[3] = {plane_box_port(&box, 0, HT_PORT_VELOCITY),
                           plane_box_port(&box, 1, HT_PORT_PRESSURE),
                           plane_box_port(&box, 3, HT_PORT_MOVING_WALL)};
  add_disk(&box, 50, 40, 20);
  port[0].velocity_lu[0] = 0.04, port[0].velocity_lu[1] = 0.01;
  port[1].density_lu = 0.01;
  port[2].velocity_lu[0] = -0.03;
  ht_plane_setup setup = plane_box_setup(&box, 0.7);
  setup.ramp_steps = 200;
  setup.ports = 3;
  setup.port = port;
  check_models(&box, &setup, "channel");
  plane_box_free(&box);
}

/* Corners of ports all round a box, and no ramp. */
static void test_corners(void **unused) {
  (void)unused;
  plane_box box = plane_box_make(49, 36);
  ht_plane_port port[4];
  for (int side = 0; side < 4; side++) {
    port[side] = plane_box_port(&box, side, side % 2 ? HT_PORT_PRESSURE : HT_PORT_VELOCITY);
    port[side].velocity_lu[0] = 0.03, port[side].velocity_lu[1] = 0.01 * (side + 1);
    port[side].density_lu = 0.001 * side;
  }
  add_disk(&box, 20, 17, 6);
  ht_plane_setup setup = plane_box_setup(&box, 0.8);
  setup.ports = 4;
  setup.port = port;
  check_models(&box, &setup, "corners");
  plane_box_free(&box);
}

static void test_periodic(void **unused) {
  (void)unused;
  plane_box box = plane_box_make(64, 48);
  ht_plane_port wall = plane_box_port(&box, 2, HT_PORT_MOVING_WALL);
  add_disk(&box, 30, 30, 9);
  wall.velocity_lu[0] = 0.05;
  ht_plane_setup setup = plane_box_setup(&box, 0.6);
  setup.periodic[0] = 1;
  setup.noise_lu = 0.02;
  setup.ports = 1;
  setup.port = &wall;
  check_models(&box, &setup, "periodic");
  plane_box_free(&box);
}

int main(void) {
  ht_need_gpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_channel),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_periodic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
