/* Numbers as DICOM writes them: at most 16 characters, as near as these can be. */
#include "tests/check.h"
#include "core/formats/decimal_string.h"
#include <stdlib.h>
#include <string.h>

static void expect(double value, const char *text) {
  char is[HT_DECIMAL_STRING];
  ht_decimal_string(value, is);
  assert_string_equal(is, text);
}

static void test_exact(void **unused) {
  (void)unused;
  expect(0, "0");
  expect(-0.0, "0");
  expect(0.5, "0.5");
  expect(-1024, "-1024");
}

static void test_rounded(void **unused) {
  (void)unused;
  expect(1 / 3.0, "0.33333333333333");
  expect(-1 / 3.0, "-0.3333333333333");
  expect(-1e-300 / 3, "-3.33333333e-301");
}

/* The longest that there are: a sign, a point, and an exponent of three digits. */
static void test_fits(void **unused) {
  (void)unused;
  char text[HT_DECIMAL_STRING];
  for (int power = -300; power <= 300; power++) {
    const double value = -pow(10, power) * 1.2345678901234567;
    ht_decimal_string(value, text);
    assert_true(strlen(text) <= 16);
    assert_near(strtod(text, NULL), value, 1e-8 * fabs(value));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_rounded),
      cmocka_unit_test(test_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
