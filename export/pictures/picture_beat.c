/* Pressure and flow over a beat, and along the vessel, as plots. */
#include "export/pictures/pictures.h"
#include "export/drawing/annotate.h"
#include "export/beat/beat_csv.h"
#include "export/drawing/colormap.h"
#include "export/drawing/plot.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 8 };
static const ht_rgb colour[COLOURS] = {{64, 200, 176},  {240, 196, 92},  {255, 122, 92},
                                       {106, 182, 255}, {196, 130, 255}, {150, 210, 90},
                                       {255, 140, 190}, {150, 160, 172}};

static ht_plot_axis axis_of(const char *label, double low, double high) {
  if (!(high > low)) low -= 0.5, high += 0.5;
  double step = ht_nice_below((high - low) / 4);
  return (ht_plot_axis){label, step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9),
                        step};
}

static void find_range(const double *values, int64_t count, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(values[i])) {
      range[0] = fmin(range[0], values[i]);
      range[1] = fmax(range[1], values[i]);
    }
  if (!(range[1] >= range[0])) range[0] = range[1] = 0;
}

static ht_status draw(const char *path, ht_plot *plot, const char *what,
                      const ht_picture_text *text) {
  char title[256];
  snprintf(title, sizeof title, "%s - %s", what, text && text->name ? text->name : "");
  plot->title = title;
  plot->mark = text ? text->mark : NULL;
  return ht_plot_write(path, plot);
}

/* ---- over the beat ---- */

/* Draws a curve for each opening; y: [ports][samples]. The beat's end repeats its start. */
static ht_status draw_openings(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                               const double *y, const char *label, const char *what,
                               const ht_picture_text *text) {
  ht_plot_series series[HT_OPENINGS_MAX];
  double range[2];
  int points = beat->samples;
  for (int p = 0; p < beat->ports; p++)
    series[p] = (ht_plot_series){.label = stats->port[p].name,
                                 .colour = colour[p % COLOURS],
                                 .joined = 1,
                                 .width = 2.4,
                                 .count = points,
                                 .x = beat->time_s,
                                 .y = y + (int64_t)p * points};
  find_range(y, (int64_t)beat->ports * points, range);
  int pulses = beat->period_s > 0;
  double end_s = pulses ? beat->period_s : beat->time_s[points - 1];
  ht_plot plot = {.x = axis_of(pulses ? "time from the start of the beat, s"
                                      : "time from the start of averaging, s",
                               0, end_s),
                  .y = axis_of(label, range[0], range[1]),
                  .series = beat->ports,
                  .one = series};
  plot.x.high = end_s; /* no empty end */
  return draw(path, &plot, what, text);
}

static ht_status draw_values(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                             int pressures, const ht_picture_text *text) {
  double *y;
  const double *from = pressures ? beat->pressure_pa : beat->flow_ml_s;
  HT_TRY(
      ht_alloc((void **)&y, (size_t)beat->ports * (size_t)beat->samples + 1, sizeof *y, "a plot"));
  for (int p = 0; p < beat->ports; p++)
    for (int k = 0; k < beat->samples; k++)
      y[(int64_t)p * beat->samples + k] =
          ht_beat_mean(beat, from, beat->ports, k, p) / (pressures ? HT_PA_PER_MMHG : 1);
  ht_status status =
      draw_openings(path, beat, stats, y,
                    pressures ? "pressure at the openings, mmHg"
                              : "flow into the vessel at inlets, out of it at outlets, mL/s",
                    pressures ? "Pressure over time" : "Flow over time", text);
  free(y);
  return status;
}

ht_status ht_picture_beat_flow(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                               const ht_picture_text *text) {
  return draw_values(path, beat, stats, 0, text);
}

ht_status ht_picture_beat_pressure(const char *path, const ht_beat *beat,
                                   const ht_flow_stats *stats, const ht_picture_text *text) {
  return draw_values(path, beat, stats, 1, text);
}

/* ---- along the vessel ---- */

enum { MEAN = 0, AT_PEAK, LINES };

/* The lines of the plot: curves with gaps where a section is not the vessel's alone, and dots on a
 * straight line over each gap. */
typedef struct {
  double *x, *y[LINES], *over[LINES]; /* [stations] each; x is owned and holds all */
} curves;

static void bridge(const double *x, const double *y, int from, int to, double *over) {
  for (int s = from + 1; s < to; s++)
    over[s] = y[from] + (y[to] - y[from]) * (x[s] - x[from]) / (x[to] - x[from]);
}

static void bridge_gaps(const double *x, const double *y, int count, double *over) {
  int last = -1;
  for (int s = 0; s < count; s++) {
    over[s] = NAN;
    if (!isfinite(y[s])) continue;
    if (last >= 0) bridge(x, y, last, s, over);
    last = s;
  }
}

static ht_status make_curves(const ht_beat *beat, int peak, curves *to) {
  int n = beat->stations;
  HT_TRY(ht_alloc((void **)&to->x, (size_t)n * (2 * LINES + 1) + 1, sizeof *to->x, "a plot"));
  for (int line = 0; line < LINES; line++) {
    to->y[line] = to->x + (int64_t)n * (1 + line);
    to->over[line] = to->x + (int64_t)n * (1 + LINES + line);
  }
  for (int s = 0; s < n; s++) {
    double mean = ht_beat_whole_mean(beat, beat->section_pa, n, s);
    double at_peak = ht_beat_mean(beat, beat->section_pa, n, peak, s);
    int is_mixed = beat->station[s].is_mixed != 0;
    to->x[s] = beat->station[s].along_mm;
    to->y[MEAN][s] = is_mixed ? NAN : mean / HT_PA_PER_MMHG;
    to->y[AT_PEAK][s] = is_mixed ? NAN : at_peak / HT_PA_PER_MMHG;
  }
  for (int line = 0; line < LINES; line++) bridge_gaps(to->x, to->y[line], n, to->over[line]);
  return HT_OK;
}

static int has_gap(const ht_beat *beat) {
  for (int s = 0; s < beat->stations; s++)
    if (beat->station[s].is_mixed) return 1;
  return 0;
}

ht_status ht_picture_centreline(const char *path, const ht_beat *beat, const ht_flow_stats *stats,
                                const ht_picture_text *text) {
  int n = beat->stations, steady = beat->period_s == 0;
  int peak = ht_beat_peak_sample(beat, ht_beat_main_inlet(stats));
  int lines = steady ? AT_PEAK : LINES;
  double range[2];
  curves of;
  HT_TRY(make_curves(beat, peak, &of));
  const char *gap = has_gap(beat) ? "sac or junction: straight line" : NULL;
  const ht_plot_series series[2 * LINES] = {
      {gap, ht_faint_ink, 0, 5, n, of.x, of.over[MEAN], NULL, 0},
      {steady ? "pressure" : "mean of the beat", colour[0], 1, 2.4, n, of.x, of.y[MEAN], NULL, 0},
      {NULL, ht_faint_ink, 0, 5, n, of.x, of.over[AT_PEAK], NULL, 0},
      {"at the largest inflow", colour[2], 1, 2.4, n, of.x, of.y[AT_PEAK], NULL, 0}};
  find_range(of.y[MEAN], (int64_t)lines * n, range);
  ht_plot plot = {.x = axis_of("position along the vessel, from the inlet, mm", 0, of.x[n - 1]),
                  .y = axis_of("mean pressure of the section, mmHg", range[0], range[1]),
                  .series = 2 * lines,
                  .one = series};
  ht_status status = draw(path, &plot, "Pressure along the vessel", text);
  free(of.x);
  return status;
}
