/* The lattice's sound in a pulse. Blood is incompressible, the lattice's fluid is not: sound
 * travels on it at c = dx / (sqrt(3) dt). In a long vessel, or in a slow flow, whose steps are
 * long, the fluid stores a part of the inflow and gives it back later, so that another flow
 * leaves the vessel than enters it. Private to solver/.
 *
 * A vessel is a transmission line to each of its outlets, of sections A(s), of which at most that
 * of the inlets carries the flow, B(s), with radius R(s): a sac stores, and does not carry. Of a
 * harmonic exp(i w t) pressure P and flow Q follow
 *   dP/ds = -Z Q,   Z = density / B * (i w a + 8 b viscosity / (density R^2)),
 *   dQ/ds = -Y P,   Y = i w A / (density c^2),
 * from the inflow to P = Z_end Q at the outlet, where Z_end is that of its Windkessel, 0 of a given
 * pressure or flow. In an even line with Z_end = 0 the flow out is the flow in over cosh(sqrt(Z Y)
 * L). Z is that of Womersley's profile (J. Physiol. 127 (1955) 553): a = 1 + 1 / sqrt(9 + x^2 / 2),
 * b = sqrt(1 + x^2 / 32), x = R sqrt(w density / viscosity), have its limits for slow (4/3, 1) and
 * for fast harmonics (1 + sqrt(2) / x, x / sqrt(32)). */
#ifndef HT_SOUND_H
#define HT_SOUND_H

#include "solver/inflow/outlets.h"
#include "core/vessel/volume.h"
#include "solver/inflow/waveform.h"

/* An inlet or outlet of the vessel. */
typedef struct {
  double centre[3]; /* voxels */
  double radius;    /* voxels */
  int is_inlet;
  double share;             /* of the outflow; outlets */
  ht_windkessel windkessel; /* of an outlet; zeroed: it has a given pressure or flow */
} ht_sound_end;

/* Path from the inlets to one outlet. */
typedef struct {
  int pieces;         /* of the same length; 0: the outlet is not reached */
  double share;       /* of the outflow */
  double *area_m2;    /* [pieces] A; owned */
  double *through_m2; /* [pieces] B; owned */
  ht_windkessel windkessel;
} ht_sound_line;

typedef struct {
  int lines;
  double piece_m;
  ht_sound_line line[HT_OPENINGS_MAX];
} ht_sound_lines;

/* The blood and its inflow: the harmonics that leave out less than 0.001 of it, and its peak. */
typedef struct {
  ht_harmonics series;
  double peak_ml_s, kinematic_m2_s, density_kg_m3;
} ht_sound_pulse;

/* Makes it from a waveform with a period and a mean above 0. */
ht_sound_pulse ht_sound_pulse_of(const ht_waveform *waveform, double kinematic_m2_s,
                                 double density_kg_m3);

/* The lines of a vessel (mask.inside != 0, isotropic). The section at a distance from the inlets,
 * along paths in the vessel, is the volume there by the distance, which outlets beyond it share by
 * their outflow. Dead ends add to the sections at their distance. HT_ERR_MEMORY; free the lines,
 * also after a failure. */
ht_status ht_sound_lines_make(const ht_mask *mask, int ends, const ht_sound_end *end,
                              ht_sound_lines *lines);
void ht_sound_lines_free(ht_sound_lines *lines);

/* The largest |flow out - flow in| of a beat over the largest inflow, for a speed of sound in m/s.
 * No dimension. */
double ht_sound_deviation(const ht_sound_lines *lines, const ht_sound_pulse *pulse,
                          double speed_m_s);

/* The least speed of sound above which the deviation is at most `most`, m/s; 0: any suffices, also
 * where `most` is 0. */
double ht_sound_least_speed(const ht_sound_lines *lines, const ht_sound_pulse *pulse, double most);

#endif
