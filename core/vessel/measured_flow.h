/* Velocities of blood as a scanner measured them (phase-contrast MR), in a plane or a volume, over
 * the heartbeat. What was measured is kept: the velocity's part along each encoded direction. The
 * corrections of such a measurement (phase offset, aliasing) belong to one direction each;
 * ht_measured_velocity makes vectors of them. */
#ifndef HT_MEASURED_FLOW_H
#define HT_MEASURED_FLOW_H

#include "core/vessel/rigid_move.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Source of the knowledge which way positive values point. */
typedef enum {
  HT_SIGN_OPEN,     /* none: the direction may have to be turned round */
  HT_SIGN_VENDOR,   /* a field or text of the vendor names the direction */
  HT_SIGN_STANDARD, /* DICOM's Velocity Encoding Direction */
  HT_SIGN_PHYSICS,  /* conservation of mass, or the known way of the blood */
  HT_SIGN_GIVEN,    /* the user */
} ht_sign_basis;

/* One encoded direction. */
typedef struct {
  double direction[3]; /* unit vector, LPS, in which the blood moves where values are positive */
  double venc_m_s;     /* velocity at which the phase is half a turn; beyond it values wrap */
  double level_m_s;    /* step between two stored grey levels; 0: not known */
  ht_sign_basis sign;
} ht_velocity_encoding;

typedef struct {
  ht_grid grid;    /* of the voxels; dim[2] is 1 for a plane, spacing_mm[2] then its thickness */
  int times;       /* time points of the beat */
  double *time_s;  /* [times] after the R wave, rising. Owned */
  double period_s; /* duration of the beat; 0: not known */
  int encodings;   /* 1: only the part along one direction is known; 3: the whole vector */
  ht_velocity_encoding encoding[3];
  float *velocity_m_s; /* [times][encodings][nz][ny][nx]. Owned */
  float *magnitude;    /* [times][nz][ny][nx], in the scanner's unit; NULL: none. Owned */
  char source[16];     /* make or format, for people: "Siemens", "NIfTI" */
  char frame_uid[72];  /* DICOM's Frame of Reference UID; "": not known */
  int landmarks; /* number of those that moved it into the scan's frame of reference; 0: not moved
                  */
} ht_measured_flow;

/* Allocates zeroed arrays for the grid, times and encodings; magnitude if `has_magnitude`.
 * HT_ERR_MEMORY. The caller frees. */
ht_status ht_measured_flow_alloc(const ht_grid *grid, int times, int encodings, int has_magnitude,
                                 ht_measured_flow *flow);
void ht_measured_flow_free(ht_measured_flow *flow); /* NULL is fine */

/* Moves the voxels and the encoded directions. */
void ht_measured_flow_move(ht_measured_flow *flow, const ht_rigid_move *move);

/* Returns the values of one direction at one time, [nz][ny][nx], m/s. */
float *ht_measured_part(const ht_measured_flow *flow, int time, int encoding);

/* Makes the velocity vector of a voxel (linear index), m/s, LPS: with one encoding its part along
 * that direction, with three the whole vector, also of directions at other than right angles.
 * Returns 0, and zeros, where the three lie in one plane. */
int ht_measured_velocity(const ht_measured_flow *flow, int time, int64_t voxel, double m_s[3]);

/* Finds the part of each voxel that is blood, share [nz][ny][nx], among the voxels with `inside` >
 * 0: its magnitude, mean over the beat, as a part of that of the voxels with `inside` 2, which are
 * all blood, or without these of the voxels amid others; at most 1.25, as noise makes some
 * brighter. The velocity of a voxel at the vessel's edge is that of the sum of
 * its signals, so that velocity times magnitude is that of the blood in it. Without magnitudes 1.
 */
void ht_measured_share(const ht_measured_flow *flow, const uint8_t *inside, float *share);

/* Sums the flow through a plane of voxels along the grid's third axis, mL/s, over the shares
 * [ny][nx] of its pixels. */
double ht_measured_plane_flow(const ht_measured_flow *flow, int time, int plane,
                              const float *share);

#ifdef __cplusplus
}
#endif
#endif
