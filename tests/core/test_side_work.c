/* core/side_work: work in parallel with the caller: in order, with a core less, and failures with
 * their message. */
#include "tests/check.h"
#include "core/work/side_work.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { ROUNDS = 200 };

typedef struct {
  int done, threads, fails;
  pthread_t thread;
} work;

static ht_status count(void *user) {
  work *of = user;
  of->done++;
  of->threads = omp_get_max_threads();
  of->thread = pthread_self();
  return of->fails ? ht_fail(HT_ERR_DEVICE, "work %d failed", of->done) : HT_OK;
}

static void test_order(void **unused) {
  (void)unused;
  ht_side_work *side;
  work of = {0};
  assert_int_equal(ht_side_work_make(&side), HT_OK);
  assert_int_equal(ht_side_work_wait(side), HT_OK); /* nothing yet */
  omp_set_num_threads(3);
  for (int i = 0; i < ROUNDS; i++) assert_int_equal(ht_side_work_begin(side, count, &of), HT_OK);
  assert_int_equal(ht_side_work_wait(side), HT_OK);
  assert_int_equal(of.done, ROUNDS);
  assert_int_equal(of.threads, 2); /* one is left to the caller */
  assert_false(pthread_equal(of.thread, pthread_self()));
  ht_side_work_free(side);
}

/* A failure comes once, and nothing else is begun before. */
static void test_failure(void **unused) {
  (void)unused;
  ht_side_work *side;
  work of = {.fails = 1};
  assert_int_equal(ht_side_work_make(&side), HT_OK);
  assert_int_equal(ht_side_work_begin(side, count, &of), HT_OK);
  assert_int_equal(ht_side_work_begin(side, count, &of), HT_ERR_DEVICE);
  assert_string_equal(ht_error_message(), "work 1 failed");
  assert_int_equal(of.done, 1);
  assert_int_equal(ht_side_work_wait(side), HT_OK);
  ht_side_work_free(side);
}

static void test_end(void **unused) {
  (void)unused;
  ht_side_work *side;
  work of = {0};
  assert_int_equal(ht_side_work_make(&side), HT_OK);
  assert_int_equal(ht_side_work_begin(side, count, &of), HT_OK);
  ht_side_work_free(side);
  assert_int_equal(of.done, 1);
  ht_side_work_free(NULL);
}

static void test_without_thread(void **unused) {
  (void)unused;
  work of = {0};
  assert_int_equal(ht_side_work_begin(NULL, count, &of), HT_OK);
  assert_int_equal(of.done, 1);
  assert_true(pthread_equal(of.thread, pthread_self()));
  of.fails = 1;
  assert_int_equal(ht_side_work_begin(NULL, count, &of), HT_ERR_DEVICE);
  assert_int_equal(ht_side_work_wait(NULL), HT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_failure),
                                     cmocka_unit_test(test_end),
                                     cmocka_unit_test(test_without_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
