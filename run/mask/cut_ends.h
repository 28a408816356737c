/* Closed ends of a vessel that was cut off by its level, and not by nature. */
#ifndef HT_CUT_ENDS_H
#define HT_CUT_ENDS_H

#include "run/mask/choose_vessel.h"

/* Checks a vessel found in a scan without points and openings of the case: HT_ERR_OPENINGS where a
 * closed end is at least 0.7 times as wide as the inlet, blood goes on beyond it in the scan
 * (blood_beyond.h), and the openings do not make up for it: the outlets carry less than half of the
 * inlets' flow by Murray's law, or the end is wider than the inlet. The message names the place,
 * and points between which `decide` succeeds, where there are any. */
ht_status ht_check_cut_ends(const ht_run *run, ht_decide *decide);

#endif
