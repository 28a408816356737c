/* A scan with tubes in it whose truth is known: an oblique grid of unequal spacing, partial volume,
 * blur and noise. */
#ifndef TUBE_SCAN_H
#define TUBE_SCAN_H

#include "core/vessel/volume.h"

/* All points within radius_mm of the line through `through` along `along` (LPS; need not be unit),
 * `half_length_mm` to either side (0: endless). */
typedef struct {
  double through[3], along[3], radius_mm, half_length_mm;
} tube;

typedef struct {
  int dim[3];
  double spacing_mm[3];
  double tilt; /* radians, about two axes; 0: along LPS */
  int tubes;
  tube tube[4];
  double tissue, blood, noise; /* values; noise: standard deviation */
  double blur_mm;              /* sigma of the scanner's point spread */
} tube_scan;

/* 60 x 64 x 44 voxels of 0.5 x 0.5 x 0.8 mm, tilted, centred on [5, -7, 11]; one tube of radius 2
 * a little off the centre, along the image's third axis and 17 degrees off it; tissue 100, blood
 * 300, noise 10, blur 0.4 mm. */
tube_scan tube_scan_default(void);

/* The image axis (0, 1, 2) in LPS. */
void tube_scan_axis(const tube_scan *make, int axis, double lps[3]);

ht_grid tube_scan_grid(const tube_scan *make);

/* Distance to the nearest tube's surface, mm, negative inside. */
double tube_scan_distance(const tube_scan *make, const double position_mm[3]);

/* The caller frees. */
void tube_scan_volume(const tube_scan *make, ht_volume *scan);
void tube_scan_mask(const tube_scan *make, ht_mask *mask);

/* Measures a mask on any grid against the tubes: its volume over the true volume within the grid's
 * cells, and the share of voxels that are wrong by more than `slack_mm`. */
double tube_scan_volume_ratio(const tube_scan *make, const ht_mask *mask);
int64_t tube_scan_wrong(const tube_scan *make, const ht_mask *mask, double slack_mm);

#endif
