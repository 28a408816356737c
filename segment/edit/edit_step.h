/* One step of the correction of a mask. Places are LPS, lengths mm: a step means the same tissue on
 * every grid. */
#ifndef HT_EDIT_STEP_H
#define HT_EDIT_STEP_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_EDIT_PAINT,       /* adds what lies within radius_mm of the line through the places */
  HT_EDIT_ERASE,       /* removes it */
  HT_EDIT_CUT,         /* keeps the side of the plane that `direction` points to; with a radius_mm
                          removes only what hangs on the other side of that disc */
  HT_EDIT_LASSO,       /* removes what a polygon covers, seen along `direction` */
  HT_EDIT_FILL,        /* fills cavities */
  HT_EDIT_SMOOTH,      /* majority of the ball of radius_mm around each voxel */
  HT_EDIT_CLOSE,       /* closes gaps narrower than twice radius_mm */
  HT_EDIT_GROW,        /* adds what is within radius_mm of the mask */
  HT_EDIT_SHRINK,      /* removes what is within radius_mm of the outside */
  HT_EDIT_ISLANDS,     /* keeps one piece */
  HT_EDIT_REGION,      /* adds what is connected to a place and has an intensity in a range */
  HT_EDIT_INTERPOLATE, /* adds what lies between sections of the mask */
  HT_EDIT_KINDS,
} ht_edit_kind;

/* Words of the kinds, as in the file of the steps; ends with NULL. */
extern const char *const ht_edit_words[];

enum { HT_EDIT_PLACES_MAX = 10000 };

typedef struct {
  ht_edit_kind kind;
  /* Places of a brush, in order; corners of a lasso (at least 3); one point of the plane of a cut;
   * where a region begins; one place in each section to interpolate between (at least 2). Owned
   * [places][3]; free with ht_edit_step_free. */
  double (*place_mm)[3];
  int places;
  double radius_mm; /* of the brush, ball or disc, or reach of the region; 0 of a cut: no limit */
  /* Direction, of any length: normal of the brush's disc (not given: it is a ball), of the cut or
   * of the sections; line of sight of a lasso. */
  int has_direction;
  double direction[3];
  double thickness_mm; /* of a disc; 0: a voxel */
  int has_keep;        /* of a cut or islands: keep only the piece at or nearest to keep_mm */
  double keep_mm[3];
  double lower, upper; /* intensities of a region, the scan's unit */
} ht_edit_step;

/* Ranges of the numbers. */
typedef struct {
  ht_range position_mm, radius_mm, thickness_mm, intensity;
} ht_edit_ranges;
extern const ht_edit_ranges ht_edit_allowed;

/* Checks that the step has what its kind needs, and nothing that its kind does not use, each in its
 * range. HT_ERR_USAGE. */
ht_status ht_edit_step_check(const ht_edit_step *step);

void ht_edit_step_free(ht_edit_step *step);

#ifdef __cplusplus
}
#endif
#endif
