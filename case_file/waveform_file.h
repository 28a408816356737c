/* Flow waveforms from CSV files. */
#ifndef HT_WAVEFORM_FILE_H
#define HT_WAVEFORM_FILE_H

#include "waveform.h"

/* Reads a table whose first line names its columns with their units, in any order; other columns
 * are ignored, and so are empty lines and lines that begin with '#'. The separator of the names
 * (';', a tab, ',' or blanks) separates the columns; unless it is ',', numbers may have a decimal
 * comma.
 *   samples:         time_s or time_ms; flow_ml_s, flow_ml_min, flow_l_min or flow_m3_s, or
 *                    velocity_m_s or velocity_cm_s
 *   a Fourier series: harmonic (0: the mean, 1, 2, ...), and cosine_ml_s with sine_ml_s, or
 *                    cosine_m_s with sine_m_s
 * *velocity 1: the values are a velocity in m/s, not a flow in mL/s; times an area in mm2 they are
 * a flow in mL/s.
 * *comma 1: the numbers have a decimal comma. Where every number with '.' or ',' may be either
 * thousands or decimals ("1,050", "2.100"; not "0,250"), the file is refused.
 * `period_s` > 0 stretches the samples to that period (0: their own, see ht_waveform_samples); a
 * series needs it. HT_ERR_NOT_FOUND, HT_ERR_CASE with
 * file:line; HT_ERR_CASE also where the mean is not above 0. */
ht_status ht_waveform_file_read(const char *path, double period_s, ht_waveform *waveform,
                                int *velocity, int *comma);

#endif
