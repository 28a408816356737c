/* A rotation and a shift from one frame of reference into another, found from landmarks. */
#ifndef HT_RIGID_MOVE_H
#define HT_RIGID_MOVE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_LANDMARKS_MOST = 32 };

/* p becomes turn p + shift_mm. */
typedef struct {
  double turn[3][3], shift_mm[3];
  double rms_mm; /* distance that is left between the landmarks, root mean square */
} ht_rigid_move;

/* Finds the move that brings places `from_mm` nearest to `to_mm` [count], least squares, by unit
 * quaternions (B. Horn, J. Opt. Soc. Am. A 4 (1987) 629, eq. 3.2). A single pair: a shift alone.
 * HT_ERR_CASE: none, two, more than HT_LANDMARKS_MOST, or all nearly on a line: the rotation about
 * it is then open. */
ht_status ht_rigid_move_fit(int count, const double (*from_mm)[3], const double (*to_mm)[3],
                            ht_rigid_move *move);

/* Moves a place, mm, or turns a vector in place. */
void ht_rigid_move_place(const ht_rigid_move *move, double place_mm[3]);
void ht_rigid_move_vector(const ht_rigid_move *move, double vector[3]);

#ifdef __cplusplus
}
#endif
#endif
