#include "export/beat/beat.h"
#include <math.h>
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

ht_status ht_beat_move(ht_beat *beat, ht_state *stream) {
  double **array[ARRAYS];
  int width[ARRAYS], beats = beat->beats;
  HT_TRY(ht_state_part(stream, "beat"));
  HT_TRY(ht_state_int(stream, &beat->ports, 0, HT_OPENINGS_MAX));
  HT_TRY(ht_state_int(stream, &beats, 0, 1 << 20));
  HT_TRY(ht_state_bytes(stream, beat->time_s, (size_t)beat->samples * sizeof *beat->time_s));
  if (stream->is_loading) HT_TRY(ht_beat_resize(beat, beats));
  arrays_of(beat, array, width);
  for (int a = 0; a < ARRAYS; a++) {
    size_t count = (size_t)beats * (size_t)beat->samples * (size_t)width[a];
    HT_TRY(ht_state_bytes(stream, *array[a], count * sizeof(double)));
  }
  return HT_OK;
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

double ht_beat_error(const ht_beat *beat, const double *values, int width, int at) {
  double sum = 0, squares = 0;
  if (beat->beats < 2) return 0;
  for (int b = 0; b < beat->beats; b++) {
    double mean = 0;
    for (int k = 0; k < beat->samples; k++)
      mean += values[((int64_t)b * beat->samples + k) * width + at] / beat->samples;
    sum += mean;
    squares += mean * mean;
  }
  double variance = (squares - sum * sum / beat->beats) / (beat->beats - 1);
  return sqrt(fmax(variance, 0) / beat->beats);
}

static void take_part(ht_beat *series, int part, int parts, ht_beat *batches) {
  double **from[ARRAYS], **to[ARRAYS];
  int width[ARRAYS], first = (int)((int64_t)series->samples * part / parts);
  int behind = (int)((int64_t)series->samples * (part + 1) / parts);
  arrays_of(series, from, width);
  arrays_of(batches, to, width);
  for (int a = 0; a < ARRAYS; a++)
    for (int k = first; k < behind; k++)
      for (int i = 0; i < width[a]; i++)
        (*to[a])[(int64_t)part * width[a] + i] +=
            (*from[a])[(int64_t)k * width[a] + i] / (behind - first);
}

ht_status ht_beat_batch(const ht_beat *series, int parts, ht_beat *batches) {
  ht_beat from = *series; /* copies the pointers; the arrays are only read */
  size_t stations = (size_t)series->stations;
  *batches = (ht_beat){.samples = 1, .ports = series->ports, .stations = series->stations};
  if (parts > series->samples) parts = series->samples;
  ht_status status = ht_alloc((void **)&batches->time_s, 1, sizeof(double), "the means");
  if (status == HT_OK)
    status = ht_alloc((void **)&batches->station, stations + 1, sizeof(ht_station), "the means");
  if (status == HT_OK) status = ht_beat_resize(batches, parts);
  if (status == HT_OK && stations > 0)
    memcpy(batches->station, series->station, stations * sizeof(ht_station));
  for (int part = 0; part < parts && status == HT_OK; part++)
    take_part(&from, part, parts, batches);
  if (status != HT_OK) ht_beat_free(batches);
  return status;
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
