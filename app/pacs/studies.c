#define _GNU_SOURCE
#include "app/pacs/studies.h"
#include "app/pacs/carried.h"
#include "run/process/child.h"
#include "core/machine/clock.h"
#include "core/disk/folder_walk.h"
#include "run/process/helper.h"
#include "app/pacs/study_choice.h"
#include "core/vessel/volume.h"
#include "run/folder/yaml_file.h"
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { RUNS_MOST = 3, SENDS_MOST = 10, WAIT_MOST_S = 600 };

typedef struct {
  char uid[65];
  ht_study_state state;
  int unwritten; /* 1: the state is not on the disk */
  int again;     /* 1: it has come to its end, and further objects came after that */
  int tries;     /* number in a row, of what fails or waits */
  double due_s;  /* earliest time of the next step, on ht_clock_s */
} study;

struct ht_studies {
  const ht_watcher *watcher;
  const ht_pacs_settings *settings;
  const char *folder;
  ht_carried carried;
  study *study; /* [count]; owned */
  int count, capacity;
  int working;  /* the study of `child`; -1: none */
  int choosing; /* the study of `helper`; -1: none. Never both */
  ht_child child;
  ht_helper helper;
  char program[HT_PATH_MAX];
};

__attribute__((format(printf, 2, 3))) static void tell(const ht_studies *w, const char *format,
                                                       ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  w->watcher->tell(line);
}

static ht_status folder_of(const ht_studies *w, const char *uid, char folder[HT_PATH_MAX]) {
  return ht_path_join(folder, w->folder, uid);
}

static int is_end(ht_study_step step) {
  return step >= HT_STUDY_SENT;
}

static ht_status write_state(ht_studies *w, study *of) {
  char folder[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  of->unwritten = 1;
  HT_TRY(ht_study_write(folder, &of->state));
  of->unwritten = 0;
  return HT_OK;
}

/* Writes the state before anything follows from it; on a failure it is `unwritten`. */
static ht_status set_step(ht_studies *w, study *of, ht_study_step step, const char *message) {
  if (of->state.step != step) of->state.attempts = 0;
  of->state.step = step;
  of->tries = 0;
  snprintf(of->state.message, sizeof of->state.message, "%s", message);
  tell(w, "study %s: %s%s%s", of->uid, ht_study_step_name(step), *message ? ": " : "", message);
  return write_state(w, of);
}

static void wait_quiet(const ht_studies *w, study *of) {
  of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
}

/* Waits longer each time. */
static double wait_longer(const ht_studies *w, study *of) {
  of->tries++;
  const double wait_s = fmin((double)w->settings->watch.quiet_s * of->tries, WAIT_MOST_S);
  of->due_s = ht_clock_s() + wait_s;
  return wait_s;
}

/* ---- the studies ---- */

/* Reads the state; a damaged one stops this study alone. */
static ht_status read_state(const ht_studies *w, study *of) {
  char folder[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  ht_status status = ht_study_read(folder, &of->state);
  if (status == HT_OK || status == HT_ERR_MEMORY) return status;
  tell(w, "study %s: %s", of->uid, ht_error_message());
  HT_TRY(ht_study_set_aside(folder, &of->state));
  tell(w, "study %s: failed: %s", of->uid, of->state.message);
  return HT_OK;
}

static ht_status add_study(ht_studies *w, const char *uid, study **added) {
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

static study *find_study(ht_studies *w, const char *uid) {
  for (int i = 0; i < w->count; i++)
    if (strcmp(w->study[i].uid, uid) == 0) return &w->study[i];
  return NULL;
}

static void drop_study(ht_studies *w, study *of) {
  tell(w, "study %s: its folder is gone: it is left out", of->uid);
  *of = w->study[--w->count];
}

static int has_folder(const ht_studies *w, const study *of) {
  char folder[HT_PATH_MAX];
  return folder_of(w, of->uid, folder) == HT_OK && ht_folder_exists(folder);
}

/* Examines a study again whose objects came after its end, or while it was computed. */
static void look_again(ht_studies *w, study *of) {
  char folder[HT_PATH_MAX];
  if (!is_end(of->state.step) || folder_of(w, of->uid, folder) != HT_OK ||
      ht_study_objects(folder) == of->state.objects)
    return;
  if (!of->again) tell(w, "study %s: more objects have come", of->uid);
  of->again = 1;
  of->tries = 0;
  wait_quiet(w, of);
}

/* Finds or adds a study, also one whose folder was removed, and that starts again. */
static ht_status find_or_add(ht_studies *w, const char *uid, study **found, int *is_new) {
  *found = find_study(w, uid);
  *is_new = !*found || !has_folder(w, *found);
  if (!*found) return add_study(w, uid, found);
  if (!*is_new) return HT_OK;
  const study none = {.uid = ""};
  const ptrdiff_t n = *found - w->study;
  if (n == w->working || n == w->choosing) return HT_OK; /* it ends first */
  **found = none;
  snprintf((*found)->uid, sizeof(*found)->uid, "%s", uid);
  return HT_OK;
}

ht_status ht_studies_keep(ht_studies *w, int sender, const ht_pacs_object *object,
                          const char *path) {
  char folder[HT_PATH_MAX];
  ht_study_kept kept;
  study *of;
  int is_new;
  if (object->is_result) return HT_OK; /* an archive that forwards what it got from here */
  const int is_first = !ht_carried_has(&w->carried, sender, object->study_uid, object->series_uid);
  HT_TRY(find_or_add(w, object->study_uid, &of, &is_new));
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_study_keep(folder, object, path, is_first, &kept));
  HT_TRY(ht_carried_add(&w->carried, sender, object->study_uid, object->series_uid, kept.is_new,
                        kept.was_marked));
  if (of->state.step == HT_STUDY_RECEIVED) wait_quiet(w, of);
  if (is_new && of->state.step == HT_STUDY_RECEIVED) return set_step(w, of, HT_STUDY_RECEIVED, "");
  look_again(w, of);
  return HT_OK;
}

/* Returns 1 where the series is complete: a sender that tries again brings the rest of it, or
 * all. */
static int is_all(const char *folder, const ht_carried_series *series) {
  ht_study_series *list;
  int count, here = INT_MAX;
  if (!series->retry || series->fresh > 0) return 1;
  if (ht_study_list(folder, &list, &count) != HT_OK) return 0;
  for (int s = 0; s < count; s++)
    if (strcmp(list[s].first.series_uid, series->series) == 0) here = list[s].objects;
  free(list);
  return series->came >= here;
}

static void take_whole(void *user, const ht_carried_series *series) {
  ht_studies *w = user;
  char folder[HT_PATH_MAX];
  study *of = find_study(w, series->study);
  if (folder_of(w, series->study, folder) != HT_OK || !is_all(folder, series)) return;
  ht_study_finish(folder, series->series);
  if (of && (of->again || of->state.step == HT_STUDY_RECEIVED)) wait_quiet(w, of);
}

void ht_studies_ended(ht_studies *w, int sender, int released, unsigned open) {
  if (ht_carried_end(&w->carried, sender, released, open, take_whole, w) != HT_OK)
    tell(w, "%s", ht_error_message());
}

/* Takes a folder that an earlier watch left. */
static int take_folder(void *user, const char *name) {
  ht_studies *w = user;
  study *of;
  if (ht_pacs_check_uid(name, "") != HT_OK) return 0;
  ht_status status = add_study(w, name, &of);
  if (status == HT_ERR_MEMORY) return (int)status;
  if (status != HT_OK) {
    tell(w, "study %s: left out: %s", name, ht_error_message());
    return 0;
  }
  if (of->state.step == HT_STUDY_RECEIVED) wait_quiet(w, of);
  look_again(w, of);
  if (!is_end(of->state.step))
    tell(w, "study %s: goes on, it was %s", of->uid, ht_study_step_name(of->state.step));
  return 0;
}

/* ---- the choice ---- */

typedef struct {
  const ht_studies *studies;
  const study *of;
} choice_task;

/* Chooses in a process of its own: it reads all objects, and may wait for the archive. */
static void choose(void *user, int socket) {
  const choice_task *task = user;
  char folder[HT_PATH_MAX];
  ht_study_choice choice;
  if (folder_of(task->studies, task->of->uid, folder) != HT_OK) return;
  ht_study_choose(task->studies->settings, folder, task->of->uid, &task->of->state, &choice);
  (void)send(socket, &choice, sizeof choice, MSG_NOSIGNAL);
}

static ht_status begin_choice(ht_studies *w, study *of) {
  choice_task task = {w, of};
  HT_TRY(ht_helper_start(choose, &task, -1, &w->helper));
  w->choosing = (int)(of - w->study);
  return HT_OK;
}

/* Waits for a further association, which alone can complete the series where no archive can be
 * asked. */
static ht_status wait_for_more(ht_studies *w, study *of, const char *message) {
  const int is_told = strcmp(of->state.message, message) == 0;
  const int tries = of->tries;
  ht_status status = HT_OK;
  if (is_end(of->state.step) && tries == 0)
    tell(w, "study %s: %s", of->uid, message);
  else if (!is_end(of->state.step) && !is_told)
    status = set_step(w, of, HT_STUDY_RECEIVED, message);
  of->tries = tries;
  wait_longer(w, of);
  if (!w->settings->host[0] || !w->settings->watch.count) of->due_s = INFINITY;
  return status;
}

static ht_status start(ht_studies *w, study *of, const char *const words[]) {
  char folder[HT_PATH_MAX], messages[HT_PATH_MAX], scan[HT_PATH_MAX], whole[PATH_MAX];
  char variable[PATH_MAX + 16];
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(messages, folder, "messages.txt"));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  if (!realpath(scan, whole)) return ht_fail(HT_ERR_NOT_FOUND, "%s: it is gone", scan);
  snprintf(variable, sizeof variable, "HEMOTILE_STUDY=%s", whole);
  /* The child is killed with this process: the next watch needs the folder of the case at once. */
  const ht_child_options options = {messages, variable, SIGKILL};
  HT_TRY(ht_child_start((char *const *)words, &options, &w->child));
  w->working = (int)(of - w->study);
  return HT_OK;
}

/* Begins a step. Restores the study where the step cannot be written, or its process cannot be
 * started. */
static ht_status begin_step(ht_studies *w, study *of, ht_study_step step, const study *before,
                            const char *const words[]) {
  const int attempts = of->state.step == step ? of->state.attempts : 0;
  of->state.step = step; /* set_step() counts from 0 where the step changes */
  of->state.attempts = attempts + 1;
  ht_status status = set_step(w, of, step, "");
  if (status == HT_OK) status = start(w, of, words);
  if (status != HT_OK) *of = *before;
  return status;
}

static ht_status process(ht_studies *w, study *of, const ht_study_choice *choice,
                         const study *before) {
  char folder[HT_PATH_MAX], result[HT_PATH_MAX], scan[HT_PATH_MAX];
  const ht_pacs_rule *rule = &w->settings->watch.rule[choice->rule];
  if (of->state.step == HT_STUDY_PROCESSING && of->state.attempts >= RUNS_MOST)
    return set_step(w, of, HT_STUDY_FAILED, "the run was ended by force, three times");
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(result, folder, "result"));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  snprintf(of->state.series, sizeof of->state.series, "%s", choice->series);
  of->state.images = choice->images;
  if (*choice->message) tell(w, "study %s: %s", of->uid, choice->message);
  const char *argv[16] = {w->program,     "run",     rule->case_file[0] ? rule->case_file : scan,
                          "-o",           result,    "--series",
                          choice->series, "--force", "--quiet",
                          "--dicom"};
  if (rule->preset[0]) argv[10] = "--preset", argv[11] = rule->preset;
  return begin_step(w, of, HT_STUDY_PROCESSING, before, argv);
}

static ht_status after_choice(ht_studies *w, study *of, const ht_study_choice *choice) {
  const study before = *of;
  if (choice->kind == HT_CHOICE_WAIT) return wait_for_more(w, of, choice->message);
  of->again = 0;
  of->state.objects = choice->objects;
  if (choice->kind == HT_CHOICE_SAME) {
    tell(w, "study %s: nothing new in the series that was computed", of->uid);
    return write_state(w, of);
  }
  if (choice->kind == HT_CHOICE_NONE) return set_step(w, of, HT_STUDY_IGNORED, "no rule fits");
  if (choice->kind == HT_CHOICE_FAILED) return set_step(w, of, HT_STUDY_FAILED, choice->message);
  return process(w, of, choice, &before);
}

static ht_status take_choice(ht_studies *w, study *of) {
  ht_study_choice choice;
  const ssize_t got = recv(w->helper.socket, &choice, sizeof choice, 0);
  ht_helper_end(&w->helper);
  w->choosing = -1;
  if (got != sizeof choice)
    choice = (ht_study_choice){.kind = HT_CHOICE_FAILED,
                               .objects = of->state.objects,
                               .message = "its objects cannot be read: the reader ended early"};
  const int has_more = of->due_s > ht_clock_s(); /* objects came meanwhile: it is chosen again */
  return has_more ? HT_OK : after_choice(w, of, &choice);
}

/* ---- the work ---- */

static ht_status send_results(ht_studies *w, study *of) {
  const study before = *of;
  char folder[HT_PATH_MAX], result[HT_PATH_MAX];
  HT_TRY(folder_of(w, of->uid, folder));
  HT_TRY(ht_path_join(result, folder, "result"));
  const char *argv[] = {w->program, "pacs", "send", result, "--pacs", w->watcher->settings_file,
                        NULL};
  return begin_step(w, of, HT_STUDY_SENDING, &before, argv);
}

/* Reads whether the flow is steady. A run with a fixed number of steps, as its case prescribes, is
 * no failure, but also no result to send. */
static ht_status read_steady(const ht_studies *w, const study *of, int *steady) {
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

static ht_status after_run(ht_studies *w, study *of, int code) {
  char message[256];
  int steady = 1;
  if (code == 0 && read_steady(w, of, &steady) != HT_OK)
    return set_step(w, of, HT_STUDY_FAILED, ht_error_message());
  if (!steady) code = HT_ERR_NOT_STEADY;
  if (code == 0)
    return w->settings->watch.send ? set_step(w, of, HT_STUDY_SENDING, "")
                                   : set_step(w, of, HT_STUDY_KEPT, "");
  if (code >= 128) { /* ended by a signal, not by itself */
    of->due_s = ht_clock_s() + w->settings->watch.quiet_s;
    return set_step(w, of, HT_STUDY_PROCESSING, "the run was ended by force");
  }
  snprintf(message, sizeof message, "`hemotile run` ended with code %d: see messages.txt%s", code,
           code == HT_ERR_NOT_STEADY ? "; results that are not steady are not sent" : "");
  return set_step(w, of, HT_STUDY_FAILED, message);
}

static ht_status after_send(ht_studies *w, study *of, int code) {
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

static ht_status look_at_child(ht_studies *w, int code) {
  study *of = &w->study[w->working];
  w->working = -1;
  ht_status status =
      of->state.step == HT_STUDY_PROCESSING ? after_run(w, of, code) : after_send(w, of, code);
  look_again(w, of);
  return status;
}

static ht_status take_step(ht_studies *w, study *of) {
  if (of->unwritten) HT_TRY(write_state(w, of));
  if (is_end(of->state.step) && !of->again) return HT_OK;
  return of->state.step == HT_STUDY_SENDING ? send_results(w, of) : begin_choice(w, of);
}

static int is_due(const ht_studies *w, const study *of) {
  return (!is_end(of->state.step) || of->again || of->unwritten) && ht_clock_s() >= of->due_s &&
         (of->state.step == HT_STUDY_SENDING || !ht_carried_study(&w->carried, of->uid));
}

/* Settles a failure of one study, as on a full disk: it does not end the watch, and is tried
 * again. */
static void settle(ht_studies *w, study *of, ht_status status) {
  if (status == HT_OK) return;
  char why[512];
  snprintf(why, sizeof why, "%s", ht_error_message());
  if (has_folder(w, of))
    tell(w, "study %s: %s; it is tried again in %.0f s", of->uid, why, wait_longer(w, of));
  else
    drop_study(w, of);
}

void ht_studies_work(ht_studies *w) {
  const int busy = w->working >= 0 ? w->working : w->choosing;
  int code;
  if (w->working >= 0) {
    if (ht_child_ended(&w->child, &code)) settle(w, &w->study[busy], look_at_child(w, code));
    return;
  }
  if (w->choosing >= 0) {
    struct pollfd from = {.fd = w->helper.socket, .events = POLLIN};
    if (poll(&from, 1, 0) > 0) settle(w, &w->study[busy], take_choice(w, &w->study[busy]));
    return;
  }
  for (int i = 0; i < w->count; i++) {
    study *of = &w->study[i];
    if (!is_due(w, of)) continue;
    if (!has_folder(w, of))
      drop_study(w, of);
    else
      settle(w, of, take_step(w, of));
    return;
  }
}

int ht_studies_socket(const ht_studies *w) {
  return w->choosing >= 0 ? w->helper.socket : -1;
}

/* ---- begin and end ---- */

ht_status ht_studies_open(const ht_watcher *watcher, const char *folder, ht_studies **studies) {
  HT_TRY(ht_alloc((void **)studies, 1, sizeof **studies, "the studies"));
  ht_studies *w = *studies;
  *w = (ht_studies){.watcher = watcher,
                    .settings = watcher->settings,
                    .folder = folder,
                    .working = -1,
                    .choosing = -1};
  ht_status status = ht_program_path(w->program);
  const int failed = status == HT_OK ? ht_folder_walk(folder, take_folder, w) : 0;
  if (failed > 0) status = (ht_status)failed;
  if (status == HT_OK) return HT_OK;
  ht_studies_close(w);
  *studies = NULL;
  return status;
}

static void end_child(ht_child *child) {
  const struct timespec moment = {0, 50000000};
  int code;
  ht_child_stop(child);
  while (!ht_child_ended(child, &code)) nanosleep(&moment, NULL);
}

void ht_studies_close(ht_studies *w) {
  if (!w) return;
  if (w->working >= 0) end_child(&w->child); /* its study is started again by the next watch */
  ht_helper_end(&w->helper);
  ht_carried_free(&w->carried);
  free(w->study);
  free(w);
}
