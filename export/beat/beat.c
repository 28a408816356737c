#include "beat.h"
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 5 };

void ht_beat_free(ht_beat *beat) {
  if (!beat) return;
  free(beat->station), free(beat->time_s);
  free(beat->flow_ml_s), free(beat->pressure_pa);
  free(beat->section_pa), free(beat->axial_m_s), free(beat->peak_m_s);
  memset(beat, 0, sizeof *beat);
}

/* The arrays of all moments, and their widths. */
static void arrays_of(ht_beat *beat, double **array[ARRAYS], int width[ARRAYS]) {
  double **const all[ARRAYS] = {&beat->flow_ml_s, &beat->pressure_pa, &beat->section_pa,
                                &beat->axial_m_s, &beat->peak_m_s};
  for (int a = 0; a < ARRAYS; a++) {
    array[a] = all[a];
    width[a] = a < 2 ? beat->ports : beat->stations;
  }
}

ht_status ht_beat_resize(ht_beat *beat, int beats) {
  double **array[ARRAYS], *larger[ARRAYS] = {NULL};
  int width[ARRAYS];
  int kept = beats < beat->beats ? beats : beat->beats;
  ht_status status = HT_OK;
  arrays_of(beat, array, width);
  for (int a = 0; a < ARRAYS && status == HT_OK; a++) {
    size_t moment = (size_t)beat->samples * (size_t)width[a];
    status = ht_alloc((void **)&larger[a], (size_t)beats * moment + 1, sizeof(double),
                      "pressure and flow over the beat");
    if (status == HT_OK && *array[a] && kept > 0)
      memcpy(larger[a], *array[a], (size_t)kept * moment * sizeof(double));
  }
  for (int a = 0; a < ARRAYS; a++) {
    free(status == HT_OK ? *array[a] : larger[a]);
    if (status == HT_OK) *array[a] = larger[a];
  }
  if (status == HT_OK) beat->beats = beats;
  return status;
}

double ht_beat_mean(const ht_beat *beat, const double *values, int width, int sample, int at) {
  double sum = 0;
  for (int b = 0; b < beat->beats; b++)
    sum += values[((int64_t)b * beat->samples + sample) * width + at];
  return sum / beat->beats;
}

double ht_beat_whole_mean(const ht_beat *beat, const double *values, int width, int at) {
  double sum = 0;
  for (int k = 0; k < beat->samples; k++) sum += ht_beat_mean(beat, values, width, k, at);
  return sum / beat->samples;
}

int ht_beat_peak_sample(const ht_beat *beat, int port) {
  int peak = 0;
  double most = 0;
  for (int k = 0; k < beat->samples; k++) {
    double flow = ht_beat_mean(beat, beat->flow_ml_s, beat->ports, k, port);
    if (k == 0 || flow > most) most = flow, peak = k;
  }
  return peak;
}
