#define _GNU_SOURCE
#include "app/workbench/workbench.h"
#include "app/workbench/bench_own.h"
#include "app/workbench/mask_edits.h"
#include "app/workbench/measuring.h"
#include "app/workbench/parts.h"
#include "run/process/child.h"
#include "run/process/interrupt.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const ht_http_route *const tables[] = {ht_bench_page_routes,
                                              ht_bench_state_routes,
                                              ht_bench_stage_routes,
                                              ht_bench_scan_routes,
                                              ht_bench_table_routes,
                                              ht_bench_archive_routes,
                                              ht_bench_setting_routes,
                                              ht_bench_edit_routes,
                                              ht_bench_measure_routes,
                                              ht_bench_waiting_routes,
                                              NULL};

/* Opens the file that leads to the page in the browser of the desktop, if there is one: the link
 * itself could be read in the list of processes. */
static void open_browser(const char *file) {
  char *const argv[] = {"/usr/bin/xdg-open", (char *)(uintptr_t)file, NULL};
  const ht_child_options options = {.log = "/dev/null"};
  ht_child browser;
  if ((getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) && ht_file_exists(argv[0]))
    ht_child_start(argv, &options, &browser); /* without one the link is there */
}

static void print_link(const ht_workbench_options *options, const char *link) {
  printf(
      "workbench of %s\n\n  open in a browser on this machine: %s\n\n"
      "  The link is a password: it opens %s. Ctrl-C ends the workbench; what is computed stays.\n",
      options->start ? options->start : options->folder, link,
      options->start ? "these cases" : "this case");
  fflush(stdout);
}

/* Serves until Ctrl-C. `lock`: of the start folder, or of the only case. */
static ht_status serve(const ht_workbench_options *options, ht_bench *of, const ht_one_open *lock) {
  ht_http_server *server;
  char link[HT_HTTP_LINK_TEXT];
  HT_TRY(ht_http_start(options->port, tables, ht_bench_admit, of, &server));
  of->server = server;
  ht_http_link(server, -1, link);
  ht_one_open_tell(lock, link);
  print_link(options, link);
  if (!options->no_browser) open_browser(lock->path);
  while (!ht_interrupt_asked()) {
    ht_job_queue_step(of->queue);
    ht_bench_look(of);
    ht_scans_step(of);
    ht_waiting_step(of);
    ht_http_look(server);
    usleep(HT_BENCH_LOOK_US);
  }
  printf("ending: a stage that runs saves what it has and stops\n");
  fflush(stdout);
  ht_job_queue_stop(of->queue); /* before all else, as a second Ctrl-C waits for nothing */
  ht_http_stop(server);
  return HT_OK;
}

static ht_status serve_case(const ht_workbench_options *options, ht_bench *of) {
  ht_bench_case *one;
  HT_TRY(ht_bench_add(of, options->folder, &one));
  HT_TRY(ht_bench_open_case(of, one));
  if (options->scan) {
    one->scan = 0;
    HT_TRY(ht_bench_import(of, one, options->scan, options->series, 0));
  }
  return serve(options, of, &one->lock);
}

/* One workbench a start folder: it removes what an earlier one left there. */
static ht_status serve_folder(const ht_workbench_options *options, ht_bench *of) {
  ht_one_open lock;
  HT_TRY(ht_one_open_lock(options->start, &lock));
  ht_scans_sweep(of);
  ht_status status = serve(options, of, &lock);
  ht_one_open_unlock(&lock);
  return status;
}

ht_status ht_workbench_serve(const ht_workbench_options *options) {
  ht_bench of;
  ht_status status = ht_bench_open(&of);
  of.start = options->start;
  of.pacs = options->pacs;
  ht_interrupt_hold(1); /* a running stage saves what it has */
  if (status == HT_OK) status = ht_scans_begin(&of, options->scan);
  if (status == HT_OK) status = ht_table_begin(&of);
  if (status == HT_OK) status = ht_waiting_begin(&of);
  if (status == HT_OK) status = ht_bench_edits_make(&of.edits);
  if (status == HT_OK) status = ht_archive_begin(&of);
  if (status == HT_OK)
    status = options->start ? serve_folder(options, &of) : serve_case(options, &of);
  ht_bench_close(&of);
  ht_scans_end(&of); /* its files are read by commands that have now ended */
  ht_table_end(&of);
  ht_waiting_end(&of);
  ht_bench_edits_free(of.edits);
  ht_bench_measuring_free(of.measuring);
  ht_archive_end(&of);
  ht_interrupt_hold(0);
  return status;
}
