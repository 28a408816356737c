/* How wide the vessel is behind its inlets, for the flow that is taken where none is given. */
#ifndef HT_VESSEL_SECTIONS_H
#define HT_VESSEL_SECTIONS_H

#include "run_state.h"

/* Measures the sections behind the inlets of run->placed (place_sections.h) where a flow may be
 * taken from them, on a lattice that depends on the vessel alone; with less memory, or of a mask
 * that is edited or follows a surface, on the run's own. What `known` has is taken from there; it
 * gets what is measured. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_run_measure_sections(ht_run *run, ht_openings *known);

#endif
