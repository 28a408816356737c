/* What a page shows of a case folder with its vessel before a run; reads files alone. */
#ifndef HT_RUN_LOOK_H
#define HT_RUN_LOOK_H

#include "core/status.h"
#include <stdio.h>

/* Writes as JSON what the flow takes on lattices of 8 to 96 nodes across (run_offers.h), with the
 * settings and the openings that case.yaml has now. *copy_rate as ht_run_expected_time. Prints
 * nothing, but uses the console: not for two threads at a time. Where a run would refuse the
 * settings, or needs a flow, the object has `problem` alone. HT_ERR_NOT_FOUND: no vessel was found
 * yet; errors of ht_run_open, ht_case_read_waveform and ht_run_offer_lattices. */
ht_status ht_run_lattices_json(const char *folder, double *copy_rate, FILE *stream);

/* Writes as JSON the centreline inwards from opening number `opening` of openings.json: to the main
 * inlet, from that to the widest outlet: `stations`, each [along, x, y, z, direction out of the
 * vessel (3), radius], mm, LPS. Without a way between them there are none. HT_ERR_NOT_FOUND: no
 * vessel was found yet; HT_ERR_USAGE: no such opening; HT_ERR_MEMORY. */
ht_status ht_run_path_json(const char *folder, int opening, FILE *stream);

#endif
