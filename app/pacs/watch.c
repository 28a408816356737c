#define _GNU_SOURCE
#include "app/pacs/watch.h"
#include "core/disk/folder_walk.h"
#include "app/pacs/senders.h"
#include "app/pacs/studies.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLL_MS = 500 };

typedef struct {
  const ht_watcher *watcher;
  const ht_pacs_settings *settings;
  char folder[HT_PATH_MAX], incoming[HT_PATH_MAX]; /* of the studies; of incoming objects */
  int lock;
  ht_studies *studies;
  ht_senders *senders;
} watch;

/* ---- what the senders bring ---- */

static ht_status keep(void *user, int sender, const ht_pacs_object *object, const char *path) {
  return ht_studies_keep(((watch *)user)->studies, sender, object, path);
}

static void ended(void *user, int sender, int released, unsigned open) {
  ht_studies_ended(((watch *)user)->studies, sender, released, open);
}

static void tell(void *user, const char *line) {
  ((watch *)user)->watcher->tell(line);
}

/* ---- begin and end ---- */

/* Refuses a case with a scan of its own, which would give every study the same results. */
static ht_status check_case(const char *path) {
  static const char wanted[] = "${HEMOTILE_STUDY}";
  char line[4096];
  int found = 0;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, ht_file_reason());
  while (!found && fgets(line, sizeof line, file)) {
    line[strcspn(line, "#")] = 0;
    found = strstr(line, wanted) != NULL;
  }
  fclose(file);
  if (found) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s: the case of a rule reads the study that came: write `scan: %s`",
                 path, wanted);
}

static ht_status check(const ht_pacs_settings *settings) {
  const ht_pacs_watch *watch = &settings->watch;
  if (!watch->folder[0])
    return ht_fail(HT_ERR_USAGE, "no folder for the studies: set watch: {folder: DIR}");
  if (watch->callers == 0)
    return ht_fail(HT_ERR_USAGE,
                   "nobody may send: set watch: {calling: [AE, ...]} to the AE titles "
                   "that may");
  if (watch->rules == 0)
    return ht_fail(HT_ERR_USAGE, "no rule says what to do with a study: set watch: {rules: ...} "
                                 "(docs/pacs.md)");
  for (int r = 0; r < watch->rules; r++)
    if (watch->rule[r].case_file[0]) HT_TRY(check_case(watch->rule[r].case_file));
  HT_TRY(ht_pacs_check_watch_tls(settings));
  return watch->send ? ht_pacs_check(settings) : HT_OK;
}

/* Removes objects that were being received when the last watch ended: their senders send them
 * again. */
static int drop_entry(void *user, const char *name) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, user, name) == HT_OK) unlink(path);
  return 0;
}

static ht_status open_folder(watch *w) {
  const char *folder = w->settings->watch.folder;
  char path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(folder));
  HT_TRY(ht_path_join(w->folder, folder, "studies"));
  HT_TRY(ht_path_join(w->incoming, folder, "incoming"));
  HT_TRY(ht_path_join(path, folder, "lock"));
  w->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (w->lock < 0 || flock(w->lock, LOCK_EX | LOCK_NB) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: %s", path,
                   w->lock >= 0 && errno == EWOULDBLOCK
                       ? "another `hemotile pacs watch` is at work here"
                       : strerror(errno));
  if ((mkdir(w->folder, 0700) != 0 && errno != EEXIST) ||
      (mkdir(w->incoming, 0700) != 0 && errno != EEXIST))
    return ht_fail(HT_ERR_WRITE, "%s: cannot make the folders in it: %s", folder, strerror(errno));
  ht_folder_walk(w->incoming, drop_entry, w->incoming);
  return HT_OK;
}

static ht_status run(watch *w, const ht_senders_user *user) {
  char line[2 * HT_PATH_MAX];
  const ht_pacs_watch *settings = &w->settings->watch;
  HT_TRY(check(w->settings));
  HT_TRY(open_folder(w));
  HT_TRY(ht_studies_open(w->watcher, w->folder, &w->studies));
  HT_TRY(ht_senders_open(w->settings, w->incoming, user, &w->senders));
  snprintf(line, sizeof line, "listens on %s:%d as %s%s; studies are in %s", settings->address,
           settings->port, w->settings->calling_ae, settings->tls ? ", with TLS" : "",
           settings->folder);
  tell(w, line);
  while (!w->watcher->stop()) {
    ht_senders_serve(w->senders, ht_studies_socket(w->studies), POLL_MS);
    ht_studies_work(w->studies);
  }
  return HT_OK;
}

ht_status ht_watch(const ht_watcher *watcher) {
  watch w = {.watcher = watcher, .settings = watcher->settings, .lock = -1};
  const ht_senders_user user = {&w, keep, ended, tell};
  ht_status status = run(&w, &user);
  ht_senders_close(w.senders);
  ht_studies_close(w.studies);
  if (w.lock >= 0) close(w.lock);
  return status;
}
