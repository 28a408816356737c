#define _GNU_SOURCE
#include "run/process/print_page.h"
#include "core/machine/clock.h"
#include "core/disk/file.h"
#include "run/process/interrupt.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double limit_s = 120;

/* ---- The profile ---- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info, (void)kind, (void)walk;
  remove(path);
  return 0;
}

static ht_status make_profile(char folder[HT_PATH_MAX]) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = "/tmp";
  HT_TRY(ht_path_join(folder, base, "hemotile-print-XXXXXX"));
  if (mkdtemp(folder)) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot make a folder: %s", base, strerror(errno));
}

/* ---- The process ---- */

/* Starts the browser silently, in a group of its own, so that all of it can be ended. */
static int start(char *const arguments[], pid_t *process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  for (int n = 0; n < 3; n++)
    posix_spawn_file_actions_addopen(&files, n, "/dev/null", n ? O_WRONLY : O_RDONLY, 0);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawnp(process, arguments[0], &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static ht_status end_with(pid_t process, ht_status status, const char *why) {
  kill(-process, SIGKILL);
  waitpid(process, NULL, 0);
  return ht_fail(status, "%s", why);
}

static ht_status wait_for(pid_t process) {
  const double begun_s = ht_clock_s();
  const struct timespec step = {0, 20 * 1000000L};
  int how = 0;
  for (pid_t ended = 0; ended == 0; ended = waitpid(process, &how, WNOHANG)) {
    if (ht_interrupt_asked()) return end_with(process, HT_ERR_INTERRUPTED, "stopped as asked");
    if (ht_clock_s() - begun_s > limit_s)
      return end_with(process, HT_ERR_WRITE, "the browser took longer than two minutes");
    nanosleep(&step, NULL);
  }
  kill(-process, SIGKILL); /* what it may have left */
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "the browser failed");
}

/* ---- The page ---- */

/* Room for "file:///..." with every other sign as %XX. */
enum { URL_MAX = 3 * PATH_MAX + 8 };

static ht_status url_of(const char *page, char url[URL_MAX]) {
  char whole[PATH_MAX], *to = url + sprintf(url, "file://");
  if (!realpath(page, whole))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", page, strerror(errno));
  for (const char *at = whole; *at; at++)
    to += isalnum((unsigned char)*at) || strchr("/._-", *at)
              ? sprintf(to, "%c", *at)
              : sprintf(to, "%%%02X", (unsigned char)*at);
  return HT_OK;
}

static ht_status print(char *browser, const char *page, const char *pdf, const char *profile) {
  char url[URL_MAX], target[HT_PATH_MAX + 24], own[HT_PATH_MAX + 24];
  struct stat written = {0};
  pid_t process;
  HT_TRY(url_of(page, url));
  snprintf(target, sizeof target, "--print-to-pdf=%s", pdf);
  snprintf(own, sizeof own, "--user-data-dir=%s", profile);
  /* The sandbox of Chromium does not start as root. Scripts of the page get ten seconds. */
  char *const arguments[] = {browser,
                             "--headless",
                             "--disable-gpu",
                             "--no-first-run",
                             "--disable-extensions",
                             "--disable-background-networking",
                             "--disable-crash-reporter",
                             "--host-resolver-rules=MAP * ~NOTFOUND",
                             "--no-pdf-header-footer",
                             "--virtual-time-budget=10000",
                             own,
                             target,
                             geteuid() == 0 ? "--no-sandbox" : url,
                             geteuid() == 0 ? url : NULL,
                             NULL};
  if (truncate(pdf, 0) != 0 && errno != ENOENT)
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", pdf, strerror(errno));
  int error = start(arguments, &process);
  if (error == ENOENT) return ht_fail(HT_ERR_NOT_FOUND, "there is no browser");
  if (error) return ht_fail(HT_ERR_WRITE, "cannot start %s: %s", browser, strerror(error));
  HT_TRY(wait_for(process));
  if (stat(pdf, &written) == 0 && written.st_size > 0) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: the browser wrote nothing", pdf);
}

ht_status ht_print_page(const char *page, const char *pdf) {
  char names[][20] = {"chromium", "chromium-browser", "google-chrome"};
  char profile[HT_PATH_MAX];
  char *wanted = getenv("HEMOTILE_BROWSER");
  if (wanted && !*wanted) return ht_fail(HT_ERR_NOT_FOUND, "there is no browser");
  HT_TRY(make_profile(profile));
  ht_status status = HT_ERR_NOT_FOUND;
  if (wanted) status = print(wanted, page, pdf, profile);
  for (int n = 0; !wanted && n < 3 && status == HT_ERR_NOT_FOUND; n++)
    status = print(names[n], page, pdf, profile);
  nftw(profile, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}
