#define _GNU_SOURCE /* mkdtemp, nftw */
#include "app/batch/batch_tell.h"
#include "app/batch/batch_case.h"
#include "app/batch/batch_folder.h"
#include "app/batch/batch_reason.h"
#include "app/batch/batch_share.h"
#include "app/batch/same_colours.h"
#include "run/process/console.h"
#include "core/disk/folder_names.h"
#include "core/text/words.h"
#include "run/folder/yaml_file.h"
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_NAMES = 10 };
typedef struct {
  int count;
  char text[MOST_NAMES * (HT_CASE_ID_MAX + 2) + 16]; /* "a, b, ..." */
} names;

static void add_name(names *to, const char *id) {
  const size_t length = strlen(to->text);
  if (to->count <= MOST_NAMES)
    snprintf(to->text + length, sizeof to->text - length, "%s%s", to->count ? ", " : "",
             to->count < MOST_NAMES ? id : "...");
  to->count++;
}

static void tell_again(const ht_batch_work *of) {
  names changed = {0}, lost = {0};
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    if (of->cases.record[i].changed) add_name(&changed, of->cases.cohort->item[i].id);
    if (of->cases.record[i].lost) add_name(&lost, of->cases.cohort->item[i].id);
  }
  if (changed.count > 0)
    ht_console_note("changed  other settings now, run again: %d case%s: %s", changed.count,
                    changed.count == 1 ? "" : "s", changed.text);
  if (lost.count > 0)
    ht_console_warn("%d case%s done, and the results are gone or damaged (cases/ID/summary.csv): "
                    "run again: %s",
                    lost.count, lost.count == 1 ? " was" : "s were", lost.text);
}

/* Returns 1 where the input is newer: for a folder, where a file was added to it or removed. */
static int is_newer(const char *input, const char *ended_utc) {
  struct stat info;
  struct tm ended = {0};
  return input && stat(input, &info) == 0 && strptime(ended_utc, "%Y-%m-%dT%H:%M:%SZ", &ended) &&
         info.st_mtime > timegm(&ended);
}

/* Warns of newer scans. A case that is done stays done: nothing else would show that its numbers
 * are of another scan. */
static void warn_of_newer(const ht_batch_work *of) {
  names newer = {0};
  for (int i = 0; i < of->cases.cohort->cases; i++)
    if (of->cases.record[i].state == HT_CASE_DONE &&
        is_newer(of->cases.cohort->item[i].input, of->cases.record[i].ended))
      add_name(&newer, of->cases.cohort->item[i].id);
  if (newer.count > 0)
    ht_console_warn("%d case%s done, and the scan has a later date than the results, which may "
                    "belong to an earlier scan: %s; give a scan that was replaced another id",
                    newer.count, newer.count == 1 ? " is" : "s are", newer.text);
}

static int count_drawn_later(const ht_batch_work *of) {
  int count = 0;
  for (int i = 0; i < of->cases.cohort->cases; i++)
    count += of->cases.record[i].state == HT_CASE_WAITING && ht_draws_later(of, i);
  return count;
}

void ht_batch_tell_begin(const ht_batch_work *of) {
  int count[HT_CASE_STATES];
  ht_batch_count(&of->cases, count);
  ht_console_note("cases    %d: %d to run, %d done, %d failed, %d refused", of->cases.cohort->cases,
                  count[HT_CASE_WAITING], count[HT_CASE_DONE], count[HT_CASE_FAILED],
                  count[HT_CASE_REFUSED]);
  tell_again(of);
  warn_of_newer(of);
  if (count_drawn_later(of) > 0)
    ht_console_note("pictures are drawn when all cases have run, with the same colours in all");
  if (of->options->slurm) {
    ht_console_note("machine  a Slurm job array, one task per case: sbatch %s",
                    *of->options->slurm ? of->options->slurm : "(without options)");
    return;
  }
  ht_console_note("machine  %d at a time, %d CPU thread%s each%s", of->share.jobs,
                  of->share.threads, of->share.threads == 1 ? "" : "s",
                  of->share.gpus > 0 ? ", on the GPU" : "");
  if (of->share.memory_gb > 0)
    ht_console_note("memory   at most %s each; one that needs more runs alone, at the end",
                    ht_memory_words(1e9 * of->share.memory_gb).text);
}

/* ---- what the cases take, by their records ---- */

/* Needs of some cases together: means of the times, the largest memory. */
typedef struct {
  int cases;
  double seconds;   /* time of a case */
  double flow_s;    /* part of it for the flow, where it is foretold */
  double draw_s;    /* time to draw its pictures, at the end */
  double memory_mb; /* memory of the machine */
  double gpu_mb;    /* memory of the GPU, where it is foretold */
  char ids[256];
} needs;

static double mean_with(double mean, int cases, double one) {
  return (mean * cases + one) / (cases + 1);
}

static void count_case(needs *to, const char *id, double seconds, double flow_s, double draw_s) {
  const size_t length = strlen(to->ids);
  to->seconds = mean_with(to->seconds, to->cases, seconds);
  to->flow_s = mean_with(to->flow_s, to->cases, flow_s);
  to->draw_s = mean_with(to->draw_s, to->cases, draw_s);
  to->cases++;
  snprintf(to->ids + length, sizeof to->ids - length, "%s%s", length ? ", " : "", id);
}

static double stage_seconds(struct fy_node *root, const char *name) {
  struct fy_node *stages = ht_yaml_get(root, "stages"),
                 *stage = stages ? ht_yaml_get(stages, name) : NULL;
  double seconds = 0;
  if (stage) ht_yaml_number(stage, "seconds", &seconds);
  return seconds;
}

/* Reads the needs from the record in a case's folder. Returns 1 where it was read. */
static int read_needs(const ht_batch_work *of, int number, int foretold, needs *to) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  ht_yaml yaml;
  double peak_mb = 0, flow_s = 0, flow_mb = 0, gpu_mb = 0;
  if (ht_batch_case_folder(of, number, folder) != HT_OK ||
      ht_path_join(path, folder, HT_FILE_MANIFEST) != HT_OK ||
      ht_yaml_read(path, HT_ERR_FORMAT, &yaml) != HT_OK)
    return 0;
  struct fy_node *plan = ht_yaml_get(yaml.root, "plan");
  ht_yaml_number(yaml.root, "peak_memory_mb", &peak_mb);
  if (plan) ht_yaml_number(plan, "expected_seconds", &flow_s);
  if (plan) ht_yaml_number(plan, "expected_memory_mb", &flow_mb);
  if (plan) ht_yaml_number(plan, "expected_gpu_memory_mb", &gpu_mb);
  const double before_s = stage_seconds(yaml.root, "import") + stage_seconds(yaml.root, "segment") +
                          stage_seconds(yaml.root, "tile");
  /* Processor time relative to that of the stages before the flow, as in the phantom aneurysm. */
  const double export_s = 0.35 * before_s, draw_s = 1.5 * before_s;
  ht_yaml_free(&yaml);
  if (foretold && !(flow_s > 0)) return 0;
  double seconds = before_s + flow_s + export_s;
  if (!ht_draws_later(of, number)) seconds += draw_s;
  if (!foretold) seconds = of->cases.record[number].seconds;
  count_case(to, of->cases.cohort->item[number].id, seconds, flow_s, draw_s);
  to->gpu_mb = fmax(to->gpu_mb, gpu_mb);
  to->memory_mb = fmax(to->memory_mb, peak_mb + flow_mb);
  return 1;
}

/* Returns the time to draw all cases at the end. More at a time have fewer cores each: the time of
 * all is the same. */
static double redraw_seconds(const ht_batch_work *of, const needs *from) {
  return from->draw_s * ceil((double)of->redraws / of->share.jobs);
}

/* Prints the redraws; `from` NULL where the time is not known. */
static void tell_redraws(const ht_batch_work *of, const needs *from) {
  int count[HT_CASE_STATES];
  char time[64] = "", words[32];
  if (of->redraws == 0) return;
  ht_batch_count(&of->cases, count);
  if (from) ht_duration_words(redraw_seconds(of, from), words);
  if (from) snprintf(time, sizeof time, ", about %s", words);
  printf("pictures: of %s%d case%s drawn at the end, %s%s\n",
         count[HT_CASE_WAITING] > 0 ? "at most " : "", of->redraws, of->redraws == 1 ? "" : "s",
         of->options->own_colours
             ? "each in its own colours"
             : "so that their colours mean the same in all cases (--own-colours: not)",
         time);
}

static void tell_needs(const ht_batch_work *of, const needs *from, const char *how) {
  int count[HT_CASE_STATES];
  char one[32], all[32], gpu[64] = "";
  ht_batch_count(&of->cases, count);
  const int waiting = count[HT_CASE_WAITING],
            jobs = of->share.jobs < waiting ? of->share.jobs : waiting;
  double all_s = jobs > 0 ? from->seconds * waiting / jobs : 0;
  /* The flows of all cases share the GPUs. */
  if (of->share.gpus > 0) all_s = fmax(all_s, from->flow_s * waiting / of->share.gpus);
  ht_duration_words(from->seconds, one);
  all_s = fmax(all_s, waiting > 0 ? from->seconds : 0) + redraw_seconds(of, from);
  ht_duration_words(all_s, all);
  if (from->gpu_mb > 0)
    snprintf(gpu, sizeof gpu, " and %s of the GPU", ht_memory_words(1e6 * from->gpu_mb).text);
  printf("a case: about %s, %s of memory%s (%s %s)\n", one,
         ht_memory_words(1e6 * from->memory_mb).text, gpu, how, from->ids);
  if (!of->options->slurm)
    printf("all %d: about %s, %s of memory with %d at a time\n", waiting, all,
           ht_memory_words(1e6 * from->memory_mb * jobs).text, jobs);
  tell_redraws(of, from);
}

/* ---- a few cases up to their flow ---- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)kind, (void)place;
  remove(path);
  return 0;
}

static ht_status make_temporary(char folder[HT_PATH_MAX]) {
  const char *place = getenv("TMPDIR");
  HT_TRY(ht_path_join(folder, place && *place ? place : "/tmp", "hemotile-dry-XXXXXX"));
  if (mkdtemp(folder)) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: no folder can be made: %s", folder, strerror(errno));
}

static ht_status wait_for(ht_child *child, int number, int of, const char *id, int *exit_code) {
  ht_status status = HT_OK;
  while (!ht_child_ended(child, exit_code)) {
    if (status == HT_OK) {
      status = ht_progress_report(ht_console_progress(), "prepare", number, of, id);
      if (status != HT_OK) ht_child_stop(child);
    }
    ht_batch_pause();
  }
  return status;
}

static ht_status prepare_one(ht_batch_work *in, int number, int at, int of, needs *to) {
  ht_batch_command words;
  ht_child child;
  char log[HT_PATH_MAX], reason[512];
  int exit_code;
  HT_TRY(ht_batch_make_command(in, number, 1, &words));
  HT_TRY(ht_batch_case_log(in, number, log));
  const ht_child_options options = {log, NULL, SIGTERM};
  HT_TRY(ht_child_start(words.word, &options, &child));
  HT_TRY(wait_for(&child, at, of, in->cases.cohort->item[number].id, &exit_code));
  if (exit_code == HT_OK && read_needs(in, number, 1, to)) return HT_OK;
  ht_batch_find_reason(log, exit_code, reason);
  ht_batch_hide_paths(&in->cases.cohort->item[number], reason);
  ht_console_warn("%s cannot be run (%d): %s", in->cases.cohort->item[number].id, exit_code,
                  reason);
  return HT_OK;
}

/* Prepares three of those that wait: the first, the last and the one between. */
static ht_status prepare(ht_batch_work *in, needs *to) {
  enum { MOST = 3 };
  int count[HT_CASE_STATES], seen = 0, done = 0;
  ht_batch_count(&in->cases, count);
  const int waiting = count[HT_CASE_WAITING], wanted = waiting < MOST ? waiting : MOST;
  HT_TRY(ht_batch_make_base(in));
  HT_TRY(ht_batch_make_folders(in->options->folder));
  for (int i = 0; i < in->cases.cohort->cases && done < wanted; i++) {
    if (in->cases.record[i].state != HT_CASE_WAITING) continue;
    if (seen++ == (wanted > 1 ? done * (waiting - 1) / (wanted - 1) : 0))
      HT_TRY(prepare_one(in, i, done++, wanted, to));
  }
  return HT_OK;
}

static ht_status foretell(const ht_batch_work *of) {
  ht_batch_options options = *of->options;
  ht_batch_work in = *of;
  char folder[HT_PATH_MAX];
  needs found = {0};
  HT_TRY(make_temporary(folder));
  options.folder = folder;
  in.options = &options;
  in.dry = 1;
  ht_console_stage("prepare", 1, 1);
  ht_status status = prepare(&in, &found);
  if (status != HT_ERR_INTERRUPTED) ht_console_stage_end();
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  if (status == HT_OK && found.cases > 0)
    tell_needs(of, &found, "estimated; up to the flow were run:");
  if (status == HT_OK && found.cases == 0) {
    puts("time: not known, as none of the cases that were tried can be run");
    tell_redraws(of, NULL);
  }
  return status;
}

static ht_status tell_all(ht_batch_work *of) {
  needs done = {0};
  int waiting = 0;
  HT_TRY(ht_batch_open(of));
  ht_batch_tell_begin(of);
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    const ht_cohort_case *one = &of->cases.cohort->item[i];
    if (of->cases.record[i].state == HT_CASE_DONE) read_needs(of, i, 0, &done);
    if (of->cases.record[i].state != HT_CASE_WAITING) continue;
    waiting++;
    printf("%s", one->id);
    for (int s = 0; s < one->sets; s++) printf("  %s", one->set[s]);
    putchar('\n');
  }
  fflush(stdout);
  HT_TRY(ht_count_redraws(of, &of->redraws));
  if (waiting > 0 && done.cases > 0) {
    tell_needs(of, &done, "by those that are done:");
  } else if (waiting > 0 && !of->options->slurm) {
    return foretell(of);
  } else {
    if (waiting > 0) puts("time: not known before the first case is done");
    tell_redraws(of, done.cases > 0 ? &done : NULL);
  }
  return HT_OK;
}

ht_status ht_batch_tell(const ht_cohort *cohort, const ht_batch_options *options) {
  ht_batch_work of = {
      .cases = {.cohort = cohort}, .options = options, .share = ht_batch_share_of(cohort, options)};
  const ht_status status = tell_all(&of);
  ht_batch_close(&of);
  return status;
}
