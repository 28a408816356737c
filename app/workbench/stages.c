#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include "app/workbench/request.h"
#include <stdlib.h>

void ht_bench_start(ht_http_call *call, ht_bench *of, const char *name, ht_bench_maker make) {
  char *text = NULL;
  ht_job_command *command = malloc(sizeof *command);
  size_t length;
  ht_status status = command ? HT_OK : ht_fail(HT_ERR_MEMORY, "no memory for a request");
  if (status == HT_OK) status = ht_http_body(call, &text, &length);
  if (status == HT_OK) status = make(text, length, ht_bench_folder(call, of), command);
  if (status == HT_OK) status = ht_job_start(ht_bench_of_call(call, of)->job, name, command);
  if (status == HT_OK) ht_bench_remember(of, ht_bench_of_call(call, of), name, text);
  free(text);
  free(command);
  if (status == HT_OK)
    ht_bench_send_state(call, of);
  else
    ht_http_send_error(call, status);
}

static void start_segment(ht_http_call *call, void *user) {
  ht_bench_start(call, user, "segment", ht_request_segment);
}

static void start_run(ht_http_call *call, void *user) {
  ht_bench_start(call, user, "run", ht_request_run);
}

static void stop(ht_http_call *call, void *user) {
  ht_bench *of = user;
  ht_job_stop(ht_bench_of_call(call, of)->job);
  ht_bench_send_state(call, user);
}

const ht_http_route ht_bench_stage_routes[] = {
    {"POST", "/api/segment", start_segment},
    {"POST", "/api/run", start_run},
    {"POST", "/api/stop", stop},
    {0},
};
