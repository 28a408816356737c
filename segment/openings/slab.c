#include "segment/openings/slab.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RIM = 2 }; /* pixels: a voxel */

/* All in voxel indices of the mask. */
typedef struct {
  const ht_mask *mask;
  double base[3], step[2][3]; /* of the sheet where the slab is */
  double normal[3], along[3]; /* unit */
  int low[2], size[2];
  uint8_t *over; /* [size[1]][size[0]] the section and its rim */
  int64_t room;
  ht_slab *slab;
} search;

static ht_status widen_section(const ht_section *section, search *of) {
  for (int k = 0; k < 2; k++) {
    of->low[k] = section->low[k] - RIM;
    of->size[k] = section->size[k] + 2 * RIM;
  }
  HT_TRY(ht_alloc((void **)&of->over, (size_t)of->size[0] * (size_t)of->size[1], 1, "a section"));
  for (int j = 0; j < section->size[1]; j++)
    for (int i = 0; i < section->size[0]; i++) {
      if (!section->inside[i + (int64_t)j * section->size[0]]) continue;
      for (int dj = 0; dj <= 2 * RIM; dj++)
        memset(of->over + i + (int64_t)(j + dj) * of->size[0], 1, 2 * RIM + 1);
    }
  return HT_OK;
}

static double weight_at(double distance) {
  double share = fabs(distance) / HT_SLAB_REACH;
  return share < 1 ? (1 + cos(HT_PI * share)) / (2 * HT_SLAB_REACH) : 0;
}

/* Tells whether the voxel at `from` (from the sheet's base) lies over the section, along the
 * vessel. */
static int is_over(const search *of, const double from[3], double distance) {
  double back = distance / ht_dot(of->normal, of->along), foot[3];
  int pixel[2];
  for (int a = 0; a < 3; a++) foot[a] = from[a] - back * of->along[a];
  for (int k = 0; k < 2; k++) {
    double at = ht_dot(foot, of->step[k]) / ht_dot(of->step[k], of->step[k]);
    pixel[k] = (int)lround(at) - of->low[k];
    if (pixel[k] < 0 || pixel[k] >= of->size[k]) return 0;
  }
  return of->over[pixel[0] + (int64_t)pixel[1] * of->size[0]];
}

static ht_status add(search *of, int64_t voxel, double weight_mm2) {
  ht_slab *slab = of->slab;
  if (slab->count == of->room) {
    int64_t room = 2 * of->room + 1024;
    int64_t *voxels = realloc(slab->voxel, (size_t)room * sizeof *voxels);
    if (voxels) slab->voxel = voxels;
    float *weights = realloc(slab->weight_mm2, (size_t)room * sizeof *weights);
    if (weights) slab->weight_mm2 = weights;
    if (!voxels || !weights) return ht_fail(HT_ERR_MEMORY, "not enough memory for a section");
    of->room = room;
  }
  slab->voxel[slab->count] = voxel;
  slab->weight_mm2[slab->count++] = (float)weight_mm2;
  return HT_OK;
}

static ht_status take(search *of, const int place[3]) {
  const ht_grid *grid = &of->mask->grid;
  double from[3];
  if (!ht_voxel_in_grid(grid->dim, place)) return HT_OK;
  int64_t voxel = ht_voxel_index(grid->dim, place);
  if (!of->mask->inside[voxel]) return HT_OK;
  for (int a = 0; a < 3; a++) from[a] = place[a] - of->base[a];
  double distance = ht_dot(from, of->normal), weight = weight_at(distance);
  if (!(weight > 0) || !is_over(of, from, distance)) return HT_OK;
  return add(of, voxel, weight * grid->spacing_mm[0] * grid->spacing_mm[0]);
}

/* The box around the slab: low and high voxels of each axis. */
static void find_box(const search *of, int low[3], int high[3]) {
  double lean = 1 / fabs(ht_dot(of->normal, of->along));
  for (int a = 0; a < 3; a++) {
    double least = INFINITY, most = -INFINITY;
    for (int c = 0; c < 4; c++) {
      double at = of->base[a];
      for (int k = 0; k < 2; k++)
        at += (of->low[k] + (c >> k & 1) * (of->size[k] - 1)) * of->step[k][a];
      least = fmin(least, at), most = fmax(most, at);
    }
    low[a] = (int)floor(least - HT_SLAB_REACH * lean);
    high[a] = (int)ceil(most + HT_SLAB_REACH * lean);
  }
}

/* Columns of voxels along the axis that the normal is nearest to: a few voxels of each. */
static ht_status fill(search *of) {
  int low[3], high[3], axis = 0, place[3];
  find_box(of, low, high);
  for (int a = 1; a < 3; a++)
    if (fabs(of->normal[a]) > fabs(of->normal[axis])) axis = a;
  int b = (axis + 1) % 3, c = (axis + 2) % 3;
  double reach = HT_SLAB_REACH / fabs(of->normal[axis]);
  for (place[b] = low[b]; place[b] <= high[b]; place[b]++)
    for (place[c] = low[c]; place[c] <= high[c]; place[c]++) {
      double beside =
          of->normal[b] * (place[b] - of->base[b]) + of->normal[c] * (place[c] - of->base[c]);
      double middle = of->base[axis] - beside / of->normal[axis];
      int last = (int)floor(middle + reach);
      for (place[axis] = (int)ceil(middle - reach); place[axis] <= last; place[axis]++)
        HT_TRY(take(of, place));
    }
  return HT_OK;
}

ht_status ht_slab_find(const ht_mask *mask, const ht_sheet *sheet, const ht_section *section,
                       const double along[3], double shift_mm, ht_slab *slab) {
  search of = {.mask = mask, .slab = slab};
  memset(slab, 0, sizeof *slab);
  memcpy(of.step, sheet->step, sizeof of.step);
  ht_grid_from_lps(&mask->grid, along, of.along);
  for (int a = 0; a < 3; a++)
    of.base[a] = sheet->base[a] + shift_mm / mask->grid.spacing_mm[0] * of.along[a];
  ht_cross(of.step[0], of.step[1], of.normal);
  ht_normalise(of.normal);
  if (ht_dot(of.normal, of.along) == 0) return HT_OK;
  ht_status status = widen_section(section, &of);
  if (status == HT_OK) status = fill(&of);
  free(of.over);
  if (status != HT_OK) ht_slab_free(slab);
  return status;
}

void ht_slab_free(ht_slab *slab) {
  free(slab->voxel);
  free(slab->weight_mm2);
  memset(slab, 0, sizeof *slab);
}
