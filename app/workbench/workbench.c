#define _GNU_SOURCE
#include "app/workbench/workbench.h"
#include "app/workbench/case_files.h"
#include "app/workbench/http_server.h"
#include "app/workbench/job.h"
#include "app/workbench/one_open.h"
#include "app/workbench/request.h"
#include "core/formats/json.h"
#include "core/disk/folder_names.h"
#include "run/process/child.h"
#include "run/process/interrupt.h"
#include "run/process/log_lock.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The page's files, embedded (CMakeLists.txt). */
extern const char ht_bench_page_index_html[], ht_bench_page_workbench_css[],
    ht_bench_page_workbench_js[], ht_bench_page_viewer_js[], ht_bench_page_api_js[],
    ht_page_niivue_umd_js[];

enum { LOOK_US = 100000, SILENCE_MOST = 100 /* looks: 10 s */, STREAMS_MOST = 16 };

typedef struct {
  const ht_workbench_options *options;
  ht_job *job;
  atomic_int streams; /* number of pages that follow the state */
} bench;

/* ---- the page ---- */

#define PAGE(function, text, type)                                                                 \
  static void function(ht_http_call *call, void *user) {                                           \
    (void)user;                                                                                    \
    ht_http_send(call, 200, type "; charset=utf-8", text, strlen(text));                           \
  }
PAGE(send_index, ht_bench_page_index_html, "text/html")
PAGE(send_style, ht_bench_page_workbench_css, "text/css")
PAGE(send_workbench, ht_bench_page_workbench_js, "text/javascript")
PAGE(send_viewer, ht_bench_page_viewer_js, "text/javascript")
PAGE(send_api, ht_bench_page_api_js, "text/javascript")
PAGE(send_niivue, ht_page_niivue_umd_js, "text/javascript")

/* ---- the state ---- */

static void put_files(const bench *of, ht_json *json) {
  ht_json_array(json, "files");
  for (int i = 0; i < ht_case_files_count; i++) {
    const int64_t stamp = ht_case_file_stamp(of->options->folder, i);
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

/* Writes the state as one line of JSON, which the caller frees; NULL without memory. */
static char *state_text(bench *of) {
  char *text = NULL;
  size_t size = 0;
  ht_job_state *state = malloc(sizeof *state);
  FILE *stream = state ? open_memstream(&text, &size) : NULL;
  if (stream) {
    ht_json json = {stream, 0, 1};
    ht_job_look(of->job, state);
    ht_json_object(&json, NULL);
    ht_json_string(&json, "case", ht_path_name(of->options->folder));
    ht_json_bool(&json, "is_there", ht_folder_exists(of->options->folder));
    ht_json_bool(&json, "others_work", !state->is_running && is_locked(of->options->folder));
    put_files(of, &json);
    put_job(state, &json);
    ht_json_object_end(&json);
    fclose(stream);
    for (char *c = text; c && *c; c++)
      if (*c == '\n') *c = ' '; /* between members: in texts it is escaped */
  }
  free(state);
  return text;
}

static void send_state(ht_http_call *call, void *user) {
  char *text = state_text(user);
  ht_http_send(call, text ? 200 : 500, "application/json", text ? text : "",
               text ? strlen(text) : 0);
  free(text);
}

/* Sends the state whenever it changes, until the browser or the server goes. */
static void send_events(ht_http_call *call, void *user) {
  bench *of = user;
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
    char *now = state_text(user);
    if (now && (!last || strcmp(now, last) != 0 || silent >= SILENCE_MOST)) {
      is_there = ht_http_event(call, now);
      silent = 0;
    }
    silent++;
    free(last);
    last = now;
    usleep(LOOK_US);
  }
  free(last);
  atomic_fetch_sub(&of->streams, 1);
}

static void send_case_file(ht_http_call *call, void *user) {
  const bench *of = user;
  char path[HT_PATH_MAX];
  const int number = ht_http_number(call, "number", ht_case_files_count - 1);
  if (number < 0 || ht_path_join(path, of->options->folder, ht_case_files[number].name) != HT_OK)
    ht_http_send(call, 404, "text/plain", "", 0);
  else
    ht_http_send_file(call, path, ht_case_files[number].type);
}

/* ---- what the page starts ---- */

typedef ht_status (*command_maker)(const char *text, size_t length, const char *folder,
                                   ht_job_command *command);

static void start(ht_http_call *call, bench *of, const char *name, command_maker make) {
  char *text = malloc(HT_HTTP_BODY_MOST + 1);
  ht_job_command *command = malloc(sizeof *command);
  size_t length;
  ht_status status = text && command ? HT_OK : ht_fail(HT_ERR_MEMORY, "no memory for a request");
  if (status == HT_OK) status = ht_http_body(call, text, HT_HTTP_BODY_MOST + 1, &length);
  if (status == HT_OK) status = make(text, length, of->options->folder, command);
  if (status == HT_OK) status = ht_job_start(of->job, name, command);
  free(text);
  free(command);
  if (status == HT_OK)
    send_state(call, of);
  else
    ht_http_send_error(call, status);
}

static void start_segment(ht_http_call *call, void *user) {
  start(call, user, "segment", ht_request_segment);
}

static void start_run(ht_http_call *call, void *user) {
  start(call, user, "run", ht_request_run);
}

static void stop(ht_http_call *call, void *user) {
  bench *of = user;
  ht_job_stop(of->job);
  send_state(call, user);
}

static const ht_http_route routes[] = {
    {"GET", "/", send_index},
    {"GET", "/workbench.css", send_style},
    {"GET", "/workbench.js", send_workbench},
    {"GET", "/viewer.js", send_viewer},
    {"GET", "/api.js", send_api},
    {"GET", "/niivue.js", send_niivue},
    {"GET", "/api/state", send_state},
    {"GET", "/api/events", send_events},
    {"GET", "/api/file", send_case_file},
    {"POST", "/api/segment", start_segment},
    {"POST", "/api/run", start_run},
    {"POST", "/api/stop", stop},
    {0},
};

/* ---- the server ---- */

static ht_status start_import(bench *of) {
  const ht_workbench_options *options = of->options;
  ht_job_command *command;
  if (!options->scan) return HT_OK;
  command = malloc(sizeof *command);
  if (!command) return ht_fail(HT_ERR_MEMORY, "no memory to start the import");
  ht_status status = ht_job_command_begin("import", command);
  if (status == HT_OK) status = ht_job_command_add(command, "%s", options->scan);
  if (status == HT_OK) status = ht_job_command_add(command, "-o");
  if (status == HT_OK) status = ht_job_command_add(command, "%s", options->folder);
  if (status == HT_OK && options->series) {
    status = ht_job_command_add(command, "--series");
    if (status == HT_OK) status = ht_job_command_add(command, "%s", options->series);
  }
  if (status == HT_OK) status = ht_job_start(of->job, "import", command);
  free(command);
  return status;
}

/* Opens the file that leads to the page in the browser of the desktop, if there is one: the link
 * itself could be read in the list of processes. */
static void open_browser(const char *file) {
  char *const argv[] = {"/usr/bin/xdg-open", (char *)(uintptr_t)file, NULL};
  const ht_child_options options = {.log = "/dev/null"};
  ht_child browser;
  if ((getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) && ht_file_exists(argv[0]))
    ht_child_start(argv, &options, &browser); /* without one the link is there */
}

static ht_status serve(bench *of, const ht_one_open *lock) {
  ht_http_server *server;
  char link[HT_HTTP_LINK_TEXT];
  HT_TRY(start_import(of));
  HT_TRY(ht_http_start(of->options->port, routes, of, &server));
  ht_http_link(server, link);
  ht_one_open_tell(lock, link);
  printf(
      "workbench of %s\n\n  open in a browser on this machine: %s\n\n"
      "  The link is a password: it opens this case. Ctrl-C ends the workbench; the case stays.\n",
      of->options->folder, link);
  fflush(stdout);
  if (!of->options->no_browser) open_browser(lock->path);
  while (!ht_interrupt_asked()) usleep(LOOK_US);
  printf("ending: a stage that runs saves what it has and stops\n");
  fflush(stdout);
  ht_http_stop(server);
  return HT_OK;
}

ht_status ht_workbench_serve(const ht_workbench_options *options) {
  bench of = {.options = options};
  ht_one_open lock;
  HT_TRY(ht_one_open_lock(options->folder, &lock));
  ht_status status = ht_job_open(&of.job);
  ht_interrupt_hold(1); /* a running stage saves what it has */
  if (status == HT_OK) status = serve(&of, &lock);
  ht_job_close(of.job);
  ht_interrupt_hold(0);
  ht_one_open_unlock(&lock);
  return status;
}
