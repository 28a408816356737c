/* Plots of velocities and flows, measured against computed. */
#include "app/compare/measured/judge_pictures.h"
#include "export/drawing/annotate.h"
#include "export/drawing/plot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOTS = 4000 };
static const ht_rgb measured_colour = {255, 176, 72}, computed_colour = {110, 190, 255},
                    line_colour = {170, 178, 188};

static const char what[] = "a plot";

/* ---- axes ---- */

static void widen(const double *value, int count, double range[2]) {
  for (int i = 0; i < count; i++)
    if (isfinite(value[i])) {
      range[0] = fmin(range[0], value[i]);
      range[1] = fmax(range[1], value[i]);
    }
}

static ht_plot_axis axis_of(const double range[2], const char *label) {
  const double high = range[1] > range[0] ? range[1] : range[0] + 1;
  const double step = ht_nice_below((high - range[0]) / 4);
  return (ht_plot_axis){label, step * floor(range[0] / step + 1e-9),
                        step * ceil(high / step - 1e-9), step};
}

static ht_plot_series dots(const char *label, ht_rgb colour, int count, const double *x,
                           const double *y) {
  return (ht_plot_series){
      .label = label, .colour = colour, .width = 5, .count = count, .x = x, .y = y};
}

static ht_plot_series large(ht_plot_series series) {
  series.width = 9;
  return series;
}

static ht_plot_series line(const char *label, ht_rgb colour, int count, const double *x,
                           const double *y) {
  return (ht_plot_series){
      .label = label, .colour = colour, .joined = 1, .width = 2.2, .count = count, .x = x, .y = y};
}

static ht_status write(const char *path, ht_plot *plot, const char *title,
                       const ht_picture_text *text) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s - %s", title, text->name);
  plot->title = whole;
  plot->mark = text->mark;
  return ht_plot_write(path, plot);
}

/* ---- velocities ---- */

static ht_status draw_velocities(const char *path, const ht_judged *of,
                                 const ht_picture_text *text) {
  const int part = of->parts == 3 ? HT_JUDGED_SPEED : HT_JUDGED_ALONG;
  const int moment = of->times > 0 ? HT_JUDGED_BEAT : HT_JUDGED_MEAN;
  const ht_agreement *fit = &of->velocity[moment][part];
  const int64_t first = moment == HT_JUDGED_BEAT ? of->compared : 0;
  const int64_t all = moment == HT_JUDGED_BEAT ? of->times * of->compared : of->compared;
  const int count = (int)fmin(DOTS, (double)all);
  double *value, range[2] = {0, 0}, ends[2], fit_ends[2], fitted[2];
  char note[200];
  HT_TRY(ht_alloc((void **)&value, 2 * (size_t)count, sizeof *value, what));
  for (int i = 0; i < count; i++) {
    const int64_t n = first + (int64_t)((double)i / count * (double)all);
    value[i] = ht_judged_value(of, of->computed_m_s, 0, n, part);
    value[count + i] = ht_judged_value(of, of->measured_m_s, 0, n, part);
  }
  widen(value, 2 * count, range);
  ht_plot plot = {.x = axis_of(range, "computed, as the scan shows it, m/s"),
                  .y = axis_of(range, part == HT_JUDGED_SPEED
                                          ? "measured speed, m/s"
                                          : "measured velocity along its direction, m/s")};
  ends[0] = plot.x.low, ends[1] = plot.x.high;
  for (int k = 0; k < 2; k++) { /* the line ends where it leaves the plot */
    const double y = fit->slope * ends[k] + fit->intercept;
    fitted[k] = fmin(fmax(y, plot.y.low), plot.y.high);
    fit_ends[k] = y == fitted[k] ? ends[k] : (fitted[k] - fit->intercept) / fit->slope;
  }
  const ht_plot_series series[] = {
      dots("voxels", computed_colour, count, value, value + count),
      line("equal", line_colour, 2, ends, ends),
      line("least-squares line", measured_colour, 2, fit_ends, fitted)};
  if (!isfinite(fit->correlation))
    snprintf(note, sizeof note,
             "%lld values; no correlation: one of the two is the same everywhere.",
             (long long)fit->count);
  else
    snprintf(note, sizeof note,
             "%lld values%s; correlation %.3f, slope %.3f, intercept %.3g m/s, RMS difference %.3g "
             "m/s.",
             (long long)fit->count, count < all ? ", of which some are drawn" : "",
             fit->correlation, fit->slope, fit->intercept, fit->rms);
  plot.series = 3;
  plot.one = series;
  plot.note[0] = note;
  ht_status status = write(path, &plot, "Velocity at the scan's voxels", text);
  free(value);
  return status;
}

/* ---- flows ---- */

static int along_count(const ht_judged *of) {
  int count = 0;
  while (count < of->sections && !of->section[count].name[0]) count++;
  return of->measured.grid.dim[2] > 1 ? count : 0;
}

static ht_status draw_along(const char *path, const ht_judged *of, const ht_picture_text *text) {
  double x[HT_JUDGED_SECTIONS_MAX], y[2][HT_JUDGED_SECTIONS_MAX], span[2] = {INFINITY, -INFINITY};
  double range[2] = {0, 0};
  const int count = along_count(of);
  char note[200] = "";
  for (int s = 0; s < count; s++) {
    x[s] = of->section[s].along_mm;
    y[0][s] = of->section[s].computed_ml_s;
    y[1][s] = of->section[s].measured_ml_s;
  }
  widen(x, count, span);
  for (int k = 0; k < 2; k++) widen(y[k], count, range);
  for (int p = 0, best = -1; p < of->pieces; p++)
    if (best < 0 || of->piece[p].sections > of->piece[best].sections) {
      best = p;
      snprintf(note, sizeof note,
               "From %.1f to %.1f mm no vessel leaves: there the measured flow of %d sections "
               "varies by %.1f %% (standard deviation).",
               of->piece[p].from_mm, of->piece[p].to_mm, of->piece[p].sections,
               of->piece[p].measured_spread_percent);
    }
  const ht_plot_series series[] = {line("computed", computed_colour, count, x, y[0]),
                                   large(dots("measured", measured_colour, count, x, y[1]))};
  ht_plot plot = {.x = axis_of(span, "position along the centreline, mm"),
                  .y = axis_of(range, "mean flow over the beat, mL/s"),
                  .series = 2,
                  .one = series,
                  .note = {note[0] ? note : NULL}};
  return write(path, &plot, "Flow along the vessel", text);
}

static ht_status draw_limits(const char *path, const ht_judged *of, const ht_picture_text *text) {
  const int is_beat = of->flow[HT_JUDGED_BEAT].count > 0;
  const ht_agreement *fit = &of->flow[is_beat ? HT_JUDGED_BEAT : HT_JUDGED_MEAN];
  double *value, range[2] = {fmin(0, fit->low), fmax(0, fit->high)},
                 span[2] = {INFINITY, -INFINITY};
  char note[200];
  const int all = of->sections * of->measured.times;
  HT_TRY(ht_alloc((void **)&value, 2 * (size_t)all, sizeof *value, what));
  const int count =
      ht_judged_flows(of, is_beat ? HT_JUDGED_BEAT : HT_JUDGED_MEAN, value, value + all);
  for (int i = 0; i < count; i++) {
    const double computed = value[i], measured = value[all + i];
    value[i] = (computed + measured) / 2;
    value[all + i] = measured - computed;
  }
  widen(value, count, span);
  widen(value + all, count, range);
  ht_plot plot = {.x = axis_of(span, "mean of both flows, mL/s"),
                  .y = axis_of(range, "measured less computed flow, mL/s")};
  const double ends[2] = {plot.x.low, plot.x.high}, bias[2] = {fit->bias, fit->bias};
  const double low[2] = {fit->low, fit->low}, high[2] = {fit->high, fit->high};
  const ht_plot_series series[] = {
      dots(is_beat ? "sections at each time" : "sections, mean over the beat", computed_colour,
           count, value, value + all),
      line("mean difference", measured_colour, 2, ends, bias),
      line("limits of agreement (95 %)", line_colour, 2, ends, low),
      line(NULL, line_colour, 2, ends, high)};
  snprintf(note, sizeof note,
           "Mean difference %.3g mL/s, limits of agreement %.3g to %.3g mL/s (mean -+ 1.96 "
           "standard deviations).",
           fit->bias, fit->low, fit->high);
  plot.series = 4;
  plot.one = series;
  plot.note[0] = note;
  ht_status status = write(path, &plot, "Flow: difference against mean (Bland and Altman)", text);
  free(value);
  return status;
}

/* Returns the section whose curve is drawn: of a plane the largest, of a volume the first. -1: none
 * has a curve. */
static int curve_section(const ht_judged *of) {
  int best = -1;
  for (int s = 0; s < of->sections; s++) {
    if (!of->section[s].computed_at_ml_s) continue;
    const int is_larger = best >= 0 && of->measured.grid.dim[2] == 1 &&
                          of->section[s].area_mm2 > of->section[best].area_mm2;
    if (best < 0 || is_larger) best = s;
  }
  return best;
}

static ht_status draw_beat(const char *path, const ht_judged *of, const ht_picture_text *text) {
  const ht_judged_section *one = &of->section[curve_section(of)];
  const int times = of->measured.times;
  double range[2] = {0, 0}, span[2] = {0, 0};
  char note[200];
  widen(one->computed_at_ml_s, times, range);
  widen(one->measured_at_ml_s, times, range);
  widen(of->measured.time_s, times, span);
  const ht_plot_series series[] = {
      line("computed", computed_colour, times, of->measured.time_s, one->computed_at_ml_s),
      large(dots("measured", measured_colour, times, of->measured.time_s, one->measured_at_ml_s))};
  snprintf(note, sizeof note,
           "Section at (%.1f, %.1f, %.1f) mm, %.3g mm2. The computed beat of %.3g s is stretched "
           "to the measured one of %.3g s.",
           one->centre_mm[0], one->centre_mm[1], one->centre_mm[2], one->area_mm2,
           of->results.stats.period_s, of->measured.period_s);
  ht_plot plot = {.x = axis_of(span, "time after the R wave, s"),
                  .y = axis_of(range, "flow, mL/s"),
                  .series = 2,
                  .one = series,
                  .note = {note}};
  return write(path, &plot, "Flow over the beat", text);
}

/* ---- all pictures ---- */

typedef ht_status (*drawing)(const char *path, const ht_judged *judged,
                             const ht_picture_text *text);

static ht_status add(const char *folder, const ht_judged *judged, const ht_picture_text *text,
                     drawing draw, ht_judge_picture of, ht_judge_picture *picture, int *count) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, of.file));
  HT_TRY(draw(path, judged, text));
  picture[(*count)++] = of;
  return HT_OK;
}

static ht_status add_streamlines(const char *folder, const ht_judged *judged,
                                 const ht_picture_text *text, ht_judge_picture *picture,
                                 int *count) {
  char measured[HT_PATH_MAX], computed[HT_PATH_MAX];
  HT_TRY(ht_path_join(measured, folder, "measured_streamlines.png"));
  HT_TRY(ht_path_join(computed, folder, "measured_streamlines_computed.png"));
  HT_TRY(ht_judge_streamlines(measured, computed, judged, text));
  picture[(*count)++] = (ht_judge_picture){
      "measured_streamlines.png", "Streamlines of the measured flow",
      "Lines along the mean measured velocity over the beat, interpolated between the voxels."};
  picture[(*count)++] = (ht_judge_picture){
      "measured_streamlines_computed.png", "Streamlines of the computed flow",
      "The same of the computed velocity as the scan shows it: from the same places, in the same "
      "colours."};
  return HT_OK;
}

ht_status ht_judge_pictures(const char *folder, const ht_judged *judged,
                            const ht_picture_text *text,
                            ht_judge_picture picture[HT_JUDGE_PICTURES_MAX], int *count) {
  *count = 0;
  HT_TRY(add(folder, judged, text, ht_judge_slices,
             (ht_judge_picture){"measured_slices.png", "Slices of the scan",
                                "Measured, computed as the scan shows it, and their difference, in "
                                "the scan's slices. Flow beside the line was measured outside "
                                "of the case's vessel."},
             picture, count));
  HT_TRY(add(folder, judged, text, draw_velocities,
             (ht_judge_picture){"measured_velocity.png", "Velocity at the scan's voxels",
                                "Each dot is a voxel in the vessel."},
             picture, count));
  if (judged->parts == 3 && judged->measured.grid.dim[2] > 1)
    HT_TRY(add_streamlines(folder, judged, text, picture, count));
  if (along_count(judged) > 1)
    HT_TRY(add(folder, judged, text, draw_along,
               (ht_judge_picture){"measured_flow_along.png", "Flow along the vessel",
                                  "Mean flow through sections across the centreline."},
               picture, count));
  if (judged->flow[HT_JUDGED_BEAT].count > 2 || judged->flow[HT_JUDGED_MEAN].count > 2)
    HT_TRY(add(folder, judged, text, draw_limits,
               (ht_judge_picture){"measured_flow_limits.png", "Limits of agreement of the flow",
                                  "Each dot is a section, at each time where the case has them."},
               picture, count));
  if (curve_section(judged) >= 0)
    HT_TRY(add(folder, judged, text, draw_beat,
               (ht_judge_picture){"measured_flow_beat.png", "Flow over the beat",
                                  "Flow through a section at the scan's times."},
               picture, count));
  return HT_OK;
}
