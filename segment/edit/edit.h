/* Corrects a vessel's mask step by step: paint and erase, cut, fill, smooth, grow into the scan.
 *
 * The mask is a window of an isotropic lattice: that of the mask that the steps begin with. The
 * window grows where a step adds tissue beyond it, up to the border of the scan. A step depends on
 * the mask, the step and the scan alone, not on the window or the number of threads: the same steps
 * give the same mask, bit for bit. */
#ifndef HT_EDIT_H
#define HT_EDIT_H

#include "core/vessel/volume.h"
#include "segment/edit/edit_step.h"
#include "segment/voxels/component.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_grid lattice; /* grid of the first mask; the indices below are its, and may be below 0 */
  ht_box within;   /* indices that a step may reach: centres inside the scan */
  ht_mask mask;    /* the window; owned */
  int first[3];    /* index of its first voxel */
  int64_t voxels;  /* inside */
} ht_edited;

/* Difference that a step made, of which undo and redo are the same: runs of voxels of the box, x
 * fastest, that stayed and that changed in turn. */
typedef struct {
  ht_box box;    /* the smallest with all changed voxels; indices of the lattice */
  uint32_t *run; /* owned; the first run stayed, and may have no voxel */
  int runs;      /* 0: nothing changed */
} ht_edit_delta;

/* Begins with a copy of the mask. `scan`: the grid that limits the mask; NULL: the mask's own.
 * HT_ERR_FORMAT where the mask's voxels are no cubes; HT_ERR_VESSEL: it is empty; HT_ERR_MEMORY.
 * The caller frees with ht_edited_free. */
ht_status ht_edited_begin(const ht_mask *base, const ht_grid *scan, ht_edited *edited);
void ht_edited_free(ht_edited *edited);

/* Does a step. `scan`: for the kind `region`; may be NULL for others. `delta` (the caller frees)
 * may have no run: a step may change nothing. On a failure the mask stays. HT_ERR_USAGE: the step
 * is not as ht_edit_step_check() wants it, lies outside the scan, or would remove all of the mask;
 * HT_ERR_MEMORY. */
ht_status ht_edit_apply(const ht_edit_step *step, const ht_volume *scan, ht_edited *edited,
                        ht_edit_delta *delta);

/* Returns why a step of this kind may change nothing: "the vessel has no cavity". */
const char *ht_edit_nothing(ht_edit_kind kind);

/* Undoes a step that is done, or does one again that was undone. HT_ERR_MEMORY. */
ht_status ht_edit_toggle(const ht_edit_delta *delta, ht_edited *edited);
void ht_edit_delta_free(ht_edit_delta *delta);

/* Makes the mask that the pipeline gets: the box of the first mask, larger where the steps went
 * beyond it, up to two voxels off the vessel or to the scan's border. The caller frees.
 * HT_ERR_MEMORY. */
ht_status ht_edited_result(const ht_edited *edited, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
