/* A lid-driven cavity run to its steady state: a cube, or (4 nodes thick, periodic) a plane one. */
#ifndef HT_CAVITY_RUN_H
#define HT_CAVITY_RUN_H

#include "cavity_reference.h"
#include "lattice.h"

typedef struct {
  ht_cavity_kind kind;
  int n, reynolds; /* Re = lid speed * n / viscosity */
  double lid_speed;
  int model; /* see voxel_fields.h */
  ht_precision precision;
  ht_device device;
} ht_cavity;

typedef struct {
  ht_cavity_plane plane; /* of the middle; the caller frees plane.velocity with free() */
  double tau, change;    /* relative change of the velocity in the last n / lid_speed steps */
  int64_t steps;
} ht_cavity_flow;

void ht_cavity_run(const ht_cavity *cavity, ht_cavity_flow *flow);

#endif
