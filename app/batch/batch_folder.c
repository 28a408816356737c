#include "app/batch/batch_folder.h"
#include "app/batch/batch_reason.h"
#include "app/batch/cohort/cohort_table.h"
#include "run/record/identity.h"
#include <stdlib.h>

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

/* Finds cases that are done and whose folder or summary somebody removed, or that a full disk
 * damaged. They run again: else their row would be empty. */
static ht_status find_lost(ht_batch_work *of) {
  ht_cohort_table table;
  HT_TRY(ht_cohort_table_make(of->cases.cohort, of->cases.record, of->options->folder, &table));
  for (int i = 0; i < of->cases.cohort->cases; i++)
    if (ht_cohort_is_lost(&table, i)) of->cases.record[i] = (ht_case_record){.lost = 1};
  ht_cohort_table_free(&table);
  return HT_OK;
}

ht_status ht_batch_open(ht_batch_work *of) {
  int changed;
  ht_identity_guard_texts(0);
  HT_TRY(ht_path_join(of->cases.path, of->options->folder, HT_FILE_BATCH));
  HT_TRY(ht_alloc((void **)&of->cases.record, (size_t)of->cases.cohort->cases,
                  sizeof *of->cases.record, "the cases"));
  HT_TRY(ht_alloc((void **)&of->cases.alone, (size_t)of->cases.cohort->cases, 1, "the cases"));
  HT_TRY(ht_alloc((void **)&of->cases.told, (size_t)of->cases.cohort->cases, 1, "the cases"));
  HT_TRY(ht_batch_state_read(of->cases.path, of->cases.cohort, of->cases.record, &changed));
  for (int i = 0; i < of->cases.cohort->cases;
       i++) /* an earlier version's reasons may have names */
    ht_batch_hide_paths(&of->cases.cohort->item[i], of->cases.record[i].message);
  HT_TRY(find_lost(of));
  choose_again(of->options, of->cases.cohort, of->cases.record);
  return HT_OK;
}

/* Makes a base; without one the cases' settings are all in their lists. */
ht_status ht_batch_make_base(ht_batch_work *of) {
  ht_output output;
  if (of->cases.cohort->base[0]) {
    snprintf(of->base, sizeof of->base, "%s", of->cases.cohort->base);
    return HT_OK;
  }
  HT_TRY(ht_path_join(of->base, of->options->folder, "base.yaml"));
  HT_TRY(ht_output_open(of->base, &output));
  fputs("# The settings of all cases: there are none but those of the table.\nname: batch\n",
        output.stream);
  return ht_output_commit(&output);
}

ht_status ht_batch_make_folders(const char *folder) {
  static const char *const inside[] = {"cases", "logs"};
  char path[HT_PATH_MAX];
  for (int i = 0; i < 2; i++) {
    HT_TRY(ht_path_join(path, folder, inside[i]));
    HT_TRY(ht_folder_make(path));
  }
  return HT_OK;
}

void ht_batch_close(ht_batch_work *of) {
  free(of->cases.record);
  free(of->cases.alone);
  free(of->cases.told);
}
