/* Flow waveforms from the literature, for vessels without a measured flow. */
#ifndef HT_PUBLISHED_WAVEFORMS_H
#define HT_PUBLISHED_WAVEFORMS_H

#include "solver/inflow/waveform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HT_WAVEFORM_CAROTID: internal carotid artery of older adults, period 0.951 s. Hoi et al.,
 *   Physiol. Meas. 31 (2010) 291. From VaMPy (github.com/KVSlab/VaMPy, simulation/ICA_values,
 *   commit 862b7c8), which names that paper: every 20th of 1000 values of the normalised flow. Not
 *   compared with the paper itself.
 * HT_WAVEFORM_AORTA: ascending aorta of the reference subject of Charlton et al., Am. J. Physiol.
 *   Heart Circ. Physiol. 317 (2019) H1062, a computed database of healthy adults; period 0.822 s.
 *   Read from openBF (github.com/INSIGNEO/openBF, models/Charlton2019/inlet.dat, commit 491b38e,
 *   that subject's inflow): 56 of 309 values. A short backflow, none from 0.309 s on. */
typedef enum {
  HT_WAVEFORM_CONSTANT = 0,
  HT_WAVEFORM_CAROTID,
  HT_WAVEFORM_AORTA,
} ht_waveform_name;

/* "constant", "carotid", "aorta", NULL: the names in case files. */
extern const char *const ht_waveform_words[];

/* The waveform with a mean of 1 mL/s. HT_ERR_INTERNAL: no such waveform. */
ht_status ht_waveform_published(ht_waveform_name name, ht_waveform *waveform);

#ifdef __cplusplus
}
#endif
#endif
