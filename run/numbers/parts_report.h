/* Division of a case's flow among several ranks: parts.json and a picture. */
#ifndef HT_PARTS_REPORT_H
#define HT_PARTS_REPORT_H

#include "core/vessel/domain.h"
#include "run/state/given.h"
#include "run/state/run_vessel.h"
#include "tiling/tiles.h"

/* Writes both for given->parts ranks, after the tiling, and notes the numbers on the console.
 * Does nothing where given->parts is 0. HT_ERR_USAGE: the tiling has fewer tiles; HT_ERR_WRITE,
 * HT_ERR_MEMORY; as ht_run_plan_flow. */
ht_status ht_run_write_parts(const ht_given *given, const ht_run_vessel *vessel,
                             const ht_domain *domain, const ht_tiling *tiling);

#endif
