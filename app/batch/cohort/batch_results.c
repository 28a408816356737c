#include "app/batch/cohort/batch_results.h"
#include "app/batch/cohort/cohort_page.h"
#include "app/batch/cohort/methods.h"

ht_status ht_batch_results(const ht_cohort_table *table) {
  char path[HT_PATH_MAX], methods[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, table->folder, HT_FILE_COHORT));
  HT_TRY(ht_cohort_table_write(path, table));
  HT_TRY(ht_path_join(methods, table->folder, HT_FILE_METHODS));
  HT_TRY(ht_methods_write(methods, table));
  HT_TRY(ht_path_join(path, table->folder, HT_FILE_PAGE));
  return ht_cohort_page_write(path, table, methods);
}
