/* Flow waveforms from CSV files. */
#ifndef HT_WAVEFORM_FILE_H
#define HT_WAVEFORM_FILE_H

#include "run/folder/hash.h"
#include "solver/inflow/waveform.h"

typedef struct {
  int is_velocity; /* 1: the values are a velocity in m/s, not a flow in mL/s; times an area in mm2
                      they are a flow in mL/s */
  int has_comma;   /* 1: decimal commas */
  double own_period_s;       /* period before it was stretched; 0: a series, which has none */
  char sha256[HT_HASH_TEXT]; /* hash of the numbers, whatever else is in the file */
} ht_waveform_facts;

/* Reads a table whose first line names its columns with their units, in any order; other columns
 * are ignored, and so are empty lines and lines that begin with '#'. The separator of the names
 * (';', a tab, ',' or blanks) separates the columns; unless it is ',', numbers may have a decimal
 * comma.
 *   samples:         time_s or time_ms; flow_ml_s, flow_ml_min, flow_l_min or flow_m3_s, or
 *                    velocity_m_s or velocity_cm_s
 *   a Fourier series: harmonic (0: the mean, 1, 2, ...), and cosine_ml_s with sine_ml_s, or
 *                    cosine_m_s with sine_m_s
 * Where every number with '.' or ',' may be either thousands or decimals ("1,050", "2.100"; not
 * "0,250"), the file is refused.
 * `beat_s` > 0 is the length of the samples' own beat (0: see ht_period_find), `period_s` > 0 that
 * to which they are stretched; a series needs it. HT_ERR_NOT_FOUND, HT_ERR_CASE with file:line;
 * HT_ERR_CASE also where the mean is not above 0; HT_ERR_MEMORY. */
ht_status ht_waveform_file_read(const char *path, double beat_s, double period_s,
                                ht_waveform *waveform, ht_waveform_facts *facts);

/* Writes the numbers of the file `from` as a table of hemotile's own with the same columns, in s
 * and mL/s or m/s, without comments and other columns, so that its SHA-256 covers the facts alone.
 * Read back, it is the same waveform to the last bit. Errors as above, and HT_ERR_WRITE. */
ht_status ht_waveform_file_copy(const char *from, const char *to);

#endif
