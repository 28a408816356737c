/* Section of a vessel on a sheet through the mask: its pixels, and their distances from its rim.
 * Private to segment/. */
#ifndef HT_SECTION_H
#define HT_SECTION_H

#include "core/vessel/volume.h"

/* Tolerance: voxels up to here beyond a cut plane count as on it, so that rounding does not matter
 * for a plane through voxel centres. In voxels. */
#define HT_PLANE_SLACK 0.02

/* Largest known distance from the rim, in pixels. */
enum { HT_SECTION_REACH = 5 };

/* Pixel (i, j) is at base + i * step[0] + j * step[1], voxel indices (fractional). */
typedef struct {
  double base[3];
  double step[2][3];
} ht_sheet;

/* Makes the sheet through a position (LPS mm) that two vectors span (LPS, unit), pixels of
 * pixel_mm. */
ht_sheet ht_sheet_across(const ht_grid *grid, const double centre_mm[3], const double across[2][3],
                         double pixel_mm);

typedef struct {
  int low[2];       /* pixel of the first column and row */
  int size[2];      /* columns, rows */
  int64_t count;    /* pixels inside */
  uint8_t *inside;  /* [size[1]][size[0]]; owned */
  double *distance; /* [size[1]][size[0]] from the rim, pixels, > 0 inside; owned; NULL until
                       ht_section_measure */
} ht_section;

/* Finds the 4-connected piece of the sheet inside the vessel (sample >= 1/2) that is nearest to
 * pixel (0, 0), at most `limit` pixels away; *away: its distance. count = 0 where there is none.
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_section_find(const ht_mask *mask, const ht_sheet *sheet, double limit,
                          ht_section *section, double *away);
void ht_section_free(ht_section *section);

/* Computes the section's centroid in pixels. */
void ht_section_centroid(const ht_section *section, double centroid[2]);

/* Computes the section's centroid; returns the distance of its farthest pixel from it. */
double ht_section_spread(const ht_section *section, double centroid[2]);

/* Removes parts one pixel thin, in place: the rest is covered by squares of 2x2, and one
 * 4-connected piece (the largest). HT_ERR_MEMORY. */
ht_status ht_section_clean(uint8_t *inside, const int size[2], int64_t *count);

/* Replaces a piece that has no such square by the one that covers most of it, three pixels at least
 * (the first of equals); *count = 0 where there is none. */
void ht_section_square(uint8_t *inside, const int size[2], int64_t *count);

/* Crops to the pixels inside and HT_SECTION_REACH around them; fills in distance. HT_ERR_MEMORY. */
ht_status ht_section_measure(ht_section *section);

/* Distance from the rim at a fractional pixel, bilinear; -HT_SECTION_REACH far out. */
double ht_section_at(const ht_section *section, double i, double j);

#endif
