/* The radius of a vessel without the bumps on its way. */
#include "tests/check.h"
#include "segment/openings/steady_radius.h"

enum { COUNT = 100 };

typedef struct {
  double along[COUNT], radius[COUNT], steady[COUNT];
} line;

static line make(double radius) {
  line l;
  for (int i = 0; i < COUNT; i++) l.along[i] = i, l.radius[i] = radius;
  return l;
}

static void set(line *l, int from, int to, double radius) {
  for (int i = from; i < to; i++) l->radius[i] = radius;
}

static void look(line *l) {
  ht_steady_radius(COUNT, l->along, l->radius, l->steady);
}

/* Shorter than three of its own diameters it is a bump, which three of the vessel's do not end. */
HT_TEST(bumps_drop_out) {
  line l = make(2);
  set(&l, 40, 55, 4);
  look(&l);
  for (int i = 0; i < COUNT; i++) {
    int is_bump = i >= 40 && i < 55;
    /* 14 long from the first to the last: a radius of 14 / 6 has three diameters of it. */
    assert_float_equal(l.steady[i], is_bump ? 14.0 / 6 : 2, 1e-12);
  }
}

HT_TEST(long_and_narrow_stretches_stay) {
  line l = make(3);
  set(&l, 20, 25, 1);
  set(&l, 50, 80, 4);
  look(&l);
  for (int i = 0; i < COUNT; i++) assert_float_equal(l.steady[i], l.radius[i], 1e-12);
}

/* A vessel that tapers, and one that is wide up to its end. */
HT_TEST(ends_count_as_long) {
  line l = make(2);
  set(&l, 96, COUNT, 5);
  look(&l);
  assert_float_equal(l.steady[COUNT - 1], 5, 1e-12);
  for (int i = 0; i < COUNT; i++) l.radius[i] = 10 - 0.09 * i;
  look(&l);
  for (int i = 0; i < COUNT; i++) assert_float_equal(l.steady[i], l.radius[i], 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bumps_drop_out),
                                     cmocka_unit_test(long_and_narrow_stretches_stay),
                                     cmocka_unit_test(ends_count_as_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
