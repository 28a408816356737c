#include "app/batch/cohort/csv.h"
#include "core/disk/file.h"
#include "core/text/utf8.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 64 << 20 };

static ht_status read_bytes(const char *path, char **text, size_t *bytes) {
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, ht_file_reason());
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  ht_status status = HT_OK;
  if (size < 0 || size > MOST_BYTES || fseek(file, 0, SEEK_SET) != 0)
    status = ht_fail(HT_ERR_CASE, "%s: not a table: expected a text file of at most 64 MB", path);
  if (status == HT_OK) status = ht_alloc((void **)text, (size_t)size + 2, 1, "the table");
  if (status == HT_OK && fread(*text, 1, (size_t)size, file) != (size_t)size)
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: it cannot be read to its end", path);
  fclose(file);
  *bytes = status == HT_OK ? (size_t)size : 0;
  return status;
}

/* Refuses files that are often given in place of a table. */
static ht_status check_kind(const char *path, const char *text, size_t bytes) {
  static const char save[] = "save it as \"CSV UTF-8\"";
  if (strncmp(text, "PK\003\004", 4) == 0)
    return ht_fail(HT_ERR_CASE, "%s: a workbook (or a zip archive), not a table: %s", path, save);
  if (strncmp(text, "\xFF\xFE", 2) == 0 || strncmp(text, "\xFE\xFF", 2) == 0)
    return ht_fail(HT_ERR_CASE, "%s: a table in UTF-16: %s", path, save);
  if (memchr(text, 0, bytes))
    return ht_fail(
        HT_ERR_CASE,
        "%s: not a table: it is not text; a single scan or case file is for `hemotile run`", path);
  return HT_OK;
}

static int is_utf8(const char *text) {
  int bytes = 1;
  while (*text && (bytes = ht_utf8_bytes(text)) > 0) text += bytes;
  return bytes > 0;
}

/* Converts Windows-1252, in which Western spreadsheets write tables by default: the characters from
 * 0x80 to 0x9f; the others are Latin-1. */
static int windows_1252(unsigned char byte) {
  static const unsigned short code[32] = {
      0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
      0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
      0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
  return byte >= 0x80 && byte < 0xa0 ? code[byte - 0x80] : byte;
}

static ht_status to_utf8(char **text, size_t bytes) {
  char *made, *to;
  HT_TRY(ht_alloc((void **)&made, 3 * bytes + 2, 1, "the table"));
  to = made;
  for (const char *at = *text; *at; at++) {
    const int code = windows_1252((unsigned char)*at);
    if (code < 0x80) {
      *to++ = (char)code;
    } else if (code < 0x800) {
      *to++ = (char)(0xc0 | code >> 6);
      *to++ = (char)(0x80 | (code & 0x3f));
    } else {
      *to++ = (char)(0xe0 | code >> 12);
      *to++ = (char)(0x80 | (code >> 6 & 0x3f));
      *to++ = (char)(0x80 | (code & 0x3f));
    }
  }
  free(*text);
  *text = made;
  return HT_OK;
}

static ht_status read_text(const char *path, char **text) {
  size_t bytes;
  HT_TRY(read_bytes(path, text, &bytes));
  HT_TRY(check_kind(path, *text, bytes));
  if (!strchr(*text, '\n')) /* old spreadsheets of the Mac end lines with \r alone */
    for (char *at = *text; *at; at++)
      if (*at == '\r') *at = '\n';
  return is_utf8(*text) ? HT_OK : to_utf8(text, bytes);
}

/* Returns the separator that is most frequent in the first line, outside quotes. */
static char separator_of(const char *text) {
  static const char all[] = ",;\t";
  int count[3] = {0}, quoted = 0, best = 0;
  for (; *text && (quoted || *text != '\n'); text++) {
    if (*text == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(all, *text);
    if (found) count[found - all]++;
  }
  for (int i = 1; i < 3; i++)
    if (count[i] > count[best]) best = i;
  return all[best];
}

/* Text that is cut into cells in place. */
typedef struct {
  const char *path;
  char *at;
  char separator;
  int line;
  int ends_row; /* 1: the cell read last ends its row */
} reader;

static ht_status read_quoted(reader *of, char **cell) {
  int first = of->line;
  char *to = of->at;
  *cell = to;
  for (of->at++; *of->at; of->at++) {
    if (*of->at == '"' && of->at[1] != '"') break;
    if (*of->at == '"') of->at++;
    if (*of->at == '\n') of->line++;
    *to++ = *of->at;
  }
  if (!*of->at) return ht_fail(HT_ERR_CASE, "%s:%d: a quote (\") that has no end", of->path, first);
  of->at++;
  while (*of->at == ' ' || *of->at == '\r') of->at++;
  if (*of->at && *of->at != of->separator && *of->at != '\n')
    return ht_fail(HT_ERR_CASE,
                   "%s:%d: there is text after the end of a quoted cell (\"a\"b): put all of the "
                   "cell into the quotes, and write a quote within it twice (\"\")",
                   of->path, of->line);
  of->ends_row = *of->at != of->separator;
  if (*of->at == '\n') of->line++;
  if (*of->at) of->at++;
  *to = 0;
  return HT_OK;
}

static void read_bare(reader *of, char **cell) {
  while (*of->at == ' ') of->at++;
  char *end = of->at;
  *cell = of->at;
  while (*end && *end != of->separator && *end != '\n') end++;
  of->at = end;
  of->ends_row = *end != of->separator;
  if (*end == '\n') of->line++;
  if (*end) of->at++;
  *end = 0;
  while (end > *cell && (end[-1] == ' ' || end[-1] == '\r')) *--end = 0;
}

static ht_status read_cell(reader *of, char **cell) {
  char *begin = of->at;
  while (*begin == ' ') begin++;
  if (*begin != '"') {
    read_bare(of, cell);
    return HT_OK;
  }
  of->at = begin;
  return read_quoted(of, cell);
}

/* Grows a list of cells or of lines. */
static ht_status grow(void **list, size_t count, size_t *room, size_t size) {
  if (count < *room) return HT_OK;
  size_t more = *room ? 2 * *room : 256;
  void *larger = realloc(*list, more * size);
  if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the table");
  *list = larger;
  *room = more;
  return HT_OK;
}

static ht_status read_row(reader *of, ht_csv *csv, size_t *cells, size_t *room) {
  const int line = of->line;
  const size_t first = *cells;
  int filled = 0;
  do {
    HT_TRY(grow((void **)&csv->cell, *cells, room, sizeof *csv->cell));
    HT_TRY(read_cell(of, &csv->cell[*cells]));
    filled |= csv->cell[*cells][0] != 0;
    ++*cells;
  } while (!of->ends_row);
  const int columns = (int)(*cells - first);
  if (!filled) {
    *cells = first;
  } else if (csv->rows > 0 && columns != csv->columns) {
    return ht_fail(HT_ERR_CASE, "%s:%d: %d cells, but the header has %d columns", of->path, line,
                   columns, csv->columns);
  } else {
    csv->columns = columns;
    csv->line[csv->rows++] = line;
  }
  return HT_OK;
}

static ht_status read_rows(reader *of, ht_csv *csv) {
  size_t cells = 0, room = 0, lines = 0;
  while (*of->at) {
    HT_TRY(grow((void **)&csv->line, (size_t)csv->rows, &lines, sizeof *csv->line));
    HT_TRY(read_row(of, csv, &cells, &room));
  }
  if (csv->rows == 0)
    return ht_fail(HT_ERR_CASE, "%s: an empty table: the first line names the columns", of->path);
  return HT_OK;
}

ht_status ht_csv_read(const char *path, ht_csv *csv) {
  *csv = (ht_csv){0};
  ht_status status = read_text(path, &csv->text);
  if (status == HT_OK) {
    const int mark = strncmp(csv->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    csv->separator = separator_of(csv->text + mark);
    reader of = {path, csv->text + mark, csv->separator, 1, 0};
    status = read_rows(&of, csv);
  }
  if (status != HT_OK) ht_csv_free(csv);
  return status;
}

void ht_csv_free(ht_csv *csv) {
  if (!csv) return;
  free(csv->cell);
  free(csv->line);
  free(csv->text);
  *csv = (ht_csv){0};
}

const char *ht_csv_cell(const ht_csv *csv, int row, int column) {
  return csv->cell[(size_t)row * (size_t)csv->columns + (size_t)column];
}

int ht_csv_column(const ht_csv *csv, const char *name) {
  for (int c = 0; csv->rows > 0 && c < csv->columns; c++)
    if (strcasecmp(csv->cell[c], name) == 0) return c;
  return -1;
}
