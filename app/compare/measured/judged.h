/* A computed flow and a measured one (phase-contrast MR) of the same vessel beside each other:
 * velocities at the scan's voxels, and flows through sections along the vessel. */
#ifndef HT_JUDGED_H
#define HT_JUDGED_H

#include "app/measure/results.h"
#include "core/numbers/agreement.h"
#include "core/vessel/measured_flow.h"
#include "export/measure/scan_voxels.h"
#include "import/flow_correction/flow_corrected.h"

/* Part of a voxel that has to be blood for its velocity to be compared. */
#define HT_JUDGED_SHARE 0.5

/* Parts of the velocity. With three directions x, y, z (LPS) and the speed; with one the part along
 * that direction alone. */
enum { HT_JUDGED_X, HT_JUDGED_Y, HT_JUDGED_Z, HT_JUDGED_SPEED, HT_JUDGED_ALONG, HT_JUDGED_PARTS };
extern const char *const ht_judged_part_keys[HT_JUDGED_PARTS];  /* "x", ... "along" */
extern const char *const ht_judged_part_words[HT_JUDGED_PARTS]; /* "to the left (x)", ... */

/* What is compared: the means over the beat, or all of the scan's times together. */
enum { HT_JUDGED_MEAN, HT_JUDGED_BEAT, HT_JUDGED_MOMENTS };
extern const char *const ht_judged_moment_keys[HT_JUDGED_MOMENTS];  /* "mean", "beat" */
extern const char *const ht_judged_moment_words[HT_JUDGED_MOMENTS]; /* "mean over the beat", ... */

/* A section of the vessel. Flows are positive in the way that the computed blood takes on average;
 * curves are at the scan's times, and NULL where the case has none. */
typedef struct {
  char name[HT_NAME_MAX]; /* of the opening that it is next to; "" of others */
  double along_mm;        /* on the centreline; NAN: it is not on it */
  double centre_mm[3], normal[3], area_mm2;
  double diameter_voxels;              /* its diameter in voxels of the scan */
  int piece;                           /* number of its unbranched piece, from 1; 0: in none */
  double measured_ml_s, computed_ml_s; /* mean over the beat */
  double *measured_at_ml_s;            /* [measured.times]. Owned */
  double *computed_at_ml_s;            /* [measured.times]. Owned; NULL: not known */
} ht_judged_section;

/* A piece of the centreline without branches: the computed flow is the same in each section. */
typedef struct {
  int sections;
  double from_mm, to_mm;
  double measured_ml_s, computed_ml_s; /* means of the sections */
  double measured_spread_percent;      /* standard deviation of the sections over their mean */
  double computed_spread_percent;
} ht_judged_piece;

enum { HT_JUDGED_SECTIONS_MAX = 48, HT_JUDGED_PIECES_MAX = 16 };

/* All is owned. */
typedef struct {
  ht_results results;
  ht_measured_flow measured; /* corrected */
  ht_flow_corrected corrected;
  ht_scan_voxels voxels;
  int parts;      /* 1: along the direction; 3: x, y, z */
  int times;      /* of the scan, whose velocities are compared; 0: their mean alone */
  int sign_taken; /* 1: the images leave the sign open, and it is that of the computed flow */
  double delay_s; /* of the computed beat's start after the R wave, as given */
  double best_delay_s, best_correlation; /* ht_judge_delay; NAN: not known */
  double *weight;   /* [measured.times] part of the beat that each time stands for */
  double tissue;    /* signal of still tissue as a part of that of blood */
  int64_t compared; /* voxels */
  int64_t noisy;    /* voxels in the vessel that are left out as noise */
  int64_t *entry;   /* [compared] in `voxels` */
  /* [1 + times][compared][parts] m/s, the mean first. */
  float *measured_m_s, *computed_m_s;
  ht_agreement velocity[HT_JUDGED_MOMENTS][HT_JUDGED_PARTS]; /* x computed, y measured; m/s */
  int sections, left_out; /* left_out: of them the scan has only a part */
  ht_judged_section section[HT_JUDGED_SECTIONS_MAX];
  ht_agreement flow[HT_JUDGED_MOMENTS]; /* mL/s */
  int pieces;
  ht_judged_piece piece[HT_JUDGED_PIECES_MAX];
} ht_judged;

void ht_judged_free(ht_judged *judged);

/* Returns 1 where a part of the velocity is compared. */
int ht_judged_has_part(const ht_judged *judged, int part);

/* Returns a part of a velocity of one of the arrays [.][compared][parts]. */
double ht_judged_value(const ht_judged *judged, const float *values, int moment, int64_t n,
                       int part);

/* Returns the part of a voxel's signal that is the blood's, of voxel i of `voxels`: still tissue in
 * it lowers the velocity that is measured by this factor. */
double ht_judged_blood(const ht_judged *judged, int64_t i);

/* Compares the velocities: results, measured and corrected are there, the rest is filled. Where the
 * sign of all measured directions is open, it is that with which the blood flows as computed.
 * HT_ERR_VESSEL: the scan misses the vessel, with the nearest distance, or its voxels are too large
 * for it; HT_ERR_CASE: the mask was edited since; HT_ERR_FORMAT: the samples of the beat cannot be
 * read; HT_ERR_MEMORY. */
ht_status ht_judge_velocities(ht_judged *judged);

/* Compares the flows through sections: of a volume along the vessel's centreline and next to its
 * openings, of a plane the vessel's sections in it. Leaves out sections that the scan has only a
 * part of. HT_ERR_MEMORY. */
ht_status ht_judge_flows(ht_judged *judged);

/* Lists the flows through the sections of a moment, mL/s, for which the case has them. Returns
 * their number, at most sections * measured.times. */
int ht_judged_flows(const ht_judged *judged, int moment, double *computed, double *measured);

/* Returns the time of the fastest flow as a moment of the arrays: 1 + its number; 0: the mean. */
int ht_judged_peak(const ht_judged *judged);

#endif
