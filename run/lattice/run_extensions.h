/* The flow extensions of a case: their lengths, and the domain with them. */
#ifndef HT_RUN_EXTENSIONS_H
#define HT_RUN_EXTENSIONS_H

#include "run/state/run_vessel.h"
#include "segment/domain/extend.h"

/* Returns the lengths that the case prescribes, and the usual ones where it leaves the choice. */
ht_extend_options ht_run_usual_extensions(const ht_case *settings);

/* Fills `diameters` [openings of the vessel, placed with their flows] with these lengths; with
 * automatic outlets longer at outlets that the jet of a narrowing may reach, up to 5 diameters,
 * where the solver uses the extensions as sponges. Their pressure drop is subtracted
 * (outlet_loss.h). A narrowing is a throat (throat.h) with less than half the outlet's area. Its
 * jet reaches 10 throat diameters: there its velocity on the axis is half of that in the throat
 * (the FDA's nozzle at Reynolds number 5000, measured in four laboratories: 9.1 to 10.2; Hariharan
 * et al., J. Biomech. Eng. 133 (2011) 041002). The extension is 1 diameter longer than the part of
 * the jet beyond the outlet. A note names each such outlet; is_quiet: 1: none. HT_ERR_MEMORY. */
ht_status ht_run_extensions(const ht_case *settings, const ht_run_vessel *vessel, int is_quiet,
                            double *diameters);

/* Builds the domain of the flow, with these extensions. The vessel's openings are placed with their
 * flows and Windkessels. surface: of the mask, as in ht_extend_options. is_quiet: 1: no notes.
 * Errors as ht_domain_build. */
ht_status ht_run_build_domain(const ht_case *settings, const ht_run_vessel *vessel,
                              const ht_triangles *surface, int is_quiet, ht_domain *domain);

#endif
