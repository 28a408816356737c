#define _GNU_SOURCE
#include "run/process/child.h"
#include "core/machine/clock.h"
#include "core/vessel/volume.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes the environment with the variable before fork(): nothing may be allocated after it. */
static ht_status make_environment(const char *variable, char ***made) {
  size_t count = 0, kept = 0, name = variable ? strcspn(variable, "=") + 1 : 0;
  while (environ[count]) count++;
  HT_TRY(ht_alloc((void **)made, count + 2, sizeof **made, "a process"));
  for (size_t i = 0; i < count; i++)
    if (!variable || strncmp(environ[i], variable, name) != 0) (*made)[kept++] = environ[i];
  (*made)[kept] = (char *)variable; /* execve changes no text */
  return HT_OK;
}

/* Runs in the child: only what is allowed between fork() and execve(). The files of the parent are
 * closed, with the lock on its log; its blocked signals are released. */
static void become(char *const *argv, char *const *environment, int log, int death_signal,
                   pid_t parent) {
  sigset_t none;
  int nothing = open("/dev/null", O_RDONLY);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, death_signal);
  if (getppid() != parent) _exit(130);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  for (int d = 3; d < 1024; d++) close(d);
  execve(argv[0], argv, environment);
  _exit(127);
}

ht_status ht_child_start(char *const *argv, const ht_child_options *options, ht_child *child) {
  char **environment;
  *child = (ht_child){0};
  HT_TRY(make_environment(options->variable, &environment));
  int out = open(options->log, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (out < 0) {
    free(environment);
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", options->log,
                   errno == ENXIO ? "nobody reads this pipe" : strerror(errno));
  }
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) become(argv, environment, out, options->death_signal, parent);
  close(out);
  free(environment);
  if (pid < 0)
    return ht_fail(HT_ERR_MEMORY, "no further process can be started: %s", strerror(errno));
  *child = (ht_child){pid, ht_clock_s()};
  return HT_OK;
}

int ht_child_ended(ht_child *child, int *exit_code) {
  int how;
  if (child->pid == 0 || waitpid(child->pid, &how, WNOHANG) != child->pid) return 0;
  *exit_code = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
  child->pid = 0;
  return 1;
}

void ht_child_stop(const ht_child *child) {
  if (child->pid > 0) kill(child->pid, SIGTERM);
}
