/* A surface with fewer points, for a picture that turns: a page need not hold every point of a fine
 * lattice. Private to export/report. */
#ifndef HT_THIN_MESH_H
#define HT_THIN_MESH_H

#include "export/wall/wall.h"

typedef struct {
  int64_t points, triangles;
  int32_t *of;       /* [points] numbers of points of the surface. Owned */
  int32_t *triangle; /* [triangles][3] numbers of points here. Owned */
} ht_thin_mesh;

/* Makes a mesh of at most `most` points. Where the surface has more, one point stands for all in a
 * cube of space whose normals have the same largest component (so that walls on both sides of a
 * thin gap stay apart): the one nearest to their centre (vertex clustering: Rossignac & Borrel,
 * Modeling in Computer Graphics (1993) 455). Points are kept, not averaged: each value shown is one
 * of the surface's own. HT_ERR_MEMORY. */
ht_status ht_thin_mesh_make(const ht_surface *surface, int64_t most, ht_thin_mesh *mesh);
void ht_thin_mesh_free(ht_thin_mesh *mesh);

#endif
