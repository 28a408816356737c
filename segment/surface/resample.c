#include "segment/surface/resample.h"
#include "segment/openings/border.h"
#include "segment/openings/ends.h"
#include "segment/voxels/quantile.h"
#include "segment/voxels/vessel.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int margin_nodes = 2;

void ht_isosurface_free(ht_isosurface *surface) {
  if (!surface) return;
  ht_volume_free(&surface->field);
  memset(surface, 0, sizeof *surface);
}

void ht_isosurface_of_level(ht_volume *field, const ht_mask *vessel, double lower, double upper,
                            ht_isosurface *surface) {
  int64_t voxels = ht_grid_voxels(&field->grid);
  float least = INFINITY, most = -INFINITY;
  for (int64_t v = 0; v < voxels; v++) {
    least = fminf(least, field->values[v]);
    most = fmaxf(most, field->values[v]);
  }
  /* Mirrored values put the surface between two pieces half-way. */
  double step = 1e-3 * fmax((double)most - least, 1e-6);
  for (int64_t v = 0; v < voxels; v++) {
    double value = field->values[v];
    if (vessel->inside[v] || value < lower || value > upper) continue;
    field->values[v] = (float)(lower - fmax(value - lower, step));
  }
  surface->field = *field;
  surface->lower = lower;
  surface->upper = upper;
  surface->box = ht_box_of_mask(vessel);
  memset(field, 0, sizeof *field);
}

/* Outside distance minus inside distance: half-way between two voxel centres at the surface. */
static ht_status signed_distance(const ht_mask *vessel, const ht_progress *progress,
                                 ht_volume *depth, ht_volume *field) {
  ht_mask outer = {0};
  int64_t voxels = ht_grid_voxels(&vessel->grid);
  HT_TRY(ht_mask_alloc(&vessel->grid, &outer));
  for (int64_t v = 0; v < voxels; v++) outer.inside[v] = !vessel->inside[v];
  ht_status status = ht_itk_distance(&outer, progress, depth);
  if (status == HT_OK) status = ht_itk_distance(vessel, progress, field);
  ht_mask_free(&outer);
  if (status != HT_OK) ht_volume_free(depth);
  if (status != HT_OK) return status;
  for (int64_t v = 0; v < voxels; v++) field->values[v] = depth->values[v] - field->values[v];
  return HT_OK;
}

/* The largest value within `reach` voxels along one axis, in place. */
static ht_status spread_along(ht_volume *image, int axis, int reach) {
  const int *dim = image->grid.dim;
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t voxels = ht_grid_voxels(&image->grid);
  int n = dim[axis];
  float *line;
  HT_TRY(ht_alloc((void **)&line, (size_t)n, sizeof *line, "a line of voxels"));
  for (int64_t start = 0; start < voxels; start++) {
    if (start / stride % n != 0) continue;
    for (int i = 0; i < n; i++) line[i] = image->values[start + i * stride];
    for (int i = 0; i < n; i++)
      for (int m = i - reach; m <= i + reach; m++)
        if (m >= 0 && m < n && line[m] > image->values[start + i * stride])
          image->values[start + i * stride] = line[m];
  }
  free(line);
  return HT_OK;
}

static double smallest_spacing(const ht_grid *grid) {
  return fmin(grid->spacing_mm[0], fmin(grid->spacing_mm[1], grid->spacing_mm[2]));
}

/* Smooths the field where the vessel is thick (`depth` nearby from 1 to 2 voxels and more): parts
 * one or two voxels thin stay as drawn. */
static ht_status smooth_thick(ht_volume *field, const ht_volume *depth,
                              const ht_progress *progress) {
  const double voxel = smallest_spacing(&field->grid);
  int64_t voxels = ht_grid_voxels(&field->grid);
  ht_volume smooth = {0};
  HT_TRY(ht_volume_alloc(&field->grid, &smooth));
  memcpy(smooth.values, field->values, (size_t)voxels * sizeof(float));
  const double sigma_mm[3] = {0.7 * voxel, 0.7 * voxel, 0.7 * voxel};
  ht_status status = ht_itk_smooth(&smooth, sigma_mm, 1, progress);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++) {
    double weight = fmin(1, fmax(0, depth->values[v] / voxel - 1));
    field->values[v] += (float)(weight * (smooth.values[v] - field->values[v]));
  }
  ht_volume_free(&smooth);
  return status;
}

/* The field at eight points of a voxel's cell, a quarter of a voxel off its centre along each axis;
 * beyond the grid its border values are repeated. */
static void sample_cell(const ht_volume *field, const int at[3], float value[8]) {
  const int *dim = field->grid.dim;
  for (int n = 0; n < 8; n++) {
    double sum = 0;
    for (int c = 0; c < 8; c++) {
      int near[3];
      double weight = 1;
      for (int a = 0; a < 3; a++) {
        int side = n >> a & 1 ? 1 : -1, far = c >> a & 1, place = at[a] + far * side;
        near[a] = place < 0 ? 0 : place >= dim[a] ? dim[a] - 1 : place;
        weight *= far ? 0.25 : 0.75;
      }
      sum += weight * field->values[ht_voxel_index(dim, near)];
    }
    value[n] = (float)sum;
  }
}

/* Smoothing and linear interpolation move a curved surface by a small part of a voxel. The level
 * becomes the one that encloses the volume of `voxels_inside`, within half a voxel of 0, so that a
 * vessel one voxel thin stays whole. */
static ht_status keep_volume(double voxels_inside, ht_isosurface *surface) {
  const ht_volume *field = &surface->field;
  const double *s = field->grid.spacing_mm, voxel = smallest_spacing(&field->grid);
  const double band = 0.5 * ht_length(s) + 0.5 * voxel;
  int64_t voxels = ht_grid_voxels(&field->grid), near = 0,
          wanted = (int64_t)llround(8 * voxels_inside);
  float *sample, level = 0;
  for (int64_t v = 0; v < voxels; v++) near += fabs(field->values[v]) <= band;
  HT_TRY(ht_alloc((void **)&sample, (size_t)(8 * near + 1), sizeof *sample, "the surface"));
  int64_t count = 0;
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    if (field->values[v] > band) wanted -= 8;
    if (fabs(field->values[v]) > band) continue;
    ht_voxel_place(field->grid.dim, v, at);
    sample_cell(field, at, sample + count);
    count += 8;
  }
  ht_status status = HT_OK;
  if (wanted > 0 && wanted <= count)
    status = ht_select(sample, NULL, count, count - wanted, &level);
  surface->lower = fmin(fmax(level, -0.5 * voxel), 0.4 * voxel);
  free(sample);
  return status;
}

ht_status ht_isosurface_of_mask(const ht_mask *vessel, const ht_progress *progress,
                                ht_isosurface *surface) {
  ht_volume depth = {0};
  int64_t voxels = ht_grid_voxels(&vessel->grid);
  memset(surface, 0, sizeof *surface);
  surface->upper = INFINITY;
  surface->box = ht_box_of_mask(vessel);
  if (ht_mask_count(vessel) == voxels) { /* no surface inside the grid */
    HT_TRY(ht_volume_alloc(&vessel->grid, &surface->field));
    for (int64_t v = 0; v < voxels; v++) surface->field.values[v] = 1;
    return HT_OK;
  }
  HT_TRY(signed_distance(vessel, progress, &depth, &surface->field));
  ht_status status = HT_OK;
  for (int axis = 0; axis < 3 && status == HT_OK; axis++) status = spread_along(&depth, axis, 2);
  if (status == HT_OK) status = smooth_thick(&surface->field, &depth, progress);
  ht_volume_free(&depth);
  if (status == HT_OK) status = keep_volume((double)ht_mask_count(vessel), surface);
  if (status != HT_OK) ht_isosurface_free(surface);
  return status;
}

ht_status ht_isosurface_of_distance(const ht_volume *distance, const ht_box *box,
                                    ht_isosurface *surface) {
  double voxel = smallest_spacing(&distance->grid), inside = 0;
  int64_t voxels = ht_grid_voxels(&distance->grid);
  *surface = (ht_isosurface){.upper = INFINITY, .box = *box};
  HT_TRY(ht_volume_alloc(&distance->grid, &surface->field));
  memcpy(surface->field.values, distance->values, (size_t)voxels * sizeof *distance->values);
  for (int64_t v = 0; v < voxels; v++)
    inside += fmin(1, fmax(0, 0.5 + distance->values[v] / voxel));
  ht_status status = keep_volume(inside, surface);
  if (status != HT_OK) ht_isosurface_free(surface);
  return status;
}

/* Nodes along one axis: at begin + spacing * (0 .. count - 1), voxels of the field. */
typedef struct {
  double begin, step, count;
} span;

/* Span of the lattice along one axis. On a side that the vessel touches, its cells end where the
 * voxels do (half a voxel beyond the last centre); elsewhere there is room for the margin. */
static span span_along(const ht_isosurface *surface, int a, double spacing_mm) {
  const ht_grid *grid = &surface->field.grid;
  span s = {0, spacing_mm / grid->spacing_mm[a], 0};
  double low = surface->box.first[a], high = surface->box.last[a];
  int at_low = low == 0, at_high = high == grid->dim[a] - 1;
  low -= at_low ? 0.5 : 1 + margin_nodes * s.step;
  high += at_high ? 0.5 : 1 + margin_nodes * s.step;
  double exact = (high - low) / s.step;
  s.count = fmax(1, at_low && at_high ? floor(exact + 1e-6) : ceil(exact));
  double slack = (high - low) - s.count * s.step;
  double before = at_low && at_high ? slack / 2 : at_low ? 0 : slack;
  s.begin = low + before + s.step / 2;
  return s;
}

static double nodes_of(const ht_isosurface *surface, double spacing_mm) {
  double count = 1;
  for (int a = 0; a < 3; a++) count *= span_along(surface, a, spacing_mm).count;
  return count;
}

double ht_isosurface_fitting_mm(const ht_isosurface *surface, double spacing_mm, double most) {
  double fits = spacing_mm;
  for (int tries = 0; tries < 1000 && nodes_of(surface, fits) > most; tries++) fits *= 1.02;
  return fits;
}

static ht_status too_large(const ht_isosurface *surface, double spacing_mm, double most) {
  double fits = ht_isosurface_fitting_mm(surface, spacing_mm, most);
  double count = nodes_of(surface, spacing_mm);
  return ht_fail(
      HT_ERR_MEMORY,
      "a lattice of %.3g mm spacing would have %.0f million nodes in the vessel's box; "
      "%.0f million fit: set lattice.spacing_mm to %.3g or more (or fewer nodes_across), "
      "or give a smaller region",
      spacing_mm, count / 1e6, most / 1e6, ceil(fits * 1000) / 1000);
}

static ht_status lattice_grid(const ht_isosurface *surface, double spacing_mm, int64_t max_voxels,
                              span along[3], ht_grid *grid) {
  double count = 1, first[3];
  for (int a = 0; a < 3; a++) {
    along[a] = span_along(surface, a, spacing_mm);
    count *= along[a].count;
    first[a] = along[a].begin;
  }
  double most = max_voxels > 0 ? (double)max_voxels : 1e12;
  if (!(count <= most)) return too_large(surface, spacing_mm, most);
  *grid = surface->field.grid;
  ht_grid_position(&surface->field.grid, first, grid->origin_mm);
  for (int a = 0; a < 3; a++) {
    grid->dim[a] = (int)along[a].count;
    grid->spacing_mm[a] = spacing_mm;
  }
  return HT_OK;
}

/* The two voxels between which node n lies, and the share of the second. Within half a voxel beyond
 * the field values are extrapolated linearly: otherwise an oblique vessel would end in a step along
 * the axis, which turns the direction at its opening. */
static void between(const span *s, int dim, int n, int *voxel, double *share) {
  double x = fmin(fmax(s->begin + s->step * n, -0.5), dim - 0.5);
  *voxel = (int)fmax(0, fmin(floor(x), dim - 2));
  *share = dim > 1 ? x - *voxel : 0;
}

/* One row of nodes: the field on the row's four neighbouring lines of voxels, blended by `weight`,
 * then along x. Plain C rather than ITK's resampling: the axes are parallel, so nothing has to go
 * through physical positions and their rounding, and only a byte per node is stored. */
static void sample_row(const ht_isosurface *surface, const span *along, const float *line[4],
                       const double weight[4], int count, uint8_t *inside) {
  int dim = surface->field.grid.dim[0], i;
  double x, blended[2];
  for (int n = 0; n < count; n++) {
    between(along, dim, n, &i, &x);
    for (int e = 0; e < 2; e++) {
      int voxel = i + (e && dim > 1);
      blended[e] = 0;
      for (int l = 0; l < 4; l++) blended[e] += weight[l] * line[l][voxel];
    }
    double value = blended[0] + x * (blended[1] - blended[0]);
    inside[n] = value >= surface->lower && value <= surface->upper;
  }
}

static ht_status sample(const ht_isosurface *surface, const span along[3],
                        const ht_progress *progress, ht_mask *mask) {
  const int *dim = surface->field.grid.dim, *nodes = mask->grid.dim;
  int64_t row = dim[0], slice = row * dim[1];
  for (int n2 = 0; n2 < nodes[2]; n2++) {
    int k;
    double z;
    HT_TRY(ht_progress_report(progress, "segment", n2, nodes[2], "lattice"));
    between(&along[2], dim[2], n2, &k, &z);
#pragma omp parallel for
    for (int n1 = 0; n1 < nodes[1]; n1++) {
      int j;
      double y;
      between(&along[1], dim[1], n1, &j, &y);
      int64_t up = dim[1] > 1 ? row : 0, over = dim[2] > 1 ? slice : 0;
      const float *line = surface->field.values + k * slice + j * row;
      const float *lines[4] = {line, line + up, line + over, line + over + up};
      double weight[4] = {(1 - y) * (1 - z), y * (1 - z), (1 - y) * z, y * z};
      sample_row(surface, &along[0], lines, weight, nodes[0],
                 mask->inside + ((int64_t)n2 * nodes[1] + n1) * nodes[0]);
    }
  }
  return HT_OK;
}

/* Computes the box to keep: the vessel with its margin, up to the border where the vessel meets
 * it. */
static ht_box trimmed(const ht_isosurface *surface, const ht_mask *mask) {
  const int *dim = surface->field.grid.dim;
  ht_box box = ht_box_of_mask(mask);
  for (int a = 0; a < 3; a++) {
    int last = mask->grid.dim[a] - 1;
    int at_low = box.first[a] == 0 && surface->box.first[a] == 0;
    int at_high = box.last[a] == last && surface->box.last[a] == dim[a] - 1;
    if (!at_low) box.first[a] -= margin_nodes;
    if (!at_high) box.last[a] += margin_nodes;
  }
  return box;
}

static ht_status finish(const ht_isosurface *surface, const double *seed_mm, ht_mask *whole,
                        ht_mask *mask) {
  HT_TRY(ht_mask_keep_piece(whole, seed_mm, NULL, NULL));
  if (ht_mask_count(whole) == 0)
    return ht_fail(HT_ERR_VESSEL,
                   "the vessel is so thin that no node of a lattice of %.3g mm spacing lies in it: "
                   "set a smaller lattice.spacing_mm, or more nodes_across",
                   whole->grid.spacing_mm[0]);
  HT_TRY(ht_mask_fill_cavities(whole));
  ht_box box = trimmed(surface, whole);
  return ht_mask_crop(whole, &box, mask);
}

ht_status ht_isosurface_sample(const ht_isosurface *surface, double spacing_mm, int64_t max_voxels,
                               const double *seed_mm, const ht_progress *progress, ht_mask *mask) {
  ht_grid grid;
  span along[3];
  ht_mask whole = {0};
  memset(mask, 0, sizeof *mask);
  HT_TRY(lattice_grid(surface, spacing_mm, max_voxels, along, &grid));
  HT_TRY(ht_mask_alloc(&grid, &whole));
  ht_status status = sample(surface, along, progress, &whole);
  if (status == HT_OK) status = finish(surface, seed_mm, &whole, mask);
  ht_mask_free(&whole);
  return status;
}

/* Width of the widest place: twice the largest distance to the surface. Distances run to the first
 * centre outside, half a node beyond the surface. */
static ht_status widest_place(const ht_mask *mask, const ht_progress *progress, double *diameter) {
  ht_mask outer = {0};
  ht_volume depth = {0};
  int64_t voxels = ht_grid_voxels(&mask->grid);
  *diameter = 0;
  if (ht_mask_count(mask) == voxels) {
    for (int a = 0; a < 3; a++)
      *diameter = fmax(*diameter, mask->grid.dim[a] * mask->grid.spacing_mm[a]);
    return HT_OK;
  }
  HT_TRY(ht_mask_alloc(&mask->grid, &outer));
  for (int64_t v = 0; v < voxels; v++) outer.inside[v] = !mask->inside[v];
  ht_status status = ht_itk_distance(&outer, progress, &depth);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    *diameter = fmax(*diameter, 2 * depth.values[v] - mask->grid.spacing_mm[0]);
  ht_volume_free(&depth);
  ht_mask_free(&outer);
  return status;
}

/* The widest end inside the mask, an open one where there is one: it becomes an opening. */
static ht_status widest_end(const ht_mask *trial, const ht_openings *known, double *diameter) {
  ht_ends ends;
  double widest[2] = {0, 0};
  HT_TRY(ht_ends_find(trial, known, &ends));
  for (int i = 0; i < ends.count; i++) {
    int thin = ends.item[i].kind == HT_END_THIN;
    if (ends.item[i].kind != HT_END_BLIND)
      widest[thin] = fmax(widest[thin], 2 * ends.item[i].opening.radius_mm);
  }
  *diameter = fmax(*diameter, widest[0] > 0 || *diameter > 0 ? widest[0] : widest[1]);
  return HT_OK;
}

/* Measures the widest opening. Looks for ends inside on this lattice where there is no opening at
 * the border, or where its opening needs a far finer lattice: compared with that this search costs
 * little. */
static ht_status measure(const ht_mask *trial, double nodes, const ht_progress *progress,
                         double *diameter) {
  const double far_finer = 1.25;
  ht_openings openings = {0};
  int ignored;
  *diameter = 0;
  ht_status status = ht_openings_at_border(trial, &openings, &ignored);
  for (int i = 0; i < openings.count && status == HT_OK; i++)
    *diameter = fmax(*diameter, 2 * openings.item[i].radius_mm);
  if (status != HT_OK && status != HT_ERR_OPENINGS) return status;
  if (far_finer * *diameter / nodes < trial->grid.spacing_mm[0])
    HT_TRY(widest_end(trial, &openings, diameter));
  return *diameter > 0 ? HT_OK : widest_place(trial, progress, diameter);
}

ht_status ht_isosurface_spacing(const ht_isosurface *surface, double nodes,
                                const ht_progress *progress, double *spacing_mm,
                                double *diameter_mm) {
  const double most = 1e7; /* nodes of the trial lattice */
  double trial_mm = smallest_spacing(&surface->field.grid) / 2;
  ht_mask trial = {0};
  while (nodes_of(surface, trial_mm) > most) trial_mm *= 1.1;
  HT_TRY(ht_isosurface_sample(surface, trial_mm, 0, NULL, progress, &trial));
  ht_status status = measure(&trial, nodes, progress, diameter_mm);
  ht_mask_free(&trial);
  *spacing_mm = *diameter_mm / nodes;
  return status;
}
