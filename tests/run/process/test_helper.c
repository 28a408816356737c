/* run/process/helper: a part of the program in a process of its own. */
#include "tests/check.h"

#include "run/process/helper.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int other; /* a file that the copy does not need */

/* Answers with its process, the number that it was given, and whether the files are open. */
static void answer(void *user, int socket) {
  const int kept = *(int *)user;
  const int said[] = {(int)getpid(), kept, fcntl(kept, F_GETFD) >= 0, fcntl(other, F_GETFD) >= 0};
  (void)send(socket, said, sizeof said, 0);
}

static void wait_for_ever(void *user, int socket) {
  (void)user, (void)socket;
  for (;;) pause();
}

HT_TEST(it_answers_and_ends) {
  ht_helper helper;
  int said[4], file = dup(STDIN_FILENO);
  other = dup(STDIN_FILENO);
  assert_int_equal(ht_helper_start(answer, &file, file, &helper), HT_OK);
  assert_int_equal(recv(helper.socket, said, sizeof said, 0), sizeof said);
  assert_int_equal(said[0], helper.pid);
  assert_int_not_equal(said[0], getpid());
  assert_int_equal(said[1], file);
  assert_true(said[2]);
  assert_false(said[3]);
  assert_int_equal(recv(helper.socket, said, sizeof said, 0), 0); /* it has ended */
  ht_helper_end(&helper);
  assert_int_equal(helper.pid, 0);
  ht_helper_end(&helper); /* does nothing */
  close(file);
  close(other);
}

HT_TEST(it_is_ended) {
  ht_helper helper;
  assert_int_equal(ht_helper_start(wait_for_ever, NULL, -1, &helper), HT_OK);
  const pid_t pid = helper.pid;
  ht_helper_end(&helper);
  assert_int_not_equal(kill(pid, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_answers_and_ends),
                                     cmocka_unit_test(it_is_ended)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
