/* Measured shares of the outlets. */
#ifndef HT_MEASURED_SHARES_H
#define HT_MEASURED_SHARES_H

#include "run/case/case.h"
#include "run/record/measured_record.h"

/* Gives the outlets their shares of the outflow, as flow_fraction of the case's openings: those
 * that were measured at least HT_SECTION_GOOD_ACROSS voxels across, and with the model fractions
 * all that were measured, theirs; the others divide the rest by Murray's law. All measured: so that
 * they add up to 1. Does nothing where the case says something else about the outlets (another
 * model, a fraction, a Windkessel, a pressure), with a single outlet, or without a measured one;
 * warns where the measurement contradicts itself. Completes the record. HT_ERR_CASE: too many
 * openings. */
ht_status ht_measured_shares_take(ht_case *settings, ht_openings *openings,
                                  ht_measured_record *record);

#endif
