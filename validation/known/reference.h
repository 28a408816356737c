/* Published tables and measurements to compare flows with: the CSV files of cases/reference/, each
 * with its source in its first lines. They are built into the program. */
#ifndef HT_REFERENCE_H
#define HT_REFERENCE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_REFERENCE_COLUMNS = 8, HT_REFERENCE_NAME = 32 };

typedef struct {
  int columns, rows;
  char name[HT_REFERENCE_COLUMNS][HT_REFERENCE_NAME]; /* with units, as in "z_m" */
  double *value; /* [rows][columns]; NAN where the file gives none. Owned */
} ht_reference;

/* Reads a table. `file`: without folder and ending. HT_ERR_INTERNAL if there is no such file or it
 * is not a table (a bug), HT_ERR_MEMORY. */
ht_status ht_reference_read(const char *file, ht_reference *table);
void ht_reference_free(ht_reference *table);

/* Number of a column; -1: none. */
int ht_reference_column(const ht_reference *table, const char *name);

#ifdef __cplusplus
}
#endif
#endif
