/* Lattices to choose from before a run, for a case folder with its vessel; reads files alone. */
#ifndef HT_RUN_OFFER_H
#define HT_RUN_OFFER_H

#include "core/status.h"
#include <stdio.h>

/* Writes as JSON what the flow takes on lattices of 8 to 96 nodes across (run_offers.h), with the
 * settings and the openings that case.yaml has now. *copy_rate as ht_run_expected_time. Prints
 * nothing, but uses the console: not for two threads at a time. HT_ERR_NOT_FOUND: no vessel was
 * found yet; errors of ht_run_open, ht_case_check, ht_case_read_waveform and ht_run_offer_lattices.
 */
ht_status ht_run_offer_json(const char *folder, double *copy_rate, FILE *stream);

#endif
