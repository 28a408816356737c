/* The learned network on a GPU: as on the CPU within rounding, whole and in strips; where there is
 * none, the CPU takes over and says why. */
#include "tests/check.h"
#include "tests/segment/learned/small_network.h"
#include "segment/learned/learned.h"
#include "segment/learned/work.h"
#include <stdlib.h>
#include <string.h>

static char name[128], why[256];

static void apply(const ht_learned_weights *weights, const ht_volume *scan,
                  ht_learned_device device, double most_bytes, float *raw, ht_learned *found) {
  const ht_learned_options options = {.device = device, .threads = 1, .most_bytes = most_bytes};
  assert_int_equal(ht_learned_apply(weights, scan, &options, raw, found), HT_OK);
  assert_int_equal(found->on_gpu, device == HT_LEARNED_CUDA);
}

static void check_weights(const ht_learned_weights *weights) {
  ht_volume scan = small_scan(37, 150, 11);
  const int64_t voxels = ht_grid_voxels(&scan.grid), count = 5 * voxels;
  float *cpu = malloc(count * sizeof *cpu), *gpu = malloc(count * sizeof *gpu),
        *strips = malloc(count * sizeof *gpu);
  ht_learned on_cpu, on_gpu, in_strips;
  apply(weights, &scan, HT_LEARNED_CPU, 0, cpu, &on_cpu);
  apply(weights, &scan, HT_LEARNED_CUDA, 0, gpu, &on_gpu);
  apply(weights, &scan, HT_LEARNED_CUDA, 0.95 * on_gpu.peak_bytes, strips, &in_strips);
  for (int64_t n = 0; n < count; n++) assert_near(gpu[n], cpu[n], 1e-3);
  assert_memory_equal(gpu, strips, count * sizeof *gpu);
  for (int64_t n = 0; n < 3 * voxels; n++) assert_near(on_gpu.artery[n], on_cpu.artery[n], 1);
  for (int64_t n = 0; n < voxels; n++) assert_near(on_gpu.distance[n], on_cpu.distance[n], 1);
  ht_learned_free(&on_cpu), ht_learned_free(&on_gpu), ht_learned_free(&in_strips);
  ht_volume_free(&scan);
  free(cpu), free(gpu), free(strips);
}

HT_TEST(the_gpu_agrees) {
  size_t count;
  ht_learned_weights weights;
  unsigned char *file = small_network_file(&count);
  if (!name[0]) skip();
  assert_int_equal(ht_learned_weights_decode(file, count, "small", &weights), HT_OK);
  check_weights(&weights);
  ht_learned_weights_free(&weights);
  assert_int_equal(ht_learned_weights_own(&weights), HT_OK);
  check_weights(&weights);
  ht_learned_weights_free(&weights);
  free(file);
}

HT_TEST(the_cpu_takes_over) {
  ht_volume scan = small_scan(8, 8, 8);
  ht_learned found;
  const ht_learned_options automatic = {.threads = 1}, cuda = {.device = HT_LEARNED_CUDA};
  if (name[0]) skip();
  assert_int_equal(ht_learned_find(&scan, &automatic, &found), HT_OK);
  assert_string_equal(found.why_cpu, why);
  assert_false(found.on_gpu);
  ht_learned_free(&found);
  assert_int_equal(ht_learned_find(&scan, &cuda, &found), HT_ERR_DEVICE);
  assert_non_null(strstr(ht_error_message(), why));
  ht_volume_free(&scan);
}

int main(void) {
  double free_bytes;
  ht_learned_cuda_find(name, why, &free_bytes);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_gpu_agrees),
                                     cmocka_unit_test(the_cpu_takes_over)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed ? failed : name[0] ? 0 : 77;
}
