/* A case that is compared: a finished case folder, or another program's wall. */
#ifndef HT_COMPARED_CASE_H
#define HT_COMPARED_CASE_H

#include "app/compare/compared_wall.h"
#include "core/disk/file.h"
#include "app/compare/value_list.h"

enum { HT_COMPARED_MAX = 8, HT_COMPARED_LABEL = 48 };

typedef struct {
  char label[HT_COMPARED_LABEL]; /* short, different from the others': letters, digits, . _ - */
  char path[HT_PATH_MAX];        /* as typed, without a '/' at its end */
  int is_foreign;                /* another program's .vtp: it has a wall alone */
  ht_value_list numbers; /* numbers of summary.json, by the columns of summary.csv; the volume of
                            the vessel as vessel.volume_ml */
  ht_value_list record;  /* values of manifest.json by their paths: "options.flow.waveform";
                            waveform_sha256: of the waveform's file */
  int has_wall;
  ht_compared_wall wall;
} ht_compared_case;

/* Returns 1 for the wall of another program: a file, .vtp by its name. */
int ht_compared_is_foreign(const char *path);

/* Reads what is at `path`; the wall only where `how` is not NULL (its `foreign` is set here).
 * HT_ERR_NOT_FOUND: no such file, no case folder, not finished, no wall.vtp, with the command that
 * helps. HT_ERR_FORMAT, HT_ERR_MEMORY. `notes`: of a wall of another program. The caller frees. */
ht_status ht_compared_case_read(const char *path, const ht_wall_reading *how,
                                ht_import_notes *notes, ht_compared_case *one);
void ht_compared_case_free(ht_compared_case *one);

/* Makes the labels differ: a second "a" becomes "a_2". */
void ht_compared_labels(ht_compared_case *one, int cases);

#endif
