#include "segment/edit/edit_kinds.h"

/* A brush in voxels of the lattice. */
typedef struct {
  double radius, normal[3], half_thickness; /* half_thickness < 0: a ball */
} brush;

/* A disc of one voxel covers each line of voxels across it once, also where it is oblique. */
static brush brush_of(const ht_edit_job *job) {
  const ht_edit_step *step = job->step;
  const double voxel = job->lattice->spacing_mm[0];
  brush of = {.radius = step->radius_mm / voxel, .half_thickness = -1};
  if (!step->has_direction) return of;
  ht_edit_direction(job, of.normal);
  double steepest = 0;
  for (int a = 0; a < 3; a++) steepest = fmax(steepest, fabs(of.normal[a]));
  of.half_thickness = fmax(step->thickness_mm / voxel, steepest) / 2;
  return of;
}

/* Returns 1 where the brush reaches `at` on its way from a to b. */
static int is_under(const brush *of, const double a[3], const double b[3], const double at[3]) {
  double way[3], to[3], off[3];
  for (int k = 0; k < 3; k++) way[k] = b[k] - a[k], to[k] = at[k] - a[k];
  if (of->half_thickness >= 0) {
    const double height = ht_dot(to, of->normal), slope = ht_dot(way, of->normal);
    if (!(height > -of->half_thickness && height <= of->half_thickness)) return 0;
    for (int k = 0; k < 3; k++) to[k] -= height * of->normal[k], way[k] -= slope * of->normal[k];
  }
  const double square = ht_dot(way, way);
  const double share = square > 0 ? fmin(1, fmax(0, ht_dot(to, way) / square)) : 0;
  for (int k = 0; k < 3; k++) off[k] = to[k] - share * way[k];
  return ht_dot(off, off) <= of->radius * of->radius;
}

/* Finds the box of the way from a to b, indices of the lattice. */
static ht_box box_of_way(const brush *of, const double a[3], const double b[3]) {
  const double reach = hypot(of->radius, fmax(0, of->half_thickness));
  ht_box box;
  for (int k = 0; k < 3; k++) {
    box.first[k] = (int)floor(fmin(a[k], b[k]) - reach);
    box.last[k] = (int)ceil(fmax(a[k], b[k]) + reach);
  }
  return box;
}

ht_box ht_edit_brush_box(const ht_edit_job *job) {
  const brush of = brush_of(job);
  ht_box all = {{0}, {0}};
  for (int p = 0; p < job->step->places; p++) {
    double at[3];
    ht_edit_index(job, job->step->place_mm[p], at);
    const ht_box box = box_of_way(&of, at, at);
    for (int k = 0; k < 3; k++) {
      if (p == 0 || box.first[k] < all.first[k]) all.first[k] = box.first[k];
      if (p == 0 || box.last[k] > all.last[k]) all.last[k] = box.last[k];
    }
  }
  return all;
}

/* Draws the way from a to b in slice z of the box. */
static void draw_way(const ht_edit_job *job, const brush *of, const double a[3], const double b[3],
                     int z, ht_mask *work) {
  const uint8_t value = job->step->kind == HT_EDIT_PAINT;
  const int *dim = work->grid.dim;
  ht_box box = box_of_way(of, a, b);
  for (int k = 0; k < 3; k++) {
    box.first[k] = box.first[k] > job->first[k] ? box.first[k] - job->first[k] : 0;
    box.last[k] -= job->first[k];
    if (box.last[k] >= dim[k]) box.last[k] = dim[k] - 1;
  }
  if (z < box.first[2] || z > box.last[2]) return;
  for (int y = box.first[1]; y <= box.last[1]; y++) {
    uint8_t *row = work->inside + dim[0] * (y + (int64_t)dim[1] * z);
    for (int x = box.first[0]; x <= box.last[0]; x++) {
      const double at[3] = {job->first[0] + x, job->first[1] + y, job->first[2] + z};
      if (row[x] != value && is_under(of, a, b, at)) row[x] = value;
    }
  }
}

void ht_edit_brush(const ht_edit_job *job, ht_mask *work) {
  const brush of = brush_of(job);
  const int places = job->step->places;
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < work->grid.dim[2]; z++)
    for (int p = places > 1; p < places; p++) {
      double from[3], to[3];
      ht_edit_index(job, job->step->place_mm[p > 0 ? p - 1 : 0], from);
      ht_edit_index(job, job->step->place_mm[p], to);
      draw_way(job, &of, from, to, z, work);
    }
}
