#include "segment/edit/edit_kinds.h"
#include "segment/shape/flood.h"
#include <stdlib.h>

/* A plane or a disc of it; lengths in voxels of the lattice. */
typedef struct {
  double normal[3], point[3], radius;
} plane;

static plane plane_of(const ht_edit_job *job) {
  plane of = {.radius = job->step->radius_mm / job->lattice->spacing_mm[0]};
  ht_edit_direction(job, of.normal);
  ht_edit_index(job, job->step->place_mm[0], of.point);
  return of;
}

/* Returns the height of a voxel above the plane, and its distance from the point along the plane.
 */
static double height_of(const ht_edit_job *job, const plane *of, const int at[3], double *off) {
  double from[3];
  for (int a = 0; a < 3; a++) from[a] = job->first[a] + at[a] - of->point[a];
  const double height = ht_dot(from, of->normal);
  *off = sqrt(fmax(0, ht_dot(from, from) - height * height));
  return height;
}

static void cut_all(const ht_edit_job *job, const plane *of, ht_mask *work) {
  const int *dim = work->grid.dim;
#pragma omp parallel for
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        const int at[3] = {x, y, z};
        double off;
        if (height_of(job, of, at, &off) < 0) work->inside[ht_voxel_index(dim, at)] = 0;
      }
}

/* Marks what hangs on the far side of the disc: all that can be reached from there without a step
 * through it. *around 1: that leads to its near side. */
typedef struct {
  const ht_edit_job *job;
  plane disc;
  const ht_mask *work;
  uint8_t *mark;
  ht_stack todo;
  int around;
} severed;

static ht_status visit(severed *of, const int at[3], double from_height, double from_off) {
  const int *dim = of->work->grid.dim;
  double off;
  if (!ht_voxel_in_grid(dim, at)) return HT_OK;
  const int64_t voxel = ht_voxel_index(dim, at);
  if (!of->work->inside[voxel] || of->mark[voxel]) return HT_OK;
  const double height = height_of(of->job, &of->disc, at, &off), radius = of->disc.radius;
  if ((height < 0) != (from_height < 0) && off <= radius && from_off <= radius) return HT_OK;
  of->around |= height >= 0 && height < 1 && off <= radius;
  of->mark[voxel] = 1;
  return ht_stack_push(&of->todo, voxel);
}

static ht_status visit_neighbours(severed *of, int64_t voxel) {
  int at[3];
  double off;
  ht_voxel_place(of->work->grid.dim, voxel, at);
  const double height = height_of(of->job, &of->disc, at, &off);
  for (int side = 0; side < 6; side++) {
    int next[3] = {at[0], at[1], at[2]};
    next[side / 2] += side % 2 ? 1 : -1;
    HT_TRY(visit(of, next, height, off));
  }
  return HT_OK;
}

/* Begins at the voxels under the disc. */
static ht_status sever(severed *of) {
  const int *dim = of->work->grid.dim;
  for (int64_t v = 0; v < ht_grid_voxels(&of->work->grid); v++) {
    int at[3];
    double off;
    if (!of->work->inside[v]) continue;
    ht_voxel_place(dim, v, at);
    const double height = height_of(of->job, &of->disc, at, &off);
    if (height < 0 && height >= -1 && off <= of->disc.radius) HT_TRY(visit(of, at, height, off));
  }
  while (of->todo.count > 0) HT_TRY(visit_neighbours(of, of->todo.item[--of->todo.count]));
  return HT_OK;
}

static ht_status cut_at_disc(const ht_edit_job *job, ht_mask *work) {
  severed of = {.job = job, .disc = plane_of(job), .work = work};
  const int64_t voxels = ht_grid_voxels(&work->grid);
  HT_TRY(ht_alloc((void **)&of.mark, (size_t)voxels, 1, "a cut"));
  ht_status status = sever(&of);
  if (status == HT_OK && of.around)
    status =
        ht_fail(HT_ERR_USAGE,
                "step 'cut': what lies behind the disc of %.3g mm is connected to what lies "
                "before it, around the disc: take a larger radius, or cut at another place, too",
                job->step->radius_mm);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (of.mark[v]) work->inside[v] = 0;
  free(of.todo.item);
  free(of.mark);
  return status;
}

ht_status ht_edit_cut(const ht_edit_job *job, ht_mask *work) {
  const plane of = plane_of(job);
  if (job->step->radius_mm > 0) return cut_at_disc(job, work);
  cut_all(job, &of, work);
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
