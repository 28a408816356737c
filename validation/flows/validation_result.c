#include "validation/flows/validation_result.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_validation_free(ht_validation_result *result) {
  if (!result) return;
  for (int f = 0; f < result->figures; f++)
    for (int c = 0; c < result->figure[f].curves; c++) {
      free(result->figure[f].curve[c].x);
      free(result->figure[f].curve[c].y);
    }
  memset(result, 0, sizeof *result);
}

int ht_validation_missed(const ht_validation_row *row) {
  return !isnan(row->bar) && !(row->error <= row->bar);
}

int ht_validation_misses(const ht_validation_result *result) {
  int missed = 0;
  for (int i = 0; i < result->rows; i++) missed += ht_validation_missed(&result->row[i]);
  return missed;
}

/* ---- rows ---- */

/* Past the last row the last is used again; a test counts the rows of each flow. */
static ht_validation_row *add(ht_validation_result *result, const char *quantity, va_list values) {
  if (result->rows < HT_VALIDATION_ROWS) result->rows++;
  ht_validation_row *row = &result->row[result->rows - 1];
  *row = (ht_validation_row){.measured = NAN, .low = NAN, .high = NAN, .error = NAN, .bar = NAN};
  vsnprintf(row->quantity, sizeof row->quantity, quantity, values);
  return row;
}

void ht_validation_compare(ht_validation_result *result, double measured, double reference,
                           double bar, const char *quantity, ...) {
  va_list values;
  va_start(values, quantity);
  ht_validation_row *row = add(result, quantity, values);
  va_end(values);
  row->measured = measured;
  row->low = row->high = reference;
  row->error = fabs(measured / reference - 1);
  row->bar = bar;
}

static double outside(double value, double low, double high) {
  if (value < low) return (low - value) / fabs(low);
  if (value > high) return (value - high) / fabs(high);
  return value >= low && value <= high ? 0 : NAN;
}

void ht_validation_band(ht_validation_result *result, double measured, double low, double high,
                        double slack, const char *quantity, ...) {
  va_list values;
  va_start(values, quantity);
  ht_validation_row *row = add(result, quantity, values);
  va_end(values);
  row->measured = measured;
  row->low = low;
  row->high = high;
  row->error = outside(measured, low, high);
  row->bar = slack;
}

void ht_validation_error(ht_validation_result *result, double error, double bar,
                         const char *quantity, ...) {
  va_list values;
  va_start(values, quantity);
  ht_validation_row *row = add(result, quantity, values);
  va_end(values);
  row->error = error;
  row->bar = bar;
}

void ht_validation_show(ht_validation_result *result, double measured, const char *quantity, ...) {
  va_list values;
  va_start(values, quantity);
  add(result, quantity, values)->measured = measured;
  va_end(values);
}

ht_collision ht_validation_turbulent(void) {
  return HT_CUMULANT;
}

/* ---- figures ---- */

ht_validation_figure *ht_validation_plot(ht_validation_result *result, const char *name,
                                         const char *title, const char *x, const char *y) {
  for (int f = 0; f < result->figures; f++)
    if (strcmp(result->figure[f].name, name) == 0) return &result->figure[f];
  if (result->figures == HT_VALIDATION_FIGURES) return NULL;
  ht_validation_figure *figure = &result->figure[result->figures++];
  memset(figure, 0, sizeof *figure);
  snprintf(figure->name, sizeof figure->name, "%s", name);
  snprintf(figure->title, sizeof figure->title, "%s", title);
  snprintf(figure->x, sizeof figure->x, "%s", x);
  snprintf(figure->y, sizeof figure->y, "%s", y);
  return figure;
}

ht_status ht_validation_draw(ht_validation_figure *figure, int joined, int count, const double *x,
                             const double *y, const char *label, ...) {
  va_list values;
  if (!figure || figure->curves == HT_VALIDATION_CURVES) return HT_OK;
  ht_validation_curve *curve = &figure->curve[figure->curves++];
  va_start(values, label);
  vsnprintf(curve->label, sizeof curve->label, label, values);
  va_end(values);
  curve->joined = joined;
  HT_TRY(ht_alloc((void **)&curve->x, (size_t)count, sizeof(double), "a curve"));
  HT_TRY(ht_alloc((void **)&curve->y, (size_t)count, sizeof(double), "a curve"));
  memcpy(curve->x, x, (size_t)count * sizeof(double));
  memcpy(curve->y, y, (size_t)count * sizeof(double));
  curve->count = count;
  return HT_OK;
}

ht_status ht_validation_report(const ht_validation_options *options, double done, double total,
                               const char *note, ...) {
  char text[HT_VALIDATION_TEXT];
  va_list values;
  va_start(values, note);
  vsnprintf(text, sizeof text, note, values);
  va_end(values);
  return ht_progress_report(options->progress, "validate", done, total, text);
}

ht_status ht_validation_nodes(const ht_validation_options *options, int quick, int full, int least,
                              int most, int *nodes) {
  *nodes = options->nodes_across ? options->nodes_across : options->full ? full : quick;
  if (*nodes >= least && *nodes <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "--nodes-across is %d; allowed is %d to %d", *nodes, least, most);
}
