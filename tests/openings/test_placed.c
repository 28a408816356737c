#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "place_flows.h"
#include "placed.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_placed written, placed;

static void test_round_trip(void **state) {
  (void)state;
  char file[] = "/tmp/hemotile-test-XXXXXX";
  int descriptor = mkstemp(file);
  assert_true(descriptor >= 0);
  close(descriptor);
  written.openings.count = 2;
  strcpy(written.mask_sha256, "abc");
  written.ignored = 3;
  for (int i = 0; i < 2; i++) {
    ht_opening *one = &written.openings.item[i];
    snprintf(one->name, sizeof one->name, "opening-%d", i);
    one->role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    for (int a = 0; a < 3; a++) one->centre_mm[a] = 1.0 / (3 + a + i), one->normal[a] = a - 0.1;
    one->direction[2] = 1;
    one->area_mm2 = 0.1 + i;
    one->radius_mm = 0.7;
    one->at_border = i;
    one->flow_ml_s = i ? 0 : 2.2;
    one->pressure_pa = i ? 7 : 0;
  }
  written.asked_cut[0] = 1;
  written.asked_normal[0][1] = 0.3;
  assert_int_equal(ht_placed_write(file, &written), HT_OK);
  assert_int_equal(ht_placed_read(file, &placed), HT_OK);
  assert_memory_equal(&placed, &written, sizeof placed);
  written.openings.item[1].centre_mm[2] = 1e300; /* no voxel's number */
  assert_int_equal(ht_placed_write(file, &written), HT_OK);
  assert_int_equal(ht_placed_read(file, &placed), HT_ERR_FORMAT);
  FILE *stream = fopen(file, "w");
  fputs("{\"openings\": [{\"name\": \"x\"}]}\n", stream);
  fclose(stream);
  assert_int_equal(ht_placed_read(file, &placed), HT_ERR_FORMAT);
  assert_int_equal(placed.openings.count, 0);
  unlink(file);
}

/* The relation's own figures: an internal carotid of 5 mm has about 2.4 mL/s. */
static void test_usual_flow(void **state) {
  (void)state;
  double area_mm2 = HT_PI * 2.5 * 2.5;
  double flow = ht_usual_flow_ml_s(area_mm2);
  assert_true(flow > 2.3 && flow < 2.5);
  double wide = ht_usual_flow_ml_s(100); /* 1 cm2 */
  assert_true(wide > 48.2 && wide < 48.22);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_usual_flow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
