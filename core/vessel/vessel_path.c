#include "core/vessel/vessel_path.h"
#include <stdlib.h>
#include <string.h>

void ht_vessel_path_free(ht_vessel_path *path) {
  if (!path) return;
  free(path->station);
  free(path->normal);
  free(path->first);
  free(path->voxel);
  free(path->flow_first);
  free(path->flow_voxel);
  free(path->flow_mm2);
  memset(path, 0, sizeof *path);
}
