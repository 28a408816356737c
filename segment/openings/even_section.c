#include "segment/openings/even_section.h"
#include "core/numbers/units.h"
#include <math.h>

enum { LIST_MAX = 512, ROUNDS = 4 };

static void insert(double value, double *list, int *count) {
  int at = *count;
  if (at == LIST_MAX) return;
  for (++*count; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
  list[at] = value;
}

static double median(const double *list, int count) {
  return count ? (list[(count - 1) / 2] + list[count / 2]) / 2 : 0;
}

/* Median area of the stations from `first` to `last` mm along the path; 0: there is none. */
static double median_mm2(const ht_vessel_path *path, double first, double last) {
  double all[LIST_MAX], clean[LIST_MAX];
  int count = 0, cleans = 0;
  for (int s = 0; s < path->stations; s++) {
    const ht_station *one = &path->station[s];
    if (!(one->area_mm2 > 0) || one->along_mm < first || one->along_mm > last) continue;
    insert(one->area_mm2, all, &count);
    if (!one->is_mixed) insert(one->area_mm2, clean, &cleans);
  }
  return 2 * cleans >= count ? median(clean, cleans) : median(all, count);
}

/* The first diameter is that of the whole path: what the border cuts may be far wider. */
double ht_even_section_mm2(const ht_vessel_path *path) {
  if (path->stations == 0) return 0;
  double length = path->station[path->stations - 1].along_mm;
  double area = median_mm2(path, 0, length);
  for (int round = 0; round < ROUNDS; round++) {
    double mm = 2 * sqrt(area / HT_PI);
    int is_short = length < 7 * mm;
    double there = median_mm2(path, is_short ? length / 4 : mm, is_short ? 3 * length / 4 : 6 * mm);
    if (!(there > 0)) break;
    area = there;
  }
  return area;
}
