#define _GNU_SOURCE
/* Part "Cases": the commands that wait, kept in a file of the start folder. A workbench that ends
 * starts nothing later; the next one shows what waited, and queues it again if it is told to. */
#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include "app/workbench/request.h"
#include "core/vessel/volume.h"
#include "run/folder/yaml_file.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME ".hemotile-queue.json"
enum { WAITING_MOST = 1000 };

/* A command of a case, by the request that starts it. */
typedef struct {
  ht_bench_case *one;
  char name[16];
  char *request; /* owned */
} waiting;

struct ht_waiting {
  pthread_mutex_t lock; /* of what follows */
  waiting left[WAITING_MOST];
  int count;     /* of those that an earlier workbench left */
  char *written; /* text of the file; owned; NULL: there is none */
};

/* Returns the maker of a command that may be queued again; NULL: of others. */
static ht_bench_maker maker_of(const char *name) {
  return strcmp(name, "run") == 0       ? ht_request_run
         : strcmp(name, "segment") == 0 ? ht_request_segment
                                        : NULL;
}

void ht_bench_remember(ht_bench *of, ht_bench_case *one, const char *name, const char *request) {
  pthread_mutex_lock(&of->lock);
  free(one->request);
  one->request = strdup(request);
  snprintf(one->request_name, sizeof one->request_name, "%s", name);
  pthread_mutex_unlock(&of->lock);
}

/* ---- the file ---- */

static ht_status path_of(const ht_bench *of, char path[HT_PATH_MAX]) {
  return ht_path_join(path, of->start, FILE_NAME);
}

static void put(const ht_bench *of, const waiting *command, ht_json *json) {
  ht_json_object(json, NULL);
  ht_json_string(json, "case", command->one->folder + strlen(of->start) + 1);
  ht_json_string(json, "name", command->name);
  ht_json_string(json, "request", command->request);
  ht_json_object_end(json);
}

/* Adds the commands that wait now, in their order; the bench's lock is not held. */
static void put_now(ht_bench *of, ht_json *json) {
  ht_bench_case *one;
  int count = 0, last = 0;
  do {
    ht_bench_case *next = NULL;
    int least = 0;
    for (int i = 0; (one = ht_bench_find(of, i)); i++) {
      ht_job *job = ht_bench_job(of, one);
      const int place = job ? ht_job_place(job) : 0;
      if (place <= last || (next && place >= least)) continue;
      next = one;
      least = place;
    }
    if (!next) return;
    last = least;
    pthread_mutex_lock(&of->lock);
    waiting command = {.one = next};
    memcpy(command.name, next->request_name, sizeof command.name);
    command.request = next->request;
    if (command.request && maker_of(command.name)) put(of, &command, json);
    pthread_mutex_unlock(&of->lock);
  } while (++count < WAITING_MOST);
}

/* Returns the text of the file; NULL: nothing waits, or no memory. */
static char *make_text(ht_bench *of) {
  char *text = NULL, *empty;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_array(&json, "waiting");
  for (int i = 0; i < of->waiting->count; i++) put(of, &of->waiting->left[i], &json);
  put_now(of, &json);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
  fclose(stream);
  empty = text ? strstr(text, "\"case\"") : NULL;
  if (!empty) free(text);
  return empty ? text : NULL;
}

/* Writes the file, whole or not at all; a folder that cannot be written to has none. */
static void write_file(const ht_bench *of, const char *text) {
  char path[HT_PATH_MAX];
  ht_output output;
  if (path_of(of, path) != HT_OK) return;
  if (!text) {
    unlink(path);
    return;
  }
  if (ht_output_open(path, &output) != HT_OK) return;
  fputs(text, output.stream);
  (void)ht_output_commit(&output);
}

void ht_waiting_step(ht_bench *of) {
  struct ht_waiting *own = of->waiting;
  if (!of->start || !own) return;
  pthread_mutex_lock(&own->lock);
  char *text = make_text(of);
  if (text ? !own->written || strcmp(text, own->written) != 0 : own->written != NULL) {
    write_file(of, text);
    free(own->written);
    own->written = text;
    text = NULL;
  }
  pthread_mutex_unlock(&own->lock);
  free(text);
}

/* ---- what was left ---- */

static ht_bench_case *case_of(ht_bench *of, const char *name) {
  ht_bench_case *one;
  for (int i = 0; (one = ht_bench_find(of, i)); i++)
    if (strcmp(one->folder + strlen(of->start) + 1, name) == 0) return one;
  return NULL;
}

static ht_status make(const waiting *command, ht_job_command *made) {
  return maker_of(command->name)(command->request, strlen(command->request), command->one->folder,
                                 made);
}

/* Takes an entry whose case is there, and whose request is one that the page could send. */
static void take(ht_bench *of, struct fy_node *entry, ht_job_command *scratch) {
  static const char *const keys[] = {"case", "name", "request"};
  const char *text[3];
  for (int k = 0; k < 3; k++) {
    struct fy_node *node = ht_yaml_get(entry, keys[k]);
    text[k] = node && fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
    if (!text[k]) return;
  }
  waiting command = {.one = case_of(of, text[0])};
  if (!command.one || strlen(text[1]) >= sizeof command.name || !maker_of(text[1])) return;
  snprintf(command.name, sizeof command.name, "%s", text[1]);
  command.request = strdup(text[2]);
  if (command.request && make(&command, scratch) == HT_OK)
    of->waiting->left[of->waiting->count++] = command;
  else
    free(command.request);
}

/* A file that is damaged is as good as none. */
static void read_file(ht_bench *of) {
  char path[HT_PATH_MAX];
  struct fy_node *list, *entry;
  void *next = NULL;
  ht_yaml yaml;
  ht_job_command *scratch = malloc(sizeof *scratch);
  if (scratch && path_of(of, path) == HT_OK && ht_file_exists(path)) {
    of->waiting->written = strdup("");
    list = ht_yaml_read(path, HT_ERR_FORMAT, &yaml) == HT_OK ? ht_yaml_get(yaml.root, "waiting")
                                                             : NULL;
    while (list && fy_node_is_sequence(list) && of->waiting->count < WAITING_MOST &&
           (entry = fy_node_sequence_iterate(list, &next)))
      take(of, entry, scratch);
    ht_yaml_free(&yaml);
  }
  free(scratch);
}

ht_status ht_waiting_begin(ht_bench *of) {
  HT_TRY(ht_alloc((void **)&of->waiting, 1, sizeof *of->waiting, "the queue"));
  pthread_mutex_init(&of->waiting->lock, NULL);
  if (of->start) read_file(of);
  return HT_OK;
}

static void forget(struct ht_waiting *own) {
  for (int i = 0; i < own->count; i++) free(own->left[i].request);
  own->count = 0;
}

void ht_waiting_end(ht_bench *of) {
  if (!of->waiting) return;
  forget(of->waiting);
  free(of->waiting->written);
  pthread_mutex_destroy(&of->waiting->lock);
  free(of->waiting);
}

void ht_waiting_put(ht_bench *of, ht_json *json) {
  ht_json_array(json, "left");
  pthread_mutex_lock(&of->waiting->lock);
  for (int i = 0; i < of->waiting->count; i++) {
    ht_json_object(json, NULL);
    ht_json_integer(json, "number", of->waiting->left[i].one->number);
    ht_json_string(json, "name", of->waiting->left[i].name);
    ht_json_object_end(json);
  }
  pthread_mutex_unlock(&of->waiting->lock);
  ht_json_array_end(json);
}

static ht_status start(ht_bench *of, const waiting *command, ht_job_command *made) {
  HT_TRY(make(command, made));
  HT_TRY(ht_bench_open_case(of, command->one));
  HT_TRY(ht_job_start(command->one->job, command->name, made));
  ht_bench_remember(of, command->one, command->name, command->request);
  return HT_OK;
}

/* Queues them again; of several that cannot be the first is reported. */
static ht_status start_all(ht_bench *of) {
  char message[1024] = "";
  ht_status failed = HT_OK;
  ht_job_command *made = malloc(sizeof *made);
  if (!made) return ht_fail(HT_ERR_MEMORY, "no memory for the queue");
  for (int i = 0; i < of->waiting->count; i++) {
    const ht_status status = start(of, &of->waiting->left[i], made);
    if (status == HT_OK || failed != HT_OK) continue;
    failed = status;
    snprintf(message, sizeof message, "%s", ht_error_message());
  }
  free(made);
  return failed == HT_OK ? HT_OK : ht_fail(failed, "%s", message);
}

static void answer(ht_http_call *call, void *user) {
  static const ht_field fields[] = {{"again", HT_FIELD_NUMBER, 0, 1}, {0}};
  ht_bench *of = user;
  int again = 0;
  ht_status status = ht_bench_fields(call, fields, &again);
  pthread_mutex_lock(&of->waiting->lock);
  if (status == HT_OK && again) status = start_all(of);
  forget(of->waiting);
  pthread_mutex_unlock(&of->waiting->lock);
  ht_bench_answer(call, status, "{}");
}

const ht_http_route ht_bench_waiting_routes[] = {
    {"POST", "/api/waiting", answer},
    {0},
};
