#include "vessel_path.h"
#include <stdlib.h>
#include <string.h>

void ht_vessel_path_free(ht_vessel_path *path) {
  if (!path) return;
  free(path->station);
  free(path->normal);
  free(path->first);
  free(path->voxel);
  memset(path, 0, sizeof *path);
}
