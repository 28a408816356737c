#define _GNU_SOURCE
#include "app/workbench/bench_own.h"
#include "app/workbench/case_files.h"
#include "app/workbench/parts.h"
#include "core/formats/json.h"
#include "core/machine/clock.h"
#include "core/disk/folder_names.h"
#include "run/process/log_lock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SILENCE_MOST_S 10

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

void ht_bench_put_job(const ht_job_state *job, ht_json *json) {
  ht_json_integer(json, "number", job->number);
  ht_json_string(json, "name", job->name);
  ht_json_bool(json, "running", job->is_running);
  ht_json_integer(json, "place", job->place);
  ht_json_integer(json, "exit_code", job->exit_code);
  ht_json_string(json, "typed", job->typed);
}

int ht_bench_others_work(const char *folder, const ht_job_state *job) {
  char path[HT_PATH_MAX];
  const int is_own = job->is_running && job->place == 0;
  return !is_own && ht_path_join(path, folder, HT_FILE_LOG) == HT_OK && ht_log_is_locked(path);
}

/* Writes the names of the files that are links: they are not sent. */
static void put_links(const char *folder, ht_json *json) {
  ht_json_array(json, "links");
  for (int i = 0; i < ht_case_files_count; i++)
    if (ht_case_file_is_link(folder, i)) ht_json_string(json, NULL, ht_case_files[i].name);
  ht_json_array_end(json);
}

static void put_state(ht_bench *of, const ht_bench_case *one, const ht_job_state *job,
                      FILE *stream) {
  ht_json json = {stream, 0, 1};
  pthread_mutex_lock(&of->lock);
  const int scan = one->scan;
  pthread_mutex_unlock(&of->lock);
  ht_json_object(&json, NULL);
  ht_json_string(&json, "case", ht_path_name(one->folder));
  ht_json_string(&json, "folder", one->folder);
  ht_json_bool(&json, "is_there", ht_folder_exists(one->folder));
  ht_json_bool(&json, "others_work", ht_bench_others_work(one->folder, job));
  ht_json_bool(&json, "is_one_of_many", of->start != NULL);
  ht_json_integer(&json, "scan", scan);
  put_files(one->folder, &json);
  put_links(one->folder, &json);
  ht_json_object(&json, "job");
  ht_bench_put_job(job, &json);
  ht_json_string(&json, "output", job->output);
  ht_json_object_end(&json);
  ht_json_object_end(&json);
}

char *ht_bench_state_text(ht_bench *of, ht_bench_case *one) {
  char *text = NULL;
  size_t size = 0;
  ht_job_state *job = malloc(sizeof *job);
  FILE *stream = job ? open_memstream(&text, &size) : NULL;
  if (stream) {
    ht_job_look(one->job, job);
    put_state(of, one, job, stream);
    fclose(stream);
    for (char *c = text; c && *c; c++)
      if (*c == '\n') *c = ' '; /* between members: in texts it is escaped */
  }
  free(job);
  return text;
}

void ht_bench_send_state(ht_http_call *call, ht_bench *of) {
  char *text = ht_bench_state_text(of, ht_bench_of_call(call, of));
  ht_http_send(call, text ? 200 : 500, "application/json", text ? text : "",
               text ? strlen(text) : 0);
  free(text);
}

static void send_state(ht_http_call *call, void *user) {
  ht_bench_send_state(call, user);
}

/* ---- the state, followed ---- */

static void look(ht_bench *of, ht_bench_case *one) {
  char *now = ht_bench_state_text(of, one);
  pthread_mutex_lock(&of->lock);
  if (now && (!one->state || strcmp(now, one->state) != 0)) {
    free(one->state);
    one->state = now;
    one->stamp++;
    now = NULL;
    pthread_cond_broadcast(&of->changed);
  }
  pthread_mutex_unlock(&of->lock);
  free(now);
}

void ht_bench_look(ht_bench *of) {
  for (int i = 0;; i++) {
    ht_bench_case *one = ht_bench_find(of, i);
    if (!one) return;
    pthread_mutex_lock(&of->lock);
    const int is_followed = one->streams > 0;
    pthread_mutex_unlock(&of->lock);
    if (is_followed) look(of, one);
  }
}

/* Waits for another state than that of the stamp. Returns a copy; NULL after HT_BENCH_LOOK_US
 * without one. */
static char *next_state(ht_bench *of, const ht_bench_case *one, int64_t *stamp) {
  struct timespec until;
  char *copy = NULL;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += HT_BENCH_LOOK_US * 1000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&of->lock);
  if (one->stamp == *stamp) pthread_cond_timedwait(&of->changed, &of->lock, &until);
  if (one->stamp != *stamp) copy = strdup(one->state);
  if (copy) *stamp = one->stamp;
  pthread_mutex_unlock(&of->lock);
  return copy;
}

static int add_stream(ht_bench *of, ht_bench_case *one, int change) {
  pthread_mutex_lock(&of->lock);
  const int can = one->streams + change <= HT_BENCH_STREAMS_MOST;
  if (can) one->streams += change;
  pthread_mutex_unlock(&of->lock);
  return can;
}

/* Sends each state, until the browser or the server goes. A line without content shows after a
 * silence whether the browser is there. */
static void send_states(ht_http_call *call, ht_bench *of, ht_bench_case *one) {
  int64_t stamp = 0;
  int is_there = 1;
  double sent_s = ht_clock_s();
  look(of, one);
  while (is_there && !ht_http_stopping(call)) {
    char *text = next_state(of, one, &stamp);
    const double now_s = ht_clock_s();
    if (text || now_s - sent_s > SILENCE_MOST_S) {
      is_there = ht_http_event(call, text);
      sent_s = now_s;
    }
    free(text);
  }
}

static void send_events(ht_http_call *call, void *user) {
  ht_bench *of = user;
  ht_bench_case *one = ht_bench_of_call(call, of);
  if (!add_stream(of, one, 1)) {
    ht_fail(HT_ERR_USAGE, "this case is open in %d pages; close one of them",
            HT_BENCH_STREAMS_MOST);
    ht_http_send_error(call, HT_ERR_USAGE);
    return;
  }
  ht_http_begin_events(call);
  send_states(call, of, one);
  add_stream(of, one, -1);
}

static void send_case_file(ht_http_call *call, void *user) {
  const int number = ht_http_number(call, "number", ht_case_files_count - 1);
  if (number < 0)
    ht_http_send(call, 404, "text/plain", "", 0);
  else
    ht_http_send_beneath(call, ht_bench_folder(call, user), ht_case_files[number].name,
                         ht_case_files[number].type);
}

const ht_http_route ht_bench_state_routes[] = {
    {"GET", "/api/state", send_state},
    {"GET", "/api/events", send_events},
    {"GET", "/api/file", send_case_file},
    {0},
};
