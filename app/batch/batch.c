#include "app/batch/batch.h"
#include "app/batch/batch_case.h"
#include "app/batch/batch_folder.h"
#include "app/batch/batch_live.h"
#include "app/batch/cohort/batch_results.h"
#include "app/batch/batch_share.h"
#include "app/batch/batch_tell.h"
#include "app/batch/same_colours.h"
#include "app/batch/slurm.h"
#include "core/machine/clock.h"
#include "run/process/console.h"
#include "core/formats/csv_cell.h"
#include "run/folder/folder.h"
#include <signal.h>

static ht_status start(ht_batch_work *of, int slot, int number) {
  ht_batch_command words;
  char log[HT_PATH_MAX];
  HT_TRY(ht_batch_make_command(of, number, !of->cases.alone[number], &words));
  HT_TRY(ht_batch_case_log(of, number, log));
  remove(log);
  ht_batch_begin_case(&of->cases, number);
  HT_TRY(ht_batch_write_state(&of->cases));
  of->slots.at[slot] = number;
  snprintf(of->live.line[slot], sizeof of->live.line[slot], "begins");
  char gpu[HT_BATCH_GPU_NAME + 24] = ""; /* the only one that the case sees */
  if (of->share.gpus > 1)
    snprintf(gpu, sizeof gpu, "CUDA_VISIBLE_DEVICES=%s", of->share.gpu[slot % of->share.gpus]);
  const ht_child_options options = {log, *gpu ? gpu : NULL, SIGTERM};
  return ht_child_start(words.word, &options, &of->slots.child[slot]);
}

/* Returns a case that can begin now; -1: none. *busy: a waiting case has its folder in use. */
static int next_waiting(ht_batch_work *of, int alone, int *busy) {
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    if (of->cases.record[i].state != HT_CASE_WAITING || of->cases.alone[i] != alone) continue;
    if (!ht_batch_is_busy(of, i)) return i;
    *busy = 1;
  }
  return -1;
}

/* Fills the free slots, also with one that runs alone, when no other does. */
static ht_status fill_slots(ht_batch_work *of, int *busy) {
  *busy = 0;
  for (int s = 0; s < of->share.jobs; s++) {
    if (of->slots.child[s].pid != 0) continue;
    int number = next_waiting(of, 0, busy);
    if (number < 0 && ht_batch_running(&of->slots) == 0) number = next_waiting(of, 1, busy);
    if (number < 0) return HT_OK;
    HT_TRY(start(of, s, number));
    if (of->cases.alone[number]) return HT_OK;
  }
  return HT_OK;
}

static ht_status reap(ht_batch_work *of) {
  for (int s = 0; s < of->share.jobs; s++) {
    int exit_code;
    const double began_s = of->slots.child[s].began_s;
    if (ht_child_ended(&of->slots.child[s], &exit_code))
      HT_TRY(ht_batch_end_case(of, of->slots.at[s], exit_code, ht_clock_s() - began_s, NULL));
  }
  return HT_OK;
}

/* Runs all cases. A failure of the batch itself (a full disk, a signal) ends the cases, too. */
static ht_status run_all(ht_batch_work *of) {
  ht_status status = HT_OK;
  int busy;
  while (status == HT_OK) {
    status = reap(of);
    if (status == HT_OK) status = fill_slots(of, &busy);
    if (status == HT_OK && ht_batch_running(&of->slots) == 0 && !busy) return HT_OK;
    if (status == HT_OK) status = ht_batch_report(of);
    if (status == HT_OK) ht_batch_pause();
  }
  char message[512];
  snprintf(message, sizeof message, "%s", ht_error_message());
  ht_batch_stop_all(&of->slots);
  while (ht_batch_running(&of->slots) > 0) {
    reap(of);
    ht_batch_pause();
  }
  return ht_fail(status, "%s", message);
}

/* Writes the list of scans, since their user cannot identify the cases of a folder by their ids.
 * The list is also a table for a batch. */
static ht_status write_scans(const ht_batch_work *of) {
  char path[HT_PATH_MAX];
  ht_output output;
  if (of->cases.cohort->table.rows > 0 || of->cases.cohort->keep_identity) return HT_OK;
  HT_TRY(ht_path_join(path, of->options->folder, "logs/scans.csv"));
  HT_TRY(ht_output_open(path, &output));
  fputs("id,scan\n", output.stream);
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    fprintf(output.stream, "%s,", of->cases.cohort->item[i].id);
    ht_csv_put(output.stream, of->cases.cohort->item[i].input);
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
  ht_batch_count(&of->cases, count);
  if (count[HT_CASE_DONE] == of->cases.cohort->cases && of->undrawn > 0)
    return ht_fail(HT_ERR_BATCH,
                   "all cases are done, but the pictures of %d are not drawn (see above): the same "
                   "command tries again",
                   of->undrawn);
  if (count[HT_CASE_DONE] == of->cases.cohort->cases) return HT_OK;
  const int left = of->cases.cohort->cases - count[HT_CASE_DONE];
  return ht_fail(HT_ERR_BATCH,
                 "%d of %d cases %s not done (%d failed, %d refused): the reasons are in "
                 "%s/cohort.csv; --retry %s runs %s again",
                 left, of->cases.cohort->cases, left == 1 ? "is" : "are", count[HT_CASE_FAILED],
                 count[HT_CASE_REFUSED], of->options->folder,
                 count[HT_CASE_REFUSED] > 0 ? "all" : "failed", left == 1 ? "it" : "them");
}

/* Marks lost cases as failed, so that no row of a done case is empty without a message. */
static ht_status fail_lost(ht_batch_work *of, const ht_cohort_table *table) {
  int lost = 0;
  for (int i = 0; i < of->cases.cohort->cases; i++) {
    ht_case_record *record = &of->cases.record[i];
    if (!ht_cohort_is_lost(table, i)) continue;
    record->state = HT_CASE_FAILED;
    snprintf(record->message, sizeof record->message,
             "its results cannot be read any more (cases/%s/summary.csv): --retry failed runs it "
             "again",
             of->cases.cohort->item[i].id);
    ht_batch_tell_end(&of->cases, i);
    lost++;
  }
  return lost ? ht_batch_write_state(&of->cases) : HT_OK;
}

/* Makes the colours the same, and writes the results. The summaries of the cases are read once for
 * both: drawing changes none. `status`: how the cases ended, HT_OK or HT_ERR_INTERRUPTED. */
static ht_status write_results(ht_batch_work *of, ht_status status) {
  ht_cohort_table table;
  HT_TRY(ht_cohort_table_make(of->cases.cohort, of->cases.record, of->options->folder, &table));
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
  ht_folder_sweep(of->options->folder, 0); /* half-written files of a batch that was killed */
  HT_TRY(ht_batch_open(of));
  HT_TRY(ht_batch_make_base(of));
  HT_TRY(ht_batch_make_folders(of->options->folder));
  HT_TRY(write_scans(of));
  ht_batch_tell_begin(of);
  ht_console_stage("batch", 1, 1);
  ht_status status = of->options->slurm ? ht_slurm_run_all(of) : run_all(of);
  if (status != HT_ERR_INTERRUPTED) ht_console_stage_end();
  if (status != HT_OK && status != HT_ERR_INTERRUPTED) return status;
  status = write_results(of, status);
  if (status == HT_ERR_INTERRUPTED)
    return ht_fail(status, "stopped as asked: the same command continues with the other cases and "
                           "the pictures that are missing");
  return status == HT_OK ? outcome(of) : status;
}

ht_status ht_batch_run(const ht_cohort *cohort, const ht_batch_options *options) {
  ht_batch_work of = {
      .cases = {.cohort = cohort}, .options = options, .share = ht_batch_share_of(cohort, options)};
  const ht_status status = run(&of);
  ht_batch_close(&of);
  return status;
}
