/* The page report.html of a case: made by the export, or made again from a finished case. */
#ifndef HT_STAGE_REPORT_H
#define HT_STAGE_REPORT_H

#include "run/stages/flow_pictures.h"

/* Writes report.html from the files of the folder and the view in it. Errors as ht_report_write. */
ht_status ht_run_write_report(const ht_given *given, const ht_report_view *view);

/* Reads the scan, which the view shows where the folder has one. Prints its progress. */
ht_status ht_run_need_view(ht_run *run);

/* Draws the view of the report; a job as those of flow_pictures.h. */
ht_status ht_draw_view(void *user);

/* Reads the flow of the finished case and writes report.html, for `hemotile report`, after
 * ht_run_begin; changes no other file but the log. With `redraw` it also makes what an export with
 * `no_pictures` leaves out: the pictures whose colours have a range, pictures/beat.webp, and the
 * pictures and the report in dicom/, with the range of the settings, which goes to
 * pictures/colours.json. HT_ERR_NOT_FOUND, HT_ERR_CASE: as for an export, or the case has no
 * summary.json. */
ht_status ht_stage_report(ht_run *run, int redraw);

#endif
