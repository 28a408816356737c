#include "app/tools/phantom_volumes.h"
#include "app/tools/phantom_scene.h"
#include "phantom/labelled/labelled.h"
#include "run/process/console.h"
#include <stdio.h>

ht_status ht_phantom_volumes(const ht_arguments *arguments) {
  int count = arguments->count ? arguments->count : 1,
      edge = arguments->edge ? arguments->edge : 96;
  uint64_t seed;
  HT_TRY(ht_phantom_seed(arguments, &seed));
  if (arguments->format >= 0)
    return ht_fail(HT_ERR_USAGE,
                   "the phantom 'volumes' has a format of its own: leave out --format");
  if (!arguments->output) return ht_fail(HT_ERR_USAGE, "no file for the volumes: give -o FILE");
  HT_TRY(ht_labelled_write(arguments->output, seed, count, edge, ht_console_progress()));
  printf("%d labelled volumes of %d voxels along each axis are in %s\n", count, edge,
         arguments->output);
  return HT_OK;
}
