/* What the table of cases shows of one, from its folder alone. */
#ifndef HT_CASE_ROW_H
#define HT_CASE_ROW_H

#include "app/batch/cohort/csv.h"
#include "core/formats/json.h"
#include <stdint.h>

/* Returns a number that changes whenever the row may. */
int64_t ht_case_row_stamp(const char *folder);

/* Writes members into the present object: "stage" ("new", "imported", "segmented", "computed"),
 * "failure" (the message of the last command, if that failed; ""); of a computed case "newer"
 * (ht_run_newer), "warnings" (texts), "values" (the main numbers of its results by their names in
 * summary.csv). What cannot be read is left out.
 */
void ht_case_row_put(const char *folder, ht_json *json);

/* Reads the state of a batch's cases from its folder. HT_ERR_NOT_FOUND: it is none; errors of
 * ht_csv_read(). */
ht_status ht_batch_rows_read(const char *folder, ht_csv *rows);

/* Calls `each` for the id of every case of a batch, in its order. */
void ht_batch_rows_walk(const ht_csv *rows, void (*each)(void *user, const char *id), void *user);

/* Returns the row of that id; 0: it has none. */
int ht_batch_row_of(const ht_csv *rows, const char *id);

/* Writes the members of a batch's case into the present object, if it has the id: "batch_state",
 * "exit_code", "message". */
void ht_batch_row_put(const ht_csv *rows, const char *id, ht_json *json);

#endif
