/* Makes the folder of a phantom, as `hemotile phantom` and the validation flows need it. */
#ifndef HT_PHANTOM_WRITE_H
#define HT_PHANTOM_WRITE_H

#include "phantom/phantom.h"
#include "phantom/phase_contrast/flow_images.h"

typedef struct {
  const char *kind, *folder;
  int dicom; /* 1: the scan as a DICOM series; 0: as NIfTI */
  ht_phantom_options options;
  int has_flow; /* 1: also phase-contrast images of its flow, as these say */
  ht_pc_convention convention;
  ht_pc_options flow;
} ht_phantom_request;

/* Writes scan, true vessel, phantom.json and case.yaml, and the phase-contrast images.
 * HT_ERR_USAGE: the folder holds something else; HT_ERR_WRITE, errors of ht_phantom_make. */
ht_status ht_phantom_write(const ht_phantom_request *wanted);

#endif
