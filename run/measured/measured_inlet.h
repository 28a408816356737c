/* Measured flow as the inflow of a case (flow.measured): the waveform with its mean, and the shares
 * of the outlets. */
#ifndef HT_MEASURED_INLET_H
#define HT_MEASURED_INLET_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"
#include "run/case/case.h"
#include "run/record/manifest.h"

typedef struct {
  const char *folder;   /* of the case: gets waveform.csv and the picture */
  int draws;            /* 1: the picture measured_flow.png, too */
  const ht_mask *mask;  /* isotropic */
  ht_openings openings; /* as they were placed; outlets get their shares */
} ht_measured_vessel;

/* Reads the series at settings->measured, corrects it, and makes the flow through the inlet's
 * vessel the inflow of the settings: a waveform's file in the folder, with the beat's length (of
 * one time point a constant flow); settings->measured is then "". Outlets whose flow was measured
 * well get their shares of it, where the case says nothing else about the outlets; the others
 * divide the rest by Murray's law. Fills manifest->measured, and tells. HT_ERR_CASE, with the key
 * in the message: another frame of reference, no section that has the inlet's flow alone, too few
 * voxels, a flow out of the inlet, several inlets, ...; errors of ht_measured_file_read;
 * HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_measured_inlet_take(ht_case *settings, ht_measured_vessel *vessel,
                                 ht_manifest *manifest);

#endif
