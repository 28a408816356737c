/* Comparison of a finished case with a measured flow (phase-contrast MR). */
#ifndef HT_JUDGE_H
#define HT_JUDGE_H

#include "core/status.h"
#include <stdio.h>

typedef struct {
  const char *case_path, *measured_path;
  const char *folder; /* of the results */
  double delay_s;     /* of the computed beat's start after the R wave */
  int same_frame;     /* 1: positions of the scan and the measured flow are taken as the same */
} ht_judge_options;

/* Tells whether a path is read as a measured flow: its YAML or JSON file, a zip archive, or a
 * folder or file that is neither a case folder nor the wall of another program. */
int ht_judge_is_measured(const char *path);

/* Compares, warns (console.h), writes comparison.csv, sections.csv, comparison.json, pictures and
 * comparison.html into the folder, and prints the main numbers to `stream`. HT_ERR_USAGE: the
 * folder holds other files; HT_ERR_CASE: another frame of reference, or none; errors of
 * ht_results_read, ht_measured_file_read and ht_judge_velocities. Nothing is written then.
 * HT_ERR_WRITE. */
ht_status ht_judge_run(const ht_judge_options *options, FILE *stream);

#endif
