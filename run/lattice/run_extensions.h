/* The lengths of the flow extensions of a case. */
#ifndef HT_RUN_EXTENSIONS_H
#define HT_RUN_EXTENSIONS_H

#include "run/state/run_state.h"

/* Those that the case asks for, and the usual ones where it leaves the choice. */
ht_extend_options ht_run_usual_extensions(const ht_case *settings);

/* `diameters` [openings of the run, placed with their flows]: the same; with automatic outlets more
 * at those that the jet of a narrowing may reach, up to 5 diameters, where the solver takes the
 * extensions for sponges. Their pressure drop is subtracted (outlet_loss.h). A narrowing is a
 * throat (throat.h) with less than half the outlet's area. Its jet reaches 10 throat diameters:
 * there its velocity on the axis is half of that in the throat (the FDA's nozzle at Reynolds number
 * 5000, measured in four laboratories: 9.1 to 10.2; Hariharan et al., J. Biomech. Eng. 133 (2011)
 * 041002). The extension is 1 diameter longer than what of the jet lies beyond the outlet. A note
 * names each such outlet. HT_ERR_MEMORY. */
ht_status ht_run_extensions(const ht_run *run, double *diameters);

#endif
