/* Measures the parts of the mask that are not as bright as blood. Private to segment/quality/. */
#ifndef HT_FOREIGN_H
#define HT_FOREIGN_H

#include "segment/quality/quality_types.h"
#include "segment/quality/surroundings.h"

/* Fills bright..., dark... except along_mm. HT_ERR_MEMORY. */
ht_status ht_foreign_measure(const ht_surroundings *around, ht_mask_quality *quality);

#endif
