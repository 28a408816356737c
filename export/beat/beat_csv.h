/* The tables of a beat: CSV, comma and point, a header line, one row for each sample or station.
 * Written whole or not at all (file.h). HT_ERR_WRITE. With several beats the numbers are means over
 * them. */
#ifndef HT_BEAT_CSV_H
#define HT_BEAT_CSV_H

#include "export/beat/beat.h"

/* A row for each sample: time_s, then flow_ml_s_NAME of every opening (signs as in ht_flow_sample),
 * then pressure_mmhg_NAME of every opening, as ht_flow.pressure_pa; then tke_mj where turbulence
 * was measured over a beat, empty at the samples between its phases. */
ht_status ht_beat_write_waveforms(const char *path, const ht_beat *beat,
                                  const ht_flow_stats *stats);

/* A row for each station; columns: docs/files.md. wss_pa: [stations], the mean over the wall around
 * each; NULL: no such column. Where a section is not the vessel's alone
 * (is_mixed) the cells of its values are empty, as in the next table. */
ht_status ht_beat_write_centreline(const char *path, const ht_beat *beat,
                                   const ht_flow_stats *stats, const double *wss_pa);

/* A row for each station: position_mm, then the section's mean pressure at each sample, mmHg; the
 * header has the samples' times. */
ht_status ht_beat_write_centreline_beat(const char *path, const ht_beat *beat);

/* The number in `stats` of the inlet with the largest flow; 0 where there is none. */
int ht_beat_main_inlet(const ht_flow_stats *stats);

#endif
