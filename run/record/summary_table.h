/* summary.csv: the numbers of summary.json as a table of one row. */
#ifndef HT_SUMMARY_TABLE_H
#define HT_SUMMARY_TABLE_H

#include "run/folder/yaml_file.h"
#include <stdio.h>

/* Takes the values below `node` one by one, in their order: the path of each, and its text ("": not
 * known). A column's name is the path of the value in the JSON file (`flow.max_velocity_m_s`,
 * `openings.NAME.flow_ml_s`; for a list of numbers the axes x, y, z, or 1, 2, ... follow), so that
 * it has the unit. `warnings` is their number; `notice`, `manifest` and the course of the
 * convergence are left out. */
typedef void (*ht_summary_take)(void *user, const char *column, const char *value);
void ht_summary_flatten(struct fy_node *node, ht_summary_take take, void *user);

/* Reads `json` and writes `csv`: a header line with the columns, and a row with the values. A value
 * that is not known is an empty cell. HT_ERR_NOT_FOUND, HT_ERR_FORMAT, HT_ERR_WRITE. */
ht_status ht_summary_table_write(const char *json, const char *csv);

#endif
