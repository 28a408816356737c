/* Prints how fast masks are tiled: time_tiling [REPEATS]. The median of the repeats, and the
 * quickest, which other programs on the machine disturb least. */
#include "core/machine/clock.h"
#include "phantom/geometry.h"
#include "tiling/tiling.h"
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 99 };

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static ht_status time_builds(const ht_mask *mask, ht_tile_order order, int repeats, double *second,
                             ht_tiling *tiling) {
  ht_tiling_options options = {.order = order};
  for (int i = 0; i < repeats; i++) {
    double start = ht_clock_s();
    HT_TRY(ht_tiling_build(mask, &options, tiling));
    second[i] = ht_clock_s() - start;
    if (i < repeats - 1) ht_tiling_free(tiling);
  }
  qsort(second, (size_t)repeats, sizeof *second, by_value);
  return HT_OK;
}

static ht_status report(const char *name, ht_status made, ht_mask *mask, int repeats) {
  HT_TRY(made);
  double voxels = 1e-6 * (double)ht_grid_voxels(&mask->grid), second[REPEATS];
  for (int order = 0; ht_tile_order_words[order]; order++) {
    ht_tiling tiling;
    HT_TRY(time_builds(mask, (ht_tile_order)order, repeats, second, &tiling));
    printf("%-16s %4d x %4d x %4d  %-8s %9lld tiles  %7.1f ms  %6.0f M voxels/s (quickest %6.0f)\n",
           name, tiling.dim[0], tiling.dim[1], tiling.dim[2], ht_tile_order_words[order],
           (long long)tiling.tiles, 1e3 * second[repeats / 2], voxels / second[repeats / 2],
           voxels / second[0]);
    ht_tiling_free(&tiling);
  }
  ht_mask_free(mask);
  return HT_OK;
}

int main(int argc, char **argv) {
  int repeats = argc > 1 ? atoi(argv[1]) : 9;
  if (repeats < 1 || repeats > REPEATS) return 2;
  ht_mask mask;
  ht_status status = HT_OK;
  HT_TRY_DONE(report(
      "vessels", ht_geometry_tubes((int[3]){730, 342, 334}, (double[2]){25, 45}, 0.175, 1, &mask),
      &mask, repeats));
  HT_TRY_DONE(report("vessels-small",
                     ht_geometry_tubes((int[3]){93, 161, 442}, (double[2]){9, 13}, 0.094, 1, &mask),
                     &mask, repeats));
  HT_TRY_DONE(report("cavity", ht_geometry_box((int[3]){256, 256, 256}, &mask), &mask, repeats));
done:
  if (status != HT_OK) fprintf(stderr, "time_tiling: %s\n", ht_error_message());
  return (int)status;
}
