#include "batch_results.h"
#include "batch_work.h"
#include "colormap.h"
#include "console.h"
#include "interrupt.h"
#include "volume.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { POLL_MS = 50 };

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of the first of the columns that a case has; 0: no case has one. */
static ht_status common_end(const ht_cohort_table *table, const char *const columns[2],
                            double *end) {
  double *value;
  size_t count = 0;
  *end = 0;
  HT_TRY(
      ht_alloc((void **)&value, (size_t)table->cohort->cases, sizeof *value, "the colour range"));
  for (int i = 0; i < table->cohort->cases; i++) {
    double one = 0;
    for (int c = 0; c < 2 && !(one > 0); c++)
      one = columns[c] ? strtod(ht_cohort_value(table, i, columns[c]), NULL) : 0;
    if (one > 0 && isfinite(one)) value[count++] = one;
  }
  if (count > 0) {
    qsort(value, count, sizeof *value, compare);
    const double at = 0.98 * (double)(count - 1);
    const size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
    *end = ht_nice_above(value[low] + (at - (double)low) * (value[high] - value[low]));
  }
  free(value);
  return HT_OK;
}

typedef struct {
  char folder[HT_PATH_MAX], threads[16], speed[64], wss[64];
} words;

static ht_status start(ht_batch_work *of, int slot, int number, words *text) {
  char log[HT_PATH_MAX];
  HT_TRY(ht_batch_case_folder(of, number, text->folder));
  HT_TRY(ht_batch_case_log(of, number, log));
  snprintf(text->threads, sizeof text->threads, "flow.threads=%d", of->share.threads);
  char *argv[] = {(char *)of->options->program,
                  "export",
                  text->folder,
                  "--set",
                  text->threads,
                  "--set",
                  text->speed,
                  "--set",
                  text->wss,
                  NULL};
  of->at[slot] = number;
  const ht_child_options options = {log, NULL, SIGTERM};
  return ht_child_start(argv, &options, &of->child[slot]);
}

/* Number of those that still run. */
static int reap(ht_batch_work *of, int *ended) {
  int count = 0;
  for (int s = 0; s < of->share.jobs; s++) {
    int exit_code;
    if (ht_child_ended(&of->child[s], &exit_code)) {
      ++*ended;
      if (exit_code != HT_OK && exit_code != HT_ERR_NOT_STEADY && !of->stopped)
        ht_console_warn("%s: its pictures are not made again (exit code %d): logs/%s.txt says why",
                        of->cohort->item[of->at[s]].id, exit_code, of->cohort->item[of->at[s]].id);
    }
    count += of->child[s].pid != 0;
  }
  return count;
}

static void pause_a_moment(void) {
  const struct timespec moment = {0, POLL_MS * 1000000L};
  nanosleep(&moment, NULL);
}

static ht_status fill(ht_batch_work *of, const ht_cohort_table *table, int *next, words *text) {
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->child[s].pid != 0) continue;
    while (*next < of->cohort->cases && table->summary[*next].rows < 2) ++*next;
    if (*next == of->cohort->cases) return HT_OK;
    HT_TRY(start(of, s, (*next)++, text));
  }
  return HT_OK;
}

static ht_status export_all(ht_batch_work *of, const ht_cohort_table *table, words *text) {
  ht_status status = HT_OK;
  int next = 0, ended = 0, running = 1;
  while (running > 0 || (next < of->cohort->cases && !of->stopped)) {
    if (!of->stopped) status = fill(of, table, &next, text);
    running = reap(of, &ended);
    if (status == HT_OK && !of->stopped)
      status = ht_progress_report(ht_console_progress(), "pictures", ended, of->cohort->cases,
                                  "the same colours in all");
    if (status != HT_OK && !of->stopped) {
      of->stopped = 1;
      for (int s = 0; s < of->share.jobs; s++) ht_child_stop(&of->child[s]);
    }
    if (running > 0) pause_a_moment();
  }
  return status;
}

static ht_status export_with(ht_batch_work *of, const ht_cohort_table *table) {
  static const char *const speed[2] = {"flow.max_velocity_m_s", NULL};
  static const char *const wss[2] = {"wall.cycle.tawss_p99_pa", "wall.wss_p99_pa"};
  double end[2];
  words text;
  HT_TRY(common_end(table, speed, &end[0]));
  HT_TRY(common_end(table, wss, &end[1]));
  if (!(end[0] > 0) || !(end[1] > 0)) return HT_OK;
  snprintf(text.speed, sizeof text.speed, "export.speed_colours_to_m_s=%.6g", end[0]);
  snprintf(text.wss, sizeof text.wss, "export.wss_colours_to_pa=%.6g", end[1]);
  ht_console_note("colours  to %.6g m/s and %.6g Pa in all pictures", end[0], end[1]);
  return export_all(of, table, &text);
}

ht_status ht_same_colours(ht_batch_work *of) {
  ht_cohort_table table;
  HT_TRY(ht_cohort_table_make(of->cohort, of->record, of->options->folder, &table));
  const ht_status status = export_with(of, &table);
  ht_cohort_table_free(&table);
  return status;
}
