/* A stream of state in pieces: within another stream, in place of another rank. */
#include "tests/check.h"
#include "tests/solver/common/memory_stream.h"
#include "solver/ranks/rank_pipe.h"
#include <stdlib.h>
#include <string.h>

enum { MANY = 9500000, FEW = 7 }; /* bytes: more than two pieces; less than one */

static void fill(uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(i * 2654435761u >> 13);
}

static uint8_t *room(size_t count) {
  uint8_t *made = calloc(count, 1);
  assert_non_null(made);
  return made;
}

/* Some bytes, many, and some again, as one stream in pieces. */
static void save(ht_state *outer, uint8_t *many, uint8_t *few) {
  ht_rank_pipe pipe = ht_rank_pipe_open(0, outer);
  ht_state inner = ht_rank_pipe_stream(&pipe, 0);
  assert_int_equal(ht_state_bytes(&inner, few, FEW), HT_OK);
  assert_int_equal(ht_state_bytes(&inner, many, MANY), HT_OK);
  assert_int_equal(ht_state_bytes(&inner, few, FEW), HT_OK);
  assert_int_equal(ht_rank_pipe_end(&pipe), HT_OK);
  ht_rank_pipe_close(&pipe);
}

static void the_same_bytes_come_back(void **unused) {
  (void)unused;
  ht_memory kept = {0}, passed_on = {0};
  ht_state to = ht_memory_stream(&kept, 0), from = ht_memory_stream(&kept, 1);
  ht_state next = ht_memory_stream(&passed_on, 0);
  ht_state last = ht_memory_stream(&passed_on, 1);
  uint8_t few[FEW], back[FEW], behind = 77, read = 0;
  uint8_t *many = room(MANY), *all = room(MANY);
  fill(many, MANY);
  fill(few, FEW);
  save(&to, many, few);
  assert_int_equal(ht_state_bytes(&to, &behind, 1), HT_OK);

  ht_rank_pipe a = ht_rank_pipe_open(0, &from), b = ht_rank_pipe_open(0, &next);
  assert_int_equal(ht_rank_pipe_relay(&a, &b), HT_OK);
  ht_rank_pipe_close(&a);
  ht_rank_pipe_close(&b);
  assert_int_equal(ht_state_bytes(&from, &read, 1), HT_OK); /* it ends where it should */
  assert_int_equal(read, behind);

  ht_rank_pipe pipe = ht_rank_pipe_open(0, &last);
  ht_state inner = ht_rank_pipe_stream(&pipe, 1);
  assert_int_equal(ht_state_bytes(&inner, back, FEW), HT_OK);
  assert_memory_equal(back, few, FEW);
  assert_int_equal(ht_state_bytes(&inner, all, MANY), HT_OK);
  assert_memory_equal(all, many, MANY);
  assert_int_equal(ht_state_bytes(&inner, back, FEW), HT_OK);
  assert_int_equal(ht_state_bytes(&inner, back, FEW), HT_ERR_INTERNAL); /* no more */
  assert_int_equal(ht_rank_pipe_drain(&pipe), HT_OK);
  ht_rank_pipe_close(&pipe);
  free(many);
  free(all);
  ht_memory_free(&kept);
  ht_memory_free(&passed_on);
}

/* A stream that ends within a piece: the other side gets its end all the same. */
static void a_broken_stream_ends_the_other(void **unused) {
  (void)unused;
  ht_memory kept = {0}, passed_on = {0};
  ht_state to = ht_memory_stream(&kept, 0), from = ht_memory_stream(&kept, 1);
  ht_state next = ht_memory_stream(&passed_on, 0);
  ht_state last = ht_memory_stream(&passed_on, 1);
  uint8_t few[FEW] = {0}, *many = room(MANY);
  save(&to, many, few);
  kept.size = MANY / 2;
  ht_rank_pipe a = ht_rank_pipe_open(0, &from), b = ht_rank_pipe_open(0, &next);
  assert_int_equal(ht_rank_pipe_relay(&a, &b), HT_ERR_FORMAT);
  ht_rank_pipe_close(&a);
  ht_rank_pipe_close(&b);
  ht_rank_pipe pipe = ht_rank_pipe_open(0, &last);
  assert_int_equal(ht_rank_pipe_drain(&pipe), HT_OK); /* it has an end */
  ht_rank_pipe_close(&pipe);
  free(many);
  ht_memory_free(&kept);
  ht_memory_free(&passed_on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_bytes_come_back),
      cmocka_unit_test(a_broken_stream_ends_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
