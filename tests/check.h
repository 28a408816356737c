/* What every test in C includes first: cmocka with the headers that it needs, and comparisons of
 * numbers that print them. */
#ifndef HT_CHECK_H
#define HT_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

/* The begin of a test without a state. */
#define HT_TEST(name) static void name(__attribute__((unused)) void **state)

/* Fails, with both values and the bound, unless |got - wanted| <= bound; so also for a NaN. */
#define assert_near(got, wanted, bound) ht_check_near(got, wanted, bound, #got, __FILE__, __LINE__)

static inline void ht_check_near(double got, double wanted, double bound, const char *what,
                                 const char *file, int line) {
  if (fabs(got - wanted) <= bound) return;
  print_error("%s is %.17g, not within %g of %.17g\n", what, got, bound, wanted);
  _fail(file, line);
}

#endif
