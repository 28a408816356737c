/* candidates.json: vessels of a scan that a person may mean. */
#ifndef HT_CANDIDATES_RECORD_H
#define HT_CANDIDATES_RECORD_H

#include "core/vessel/candidates.h"
#include "core/status.h"

/* Writes the file. HT_ERR_WRITE. */
ht_status ht_candidates_write(const char *path, const ht_candidates *candidates);

/* Reads the two ends (LPS mm, the wider first) of candidate `number`, from 1. HT_ERR_NOT_FOUND:
 * there is no such file; HT_ERR_USAGE: no such number; HT_ERR_FORMAT. */
ht_status ht_candidates_read_ends(const char *path, int number, double ends_mm[2][3]);

#endif
