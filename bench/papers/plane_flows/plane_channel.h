/* Poiseuille flow between two plates (D2Q9, half-way walls). */
#ifndef HT_PLANE_CHANNEL_H
#define HT_PLANE_CHANNEL_H

#include "bench/papers/plane_flows/plane_rectangle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int height;      /* nodes across; the channel is twice as long */
  double tau;      /* also sets the speed, 0.4 / height: the density's drop is then second order */
  int is_velocity; /* inlet: 1 a parabolic velocity, 0 a pressure. The outlet has a pressure */
  ht_collision collision;
  ht_compressibility compressibility;
  ht_device device;
  int threads;
} ht_plane_channel;

/* The flow long after the start in `box`, which the caller frees, also after a failure; `exact`
 * (may be NULL): [height] the velocity along the channel; `error`: relative, in the L2 norm over
 * all nodes and both components. As ht_plane_create. */
ht_status ht_plane_channel_run(const ht_plane_channel *channel, ht_rectangle *box, double *exact,
                               double *error);

#ifdef __cplusplus
}
#endif
#endif
