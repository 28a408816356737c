/* Frame of reference of a measured flow: its positions are those of the scan only where both have
 * the same. */
#ifndef HT_MEASURED_FRAME_H
#define HT_MEASURED_FRAME_H

#include "core/vessel/measured_flow.h"
#include "run/record/identity.h"

/* Checks that the flow has the scan's frame of reference, as a case's record keeps it
 * (manifest->study: true or pseudonymous). HT_ERR_CASE: it has another one, or one of the two is
 * not known; `remedy` ends the message, as "flow.measured_frame: same takes them as the same". */
ht_status ht_measured_frame_check(const ht_measured_flow *flow, const ht_study *scan,
                                  const char *remedy);

#endif
