#include "core/vessel/triangles.h"
#include <stdlib.h>
#include <string.h>

void ht_triangles_free(ht_triangles *triangles) {
  if (!triangles) return;
  free(triangles->corner);
  memset(triangles, 0, sizeof *triangles);
}
