/* Velocity encoding of an MR image, by its header. Private to import/. */
#ifndef HT_PC_IMAGE_H
#define HT_PC_IMAGE_H

#include "core/vessel/measured_flow.h"
#include "import/slices/slice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_PC_OTHER, HT_PC_MAGNITUDE, HT_PC_VELOCITY } ht_pc_kind;

/* Meaning of an image's values, after slope and intercept. */
typedef enum {
  HT_PC_UNIT_UNKNOWN,
  HT_PC_UNIT_VELOCITY, /* scale * value + shift is m/s */
  HT_PC_UNIT_PHASE,    /* scale * value + shift is the phase in half turns: times venc m/s */
  HT_PC_UNIT_WEIGHTED, /* scale * value / magnitude is the phase in half turns (GE) */
} ht_pc_unit;

typedef struct {
  const ht_slice *slice; /* borrowed */
  ht_pc_kind kind;
  const char *make;    /* "Siemens", "GE", "Philips", or "DICOM": the standard's attributes alone.
                          Static */
  double direction[3]; /* unit vector, LPS, of positive values; zeros: not given */
  ht_sign_basis sign;
  double venc_m_s; /* 0: not given */
  ht_pc_unit unit;
  double scale, shift;
  double thickness_mm; /* NAN: not given */
  double interval_s;   /* from beat to beat; NAN: not given */
} ht_pc_image;

/* Reads the encodings of `count` images, each file once where its frames follow each other.
 * HT_ERR_FORMAT (a number of the header is none), HT_ERR_MEMORY. */
ht_status ht_pc_images_read(const ht_slice *const *slice, int count, ht_pc_image *image);

/* Reads a direction of the patient from the first two letters of a word: rl, lr, ap, pa, fh, hf;
 * LPS. Returns 0 for any others, and leaves `direction` alone. */
int ht_pc_patient_direction(const char *word, double direction[3]);

#ifdef __cplusplus
}
#endif
#endif
