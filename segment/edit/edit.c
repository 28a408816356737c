#include "segment/edit/edit.h"
#include "segment/edit/edit_kinds.h"
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 2 /* voxels around the vessel in the result, as the segmentation leaves */ };

/* ---- the window ---- */

static ht_box window_of(const ht_edited *edited) {
  ht_box box;
  for (int a = 0; a < 3; a++) {
    box.first[a] = edited->first[a];
    box.last[a] = edited->first[a] + edited->mask.grid.dim[a] - 1;
  }
  return box;
}

static ht_box common(const ht_box *one, const ht_box *other) {
  ht_box box;
  for (int a = 0; a < 3; a++) {
    box.first[a] = one->first[a] > other->first[a] ? one->first[a] : other->first[a];
    box.last[a] = one->last[a] < other->last[a] ? one->last[a] : other->last[a];
  }
  return box;
}

static ht_box hull(const ht_box *one, const ht_box *other) {
  ht_box box;
  for (int a = 0; a < 3; a++) {
    box.first[a] = one->first[a] < other->first[a] ? one->first[a] : other->first[a];
    box.last[a] = one->last[a] > other->last[a] ? one->last[a] : other->last[a];
  }
  return box;
}

static int is_empty(const ht_box *box) {
  return box->first[0] > box->last[0] || box->first[1] > box->last[1] ||
         box->first[2] > box->last[2];
}

static ht_box moved(const ht_box *box, const int by[3], int sign) {
  ht_box to = *box;
  for (int a = 0; a < 3; a++) {
    to.first[a] += sign * by[a];
    to.last[a] += sign * by[a];
  }
  return to;
}

/* Copies a box (indices of the lattice) of the window; what lies beyond is empty. */
static ht_status copy_of(const ht_edited *edited, const ht_box *box, ht_mask *copy) {
  const ht_box local = moved(box, edited->first, -1);
  HT_TRY(ht_mask_crop(&edited->mask, &local, copy));
  copy->grid = ht_box_grid(&edited->lattice, box); /* not by way of the window */
  return HT_OK;
}

/* Makes the window larger, so that it has the box. */
static ht_status reach(ht_edited *edited, const ht_box *box) {
  const ht_box now = window_of(edited), both = hull(&now, box);
  ht_mask larger;
  if (memcmp(&now, &both, sizeof now) == 0) return HT_OK;
  HT_TRY(copy_of(edited, &both, &larger));
  ht_mask_free(&edited->mask);
  edited->mask = larger;
  memcpy(edited->first, both.first, sizeof edited->first);
  return HT_OK;
}

/* Finds the indices of the lattice whose centres lie inside the scan. */
static ht_box inside_scan(const ht_grid *lattice, const ht_grid *scan) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  ht_box box;
  for (int corner = 0; corner < 8; corner++) {
    double index[3], place[3];
    for (int a = 0; a < 3; a++) index[a] = corner >> a & 1 ? scan->dim[a] - 0.5 : -0.5;
    ht_grid_position(scan, index, place);
    ht_grid_index(lattice, place, index);
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], index[a]);
      high[a] = fmax(high[a], index[a]);
    }
  }
  for (int a = 0; a < 3; a++) {
    box.first[a] = (int)ceil(low[a] - 1e-6);
    box.last[a] = (int)floor(high[a] + 1e-6);
  }
  return box;
}

ht_status ht_edited_begin(const ht_mask *base, const ht_grid *scan, ht_edited *edited) {
  memset(edited, 0, sizeof *edited);
  if (!ht_grid_is_isotropic(&base->grid))
    return ht_fail(HT_ERR_FORMAT,
                   "the mask has voxels of %.4g x %.4g x %.4g mm: a mask is corrected on a lattice "
                   "of cubes, as `hemotile segment` makes it",
                   base->grid.spacing_mm[0], base->grid.spacing_mm[1], base->grid.spacing_mm[2]);
  edited->lattice = base->grid;
  edited->voxels = ht_mask_count(base);
  if (edited->voxels == 0) return ht_fail(HT_ERR_VESSEL, "the mask to correct is empty");
  const ht_box whole = {{0}, {base->grid.dim[0] - 1, base->grid.dim[1] - 1, base->grid.dim[2] - 1}};
  edited->within = whole;
  if (scan) {
    const ht_box box = inside_scan(&base->grid, scan);
    edited->within = hull(&whole, &box);
  }
  HT_TRY(ht_mask_crop(base, &whole, &edited->mask));
  const int64_t count = ht_grid_voxels(&base->grid);
  for (int64_t v = 0; v < count; v++) edited->mask.inside[v] = edited->mask.inside[v] != 0;
  return HT_OK;
}

void ht_edited_free(ht_edited *edited) {
  if (!edited) return;
  ht_mask_free(&edited->mask);
  memset(edited, 0, sizeof *edited);
}

/* ---- differences ---- */

/* Finds the smallest box of the voxels in which two masks of one size differ; returns 0: none. */
static int differing_box(const ht_mask *before, const ht_mask *after, ht_box *box) {
  const int *dim = before->grid.dim;
  int any = 0;
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++) {
      const int64_t row = dim[0] * (y + (int64_t)dim[1] * z);
      const uint8_t *one = before->inside + row, *other = after->inside + row;
      int x0 = 0, x1 = dim[0] - 1;
      if (memcmp(one, other, (size_t)dim[0]) == 0) continue;
      while (one[x0] == other[x0]) x0++;
      while (one[x1] == other[x1]) x1--;
      const ht_box here = {{x0, y, z}, {x1, y, z}};
      *box = any ? hull(box, &here) : here;
      any = 1;
    }
  return any;
}

/* Writes the runs of the box to run[] where that is not NULL; returns their number. */
static int64_t list_runs(const ht_mask *before, const ht_mask *after, const ht_box *box,
                         uint32_t *run) {
  const int *dim = before->grid.dim;
  int64_t runs = 0;
  uint32_t length = 0;
  int changed = 0;
  for (int z = box->first[2]; z <= box->last[2]; z++)
    for (int y = box->first[1]; y <= box->last[1]; y++) {
      const int64_t row = dim[0] * (y + (int64_t)dim[1] * z);
      for (int x = box->first[0]; x <= box->last[0]; x++, length++) {
        if ((before->inside[row + x] != after->inside[row + x]) == changed) continue;
        if (run) run[runs] = length;
        runs++;
        length = 0;
        changed = !changed;
      }
    }
  if (run) run[runs] = length;
  return runs + 1;
}

static ht_status delta_of(const ht_mask *before, const ht_mask *after, const int first[3],
                          ht_edit_delta *delta) {
  ht_box box;
  memset(delta, 0, sizeof *delta);
  if (!differing_box(before, after, &box)) return HT_OK;
  const int64_t runs = list_runs(before, after, &box, NULL);
  if (ht_grid_voxels(&before->grid) > UINT32_MAX || runs > INT32_MAX)
    return ht_fail(HT_ERR_MEMORY, "the step changes too much to be undone: %lld runs of voxels",
                   (long long)runs);
  HT_TRY(ht_alloc((void **)&delta->run, (size_t)runs, sizeof *delta->run, "the step's undo"));
  list_runs(before, after, &box, delta->run);
  delta->runs = (int)runs;
  delta->box = moved(&box, first, 1);
  return HT_OK;
}

void ht_edit_delta_free(ht_edit_delta *delta) {
  free(delta->run);
  memset(delta, 0, sizeof *delta);
}

/* Toggles `count` voxels from number `at` of the box on, which the window has. Returns by how many
 * the mask grew. */
static int64_t toggle_run(ht_edited *edited, const ht_box *local, int64_t at, int64_t count) {
  const int *dim = edited->mask.grid.dim;
  const int64_t width = local->last[0] - local->first[0] + 1,
                height = local->last[1] - local->first[1] + 1;
  int64_t grown = 0;
  while (count > 0) {
    const int64_t row = at / width, x = at % width, length = count < width - x ? count : width - x;
    uint8_t *inside = edited->mask.inside + local->first[0] + x +
                      dim[0] * (local->first[1] + row % height +
                                (int64_t)dim[1] * (local->first[2] + row / height));
    for (int64_t i = 0; i < length; i++) {
      inside[i] = !inside[i];
      grown += inside[i] ? 1 : -1;
    }
    at += length;
    count -= length;
  }
  return grown;
}

ht_status ht_edit_toggle(const ht_edit_delta *delta, ht_edited *edited) {
  if (delta->runs == 0) return HT_OK;
  HT_TRY(reach(edited, &delta->box));
  const ht_box local = moved(&delta->box, edited->first, -1);
  int64_t at = 0;
  for (int r = 0; r < delta->runs; r++) {
    if (r % 2) edited->voxels += toggle_run(edited, &local, at, delta->run[r]);
    at += delta->run[r];
  }
  return HT_OK;
}

/* ---- the steps ---- */

static ht_box grown(const ht_box *box, int by) {
  ht_box to = *box;
  for (int a = 0; a < 3; a++) {
    to.first[a] -= by;
    to.last[a] += by;
  }
  return to;
}

static ht_box box_of_mask(const ht_edited *edited) {
  const ht_box local = ht_box_of_mask(&edited->mask);
  return moved(&local, edited->first, 1);
}

/* Finds the ball of the region's reach. */
static ht_box box_of_reach(const ht_edit_job *job) {
  const double reach_voxels = job->step->radius_mm / job->lattice->spacing_mm[0];
  double at[3];
  ht_box box;
  ht_edit_index(job, job->step->place_mm[0], at);
  for (int a = 0; a < 3; a++) {
    box.first[a] = (int)floor(at[a] - reach_voxels);
    box.last[a] = (int)ceil(at[a] + reach_voxels);
  }
  return box;
}

/* Finds the box that the step may change, or has to see. */
static ht_box box_of_step(const ht_edit_job *job, const ht_edited *edited) {
  const ht_edit_step *step = job->step;
  const ht_box window = window_of(edited);
  const int radius = (int)ceil(step->radius_mm / job->lattice->spacing_mm[0]);
  ht_box box;
  switch (step->kind) {
  case HT_EDIT_PAINT:
    box = ht_edit_brush_box(job);
    return common(&box, &edited->within);
  case HT_EDIT_ERASE:
    box = ht_edit_brush_box(job);
    return common(&box, &window);
  case HT_EDIT_REGION:
    box = box_of_reach(job);
    return common(&box, &edited->within);
  case HT_EDIT_CUT:
  case HT_EDIT_LASSO:
  case HT_EDIT_ISLANDS:
    return box_of_mask(edited);
  default:
    break;
  }
  box = box_of_mask(edited);
  box = grown(&box, 2 * radius + 2);
  return common(&box, &edited->within);
}

static ht_status keep_piece(const ht_edit_job *job, ht_mask *work) {
  return ht_mask_keep_piece(work, job->step->has_keep ? job->step->keep_mm : NULL, NULL, NULL);
}

static ht_status do_step(const ht_edit_job *job, ht_mask *work) {
  switch (job->step->kind) {
  case HT_EDIT_PAINT:
  case HT_EDIT_ERASE:
    ht_edit_brush(job, work);
    return HT_OK;
  case HT_EDIT_CUT:
    HT_TRY(ht_edit_cut(job, work));
    return job->step->has_keep ? keep_piece(job, work) : HT_OK;
  case HT_EDIT_LASSO:
    return ht_edit_lasso(job, work);
  case HT_EDIT_FILL:
    return ht_mask_fill_cavities(work);
  case HT_EDIT_SMOOTH:
    return ht_edit_smooth(job, work);
  case HT_EDIT_CLOSE:
    return ht_edit_close(job, work);
  case HT_EDIT_GROW:
  case HT_EDIT_SHRINK:
    return ht_edit_grow(job, work);
  case HT_EDIT_ISLANDS:
    return keep_piece(job, work);
  case HT_EDIT_REGION:
    return ht_edit_region(job, work);
  case HT_EDIT_INTERPOLATE:
    return ht_edit_interpolate(job, work);
  default:
    return ht_fail(HT_ERR_INTERNAL, "a kind of step without its function");
  }
}

const char *ht_edit_nothing(ht_edit_kind kind) {
  static const char *const why[HT_EDIT_KINDS] = {
      [HT_EDIT_PAINT] = "what it covers is vessel already",
      [HT_EDIT_ERASE] = "no vessel lies there",
      [HT_EDIT_CUT] = "no vessel lies on the side that goes",
      [HT_EDIT_LASSO] = "the line covers no vessel",
      [HT_EDIT_FILL] = "the vessel has no cavity",
      [HT_EDIT_SMOOTH] = "each voxel is as most of the ball around it",
      [HT_EDIT_CLOSE] = "no gap is narrower than twice the radius",
      [HT_EDIT_GROW] = "no voxel of the scan lies so near outside the wall",
      [HT_EDIT_SHRINK] = "no voxel lies so near inside the wall",
      [HT_EDIT_ISLANDS] = "the vessel is one piece",
      [HT_EDIT_REGION] =
          "nothing that is connected to the place, within the reach and in the range "
          "of intensities, is not vessel already",
      [HT_EDIT_INTERPOLATE] = "what lies between the sections is vessel already",
  };
  return why[kind];
}

/* Puts the step's difference into the mask. */
static ht_status take(const ht_edit_step *step, ht_edit_delta *delta, ht_edited *edited) {
  HT_TRY(ht_edit_toggle(delta, edited));
  if (edited->voxels > 0) return HT_OK;
  HT_TRY(ht_edit_toggle(delta, edited));
  return ht_fail(HT_ERR_USAGE, "step '%s' would remove all of the vessel: it is not done",
                 ht_edit_words[step->kind]);
}

ht_status ht_edit_apply(const ht_edit_step *step, const ht_volume *scan, ht_edited *edited,
                        ht_edit_delta *delta) {
  ht_edit_job job = {.step = step, .lattice = &edited->lattice, .scan = scan};
  ht_mask before = {0}, work = {0};
  memset(delta, 0, sizeof *delta);
  HT_TRY(ht_edit_step_check(step));
  const ht_box box = box_of_step(&job, edited);
  if (is_empty(&box)) {
    if (step->kind == HT_EDIT_ERASE) return HT_OK;
    return ht_fail(HT_ERR_USAGE, "step '%s' lies outside the scan", ht_edit_words[step->kind]);
  }
  memcpy(job.first, box.first, sizeof job.first);
  ht_status status = copy_of(edited, &box, &before);
  if (status == HT_OK) status = copy_of(edited, &box, &work);
  if (status == HT_OK) status = do_step(&job, &work);
  if (status == HT_OK) status = delta_of(&before, &work, box.first, delta);
  ht_mask_free(&before);
  ht_mask_free(&work);
  if (status == HT_OK) status = take(step, delta, edited);
  if (status != HT_OK) ht_edit_delta_free(delta);
  return status;
}

ht_status ht_edited_result(const ht_edited *edited, ht_mask *mask) {
  const ht_box vessel = box_of_mask(edited), near = grown(&vessel, MARGIN),
               needed = common(&near, &edited->within);
  const ht_box base = {
      {0}, {edited->lattice.dim[0] - 1, edited->lattice.dim[1] - 1, edited->lattice.dim[2] - 1}};
  const ht_box box = hull(&base, &needed);
  return copy_of(edited, &box, mask);
}
