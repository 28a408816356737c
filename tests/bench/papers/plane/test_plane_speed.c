/* Speed of plane flows on a GPU, against a copy on the same device: a table, and that the large
 * cavity is bound by memory. Skipped (77) where there is no GPU. */
#include "tests/check.h"
#include "core/machine/clock.h"
#include "solver/copy_rate/copy_rate.h"
#include "tests/bench/papers/plane/plane_box.h"
#include "tests/solver/common/chosen_device.h"
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Bytes a second that the nodes' 9 values account for, read and written once a step: the median of
 * five repeats. */
static double cavity_rate(int n, ht_precision precision, int model, double *mflups,
                          ht_lattice_cost *cost) {
  plane_box box = plane_box_make(n, n);
  ht_plane_port lid = plane_box_port(&box, 3, HT_PORT_MOVING_WALL);
  ht_plane_setup setup = plane_box_setup(&box, 0.6);
  ht_plane *plane;
  double time[5], bytes = 2 * 9 * (precision == HT_FP64 ? 8 : precision == HT_FP32 ? 4 : 2);
  int64_t nodes = (int64_t)n * n, steps = (int64_t)2000000000 / nodes;
  lid.velocity_lu[0] = 0.1;
  setup.device = HT_DEVICE_CUDA;
  setup.precision = precision;
  setup.collision = HT_MODEL_COLLISION(model);
  setup.compressibility = HT_MODEL_COMPRESSIBILITY(model);
  setup.ports = 1;
  setup.port = &lid;
  if (ht_plane_create(&setup, &plane) != HT_OK) fail_msg("%s", ht_error_message());
  ht_plane_measure_cost(plane, cost);
  assert_int_equal(ht_plane_step(plane, steps / 5), HT_OK);
  for (int i = 0; i < 5; i++) {
    double begin = ht_clock_s();
    assert_int_equal(ht_plane_step(plane, steps), HT_OK);
    time[i] = ht_clock_s() - begin;
  }
  qsort(time, 5, sizeof *time, by_value);
  ht_plane_free(plane);
  plane_box_free(&box);
  *mflups = 1e-6 * (double)(nodes * steps) / time[2];
  return 1e6 * *mflups * bytes;
}

static void test_cavities(void **unused) {
  (void)unused;
  static const int side[4] = {256, 512, 1024, 4096};
  static const char *const name[3] = {"fp32", "fp64", "fp16"};
  double copy;
  assert_int_equal(ht_copy_rate(HT_DEVICE_CUDA, 0, (int64_t)4 << 30, &copy), HT_OK);
  print_message("copy %.0f GB/s\n", 1e-9 * copy);
  for (int precision = 0; precision < 3; precision++)
    for (int model = 0; model < 4; model += 3)
      for (int k = 0; k < 4; k++) {
        ht_lattice_cost cost;
        double mflups, rate = cavity_rate(side[k], (ht_precision)precision, model, &mflups, &cost);
        print_message("cavity %4d, %s, %s: %8.0f MFLUPS, %5.0f GB/s, %.3f of copy, %d registers, "
                      "occupancy %.2f\n",
                      side[k], name[precision], model ? "MRT quasi" : "LBGK inc.", mflups,
                      1e-9 * rate, rate / copy, cost.registers, cost.occupancy);
        if (side[k] == 4096 && precision != HT_FP16) assert_true(rate > 0.6 * copy);
      }
}

int main(void) {
  ht_need_gpu();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cavities)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
