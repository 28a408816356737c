/* The plane cavity with a sliding lid, run to its steady state (D2Q9). */
#ifndef HT_PLANE_CAVITY_H
#define HT_PLANE_CAVITY_H

#include "validation/known/cavity_reference.h"
#include "bench/papers/plane_flows/plane_rectangle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int n, reynolds; /* Re = lid_speed * n / viscosity */
  double lid_speed;
  ht_collision collision;
  ht_compressibility compressibility;
  double tolerance; /* change of the velocity per step that counts as steady */
  ht_device device;
  int threads;
  const ht_progress *progress;
} ht_plane_cavity;

typedef struct {
  ht_rectangle box;
  ht_cavity_plane plane; /* borrows box.velocity */
  double tau;
  int64_t steps;
} ht_plane_cavity_flow;

/* Runs the flow as ht_rectangle_settle. The caller frees, also after a failure. */
ht_status ht_plane_cavity_run(const ht_plane_cavity *cavity, ht_plane_cavity_flow *flow);
void ht_plane_cavity_free(ht_plane_cavity_flow *flow);

/* Stream function in the middle of the main vortex (its minimum), over the lid's speed and the
 * side. */
double ht_plane_cavity_vortex(const ht_plane_cavity_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
