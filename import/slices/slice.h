/* Image of a series, by its header: dicom/ reads it, slices/ makes volumes of them. Private to
 * import/. */
#ifndef HT_SLICE_H
#define HT_SLICE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part of its complex signal that an MR image shows; 4D flow has the magnitude and phases in a
 * series. */
typedef enum {
  HT_COMPONENT_UNKNOWN = 0, /* not given: any CT, most MR */
  HT_COMPONENT_MAGNITUDE,
  HT_COMPONENT_PHASE, /* also a velocity */
  HT_COMPONENT_REAL,
  HT_COMPONENT_IMAGINARY,
} ht_component;

/* Problem of an image that is sound and names no series. */
#define HT_NO_SERIES_UID "no Series Instance UID: it belongs to no series"

/* Image of a series by its header: a file, or a frame of a multi-frame file (each frame with its
 * own position, values' scale and times, from the functional groups, PS3.3 C.7.6.16). Texts are
 * UTF-8 without control characters. */
typedef struct {
  char *path;          /* owned */
  int frame, frames;   /* number of the frame, from 0, and of all in the file; 0 of 1 where it is no
                          multi-frame file */
  char series_uid[72]; /* "" where the file is too damaged to give it */
  char image_uid[72];  /* SOP Instance UID */
  char study_uid[72], frame_uid[72];     /* Study Instance and Frame of Reference UID; "": none */
  char patient_id[72], patient_name[72]; /* for comparison only: never shown. "": not given */
  int patient; /* number of the patient in the folder, from 1; 0: not given; filled by
                  slice_patient.h */
  char description[72];
  char modality[8];
  int series_number, instance;
  int has_image; /* 0: a report, a presentation state, a structure set: no pixels, no rows */
  int rows, columns;
  double spacing_mm[2];  /* along a row (index i), down a column (index j) */
  double position_mm[3]; /* centre of the first pixel, LPS */
  double axes[2][3];     /* unit vectors along a row (i) and down a column (j), LPS */
  int rescaled;          /* 1: slope and intercept are given; 0: they are 1 and 0 */
  double slope, intercept;
  char type[96];  /* Image Type or Frame Type: ORIGINAL\PRIMARY\M\ND */
  char stack[20]; /* Stack ID of an enhanced image; "" where there is none. Slices of different
                     stacks never come into one ht_stack_check */
  int localizer;  /* 1: Image Type says so; a series of its own, apart from the other images */
  int aside;      /* 1: no part of a scan, or taken only on request: colour, no
                     place in the patient, a localizer, a projection, a reformat ... */
  const char *why_aside; /* ... and its kind, for messages ("a localizer"); NULL where not aside.
                            Static */
  /* Time and echo of the image; NAN or 0 where the file does not give it. */
  ht_component component;
  int acquisition;      /* Acquisition Number; 0: not given */
  int temporal;         /* Temporal Position Identifier or Index, from 1; 0: not given */
  int echo;             /* Echo Number, from 1; 0: not given */
  double echo_time_ms;  /* (Effective) Echo Time */
  double trigger_ms;    /* Trigger Time or Nominal Cardiac Trigger Delay Time, after the R wave */
  double phase_percent; /* Nominal Percentage of Cardiac Phase */
  double acquired_s, content_s; /* Acquisition and Content Time, seconds after midnight */
  double velocity_direction[3]; /* Velocity Encoding Direction, PS3.3 C.8.13.5.9; zeros: none */
  double along_mm;              /* position along the slices' normal; set by slice_stack.c */
  char compression[64];         /* the transfer syntax where we have no decoder for it; else "" */
  ht_status status;  /* why this image alone cannot be a slice of a volume: the code ... */
  char problem[192]; /* ... and the reason; HT_OK and "" where it can */
} ht_slice;

#ifdef __cplusplus
}
#endif
#endif
