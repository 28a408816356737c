/* Part 2: the settings of the case. The page changes what `--set` of a command changes. */
#define _GNU_SOURCE
#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include "app/workbench/request.h"
#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "core/machine/clock.h"
#include "run/folder/yaml_file.h"
#include "run/run_change.h"
#include "run/run_look.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MOST = 64, PROGRESS_MOST = 32768 };

static const char waveform_key[] = "flow.waveform";

/* Reads {"set": [["flow.cycles", "5"], ...]}; the texts belong to the YAML. */
static ht_status read_changes(struct fy_node *root, ht_setting change[CHANGES_MOST], int *count) {
  struct fy_node *list = ht_yaml_get(root, "set"), *pair;
  void *next = NULL;
  *count = 0;
  if (!list || !fy_node_is_sequence(list) || fy_node_mapping_item_count(root) != 1)
    return ht_fail(HT_ERR_USAGE, "the request needs 'set', and no other key");
  while ((pair = fy_node_sequence_iterate(list, &next))) {
    if (*count == CHANGES_MOST)
      return ht_fail(HT_ERR_USAGE, "'set' of the request has more than %d pairs", CHANGES_MOST);
    HT_TRY(ht_request_setting(pair, &change[(*count)++]));
  }
  return HT_OK;
}

/* Sends what was written to a stream of open_memstream, or the error; frees both. */
static void send_text(ht_http_call *call, ht_status status, FILE *stream, char **text,
                      const size_t *size) {
  if (stream) fclose(stream);
  if (status == HT_OK)
    ht_http_send(call, 200, "application/json", *text, *size);
  else
    ht_http_send_error(call, status);
  free(*text);
}

/* Sends what `write` writes, or its error. */
static void send_json(ht_http_call *call, ht_bench *of,
                      ht_status (*write)(const char *folder, ht_bench *of, FILE *stream)) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  ht_status status = stream ? write(ht_bench_folder(call, of), of, stream)
                            : ht_fail(HT_ERR_MEMORY, "no memory for an answer");
  send_text(call, status, stream, &text, &size);
}

static ht_status write_settings(const char *folder, ht_bench *of, FILE *stream) {
  (void)of;
  return ht_run_settings_json(folder, stream);
}

static void send_settings(ht_http_call *call, void *user) {
  send_json(call, user, write_settings);
}

/* What else runs changes the rate of the memory, and with it the time that a run takes. */
static const double rate_lasts_s = 60;

static ht_status write_lattices(const char *folder, ht_bench *of, FILE *stream) {
  pthread_mutex_lock(&of->estimating);
  const double now_s = ht_clock_s();
  if (now_s - of->copy_rate_s > rate_lasts_s) of->copy_rate = 0;
  if (!(of->copy_rate > 0)) of->copy_rate_s = now_s;
  const ht_status status = ht_run_lattices_json(folder, &of->copy_rate, stream);
  pthread_mutex_unlock(&of->estimating);
  return status;
}

static void send_lattices(ht_http_call *call, void *user) {
  send_json(call, user, write_lattices);
}

static void send_path(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char *text = NULL;
  size_t size = 0;
  const int opening = ht_http_number(call, "opening", HT_OPENINGS_MAX);
  FILE *stream = open_memstream(&text, &size);
  pthread_mutex_lock(&of->estimating);
  ht_status status = stream ? ht_run_path_json(ht_bench_folder(call, of), opening, stream)
                            : ht_fail(HT_ERR_MEMORY, "no memory for an answer");
  pthread_mutex_unlock(&of->estimating);
  send_text(call, status, stream, &text, &size);
}

/* Sends the progress of what works in the folder; {} where nothing does, as its file goes with it.
 */
static void send_progress(ht_http_call *call, void *user) {
  char path[HT_PATH_MAX], text[PROGRESS_MOST];
  size_t size = 0;
  FILE *file = NULL;
  if (ht_path_join(path, ht_bench_folder(call, user), HT_FILE_PROGRESS) == HT_OK)
    file = ht_file_open(path);
  if (file) {
    size = fread(text, 1, sizeof text, file);
    fclose(file);
  }
  ht_http_send(call, 200, "application/json", size ? text : "{}", size ? size : 2);
}

static ht_status apply(const char *folder, const char *text, size_t length) {
  ht_setting change[CHANGES_MOST];
  int count;
  ht_yaml yaml;
  ht_status status = ht_yaml_parse("the request", text, length, HT_ERR_USAGE, &yaml);
  if (status == HT_OK) status = read_changes(yaml.root, change, &count);
  if (status == HT_OK) status = ht_run_change(folder, change, count);
  ht_yaml_free(&yaml);
  return status;
}

/* Says of which file the message is: the browser's has no name here. */
static ht_status without_path(ht_status status, const char *path) {
  char message[2048];
  const char *text = ht_error_message(), *at = strstr(text, path);
  if (status == HT_OK || !at) return status;
  snprintf(message, sizeof message, "%.*sthe file%s", (int)(at - text), text, at + strlen(path));
  return ht_fail(status, "%s", message);
}

/* Takes the body for a waveform's file. Its reader is that of the case file's key. */
static ht_status take_waveform(const char *folder, const char *text, size_t length) {
  char path[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_path_join(path, folder, HT_FILE_WAVEFORM));
  HT_TRY(ht_output_open(path, &output));
  const ht_setting change = {waveform_key, output.hidden};
  ht_status status = fwrite(text, 1, length, output.stream) == length && !fflush(output.stream)
                         ? HT_OK
                         : ht_fail(HT_ERR_WRITE, "%s: cannot write", folder);
  if (status == HT_OK) status = ht_run_change(folder, &change, 1);
  status = without_path(status, output.hidden);
  ht_output_abandon(&output);
  return status;
}

/* Answers with the settings that `take` has changed by the body. Two pages take turns. */
static void answer(ht_http_call *call, ht_bench *of,
                   ht_status (*take)(const char *folder, const char *text, size_t length)) {
  size_t length;
  char *text;
  ht_status status = ht_http_body(call, &text, &length);
  pthread_mutex_lock(&of->changing);
  if (status == HT_OK &&
      ht_job_is_busy(ht_bench_of_call(call, of)->job)) /* it may not have locked the folder yet */
    status = ht_fail(HT_ERR_USAGE, "a command works in the case's folder: wait until it has ended");
  if (status == HT_OK) status = take(ht_bench_folder(call, of), text, length);
  pthread_mutex_unlock(&of->changing);
  free(text);
  if (status == HT_OK)
    send_settings(call, of);
  else
    ht_http_send_error(call, status);
}

static void set(ht_http_call *call, void *user) {
  answer(call, user, apply);
}

static void set_waveform(ht_http_call *call, void *user) {
  answer(call, user, take_waveform);
}

const ht_http_route ht_bench_setting_routes[] = {
    {"GET", "/api/settings", send_settings},
    {"POST", "/api/settings", set},
    {"GET", "/api/lattices", send_lattices},
    {"GET", "/api/path", send_path},
    {"GET", "/api/progress", send_progress},
    {"POST", "/api/waveform", set_waveform},
    {0},
};
