#include "app/measure/measure_text.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const from_words[] = {
    [HT_MOMENTS_NONE] = "",
    [HT_MOMENTS_SERIES] = "the fields at every sample",
    [HT_MOMENTS_STATIONS] = "the stations of the centreline on both sides",
    [HT_MOMENTS_WALL] = "the wall alone, and the fields at one moment",
};

/* ---- text ---- */

/* Writes a cell of 13 characters. */
static void put_cell(FILE *stream, double value) {
  if (isfinite(value))
    fprintf(stream, "%13.5g", value == 0 ? 0.0 : value);
  else
    fprintf(stream, "%13s", "-");
}

static void print_where(FILE *stream, const ht_measurement *of) {
  double at[3];
  for (int r = 0; r < 3; r++) at[r] = fabs(of->centre_mm[r]) < 0.005 ? 0 : of->centre_mm[r];
  fprintf(stream,
          "  section of %.5g mm2 (diameter %.4g mm, perimeter %.4g mm) around %.2f, %.2f, %.2f mm "
          "(LPS)\n",
          of->area_mm2, of->diameter_mm, of->perimeter_mm, at[0], at[1], at[2]);
  if (isfinite(of->along_mm))
    fprintf(stream, "  %.4g mm along the centreline from its first station (centreline.csv)\n",
            of->along_mm);
  if (of->turn_degrees > 5)
    fprintf(stream,
            "  the plane is turned by %.0f degrees against the vessel: the area across it is "
            "about %.4g mm2\n",
            of->turn_degrees, of->area_mm2 * cos(of->turn_degrees * HT_PI / 180));
  fprintf(stream,
          "  flow and mean velocity are positive along %.3f, %.3f, %.3f, as the blood flows "
          "on average\n",
          of->normal[0] + 0.0, of->normal[1] + 0.0, of->normal[2] + 0.0);
  if (of->others > 0)
    fprintf(stream, "  %d other section%s in this plane %s left out\n", of->others,
            of->others > 1 ? "s" : "", of->others > 1 ? "are" : "is");
  if (of->remark[0]) fprintf(stream, "  note: %s\n", of->remark);
}

static void print_section(FILE *stream, const ht_measurement *of) {
  static const char *const heads[2][8] = {
      {"", "flow", "mean", "highest", "pressure", "pressure", "WSS mean", "WSS highest"},
      {"time s", "mL/s", "m/s", "m/s", "Pa", "mmHg", "Pa", "Pa"}};
  print_where(stream, of);
  if (of->from != HT_MOMENTS_NONE)
    fprintf(stream, "  over the beat: %s; WSS of the mean: TAWSS\n", from_words[of->from]);
  for (int line = 0; line < 2; line++) {
    fprintf(stream, "  %8s", heads[line][0]);
    for (int c = 1; c < 8; c++) fprintf(stream, "%13s", heads[line][c]);
    fputc('\n', stream);
  }
  for (int i = 0; i < of->rows; i++) {
    const ht_section_row *row = &of->row[i];
    const double numbers[] = {row->flow_ml_s,
                              row->mean_m_s,
                              row->highest_m_s,
                              row->pressure_pa,
                              row->pressure_pa / HT_PA_PER_MMHG,
                              row->wss_mean_pa,
                              row->wss_highest_pa};
    if (i == 0)
      fprintf(stream, "  %8s", of->is_pulsatile ? "mean" : "steady");
    else
      fprintf(stream, "  %8.4f", row->time_s);
    for (size_t c = 0; c < sizeof numbers / sizeof *numbers; c++) put_cell(stream, numbers[c]);
    fputc('\n', stream);
  }
}

static void print_region(FILE *stream, const ht_measurement *of) {
  static const char *const heads[] = {"mean", "5 %", "50 %", "95 %", "99 %", "least", "highest"};
  fprintf(stream, "  region of %.5g mm2 of the wall; per cent of its area have at most:\n",
          of->area_mm2);
  if (of->remark[0]) fprintf(stream, "  note: %s\n", of->remark);
  fprintf(stream, "  %-26s", "");
  for (int c = 0; c < 7; c++) fprintf(stream, "%13s", heads[c]);
  fputc('\n', stream);
  for (int i = 0; i < of->quantities; i++) {
    const ht_wall_spread_full *spread = &of->quantity[i].spread;
    const double numbers[] = {spread->mean, spread->p5,    spread->p50,    spread->p95,
                              spread->p99,  spread->least, spread->highest};
    fprintf(stream, "  %-26s", of->quantity[i].name);
    for (int c = 0; c < 7; c++) put_cell(stream, numbers[c]);
    fputc('\n', stream);
  }
}

void ht_measure_print(FILE *stream, const char *name, const ht_measure_place *place,
                      const ht_measurement *measurement) {
  fprintf(stream, "%s%s%s %.200s\n", name ? name : "", name ? ": " : "",
          ht_place_option(place->kind), place->text);
  (measurement->is_region ? print_region : print_section)(stream, measurement);
}

/* ---- JSON ---- */

static void add_section(ht_json *json, const ht_measurement *of) {
  ht_json_measured(json, "area_mm2", of->area_mm2);
  ht_json_measured(json, "diameter_mm", of->diameter_mm);
  ht_json_measured(json, "perimeter_mm", of->perimeter_mm);
  ht_json_all_measured(json, "centre_mm", of->centre_mm, 3);
  ht_json_all_measured(json, "normal", of->normal, 3);
  ht_json_all_measured(json, "axis", of->axis, 3);
  ht_json_measured(json, "turn_degrees", of->turn_degrees);
  ht_json_measured(json, "along_mm", of->along_mm);
  ht_json_integer(json, "others", of->others);
  ht_json_string(json, "remark", of->remark);
  ht_json_string(json, "moments_from", from_words[of->from]);
  ht_json_array(json, "rows");
  for (int i = 0; i < of->rows; i++) {
    const ht_section_row *row = &of->row[i];
    ht_json_object(json, NULL);
    ht_json_string(json, "moment", i > 0 ? "sample" : of->is_pulsatile ? "mean" : "steady");
    if (i > 0) ht_json_measured(json, "time_s", row->time_s);
    ht_json_measured(json, "flow_ml_s", row->flow_ml_s);
    ht_json_measured(json, "mean_velocity_m_s", row->mean_m_s);
    ht_json_measured(json, "highest_velocity_m_s", row->highest_m_s);
    ht_json_measured(json, "pressure_pa", row->pressure_pa);
    ht_json_measured(json, "pressure_mmhg", row->pressure_pa / HT_PA_PER_MMHG);
    ht_json_measured(json, "wss_mean_pa", row->wss_mean_pa);
    ht_json_measured(json, "wss_highest_pa", row->wss_highest_pa);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
}

static void add_region(ht_json *json, const ht_measurement *of) {
  ht_json_measured(json, "area_mm2", of->area_mm2);
  ht_json_string(json, "remark", of->remark);
  ht_json_object(json, "quantities");
  for (int i = 0; i < of->quantities; i++) {
    const ht_wall_spread_full *spread = &of->quantity[i].spread;
    ht_json_object(json, of->quantity[i].name);
    ht_json_measured(json, "mean", spread->mean);
    ht_json_measured(json, "p5", spread->p5);
    ht_json_measured(json, "p50", spread->p50);
    ht_json_measured(json, "p95", spread->p95);
    ht_json_measured(json, "p99", spread->p99);
    ht_json_measured(json, "least", spread->least);
    ht_json_measured(json, "highest", spread->highest);
    ht_json_object_end(json);
  }
  ht_json_object_end(json);
}

void ht_measure_json(ht_json *json, const char *key, const char *name,
                     const ht_measure_place *place, const ht_measurement *measurement) {
  ht_json_object(json, key);
  if (name) ht_json_string(json, "name", name);
  ht_json_string(json, "kind", ht_place_option(place->kind));
  ht_json_string(json, "place", place->text);
  (measurement->is_region ? add_region : add_section)(json, measurement);
  ht_json_object_end(json);
}
