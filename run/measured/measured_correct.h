/* Corrections of a measured flow whose vessel is known. */
#ifndef HT_MEASURED_CORRECT_H
#define HT_MEASURED_CORRECT_H

#include "import/flow_correction/flow_correction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Corrects as ht_flow_correct does, and takes nothing in the vessel or within two voxels of it for
 * still tissue. HT_ERR_MEMORY; the flow may then be half corrected. The caller frees *done. */
ht_status ht_measured_correct(ht_measured_flow *flow, const ht_mask *mask,
                              const ht_flow_corrections *wanted, ht_import_notes *notes,
                              ht_flow_corrected *done);

#ifdef __cplusplus
}
#endif
#endif
