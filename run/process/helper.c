#define _GNU_SOURCE
#include "run/process/helper.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

ht_status ht_helper_start(void (*work)(void *user, int socket), void *user, int file,
                          ht_helper *helper) {
  int end[2];
  *helper = (ht_helper){0, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
    return ht_fail(HT_ERR_MEMORY, "no further process can be started: %s", strerror(errno));
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(130);
    for (int d = 3; d < 1024; d++)
      if (d != end[1] && d != file) close(d);
    work(user, end[1]);
    _exit(0); /* the buffers of the standard streams belong to the parent */
  }
  close(end[1]);
  if (pid < 0) {
    close(end[0]);
    return ht_fail(HT_ERR_MEMORY, "no further process can be started: %s", strerror(errno));
  }
  *helper = (ht_helper){pid, end[0]};
  return HT_OK;
}

void ht_helper_end(ht_helper *helper) {
  if (helper->pid == 0) return;
  close(helper->socket);
  kill(helper->pid, SIGKILL);
  waitpid(helper->pid, NULL, 0);
  *helper = (ht_helper){0, -1};
}
