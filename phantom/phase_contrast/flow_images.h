/* Phase-contrast MR of a phantom's flow, as scanners of several makes store it: the tests' truth
 * for the reader of measured flow. */
#ifndef HT_PHANTOM_FLOW_IMAGES_H
#define HT_PHANTOM_FLOW_IMAGES_H

#include "core/vessel/measured_flow.h"
#include "phantom/phantom.h"
#include "phantom/phase_contrast/vessel_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_PC_SIEMENS,          /* classic; velocity as phase, its encoding in a private text */
  HT_PC_SIEMENS_XA,       /* enhanced, one object per component; velocity as phase */
  HT_PC_GE,               /* classic; velocity in mm/s */
  HT_PC_GE_WEIGHTED,      /* classic; velocity times magnitude */
  HT_PC_PHILIPS,          /* classic; velocity in cm/s */
  HT_PC_PHILIPS_ENHANCED, /* magnitude and velocities in one object */
  HT_PC_STANDARD, /* enhanced; only the standard's attributes, with a Real World Value Mapping */
  HT_PC_CONVENTIONS
} ht_pc_convention;

enum { HT_PC_ORIENTATIONS = 48 };

typedef struct {
  int is_plane;         /* 1: one plane across the parent vessel, its part through the plane only;
                           0: a volume with three directions */
  double plane_percent; /* place of the plane: ht_vessel_station_at */
  double venc_m_s;      /* in whole cm/s; below the peak velocity it wraps. 0: 1.1 times the peak */
  double noise;         /* standard deviation of the blood's velocity, as a fraction of venc */
  double offset;        /* phase offset at an image's corner, as a fraction of venc */
  int orientation;      /* 0 to 47: which way the image's axes run, and in which order; of a plane,
                           whose third axis stays across the vessel, 16 differ */
  int patient;          /* 0 to 47: the patient, and the vessel, turned or mirrored */
  int times;            /* time points of the beat */
  double voxels_across; /* voxels across the vessel at the plane, or at its inlet */
  uint64_t seed;        /* of the noise */
} ht_pc_options;

/* The images before they are stored, with the truth. */
typedef struct {
  ht_measured_flow measured;
  ht_vessel_station station; /* of the plane; of a volume its inlet. Flow: mean over the beat */
  double *flow_ml_s;         /* [times] true flow there, mean over the time point. Owned */
} ht_pc_phantom;

/* Words for the conventions, NULL after the last: "siemens", "siemens-xa", ... */
extern const char *const ht_pc_convention_words[];

void ht_pc_defaults(ht_pc_options *options);

/* Makes the images of a phantom: complex signal of blood, still tissue and air in each voxel, with
 * partial volume, noise and offset. HT_ERR_USAGE: an option out of range, or a kind whose flow has
 * no closed form; HT_ERR_MEMORY. The caller frees. */
ht_status ht_pc_make(const ht_phantom_options *phantom, const ht_pc_options *options,
                     ht_pc_phantom *made);
void ht_pc_free(ht_pc_phantom *made);

/* Finds the true velocity of the mean flow at a position of the turned patient, LPS, m/s; 0 outside
 * the vessel. */
int ht_pc_truth(const ht_vessel_flow *flow, int patient, const double position_mm[3],
                double m_s[3]);

/* Writes the images as DICOM files slice-0001.dcm, ... into a folder, which is made; at most 9999.
 * `turn`: any number; where a convention leaves the sign of a direction open, it decides the stored
 * one. Fills level_m_s of the encodings. HT_ERR_WRITE, HT_ERR_USAGE (too many images),
 * HT_ERR_MEMORY. */
ht_status ht_pc_write(const char *folder, ht_measured_flow *flow, ht_pc_convention convention,
                      int turn);

#ifdef __cplusplus
}
#endif
#endif
