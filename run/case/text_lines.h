/* The lines of a table in a text file: CSV as spreadsheets and other programs write it. */
#ifndef HT_TEXT_LINES_H
#define HT_TEXT_LINES_H

#include "core/status.h"
#include <stdio.h>

enum { HT_LINE_MAX_CHARS = 4096 };

typedef struct {
  const char *path; /* borrowed */
  FILE *stream;
  int keeps_comments; /* 1: reads lines that begin with '#', too */
  int number;         /* number of the latest line, from 1 */
  char text[HT_LINE_MAX_CHARS];
} ht_lines;

/* Opens the file. HT_ERR_NOT_FOUND. `path` has to live as long. Close it with ht_lines_close, also
 * after a failure. */
ht_status ht_lines_open(const char *path, ht_lines *lines);
void ht_lines_close(ht_lines *lines);

/* Reads the next line into `text`, without its end, blanks around it or a byte order mark. Skips
 * empty lines, comments and a spreadsheet's own first line, "sep=;". *found 0: there is no further
 * one. HT_ERR_CASE: it is too long; HT_ERR_NOT_FOUND. */
ht_status ht_lines_next(ht_lines *lines, int *found);

/* Writes the number with the fewest digits, six or more, that read back as the same number. */
void ht_number_put(FILE *stream, double value);

/* Fails with HT_ERR_CASE: "PATH:LINE: WHAT 'GOT'"; got NULL: without it. */
ht_status ht_lines_mistake(const ht_lines *lines, int line, const char *what, const char *got);

#endif
