/* The velocity over an inlet as it was measured in a section of the vessel, for a port of any
 * shape.
 *
 * Over the section, in coordinates in which its ellipse of inertia is the unit circle, the velocity
 * is the developed steady profile of that section (inlet_profile.h; 0 at the wall) times a
 * polynomial, for the mean and for each harmonic of the beat. Over the port it is the port's own
 * developed profile times the same polynomial, so that it is 0 at its wall. */
#ifndef HT_MEASURED_PROFILE_H
#define HT_MEASURED_PROFILE_H

#include "core/vessel/volume.h"
#include "solver/inflow/inlet_profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HT_MEASURED_TERMS: x^a y^b with a + b <= 4. */
enum { HT_MEASURED_TERMS = 15, HT_MEASURED_HARMONICS_MAX = 24 };

typedef struct {
  double normal[3]; /* LPS, unit; along the flow, into the vessel */
  double across[3]; /* LPS, unit; the first axis over the section; the second is normal x across */
  int harmonics;    /* -1: there is no profile */
  /* Coefficients of the mean, then of the cosine and the sine of each harmonic, m/s. */
  double coefficient[1 + 2 * HT_MEASURED_HARMONICS_MAX][HT_MEASURED_TERMS];
} ht_measured_profile;

/* Finds the terms of the polynomial at a place of the section. */
void ht_measured_terms(const double at[2], double term[HT_MEASURED_TERMS]);

/* The coordinates of a section: `centre` and `inverse` turn an offset in mm into the place where
 * the ellipse of inertia is the unit circle. */
typedef struct {
  double centre[2], inverse[2][2];
} ht_profile_frame;

/* Finds the frame of `count` places of equal weight. Returns 0 where they lie on a line. */
int ht_profile_frame_of(int64_t count, const double (*place)[2], ht_profile_frame *frame);
void ht_profile_place(const ht_profile_frame *frame, const double offset[2], double at[2]);

/* Replaces the shapes of a port's modes, which ht_inlet_modes_make made of HT_PROFILE_MEASURED, by
 * the measured ones. The flow stays the waveform's at every moment. A harmonic whose net flow is
 * small next to what goes to and fro keeps Womersley's shape. `grid`: of the domain's mask.
 * HT_ERR_CASE: there is no profile (NULL, or harmonics -1), or its mean flow is not into the
 * vessel. HT_ERR_MEMORY. */
ht_status ht_measured_profile_apply(const ht_grid *grid, const ht_port *port,
                                    const ht_measured_profile *profile, ht_inlet_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
