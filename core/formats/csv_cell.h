/* Cells of the tables that hemotile writes (RFC 4180). */
#ifndef HT_CSV_CELL_H
#define HT_CSV_CELL_H

#include <stdio.h>

/* Writes a cell, in quotes where it needs them. A text that a spreadsheet would take for a formula
 * gets an apostrophe in front (OWASP, "CSV injection"): one that begins with =, +, -, @, a tab or a
 * line's end, in ASCII or in full width. Numbers stay as they are (-3.5, -3,5, +1e-5, -5 %), and so
 * does a lone sign. */
void ht_csv_put(FILE *stream, const char *text);

#endif
