/* Choice of the vessel by what a network sees, where it is not clear without it. */
#ifndef HT_CHOOSE_SEEN_H
#define HT_CHOOSE_SEEN_H

#include "run/mask/choose_vessel.h"

/* With `segment.learned: auto`, where the case does not say where the vessel is: looks whether it
 * is clear without the network, after the search for it and its openings, which ended with
 * *decided. It is where it stands out (ht_vessel_stands_out), is not cut off (ht_check_cut_ends),
 * and the network, where it is quick, sees at most a tenth of it as something else. If it is not,
 * searches where the network sees arteries, as with `segment.learned: only`, and takes the vessel
 * found into the run (*taken 1, *decided that of its openings) if it stands out, is not cut off,
 * no blood goes on beyond an opening inside the scan or a wide closed end, and no outlet is
 * missing, and it has three quarters of what the network sees as artery in a clear vessel that is
 * something else by a tenth to a half. If the network sees more than half of a clear one as
 * something else, whatever it finds is taken; *decided is HT_ERR_OPENINGS where blood goes on or an
 * outlet is missing. Else the run and the error are as before, with a line that says why.
 * HT_ERR_INTERRUPTED. */
ht_status ht_choose_seen(ht_run *run, ht_decide *decide, ht_status *decided, int *taken);

/* Returns 1 where the network is not used, and `segment.learned: auto` would use it. */
int ht_seen_is_offered(const ht_case *settings);

#endif
