#include "segment/path/tissue.h"
#include "segment/voxels/quantile.h"
#include <math.h>

double ht_tissue_beside_dark(double *value, int count, double blood) {
  const double darkest = 0.1, least_share = 0.2; /* of the values */
  const double rim = 0.25;                       /* of the contrast: may be blood at an edge */
  int first = 0, last;
  ht_sort_values(value, count);
  double dark = value[(int)(darkest * count)];
  while (first < count && value[first] < (dark + blood) / 2) first++;
  for (last = first; last < count && value[last] < blood - rim * (blood - dark);) last++;
  return last - first >= least_share * count ? value[(first + last) / 2] : NAN;
}
