/* The magnitude of the wall shear stress at moments of a beat, in one byte per point: for a picture
 * that moves, not for numbers. */
#ifndef HT_WALL_MOMENTS_H
#define HT_WALL_MOMENTS_H

#include "core/formats/state_stream.h"
#include "export/wall/wall.h"

enum { HT_MOMENTS_MOST = 25 };

/* The stress at moments; zeroed: none. |tau| = highest_pa (step / 255)^2, to half a step: to 0.4 %
 * of the moment's highest near that, and finer where it is low. */
typedef struct {
  int64_t points;
  int moments, every; /* a moment is each `every`-th sample of the beat */
  double *time_s;     /* [moments] from the start of the beat. Owned */
  float *highest_pa;  /* [moments]. Owned */
  uint8_t *step;      /* [moments][points]. Owned */
} ht_wall_moments;

/* Makes room for `moments` moments, all 0. HT_ERR_MEMORY. */
ht_status ht_wall_moments_alloc(int64_t points, int moments, ht_wall_moments *to);

/* Makes room for a beat of `samples` samples; every sample, or every second, third, ... becomes a
 * moment, at most HT_MOMENTS_MOST. HT_ERR_MEMORY. */
ht_status ht_wall_moments_begin(int64_t points, int samples, ht_wall_moments *to);

/* Keeps sample number `index` of the beat, where it is a moment; of several beats the last stays.
 * `surface` has its load. */
void ht_wall_moments_keep(ht_wall_moments *to, const ht_surface *surface, int index, double time_s);

/* Moves the moments to a stream or from it, into moments begun with the same numbers. The stream's
 * failures. */
ht_status ht_wall_moments_move(ht_wall_moments *to, ht_state *stream);
void ht_wall_moments_free(ht_wall_moments *moments);

#endif
