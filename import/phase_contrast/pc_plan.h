/* Order of phase-contrast images: which image is which direction, time and plane. Private to
 * import/. */
#ifndef HT_PC_PLAN_H
#define HT_PC_PLAN_H

#include "import/common/import_note.h"
#include "import/phase_contrast/pc_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the user knows and the images do not tell. */
typedef struct {
  double venc_m_s;       /* 0: as the images say */
  double period_s;       /* of the beat; 0: as the images say */
  const char *direction; /* of positive values, a word or vector for each series with velocities, in
                            the order of their numbers: "through", "row", "column", "rl", "lr",
                            "ap", "pa", "fh", "hf" or "x y z" (LPS), separated by commas. NULL: as
                            the images say. Borrowed */
  int sign;              /* -1: positive values point against their direction; 1: along it; 0: as
                            the images say. Counts for the directions whose sign is open; for all
                            where none is */
  double along[3];    /* way of the blood in the mean over plane and beat, LPS; zeros: not known */
  int needs_vector;   /* 1: three directions are needed */
  const char *series; /* numbers of the series to take, "3,4,5", those of slice->series_number;
                         where none is of magnitudes, those are looked for in all. NULL: all.
                         Borrowed */
} ht_pc_given;

/* Images by their place in the measurement. */
typedef struct {
  ht_measured_flow flow; /* grid, times, encodings: all but the values. Owned */
  ht_pc_image *image;    /* [count] of the images that may belong to it. Owned */
  int count;
  int *velocity;  /* [times][encodings][nz] number of an image. Owned */
  int *magnitude; /* [times][nz]; NULL: not there for all. Owned */
  int incomplete; /* number of places with a magnitude, where not all have one; else 0 */
} ht_pc_plan;

/* Makes the plan of the slices of a folder (any order, any series). HT_ERR_SERIES where they are no
 * measured flow: no velocities, no venc, no direction, two directions, several acquisitions, images
 * missing; the message has the remedy. HT_ERR_FORMAT, HT_ERR_MEMORY. Free also after a failure. */
ht_status ht_pc_plan_make(const ht_slice *slice, int slices, const ht_pc_given *given,
                          ht_pc_plan *plan);
void ht_pc_plan_free(ht_pc_plan *plan); /* NULL is fine */

/* Reads a direction, "through" or "0 0.6 0.8"; row, column and through need the image's axes.
 * HT_ERR_USAGE. */
ht_status ht_pc_direction_parse(const char *text, const double axes[2][3], double direction[3]);

/* Writes a sentence about the measurement for people: plane or volume, directions with their venc
 * and sign, time points. */
enum { HT_PC_TEXT = 512 };
void ht_pc_describe(const ht_measured_flow *flow, int has_magnitude, char text[HT_PC_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
