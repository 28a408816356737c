#define _GNU_SOURCE
#include "watch.h"
#include "child.h"
#include "clock.h"
#include "folder_walk.h"
#include "study_state.h"
#include "yaml_file.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MOST = 3, SENDS_MOST = 10, WAIT_MOST_S = 600, POLL_MS = 500 };

typedef struct {
  char uid[65];
  ht_study_state state;
  double due_s; /* nothing is done before this time, on ht_clock_s */
} study;

typedef struct {
  const ht_watcher *watcher;
  const ht_pacs_settings *settings;
  char studies[HT_PATH_MAX], incoming[HT_PATH_MAX];
  int port; /* a TCP socket that listens */
  int lock;
  study *study; /* [count]; owned */
  int count, capacity;
  int working; /* the study of `child`; -1: none */
  ht_child child;
  char program[HT_PATH_MAX];
} watch;

__attribute__((format(printf, 2, 3))) static void tell(const watch *w, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  w->watcher->tell(line);
}

static ht_status folder_of(const watch *w, const char *uid, char folder[HT_PATH_MAX]) {
  return ht_path_join(folder, w->studies, uid);
}

/* Writes the state before anything follows from it. */
static ht_status set_step(watch *w, study *of, ht_study_step step, const char *message) {
  char folder[HT_PATH_MAX];
  if (of->state.step != step) of->state.attempts = 0;
  of->state.step = step;
  snprintf(of->state.message, sizeof of->state.message, "%s", message);
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_study_write(folder, &of->state));
  tell(w, "study %s: %s%s%s", of->uid, ht_study_step_name(step), *message ? ": " : "", message);
  return HT_OK;
}

static int is_end(ht_study_step step) {
  return step >= HT_STUDY_SENT;
}

/* ---- the studies ---- */

/* A damaged state stops this study alone. */
static ht_status read_state(const watch *w, study *of) {
  char folder[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  ht_status status = ht_study_read(folder, &of->state);
  if (status == HT_OK || status == HT_ERR_MEMORY) return status;
  tell(w, "study %s: %s", of->uid, ht_error_message());
  HT_TRY(ht_study_set_aside(folder, &of->state));
  tell(w, "study %s: failed: %s", of->uid, of->state.message);
  return HT_OK;
}

static ht_status add_study(watch *w, const char *uid, study **added) {
  if (w->count == w->capacity) {
    int more = w->capacity ? 2 * w->capacity : 16;
    study *grown = realloc(w->study, (size_t)more * sizeof *grown);
    if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory for the list of studies");
    w->study = grown;
    w->capacity = more;
  }
  study *one = &w->study[w->count];
  memset(one, 0, sizeof *one);
  snprintf(one->uid, sizeof one->uid, "%s", uid);
  HT_TRY(read_state(w, one));
  w->count++;
  *added = one;
  return HT_OK;
}

static study *find_study(watch *w, const char *uid) {
  for (int i = 0; i < w->count; i++)
    if (strcmp(w->study[i].uid, uid) == 0) return &w->study[i];
  return NULL;
}

/* Objects that came after a study's end, or while it was computed: it begins again. */
static ht_status begin_again(watch *w, study *of) {
  char folder[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  if (!is_end(of->state.step) || ht_study_objects(folder) == of->state.objects) return HT_OK;
  of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
  return set_step(w, of, HT_STUDY_RECEIVED, "more objects have come");
}

static ht_status keep(void *user, const ht_pacs_object *object, const char *path) {
  watch *w = user;
  char folder[HT_PATH_MAX];
  if (object->is_result) return HT_OK; /* an archive that sends on what it got from here */
  study *of = find_study(w, object->study_uid);
  int is_new = !of;
  if (is_new) HT_TRY(add_study(w, object->study_uid, &of));
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_study_keep(folder, object, path));
  if (of->state.step == HT_STUDY_RECEIVED) of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
  if (is_new && of->state.step == HT_STUDY_RECEIVED) return set_step(w, of, HT_STUDY_RECEIVED, "");
  return begin_again(w, of);
}

/* A folder that was left by an earlier watch. */
static int take_folder(void *user, const char *name) {
  watch *w = user;
  study *of;
  if (ht_pacs_check_uid(name, "") != HT_OK) return 0;
  ht_status status = add_study(w, name, &of);
  if (status == HT_OK && of->state.step == HT_STUDY_RECEIVED)
    of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
  if (status == HT_OK) status = begin_again(w, of);
  if (status == HT_OK && !is_end(of->state.step))
    tell(w, "study %s: goes on, it was %s", of->uid, ht_study_step_name(of->state.step));
  return (int)status;
}

/* ---- the work ---- */

static ht_status start(watch *w, study *of, const char *const words[]) {
  char folder[HT_PATH_MAX], messages[HT_PATH_MAX], scan[HT_PATH_MAX], whole[PATH_MAX];
  char variable[PATH_MAX + 16];
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(messages, folder, "messages.txt"));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  if (!realpath(scan, whole)) return ht_fail(HT_ERR_NOT_FOUND, "%s: it is gone", scan);
  snprintf(variable, sizeof variable, "HEMOTILE_STUDY=%s", whole);
  /* Killed with this process: the next watch needs the folder of the case at once. */
  const ht_child_options options = {messages, variable, SIGKILL};
  HT_TRY(ht_child_start((char *const *)words, &options, &w->child));
  w->working = (int)(of - w->study);
  return HT_OK;
}

static ht_status process(watch *w, study *of) {
  char folder[HT_PATH_MAX], result[HT_PATH_MAX], scan[HT_PATH_MAX], series[65] = "";
  ht_status status;
  HT_TRY(folder_of(w, of->uid, folder));
  const ht_pacs_rule *rule = ht_study_rule(folder, &w->settings->watch, series, &status);
  of->state.objects = ht_study_objects(folder);
  if (status != HT_OK) return set_step(w, of, HT_STUDY_FAILED, ht_error_message());
  if (!rule) return set_step(w, of, HT_STUDY_IGNORED, "no rule fits");
  if (of->state.step == HT_STUDY_PROCESSING && of->state.attempts >= RUNS_MOST)
    return set_step(w, of, HT_STUDY_FAILED, "the run was ended by force, three times");
  HT_TRY(ht_path_join(result, folder, "result"));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  const char *argv[16] = {w->program, "run",     rule->case_file[0] ? rule->case_file : scan,
                          "-o",       result,    "--series",
                          series,     "--force", "--quiet",
                          "--dicom"};
  if (rule->preset[0]) argv[10] = "--preset", argv[11] = rule->preset;
  int attempts = of->state.step == HT_STUDY_PROCESSING ? of->state.attempts : 0;
  of->state.step = HT_STUDY_PROCESSING; /* set_step() counts from 0 where the step changes */
  of->state.attempts = attempts + 1;
  HT_TRY(set_step(w, of, HT_STUDY_PROCESSING, ""));
  return start(w, of, argv);
}

static ht_status send_results(watch *w, study *of) {
  char folder[HT_PATH_MAX], result[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(result, folder, "result"));
  const char *argv[] = {w->program, "pacs", "send", result, "--pacs", w->watcher->settings_file,
                        NULL};
  of->state.attempts++;
  HT_TRY(set_step(w, of, HT_STUDY_SENDING, ""));
  return start(w, of, argv);
}

/* A run of so many steps as its case asks for is no failure, and yet no result to send. */
static ht_status read_steady(const watch *w, const study *of, int *steady) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  ht_yaml yaml;
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(path, folder, "result/summary.json"));
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  *steady = 0;
  ht_yaml_bool(yaml.root, "steady", steady);
  ht_yaml_free(&yaml);
  return HT_OK;
}

static ht_status after_run(watch *w, study *of, int code) {
  char message[256];
  int steady = 1;
  if (code == 0 && read_steady(w, of, &steady) != HT_OK)
    return set_step(w, of, HT_STUDY_FAILED, ht_error_message());
  if (!steady) code = HT_ERR_NOT_STEADY;
  if (code == 0)
    return w->settings->watch.send ? set_step(w, of, HT_STUDY_SENDING, "")
                                   : set_step(w, of, HT_STUDY_KEPT, "");
  if (code >= 128) { /* by a signal: not of its own will */
    of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
    return set_step(w, of, HT_STUDY_PROCESSING, "the run was ended by force");
  }
  snprintf(message, sizeof message, "`hemotile run` ended with code %d: see messages.txt%s", code,
           code == HT_ERR_NOT_STEADY ? "; results that are not steady are not sent" : "");
  return set_step(w, of, HT_STUDY_FAILED, message);
}

static ht_status after_send(watch *w, study *of, int code) {
  char message[256];
  if (code == 0) return set_step(w, of, HT_STUDY_SENT, "");
  snprintf(message, sizeof message, "`hemotile pacs send` ended with code %d: see messages.txt",
           code);
  if ((code != HT_ERR_NETWORK && code < 128) || of->state.attempts >= SENDS_MOST)
    return set_step(w, of, HT_STUDY_FAILED, message);
  int wait_s = w->settings->watch.quiet_s * of->state.attempts;
  of->due_s = ht_clock_s() + (wait_s < WAIT_MOST_S ? wait_s : WAIT_MOST_S);
  return set_step(w, of, HT_STUDY_SENDING, message);
}

static ht_status look_at_child(watch *w) {
  int code;
  if (!ht_child_ended(&w->child, &code)) return HT_OK;
  study *of = &w->study[w->working];
  w->working = -1;
  HT_TRY(of->state.step == HT_STUDY_PROCESSING ? after_run(w, of, code) : after_send(w, of, code));
  return begin_again(w, of);
}

static ht_status work(watch *w) {
  if (w->working >= 0) return look_at_child(w);
  for (int i = 0; i < w->count; i++) {
    study *of = &w->study[i];
    if (is_end(of->state.step) || ht_clock_s() < of->due_s) continue;
    return of->state.step == HT_STUDY_SENDING ? send_results(w, of) : process(w, of);
  }
  return HT_OK;
}

/* ---- the port ---- */

static ht_status open_port(watch *w) {
  const ht_pacs_watch *settings = &w->settings->watch;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)settings->port)};
  int yes = 1;
  if (inet_pton(AF_INET, settings->address, &at.sin_addr) != 1)
    return ht_fail(HT_ERR_USAGE,
                   "watch.address is '%s': give the number of an address of this machine, as in "
                   "127.0.0.1 (only this machine) or 0.0.0.0 (all networks)",
                   settings->address);
  w->port = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (w->port >= 0 && setsockopt(w->port, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      bind(w->port, (struct sockaddr *)&at, sizeof at) == 0 && listen(w->port, 16) == 0)
    return HT_OK;
  return ht_fail(HT_ERR_NETWORK, "%s:%d: cannot listen there: %s%s", settings->address,
                 settings->port, strerror(errno),
                 errno == EADDRNOTAVAIL ? ": give an address of this machine, or 0.0.0.0 for all "
                                          "networks (watch.address)"
                 : errno == EADDRINUSE  ? ": another program listens there, give another watch.port"
                 : errno == EACCES      ? ": below 1024 a port takes root, give another watch.port"
                                        : "");
}

static void receive(watch *w) {
  char refused[128];
  int connection = accept4(w->port, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) return;
  if (ht_pacs_receive(w->settings, connection, w->incoming, keep, w, refused) != HT_OK)
    tell(w, "%s", ht_error_message());
  if (*refused) tell(w, "refused a sender: %s", refused);
}

static ht_status loop(watch *w) {
  while (!w->watcher->stop()) {
    struct pollfd port = {.fd = w->port, .events = POLLIN};
    if (poll(&port, 1, POLL_MS) > 0) receive(w);
    HT_TRY(work(w));
  }
  return HT_OK;
}

/* ---- begin and end ---- */

/* A case with a scan of its own would give every study the same results. */
static ht_status check_case(const char *path) {
  static const char wanted[] = "${HEMOTILE_STUDY}";
  char line[4096];
  int found = 0;
  FILE *file = fopen(path, "r");
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
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

/* Objects that were being received when the last watch ended: their senders send them again. */
static int drop_entry(void *user, const char *name) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, user, name) == HT_OK) unlink(path);
  return 0;
}

static ht_status open_folder(watch *w) {
  const char *folder = w->settings->watch.folder;
  char path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(folder));
  HT_TRY(ht_path_join(w->studies, folder, "studies"));
  HT_TRY(ht_path_join(w->incoming, folder, "incoming"));
  HT_TRY(ht_path_join(path, folder, "lock"));
  w->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (w->lock < 0 || flock(w->lock, LOCK_EX | LOCK_NB) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: %s", path,
                   w->lock >= 0 && errno == EWOULDBLOCK
                       ? "another `hemotile pacs watch` is at work here"
                       : strerror(errno));
  if ((mkdir(w->studies, 0700) != 0 && errno != EEXIST) ||
      (mkdir(w->incoming, 0700) != 0 && errno != EEXIST))
    return ht_fail(HT_ERR_WRITE, "%s: cannot make the folders in it: %s", folder, strerror(errno));
  ht_folder_walk(w->incoming, drop_entry, w->incoming);
  return HT_OK;
}

static ht_status run(watch *w) {
  HT_TRY(check(w->settings));
  HT_TRY(ht_child_self(w->program));
  HT_TRY(open_folder(w));
  int failed = ht_folder_walk(w->studies, take_folder, w);
  if (failed > 0) return (ht_status)failed;
  HT_TRY(open_port(w));
  tell(w, "listens on %s:%d as %s%s; studies are in %s", w->settings->watch.address,
       w->settings->watch.port, w->settings->calling_ae, w->settings->watch.tls ? ", with TLS" : "",
       w->settings->watch.folder);
  return loop(w);
}

static void end_child(ht_child *child) {
  const struct timespec moment = {0, 50000000};
  int code;
  ht_child_stop(child);
  while (!ht_child_ended(child, &code)) nanosleep(&moment, NULL);
}

ht_status ht_watch(const ht_watcher *watcher) {
  watch w = {
      .watcher = watcher, .settings = watcher->settings, .port = -1, .lock = -1, .working = -1};
  ht_status status = run(&w);
  if (w.working >= 0) end_child(&w.child); /* its study is begun again by the next watch */
  if (w.port >= 0) close(w.port);
  if (w.lock >= 0) close(w.lock);
  free(w.study);
  return status;
}
