/* Table of a batch's cases with the numbers of their results: cohort.csv. */
#ifndef HT_COHORT_TABLE_H
#define HT_COHORT_TABLE_H

#include "app/batch/cohort/batch_state.h"

/* Files of a batch, next to cases/ID/ and logs/ID.txt. */
#define HT_FILE_COHORT  "cohort.csv"
#define HT_FILE_PAGE    "cohort.html"
#define HT_FILE_METHODS "methods.txt"

/* Table with one row per case: its state, the covariates, and the numbers of its summary.csv, where
 * it has results (exit codes 0 and 32). */
typedef struct {
  const ht_cohort *cohort;
  const ht_case_record *record;
  const char *folder; /* folder of the results */
  ht_csv *summary;    /* [cohort->cases] rows 0: none */
  int columns;
  const char **column; /* [columns] names in the summaries, in order of appearance */
} ht_cohort_table;

/* Reads the summaries below `folder`. One that cannot be read counts as none. HT_ERR_MEMORY. */
ht_status ht_cohort_table_make(const ht_cohort *cohort, const ht_case_record *record,
                               const char *folder, ht_cohort_table *table);
void ht_cohort_table_free(ht_cohort_table *table);

/* Composes the path of a file in a case's folder; "": the folder. HT_ERR_USAGE: too long a path. */
ht_status ht_cohort_file(const ht_cohort_table *table, int number, const char *name,
                         char path[HT_PATH_MAX]);

/* Returns 1 where the case has the files that the cohort's page shows: its report and a picture. */
int ht_cohort_has_pages(const ht_cohort_table *table, int number);

/* Returns 1 for a case that is done, and whose summary is missing or cannot be read. */
int ht_cohort_is_lost(const ht_cohort_table *table, int number);

/* Returns the value; "" where the case has no such number. */
const char *ht_cohort_value(const ht_cohort_table *table, int number, const char *column);

/* Finds the ends of the colour bars that a case's pictures have; 0: by its values. Returns 0 where
 * some may have other ends. */
int ht_cohort_colours(const ht_cohort_table *table, int number, double end[HT_COLOURS]);

/* Writes the table. HT_ERR_WRITE. */
ht_status ht_cohort_table_write(const char *path, const ht_cohort_table *table);

#endif
