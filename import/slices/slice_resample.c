#include "import/slices/slice_resample.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slice on the rows and columns of the volume: NAN where it has no pixel. */
typedef struct {
  int slice;     /* its number; -1: none yet */
  float *values; /* [ny][nx]. Owned */
} sheared_plane;

typedef struct {
  const ht_slice *slice;
  int count;
  ht_slice_reader reader;
  void *user;
  ht_volume *volume;
  float *pixels, *row; /* a slice as stored, and one of its rows. Owned */
  sheared_plane plane[2];
} resampler;

/* ---- Within a slice ---- */

/* to[i] = from at i - by, linear between pixels; `step` values lie between two. */
static void shift_line(const float *from, int length, size_t step, double by, float *to,
                       int to_length, size_t to_step) {
  for (int i = 0; i < to_length; i++) {
    double at = i - by, below = floor(at);
    float part = (float)(at - below), value = NAN;
    int left = below < -1 || below > length ? -2 : (int)below;
    if (part < 1e-6f && left >= 0 && left < length)
      value = from[(size_t)left * step];
    else if (left >= 0 && left + 1 < length)
      value = (1 - part) * from[(size_t)left * step] + part * from[(size_t)(left + 1) * step];
    to[(size_t)i * to_step] = value;
  }
}

/* Pixels between the volume's first row or column and that of slice k. */
static double pixels_off(const resampler *work, int k, int axis) {
  const ht_grid *grid = &work->volume->grid;
  double shift[2], off = 0;
  ht_stack_shift(work->slice, k, shift);
  for (int r = 0; r < 3; r++)
    off += (work->slice[0].position_mm[r] - grid->origin_mm[r]) * work->slice[0].axes[axis][r];
  off = (off + shift[axis]) / grid->spacing_mm[axis];
  return fabs(off - nearbyint(off)) < 1e-3 * HT_PLACE_TOLERANCE ? nearbyint(off) : off;
}

/* First along the rows, into the volume's width, then down the columns. */
static void shear(resampler *work, int k, float *values) {
  const int *dim = work->volume->grid.dim, rows = work->slice[k].rows;
  const int columns = work->slice[k].columns;
  double right = pixels_off(work, k, 0), down = pixels_off(work, k, 1);
  size_t width = (size_t)dim[0];
  for (int j = rows - 1; j >= 0; j--) { /* backwards: a longer row overwrites none to come */
    memcpy(work->row, work->pixels + (size_t)j * (size_t)columns, (size_t)columns * sizeof(float));
    shift_line(work->row, columns, 1, right, work->pixels + (size_t)j * width, dim[0], 1);
  }
  for (size_t i = 0; i < width; i++)
    shift_line(work->pixels + i, rows, width, down, values + i, dim[1], width);
}

static ht_status load(resampler *work, int k, sheared_plane *plane) {
  if (plane->slice == k) return HT_OK;
  plane->slice = -1;
  HT_TRY(work->reader(work->user, &work->slice[k], work->pixels));
  shear(work, k, plane->values);
  plane->slice = k;
  return HT_OK;
}

/* ---- Between slices ---- */

/* The slices k and k + 1 around a plane, and the second's part. */
static int below_plane(const resampler *work, double along_mm, int from, double *part) {
  int k = from;
  while (k + 2 < work->count && work->slice[k + 1].along_mm <= along_mm) k++;
  double gap = work->slice[k + 1].along_mm - work->slice[k].along_mm;
  double over = along_mm - work->slice[k].along_mm;
  *part = fabs(over) <= HT_PLANE_EXACT_MM         ? 0
          : fabs(over - gap) <= HT_PLANE_EXACT_MM ? 1
                                                  : fmin(fmax(over / gap, 0), 1);
  return k;
}

/* Slices alternate between the two buffers, so that each is read once. */
static ht_status fill_plane(resampler *work, int k, double part, float *to) {
  const int *dim = work->volume->grid.dim;
  size_t pixels = (size_t)dim[0] * (size_t)dim[1];
  sheared_plane *below = &work->plane[k % 2], *above = &work->plane[(k + 1) % 2];
  float share = (float)part;
  if (part < 1) HT_TRY(load(work, k, below));
  if (part > 0) HT_TRY(load(work, k + 1, above));
  for (size_t i = 0; i < pixels; i++)
    to[i] = part <= 0   ? below->values[i]
            : part >= 1 ? above->values[i]
                        : (1 - share) * below->values[i] + share * above->values[i];
  return HT_OK;
}

static ht_status fill_planes(resampler *work, const ht_progress *progress) {
  const ht_grid *grid = &work->volume->grid;
  size_t pixels = (size_t)grid->dim[0] * (size_t)grid->dim[1];
  int k = 0;
  for (int m = 0; m < grid->dim[2]; m++) {
    double part, along_mm = work->slice[0].along_mm + m * grid->spacing_mm[2];
    if (m % 4 == 0)
      HT_TRY(ht_progress_report(progress, "import", m, grid->dim[2], "resampling slices"));
    k = below_plane(work, along_mm, k, &part);
    HT_TRY(fill_plane(work, k, part, work->volume->values + (size_t)m * pixels));
  }
  return HT_OK;
}

ht_status ht_fill_uncovered(ht_volume *volume) {
  int64_t voxels = ht_grid_voxels(&volume->grid);
  float least = INFINITY;
  for (int64_t i = 0; i < voxels; i++)
    if (volume->values[i] < least) least = volume->values[i];
  for (int64_t i = 0; i < voxels; i++)
    if (isnan(volume->values[i])) volume->values[i] = least;
  if (isfinite(least)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "no pixel has a value: all have the Pixel Padding Value of their "
                                "header, which marks what lies outside of the image");
}

static ht_status alloc_buffers(resampler *work) {
  const int *dim = work->volume->grid.dim;
  size_t rows = (size_t)work->slice[0].rows, columns = (size_t)work->slice[0].columns;
  size_t pixels = (size_t)dim[0] * (size_t)dim[1];
  HT_TRY(ht_alloc((void **)&work->pixels, rows * (size_t)dim[0], sizeof(float), "a slice"));
  HT_TRY(ht_alloc((void **)&work->row, columns, sizeof(float), "a row of a slice"));
  HT_TRY(ht_alloc((void **)&work->plane[0].values, pixels, sizeof(float), "a slice"));
  return ht_alloc((void **)&work->plane[1].values, pixels, sizeof(float), "a slice");
}

ht_status ht_stack_resample(const ht_slice *slice, int count, ht_slice_reader reader, void *user,
                            const ht_progress *progress, ht_volume *volume) {
  resampler work = {slice, count, reader, user, volume, NULL, NULL, {{-1, NULL}, {-1, NULL}}};
  ht_status status = alloc_buffers(&work);
  if (status == HT_OK) status = fill_planes(&work, progress);
  if (status == HT_OK) status = ht_fill_uncovered(volume);
  free(work.pixels);
  free(work.row);
  free(work.plane[0].values);
  free(work.plane[1].values);
  return status;
}
