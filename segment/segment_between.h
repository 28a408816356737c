/* Surface of the vessel between points. Private to segment/. */
#ifndef HT_SEGMENT_BETWEEN_H
#define HT_SEGMENT_BETWEEN_H

#include "core/work/progress.h"
#include "segment/surface/resample.h"
#include "segment/settings/segment_options.h"

/* Finds the way between the options' points, and its vessel in a box around it; enlarges the box
 * where it cuts the vessel. `method`: the user's; a preset's method is for a search without points.
 * Only HT_SEGMENT_LEVELSET counts. HT_ERR_CASE, HT_ERR_VESSEL, HT_ERR_MEMORY, HT_ERR_INTERRUPTED.
 * The caller frees the surface, also after a failure. */
ht_status ht_segment_between(const ht_volume *scan, const ht_segment_options *options,
                             ht_segment_method method, const ht_progress *progress,
                             ht_segment_report *report, ht_isosurface *surface);

#endif
