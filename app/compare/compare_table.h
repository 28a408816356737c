/* Table of the cases' numbers: comparison.csv, and the main ones in words. */
#ifndef HT_COMPARE_TABLE_H
#define HT_COMPARE_TABLE_H

#include "app/compare/compare_settings.h"
#include "app/compare/compared_case.h"
#include "app/compare/wall_map.h"
#include <stdio.h>

enum { HT_COMPARE_NAME = 200 };

typedef struct {
  char name[HT_COMPARE_NAME];    /* as in summary.csv: the unit ends it */
  char words[HT_COMPARE_NAME];   /* "TAWSS, mean, Pa"; "": not of the main numbers */
  double value[HT_COMPARED_MAX]; /* NAN: not known */
  int is_place;                  /* a coordinate: per cent mean nothing */
  int is_pair; /* from the maps: the first case has none, and nothing is subtracted */
} ht_compare_row;

/* Table of numbers. Zeroed: empty. */
typedef struct {
  int rows, room;
  ht_compare_row *row; /* owned; the main ones first */
} ht_compare_table;

/* Makes the table of every number that at least two cases have, and the statistics of the maps
 * (map[c] of case c; NULL: no walls were compared). HT_ERR_MEMORY. The caller frees. */
ht_status ht_compare_table_make(const ht_compared_case *one, int cases, const ht_wall_map *map,
                                ht_compare_table *table);
void ht_compare_table_free(ht_compare_table *table);

/* Returns the value of a case less that of the first, and this in per cent of it; NAN: not
 * known. */
double ht_compare_difference(const ht_compare_row *row, int number);
double ht_compare_percent(const ht_compare_row *row, int number);

/* Writes a number of a table in words; "": not known. A difference has its sign. */
void ht_compare_text(double value, int digits, int is_difference, char text[24]);

/* Writes comparison.csv. HT_ERR_WRITE. */
ht_status ht_compare_table_write(const char *path, const ht_compared_case *one, int cases,
                                 const ht_compare_table *table);

/* Prints the settings that differ, and the main numbers. */
void ht_compare_print(FILE *stream, const ht_compared_case *one, int cases,
                      const ht_setting_table *settings, const ht_compare_table *table);

#endif
