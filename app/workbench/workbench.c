#define _GNU_SOURCE
#include "app/workbench/workbench.h"
#include "app/workbench/bench_own.h"
#include "app/workbench/measuring.h"
#include "app/workbench/one_open.h"
#include "app/workbench/parts.h"
#include "run/process/child.h"
#include "run/process/interrupt.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const ht_http_route *const tables[] = {ht_bench_page_routes, ht_bench_state_routes,
                                              ht_bench_stage_routes, ht_bench_measure_routes, NULL};

static ht_status start_import(const ht_workbench_options *options, ht_bench *of) {
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

static ht_status serve(const ht_workbench_options *options, ht_bench *of, const ht_one_open *lock) {
  ht_http_server *server;
  char link[HT_HTTP_LINK_TEXT];
  HT_TRY(start_import(options, of));
  HT_TRY(ht_http_start(options->port, tables, of, &server));
  ht_http_link(server, link);
  ht_one_open_tell(lock, link);
  printf(
      "workbench of %s\n\n  open in a browser on this machine: %s\n\n"
      "  The link is a password: it opens this case. Ctrl-C ends the workbench; the case stays.\n",
      options->folder, link);
  fflush(stdout);
  if (!options->no_browser) open_browser(lock->path);
  while (!ht_interrupt_asked()) usleep(HT_BENCH_LOOK_US);
  printf("ending: a stage that runs saves what it has and stops\n");
  fflush(stdout);
  ht_http_stop(server);
  return HT_OK;
}

ht_status ht_workbench_serve(const ht_workbench_options *options) {
  ht_bench of = {.folder = options->folder};
  ht_one_open lock;
  HT_TRY(ht_one_open_lock(options->folder, &lock));
  ht_status status = ht_job_open(&of.job);
  ht_interrupt_hold(1); /* a running stage saves what it has */
  if (status == HT_OK) status = serve(options, &of, &lock);
  ht_job_close(of.job);
  ht_bench_measuring_free(of.measuring);
  ht_interrupt_hold(0);
  ht_one_open_unlock(&lock);
  return status;
}
