/* core/jobs: every job runs, the first failure in the list is the one that is told. */
#include "tests/check.h"
#include "core/work/jobs.h"
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

enum { MANY = HT_JOBS_MAX, PIECES = 1000 };

typedef struct {
  int number, ran, pieces[PIECES];
} task;

static void count(void *user, int piece) {
  ((task *)user)->pieces[piece]++;
}

/* Runs a job: one whose number ends in 3 fails, after it has shared out its own work. */
static ht_status run(void *user) {
  task *one = user;
  one->ran++;
  HT_TRY(ht_jobs_spread(PIECES, count, one));
  if (one->number % 10 == 3) return ht_fail(HT_ERR_WRITE, "job %d failed", one->number);
  return HT_OK;
}

static task tasks[MANY];

static ht_status run_tasks(int first, int jobs) {
  ht_job job[MANY];
  memset(tasks, 0, sizeof tasks);
  for (int n = 0; n < jobs; n++) {
    tasks[n].number = first + n;
    job[n] = (ht_job){run, &tasks[n]};
  }
  return ht_jobs_run(job, jobs);
}

static void assert_all_ran(int jobs) {
  for (int n = 0; n < jobs; n++) {
    assert_int_equal(tasks[n].ran, 1);
    for (int p = 0; p < PIECES; p++) assert_int_equal(tasks[n].pieces[p], 1);
  }
}

HT_TEST(every_job_and_piece_runs_once) {
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    assert_int_equal(run_tasks(4, 9), HT_OK);
    assert_all_ran(9);
  }
}

HT_TEST(the_first_failure_in_the_list_is_told) {
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    assert_int_equal(run_tasks(0, MANY), HT_ERR_WRITE);
    assert_string_equal(ht_error_message(), "job 3 failed");
    assert_all_ran(MANY);
  }
}

HT_TEST(too_many_are_refused) {
  assert_int_equal(ht_jobs_run(NULL, HT_JOBS_MAX + 1), HT_ERR_INTERNAL);
  assert_int_equal(ht_jobs_run(NULL, 0), HT_OK);
}

HT_TEST(pieces_are_spread_outside_a_job) {
  static task alone;
  assert_int_equal(ht_jobs_spread(PIECES, count, &alone), HT_OK);
  for (int p = 0; p < PIECES; p++) assert_int_equal(alone.pieces[p], 1);
}

/* Says yes from the third question on. */
static atomic_int questions;

static int from_the_third(void) {
  return atomic_fetch_add(&questions, 1) >= 2;
}

HT_TEST(nothing_more_begins_once_asked_to_stop) {
  static task alone;
  int jobs = 0, pieces = 0;
  ht_jobs_stop_when(from_the_third);
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    questions = 0;
    memset(&alone, 0, sizeof alone);
    assert_int_equal(ht_jobs_spread(PIECES, count, &alone), HT_ERR_INTERRUPTED);
    pieces = 0;
    for (int p = 0; p < PIECES; p++) pieces += alone.pieces[p];
    assert_int_equal(pieces, 2);
    questions = 0;
    assert_int_equal(run_tasks(4, 9), HT_ERR_INTERRUPTED);
    assert_string_equal(ht_error_message(), "stopped as asked");
    jobs = pieces = 0;
    for (int n = 0; n < 9; n++) jobs += tasks[n].ran;
    for (int n = 0; n < 9; n++)
      for (int p = 0; p < PIECES; p++) pieces += tasks[n].pieces[p];
    assert_int_equal(jobs + pieces, 2);
  }
  ht_jobs_stop_when(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_job_and_piece_runs_once),
      cmocka_unit_test(the_first_failure_in_the_list_is_told),
      cmocka_unit_test(too_many_are_refused),
      cmocka_unit_test(pieces_are_spread_outside_a_job),
      cmocka_unit_test(nothing_more_begins_once_asked_to_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
