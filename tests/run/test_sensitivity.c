/* run/record/sensitivity: the table of the walls further in and out, where not all of them could be
 * run. */
#define _POSIX_C_SOURCE 200809L
#include "run/record/sensitivity.h"
#include "solver/solver.h"
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_wall_result done(double wss_pa) {
  return (ht_wall_result){.done = 1, .steady = 1, .wss_mean_pa = wss_pa, .wss_p99_pa = 2 * wss_pa};
}

/* Returns the printed table, which the caller frees. */
static char *printed(const ht_sensitivity *sensitivity) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  ht_sensitivity_print(stream, sensitivity);
  fclose(stream);
  return text;
}

HT_TEST(all_walls_have_a_spread) {
  ht_sensitivity s = {.offset_mm = 0.2, .wall = {done(1.5), done(1), done(0.7)}};
  char *text = printed(&s);
  assert_non_null(strstr(text, "80.0 %"));
  assert_null(strstr(text, "could not be computed"));
  free(text);
}

/* A spread of 0 % would say that the wall does not matter. */
HT_TEST(the_own_wall_alone_has_none) {
  ht_sensitivity s = {.offset_mm = 0.2, .wall = {[HT_AS_IS] = done(1)}};
  strcpy(s.wall[HT_THINNER].message, "no vessel is left");
  char *text = printed(&s);
  assert_null(strstr(text, "0.0 %"));
  assert_non_null(strstr(text, "the thinner vessel could not be computed"));
  free(text);
}

/* Half a spread would look like a robust result. */
HT_TEST(one_side_alone_has_none) {
  ht_sensitivity s = {.offset_mm = 0.2, .wall = {[HT_AS_IS] = done(1), [HT_THICKER] = done(0.7)}};
  char *text = printed(&s);
  assert_null(strstr(text, "30.0 %"));
  free(text);
}

HT_TEST(another_collision_is_said) {
  ht_sensitivity s = {.offset_mm = 0.2, .wall = {done(1.5), done(1), done(0.7)}};
  s.wall[HT_THINNER].collision = HT_MRT;
  char *text = printed(&s);
  assert_non_null(strstr(text, "thinner: its flow is too fast for --collision lbgk"));
  assert_null(strstr(text, "thicker: "));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_walls_have_a_spread),
      cmocka_unit_test(the_own_wall_alone_has_none),
      cmocka_unit_test(one_side_alone_has_none),
      cmocka_unit_test(another_collision_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
