/* Comparison of finished cases: before and after a treatment, two segmentations, two lattices, or a
 * case and the wall of another program. */
#ifndef HT_COMPARE_H
#define HT_COMPARE_H

#include "app/compare/compare_folder.h"
#include "app/compare/compared_case.h"
#include <stdio.h>

/* Least part of the reference's wall that has to be common, %. */
#define HT_COMPARE_AREA_PERCENT 50

typedef struct {
  int cases;
  const char *path[HT_COMPARED_MAX]; /* the first is the reference */
  const char *folder;                /* folder of the results */
  double distance_mm; /* largest distance of common places; 0: twice the largest lattice spacing or
                         voxel of a scan of the cases */
  int numbers_only;   /* the walls are not compared */
  ht_surface_unit unit; /* unit of the lengths of a wall of another program */
  int arrays;
  ht_foreign_array array[HT_FOREIGN_ARRAYS_MAX];
} ht_compare_options;

/* Compares, warns (console.h), writes comparison.csv, comparison.html, and for each case after the
 * first wall_difference_LABEL.vtp and its pictures into the folder, and prints the main numbers to
 * `stream`. HT_ERR_USAGE: fewer than two cases, one twice, a reference that is no case folder, a
 * folder that holds other files. HT_ERR_VESSEL: the walls do not lie in the same place. Nothing is
 * written then. Errors of ht_compared_case_read; HT_ERR_WRITE. */
ht_status ht_compare_run(const ht_compare_options *options, FILE *stream);

#endif
