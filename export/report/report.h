/* report.html: one file that shows a finished case in a browser, from the disk and without a
 * network. It holds the numbers of summary.json, the tables, the pictures, and the data of an
 * interactive view of the vessel.
 *
 * The data of the view is made from the flow while this is in memory (ht_report_view_make); the
 * page itself from that and from the files of the folder (ht_report_write), so that it can be
 * written again when summary.json changes. */
#ifndef HT_REPORT_H
#define HT_REPORT_H

#include "status.h"
#include <stddef.h>

/* The elements of the page that hold the view's data. Zeroed: no view. */
typedef struct {
  char *text; /* owned */
  size_t size;
} ht_report_view;

void ht_report_view_free(ht_report_view *view);

/* Writes report.html into the case folder, from its summary.json (needed), waveforms.csv,
 * centreline.csv and pictures/ (where present). `name`: of the case, shown as the title. `view` may
 * be NULL. HT_ERR_NOT_FOUND: there is no summary.json. HT_ERR_FORMAT: a file cannot be read.
 * HT_ERR_MEMORY, HT_ERR_WRITE. */
ht_status ht_report_write(const char *folder, const char *name, const ht_report_view *view);

#endif
