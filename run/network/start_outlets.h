/* The start of a pulse's Windkessels, from the vessel's network. */
#ifndef HT_START_OUTLETS_H
#define HT_START_OUTLETS_H

#include "run/network/vessel_network.h"
#include "run/openings/place_outlets.h"

/* Returns 1 for a pulse with Windkessels that have no start of their own: those that are all fitted
 * to a cuff have one (windkessel_fit.h). Call it after ht_place_windkessels. */
int ht_outlets_want_start(const ht_case *settings, const ht_openings *openings,
                          const ht_physiology *physiology);

/* Sets windkessel_start_pa of such outlets so that a pulse that begins at rest leads to the beat
 * that repeats itself, by the network: else a Windkessel begins at the mean flow, and its pressure
 * drifts for some of its time constants. Where the network fails the outlets stay as they are, with
 * a note: a start is a start. extension_diameters as in vessel_network.h. HT_ERR_CASE: values of a
 * Windkessel are missing or impossible; HT_ERR_MEMORY. */
ht_status ht_start_outlets(const ht_case *settings, const ht_mask *mask, const ht_throat *throat,
                           const double *extension_diameters, ht_openings *openings);

#endif
