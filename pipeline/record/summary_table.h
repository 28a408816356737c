/* summary.csv: the numbers of summary.json as a table of one row. */
#ifndef HT_SUMMARY_TABLE_H
#define HT_SUMMARY_TABLE_H

#include "status.h"

/* Reads `json` and writes `csv`: a header line and a row. A column's name is the path of the value
 * in the JSON file (`flow.max_velocity_m_s`, `openings.NAME.flow_ml_s`; of a list of numbers the
 * axes x, y, z, or 1, 2, ... follow), so that it has the unit. A value that is not known is an
 * empty cell. `warnings` is their number; `notice`, `manifest` and the course of
 * the convergence are left out. HT_ERR_NOT_FOUND,
 * HT_ERR_FORMAT, HT_ERR_WRITE. */
ht_status ht_summary_table_write(const char *json, const char *csv);

#endif
