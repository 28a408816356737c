/* Samples of a beat on their way from the solver to series.bin, and from there to the files that
 * the case requests (export.beat_files). A series that cannot be kept causes a warning; the run
 * goes on. */
#ifndef HT_RUN_SERIES_H
#define HT_RUN_SERIES_H

#include "export/pictures/pictures.h"
#include "run/state/run_state.h"

/* Begins the series of a pulsatile flow where the case requests such files. `points`: number of
 * points on the wall; `samples`: number per beat. */
void ht_run_series_begin(ht_run *run, int64_t points, int samples, double period_s);

/* Adds a sample; `wall` has its load. */
void ht_run_series_sample(ht_sampled *sampled, const ht_flow_sample *sample,
                          const ht_surface *wall);

/* Drops the samples so far: there will be no series. Returns HT_OK. */
ht_status ht_run_series_drop(ht_sampled *sampled);

/* Completes series.bin. */
void ht_run_series_end(ht_sampled *sampled);

/* Opens series.bin where the case requests files of it. HT_ERR_CASE: it is missing, or belongs to
 * another mask; HT_ERR_FORMAT: damaged. */
ht_status ht_need_series(ht_run *run);

/* Draws pictures/beat.webp; does nothing where there is no series. */
ht_status ht_run_draw_beat(const ht_run *run, const ht_surface *surface,
                           const ht_picture_text *words);

/* Writes the files that the case requests; does nothing where there is no series. */
ht_status ht_run_write_series(const ht_run *run, const ht_surface *surface,
                              const ht_picture_text *text);

#endif
