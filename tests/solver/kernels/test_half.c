/* Half precision against exact arithmetic. Built twice on x86: with and without F16C. */
#include "solver/cpu/cpu_rows.h"
#include "tests/check.h"
#include "solver/kernels/half.h"
#include <float.h>

/* Value of a finite binary16, from the format's definition. */
static double exact(ht_half half) {
  int exponent = (half >> 10) & 31, fraction = half & 0x3ff;
  double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return half & 0x8000 ? -size : size;
}

static int is_nan_bits(ht_half half) {
  return (half & 0x7fff) > 0x7c00;
}

/* The nearest binary16, the even one of two: found among all by bisection, slow and plain. */
static ht_half nearest(float value) {
  ht_half sign = signbit(value) ? 0x8000 : 0;
  double size = fabs((double)value);
  if (size >= 65520) return sign | 0x7c00; /* half way from the largest, 65504, to 2^16 */
  int below = 0, above = 0x7c00;           /* exact(below) <= size < exact(above) */
  while (above - below > 1) {
    int middle = (below + above) / 2;
    if (exact((ht_half)middle) <= size)
      below = middle;
    else
      above = middle;
  }
  double down = size - exact((ht_half)below), up = exact((ht_half)above) - size;
  int chosen = down < up || (down == up && below % 2 == 0) ? below : above;
  return (ht_half)(sign | chosen);
}

static void check(float value) {
  assert_int_equal(ht_half_from_float_c(value), nearest(value));
  assert_int_equal(ht_half_from_float(value), nearest(value));
}

static void convert_every_code(void) {
  for (int code = 0; code < 65536; code++) {
    ht_half half = (ht_half)code;
    float slow = ht_half_to_float_c(half), fast = ht_half_to_float(half);
    if (is_nan_bits(half)) {
      assert_true(isnan(slow) && isnan(fast));
      assert_true(is_nan_bits(ht_half_from_float_c(slow)) && is_nan_bits(ht_half_from_float(fast)));
      continue;
    }
    assert_true(slow == fast && !signbit(slow) == !signbit(fast));
    if ((half & 0x7fff) == 0x7c00)
      assert_true(isinf(slow));
    else
      assert_true(slow == exact(half));
    assert_int_equal(ht_half_from_float_c(slow), half);
    assert_int_equal(ht_half_from_float(slow), half);
    if (half == 0x8000) assert_true(signbit(slow));
  }
}

/* Also where the CPU takes subnormal floats as 0, as it does in a step. */
HT_TEST(every_code_there_and_back) {
  convert_every_code();
  const unsigned before = ht_drop_denormals();
  convert_every_code();
  ht_keep_denormals(before);
}

/* Half way between any two neighbours, and one float to either side of that. */
HT_TEST(ties) {
  for (int code = 0; code < 0x7bff; code++) {
    float middle = (float)((exact((ht_half)code) + exact((ht_half)(code + 1))) / 2);
    for (int sign = -1; sign <= 1; sign += 2) {
      check((float)sign * middle);
      check((float)sign * nextafterf(middle, 0));
      check((float)sign * nextafterf(middle, FLT_MAX));
    }
  }
}

HT_TEST(any_float) {
  uint64_t random = 7;
  for (int i = 0; i < 1000000; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(random >> 32);
    if (i % 2) bits = (bits & 0x80ffffff) | (uint32_t)(96 + (bits >> 24) % 50) << 23; /* in range */
    float value;
    memcpy(&value, &bits, sizeof(value));
    if (!isnan(value)) check(value);
  }
}

HT_TEST(ends_of_the_range) {
  const float values[] = {0.0f,     -0.0f,        FLT_TRUE_MIN, FLT_MIN,  0x1p-25f, 0x1.000002p-25f,
                          0x1p-24f, 0x1.ffcp-15f, 0x1.ffep-15f, 0x1p-14f, 65504.0f, 65519.996f,
                          65520.0f, 65536.0f,     FLT_MAX,      INFINITY};
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    check(values[i]);
    check(-values[i]);
  }
  assert_true(is_nan_bits(ht_half_from_float_c(NAN)) && is_nan_bits(ht_half_from_float(NAN)));
  const uint32_t low = 0x7f800001; /* signalling, nothing in the bits that are kept */
  float signalling;
  memcpy(&signalling, &low, sizeof(low));
  assert_int_equal(ht_half_from_float_c(signalling), 0x7e00);
  assert_true(is_nan_bits(ht_half_from_float(signalling)));
  assert_true(is_nan_bits(ht_half_from_float_c(-NAN)) && is_nan_bits(ht_half_from_float(-NAN)));
}

/* Precision as distribution functions: 11 bits between 2^-29 and 2, multiples of 2^-39 below. */
HT_TEST(distribution_functions) {
  assert_true(ht_half_load(ht_half_store(1.999f)) == 1.9990234375f);
  assert_true(isinf(ht_half_load(ht_half_store(2.0f))));
  assert_true(isnan(ht_half_load(ht_half_store(NAN))));
  assert_true(ht_half_store(0) == 0 && ht_half_load(0) == 0);
  for (int i = 0; i < 100000; i++) {
    float value = (i % 2 ? 1.0f : -1.0f) * ldexpf(1 + 0.999f * (float)i / 100000, -30 + i % 31);
    float back = ht_half_load(ht_half_store(value));
    float step = fmaxf(fabsf(value) * 0x1p-11f, 0x1p-40f);
    assert_true(fabsf(back - value) <= step);
    assert_int_equal(ht_half_store(back), ht_half_store(value));
  }
}

HT_TEST(many_as_one) {
  static ht_half half[65536], back[65536];
  static float value[65536];
  for (int i = 0; i < 65536; i++) half[i] = (ht_half)i;
  ht_half_load_many(half, 65536, value);
  ht_half_store_many(value, 65536, back);
  for (int i = 0; i < 65536; i++) {
    float one = ht_half_load(half[i]);
    assert_true(value[i] == one || (isnan(value[i]) && isnan(one)));
    assert_int_equal(back[i], ht_half_store(one));
  }
}

int main(void) {
#if defined(__F16C__) && defined(__GNUC__)
  if (!__builtin_cpu_supports("f16c")) return 77;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_code_there_and_back),
                                     cmocka_unit_test(ties),
                                     cmocka_unit_test(any_float),
                                     cmocka_unit_test(ends_of_the_range),
                                     cmocka_unit_test(distribution_functions),
                                     cmocka_unit_test(many_as_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
