#include "segment/edit/edit_kinds.h"
#include <stdlib.h>

ht_status ht_edit_cut(const ht_edit_job *job, ht_mask *work) {
  const int *dim = work->grid.dim;
  double normal[3], point[3];
  ht_edit_direction(job, normal);
  ht_edit_index(job, job->step->place_mm[0], point);
#pragma omp parallel for
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const double from[3] = {job->first[0] + x - point[0], job->first[1] + y - point[1],
                                job->first[2] + z - point[2]};
        if (ht_dot(from, normal) < 0) work->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] = 0;
      }
  return HT_OK;
}

/* A polygon on a plane across the line of sight. */
typedef struct {
  double across[2][3]; /* axes of the plane, in indices of the lattice */
  double (*corner)[2];
  int corners;
  double low[2], high[2];
} polygon;

static void project(const polygon *of, const double at[3], double place[2]) {
  for (int k = 0; k < 2; k++) place[k] = ht_dot(of->across[k], at);
}

static ht_status polygon_of(const ht_edit_job *job, polygon *of) {
  double sight[3], at[3];
  ht_edit_direction(job, sight);
  ht_span_across(sight, of->across);
  of->corners = job->step->places;
  HT_TRY(ht_alloc((void **)&of->corner, (size_t)of->corners, sizeof *of->corner, "the lasso"));
  for (int c = 0; c < of->corners; c++) {
    ht_edit_index(job, job->step->place_mm[c], at);
    project(of, at, of->corner[c]);
    for (int k = 0; k < 2; k++) {
      of->low[k] = c == 0 ? of->corner[c][k] : fmin(of->low[k], of->corner[c][k]);
      of->high[k] = c == 0 ? of->corner[c][k] : fmax(of->high[k], of->corner[c][k]);
    }
  }
  return HT_OK;
}

/* Returns 1 inside the polygon, by the even-odd rule. */
static int is_inside(const polygon *of, const double place[2]) {
  int is = 0;
  for (int k = 0; k < 2; k++)
    if (place[k] < of->low[k] || place[k] > of->high[k]) return 0;
  for (int c = 0, last = of->corners - 1; c < of->corners; last = c++) {
    const double *a = of->corner[c], *b = of->corner[last];
    if ((a[1] > place[1]) == (b[1] > place[1])) continue;
    if (place[0] < (b[0] - a[0]) * (place[1] - a[1]) / (b[1] - a[1]) + a[0]) is = !is;
  }
  return is;
}

ht_status ht_edit_lasso(const ht_edit_job *job, ht_mask *work) {
  const int *dim = work->grid.dim;
  polygon of;
  HT_TRY(polygon_of(job, &of));
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        uint8_t *inside = &work->inside[x + dim[0] * (y + (int64_t)dim[1] * z)];
        const double at[3] = {job->first[0] + x, job->first[1] + y, job->first[2] + z};
        double place[2];
        if (!*inside) continue;
        project(&of, at, place);
        if (is_inside(&of, place)) *inside = 0;
      }
  free(of.corner);
  return HT_OK;
}
