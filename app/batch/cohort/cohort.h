/* Cases of a batch: a table, or the scans of a folder. */
#ifndef HT_COHORT_H
#define HT_COHORT_H

#include "app/batch/cohort/csv.h"
#include "core/disk/file.h"
#include "run/folder/hash.h"

enum { HT_CASE_ID_MAX = 64, HT_CASE_SETS_MAX = 64 };

#define HT_FILE_BATCH "batch.csv" /* state of the cases; it marks a folder of results */

/* Colour bars of the pictures: of the speed, m/s; of the wall shear stress, Pa. */
enum { HT_COLOURS_SPEED, HT_COLOURS_WSS, HT_COLOURS };

/* Arguments of a case's run in addition to the base case file. */
typedef struct {
  char id[HT_CASE_ID_MAX]; /* letters, digits, '.', '_', '-' */
  int line;                /* line in the table; 0: the case is from a folder */
  char *base;              /* its own case file, absolute; NULL: the common one; owned */
  char *input;             /* its scan or mask; NULL where a mistake was found; owned */
  int sets;
  char *set[HT_CASE_SETS_MAX]; /* "section.key=value", with absolute paths; owned */
  double colours[HT_COLOURS];  /* ends of the colour bars in its settings; 0: none */
  char hash[HT_HASH_TEXT];     /* HT_HASH_RUN of its settings: decides whether it runs again */
} ht_cohort_case;

typedef struct {
  char base[HT_PATH_MAX]; /* the base case file, absolute; "": none */
  int keep_identity;      /* from the base file: 1: scans of a folder have their names as ids */
  int follow_umask; /* from the base file: 1: the user's umask sets who may read the results */
  ht_csv table;     /* for a folder: without rows */
  int covariates;   /* columns of the table that are no settings, passed through */
  int *covariate;   /* [covariates] their columns */
  int cases;
  ht_cohort_case *item; /* [cases] in the table's order; from a folder by name */
} ht_cohort;

/* Reads the table (a file) or lists the scans (a folder) at `input`; `base` may be NULL.
 *
 * A table has a column `id`, and `case` (a case file in place of `base`), `scan`, `mask` or any
 * other key of a case file ("flow.cycles": override.h), paths relative to the table; an empty cell
 * leaves the base file's setting. In a table with ';' or tabs a number may have a decimal comma.
 * Other columns are covariates. The settings of each case are checked, and its waveform's file is
 * read; no scan is.
 * A scan of a folder goes by the label of its path (ht_identity_label: "folder-0123456789ab"),
 * because exports are named by the patient; with keep_identity in `base` by its name.
 * HT_ERR_NOT_FOUND; HT_ERR_WRITE: no label; HT_ERR_CASE with file:line and column: all that
 * ht_case_check() refuses, an id twice or with other signs, no source. Several mistakes are the
 * lines of one message. The caller frees the cohort. */
ht_status ht_cohort_read(const char *input, const char *base, ht_cohort *cohort);
void ht_cohort_free(ht_cohort *cohort);

#endif
