/* Tables and warnings as parts of comparison.html. Errors of the stream show where its file is
 * committed. */
#ifndef HT_COMPARE_PAGE_PARTS_H
#define HT_COMPARE_PAGE_PARTS_H

#include <stdio.h>

/* Writes HTML, a text, HTML. */
void ht_page_put(FILE *stream, const char *before, const char *text, const char *after);

/* Begins a table; then its heads, its rows as HTML, and its end. */
void ht_page_table_begin(FILE *stream, const char *caption);
void ht_page_put_head(FILE *stream, const char *text, int is_number);
void ht_page_table_rows(FILE *stream);
void ht_page_table_end(FILE *stream);

/* Writes the cell of a number; empty: it is not finite. A difference has its sign. */
void ht_page_put_number(FILE *stream, double value, int digits, int is_difference);

/* Writes the warnings of the console, under a heading. */
void ht_page_put_warnings(FILE *stream);

#endif
