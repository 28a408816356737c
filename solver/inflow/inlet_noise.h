/* Seeded noise of the velocity at an inlet: modes (inlet_profile.h) that carry no flow.
 *
 * A patient's inflow is never as smooth as a profile, and a jet of a smooth one breaks down later.
 * The noise is a sum of plane waves over the section, each 1/4 to 1 diameter long and carried
 * through the inlet at the mean velocity (Taylor's hypothesis: Proc. R. Soc. A 164 (1938) 476),
 * times the velocity of the profile (where that is Womersley's: of the steady profile at the flow
 * of the moment), less the flow that each wave carries. */
#ifndef HT_INLET_NOISE_H
#define HT_INLET_NOISE_H

#include "solver/inflow/inlet_profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds HT_NOISE_MODES modes to those of a port. `rms`: of the noise over that velocity. `seed`:
 * another one makes other waves; the same one the same, whatever the spacing. `flow_m3_s`:
 * mean flow, `dx_m`: spacing. HT_ERR_MEMORY: the modes stay as they were. */
ht_status ht_inlet_noise_add(const int dim[3], const ht_port *port, double rms, int64_t seed,
                             double flow_m3_s, double dx_m, ht_inlet_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
