#include "app/batch/cohort/batch_state.h"
#include "core/formats/csv_cell.h"
#include "core/text/words.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_case_state_words[] = {"waiting", "running", "done", "failed", "refused", NULL};

enum { ID, STATE, CODE, SECONDS, TRIES, ENDED, HASH, MESSAGE, COLUMNS };
static const char *const columns[COLUMNS] = {"id",    "state",     "exit_code",       "seconds",
                                             "tries", "ended_utc", "settings_sha256", "message"};

ht_case_state ht_case_state_of(int exit_code, int stopped) {
  /* A process that has not installed its handler yet is ended by the signal itself. */
  if (stopped && (exit_code == HT_ERR_INTERRUPTED || exit_code == 128 + SIGTERM))
    return HT_CASE_WAITING;
  switch (exit_code) {
  case HT_OK:
    return HT_CASE_DONE;
  case HT_ERR_USAGE:
  case HT_ERR_CASE:
  case HT_ERR_TIME:
  case HT_ERR_NOT_FOUND:
  case HT_ERR_FORMAT:
  case HT_ERR_SERIES:
  case HT_ERR_VESSEL:
  case HT_ERR_OPENINGS:
  case HT_ERR_UNSTABLE:
    return HT_CASE_REFUSED;
  default:
    return HT_CASE_FAILED;
  }
}

static void copy(char *to, size_t size, const char *text) {
  snprintf(to, size, "%s", text);
}

static ht_status take(const ht_csv *csv, int row, const char *path, ht_case_record *to) {
  const char *word = ht_csv_cell(csv, row, STATE);
  const int state = ht_word_find(ht_case_state_words, word, strlen(word));
  if (state < 0)
    return ht_fail(HT_ERR_FORMAT, "%s:%d: '%.40s' is not a state of a case", path, csv->line[row],
                   word);
  to->state = state == HT_CASE_RUNNING ? HT_CASE_WAITING : (ht_case_state)state;
  to->exit_code = atoi(ht_csv_cell(csv, row, CODE));
  to->seconds = strtod(ht_csv_cell(csv, row, SECONDS), NULL);
  to->tries = atoi(ht_csv_cell(csv, row, TRIES));
  copy(to->ended, sizeof to->ended, ht_csv_cell(csv, row, ENDED));
  copy(to->hash, sizeof to->hash, ht_csv_cell(csv, row, HASH));
  copy(to->message, sizeof to->message, ht_csv_cell(csv, row, MESSAGE));
  return HT_OK;
}

static int row_of(const ht_csv *csv, const char *id) {
  for (int row = 1; row < csv->rows; row++)
    if (strcmp(ht_csv_cell(csv, row, ID), id) == 0) return row;
  return 0;
}

static ht_status check_header(const ht_csv *csv, const char *path) {
  int same = csv->columns == COLUMNS;
  for (int c = 0; same && c < COLUMNS; c++) same = strcmp(ht_csv_cell(csv, 0, c), columns[c]) == 0;
  if (same) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: not the state of a batch: choose another folder with -o",
                 path);
}

ht_status ht_batch_state_read(const char *path, const ht_cohort *cohort, ht_case_record *record,
                              int *changed) {
  ht_csv csv;
  *changed = 0;
  memset(record, 0, (size_t)cohort->cases * sizeof *record);
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_csv_read(path, &csv));
  ht_status status = check_header(&csv, path);
  for (int i = 0; i < cohort->cases && status == HT_OK; i++) {
    const int row = row_of(&csv, cohort->item[i].id);
    if (row == 0) continue;
    status = take(&csv, row, path, &record[i]);
    if (strcmp(record[i].hash, cohort->item[i].hash) == 0 || record[i].tries == 0) continue;
    record[i] = (ht_case_record){.changed = 1};
    ++*changed;
  }
  ht_csv_free(&csv);
  return status;
}

ht_status ht_batch_state_write(const char *path, const ht_cohort *cohort,
                               const ht_case_record *record) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  for (int c = 0; c < COLUMNS; c++) fprintf(output.stream, "%s%s", c ? "," : "", columns[c]);
  fputc('\n', output.stream);
  for (int i = 0; i < cohort->cases; i++) {
    const ht_case_record *one = &record[i];
    fprintf(output.stream, "%s,%s,%d,%.3f,%d,%s,%s,", cohort->item[i].id,
            ht_case_state_words[one->state], one->exit_code, one->seconds, one->tries, one->ended,
            one->tries > 0 ? one->hash : "");
    ht_csv_put(output.stream, one->message);
    fputc('\n', output.stream);
  }
  return ht_output_commit(&output);
}
