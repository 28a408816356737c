/* The values of a scan, and which of them may be the vessel's. Private to segment/. */
#ifndef HT_CENSUS_H
#define HT_CENSUS_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_CENSUS_BINS = 256 };

/* The values of a region; values equal to a background of one exact value (removed skull, padding
 * outside the reconstruction circle) are not counted. */
typedef struct {
  double least, most, middle, high; /* smallest, largest, median, 99th percentile */
  double background;                /* NaN where there is no such value */
  int64_t histogram[HT_CENSUS_BINS], counted, voxels;
  double bin_least, bin_most; /* of the histogram; larger values are in the last bin */
} ht_census;

/* Of the voxels in the zone; NULL: of all. The zone must not be empty. HT_ERR_MEMORY. */
ht_status ht_census_take(const ht_volume *image, const ht_mask *zone, ht_census *census);

/* Otsu's threshold (1979) with two to four classes: below the brightest class, or below that of the
 * seed (`seed_value` infinite: none). The first number of classes that sets a small (at most
 * `largest_share` of the voxels), well separated class apart is taken; `clear` says whether there
 * was one. */
ht_status ht_census_otsu(const ht_census *census, double seed_value, double largest_share,
                         double *lower, int *clear);

#ifdef __cplusplus
}
#endif
#endif
