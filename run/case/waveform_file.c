#define _POSIX_C_SOURCE 200809L
#include "run/case/waveform_file.h"
#include "core/disk/file.h"
#include "core/text/number_text.h"
#include "run/case/text_lines.h"
#include "core/vessel/volume.h"
#include "solver/inflow/waveform_beats.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };
typedef enum { TIME, FLOW, HARMONIC, COSINE, SINE, KINDS } kind;

/* Names of columns, with the unit; `factor` converts it to s, mL/s or (a velocity) m/s. */
static const struct {
  const char *name;
  kind kind;
  double factor;
  int velocity;
} columns[] = {
    {"time_s", TIME, 1, 0},
    {"time_ms", TIME, 1e-3, 0},
    {"flow_ml_s", FLOW, 1, 0},
    {"flow_ml_min", FLOW, 1 / 60.0, 0},
    {"flow_l_min", FLOW, 1000 / 60.0, 0},
    {"flow_m3_s", FLOW, 1e6, 0},
    {"velocity_m_s", FLOW, 1, 1},
    {"velocity_cm_s", FLOW, 0.01, 1},
    {"harmonic", HARMONIC, 1, 0},
    {"cosine_ml_s", COSINE, 1, 0},
    {"sine_ml_s", SINE, 1, 0},
    {"cosine_m_s", COSINE, 1, 1},
    {"sine_m_s", SINE, 1, 1},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct {
  ht_lines lines;
  char separator, decimal; /* decimal: sign of the numbers so far; 0: all were whole */
  int signs, thousands;    /* numbers with '.' or ','; of these, those that may be thousands */
  int thousands_line;      /* line of the first of these, */
  char thousands_text[64]; /* and how it is written */
  int columns;             /* number in the first line */
  int place[KINDS];        /* number of the column in a line; NONE: absent */
  double factor[KINDS];
  int velocity[KINDS];
  int rows, row_line[HT_WAVEFORM_SAMPLES_MAX + 1];
  double first[HT_WAVEFORM_SAMPLES_MAX + 1]; /* time, or harmonic */
  double value[HT_WAVEFORM_SAMPLES_MAX + 1]; /* flow, or cosine */
  double sine[HT_WAVEFORM_SAMPLES_MAX + 1];
} table;

static ht_status mistake(const table *in, int line, const char *what, const char *got) {
  return ht_lines_mistake(&in->lines, line, what, got);
}

static int is_series(const table *in) {
  return in->place[HARMONIC] != NONE;
}

static int is_velocity(const table *in) {
  return in->velocity[is_series(in) ? COSINE : FLOW];
}

/* ---- Fields ---- */

/* Finds the separator of the first line's names, which hold none of these. With ',' numbers have a
 * decimal point: a line like "0,25,2,9" has more columns than names. */
static char find_separator(const char *names) {
  for (const char *sign = ";\t,"; *sign; sign++)
    if (strchr(names, *sign)) return *sign;
  return ' ';
}

/* Cuts the next field off; NULL at the end of the line. */
static char *next_field(const table *in, char **rest) {
  const char separator[] = {in->separator, 0};
  char *field = *rest;
  if (!field) return NULL;
  size_t length = strcspn(field, separator);
  *rest = field[length] ? field + length + 1 : NULL;
  if (*rest && in->separator == ' ') *rest += strspn(*rest, " ");
  field[length] = 0;
  while (length > 0 && strchr(" \t\"", field[length - 1])) field[--length] = 0;
  return field + strspn(field, " \t\"");
}

/* Returns 1 for "1,050" and "12.000": one to three digits that do not begin with 0, and three after
 * the sign. */
static int may_be_thousands(const char *field) {
  const char *digits = "0123456789", *whole = field + strspn(field, "+-");
  size_t count = strspn(whole, digits);
  if (count < 1 || count > 3 || *whole == '0') return 0;
  return strspn(whole + count + 1, digits) == 3 && whole[count + 4] == 0;
}

static void count_sign(table *in, const char *field) {
  in->signs++;
  if (!may_be_thousands(field) || in->thousands++ > 0) return;
  in->thousands_line = in->lines.number;
  snprintf(in->thousands_text, sizeof in->thousands_text, "%s", field);
}

/* Refuses numbers that may be thousands or decimals. Where ',' separates the columns a '.' is no
 * sign of thousands. */
static ht_status check_thousands(const table *in) {
  if (in->signs == 0 || in->thousands < in->signs || in->separator == ',') return HT_OK;
  return mistake(
      in, in->thousands_line,
      "thousands or decimals? All numbers with a '.' or ',' have three digits after it: write "
      "thousands without a sign (1050), decimals with another digit (a 0 at the end), not",
      in->thousands_text);
}

/* Reads "2,9" as "2.9", but not both in one file: "1.234" would be one number or the other. */
static ht_status read_number(table *in, const char *field, double *value) {
  char text[64], *end, *sign;
  snprintf(text, sizeof text, "%s", field);
  sign = strpbrk(text, ".,");
  if (sign && in->decimal && in->decimal != *sign)
    return mistake(
        in, in->lines.number,
        "numbers with a decimal point and with a decimal comma in one file: write all of "
        "them one way, not",
        field);
  if (sign) in->decimal = *sign;
  if (sign) *sign = '.';
  *value = ht_number_read(text, &end);
  if (end == text || *end || strlen(field) >= sizeof text || !isfinite(*value))
    return mistake(in, in->lines.number, "expected a number, not", field);
  if (sign) count_sign(in, field);
  return HT_OK;
}

/* ---- Lines ---- */

static ht_status take_column(table *in, const char *name, int place) {
  for (int c = 0; c < COLUMNS; c++) {
    kind is = columns[c].kind;
    if (strcmp(name, columns[c].name) != 0) continue;
    if (in->place[is] != NONE)
      return mistake(in, in->lines.number, "a second column of the same kind: remove one of them,",
                     name);
    in->place[is] = place;
    in->factor[is] = columns[c].factor;
    in->velocity[is] = columns[c].velocity;
  }
  return HT_OK;
}

static ht_status read_header(table *in) {
  int found;
  char *rest = in->lines.text;
  for (int k = 0; k < KINDS; k++) in->place[k] = NONE;
  HT_TRY(ht_lines_next(&in->lines, &found));
  if (!found) return ht_fail(HT_ERR_CASE, "%s: the file is empty", in->lines.path);
  in->separator = find_separator(in->lines.text);
  for (char *name; (name = next_field(in, &rest));) HT_TRY(take_column(in, name, in->columns++));
  const int *at = in->place;
  int samples = at[TIME] != NONE && at[FLOW] != NONE;
  int series = at[HARMONIC] != NONE && at[COSINE] != NONE && at[SINE] != NONE &&
               in->velocity[COSINE] == in->velocity[SINE];
  if (samples != series) return HT_OK;
  return mistake(in, in->lines.number,
                 "the first line has to name the columns, with their units: time_s,flow_ml_s (or "
                 "time_ms; flow_ml_min, flow_l_min, flow_m3_s, velocity_m_s, velocity_cm_s), or "
                 "harmonic,cosine_ml_s,sine_ml_s of a Fourier series (or cosine_m_s,sine_m_s)",
                 NULL);
}

static int is_number(const char *field) {
  char *end;
  ht_number_read(field, &end);
  return end != field && !*end;
}

/* Refuses a surplus field. An empty field at the line's end, as spreadsheets leave it, does not
 * count. */
static ht_status surplus(const table *in, const char *field) {
  if (!*field) return HT_OK;
  return mistake(
      in, in->lines.number,
      !is_number(field) ? "the line has more columns than the first: name the column in the first "
                          "line, or remove it:"
      : in->separator == ',' ? "the line has more columns than the first (numbers with a decimal "
                               "comma need ';' between the columns, in the first line too), from"
                             : "the line has more columns than the first, from",
      field);
}

/* Returns 1 for a line of separators alone, as spreadsheets leave them below a table. */
static int is_blank(const table *in, const char *line) {
  const char nothing[] = {in->separator, ' ', '\t', '"', 0};
  return line[strspn(line, nothing)] == 0;
}

static ht_status read_row(table *in) {
  double number[KINDS] = {0};
  char *rest = in->lines.text, *field;
  int seen = 0, wanted = 0;
  for (int k = 0; k < KINDS; k++) wanted += in->place[k] != NONE;
  for (int place = 0; (field = next_field(in, &rest)); place++) {
    if (place >= in->columns) HT_TRY(surplus(in, field));
    for (int k = 0; k < KINDS; k++) {
      if (in->place[k] != place) continue;
      HT_TRY(read_number(in, field, &number[k]));
      number[k] *= in->factor[k];
      seen++;
    }
  }
  if (seen < wanted)
    return mistake(in, in->lines.number, "the line has fewer columns than the first", NULL);
  int series = is_series(in);
  in->row_line[in->rows] = in->lines.number;
  in->first[in->rows] = number[series ? HARMONIC : TIME];
  in->value[in->rows] = number[series ? COSINE : FLOW];
  in->sine[in->rows++] = number[SINE];
  return HT_OK;
}

static ht_status read_table(table *in) {
  HT_TRY(read_header(in));
  for (int found = 1; found;) {
    HT_TRY(ht_lines_next(&in->lines, &found));
    if (found && is_blank(in, in->lines.text)) continue;
    if (found && in->rows > HT_WAVEFORM_SAMPLES_MAX)
      return ht_fail(HT_ERR_CASE, "%s:%d: more than %d rows: thin the waveform out", in->lines.path,
                     in->lines.number, HT_WAVEFORM_SAMPLES_MAX);
    if (found) HT_TRY(read_row(in));
  }
  return check_thousands(in);
}

static ht_status make_series(const table *in, double period_s, ht_waveform *waveform) {
  ht_harmonics series = {.period_s = period_s};
  int line_of[HT_HARMONICS_MAX + 1] = {0};
  for (int i = 0; i < in->rows; i++) {
    double k = in->first[i];
    if (!(k >= 0 && k <= HT_HARMONICS_MAX) || k != floor(k))
      return ht_fail(HT_ERR_CASE, "%s:%d: the harmonic is %g; whole numbers 0 to %d are allowed",
                     in->lines.path, in->row_line[i], k, HT_HARMONICS_MAX);
    if (line_of[(int)k] > 0)
      return ht_fail(HT_ERR_CASE, "%s:%d: harmonic %g is in line %d, too: each has one row",
                     in->lines.path, in->row_line[i], k, line_of[(int)k]);
    line_of[(int)k] = in->row_line[i];
    if (k == 0) series.mean_ml_s = in->value[i];
    if (k == 0) continue;
    series.cosine_ml_s[(int)k - 1] = in->value[i];
    series.sine_ml_s[(int)k - 1] = in->sine[i];
    if (k > series.harmonics) series.harmonics = (int)k;
  }
  if (series.harmonics > 0 && period_s == 0)
    return ht_fail(HT_ERR_CASE, "%s: a Fourier series needs flow.period_s in the case file",
                   in->lines.path);
  HT_TRY(ht_waveform_series(&series, waveform));
  return HT_OK;
}

/* Refuses several beats: one beat made of several would have the wrong heart rate, and of 1.75 also
 * the wrong flow. A length that was given for the beat, or for the period, says that it is one. */
static ht_status refuse_beats(const table *in, double beat_s, double period_s) {
  if (beat_s > 0 || in->rows < 2 || in->rows > HT_WAVEFORM_SAMPLES_MAX) return HT_OK;
  const double begin_s = in->first[0], span_s = in->first[in->rows - 1] - begin_s;
  const double beat = ht_waveform_beat_within(in->rows, in->first, in->value);
  const double found_s = round(1000 * beat) / 1000; /* as printed */
  const double open_s = span_s * in->rows / (in->rows - 1);
  if (found_s == 0 || (period_s > 0.99 * span_s && period_s < 1.01 * open_s)) return HT_OK;
  return ht_fail(
      HT_ERR_CASE,
      "%s: the %s repeats itself about every %.3g s (%.3g a minute), so the rows, of %.6g s, are "
      "%.2g beats. Leave one of them in the file, as the rows from %.6g s to before %.6g s, and "
      "give flow.waveform_period_s: %.3g. If all of it is one beat, give its length as "
      "flow.waveform_period_s (%.6g, where the last row repeats the first)",
      in->lines.path, is_velocity(in) ? "velocity" : "flow", found_s, 60 / found_s, span_s,
      span_s / found_s, begin_s, begin_s + found_s, found_s, span_s);
}

static ht_status make_samples(const table *in, double beat_s, double period_s,
                              ht_waveform *waveform, ht_waveform_facts *facts) {
  char where[HT_LINE_MAX_CHARS + 32];
  int row = -1;
  HT_TRY(refuse_beats(in, beat_s, period_s));
  ht_status status =
      ht_waveform_samples(in->rows, in->first, in->value, beat_s, period_s, &row, waveform);
  facts->own_period_s = waveform->period_s;
  if (status == HT_OK) return period_s > 0 ? ht_waveform_stretch(waveform, period_s) : HT_OK;
  snprintf(where, sizeof where, row < 0 ? "%s" : "%s:%d", in->lines.path,
           row < 0 ? 0 : in->row_line[row]);
  return ht_fail_in(status, where);
}

/* Least mean, as a fraction of the highest: a mean that is the rounding of 0 would be scaled to the
 * inlet's flow, too. */
static const double least_mean = 1e-3;

static ht_status make(const table *in, double beat_s, double period_s, ht_waveform *waveform,
                      ht_waveform_facts *facts) {
  HT_TRY(is_series(in) ? make_series(in, period_s, waveform)
                       : make_samples(in, beat_s, period_s, waveform, facts));
  const char *what = is_velocity(in) ? "velocity" : "flow",
             *unit = is_velocity(in) ? "m/s" : "mL/s";
  double mean = ht_waveform_mean(waveform), highest = ht_waveform_peak(waveform);
  if (!(mean > 0))
    return ht_fail(HT_ERR_CASE, "%s: the mean %s is %g %s; it has to be above 0, into the vessel%s",
                   in->lines.path, what, mean, unit,
                   mean < 0 ? ": if the file counts the other way, change the signs of all" : "");
  if (mean >= least_mean * highest) return HT_OK;
  return ht_fail(
      HT_ERR_CASE,
      "%s: the mean %s is %.3g %s, less than a thousandth of the highest, %.3g: it flows "
      "to and fro, and cannot be scaled to a mean flow",
      in->lines.path, what, mean, unit, highest);
}

/* ---- A table of our own ---- */

static void put_table(FILE *stream, const table *in) {
  const char *unit = is_velocity(in) ? "m_s" : "ml_s",
             *what = is_velocity(in) ? "velocity" : "flow";
  if (is_series(in))
    fprintf(stream, "harmonic,cosine_%s,sine_%s\n", unit, unit);
  else
    fprintf(stream, "time_s,%s_%s\n", what, unit);
  for (int i = 0; i < in->rows; i++) {
    ht_number_put(stream, in->first[i]);
    fputc(',', stream);
    ht_number_put(stream, in->value[i]);
    if (is_series(in)) fputc(',', stream);
    if (is_series(in)) ht_number_put(stream, in->sine[i]);
    fputc('\n', stream);
  }
}

static ht_status hash_table(const table *in, char hex[HT_HASH_TEXT]) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  ht_hash *hash = ht_hash_begin();
  if (stream) put_table(stream, in);
  int complete = stream && fclose(stream) == 0 && hash;
  if (complete) ht_hash_add(hash, text, length);
  ht_hash_end(hash, complete ? hex : NULL);
  free(text);
  return complete ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for the waveform");
}

/* Reads a file into a table; the caller frees it with free(). */
static ht_status read_file(const char *path, table **made) {
  table *in;
  *made = NULL;
  HT_TRY(ht_alloc((void **)&in, 1, sizeof *in, "the waveform"));
  ht_status status = ht_lines_open(path, &in->lines);
  if (status == HT_OK) status = read_table(in);
  ht_lines_close(&in->lines);
  if (status == HT_OK)
    *made = in;
  else
    free(in);
  return status;
}

ht_status ht_waveform_file_read(const char *path, double beat_s, double period_s,
                                ht_waveform *waveform, ht_waveform_facts *facts) {
  table *in;
  memset(waveform, 0, sizeof *waveform);
  memset(facts, 0, sizeof *facts);
  HT_TRY(read_file(path, &in));
  ht_status status = make(in, beat_s, period_s, waveform, facts);
  if (status == HT_OK) status = hash_table(in, facts->sha256);
  if (status != HT_OK) memset(waveform, 0, sizeof *waveform);
  facts->has_comma = status == HT_OK && in->decimal == ',';
  facts->is_velocity = status == HT_OK && is_velocity(in);
  free(in);
  return status;
}

ht_status ht_waveform_file_copy(const char *from, const char *to) {
  table *in;
  ht_output output;
  HT_TRY(read_file(from, &in));
  ht_status status = ht_output_open(to, &output);
  if (status == HT_OK) {
    put_table(output.stream, in);
    status = ht_output_commit(&output);
  }
  free(in);
  return status;
}
