#include "app/batch/batch_live.h"
#include "app/batch/batch_case.h"
#include "core/machine/clock.h"
#include "run/process/console.h"
#include <ctype.h>
#include <string.h>

/* ---- the time that is left ---- */

/* Returns the mean time of the cases that are done, also before this command; where none is, of
 * those that failed. */
static double mean_seconds(const ht_batch_work *of) {
  double sum[2] = {0};
  int cases[2] = {0};
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    const ht_case_record *one = &of->cases.record[i];
    const int kind = one->state == HT_CASE_DONE ? 0 : one->state == HT_CASE_FAILED ? 1 : -1;
    if (kind < 0 || !(one->seconds > 0)) continue;
    sum[kind] += one->seconds;
    cases[kind]++;
  }
  if (cases[0] > 0) return sum[0] / cases[0];
  return cases[1] > 0 ? sum[1] / cases[1] : -1;
}

/* Returns the time left of a running case, on this machine. */
static double rest_of(const ht_batch_work *of, int slot, double mean_s) {
  const double rest_s = mean_s - (ht_clock_s() - of->slots.child[slot].began_s),
               least_s = 0.05 * mean_s;
  return rest_s > least_s ? rest_s : least_s; /* it has not ended */
}

double ht_batch_left_s(const ht_batch_work *of) {
  const double mean_s = mean_seconds(of);
  double work_s = 0, longest_s = 0;
  int count[HT_CASE_STATES], jobs = of->share.jobs;
  ht_batch_count(&of->cases, count);
  if (mean_s < 0) return -1;
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->slots.child[s].pid == 0) continue;
    const double rest_s = rest_of(of, s, mean_s);
    work_s += rest_s;
    if (rest_s > longest_s) longest_s = rest_s;
  }
  if (of->options->slurm) { /* the cluster chooses how many run at a time */
    jobs = count[HT_CASE_RUNNING] > 0 ? count[HT_CASE_RUNNING] : 1;
    work_s = count[HT_CASE_RUNNING] * mean_s / 2;
  }
  work_s = (work_s + count[HT_CASE_WAITING] * mean_s) / jobs;
  return work_s > longest_s ? work_s : longest_s;
}

/* ---- the running cases ---- */

/* Finds "4/5 solve    [####....]  71 % 0:04 left, ..." without its bar, or "segment  done in 1.6
 * s": the last such line that a case printed. */
static void last_progress(const char *log, char line[96]) {
  char tail[4096];
  snprintf(line, 96, "begins");
  FILE *file = ht_file_open(log);
  if (!file) return;
  if (fseek(file, -(long)sizeof tail + 1, SEEK_END) != 0) rewind(file);
  tail[fread(tail, 1, sizeof tail - 1, file)] = 0;
  fclose(file);
  for (char *at = strtok(tail, "\n"); at; at = strtok(NULL, "\n")) {
    const char *bar = strstr(at, "["), *behind = strstr(at, "] ");
    if (isdigit((unsigned char)at[0]) && at[1] == '/' && bar && behind)
      snprintf(line, 96, "%.9s%.80s", at + 4, behind + 2);
    else if (strstr(at, " done in ") && strcspn(at, " ") < 9)
      snprintf(line, 96, "%.90s", at);
  }
}

static void read_logs(ht_batch_work *of) {
  const double period_s = 1;
  char log[HT_PATH_MAX];
  if (of->live.read_s > 0 && ht_clock_s() - of->live.read_s < period_s) return;
  of->live.read_s = ht_clock_s();
  for (int s = 0; s < of->share.jobs; s++)
    if (of->slots.child[s].pid != 0 && ht_batch_case_log(of, of->slots.at[s], log) == HT_OK)
      last_progress(log, of->live.line[s]);
}

/* Shows the running cases on at most half of the terminal. */
static void show_running(ht_batch_work *of) {
  char lines[4096] = "";
  size_t length = 0;
  int shown = 0, more = 0;
  const int rows = ht_console_rows() / 2;
  if (rows == 0 || of->options->slurm) return;
  read_logs(of);
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->slots.child[s].pid == 0) continue;
    const int seconds = (int)(ht_clock_s() - of->slots.child[s].began_s);
    if (shown == rows || length + 200 > sizeof lines)
      more++;
    else if (++shown)
      length += (size_t)snprintf(lines + length, sizeof lines - length, "  %-16s %3d:%02d  %s\n",
                                 of->cases.cohort->item[of->slots.at[s]].id, seconds / 60,
                                 seconds % 60, of->live.line[s]);
  }
  if (more > 0) snprintf(lines + length, sizeof lines - length, "  and %d more\n", more);
  ht_console_below(lines);
}

/* Draws the bar by the share of the time, so that the time left next to it is ht_batch_left_s. */
ht_status ht_batch_report(ht_batch_work *of) {
  int count[HT_CASE_STATES];
  char note[128];
  const double left_s = ht_batch_left_s(of), passed_s = ht_clock_s() - of->begun_s;
  ht_batch_count(&of->cases, count);
  snprintf(note, sizeof note, "cases: %d of %d done, %d running, %d failed, %d refused",
           count[HT_CASE_DONE], of->cases.cohort->cases, count[HT_CASE_RUNNING],
           count[HT_CASE_FAILED], count[HT_CASE_REFUSED]);
  show_running(of);
  return ht_progress_report(ht_console_progress(), "batch", left_s < 0 ? 0 : passed_s,
                            left_s < 0 ? passed_s : passed_s + left_s, note);
}
