/* Picture of a measured flow before and after its corrections. */
#ifndef HT_PICTURE_MEASURED_H
#define HT_PICTURE_MEASURED_H

#include "core/vessel/measured_flow.h"
#include "export/drawing/picture_text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws, for each direction, a plane of the images at the time of the fastest flow: the magnitude,
 * the velocities as they were read, as they were corrected, and what was taken away. The plane is
 * that of the strongest flow. `as_read`: the values before, as flow->velocity_m_s; `noise`
 * [nz][ny][nx]: 1 is drawn empty; NULL: none. `vessel`: its outline is drawn; NULL: none.
 * HT_ERR_MEMORY, HT_ERR_WRITE. */
ht_status ht_picture_measured(const char *path, const ht_measured_flow *flow, const float *as_read,
                              const uint8_t *noise, const ht_mask *vessel,
                              const ht_picture_text *text);

#ifdef __cplusplus
}
#endif
#endif
