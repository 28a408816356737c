/* A manifest's grid is taken whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "manifest.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ht_manifest manifest;

static int first_dim_of(const char *dim) {
  char file[] = "/tmp/hemotile-test-XXXXXX";
  int descriptor = mkstemp(file);
  assert_true(descriptor >= 0);
  FILE *stream = fdopen(descriptor, "w");
  assert_non_null(stream);
  fprintf(stream,
          "{\"mask_grid\": {\"dim\": [3, %s, 3], \"spacing_mm\": [1, 1, 1], "
          "\"origin_mm\": [0, 0, 0], \"direction\": [1, 0, 0, 0, 1, 0, 0, 0, 1]}}\n",
          dim);
  fclose(stream);
  assert_int_equal(ht_manifest_read(file, &manifest), HT_OK);
  unlink(file);
  return manifest.mask_grid.dim[0];
}

static void test_grid(void **state) {
  (void)state;
  static const char *const wrong[] = {"6e71", "-6e71", "3e9", "2.5", "0", "null", "x"};
  assert_int_equal(first_dim_of("4"), 3);
  assert_int_equal(manifest.mask_grid.dim[1], 4);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (first_dim_of(wrong[i]) != 0) fail_msg("dim %s was taken", wrong[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
