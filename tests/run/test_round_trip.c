#define _DEFAULT_SOURCE
/* Checks that the program reads back what it writes at the same place: mask.nii.gz is edited and
 * read again. */
#include "tests/check.h"
#include "export/export.h"
#include "import/import.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes a grid turned about z, x and z by the angles. */
static ht_grid turned(double a, double b, double c) {
  ht_grid grid = ht_grid_make(20, 20, 10);
  double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
  double direction[3][3] = {{ca * cc - sa * cb * sc, -ca * sc - sa * cb * cc, sa * sb},
                            {sa * cc + ca * cb * sc, -sa * sc + ca * cb * cc, -ca * sb},
                            {sb * sc, sb * cc, cb}};
  for (int r = 0; r < 3; r++) {
    grid.spacing_mm[r] = 10; /* far corners, few voxels */
    grid.origin_mm[r] = -170.3 + 40 * r;
    for (int k = 0; k < 3; k++) grid.direction[r][k] = direction[r][k];
  }
  return grid;
}

static double round_trip_mm(const char *path, const ht_grid *grid) {
  ht_mask mask, back;
  double most = 0, far[3] = {19, 19, 9}, p[3], q[3];
  assert_int_equal(ht_mask_alloc(grid, &mask), HT_OK);
  mask.inside[7] = 1;
  assert_int_equal(ht_export_mask(path, &mask), HT_OK);
  assert_int_equal(ht_import_mask(path, &back), HT_OK);
  assert_int_equal(back.inside[7], 1);
  assert_int_equal(ht_mask_count(&back), 1);
  ht_grid_position(grid, far, p);
  ht_grid_position(&back.grid, far, q);
  for (int r = 0; r < 3; r++) most = fmax(most, fabs(p[r] - q[r]));
  ht_mask_free(&mask);
  ht_mask_free(&back);
  return most;
}

/* NIfTI holds places as float: 1e-4 mm. Hardest are angles near, not at, the body's axes. */
static void test_positions(void **unused) {
  (void)unused;
  char folder[] = "/tmp/hemotile-test-XXXXXX", path[64];
  double worst = 0;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/mask.nii.gz", folder);
  for (int n = 0; n < 1000; n++) {
    double a = pow(10, -5 + 5.0 * (n % 53) / 53), b = pow(10, -5 + 5.0 * (n % 59) / 59);
    ht_grid grid = turned(n % 3 ? a : -a, n % 2 ? b : -b, n % 5 ? -a * 0.9 : a);
    worst = fmax(worst, round_trip_mm(path, &grid));
  }
  print_message("far corner at most %.1e mm off\n", worst);
  unlink(path);
  rmdir(folder);
  assert_true(worst <= 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
