#define _GNU_SOURCE
#include "app/workbench/bench_own.h"
#include "app/workbench/case_files.h"
#include "app/workbench/parts.h"
#include "core/formats/json.h"
#include "core/disk/folder_names.h"
#include "run/process/log_lock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SILENCE_MOST = 100 /* looks: 10 s */, STREAMS_MOST = 16 };

static void put_files(const char *folder, ht_json *json) {
  ht_json_array(json, "files");
  for (int i = 0; i < ht_case_files_count; i++) {
    const int64_t stamp = ht_case_file_stamp(folder, i);
    if (stamp == 0) continue;
    ht_json_object(json, NULL);
    ht_json_string(json, "name", ht_case_files[i].name);
    ht_json_integer(json, "number", i);
    ht_json_integer(json, "stamp", stamp);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
}

static void put_job(const ht_job_state *state, ht_json *json) {
  ht_json_object(json, "job");
  ht_json_integer(json, "number", state->number);
  ht_json_string(json, "name", state->name);
  ht_json_bool(json, "running", state->is_running);
  ht_json_integer(json, "exit_code", state->exit_code);
  ht_json_string(json, "typed", state->typed);
  ht_json_string(json, "output", state->output);
  ht_json_object_end(json);
}

/* Returns 1 while a command works in the folder: one of a terminal, or of a workbench that was
 * killed. */
static int is_locked(const char *folder) {
  char path[HT_PATH_MAX];
  return ht_path_join(path, folder, HT_FILE_LOG) == HT_OK && ht_log_is_locked(path);
}

/* Writes the state of the call's case as one line of JSON, which the caller frees; NULL without
 * memory. */
static char *state_text(const ht_http_call *call, ht_bench *of) {
  const char *folder = ht_bench_folder(call, of);
  char *text = NULL;
  size_t size = 0;
  ht_job_state *state = malloc(sizeof *state);
  FILE *stream = state ? open_memstream(&text, &size) : NULL;
  if (stream) {
    ht_json json = {stream, 0, 1};
    ht_job_look(of->job, state);
    ht_json_object(&json, NULL);
    ht_json_string(&json, "case", ht_path_name(folder));
    ht_json_bool(&json, "is_there", ht_folder_exists(folder));
    ht_json_bool(&json, "others_work", !state->is_running && is_locked(folder));
    put_files(folder, &json);
    put_job(state, &json);
    ht_json_object_end(&json);
    fclose(stream);
    for (char *c = text; c && *c; c++)
      if (*c == '\n') *c = ' '; /* between members: in texts it is escaped */
  }
  free(state);
  return text;
}

void ht_bench_send_state(ht_http_call *call, ht_bench *of) {
  char *text = state_text(call, of);
  ht_http_send(call, text ? 200 : 500, "application/json", text ? text : "",
               text ? strlen(text) : 0);
  free(text);
}

static void send_state(ht_http_call *call, void *user) {
  ht_bench_send_state(call, user);
}

/* Sends the state whenever it changes, until the browser or the server goes. */
static void send_events(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char *last = NULL;
  int silent = 0, is_there = 1;
  if (atomic_fetch_add(&of->streams, 1) >= STREAMS_MOST) {
    atomic_fetch_sub(&of->streams, 1);
    ht_fail(HT_ERR_USAGE, "this case is open in %d pages; close one of them", STREAMS_MOST);
    ht_http_send_error(call, HT_ERR_USAGE);
    return;
  }
  ht_http_begin_events(call);
  while (is_there && !ht_http_stopping(call)) {
    char *now = state_text(call, of);
    if (now && (!last || strcmp(now, last) != 0 || silent >= SILENCE_MOST)) {
      is_there = ht_http_event(call, now);
      silent = 0;
    }
    silent++;
    free(last);
    last = now;
    usleep(HT_BENCH_LOOK_US);
  }
  free(last);
  atomic_fetch_sub(&of->streams, 1);
}

static void send_case_file(ht_http_call *call, void *user) {
  const ht_bench *of = user;
  char path[HT_PATH_MAX];
  const int number = ht_http_number(call, "number", ht_case_files_count - 1);
  if (number < 0 ||
      ht_path_join(path, ht_bench_folder(call, of), ht_case_files[number].name) != HT_OK)
    ht_http_send(call, 404, "text/plain", "", 0);
  else
    ht_http_send_file(call, path, ht_case_files[number].type);
}

const ht_http_route ht_bench_state_routes[] = {
    {"GET", "/api/state", send_state},
    {"GET", "/api/events", send_events},
    {"GET", "/api/file", send_case_file},
    {0},
};
