/* Values of a scan, and which of them may be the vessel's. Private to segment/. */
#ifndef HT_CENSUS_H
#define HT_CENSUS_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_CENSUS_BINS = 256 };

/* Values of a region; values equal to a background of one exact value (removed skull, padding
 * outside the reconstruction circle) are not counted. */
typedef struct {
  double least, most, middle, high; /* smallest, largest, median, 99th percentile */
  double background;                /* NaN where there is no such value */
  int64_t histogram[HT_CENSUS_BINS], counted, voxels;
  double bin_least, bin_most; /* ends of the histogram; larger values are in the last bin */
} ht_census;

/* Counts the values of the voxels in the zone (NULL: all voxels). The zone must not be empty.
 * HT_ERR_MEMORY. */
ht_status ht_census_take(const ht_volume *image, const ht_mask *zone, ht_census *census);

/* Finds Otsu's threshold (1979) with two to four classes: below the brightest class, or below that
 * of the seed (`seed_value` infinite: none). Takes the first number of classes that separates a
 * small class (at most `largest_share` of the voxels) well; `clear` says whether there was one. */
ht_status ht_census_otsu(const ht_census *census, double seed_value, double largest_share,
                         double *lower, int *clear);

#ifdef __cplusplus
}
#endif
#endif
