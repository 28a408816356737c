#include "waveform_file.h"
#include "volume.h"
#include "words.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_CHARS = 4096, NONE = -1 };
typedef enum { TIME, FLOW, HARMONIC, COSINE, SINE, KINDS } kind;

/* A column's name holds its unit; `factor` brings it to s or mL/s. */
static const struct {
  const char *name;
  kind kind;
  double factor;
} columns[] = {
    {"time_s", TIME, 1},
    {"time_ms", TIME, 1e-3},
    {"flow_ml_s", FLOW, 1},
    {"flow_ml_min", FLOW, 1 / 60.0},
    {"flow_l_min", FLOW, 1000 / 60.0},
    {"flow_m3_s", FLOW, 1e6},
    {"harmonic", HARMONIC, 1},
    {"cosine_ml_s", COSINE, 1},
    {"sine_ml_s", SINE, 1},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct {
  const char *path;
  FILE *stream;
  int line;
  char text[LINE_MAX_CHARS];
  int place[KINDS]; /* of the column in a line; NONE: not there */
  double factor[KINDS];
  int rows, row_line[HT_WAVEFORM_SAMPLES_MAX + 1];
  double first[HT_WAVEFORM_SAMPLES_MAX + 1]; /* time, or harmonic */
  double value[HT_WAVEFORM_SAMPLES_MAX + 1]; /* flow, or cosine */
  double sine[HT_WAVEFORM_SAMPLES_MAX + 1];
} table;

static ht_status mistake(const table *in, int line, const char *what, const char *got) {
  return ht_fail(HT_ERR_CASE, "%s:%d: %s%s%.60s%s", in->path, line, what, got ? " '" : "",
                 got ? got : "", got ? "'" : "");
}

/* The next line that counts, without its end; *found 0 at the end of the file. */
static ht_status next_line(table *in, int *found) {
  *found = 0;
  while (fgets(in->text, sizeof in->text, in->stream)) {
    in->line++;
    size_t length = strlen(in->text);
    if (length + 1 == sizeof in->text) return mistake(in, in->line, "the line is too long", NULL);
    while (length > 0 && strchr("\r\n\t ", in->text[length - 1])) in->text[--length] = 0;
    char *start = in->text;
    if (in->line == 1 && strncmp(start, "\xEF\xBB\xBF", 3) == 0) start += 3;
    start += strspn(start, " \t");
    if (*start == 0 || *start == '#') continue;
    memmove(in->text, start, strlen(start) + 1);
    *found = 1;
    return HT_OK;
  }
  if (ferror(in->stream))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", in->path, strerror(errno));
  return HT_OK;
}

/* Cuts the next field off; NULL at the end of the line. */
static char *next_field(char **rest) {
  char *field = *rest;
  if (!field) return NULL;
  size_t length = strcspn(field, ",;");
  *rest = field[length] ? field + length + 1 : NULL;
  field[length] = 0;
  while (length > 0 && strchr(" \t\"", field[length - 1])) field[--length] = 0;
  return field + strspn(field, " \t\"");
}

static ht_status read_header(table *in) {
  int found, place = 0;
  char *rest = in->text;
  for (int k = 0; k < KINDS; k++) in->place[k] = NONE;
  HT_TRY(next_line(in, &found));
  if (!found) return ht_fail(HT_ERR_CASE, "%s: the file is empty", in->path);
  for (char *name; (name = next_field(&rest)); place++)
    for (int c = 0; c < COLUMNS; c++) {
      if (strcmp(name, columns[c].name) != 0) continue;
      if (in->place[columns[c].kind] != NONE)
        return mistake(in, in->line, "a second column of the same kind,", name);
      in->place[columns[c].kind] = place;
      in->factor[columns[c].kind] = columns[c].factor;
    }
  const int *at = in->place;
  int samples = at[TIME] != NONE && at[FLOW] != NONE;
  int series = at[HARMONIC] != NONE && at[COSINE] != NONE && at[SINE] != NONE;
  if (samples != series) return HT_OK;
  return mistake(in, in->line,
                 "the first line has to name the columns, with their units: time_s,flow_ml_s (or "
                 "time_ms; flow_ml_min, flow_l_min, flow_m3_s), or "
                 "harmonic,cosine_ml_s,sine_ml_s of a Fourier series",
                 NULL);
}

static ht_status read_row(table *in) {
  double number[KINDS] = {0};
  char *rest = in->text;
  int seen = 0, wanted = 0;
  for (int k = 0; k < KINDS; k++) wanted += in->place[k] != NONE;
  char *field;
  for (int place = 0; (field = next_field(&rest)); place++)
    for (int k = 0; k < KINDS; k++) {
      char *end;
      if (in->place[k] != place) continue;
      number[k] = strtod(field, &end) * in->factor[k];
      if (end == field || *end || !isfinite(number[k]))
        return mistake(in, in->line, "a number is wanted, not", field);
      seen++;
    }
  if (seen < wanted)
    return mistake(in, in->line, "the line has fewer columns than the first", NULL);
  int series = in->place[HARMONIC] != NONE;
  in->row_line[in->rows] = in->line;
  in->first[in->rows] = number[series ? HARMONIC : TIME];
  in->value[in->rows] = number[series ? COSINE : FLOW];
  in->sine[in->rows++] = number[SINE];
  return HT_OK;
}

static ht_status read_table(table *in) {
  HT_TRY(read_header(in));
  for (int found = 1; found;) {
    HT_TRY(next_line(in, &found));
    if (found && in->rows > HT_WAVEFORM_SAMPLES_MAX)
      return ht_fail(HT_ERR_CASE, "%s:%d: more than %d rows: thin the waveform out", in->path,
                     in->line, HT_WAVEFORM_SAMPLES_MAX);
    if (found) HT_TRY(read_row(in));
  }
  return HT_OK;
}

static ht_status make_series(const table *in, double period_s, ht_waveform *waveform) {
  ht_harmonics series = {.period_s = period_s};
  for (int i = 0; i < in->rows; i++) {
    double k = in->first[i];
    if (!(k >= 0 && k <= HT_HARMONICS_MAX) || k != floor(k))
      return ht_fail(HT_ERR_CASE, "%s:%d: the harmonic is %g; whole numbers 0 to %d are allowed",
                     in->path, in->row_line[i], k, HT_HARMONICS_MAX);
    if (k == 0) series.mean_ml_s = in->value[i];
    if (k == 0) continue;
    series.cosine_ml_s[(int)k - 1] = in->value[i];
    series.sine_ml_s[(int)k - 1] = in->sine[i];
    if (k > series.harmonics) series.harmonics = (int)k;
  }
  if (series.harmonics > 0 && period_s == 0)
    return ht_fail(HT_ERR_CASE, "%s: a Fourier series wants flow.period_s in the case file",
                   in->path);
  HT_TRY(ht_waveform_series(&series, waveform));
  return HT_OK;
}

static ht_status make_samples(const table *in, double period_s, ht_waveform *waveform) {
  char where[LINE_MAX_CHARS + 32];
  int row = -1;
  ht_status status = ht_waveform_samples(in->rows, in->first, in->value, &row, waveform);
  if (status == HT_OK) return period_s > 0 ? ht_waveform_stretch(waveform, period_s) : HT_OK;
  snprintf(where, sizeof where, row < 0 ? "%s" : "%s:%d", in->path,
           row < 0 ? 0 : in->row_line[row]);
  return ht_fail_in(status, where);
}

ht_status ht_waveform_file_read(const char *path, double period_s, ht_waveform *waveform) {
  table *in;
  memset(waveform, 0, sizeof *waveform);
  HT_TRY(ht_alloc((void **)&in, 1, sizeof *in, "the waveform"));
  in->path = path;
  in->stream = fopen(path, "r");
  ht_status status = HT_OK;
  if (!in->stream) status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
  if (status == HT_OK) status = read_table(in);
  if (in->stream) fclose(in->stream);
  if (status == HT_OK && in->place[HARMONIC] != NONE)
    status = make_series(in, period_s, waveform);
  else if (status == HT_OK)
    status = make_samples(in, period_s, waveform);
  if (status == HT_OK && !(ht_waveform_mean(waveform) > 0))
    status =
        ht_fail(HT_ERR_CASE, "%s: the mean flow is %g mL/s; it has to be above 0: into the vessel",
                path, ht_waveform_mean(waveform));
  if (status != HT_OK) memset(waveform, 0, sizeof *waveform);
  free(in);
  return status;
}
