#include "segment/openings/even_section.h"
#include "core/numbers/units.h"
#include <math.h>

enum { LIST_MAX = 512, ROUNDS = 4 };

/* A section, and the length of the path that it stands for. */
typedef struct {
  double mm2, mm;
} piece;

static void insert(piece one, piece *list, int *count) {
  int at = *count;
  if (at == LIST_MAX) return;
  for (++*count; at > 0 && list[at - 1].mm2 > one.mm2; at--) list[at] = list[at - 1];
  list[at] = one;
}

static double length_of(const ht_vessel_path *path, int s) {
  int before = s > 0 ? s - 1 : s, after = s + 1 < path->stations ? s + 1 : s;
  return (path->station[after].along_mm - path->station[before].along_mm) / 2;
}

/* Area that half of the path from `first` to `last` mm does not exceed; 0: there is none. */
static double median_mm2(const ht_vessel_path *path, double first, double last) {
  piece list[LIST_MAX];
  int count = 0, at = 0;
  double length = 0, below = 0;
  for (int s = 0; s < path->stations; s++) {
    const ht_station *one = &path->station[s];
    if (!(one->area_mm2 > 0) || one->along_mm < first || one->along_mm > last) continue;
    insert((piece){one->area_mm2, length_of(path, s)}, list, &count);
  }
  for (int i = 0; i < count; i++) length += list[i].mm;
  while (at + 1 < count && (below += list[at].mm) < length / 2) at++;
  return count ? list[at].mm2 : 0;
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
