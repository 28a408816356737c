/* Record of a measured inflow: what was measured, what was corrected, how good it is. In
 * manifest.json, summary.json and on the terminal. */
#ifndef HT_MEASURED_RECORD_H
#define HT_MEASURED_RECORD_H

#include "core/vessel/openings.h"
#include "run/case/case.h"
#include "run/folder/members.h"
#include <stdio.h>

/* The measured flow of one opening. */
typedef struct {
  char name[HT_NAME_MAX];
  int sections;        /* whose mean it is; 0: it was not measured */
  double mean_ml_s;    /* into the vessel at an inlet, out of it at an outlet */
  double across;       /* voxels of the measurement across the first section */
  double area_mm2;     /* of that section, in its plane */
  double centre_mm[3]; /* of that section, LPS */
  double normal[3];    /* of that section, into the vessel */
  double beyond;     /* flow next to the first section, outside the vessel, as a part of its own */
  double spread;     /* standard deviation of the sections' flows over their mean */
  double share;      /* outlet: share of the outflow that it got by this; 0: not by this */
  char why_not[160]; /* reason where sections is 0 */
} ht_measured_opening;

/* Zeroed: the inflow was not measured. */
typedef struct {
  char source[16]; /* make or format: "Siemens" */
  char kind[8];    /* "plane" or "volume" */
  int directions;  /* 1 or 3 */
  int times;
  double period_s, venc_m_s;
  double voxel_mm[3];              /* of a plane the third is its thickness */
  char description[512];           /* ht_pc_describe: directions, source of their signs, times */
  int is_frame_taken;              /* 1: the case says that the frame of reference is the scan's */
  int64_t noisy, unwrapped, still; /* ht_flow_corrected */
  char notes[1024];                /* on reading and correcting, one per line */
  double mean_ml_s, least_ml_s, most_ml_s; /* of the inflow */
  double noise_ml_s;  /* standard deviation of the noise that was removed from the inflow */
  char profile[16];   /* "measured", where the inlet got that; "": another */
  double misfit;      /* part of the velocities that this profile leaves out: noise */
  double covered;     /* part of the beat that the time points cover */
  double out_over_in; /* measured outflow over inflow; 0: not all outlets were measured */
  char waveform_sha256[HT_HASH_TEXT]; /* of the inflow that it became; "": constant */
  int openings;
  ht_measured_opening opening[HT_OPENINGS_MAX];
} ht_measured_record;

/* Members of the object "measured_flow" of manifest.json; of summary.json the first of them, which
 * become columns of tables. Without `source` there is none. */
extern const ht_member ht_measured_members[], ht_measured_short_members[];

/* Returns 1 where the settings' inflow is the one that was measured, not one given since. */
int ht_measured_is_inflow(const ht_measured_record *of, const ht_case *settings);

/* Prints the line of the summary; nothing where the inflow was not measured. */
void ht_measured_record_print(FILE *stream, const ht_measured_record *of);

#endif
