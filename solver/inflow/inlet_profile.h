/* The velocity over an inlet, for a section of any shape: plug, parabolic, Womersley.
 *
 * A port's velocity is a sum of a few modes, each a fixed shape times a coefficient of time:
 *   speed[node](t) = sum_m coefficient[m](t) * shape[m][node].
 * Shapes are shares of the volume flow, so a coefficient is a flow in the unit of the caller's
 * choice: mL/s as given here, or voxels per step (then speed is the lattice's velocity along the
 * axis). */
#ifndef HT_INLET_PROFILE_H
#define HT_INLET_PROFILE_H

#include "solver/inflow/port_section.h"
#include "solver/inflow/waveform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The velocity over an inlet: flat, that of developed steady flow, or that of developed pulsatile
 * flow, over the section's real shape (of shear-thinning blood: thinning_profile.h); or as it was
 * measured (measured_profile.h). */
typedef enum {
  HT_PROFILE_PLUG = 0,
  HT_PROFILE_PARABOLIC,
  HT_PROFILE_WOMERSLEY,
  HT_PROFILE_MEASURED
} ht_profile;

/* The names in case files, options and results, in the order of the values; NULL at the end. */
extern const char *const ht_profile_words[];

/* Shape of the developed laminar flow over a port's nodes: the solution of  laplace(u) = -1  across
 * the vessel with u = 0 half a voxel outside the section's rim (Poiseuille: a paraboloid where the
 * section is round). `share` [port->nodes]: of the volume flow that each node carries; they add up
 * to 1. Where the vessel crosses the plane obliquely the Laplacian is that of the plane across the
 * vessel. `dim` is of the domain's mask. HT_ERR_MEMORY. */
ht_status ht_inlet_profile(const int dim[3], const ht_port *port, double *share);

/* Finds the profile of a flow that oscillates as exp(i w t), w = 2 pi harmonic / period: the
 * solution of
 *   i k u - laplace(u) = 1,  k = w dx^2 / (viscosity / density),
 * on the same nodes, divided by its sum (Womersley, J. Physiol. 127 (1955) 553, where the section
 * is round). `real` and `imaginary` [port->nodes] add up to 1 and 0. `k` > 0 has no dimension.
 * HT_ERR_MEMORY; HT_ERR_INTERNAL where the iteration does not end. */
ht_status ht_womersley_profile(const int dim[3], const ht_port *port, double k, double *real,
                               double *imaginary);

/* HT_NOISE_PEAK: standard deviations of noise that count as its peak. */
enum { HT_NOISE_MODES = 12, HT_NOISE_PEAK = 3 };

typedef struct {
  int modes; /* 1; Womersley: 1 + 2 * series.harmonics: steady, then cosine and sine of each; then
                those of noise (inlet_noise.h) */
  int64_t nodes;
  double *shape; /* [modes][nodes]; mode 0 and the cosines add up to 1, the sines to 0. Owned */
  ht_waveform waveform;
  ht_harmonics series; /* Womersley: of the waveform */
  double left_out;     /* Womersley: share of the waveform beyond these harmonics, which the steady
                          shape carries, so that the flow is the waveform's at every moment */
  int noise_modes;     /* 0: none */
  double noise_rms;    /* over the velocity of mode 0 with the whole flow */
  double noise_hz[HT_NOISE_MODES], noise_phase[HT_NOISE_MODES];
} ht_inlet_modes;

/* The modes of a port whose flow is `waveform` (copied). Plug: every node has the same share.
 * Womersley, and measured, whose shapes are then to be replaced: as many harmonics as leave out
 * less than 1 % of the waveform's root mean square, 32 at most. `kinematic_m2_s` is of the blood,
 * `dx_m` the spacing. HT_ERR_MEMORY, HT_ERR_INTERNAL; the caller frees with ht_inlet_modes_free,
 * also after a failure. */
ht_status ht_inlet_modes_make(const int dim[3], const ht_port *port, ht_profile profile,
                              const ht_waveform *waveform, double dx_m, double kinematic_m2_s,
                              ht_inlet_modes *modes);
void ht_inlet_modes_free(ht_inlet_modes *modes);

/* coefficient [modes], mL/s, at a time. Their sum over mode 0 and the cosines is the waveform;
 * noise carries no flow. */
void ht_inlet_modes_at(const ht_inlet_modes *modes, double time_s, double *coefficient);

/* The largest share of the flow that a node has over a period: of |sum coefficient * shape|, mL/s
 * through one node, at `moments` moments, with HT_NOISE_PEAK standard deviations of noise; sets the
 * time step. */
double ht_inlet_modes_peak(const ht_inlet_modes *modes, int moments);

#ifdef __cplusplus
}
#endif
#endif
