/* CPU against CUDA on a whole case: the domain of a case folder that `hemotile segment` has made.
 * HEMOTILE_CASE: the folder. Skipped (77) where it is not set or there is no GPU. */
#include "tests/check.h"
#include "tests/solver/common/compare_backends.h"
#include "run/run.h"
#include "tests/solver/common/chosen_device.h"
#include "run/inputs/load_inputs.h"
#include <stdlib.h>

/* Checks that fp64 is equal to 1e-10 relative after 500 steps. */
static void test_case(void **unused) {
  (void)unused;
  ht_case *settings = NULL;
  ht_run *run;
  assert_int_equal(ht_run_open(getenv("HEMOTILE_CASE"), &settings), HT_OK);
  ht_status status =
      ht_run_begin(settings, getenv("HEMOTILE_CASE"), HT_STAGE_TILE, HT_STAGE_SOLVE, 0, &run);
  if (status == HT_OK) status = ht_need_domain(run);
  if (status != HT_OK) print_message("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  double twice = ht_compare_domain(&run->domain, HT_FP64, 0.52, 0.02, 500);
  double single = ht_compare_domain(&run->domain, HT_FP32, 0.52, 0.02, 500);
  print_message("%lld fluid nodes, %d ports: relative difference fp64 %.2e, fp32 %.2e\n",
                (long long)ht_mask_count(&run->domain.mask), run->domain.ports, twice, single);
  assert_true(twice <= 1e-10);
  assert_true(single <= 1e-4);
  ht_run_free(run);
}

int main(void) {
  if (!getenv("HEMOTILE_CASE")) {
    print_message("skipped: HEMOTILE_CASE is not set\n");
    return 77;
  }
  ht_need_gpu();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_case)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
