#include "validation/known/reference.h"
#include "validation/known/embedded_text.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *find(const char *file) {
  for (const ht_embedded_text *one = ht_embedded_texts; one->name; one++)
    if (strcmp(one->name, file) == 0) return one->text;
  return NULL;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* The first line that is not a comment. */
static const char *skip_remarks(const char *line) {
  while (*line == '#') line = next_line(line);
  return line;
}

static int read_names(const char *line, ht_reference *table) {
  while (*line && *line != '\n' && table->columns < HT_REFERENCE_COLUMNS) {
    size_t length = strcspn(line, ",\n");
    if (length == 0 || length >= HT_REFERENCE_NAME) return 0;
    memcpy(table->name[table->columns++], line, length);
    line += length + (line[length] == ',');
  }
  return table->columns > 0 && (*line == '\n' || *line == 0);
}

/* A line of numbers; an empty place is NAN. */
static int read_values(const char *line, int columns, double *value) {
  for (int c = 0; c < columns; c++) {
    size_t length = strcspn(line, ",\n");
    char *end = NULL;
    value[c] = length ? strtod(line, &end) : NAN;
    if (length && end != line + length) return 0;
    line += length;
    if (*line != (c + 1 < columns ? ',' : '\n')) return 0;
    line++;
  }
  return 1;
}

static ht_status parse(const char *file, const char *text, ht_reference *table) {
  const char *line = skip_remarks(text);
  int lines = 0;
  if (!read_names(line, table))
    return ht_fail(HT_ERR_INTERNAL, "reference table '%s': its heading cannot be read", file);
  for (const char *l = next_line(line); *l; l = next_line(l)) lines++;
  HT_TRY(ht_alloc((void **)&table->value, (size_t)lines * (size_t)table->columns, sizeof(double),
                  "a reference table"));
  for (line = next_line(line); *line; line = next_line(line), table->rows++)
    if (!read_values(line, table->columns, table->value + table->rows * table->columns))
      return ht_fail(HT_ERR_INTERNAL, "reference table '%s': row %d cannot be read", file,
                     table->rows + 1);
  return HT_OK;
}

ht_status ht_reference_read(const char *file, ht_reference *table) {
  const char *text = find(file);
  memset(table, 0, sizeof *table);
  if (!text) return ht_fail(HT_ERR_INTERNAL, "there is no reference table '%s'", file);
  ht_status status = parse(file, text, table);
  if (status != HT_OK) ht_reference_free(table);
  return status;
}

void ht_reference_free(ht_reference *table) {
  if (!table) return;
  free(table->value);
  memset(table, 0, sizeof *table);
}

int ht_reference_column(const ht_reference *table, const char *name) {
  for (int c = 0; c < table->columns; c++)
    if (strcmp(table->name[c], name) == 0) return c;
  return -1;
}
