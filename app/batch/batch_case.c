#define _GNU_SOURCE
#include "app/batch/batch_work.h"
#include "run/process/console.h"
#include "core/disk/folder_names.h"
#include "run/process/log_lock.h"
#include "run/privacy/redact.h"
#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static void add(ht_batch_command *to, int *words, const char *word) {
  to->word[(*words)++] = (char *)word;
}

ht_status ht_batch_case_folder(const ht_batch_work *of, int number, char path[HT_PATH_MAX]) {
  char name[HT_CASE_ID_MAX + 8];
  snprintf(name, sizeof name, "cases/%s", of->cohort->item[number].id);
  return ht_path_join(path, of->options->folder, name);
}

int ht_draws_later(const ht_batch_work *of, int number) {
  const double *own = of->cohort->item[number].colours;
  return of->cohort->cases > 1 && !of->options->own_colours &&
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

/* Replaces whole words only, so that a folder named "a" does not match every "a" of a message. */
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
  const size_t shortest = 3; /* a shorter name may be a word of the message or of a label */
  if (strlen(name) >= shortest && !strstr(word, name)) hide(text, name, word);
}

/* Returns the word for a path in the settings of a case; NULL: no path. */
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

void ht_batch_count(const ht_batch_work *of, int count[HT_CASE_STATES]) {
  memset(count, 0, HT_CASE_STATES * sizeof *count);
  for (int i = 0; i < of->cohort->cases; i++) count[of->record[i].state]++;
}

void ht_batch_tell_end(const ht_batch_work *of, int number) {
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

/* Returns 1 where the cases share the memory; on a cluster a task has what --mem says. */
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
    ht_console_note("%-16s needs more memory than its share: it will be rerun alone at the end",
                    of->cohort->item[number].id);
  } else if (record->state != HT_CASE_WAITING) {
    ht_batch_tell_end(of, number);
  }
  return ht_batch_write_state(of);
}

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

int ht_batch_running(const ht_batch_work *of) {
  int count = 0;
  for (int s = 0; s < of->share.jobs; s++) count += of->child[s].pid != 0;
  return count;
}

void ht_batch_pause(void) {
  const struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
}

void ht_batch_stop_all(ht_batch_work *of) {
  of->stopped = 1;
  for (int s = 0; s < of->share.jobs; s++) ht_child_stop(&of->child[s]);
}
