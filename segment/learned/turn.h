/* The order of axes in which the network reads a scan: the one nearest to the patient's, so that
 * the order in which a file has its voxels does not count. Private to segment/learned/. */
#ifndef HT_LEARNED_TURN_H
#define HT_LEARNED_TURN_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Axis a of the turned grid is axis[a] of the scan's, backwards where is_backward[a]. */
typedef struct {
  int axis[3], is_backward[3];
} ht_axes_turn;

/* Finds the turn that brings axes x, y, z nearest to left, back, head. */
ht_axes_turn ht_turn_to_patient(const ht_grid *grid);

/* Tells whether it leaves all as it is. */
int ht_turn_is_none(const ht_axes_turn *turn);

/* Copies an image of values of 4 bytes from the scan's order to the turned one. `dim` is the
 * scan's, `to` [dim[axis[2]]][dim[axis[1]]][dim[axis[0]]]. */
void ht_turn_values(const ht_axes_turn *turn, const int dim[3], const float *from, float *to);

/* Copies an image of bytes from the turned order back to the scan's. */
void ht_turn_bytes_back(const ht_axes_turn *turn, const int dim[3], const uint8_t *from,
                        uint8_t *to);

#ifdef __cplusplus
}
#endif
#endif
