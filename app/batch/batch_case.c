#define _GNU_SOURCE
#include "app/batch/batch_case.h"
#include "app/batch/batch_reason.h"
#include "run/process/console.h"
#include "core/disk/folder_names.h"
#include "run/process/log_lock.h"
#include <string.h>
#include <time.h>

static void add(ht_batch_command *to, int *words, const char *word) {
  to->word[(*words)++] = (char *)word;
}

ht_status ht_batch_case_folder(const ht_batch_work *of, int number, char path[HT_PATH_MAX]) {
  char name[HT_CASE_ID_MAX + 8];
  snprintf(name, sizeof name, "cases/%s", of->cases.cohort->item[number].id);
  return ht_path_join(path, of->options->folder, name);
}

int ht_draws_later(const ht_batch_work *of, int number) {
  const double *own = of->cases.cohort->item[number].colours;
  return of->cases.cohort->cases > 1 && !of->options->own_colours &&
         !(own[HT_COLOURS_SPEED] > 0 && own[HT_COLOURS_WSS] > 0);
}

/* Returns 1 where the table gives the key, which then counts before the batch's own share. */
static int gives(const ht_cohort_case *one, const char *key) {
  const size_t length = strlen(key);
  for (int s = 0; s < one->sets; s++)
    if (strncmp(one->set[s], key, length) == 0 && one->set[s][length] == '=') return 1;
  return 0;
}

ht_status ht_batch_make_command(const ht_batch_work *of, int number, int limits,
                                ht_batch_command *to) {
  const ht_cohort_case *one = &of->cases.cohort->item[number];
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
  snprintf(name, sizeof name, "logs/%s.txt", of->cases.cohort->item[number].id);
  return ht_path_join(path, of->options->folder, name);
}

static void stamp(char text[32]) {
  time_t now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Returns 1 where the cases share the memory; on a cluster a task has what --mem says. */
static int shares_memory(const ht_batch_work *of) {
  return of->share.jobs > 1 && !of->options->slurm;
}

ht_status ht_batch_end_case(ht_batch_work *of, int number, int exit_code, double seconds,
                            const char *reason) {
  ht_case_record *record = &of->cases.record[number];
  char log[HT_PATH_MAX];
  record->state = ht_case_state_of(exit_code, of->slots.stopped);
  record->exit_code = exit_code;
  record->seconds = seconds;
  stamp(record->ended);
  HT_TRY(ht_batch_case_log(of, number, log));
  if (record->state != HT_CASE_DONE && record->state != HT_CASE_WAITING)
    ht_batch_find_reason(log, exit_code, record->message);
  ht_batch_hide_paths(&of->cases.cohort->item[number], record->message);
  if (reason) snprintf(record->message, sizeof record->message, "%s", reason);
  if (ht_batch_wants_memory(exit_code) && !of->cases.alone[number] && shares_memory(of)) {
    of->cases.alone[number] = 1;
    record->state = HT_CASE_WAITING;
    ht_console_note("%-16s needs more memory than its share: it will be rerun alone at the end",
                    of->cases.cohort->item[number].id);
  } else if (record->state != HT_CASE_WAITING) {
    ht_batch_tell_end(&of->cases, number);
  }
  return ht_batch_write_state(&of->cases);
}

int ht_batch_is_busy(ht_batch_work *of, int number) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  if (ht_batch_case_folder(of, number, folder) != HT_OK ||
      ht_path_join(path, folder, HT_FILE_LOG) != HT_OK || !ht_log_is_locked(path))
    return 0;
  if (!of->cases.told[number])
    ht_console_note("%-16s waits: another hemotile still works in its folder",
                    of->cases.cohort->item[number].id);
  of->cases.told[number] = 1;
  return 1;
}
