#include "run/numbers/inflow_table.h"
#include "run/openings/place_outlets.h"
#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 240 };

typedef struct {
  double time_s, flow_ml_s, sample_ml_s; /* sample NaN: between the samples */
} row;

static int by_time(const void *one, const void *other) {
  double a = ((const row *)one)->time_s, b = ((const row *)other)->time_s;
  return (a > b) - (a < b);
}

static void fill(const ht_waveform *wave, double unit, row *rows) {
  for (int i = 0; i < MOMENTS + 1; i++) {
    double time_s = wave->period_s * i / MOMENTS;
    rows[i] = (row){time_s, unit * ht_waveform_value(wave, time_s), NAN};
  }
  for (int i = 0; i < wave->samples; i++) {
    double time_s = fmod(wave->time_s[i], wave->period_s), flow = unit * wave->flow_ml_s[i];
    if (time_s < 0) time_s += wave->period_s;
    rows[MOMENTS + 1 + i] = (row){time_s, flow, flow};
  }
  qsort(rows, (size_t)(MOMENTS + 1 + wave->samples), sizeof *rows, by_time);
}

ht_status ht_inflow_write(const char *path, const ht_case *settings, const ht_openings *openings) {
  const ht_waveform *wave = &settings->inflow;
  int count = MOMENTS + 1 + wave->samples;
  ht_output output;
  row *rows;
  HT_TRY(ht_alloc((void **)&rows, (size_t)count, sizeof *rows, "the inflow"));
  fill(wave, ht_place_inflow_ml_s(openings) / ht_waveform_mean(wave), rows);
  ht_status status = ht_output_open(path, &output);
  if (status == HT_OK) {
    fputs("time_s,flow_ml_s,sample_ml_s\n", output.stream);
    for (int i = 0; i < count; i++) {
      fprintf(output.stream, "%.6g,%.6g,", rows[i].time_s, rows[i].flow_ml_s + 0.0);
      if (isfinite(rows[i].sample_ml_s)) fprintf(output.stream, "%.6g", rows[i].sample_ml_s + 0.0);
      fputc('\n', output.stream);
    }
    status = ht_output_commit(&output);
  }
  free(rows);
  return status;
}

void ht_inflow_json(ht_json *json, const ht_case *settings, const ht_openings *openings) {
  const ht_waveform *wave = &settings->inflow;
  double least, most, flow_ml_s = ht_place_inflow_ml_s(openings),
                      unit = flow_ml_s / ht_waveform_mean(wave);
  if (!(wave->period_s > 0)) return;
  ht_waveform_range(wave, &least, &most);
  ht_json_object(json, "inflow");
  ht_json_string(json, "waveform", ht_case_waveform_name(settings));
  ht_json_number(json, "mean_ml_s", flow_ml_s);
  ht_json_number(json, "highest_ml_s", unit * most);
  ht_json_number(json, "lowest_ml_s", unit * least);
  ht_json_number(json, "period_s", wave->period_s);
  ht_json_number(json, "rate_per_min", 60 / wave->period_s);
  if (settings->inflow_facts.own_period_s > 0) {
    ht_json_number(json, "own_period_s", settings->inflow_facts.own_period_s);
    ht_json_string(json, "end_of_beat", ht_period_reason_words[wave->period_reason]);
  }
  ht_json_object_end(json);
}
