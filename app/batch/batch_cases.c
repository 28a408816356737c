#include "app/batch/batch_cases.h"
#include "run/process/console.h"
#include <string.h>

void ht_batch_count(const ht_batch_cases *of, int count[HT_CASE_STATES]) {
  memset(count, 0, HT_CASE_STATES * sizeof *count);
  for (int i = 0; i < of->cohort->cases; i++) count[of->record[i].state]++;
}

void ht_batch_begin_case(ht_batch_cases *of, int number) {
  ht_case_record *record = &of->record[number];
  record->state = HT_CASE_RUNNING;
  record->tries++;
  record->message[0] = 0;
  memcpy(record->hash, of->cohort->item[number].hash, sizeof record->hash);
}

ht_status ht_batch_write_state(const ht_batch_cases *of) {
  return ht_batch_state_write(of->path, of->cohort, of->record);
}

void ht_batch_tell_end(const ht_batch_cases *of, int number) {
  const ht_case_record *record = &of->record[number];
  int count[HT_CASE_STATES];
  ht_batch_count(of, count);
  const int ended = count[HT_CASE_DONE] + count[HT_CASE_FAILED] + count[HT_CASE_REFUSED];
  ht_console_note("%-16s %s, %.1f s (%d of %d)%s%s", of->cohort->item[number].id,
                  ht_case_state_words[record->state], record->seconds, ended, of->cohort->cases,
                  record->message[0] ? ": " : "", record->message);
}
