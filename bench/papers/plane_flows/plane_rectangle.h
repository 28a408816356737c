/* A rectangle of nodes for plane flows, with a list of nodes along each side, and the fields that
 * are read from it. */
#ifndef HT_PLANE_RECTANGLE_H
#define HT_PLANE_RECTANGLE_H

#include "bench/papers/plane/plane_lattice.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int nx, ny;
  uint8_t *mask;    /* [ny][nx] 1; set to 0 what is solid before ht_rectangle_begin */
  int64_t *edge[4]; /* nodes at x = 0, x = nx - 1, y = 0, y = ny - 1, ends included */
  int edge_nodes[4];
  double *density, *velocity, *stress; /* of ht_rectangle_read: [ny][nx], with [2], with [3] */
  ht_plane *plane;                     /* NULL until ht_rectangle_begin */
} ht_rectangle;

/* All fluid. HT_ERR_MEMORY. */
ht_status ht_rectangle_make(int nx, int ny, ht_rectangle *rectangle);
void ht_rectangle_free(ht_rectangle *rectangle);

/* A port on the whole of one side (0 to 3 as `edge`). */
ht_plane_port ht_rectangle_port(const ht_rectangle *rectangle, int side, ht_port_kind kind);

/* fp64, LBGK, incompressible, without ports. */
ht_plane_setup ht_rectangle_setup(const ht_rectangle *rectangle, double tau, ht_device device,
                                  int threads);

/* Begins as ht_plane_create. */
ht_status ht_rectangle_begin(ht_rectangle *rectangle, const ht_plane_setup *setup);

/* Reads as ht_plane_read, into the fields. */
ht_status ht_rectangle_read(ht_rectangle *rectangle);

/* Condition for a steady flow, and when progress is reported. */
typedef struct {
  double tolerance;            /* of ht_lattice_monitor.change */
  int64_t every, least, most;  /* steps: between checks, at least, at most */
  double fastest;              /* a larger speed means that the flow diverged */
  const ht_progress *progress; /* may be NULL */
  const char *note;            /* what runs; "" */
} ht_rectangle_rest;

/* Steps until the flow is steady. HT_ERR_DIVERGED, HT_ERR_NOT_STEADY, HT_ERR_INTERRUPTED and
 * ht_plane_step's. `steps` may be NULL. */
ht_status ht_rectangle_settle(ht_rectangle *rectangle, const ht_rectangle_rest *rest,
                              int64_t *steps);

#ifdef __cplusplus
}
#endif
#endif
