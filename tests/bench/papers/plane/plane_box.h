/* The rectangle of validation/ for tests of plane flows; a failure fails the test. */
#ifndef PLANE_BOX_H
#define PLANE_BOX_H

#include "bench/papers/plane_flows/plane_rectangle.h"

typedef ht_rectangle plane_box;

plane_box plane_box_make(int nx, int ny);
void plane_box_free(plane_box *box);

/* A port on the whole of one side (0 to 3 as `edge`). */
ht_plane_port plane_box_port(const plane_box *box, int side, ht_port_kind kind);

/* A setup on one thread of the CPU, fp64, without ports. */
ht_plane_setup plane_box_setup(const plane_box *box, double tau);

/* Steps and reads the fields; fails the test where a call fails. */
void plane_box_run(plane_box *box, const ht_plane_setup *setup, int64_t steps);

#endif
