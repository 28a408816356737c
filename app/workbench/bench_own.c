#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include "core/vessel/volume.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the workbench ---- */

ht_status ht_bench_open(ht_bench *of) {
  *of = (ht_bench){0};
  pthread_mutex_init(&of->lock, NULL);
  pthread_mutex_init(&of->estimating, NULL);
  pthread_mutex_init(&of->changing, NULL);
  pthread_cond_init(&of->changed, NULL);
  HT_TRY(ht_alloc((void **)&of->item, HT_BENCH_CASES_MOST, sizeof(ht_bench_case *), "the cases"));
  return ht_job_queue_open(&of->queue);
}

void ht_bench_close(ht_bench *of) {
  ht_job_queue_close(of->queue);
  for (int i = 0; i < of->cases; i++) {
    if (of->item[i]->job) ht_one_open_unlock(&of->item[i]->lock);
    free(of->item[i]->row);
    free(of->item[i]->request);
    free(of->item[i]->state);
    free(of->item[i]);
  }
  free(of->item);
  pthread_cond_destroy(&of->changed);
  pthread_mutex_destroy(&of->lock);
  pthread_mutex_destroy(&of->estimating);
  pthread_mutex_destroy(&of->changing);
}

/* ---- its cases ---- */

/* Adds the case; the lock is held. */
static ht_status add(ht_bench *of, const char *folder, ht_bench_case **added) {
  if (of->cases == HT_BENCH_CASES_MOST)
    return ht_fail(HT_ERR_USAGE, "more than %d cases: open a part of them", HT_BENCH_CASES_MOST);
  HT_TRY(ht_alloc((void **)added, 1, sizeof **added, "a case"));
  (*added)->number = of->cases;
  (*added)->lock.descriptor = -1;
  (*added)->scan = -1;
  snprintf((*added)->folder, sizeof(*added)->folder, "%s", folder);
  of->item[of->cases++] = *added;
  return HT_OK;
}

ht_status ht_bench_add(ht_bench *of, const char *folder, ht_bench_case **added) {
  ht_status status = HT_OK;
  *added = NULL;
  pthread_mutex_lock(&of->lock);
  for (int i = 0; i < of->cases && !*added; i++)
    if (strcmp(of->item[i]->folder, folder) == 0) *added = of->item[i];
  if (!*added) status = add(of, folder, added);
  pthread_mutex_unlock(&of->lock);
  return status;
}

ht_bench_case *ht_bench_find(ht_bench *of, int number) {
  pthread_mutex_lock(&of->lock);
  ht_bench_case *one = number >= 0 && number < of->cases ? of->item[number] : NULL;
  pthread_mutex_unlock(&of->lock);
  return one;
}

ht_job *ht_bench_job(ht_bench *of, const ht_bench_case *one) {
  pthread_mutex_lock(&of->lock);
  ht_job *job = one->job;
  pthread_mutex_unlock(&of->lock);
  return job;
}

/* Opens the case; the lock is held. */
static ht_status open_case(ht_bench *of, ht_bench_case *one) {
  char link[HT_HTTP_LINK_TEXT];
  if (one->job) return HT_OK;
  HT_TRY(ht_one_open_lock(one->folder, &one->lock));
  ht_status status = ht_job_open(of->queue, &one->job);
  if (status == HT_OK && of->server) {
    ht_http_link(of->server, one->number, link);
    ht_one_open_tell(&one->lock, link);
  }
  if (status != HT_OK) ht_one_open_unlock(&one->lock);
  return status;
}

ht_status ht_bench_open_case(ht_bench *of, ht_bench_case *one) {
  pthread_mutex_lock(&of->lock);
  ht_status status = open_case(of, one);
  pthread_mutex_unlock(&of->lock);
  return status;
}

/* ---- the case of a call ---- */

int ht_bench_number(const ht_http_call *call, const ht_bench *of) {
  const int number = ht_http_number(call, "case", HT_BENCH_CASES_MOST);
  return number < 0 && !of->start ? 0 : number; /* a workbench of one case */
}

ht_bench_case *ht_bench_of_call(const ht_http_call *call, const ht_bench *of) {
  return of->item[ht_bench_number(call, of)];
}

const char *ht_bench_folder(const ht_http_call *call, const ht_bench *of) {
  return ht_bench_of_call(call, of)->folder;
}

int ht_bench_admit(ht_http_call *call, void *user, const ht_http_route *table) {
  ht_bench *of = user;
  if (table == ht_bench_page_routes || table == ht_bench_scan_routes ||
      table == ht_bench_table_routes || table == ht_bench_archive_routes ||
      table == ht_bench_waiting_routes)
    return 1;
  ht_bench_case *one = ht_bench_find(of, ht_bench_number(call, of));
  ht_status status = one ? ht_bench_open_case(of, one)
                         : ht_fail(HT_ERR_NOT_FOUND, "this workbench has no such case");
  if (status != HT_OK) ht_http_send_error(call, status);
  return status == HT_OK;
}

/* ---- what the parts share ---- */

ht_status ht_bench_fields(ht_http_call *call, const ht_field *fields, void *target) {
  char *text;
  size_t length;
  ht_status status = ht_http_body(call, &text, &length);
  if (status == HT_OK) status = ht_fields_read(fields, text, length, target);
  free(text);
  return status;
}

void ht_bench_answer(ht_http_call *call, ht_status status, const char *format, ...) {
  char text[128];
  va_list values;
  if (status != HT_OK) {
    ht_http_send_error(call, status);
    return;
  }
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  ht_http_send(call, 200, "application/json", text, strlen(text));
}

void ht_bench_send_text(ht_http_call *call, char *text) {
  if (text)
    ht_http_send(call, 200, "application/json", text, strlen(text));
  else
    ht_http_send_error(call, ht_fail(HT_ERR_MEMORY, "no memory for an answer"));
  free(text);
}

static ht_status put_import(const ht_bench_case *one, const char *scan, const char *series,
                            int phase, ht_job_command *command) {
  HT_TRY(ht_job_command_begin("import", command));
  HT_TRY(ht_job_command_add(command, "%s", scan));
  HT_TRY(ht_job_command_add(command, "-o"));
  HT_TRY(ht_job_command_add(command, "%s", one->folder));
  if (series) {
    HT_TRY(ht_job_command_add(command, "--series"));
    HT_TRY(ht_job_command_add(command, "%s", series));
  }
  if (!phase) return HT_OK;
  HT_TRY(ht_job_command_add(command, "--phase"));
  return ht_job_command_add(command, "%d", phase);
}

ht_status ht_bench_import(ht_bench *of, ht_bench_case *one, const char *scan, const char *series,
                          int phase) {
  ht_job_command *command = malloc(sizeof *command);
  ht_status status = command ? ht_bench_open_case(of, one)
                             : ht_fail(HT_ERR_MEMORY, "no memory to start the import");
  if (status == HT_OK) status = put_import(one, scan, series, phase, command);
  if (status == HT_OK) status = ht_job_start(one->job, "import", command);
  free(command);
  return status;
}
