/* The aneurysm's sac of a run: found or cut, and measured. */
#ifndef HT_RUN_SAC_H
#define HT_RUN_SAC_H

#include "run_state.h"

/* Fills run->result.sac and sac_mesh from the flow and the wall with its load; nothing where the
 * case wants no sac. A plane of the case that cuts off none is a warning: the other results stand.
 * HT_ERR_MEMORY. */
ht_status ht_run_sac(ht_run *run, const ht_surface *surface);

/* Writes sac.stl, or removes that of an earlier export. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_write_sac(const ht_run *run);

#endif
