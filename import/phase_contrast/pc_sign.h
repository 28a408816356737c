/* Signs of measured velocities by physics, where the images leave them open. Private to import/. */
#ifndef HT_PC_SIGN_H
#define HT_PC_SIGN_H

#include "core/vessel/measured_flow.h"
#include "import/common/import_note.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Decides the open signs. A volume with three directions: blood is incompressible, so of the
 * combinations of signs that are possible the one with the smallest divergence in the bright,
 * flowing voxels is right, where it is smaller beyond chance; the sign of all together stays open
 * where none was known. `along` (LPS, zeros: not known) is the way of the blood in the mean: it
 * decides that sign, and the sign of a single direction. Notes say what was decided, and warn where
 * the divergence speaks against signs that the images gave. HT_ERR_MEMORY. */
ht_status ht_pc_signs_decide(ht_measured_flow *flow, const double along[3], ht_import_notes *notes);

#ifdef __cplusplus
}
#endif
#endif
