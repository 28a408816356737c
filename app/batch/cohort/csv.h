/* Tables as text: RFC 4180, read as spreadsheet programs write them. */
#ifndef HT_CSV_H
#define HT_CSV_H

#include "core/status.h"
#include <stdio.h>

/* Table of cells; row 0 is the header. The cells lie in `text`; ht_csv_free() frees all. */
typedef struct {
  int rows, columns;
  char **cell; /* [rows][columns] */
  int *line;   /* [rows] where the row begins in the file, from 1 */
  char *text;
  char separator; /* ',', ';' or a tab: the most frequent one in the header */
} ht_csv;

/* Reads a table in UTF-8, with or without a byte order mark, or else in Windows-1252; the cells are
 * in UTF-8. Blanks around a cell without quotes and lines without any cell are left out.
 * HT_ERR_NOT_FOUND; HT_ERR_CASE with file:line: no header, a row with another number of cells than
 * the header, a quote without an end, text after a quote's end, more than 64 MB, no text, a
 * workbook; HT_ERR_MEMORY. */
ht_status ht_csv_read(const char *path, ht_csv *csv);
void ht_csv_free(ht_csv *csv);

/* Returns the text of a cell, borrowed; rows and columns from 0. */
const char *ht_csv_cell(const ht_csv *csv, int row, int column);

/* Returns the column of that name, in upper or lower case; -1: there is none. */
int ht_csv_column(const ht_csv *csv, const char *name);

#endif
