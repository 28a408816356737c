/* When the GPU is started beside the stages before the solver. Here the memory of the CPU is asked
 * for, where there is no GPU. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "run_plan.h"
#include "side_work.h"
#include <stdlib.h>

static ht_case settings;

/* 1: the run has begun to wake it. */
static int wakes(ht_device device, ht_stage first, ht_stage last, int dry) {
  ht_case_defaults(&settings);
  settings.solver.device = device;
  ht_run run = {.settings = &settings, .first = first, .last = last, .dry = dry};
  ht_run_wake_gpu(&run);
  assert_int_equal(ht_side_work_wait(run.side), HT_OK);
  const int began = run.side != NULL;
  ht_side_work_free(run.side);
  return began;
}

static void only_a_run_that_solves_wakes_it(void **unused) {
  (void)unused;
  assert_true(wakes(HT_DEVICE_AUTO, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0));
  assert_true(wakes(HT_DEVICE_AUTO, HT_STAGE_SOLVE, HT_STAGE_SOLVE, 0));
  assert_false(wakes(HT_DEVICE_CPU, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0));
  assert_false(wakes(HT_DEVICE_AUTO, HT_STAGE_IMPORT, HT_STAGE_SEGMENT, 0));
  assert_false(wakes(HT_DEVICE_AUTO, HT_STAGE_EXPORT, HT_STAGE_EXPORT, 0));
  assert_false(wakes(HT_DEVICE_AUTO, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 1));
}

/* A case of a batch beside others on its GPU. */
static void one_of_several_on_a_gpu_does_not(void **unused) {
  (void)unused;
  setenv("HEMOTILE_WAKE", "late", 1);
  assert_false(wakes(HT_DEVICE_AUTO, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0));
  unsetenv("HEMOTILE_WAKE");
  assert_true(wakes(HT_DEVICE_AUTO, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_a_run_that_solves_wakes_it),
                                     cmocka_unit_test(one_of_several_on_a_gpu_does_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
