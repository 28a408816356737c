#include "validation/validate_files.h"
#include "core/disk/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef HEMOTILE_HAVE_PLOTS
#include "export/drawing/plot.h"
#endif

/* ---- the table ---- */

static void number(double value, char text[24]) {
  if (isnan(value))
    snprintf(text, 24, "-");
  else
    snprintf(text, 24, "%.5g", value);
}

static void reference(const ht_validation_row *row, char text[64]) {
  char low[24], high[24];
  number(row->low, low);
  number(row->high, high);
  if (row->low == row->high || isnan(row->low))
    snprintf(text, 64, "%s", low);
  else if (isinf(row->high))
    snprintf(text, 64, ">= %s", low);
  else
    snprintf(text, 64, "%s to %s", low, high);
}

static const char *verdict(const ht_validation_row *row) {
  return isnan(row->bar) ? "" : ht_validation_missed(row) ? "MISSED" : "pass";
}

void ht_validate_print(const ht_validation_result *result, FILE *stream) {
  fprintf(stream, "%-52s %11s %18s %9s %9s\n", "quantity", "measured", "reference", "error", "bar");
  for (int i = 0; i < result->rows; i++) {
    const ht_validation_row *row = &result->row[i];
    char measured[24], known[64], error[24], bar[24];
    number(row->measured, measured);
    reference(row, known);
    number(row->error, error);
    number(row->bar, bar);
    if (!isnan(row->error)) snprintf(error, sizeof error, "%.2g", row->error);
    fprintf(stream, "%-52s %11s %18s %9s %9s  %s\n", row->quantity, measured, known, error, bar,
            verdict(row));
  }
}

static void csv_number(FILE *stream, double value) {
  if (isfinite(value)) fprintf(stream, "%.9g", value);
  fputc(',', stream);
}

static ht_status write_table(const char *path, const char *title,
                             const ht_validation_result *result) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fprintf(output.stream, "# %s\n# %s\n# device: %s\n", title, result->notes, result->device);
  fputs("quantity,measured,reference_low,reference_high,error,bar,verdict\n", output.stream);
  for (int i = 0; i < result->rows; i++) {
    const ht_validation_row *row = &result->row[i];
    fprintf(output.stream, "\"%s\",", row->quantity);
    csv_number(output.stream, row->measured);
    csv_number(output.stream, row->low);
    csv_number(output.stream, row->high);
    csv_number(output.stream, row->error);
    csv_number(output.stream, row->bar);
    fprintf(output.stream, "%s\n", verdict(row));
  }
  return ht_output_commit(&output);
}

/* ---- figures ---- */

static ht_status write_curves(const char *path, const ht_validation_figure *figure) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fprintf(output.stream, "# %s\n# x: %s\n# y: %s\ncurve,x,y\n", figure->title, figure->x,
          figure->y);
  for (int c = 0; c < figure->curves; c++)
    for (int i = 0; i < figure->curve[c].count; i++)
      fprintf(output.stream, "\"%s\",%.9g,%.9g\n", figure->curve[c].label, figure->curve[c].x[i],
              figure->curve[c].y[i]);
  return ht_output_commit(&output);
}

#ifdef HEMOTILE_HAVE_PLOTS

/* Ends and ticks of an axis that shows all of the values. */
static ht_plot_axis axis_of(const ht_validation_figure *figure, int is_y) {
  double low = INFINITY, high = -INFINITY;
  for (int c = 0; c < figure->curves; c++)
    for (int i = 0; i < figure->curve[c].count; i++) {
      double value = is_y ? figure->curve[c].y[i] : figure->curve[c].x[i];
      if (!isfinite(value)) continue;
      low = fmin(low, value);
      high = fmax(high, value);
    }
  if (!(high > low)) low = isfinite(low) ? low - 1 : 0, high = low + 2;
  double rough = (high - low) / 8, ten = pow(10, floor(log10(rough)));
  double step = rough <= ten       ? ten
                : rough <= 2 * ten ? 2 * ten
                : rough <= 5 * ten ? 5 * ten
                                   : 10 * ten;
  return (ht_plot_axis){is_y ? figure->y : figure->x, step * floor(low / step + 1e-9),
                        step * ceil(high / step - 1e-9), step};
}

static ht_status draw(const char *path, const ht_validation_figure *figure,
                      const ht_validation_result *result) {
  static const ht_rgb colours[] = {{64, 200, 176}, {240, 196, 92},  {106, 182, 255},
                                   {255, 122, 92}, {198, 150, 255}, {178, 190, 204}};
  enum { COLOURS = sizeof colours / sizeof *colours };
  ht_plot_series series[HT_VALIDATION_CURVES];
  int lines = 0, dots = 0;
  for (int c = 0; c < figure->curves; c++) {
    const ht_validation_curve *curve = &figure->curve[c];
    int k = curve->joined ? lines++ : dots++;
    series[c] = (ht_plot_series){.label = curve->label,
                                 .colour = colours[k % COLOURS],
                                 .joined = curve->joined,
                                 .width = curve->joined       ? 2.4
                                          : curve->count > 60 ? 4
                                                              : 9,
                                 .count = curve->count,
                                 .x = curve->x,
                                 .y = curve->y};
  }
  const ht_plot plot = {.title = figure->title,
                        .x = axis_of(figure, 0),
                        .y = axis_of(figure, 1),
                        .series = figure->curves,
                        .one = series,
                        .note = {result->notes, result->device}};
  return ht_plot_write(path, &plot);
}

int ht_validate_has_plots(void) {
  return 1;
}

#else

static ht_status draw(const char *path, const ht_validation_figure *figure,
                      const ht_validation_result *result) {
  (void)path, (void)figure, (void)result;
  return HT_OK;
}

int ht_validate_has_plots(void) {
  return 0;
}

#endif

ht_status ht_validate_write(const char *folder, const char *name, const char *title,
                            const ht_validation_result *result) {
  char file[128], path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(folder));
  snprintf(file, sizeof file, "%s.csv", name);
  HT_TRY(ht_path_join(path, folder, file));
  HT_TRY(write_table(path, title, result));
  for (int f = 0; f < result->figures; f++) {
    const ht_validation_figure *figure = &result->figure[f];
    if (figure->curves == 0) continue;
    snprintf(file, sizeof file, "%s_%s.csv", name, figure->name);
    HT_TRY(ht_path_join(path, folder, file));
    HT_TRY(write_curves(path, figure));
    snprintf(file, sizeof file, "%s_%s.png", name, figure->name);
    HT_TRY(ht_path_join(path, folder, file));
    HT_TRY(draw(path, figure, result));
  }
  return HT_OK;
}
