/* Series of a DICOM folder, or the one image of another file, as a list to choose from. */
#ifndef HT_SERIES_H
#define HT_SERIES_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Series of a DICOM folder, or the one image of another file. */
typedef struct {
  char format[16]; /* "DICOM", "NIfTI", "NRRD", "MetaImage" */
  char uid[72];    /* DICOM: Series Instance UID; else "" */
  char description[72];
  char modality[8];
  char stack[20];    /* DICOM: Stack ID where the series has several stacks, each listed; else "" */
  int patient;       /* DICOM: number of the patient, from 1 within the list; 0: not given */
  int files, images; /* DICOM: images, with several frames per file; else both 1 */
  char aside[64];    /* its kind ("a localizer") where it is taken only on request; else "" */
  ht_grid grid;      /* dim 0 where the series is not a regular volume */
  char problem[768]; /* why it cannot be imported; "" where it can */
  ht_status status;  /* the code that goes with the problem */
  char note[512];    /* a note: taken only on request, resampled; "" where there is none */
} ht_series;

typedef struct {
  int count;
  ht_series *series; /* owned */
  int taken; /* from 1: the series that ht_import_volume takes without a request, or fails with; 0:
                it asks for a choice */
  int patients; /* DICOM: number of patients in the files; of 2 and more no series is taken without
                   a request */
  int special;  /* DICOM: pipes, sockets and devices in the folder, which are left out */
  /* DICOM: the measured flow (phase contrast) among the images, in parts with "; " between, or why
   * it is not usable; "": no velocities */
  char flow[512];
  int has_flow; /* 1: it is usable */
  int strays;   /* files without a series, which may belong to any: then none is imported */
} ht_series_list;
void ht_series_list_free(ht_series_list *list); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
