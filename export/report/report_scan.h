/* The part of a scan around the vessel, with one byte per voxel, for the page. Private to
 * export/report. */
#ifndef HT_REPORT_SCAN_H
#define HT_REPORT_SCAN_H

#include "export/wall/wall.h"

typedef struct {
  ht_grid grid;
  uint8_t *shade;   /* [nz][ny][nx] 0: `low` and below, 255: `high` and above. Owned */
  double low, high; /* in the scan's unit: 1 % of the part is darker, and 0.1 % brighter */
} ht_report_scan;

/* Cuts out the box of voxels around the surface and `margin_mm` more, as far as the scan reaches;
 * takes every second, third, ... voxel along each axis where it would have more than `most` voxels.
 * HT_ERR_MEMORY. */
ht_status ht_report_scan_make(const ht_volume *scan, const ht_surface *surface, double margin_mm,
                              int64_t most, ht_report_scan *part);
void ht_report_scan_free(ht_report_scan *part);

#endif
