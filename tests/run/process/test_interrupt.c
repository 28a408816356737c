/* run/process/interrupt: work that sees the signal has time to end; work that does not is ended by
 * force. Each case is a child process, which a signal from here reaches once it has written to a
 * pipe. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "core/work/jobs.h"
#include "run/process/log_lock.h"
#include "core/status.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ENDED_BY_ITSELF = 7 };

static char folder[] = "/tmp/hemotile-interrupt-XXXXXX";

static void path_of(const char *name, char path[64]) {
  snprintf(path, 64, "%s/%s", folder, name);
}

static void wait_s(double seconds) {
  const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (int)seconds))};
  nanosleep(&pause, NULL);
}

/* Begins as a run does: the log of its folder is open and locked, a file is half written. */
static void begin_case(void) {
  char path[64];
  path_of("hemotile.log", path);
  int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (log < 0 || write(log, "a line\n", 7) != 7 || ht_log_lock(path, log) != HT_OK) _exit(1);
  snprintf(path, sizeof path, "%s/.flow.%ld.part.bin", folder, (long)getpid());
  fclose(fopen(path, "w"));
  ht_interrupt_folder(folder, ht_folder_sweep);
}

static void wait_until_asked(void) {
  while (!ht_interrupt_asked()) wait_s(0.001);
}

static void never_looks(int ready) {
  if (write(ready, "r", 1) != 1) _exit(1);
  wait_s(60);
}

static void sees_and_takes_three_seconds(int ready) {
  if (write(ready, "r", 1) != 1) _exit(1);
  wait_until_asked();
  wait_s(3);
}

static void waits(void *unused, int piece) {
  (void)unused, (void)piece;
  wait_s(0.01);
}

/* Runs a minute of pieces, which check the signal themselves. */
static void spreads_pieces(int ready) {
  if (write(ready, "r", 1) != 1) _exit(1);
  if (ht_jobs_spread(6000, waits, NULL) != HT_ERR_INTERRUPTED) _exit(1);
}

static void sees_and_stays(int ready) {
  if (write(ready, "r", 1) != 1) _exit(1);
  wait_until_asked();
  if (write(ready, "s", 1) != 1) _exit(1);
  wait_s(60);
}

/* Starts the child that is ready for the signal; *ready is the pipe's end to read from. */
static pid_t start(void (*work)(int), int *ready) {
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(1);
    ht_interrupt_begin();
    begin_case();
    work(ends[1]);
    _exit(ENDED_BY_ITSELF);
  }
  close(ends[1]);
  *ready = ends[0];
  assert_int_equal(read(*ready, &byte, 1), 1);
  return child;
}

static int exit_code(pid_t child) {
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int log_has(const char *text) {
  char path[64], said[1024] = "";
  path_of("hemotile.log", path);
  FILE *log = fopen(path, "r");
  assert_non_null(log);
  said[fread(said, 1, sizeof said - 1, log)] = 0;
  fclose(log);
  return strstr(said, text) != NULL;
}

static void has_half_file(pid_t child, int expected) {
  char path[64];
  snprintf(path, sizeof path, "%s/.flow.%ld.part.bin", folder, (long)child);
  assert_int_equal(access(path, F_OK) == 0, expected);
  unlink(path);
}

HT_TEST(work_that_does_not_look_is_ended_by_force) {
  int ready;
  pid_t child = start(never_looks, &ready);
  kill(child, SIGTERM);
  assert_int_equal(exit_code(child), HT_ERR_INTERRUPTED);
  assert_true(log_has("a line\n2")); /* and the time */
  assert_true(log_has("Z hemotile: error: interrupted, and ended by force\n"));
  has_half_file(child, 0);
  close(ready);
}

HT_TEST(work_that_looks_has_longer) {
  int ready;
  pid_t child = start(sees_and_takes_three_seconds, &ready);
  kill(child, SIGTERM);
  assert_int_equal(exit_code(child), ENDED_BY_ITSELF);
  assert_false(log_has("by force"));
  has_half_file(child, 1);
  close(ready);
}

HT_TEST(pieces_of_work_look) {
  int ready;
  pid_t child = start(spreads_pieces, &ready);
  kill(child, SIGTERM);
  assert_int_equal(exit_code(child), ENDED_BY_ITSELF);
  assert_false(log_has("by force"));
  has_half_file(child, 1);
  close(ready);
}

HT_TEST(a_second_signal_shortens_it) {
  int ready;
  char byte;
  pid_t child = start(sees_and_stays, &ready);
  kill(child, SIGINT);
  assert_int_equal(read(ready, &byte, 1), 1);
  kill(child, SIGINT);
  assert_int_equal(exit_code(child), HT_ERR_INTERRUPTED);
  assert_true(log_has("by force"));
  has_half_file(child, 0);
  close(ready);
}

static int make_folder(void **state) {
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char path[64];
  path_of("hemotile.log", path);
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(work_that_does_not_look_is_ended_by_force, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(work_that_looks_has_longer, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(pieces_of_work_look, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_second_signal_shortens_it, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
