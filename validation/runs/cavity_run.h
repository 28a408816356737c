/* A lid-driven cavity run to its steady state with D3Q19: a cube, or (4 nodes thick, periodic) a
 * plane one. */
#ifndef HT_CAVITY_RUN_H
#define HT_CAVITY_RUN_H

#include "validation/known/cavity_reference.h"
#include "solver/lattice/lattice.h"
#include "core/work/progress.h"
#include "tiling/tiling.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_cavity_kind kind;
  int n, reynolds; /* Re = lid speed * n / viscosity */
  double lid_speed;
  ht_collision collision;
  ht_compressibility compressibility;
  ht_precision precision;
  ht_device device;
  int threads; /* CPU; 0: all */
  const ht_progress *progress;
} ht_cavity;

typedef struct {
  double *velocity;      /* [n][n][2] of the middle plane; owned */
  ht_cavity_plane plane; /* borrows velocity */
  char device[128];
  double tau, change; /* relative change of the velocity in the last n / lid_speed steps */
  int64_t steps;
} ht_cavity_flow;

/* Runs the cavity. HT_ERR_DIVERGED, HT_ERR_INTERRUPTED and ht_lattice_create's. Also ends, not
 * steady, when the lid has moved 400 times along the cavity: see `change`. The caller frees, also
 * after a failure. */
ht_status ht_cavity_run(const ht_cavity *cavity, ht_cavity_flow *flow);
void ht_cavity_free(ht_cavity_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
