#include "run/case/text_lines.h"
#include "core/disk/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_lines_open(const char *path, ht_lines *lines) {
  memset(lines, 0, sizeof *lines);
  lines->path = path;
  lines->stream = ht_file_open(path);
  if (lines->stream) return HT_OK;
  return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, ht_file_reason());
}

void ht_lines_close(ht_lines *lines) {
  if (lines->stream) fclose(lines->stream);
  lines->stream = NULL;
}

ht_status ht_lines_mistake(const ht_lines *lines, int line, const char *what, const char *got) {
  return ht_fail(HT_ERR_CASE, "%s:%d: %s%s%.60s%s", lines->path, line, what, got ? " '" : "",
                 got ? got : "", got ? "'" : "");
}

/* Detects UTF-16, in which some spreadsheets save: each letter has a zero byte. */
static ht_status check_utf16(const ht_lines *lines) {
  const char *start = lines->text;
  if (lines->number != 1 ||
      (strncmp(start, "\xFF\xFE", 2) != 0 && strncmp(start, "\xFE\xFF", 2) != 0))
    return HT_OK;
  return ht_lines_mistake(lines, 1,
                          "the file is in UTF-16: save it as \"CSV UTF-8\" or as plain text", NULL);
}

/* Reads a line without its end, which is
 * , \r
 * , or \r alone (old spreadsheets of the Mac). Returns 0 at the end of the file. *fits 0: it is
 * longer than `text`. */
static int read_line(ht_lines *lines, int *fits) {
  size_t length = 0;
  int sign;
  while ((sign = getc(lines->stream)) != EOF && sign != '\n' && sign != '\r')
    if (length + 1 < sizeof lines->text) lines->text[length++] = (char)sign;
  lines->text[length] = 0;
  *fits = length + 1 < sizeof lines->text;
  if (sign == EOF) return length > 0;
  if (sign == '\r' && (sign = getc(lines->stream)) != '\n') ungetc(sign, lines->stream);
  return 1;
}

ht_status ht_lines_next(ht_lines *lines, int *found) {
  int fits;
  *found = 0;
  while (read_line(lines, &fits)) {
    char *start = lines->text;
    lines->number++;
    HT_TRY(check_utf16(lines));
    size_t length = strlen(start);
    if (!fits) return ht_lines_mistake(lines, lines->number, "the line is too long", NULL);
    while (length > 0 && strchr("\t ", start[length - 1])) start[--length] = 0;
    if (lines->number == 1 && strncmp(start, "\xEF\xBB\xBF", 3) == 0) start += 3;
    start += strspn(start, " \t");
    if (*start == 0 || (*start == '#' && !lines->keeps_comments)) continue;
    if (lines->number == 1 && strncmp(start, "sep=", 4) == 0) continue;
    memmove(lines->text, start, strlen(start) + 1);
    *found = 1;
    return HT_OK;
  }
  if (ferror(lines->stream))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", lines->path, strerror(errno));
  return HT_OK;
}

void ht_number_put(FILE *stream, double value) {
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, stream);
}
