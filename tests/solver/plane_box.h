/* What the tests of plane flows share: a full box with an edge of nodes on each side. */
#ifndef PLANE_BOX_H
#define PLANE_BOX_H

#include "plane_lattice.h"

typedef struct {
  int nx, ny;
  uint8_t *mask;    /* [ny][nx] 1 */
  int64_t *edge[4]; /* nodes at x = 0, x = nx - 1, y = 0, y = ny - 1, ends included */
  int edge_nodes[4];
  double *density, *velocity, *stress; /* of plane_box_read */
} plane_box;

plane_box plane_box_make(int nx, int ny);
void plane_box_free(plane_box *box);

/* A port on the whole of one side (0 to 3 as `edge`). */
ht_plane_port plane_box_port(const plane_box *box, int side, ht_port_kind kind);

/* A setup on one thread of the CPU, fp64, without ports. */
ht_plane_setup plane_box_setup(const plane_box *box, double tau);

/* Steps and reads the fields; fails the test where a call fails. */
void plane_box_run(plane_box *box, const ht_plane_setup *setup, int64_t steps);

#endif
