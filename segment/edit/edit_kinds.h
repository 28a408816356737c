/* What each kind of step does to a box of the mask. Private to segment/edit/.
 *
 * `work`: the box, whose first voxel has the index first[] of the lattice; changed in place.
 * Lengths are voxels where a name has no unit. */
#ifndef HT_EDIT_KINDS_H
#define HT_EDIT_KINDS_H

#include "core/numbers/vector3.h"
#include "segment/edit/edit_step.h"
#include "segment/voxels/component.h"

typedef struct {
  const ht_edit_step *step;
  const ht_grid *lattice;
  const ht_volume *scan; /* NULL: none */
  int first[3];
} ht_edit_job;

/* Converts a place to indices of the lattice, and a direction to its axes, of length 1. */
static inline void ht_edit_index(const ht_edit_job *job, const double place_mm[3],
                                 double index[3]) {
  ht_grid_index(job->lattice, place_mm, index);
}

static inline void ht_edit_direction(const ht_edit_job *job, double direction[3]) {
  ht_grid_from_lps(job->lattice, job->step->direction, direction);
  ht_normalise(direction);
}

/* Paint and erase. */
void ht_edit_brush(const ht_edit_job *job, ht_mask *work);

/* Finds the box of a brush's places, indices of the lattice. */
ht_box ht_edit_brush_box(const ht_edit_job *job);

/* Cut by a plane, cut by a lasso. HT_ERR_USAGE: what lies behind the plane's disc is connected to
 * what lies before it; HT_ERR_MEMORY. */
ht_status ht_edit_cut(const ht_edit_job *job, ht_mask *work);
ht_status ht_edit_lasso(const ht_edit_job *job, ht_mask *work);

/* Smooth, close, grow and shrink; `work` holds the whole mask with a margin of two radii, less only
 * where the scan ends. Beyond `work` there is neither vessel nor tissue. HT_ERR_MEMORY. */
ht_status ht_edit_smooth(const ht_edit_job *job, ht_mask *work);
ht_status ht_edit_close(const ht_edit_job *job, ht_mask *work);
ht_status ht_edit_grow(const ht_edit_job *job, ht_mask *work);

/* Adds a region of the scan. HT_ERR_USAGE: there is no scan, or the place is not in the range. */
ht_status ht_edit_region(const ht_edit_job *job, ht_mask *work);

/* Adds what lies between sections. HT_ERR_USAGE: a section is empty at its place, or two places lie
 * in one section. HT_ERR_MEMORY. */
ht_status ht_edit_interpolate(const ht_edit_job *job, ht_mask *work);

#endif
