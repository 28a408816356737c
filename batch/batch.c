#define _GNU_SOURCE
#include "batch/batch.h"
#include "batch/batch_results.h"
#include "batch/batch_work.h"
#include "core/machine/clock.h"
#include "process/console.h"
#include "core/formats/csv_cell.h"
#include "core/disk/file.h"
#include "files/folder.h"
#include "core/disk/folder_names.h"
#include "core/disk/folder_walk.h"
#include "core/machine/host_memory.h"
#include "pipeline/record/identity.h"
#include "process/interrupt.h"
#include "process/log_lock.h"
#include "privacy/redact.h"
#include "core/vessel/volume.h"
#include <ctype.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- what the machine has ---- */

static int count_entry(void *user, const char *name) {
  (void)name;
  ++*(int *)user;
  return 0;
}

/* The GPUs that CUDA_VISIBLE_DEVICES names, as a queue of a cluster sets it, else those that the
 * driver lists. */
static void find_gpus(ht_batch_share *share) {
  const char *at = getenv("CUDA_VISIBLE_DEVICES");
  if (at) {
    for (; *at && share->gpus < HT_BATCH_GPUS_MAX; at += strspn(at, ", ")) {
      const int length = (int)strcspn(at, ", ");
      if (length > 0 && length < HT_BATCH_GPU_NAME && at[0] != '-')
        snprintf(share->gpu[share->gpus++], HT_BATCH_GPU_NAME, "%.*s", length, at);
      at += length;
    }
    return;
  }
  ht_folder_walk("/proc/driver/nvidia/gpus", count_entry, &share->gpus);
  if (share->gpus > HT_BATCH_GPUS_MAX) share->gpus = HT_BATCH_GPUS_MAX;
  for (int g = 0; g < share->gpus; g++) snprintf(share->gpu[g], HT_BATCH_GPU_NAME, "%d", g);
}

/* Those that this process may use: a container or a queue may give it a part of the machine. */
static int count_cores(void) {
  cpu_set_t mine;
  int cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
  if (cores < 1) cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores;
}

ht_batch_share ht_batch_share_of(const ht_cohort *cohort, const ht_batch_options *options) {
  enum { THREADS_A_CASE = 4, THREADS_BESIDE_GPU = 2, JOBS_A_GPU = 8 };
  ht_batch_share share = {.jobs = options->jobs};
  const int cores = count_cores();
  find_gpus(&share);
  if (share.jobs == 0 && share.gpus > 0) {
    share.jobs = cores / THREADS_BESIDE_GPU;
    if (share.jobs > JOBS_A_GPU * share.gpus) share.jobs = JOBS_A_GPU * share.gpus;
  } else if (share.jobs == 0) {
    share.jobs = cores / THREADS_A_CASE;
  }
  if (share.jobs > cohort->cases) share.jobs = cohort->cases;
  if (share.jobs > HT_BATCH_JOBS_MAX) share.jobs = HT_BATCH_JOBS_MAX;
  if (share.jobs < 1) share.jobs = 1;
  share.threads = cores / share.jobs > 1 ? cores / share.jobs : 1;
  if (share.jobs > 1) share.memory_gb = 0.9e-9 * ht_host_memory_free() / share.jobs;
  return share;
}

/* ---- one case ---- */

static void add(ht_batch_command *to, int *words, const char *word) {
  to->word[(*words)++] = (char *)word;
}

ht_status ht_batch_case_folder(const ht_batch_work *of, int number, char path[HT_PATH_MAX]) {
  char name[HT_CASE_ID_MAX + 8];
  snprintf(name, sizeof name, "cases/%s", of->cohort->item[number].id);
  return ht_path_join(path, of->options->folder, name);
}

/* 1: the table gives the key, which then counts before the batch's own share. */
static int gives(const ht_cohort_case *one, const char *key) {
  const size_t length = strlen(key);
  for (int s = 0; s < one->sets; s++)
    if (strncmp(one->set[s], key, length) == 0 && one->set[s][length] == '=') return 1;
  return 0;
}

ht_status ht_batch_make_command(const ht_batch_work *of, int number, int limits,
                                ht_batch_command *to) {
  const ht_cohort_case *one = &of->cohort->item[number];
  int words = 0;
  HT_TRY(ht_batch_case_folder(of, number, to->folder));
  snprintf(to->threads, sizeof to->threads, "%d", of->share.threads);
  snprintf(to->memory, sizeof to->memory, "%.3f", of->share.memory_gb);
  add(to, &words, of->options->program);
  add(to, &words, "run");
  add(to, &words, one->base ? one->base : of->base);
  add(to, &words, "--output");
  add(to, &words, to->folder);
  if (limits && !gives(one, "flow.threads")) {
    add(to, &words, "--threads");
    add(to, &words, to->threads);
  }
  if (limits && of->share.memory_gb > 0 && !gives(one, "max_memory_gb")) {
    add(to, &words, "--max-memory");
    add(to, &words, to->memory);
  }
  if (of->options->force) add(to, &words, "--force");
  if (of->options->follow_umask && !gives(one, "follow_umask")) add(to, &words, "--follow-umask");
  if (of->options->restart) add(to, &words, "--restart");
  if (of->dry)
    add(to, &words, "--dry-run");
  else if (ht_draws_later(of, number))
    add(to, &words, "--no-pictures");
  for (int s = 0; s < one->sets; s++) {
    add(to, &words, "--set");
    add(to, &words, one->set[s]);
  }
  to->word[words] = NULL;
  return HT_OK;
}

ht_status ht_batch_case_log(const ht_batch_work *of, int number, char path[HT_PATH_MAX]) {
  char name[HT_CASE_ID_MAX + 16];
  snprintf(name, sizeof name, "logs/%s.txt", of->cohort->item[number].id);
  return ht_path_join(path, of->options->folder, name);
}

ht_status ht_batch_write_state(const ht_batch_work *of) {
  return ht_batch_state_write(of->state_path, of->cohort, of->record);
}

void ht_batch_begin_case(ht_batch_work *of, int number) {
  ht_case_record *record = &of->record[number];
  record->state = HT_CASE_RUNNING;
  record->tries++;
  record->message[0] = 0;
  memcpy(record->hash, of->cohort->item[number].hash, sizeof record->hash);
}

static ht_status start(ht_batch_work *of, int slot, int number) {
  ht_batch_command words;
  char log[HT_PATH_MAX];
  HT_TRY(ht_batch_make_command(of, number, !of->alone[number], &words));
  HT_TRY(ht_batch_case_log(of, number, log));
  remove(log);
  ht_batch_begin_case(of, number);
  HT_TRY(ht_batch_write_state(of));
  of->at[slot] = number;
  snprintf(of->live.line[slot], sizeof of->live.line[slot], "begins");
  char gpu[HT_BATCH_GPU_NAME + 24] = ""; /* the only one that the case sees */
  if (of->share.gpus > 1)
    snprintf(gpu, sizeof gpu, "CUDA_VISIBLE_DEVICES=%s", of->share.gpu[slot % of->share.gpus]);
  const ht_child_options options = {log, *gpu ? gpu : NULL, SIGTERM};
  return ht_child_start(words.word, &options, &of->child[slot]);
}

void ht_batch_find_reason(const char *log, int exit_code, char reason[512]) {
  char line[1024];
  FILE *file = ht_file_open(log);
  snprintf(reason, 512, exit_code > 128 ? "ended by signal %d" : "exit code %d",
           exit_code > 128 ? exit_code - 128 : exit_code);
  while (file && fgets(line, sizeof line, file)) {
    const char *found = strstr(line, "error: ");
    if (!found) continue;
    snprintf(reason, 512, "%.500s", found + strlen("error: "));
    reason[strcspn(reason, "\n")] = 0;
  }
  if (file) fclose(file);
}

static int is_of_word(char c) {
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Where it stands alone: a folder named "a" is not each a of a message. */
static void hide(char text[512], const char *name, const char *word) {
  const size_t length = strlen(name);
  char rest[512], *at = text;
  while (length > 0 && (at = strstr(at, name))) {
    if ((at > text && is_of_word(at[-1])) || is_of_word(at[length])) {
      at += length;
      continue;
    }
    snprintf(rest, sizeof rest, "%s", at + length);
    snprintf(at, 512 - (size_t)(at - text), "%s%s", word, rest);
    at += strnlen(at, strlen(word)); /* the word itself is not searched */
  }
}

static void hide_name(char text[512], const char *path, const char *word) {
  const char *name = ht_path_name(path);
  const size_t shortest = 3; /* a shorter name is a word of the message, as one of the label is */
  if (strlen(name) >= shortest && !strstr(word, name)) hide(text, name, word);
}

/* What stands for a path in the settings of a case; NULL: no path. */
static const char *word_for(const char *set, const char **path) {
  *path = strchr(set, '=') + 1;
  if (**path != '/') return NULL;
  return strncmp(set, "scan=", 5) == 0   ? "(the scan)"
         : strncmp(set, "mask=", 5) == 0 ? "(the mask)"
                                         : "(a file)";
}

void ht_batch_hide_paths(const ht_cohort_case *one, char reason[512]) {
  const char *path, *word;
  if (one->input) ht_redact_path(one->input, "(the scan)", 1);
  if (one->base) ht_redact_path(one->base, "(the case file)", 1);
  for (int s = 0; s < one->sets; s++)
    if ((word = word_for(one->set[s], &path))) ht_redact_path(path, word, 1);
  ht_redact(reason, 512);
  if (one->input) hide_name(reason, one->input, "(the scan)");
  for (int s = 0; s < one->sets; s++)
    if ((word = word_for(one->set[s], &path))) hide_name(reason, path, word);
}

static void stamp(char text[32]) {
  time_t now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void tell_end(const ht_batch_work *of, int number) {
  const ht_case_record *record = &of->record[number];
  int count[HT_CASE_STATES];
  ht_batch_count(of, count);
  const int ended = count[HT_CASE_DONE] + count[HT_CASE_FAILED] + count[HT_CASE_REFUSED];
  ht_console_note("%-16s %s, %.1f s (%d of %d)%s%s", of->cohort->item[number].id,
                  ht_case_state_words[record->state], record->seconds, ended, of->cohort->cases,
                  record->message[0] ? ": " : "", record->message);
}

int ht_batch_wants_memory(int exit_code) {
  return exit_code == HT_ERR_MEMORY || exit_code == 128 + SIGKILL;
}

/* On a cluster a task has what --mem says. */
static int shares_memory(const ht_batch_work *of) {
  return of->share.jobs > 1 && !of->options->slurm;
}

ht_status ht_batch_end_case(ht_batch_work *of, int number, int exit_code, double seconds,
                            const char *reason) {
  ht_case_record *record = &of->record[number];
  char log[HT_PATH_MAX];
  record->state = ht_case_state_of(exit_code, of->stopped);
  record->exit_code = exit_code;
  record->seconds = seconds;
  stamp(record->ended);
  HT_TRY(ht_batch_case_log(of, number, log));
  if (record->state != HT_CASE_DONE && record->state != HT_CASE_WAITING)
    ht_batch_find_reason(log, exit_code, record->message);
  ht_batch_hide_paths(&of->cohort->item[number], record->message);
  if (reason) snprintf(record->message, sizeof record->message, "%s", reason);
  if (ht_batch_wants_memory(exit_code) && !of->alone[number] && shares_memory(of)) {
    of->alone[number] = 1;
    record->state = HT_CASE_WAITING;
    ht_console_note("%-16s wants more memory than its share: it runs again alone, at the end",
                    of->cohort->item[number].id);
  } else if (record->state != HT_CASE_WAITING) {
    tell_end(of, number);
  }
  return ht_batch_write_state(of);
}

/* ---- all ---- */

int ht_batch_is_busy(ht_batch_work *of, int number) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  if (ht_batch_case_folder(of, number, folder) != HT_OK ||
      ht_path_join(path, folder, HT_FILE_LOG) != HT_OK || !ht_log_is_locked(path))
    return 0;
  if (!of->told[number])
    ht_console_note("%-16s waits: another hemotile still works in its folder",
                    of->cohort->item[number].id);
  of->told[number] = 1;
  return 1;
}

/* -1: none that can begin now; *busy: of those that wait, one has a folder in use. */
static int next_waiting(ht_batch_work *of, int alone, int *busy) {
  for (int i = 0; i < of->cohort->cases; i++) {
    if (of->record[i].state != HT_CASE_WAITING || of->alone[i] != alone) continue;
    if (!ht_batch_is_busy(of, i)) return i;
    *busy = 1;
  }
  return -1;
}

int ht_batch_running(const ht_batch_work *of) {
  int count = 0;
  for (int s = 0; s < of->share.jobs; s++) count += of->child[s].pid != 0;
  return count;
}

/* Also one that runs alone, when no other does. */
static ht_status fill_slots(ht_batch_work *of, int *busy) {
  *busy = 0;
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->child[s].pid != 0) continue;
    int number = next_waiting(of, 0, busy);
    if (number < 0 && ht_batch_running(of) == 0) number = next_waiting(of, 1, busy);
    if (number < 0) return HT_OK;
    HT_TRY(start(of, s, number));
    if (of->alone[number]) return HT_OK;
  }
  return HT_OK;
}

static ht_status reap(ht_batch_work *of) {
  for (int s = 0; s < of->share.jobs; s++) {
    int exit_code;
    const double began_s = of->child[s].began_s;
    if (ht_child_ended(&of->child[s], &exit_code))
      HT_TRY(ht_batch_end_case(of, of->at[s], exit_code, ht_clock_s() - began_s, NULL));
  }
  return HT_OK;
}

void ht_batch_pause(void) {
  const struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
}

void ht_batch_stop_all(ht_batch_work *of) {
  of->stopped = 1;
  for (int s = 0; s < of->share.jobs; s++) ht_child_stop(&of->child[s]);
}

/* A failure of the batch itself (a full disk, a signal) ends the cases, too. */
static ht_status run_all(ht_batch_work *of) {
  ht_status status = HT_OK;
  int busy;
  while (status == HT_OK) {
    status = reap(of);
    if (status == HT_OK) status = fill_slots(of, &busy);
    if (status == HT_OK && ht_batch_running(of) == 0 && !busy) return HT_OK;
    if (status == HT_OK) status = ht_batch_report(of);
    if (status == HT_OK) ht_batch_pause();
  }
  char message[512];
  snprintf(message, sizeof message, "%s", ht_error_message());
  ht_batch_stop_all(of);
  while (ht_batch_running(of) > 0) {
    reap(of);
    ht_batch_pause();
  }
  return ht_fail(status, "%s", message);
}

/* ---- the begin and the end ---- */

static void choose_again(const ht_batch_options *options, const ht_cohort *cohort,
                         ht_case_record *record) {
  for (int i = 0; i < cohort->cases; i++) {
    const int failed = record[i].state == HT_CASE_FAILED,
              refused = record[i].state == HT_CASE_REFUSED;
    if ((options->retry >= HT_RETRY_FAILED && failed) ||
        (options->retry == HT_RETRY_ALL && refused))
      record[i].state = HT_CASE_WAITING;
  }
}

/* Cases that are done and whose folder or summary somebody removed, or that a full disk damaged,
 * run again: else their row would be empty. */
static ht_status find_lost(ht_batch_work *of) {
  ht_cohort_table table;
  HT_TRY(ht_cohort_table_make(of->cohort, of->record, of->options->folder, &table));
  for (int i = 0; i < of->cohort->cases; i++)
    if (ht_cohort_is_lost(&table, i)) of->record[i] = (ht_case_record){.lost = 1};
  ht_cohort_table_free(&table);
  return HT_OK;
}

ht_status ht_batch_open(ht_batch_work *of) {
  int changed;
  ht_identity_guard_texts(0);
  HT_TRY(ht_path_join(of->state_path, of->options->folder, HT_FILE_BATCH));
  HT_TRY(
      ht_alloc((void **)&of->record, (size_t)of->cohort->cases, sizeof *of->record, "the cases"));
  HT_TRY(ht_alloc((void **)&of->alone, (size_t)of->cohort->cases, 1, "the cases"));
  HT_TRY(ht_alloc((void **)&of->told, (size_t)of->cohort->cases, 1, "the cases"));
  HT_TRY(ht_batch_state_read(of->state_path, of->cohort, of->record, &changed));
  for (int i = 0; i < of->cohort->cases; i++) /* an earlier version's reasons may have names */
    ht_batch_hide_paths(&of->cohort->item[i], of->record[i].message);
  HT_TRY(find_lost(of));
  choose_again(of->options, of->cohort, of->record);
  return HT_OK;
}

/* Without a base the cases' settings are all in their lists. */
ht_status ht_batch_make_base(ht_batch_work *of) {
  ht_output output;
  if (of->cohort->base[0]) {
    snprintf(of->base, sizeof of->base, "%s", of->cohort->base);
    return HT_OK;
  }
  HT_TRY(ht_path_join(of->base, of->options->folder, "base.yaml"));
  HT_TRY(ht_output_open(of->base, &output));
  fputs("# The settings of all cases: there are none but those of the table.\nname: batch\n",
        output.stream);
  return ht_output_commit(&output);
}

ht_status ht_batch_make_folders(const ht_batch_work *of) {
  static const char *const inside[] = {"cases", "logs"};
  char path[HT_PATH_MAX];
  for (int i = 0; i < 2; i++) {
    HT_TRY(ht_path_join(path, of->options->folder, inside[i]));
    HT_TRY(ht_folder_make(path));
  }
  return HT_OK;
}

/* Of a folder the user cannot tell the cases by their ids. The list is a table for a batch, too. */
static ht_status write_scans(const ht_batch_work *of) {
  char path[HT_PATH_MAX];
  ht_output output;
  if (of->cohort->table.rows > 0 || of->cohort->keep_identity) return HT_OK;
  HT_TRY(ht_path_join(path, of->options->folder, "logs/scans.csv"));
  HT_TRY(ht_output_open(path, &output));
  fputs("id,scan\n", output.stream);
  for (int i = 0; i < of->cohort->cases; i++) {
    fprintf(output.stream, "%s,", of->cohort->item[i].id);
    ht_csv_put(output.stream, of->cohort->item[i].input);
    fputc('\n', output.stream);
  }
  HT_TRY(ht_output_commit(&output));
  ht_console_note("ids      hashes of the scans' paths, as names of files may hold a patient's; %s "
                  "has both: for you, not to be passed on",
                  path);
  return HT_OK;
}

static ht_status outcome(const ht_batch_work *of) {
  int count[HT_CASE_STATES];
  ht_batch_count(of, count);
  if (count[HT_CASE_DONE] == of->cohort->cases && of->undrawn > 0)
    return ht_fail(HT_ERR_BATCH,
                   "all cases are done, but the pictures of %d are not drawn (see above): the same "
                   "command tries again",
                   of->undrawn);
  if (count[HT_CASE_DONE] == of->cohort->cases) return HT_OK;
  const int left = of->cohort->cases - count[HT_CASE_DONE];
  return ht_fail(HT_ERR_BATCH,
                 "%d of %d cases %s not done (%d failed, %d refused): the reasons are in "
                 "%s/cohort.csv; --retry %s runs %s again",
                 left, of->cohort->cases, left == 1 ? "is" : "are", count[HT_CASE_FAILED],
                 count[HT_CASE_REFUSED], of->options->folder,
                 count[HT_CASE_REFUSED] > 0 ? "all" : "failed", left == 1 ? "it" : "them");
}

void ht_batch_close(ht_batch_work *of) {
  free(of->record);
  free(of->alone);
  free(of->told);
}

/* Ensures that no row of a done case is empty without a word. */
static ht_status fail_lost(ht_batch_work *of, const ht_cohort_table *table) {
  int lost = 0;
  for (int i = 0; i < of->cohort->cases; i++) {
    ht_case_record *record = &of->record[i];
    if (!ht_cohort_is_lost(table, i)) continue;
    record->state = HT_CASE_FAILED;
    snprintf(record->message, sizeof record->message,
             "its results cannot be read any more (cases/%s/summary.csv): --retry failed runs it "
             "again",
             of->cohort->item[i].id);
    tell_end(of, i);
    lost++;
  }
  return lost ? ht_batch_write_state(of) : HT_OK;
}

/* Makes the colours the same, and writes the results. The summaries of the cases are read once for
 * both: drawing changes none. `status`: how the cases ended, HT_OK or HT_ERR_INTERRUPTED. */
static ht_status write_results(ht_batch_work *of, ht_status status) {
  ht_cohort_table table;
  HT_TRY(ht_cohort_table_make(of->cohort, of->record, of->options->folder, &table));
  if (status == HT_OK) status = fail_lost(of, &table);
  if (status == HT_OK) status = ht_same_colours(of, &table);
  if (status == HT_OK || status == HT_ERR_INTERRUPTED) {
    const ht_status written = ht_batch_results(&table);
    if (written != HT_OK) status = written;
  }
  ht_cohort_table_free(&table);
  return status;
}

static ht_status run(ht_batch_work *of) {
  of->begun_s = ht_clock_s();
  ht_folder_sweep(of->options->folder, 0); /* what a batch that was killed left half-written */
  HT_TRY(ht_batch_open(of));
  HT_TRY(ht_batch_make_base(of));
  HT_TRY(ht_batch_make_folders(of));
  HT_TRY(write_scans(of));
  ht_batch_tell_begin(of);
  ht_console_stage("batch", 1, 1);
  ht_status status = of->options->slurm ? ht_slurm_run_all(of) : run_all(of);
  if (status != HT_ERR_INTERRUPTED) ht_console_stage_end();
  if (status != HT_OK && status != HT_ERR_INTERRUPTED) return status;
  status = write_results(of, status);
  if (status == HT_ERR_INTERRUPTED)
    return ht_fail(status, "stopped as asked: the same command goes on with the other cases and "
                           "the pictures that are missing");
  return status == HT_OK ? outcome(of) : status;
}

ht_status ht_batch_run(const ht_cohort *cohort, const ht_batch_options *options) {
  ht_batch_work of = {
      .cohort = cohort, .options = options, .share = ht_batch_share_of(cohort, options)};
  const ht_status status = run(&of);
  ht_batch_close(&of);
  return status;
}
