#include "import/common/hollow.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN = 1, ENCLOSED = 2, DONE = 3 };

/* Most voxels looked at one by one; a finer mask is looked at in blocks. */
static const double most_voxels = 4e6;

/* The box around the mask, with an empty layer around it and a layer around that which is OPEN: a
 * voxel's neighbours are always there. */
typedef struct {
  double mm[3];          /* size of a voxel */
  unsigned char *inside; /* [voxels] */
  unsigned char *state;  /* [voxels] of those outside the mask: 0, or one of the above */
  int64_t *stack;        /* [voxels] */
  int axis;              /* the slices' normal */
  int dim[3];
  int64_t step[3], voxels; /* from a voxel to the next along each axis */
} search;

/* Puts a voxel onto the stack where it is outside the mask and in state `from`. */
static int64_t push(search *of, int64_t voxel, unsigned char from, unsigned char to, int64_t top) {
  if (of->inside[voxel] || of->state[voxel] != from) return top;
  of->state[voxel] = to;
  of->stack[top] = voxel;
  return top + 1;
}

/* Pushes a voxel's neighbours along the axes, except the one that is left out. */
static int64_t push_neighbours(search *of, int64_t voxel, int left_out, unsigned char from,
                               unsigned char to, int64_t top) {
  for (int a = 0; a < 3; a++) {
    if (a == left_out) continue;
    top = push(of, voxel - of->step[a], from, to, top);
    top = push(of, voxel + of->step[a], from, to, top);
  }
  return top;
}

static void open_border(search *of) {
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    for (int j = 0; j < of->dim[b]; j++)
      for (int k = 0; k < of->dim[c]; k++) {
        int64_t at = j * of->step[b] + k * of->step[c];
        of->state[at] = of->state[at + (of->dim[a] - 1) * of->step[a]] = OPEN;
      }
  }
}

/* Opens what is joined within its slice to the empty layer: it lies around the vessel. */
static void open_slices(search *of) {
  int64_t corner = of->step[0] + of->step[1] + of->step[2] - of->step[of->axis];
  for (int s = 1; s + 1 < of->dim[of->axis]; s++) {
    int64_t top = push(of, corner + s * of->step[of->axis], 0, OPEN, 0);
    while (top > 0) {
      int64_t voxel = of->stack[--top];
      top = push_neighbours(of, voxel, of->axis, 0, OPEN, top);
    }
  }
  for (int64_t v = 0; v < of->voxels; v++)
    if (!of->inside[v] && of->state[v] == 0) of->state[v] = ENCLOSED;
}

/* Volume of the enclosed piece with this voxel, mL; *slenderness: its length across the slices over
 * its mean width in them. */
static double measure(search *of, int64_t seed, double *slenderness) {
  const double *mm = of->mm;
  int first = of->dim[of->axis], last = 0;
  int64_t count = 0, top = push(of, seed, ENCLOSED, DONE, 0);
  while (top > 0) {
    int64_t voxel = of->stack[--top];
    int slice = (int)(voxel / of->step[of->axis] % of->dim[of->axis]);
    first = slice < first ? slice : first;
    last = slice > last ? slice : last;
    count++;
    top = push_neighbours(of, voxel, -1, ENCLOSED, DONE, top);
  }
  double length = (last - first + 1) * mm[of->axis], mm3 = (double)count * mm[0] * mm[1] * mm[2];
  *slenderness = length / (2 * sqrt(mm3 / length / HT_PI));
  return mm3 / 1000;
}

static ht_status check_axis(const char *path, search *of, double wall_ml) {
  memset(of->state, 0, (size_t)of->voxels);
  open_border(of);
  open_slices(of);
  for (int64_t v = 0; v < of->voxels; v++) {
    double slenderness;
    if (of->inside[v] || of->state[v] != ENCLOSED) continue;
    double ml = measure(of, v, &slenderness);
    if (ml < 0.2 * wall_ml || slenderness < 2) continue;
    return ht_fail(
        HT_ERR_VESSEL,
        "%s: the vessel is hollow: %.3g mL of wall around a lumen of %.3g mL, as a model "
        "for printing has, and the blood would flow in the wall: give the lumen alone "
        "(the inner surface, closed at its ends; of a mask fill the inside, without "
        "the wall)",
        path, wall_ml, ml);
  }
  return HT_OK;
}

static void find_box(const ht_mask *mask, int low[3], int high[3]) {
  const int *dim = mask->grid.dim;
  int64_t v = 0;
  for (int a = 0; a < 3; a++) low[a] = dim[a], high[a] = -1;
  for (int k = 0; k < dim[2]; k++)
    for (int j = 0; j < dim[1]; j++)
      for (int i = 0; i < dim[0]; i++, v++) {
        const int at[3] = {i, j, k};
        for (int a = 0; mask->inside[v] && a < 3; a++) {
          low[a] = at[a] < low[a] ? at[a] : low[a];
          high[a] = at[a] > high[a] ? at[a] : high[a];
        }
      }
}

/* A block is vessel where one of its voxels is. */
static void copy_box(const ht_mask *mask, const int low[3], const int high[3], int block,
                     search *of) {
  const int *dim = mask->grid.dim;
  for (int k = low[2]; k <= high[2]; k++)
    for (int j = low[1]; j <= high[1]; j++) {
      const unsigned char *from = mask->inside + ((int64_t)k * dim[1] + j) * dim[0];
      unsigned char *to = of->inside + (2 + (k - low[2]) / block) * of->step[2] +
                          (2 + (j - low[1]) / block) * of->step[1] + 2;
      for (int i = low[0]; i <= high[0]; i++) to[(i - low[0]) / block] |= from[i];
    }
}

static ht_status search_axes(const char *path, search *of, double wall_ml) {
  ht_status status = HT_OK;
  for (of->axis = 0; of->axis < 3 && status == HT_OK; of->axis++)
    status = check_axis(path, of, wall_ml);
  return status;
}

ht_status ht_hollow_check(const char *path, const ht_mask *mask) {
  const char *what = "the search for a lumen";
  int low[3], high[3], block = 1;
  double box = 1;
  search of = {.voxels = 1};
  find_box(mask, low, high);
  if (high[0] < 0) return HT_OK;
  for (int a = 0; a < 3; a++) box *= high[a] - low[a] + 1;
  while (box / block / block / block > most_voxels) block++;
  for (int a = 0; a < 3; a++) {
    of.mm[a] = block * mask->grid.spacing_mm[a];
    of.dim[a] = (high[a] - low[a]) / block + 5;
    of.step[a] = of.voxels;
    of.voxels *= of.dim[a];
  }
  size_t voxels = (size_t)of.voxels;
  ht_status status = ht_alloc((void **)&of.inside, voxels, 1, what);
  if (status == HT_OK) status = ht_alloc((void **)&of.state, voxels, 1, what);
  if (status == HT_OK) status = ht_alloc((void **)&of.stack, voxels, sizeof *of.stack, what);
  if (status == HT_OK) copy_box(mask, low, high, block, &of);
  if (status == HT_OK) status = search_axes(path, &of, ht_mask_ml(mask));
  free(of.inside);
  free(of.state);
  free(of.stack);
  return status;
}
