#include "segment/edit/edit_kinds.h"
#include "segment/voxels/vessel.h"
#include <stdlib.h>

/* Sections of the mask across a normal, on one grid of pixels a voxel wide. */
typedef struct {
  double normal[3], across[2][3], low[2]; /* of the plane; place of pixel (0, 0) */
  ht_grid grid;                           /* of the pixels: one slice, spacing 1 */
} plane;

typedef struct {
  double height, centre[2]; /* along the normal; mean place of its pixels, pixels */
  ht_volume depth;          /* distance from its outline, > 0 inside, pixels */
} section;

static plane plane_of(const ht_edit_job *job, const ht_mask *work) {
  plane of;
  double high[2] = {0};
  ht_edit_direction(job, of.normal);
  ht_span_across(of.normal, of.across);
  for (int corner = 0; corner < 8; corner++) {
    double at[3];
    for (int a = 0; a < 3; a++)
      at[a] = job->first[a] + (corner >> a & 1 ? work->grid.dim[a] - 1 : 0);
    for (int k = 0; k < 2; k++) {
      const double along = ht_dot(of.across[k], at);
      of.low[k] = corner == 0 ? along : fmin(of.low[k], along);
      high[k] = corner == 0 ? along : fmax(high[k], along);
    }
  }
  of.grid = ht_grid_make((int)ceil(high[0] - of.low[0]) + 1, (int)ceil(high[1] - of.low[1]) + 1, 1);
  return of;
}

/* Converts a place to pixels and the height along the normal. */
static double to_pixels(const plane *of, const double at[3], double pixel[2]) {
  for (int k = 0; k < 2; k++) pixel[k] = ht_dot(of->across[k], at) - of->low[k];
  return ht_dot(of->normal, at);
}

/* Reads the voxel of the mask at each pixel. */
static void cut(const ht_edit_job *job, const plane *of, double height, const ht_mask *work,
                ht_mask *pixels) {
  const int *size = of->grid.dim;
  for (int v = 0; v < size[1]; v++)
    for (int u = 0; u < size[0]; u++) {
      int at[3];
      for (int a = 0; a < 3; a++)
        at[a] = (int)lround(of->across[0][a] * (u + of->low[0]) +
                            of->across[1][a] * (v + of->low[1]) + of->normal[a] * height) -
                job->first[a];
      pixels->inside[u + (int64_t)size[0] * v] =
          ht_voxel_in_grid(work->grid.dim, at) && work->inside[ht_voxel_index(work->grid.dim, at)];
    }
}

/* Keeps the piece at the place; returns 0 where there is none within two pixels of it. */
static int keep_piece_at(const double pixel[2], ht_mask *pixels) {
  const int *size = pixels->grid.dim, near = 2;
  const double seed[3] = {pixel[0], pixel[1], 0};
  int is_near = 0;
  for (int v = (int)lround(pixel[1]) - near; v <= (int)lround(pixel[1]) + near; v++)
    for (int u = (int)lround(pixel[0]) - near; u <= (int)lround(pixel[0]) + near; u++)
      is_near |= u >= 0 && u < size[0] && v >= 0 && v < size[1] &&
                 pixels->inside[u + (int64_t)size[0] * v];
  return is_near && ht_mask_keep_piece(pixels, seed, NULL, NULL) == HT_OK;
}

static void find_centre(const ht_mask *pixels, double centre[2]) {
  const int *size = pixels->grid.dim;
  double sum[2] = {0}, count = 0;
  for (int v = 0; v < size[1]; v++)
    for (int u = 0; u < size[0]; u++)
      if (pixels->inside[u + (int64_t)size[0] * v]) sum[0] += u, sum[1] += v, count++;
  for (int k = 0; k < 2; k++) centre[k] = sum[k] / count;
}

/* Measures the distance of each pixel from the outline, half a pixel off the centres next to it. */
static ht_status measure(const ht_mask *pixels, ht_volume *depth) {
  const int64_t count = ht_grid_voxels(&pixels->grid);
  ht_mask outside = {0};
  ht_volume inward = {0};
  HT_TRY(ht_mask_alloc(&pixels->grid, &outside));
  for (int64_t p = 0; p < count; p++) outside.inside[p] = !pixels->inside[p];
  ht_status status = ht_itk_distance(pixels, NULL, depth);
  if (status == HT_OK && ht_mask_count(&outside) > 0)
    status = ht_itk_distance(&outside, NULL, &inward);
  for (int64_t p = 0; p < count && status == HT_OK; p++)
    depth->values[p] =
        pixels->inside[p] ? (inward.values ? inward.values[p] : 1) - 0.5F : 0.5F - depth->values[p];
  ht_volume_free(&inward);
  ht_mask_free(&outside);
  return status;
}

static ht_status find_section(const ht_edit_job *job, const plane *of, int number,
                              const ht_mask *work, section *found) {
  ht_mask pixels;
  double at[3], pixel[2];
  HT_TRY(ht_mask_alloc(&of->grid, &pixels));
  ht_edit_index(job, job->step->place_mm[number], at);
  found->height = to_pixels(of, at, pixel);
  cut(job, of, found->height, work, &pixels);
  ht_status status = HT_OK;
  if (!keep_piece_at(pixel, &pixels))
    status = ht_fail(HT_ERR_USAGE,
                     "step 'interpolate': there is no vessel at place %d in its section: paint the "
                     "section first",
                     number + 1);
  if (status == HT_OK) find_centre(&pixels, found->centre);
  if (status == HT_OK) status = measure(&pixels, &found->depth);
  ht_mask_free(&pixels);
  return status;
}

/* Distance at a place of the section, pixels from its centre; beyond the grid less by the way to
 * the grid. */
static double depth_at(const section *of, const double from_centre[2]) {
  const int *size = of->depth.grid.dim;
  double at[3] = {0}, beyond[2];
  for (int k = 0; k < 2; k++) {
    const double place = from_centre[k] + of->centre[k];
    at[k] = fmin(fmax(place, 0), size[k] - 1);
    beyond[k] = place - at[k];
  }
  return ht_volume_sample(&of->depth, at) - hypot(beyond[0], beyond[1]);
}

/* Fills between two sections, whose outlines are blended about the line of their centres. */
static void fill_between(const ht_edit_job *job, const plane *of, const section *low,
                         const section *high, ht_mask *work) {
  const int *dim = work->grid.dim;
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const double at[3] = {job->first[0] + x, job->first[1] + y, job->first[2] + z};
        double pixel[2];
        const double height = to_pixels(of, at, pixel);
        if (height < low->height || height > high->height) continue;
        const double share = (height - low->height) / (high->height - low->height);
        for (int k = 0; k < 2; k++)
          pixel[k] -= (1 - share) * low->centre[k] + share * high->centre[k];
        if ((1 - share) * depth_at(low, pixel) + share * depth_at(high, pixel) > 0)
          work->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] = 1;
      }
}

static int by_height(const void *one, const void *other) {
  const double a = ((const section *)one)->height, b = ((const section *)other)->height;
  return (a > b) - (a < b);
}

static ht_status fill_all(const ht_edit_job *job, const plane *of, section *all, ht_mask *work) {
  const int count = job->step->places;
  for (int s = 0; s < count; s++) HT_TRY(find_section(job, of, s, work, &all[s]));
  qsort(all, (size_t)count, sizeof *all, by_height);
  for (int s = 0; s + 1 < count; s++)
    if (all[s + 1].height - all[s].height < 0.5)
      return ht_fail(HT_ERR_USAGE, "step 'interpolate': two places lie in one section");
  for (int s = 0; s + 1 < count; s++) fill_between(job, of, &all[s], &all[s + 1], work);
  return HT_OK;
}

ht_status ht_edit_interpolate(const ht_edit_job *job, ht_mask *work) {
  const plane of = plane_of(job, work);
  section *all;
  HT_TRY(ht_alloc((void **)&all, (size_t)job->step->places, sizeof *all, "sections"));
  ht_status status = fill_all(job, &of, all, work);
  for (int s = 0; s < job->step->places; s++) ht_volume_free(&all[s].depth);
  free(all);
  return status;
}
