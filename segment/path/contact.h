/* Finds where the vessel between points touches what was left out. Private to segment/. */
#ifndef HT_CONTACT_H
#define HT_CONTACT_H

#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the report's contacts: voxels of `whole` that `vessel` lost, next to one that it has, none
 * nearer to another than apart_mm; the first HT_SEGMENT_CONTACTS_MAX. The masks share one grid. */
void ht_contacts_find(const ht_mask *whole, const ht_mask *vessel, double apart_mm,
                      ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif
