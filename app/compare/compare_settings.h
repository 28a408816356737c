/* Settings in which cases differ, and the warnings that follow: numbers of runs with different
 * settings are not comparable without a warning. */
#ifndef HT_COMPARE_SETTINGS_H
#define HT_COMPARE_SETTINGS_H

#include "app/compare/compared_case.h"

typedef struct {
  const char *name;                   /* "flow.waveform", as in a case file. Borrowed */
  const char *value[HT_COMPARED_MAX]; /* value of each case; NULL: not known. Borrowed */
  int is_text;                        /* also where it looks like a number */
} ht_setting_row;

/* Table of settings. Zeroed: none. */
typedef struct {
  int rows;
  ht_setting_row *row; /* owned */
} ht_setting_table;

/* Makes the table of the settings whose values differ, also where one case has none and another
 * more than the default; those that change no number (threads, device, pictures) are left out.
 * Borrows from the cases. HT_ERR_MEMORY. The caller frees. */
ht_status ht_setting_table_make(const ht_compared_case *one, int cases, ht_setting_table *table);
/* Writes the value of case c in words: a number with six digits, "-" where it is not known. Returns
 * `text`. */
enum { HT_COMPARE_VALUE = 64 };
const char *ht_setting_text(const ht_setting_row *row, int c, char text[HT_COMPARE_VALUE]);

/* Returns the text for a table without rows: another program's settings are not known. */
const char *ht_setting_none(const ht_compared_case *one, int cases);

void ht_setting_table_free(ht_setting_table *table);

/* Warns (console.h) of cases that are no results (not steady, not periodic), and of differences
 * that forbid a plain comparison: inflow, waveform, blood, walls, model, program, patient. */
void ht_compare_warn(const ht_compared_case *one, int cases, const ht_setting_table *table);

#endif
