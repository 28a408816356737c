/* Corrections of a measured flow: voxels of noise, wrapped velocities, and the phase offset. */
#ifndef HT_FLOW_CORRECTION_H
#define HT_FLOW_CORRECTION_H

#include "import/common/import_note.h"
#include "import/flow_correction/flow_corrected.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_CORRECT_AUTO, HT_CORRECT_OFF, HT_CORRECT_ON } ht_correct_choice;

/* {0}: all automatic. */
typedef struct {
  ht_correct_choice noise;  /* auto: with magnitudes, and 5 time points or more */
  ht_correct_choice unwrap; /* auto: where a velocity is above 0.8 venc */
  ht_correct_choice offset; /* auto: where there is enough still tissue */
  int offset_order;         /* of the polynomial: 1 a plane, 2 quadratic; 0: 1 */
  const uint8_t *vessel;    /* [nz][ny][nx] 1: vessel, which is no still tissue: in noise its slow
                               blood is not told from it by its scatter. NULL: not known. Borrowed */
} ht_flow_corrections;

/* Corrects in this order: noise, wrapping, offset. Adds notes, and a warning where a correction
 * that was asked for cannot be made. Directions without a venc are not corrected. HT_ERR_MEMORY;
 * the flow may then be half corrected. The caller frees *done. */
ht_status ht_flow_correct(ht_measured_flow *flow, const ht_flow_corrections *wanted,
                          ht_import_notes *notes, ht_flow_corrected *done);

#ifdef __cplusplus
}
#endif
#endif
