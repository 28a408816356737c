#include "app/batch/same_colours.h"
#include "app/batch/batch_case.h"
#include "app/batch/batch_reason.h"
#include "app/batch/cohort/batch_results.h"
#include "export/drawing/colormap.h"
#include "run/process/console.h"
#include "core/machine/host_memory.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Numbers that set a colour bar; the first that a case has counts. */
static const char *const columns[HT_COLOURS][2] = {{"flow.max_velocity_m_s", NULL},
                                                   {"wall.cycle.tawss_p99_pa", "wall.wss_p99_pa"}};

/* Finds the common end; 0 for fewer than two cases, which are compared with nothing. */
static ht_status common_end(const ht_cohort_table *table, int bar, double *end) {
  double *value;
  size_t count = 0;
  *end = 0;
  HT_TRY(
      ht_alloc((void **)&value, (size_t)table->cohort->cases, sizeof *value, "the colour range"));
  for (int i = 0; i < table->cohort->cases; i++) {
    double one = 0;
    for (int c = 0; c < 2 && columns[bar][c] && !(one > 0); c++)
      one = strtod(ht_cohort_value(table, i, columns[bar][c]), NULL);
    if (one > 0 && isfinite(one)) value[count++] = one;
  }
  if (count > 1) {
    qsort(value, count, sizeof *value, compare);
    const double at = 0.98 * (double)(count - 1);
    const size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
    *end = ht_nice_above(value[low] + (at - (double)low) * (value[high] - value[low]));
  }
  free(value);
  return HT_OK;
}

typedef struct {
  double common[HT_COLOURS];
  char *todo; /* [cases] 1: its pictures have to be drawn, by a process that has not begun */
  int cases;  /* to be drawn */
} plan;

static double wanted(const ht_batch_work *of, const plan *the, int number, int bar) {
  const double own = of->cases.cohort->item[number].colours[bar];
  return own > 0 || of->options->own_colours ? own : the->common[bar];
}

/* Compares as written: to six digits. */
static int same(double a, double b) {
  return fabs(a - b) <= 1e-5 * fabs(b);
}

static ht_status make_plan(const ht_batch_work *of, const ht_cohort_table *table, plan *the) {
  double end[HT_COLOURS];
  for (int b = 0; b < HT_COLOURS; b++) HT_TRY(common_end(table, b, &the->common[b]));
  HT_TRY(ht_alloc((void **)&the->todo, (size_t)of->cases.cohort->cases, 1, "the colour range"));
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    if (table->summary[i].rows < 2) continue;
    int drawn = ht_cohort_has_pages(table, i) && ht_cohort_colours(table, i, end);
    for (int b = 0; b < HT_COLOURS; b++) drawn = drawn && same(end[b], wanted(of, the, i, b));
    the->todo[i] = (char)!drawn;
    the->cases += !drawn;
  }
  return HT_OK;
}

/* Notes the cases that keep the ends of their own settings. */
static void tell_own(const ht_batch_work *of, const ht_cohort_table *table, int bar,
                     const char *what) {
  enum { MOST = 10 };
  char names[MOST * (HT_CASE_ID_MAX + 2) + 16] = "";
  size_t length = 0;
  int count = 0;
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    if (table->summary[i].rows < 2 || !(of->cases.cohort->item[i].colours[bar] > 0)) continue;
    if (count++ < MOST)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                 count > 1 ? ", " : "", of->cases.cohort->item[i].id);
  }
  if (count > 0)
    ht_console_note("colours  the settings of %d case%s give the colour bar of the %s: %s%s", count,
                    count == 1 ? "" : "s", what, names, count > MOST ? ", ..." : "");
}

static void put_end(double end, char text[32]) {
  snprintf(text, 32, end > 0 ? "%.6g" : "auto", end);
}

static void tell(const ht_batch_work *of, const ht_cohort_table *table, const plan *the) {
  const double *end = the->common;
  char speed[32], wss[32];
  tell_own(of, table, HT_COLOURS_SPEED, "speed");
  tell_own(of, table, HT_COLOURS_WSS, "wall shear stress");
  if (the->cases == 0) return;
  put_end(end[HT_COLOURS_SPEED], speed);
  put_end(end[HT_COLOURS_WSS], wss);
  if (of->options->own_colours || (end[HT_COLOURS_SPEED] == 0 && end[HT_COLOURS_WSS] == 0))
    ht_console_note("colours  by the values of each case; cases to draw: %d", the->cases);
  else
    ht_console_note("colours  to %s m/s and %s Pa in all pictures; cases to draw: %d", speed, wss,
                    the->cases);
}

static ht_status start(ht_batch_work *of, int slot, int number, const plan *the) {
  char log[HT_PATH_MAX], folder[HT_PATH_MAX], speed[32], wss[32], threads[48];
  HT_TRY(ht_batch_case_folder(of, number, folder));
  HT_TRY(ht_batch_case_log(of, number, log));
  put_end(wanted(of, the, number, HT_COLOURS_SPEED), speed);
  put_end(wanted(of, the, number, HT_COLOURS_WSS), wss);
  snprintf(threads, sizeof threads, "OMP_NUM_THREADS=%d", of->share.threads);
  char *argv[] = {(char *)of->options->program,
                  "report",
                  folder,
                  "--speed-colours",
                  speed,
                  "--wss-colours",
                  wss,
                  of->options->follow_umask ? "--follow-umask" : NULL,
                  NULL};
  of->slots.at[slot] = number;
  const ht_child_options options = {log, threads, SIGTERM};
  return ht_child_start(argv, &options, &of->slots.child[slot]);
}

static void take_end(ht_batch_work *of, plan *the, int number, int exit_code, int *ended) {
  const char *id = of->cases.cohort->item[number].id;
  if (ht_batch_wants_memory(exit_code) && !of->cases.alone[number] && of->share.jobs > 1) {
    of->cases.alone[number] = the->todo[number] = 1;
    return;
  }
  ++*ended;
  if (exit_code == HT_OK) return;
  of->undrawn++;
  ht_console_warn("%s: its pictures are not drawn (exit code %d): logs/%s.txt says why", id,
                  exit_code, id);
}

static void reap(ht_batch_work *of, plan *the, int *ended) {
  for (int s = 0; s < of->share.jobs; s++) {
    int exit_code;
    if (ht_child_ended(&of->slots.child[s], &exit_code) && !of->slots.stopped)
      take_end(of, the, of->slots.at[s], exit_code, ended);
  }
}

/* Returns a case that can begin now; -1: none. */
static int next_case(ht_batch_work *of, const plan *the, int alone) {
  for (int i = 0; i < of->cases.cohort->cases; i++)
    if (the->todo[i] && of->cases.alone[i] == alone && !ht_batch_is_busy(of, i)) return i;
  return -1;
}

static ht_status fill(ht_batch_work *of, plan *the) {
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->slots.child[s].pid != 0) continue;
    int number = next_case(of, the, 0);
    if (number < 0 && ht_batch_running(&of->slots) == 0) number = next_case(of, the, 1);
    if (number < 0) return HT_OK;
    the->todo[number] = 0;
    HT_TRY(start(of, s, number, the));
    if (of->cases.alone[number]) return HT_OK;
  }
  return HT_OK;
}

static ht_status tell_progress(int ended, int cases) {
  char note[64];
  snprintf(note, sizeof note, "pictures of %d of %d cases drawn", ended, cases);
  return ht_progress_report(ht_console_progress(), "pictures", ended, cases, note);
}

/* Gives each case one core: most of the work on one case's pictures cannot be divided, and none
 * needs a GPU. Rather one too many than a last round of a few, with idle cores. Each needs some 1
 * GB at most. */
static void share_cores(const ht_batch_options *options, int cases, ht_batch_share *share) {
  const int cores = share->jobs * share->threads, rounds = cases / cores > 1 ? cases / cores : 1;
  const int room = (int)(1e-9 * ht_host_memory_free());
  int jobs = (cases + rounds - 1) / rounds;
  if (jobs > room) jobs = room;
  if (jobs > HT_BATCH_JOBS_MAX) jobs = HT_BATCH_JOBS_MAX;
  if (options->jobs > 0 || jobs <= share->jobs) return;
  share->jobs = jobs;
  share->threads = cores > jobs ? cores / jobs : 1;
}

static ht_status draw_all(ht_batch_work *of, plan *the) {
  ht_status status = HT_OK;
  share_cores(of->options, the->cases, &of->share);
  ht_console_stage("pictures", 1, 1);
  int ended = 0;
  while (ht_batch_running(&of->slots) > 0 || (ended < the->cases && !of->slots.stopped)) {
    if (!of->slots.stopped) status = fill(of, the);
    reap(of, the, &ended);
    if (status == HT_OK && !of->slots.stopped) status = tell_progress(ended, the->cases);
    if (status != HT_OK && !of->slots.stopped) ht_batch_stop_all(&of->slots);
    ht_batch_pause();
  }
  if (status != HT_ERR_INTERRUPTED) ht_console_stage_end();
  return status;
}

ht_status ht_count_redraws(const ht_batch_work *of, int *cases) {
  ht_cohort_table table;
  plan the = {0};
  int count[HT_CASE_STATES];
  *cases = 0;
  ht_batch_count(&of->cases, count);
  HT_TRY(ht_cohort_table_make(of->cases.cohort, of->cases.record, of->options->folder, &table));
  const ht_status status = make_plan(of, &table, &the);
  for (int i = 0; i < of->cases.cohort->cases && status == HT_OK; i++) {
    const int has_pictures = table.summary[i].rows > 1,
              waits = of->cases.record[i].state == HT_CASE_WAITING;
    *cases += the.todo[i] ||
              (count[HT_CASE_WAITING] > 0 && (waits || has_pictures) && ht_draws_later(of, i));
  }
  free(the.todo);
  ht_cohort_table_free(&table);
  return status;
}

ht_status ht_same_colours(ht_batch_work *of, const ht_cohort_table *table) {
  plan the = {0};
  ht_status status = make_plan(of, table, &the);
  if (status == HT_OK) tell(of, table, &the);
  /* Many pictures take a while: the tables do not wait for them. */
  if (status == HT_OK && the.cases > 0) status = ht_batch_results(table);
  if (status == HT_OK && the.cases > 0) status = draw_all(of, &the);
  free(the.todo);
  return status;
}
