#define _GNU_SOURCE
/* Part "Cases": the table of the cases of a folder or a batch, and the comparison of two. */
#include "app/workbench/bench_own.h"
#include "app/workbench/case_files.h"
#include "app/workbench/cases/case_row.h"
#include "app/workbench/parts.h"
#include "core/disk/folder_names.h"
#include "core/disk/folder_walk.h"
#include "core/vessel/volume.h"
#include "run/folder/folder.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CASES_OF_BATCH  "cases"
#define COMPARISON_PAGE "comparison.html"

struct ht_table {
  pthread_mutex_t lock;     /* of what follows */
  ht_job *job;              /* the comparison; NULL: none yet */
  char folder[HT_PATH_MAX]; /* of the latest comparison */
};

void ht_table_end(ht_bench *of) {
  if (!of->table) return;
  pthread_mutex_destroy(&of->table->lock);
  free(of->table);
}

/* ---- the cases of a folder ---- */

typedef struct {
  ht_bench *of;
  const char *folder;
} search;

static int add_case(void *user, const char *name) {
  const search *in = user;
  char path[HT_PATH_MAX];
  struct stat at;
  ht_bench_case *one;
  if (*name != '.' && ht_path_join(path, in->folder, name) == HT_OK && lstat(path, &at) == 0 &&
      S_ISDIR(at.st_mode) && ht_folder_is_case(path))
    ht_bench_add(in->of, path, &one);
  return 0;
}

/* Adds a case of a batch, which may have no folder yet. */
static void add_row(void *user, const char *id) {
  const search *in = user;
  char path[HT_PATH_MAX];
  ht_bench_case *one;
  if (ht_path_join(path, in->folder, id) == HT_OK) ht_bench_add(in->of, path, &one);
}

/* Adds the cases of the start folder, and of a batch there, whose rows it reads. */
static void find_cases(ht_bench *of, ht_csv *batch) {
  char path[HT_PATH_MAX];
  const search start = {of, of->start}, in_batch = {of, path};
  *batch = (ht_csv){0};
  if (!of->start) return;
  ht_folder_walk(of->start, add_case, (void *)(uintptr_t)&start);
  if (ht_batch_rows_read(of->start, batch) == HT_OK &&
      ht_path_join(path, of->start, CASES_OF_BATCH) == HT_OK)
    ht_batch_rows_walk(batch, add_row, (void *)(uintptr_t)&in_batch);
}

ht_status ht_table_begin(ht_bench *of) {
  ht_csv batch;
  HT_TRY(ht_alloc((void **)&of->table, 1, sizeof *of->table, "the table of cases"));
  pthread_mutex_init(&of->table->lock, NULL);
  find_cases(of, &batch);
  ht_csv_free(&batch);
  return HT_OK;
}

/* ---- a row ---- */

static char *make_row(const char *folder) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_case_row_put(folder, &json);
  ht_json_object_end(&json);
  fclose(stream);
  return text;
}

/* Writes what the folder says; it is read again only where it changed. */
static void put_row(ht_bench *of, ht_bench_case *one, FILE *stream) {
  const int64_t stamp = ht_case_row_stamp(one->folder);
  pthread_mutex_lock(&of->lock);
  const int is_old = !one->row || one->row_stamp != stamp;
  pthread_mutex_unlock(&of->lock);
  char *row = is_old ? make_row(one->folder) : NULL;
  pthread_mutex_lock(&of->lock);
  if (row) {
    free(one->row);
    one->row = row;
    one->row_stamp = stamp;
  }
  fputs(one->row ? one->row : "{}", stream);
  pthread_mutex_unlock(&of->lock);
}

/* Writes the picture that tells most of the case. */
static void put_picture(const char *folder, ht_json *json) {
  static const char *const pictures[] = {"pictures/wall.png", "pictures/projection.png",
                                         "pictures/mask_on_scan.png", "pictures/candidates.png"};
  for (size_t p = 0; p < sizeof pictures / sizeof *pictures; p++)
    for (int i = 0; i < ht_case_files_count; i++) {
      if (strcmp(ht_case_files[i].name, pictures[p]) != 0) continue;
      const int64_t stamp = ht_case_file_stamp(folder, i);
      if (stamp == 0) continue;
      ht_json_integer(json, "picture", i);
      ht_json_integer(json, "stamp", stamp);
      return;
    }
}

/* Writes what may change at any moment. */
static void put_live(ht_bench *of, const ht_bench_case *one, const ht_csv *batch, ht_job_state *job,
                     FILE *stream) {
  ht_json json = {stream, 0, 1};
  const char *name = ht_path_name(one->folder);
  ht_job *own = ht_bench_job(of, one);
  memset(job, 0, sizeof *job);
  if (own) ht_job_look(own, job);
  ht_json_object(&json, NULL);
  ht_json_integer(&json, "number", one->number);
  ht_json_string(&json, "name", name);
  ht_json_bool(&json, "others_work", ht_bench_others_work(one->folder, job));
  put_picture(one->folder, &json);
  ht_json_object(&json, "job");
  ht_bench_put_job(job, &json);
  ht_json_object_end(&json);
  ht_batch_row_put(batch, name, &json);
  ht_json_object_end(&json);
}

/* ---- the table ---- */

static void put_comparison(ht_bench *of, ht_job_state *job, ht_json *json) {
  char path[HT_PATH_MAX] = "";
  pthread_mutex_lock(&of->table->lock);
  memset(job, 0, sizeof *job);
  if (of->table->job) ht_job_look(of->table->job, job);
  if (*of->table->folder && ht_path_join(path, of->table->folder, COMPARISON_PAGE) != HT_OK)
    *path = 0;
  pthread_mutex_unlock(&of->table->lock);
  ht_json_object(json, "comparison");
  ht_json_object(json, "job");
  ht_bench_put_job(job, json);
  ht_json_object_end(json);
  ht_json_string(json, "output", job->is_running ? "" : job->output);
  ht_json_bool(json, "is_there", *path && ht_file_exists(path));
  ht_json_object_end(json);
}

static void write_cases(ht_bench *of, const ht_csv *batch, ht_job_state *job, FILE *stream) {
  ht_bench_case *one;
  int count = 0;
  fputs("[", stream);
  for (int i = 0; (one = ht_bench_find(of, i)); i++) {
    if (!ht_bench_job(of, one) && !ht_folder_is_case(one->folder) &&
        !ht_batch_row_of(batch, ht_path_name(one->folder)))
      continue; /* it was removed */
    fputs(count++ ? ",\n{\"live\": " : "{\"live\": ", stream);
    put_live(of, one, batch, job, stream);
    fputs(", \"row\": ", stream);
    put_row(of, one, stream);
    fputs("}", stream);
  }
  fputs("]", stream);
}

static void write_table(ht_bench *of, ht_job_state *job, FILE *stream) {
  ht_csv batch;
  ht_json json = {stream, 0, 1};
  find_cases(of, &batch);
  fputs("{\"about\": ", stream);
  ht_json_object(&json, NULL);
  ht_json_string(&json, "folder", of->start ? ht_path_name(of->start) : "");
  ht_json_bool(&json, "is_batch", batch.rows > 0);
  ht_json_bool(&json, "has_archive", of->pacs != NULL);
  put_comparison(of, job, &json);
  ht_waiting_put(of, &json);
  ht_json_object_end(&json);
  fputs(", \"cases\": ", stream);
  write_cases(of, &batch, job, stream);
  fputs("}", stream);
  ht_csv_free(&batch);
}

static void send_cases(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char *text = NULL;
  size_t size = 0;
  ht_job_state *job = malloc(sizeof *job);
  FILE *stream = job ? open_memstream(&text, &size) : NULL;
  if (stream) {
    write_table(of, job, stream);
    fclose(stream);
  }
  free(job);
  ht_bench_send_text(call, text);
}

/* ---- comparison ---- */

typedef struct {
  int first, second;
} compare_request;

static ht_status put_compare(const ht_bench_case *const pair[2], const char *folder,
                             ht_job_command *command) {
  HT_TRY(ht_job_command_begin("compare", command));
  for (int i = 0; i < 2; i++) HT_TRY(ht_job_command_add(command, "%s", pair[i]->folder));
  HT_TRY(ht_job_command_add(command, "-o"));
  return ht_job_command_add(command, "%s", folder);
}

/* Starts it into a new folder; the lock is held. */
static ht_status start_compare(ht_bench *of, const ht_bench_case *const pair[2],
                               ht_job_command *command) {
  char folder[HT_PATH_MAX], name[32];
  if (!of->table->job) HT_TRY(ht_job_open(of->queue, &of->table->job));
  int number = 1;
  do {
    snprintf(name, sizeof name, "comparison-%d", number++);
    HT_TRY(ht_path_join(folder, of->start, name));
  } while (ht_file_exists(folder));
  HT_TRY(put_compare(pair, folder, command));
  HT_TRY(ht_job_start(of->table->job, "compare", command));
  memcpy(of->table->folder, folder, sizeof folder);
  return HT_OK;
}

static ht_status compare(ht_http_call *call, ht_bench *of) {
  static const ht_field fields[] = {
      {"first", HT_FIELD_NUMBER, offsetof(compare_request, first), HT_BENCH_CASES_MOST},
      {"second", HT_FIELD_NUMBER, offsetof(compare_request, second), HT_BENCH_CASES_MOST},
      {0}};
  compare_request asked = {0};
  HT_TRY(ht_bench_fields(call, fields, &asked));
  if (!of->start) return ht_fail(HT_ERR_USAGE, "this workbench is of one case");
  const ht_bench_case *const pair[] = {ht_bench_find(of, asked.first),
                                       ht_bench_find(of, asked.second)};
  if (!pair[0] || !pair[1]) return ht_fail(HT_ERR_NOT_FOUND, "this workbench has no such case");
  ht_job_command *command = malloc(sizeof *command);
  if (!command) return ht_fail(HT_ERR_MEMORY, "no memory to compare");
  pthread_mutex_lock(&of->table->lock);
  ht_status status = start_compare(of, pair, command);
  pthread_mutex_unlock(&of->table->lock);
  free(command);
  return status;
}

static void begin_compare(ht_http_call *call, void *user) {
  ht_bench_answer(call, compare(call, user), "{}");
}

static void stop_compare(ht_http_call *call, void *user) {
  ht_bench *of = user;
  pthread_mutex_lock(&of->table->lock);
  if (of->table->job) ht_job_stop(of->table->job);
  pthread_mutex_unlock(&of->table->lock);
  ht_bench_answer(call, HT_OK, "{}");
}

static void send_comparison(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char folder[HT_PATH_MAX];
  pthread_mutex_lock(&of->table->lock);
  memcpy(folder, of->table->folder, sizeof folder);
  pthread_mutex_unlock(&of->table->lock);
  if (*folder)
    ht_http_send_beneath(call, folder, COMPARISON_PAGE, "text/html; charset=utf-8");
  else
    ht_http_send(call, 404, "text/plain", "", 0);
}

const ht_http_route ht_bench_table_routes[] = {
    {"GET", "/api/cases", send_cases},
    {"POST", "/api/compare", begin_compare},
    {"POST", "/api/compare-stop", stop_compare},
    {"GET", "/api/comparison", send_comparison},
    {0},
};
