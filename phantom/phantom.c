#include "phantom/phantom.h"
#include "phantom/phantom_image.h"
#include "phantom/phantom_shapes.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NOISE_MAX = 0.5;
static const double SLICE_TO_PLANE = 1.25;
static const int SIDE_MAX = 1024; /* voxels */

static int kind_known(ht_phantom_kind kind) {
  return (int)kind >= 0 && kind < HT_PHANTOM_KINDS;
}

void ht_phantom_defaults(ht_phantom_kind kind, ht_phantom_options *options) {
  const ht_shape *shape = ht_shape_of(kind);
  ht_shape_defaults(kind, options);
  options->seed = 1;
  options->spacing_mm = 0; /* a child's scan is finer than an adult's */
  options->noise = shape->noise;
  options->tilt_degrees = shape->tilt_degrees;
}

ht_status ht_phantom_kind_parse(const char *name, ht_phantom_kind *kind) {
  for (int i = 0; i < HT_PHANTOM_KINDS; i++) {
    if (strcmp(name, ht_shape_name(i)) != 0) continue;
    *kind = (ht_phantom_kind)i;
    return HT_OK;
  }
  return ht_fail(HT_ERR_USAGE,
                 "there is no phantom '%s': choose aneurysm, coarctation, pipe, pipe-oblique, "
                 "fda-nozzle or stenosis (`hemotile phantom` alone: scene, volumes)",
                 name);
}

/* Fills in the shape's own values for options of the scan that were left out, and checks the
 * others. */
static ht_status options_resolve(const ht_shape *shape, const ht_phantom_options *asked,
                                 ht_phantom_options *options) {
  *options = *asked;
  if (options->spacing_mm == 0) options->spacing_mm = shape->spacing_mm;
  if (options->noise < 0) options->noise = shape->noise;
  if (isnan(options->tilt_degrees)) options->tilt_degrees = shape->tilt_degrees;
  double longest = fmax(shape->box_mm[0], fmax(shape->box_mm[1], shape->box_mm[2]));
  double finest = longest / SIDE_MAX, coarsest = shape->smallest_radius_mm;
  if (!(options->spacing_mm >= finest && options->spacing_mm <= coarsest))
    return ht_fail(
        HT_ERR_USAGE,
        "the phantom's spacing is %g mm: allowed is %.3g (%d voxels a side) to %.3g (the "
        "radius of its thinnest vessel)",
        options->spacing_mm, finest, SIDE_MAX, coarsest);
  if (!(options->noise <= NOISE_MAX))
    return ht_fail(HT_ERR_USAGE,
                   "the phantom's noise is %g of the vessel's contrast: allowed is 0 to %g",
                   options->noise, NOISE_MAX);
  if (!(fabs(options->tilt_degrees) <= shape->tilt_max_degrees))
    return ht_fail(
        HT_ERR_USAGE,
        "the phantom's tilt is %g degrees: allowed is -%g to %g (farther, a vessel would "
        "leave the scan over an edge)",
        options->tilt_degrees, shape->tilt_max_degrees, shape->tilt_max_degrees);
  return HT_OK;
}

static ht_grid grid_make(const ht_shape *shape, const ht_phantom_options *options) {
  static const double oblique[3] = {0.6, -0.64, 0.48}; /* to all three axes; unit */
  ht_grid grid = ht_grid_make(1, 1, 1);
  ht_turn(oblique, options->tilt_degrees, grid.direction);
  double middle[3], centre[3];
  for (int a = 0; a < 3; a++) {
    grid.spacing_mm[a] = options->spacing_mm * (a == 2 ? SLICE_TO_PLANE : 1);
    grid.dim[a] = (int)fmax(8, nearbyint(shape->box_mm[a] / grid.spacing_mm[a]));
    middle[a] = 0.5 * (grid.dim[a] - 1);
  }
  ht_grid_position(&grid, middle, centre);
  for (int r = 0; r < 3; r++) grid.origin_mm[r] = -centre[r];
  return grid;
}

/* ---- Openings: where the centrelines cross the planes of the outermost voxel centres ---- */

/* > 0 outside; *face is 2 * axis + (1 at the upper end) of the face that is crossed first. */
static double beyond(const ht_grid *grid, const double index[3], int *face) {
  double most = -HUGE_VAL;
  for (int f = 0; f < 6; f++) {
    int a = f / 2;
    double over = (f % 2 ? index[a] - (grid->dim[a] - 1) : -index[a]) * grid->spacing_mm[a];
    if (over <= most) continue;
    most = over;
    *face = f;
  }
  return most;
}

static void opening_at(const ht_grid *grid, const double inner[4], const double outer[4], double t,
                       int face, ht_opening *opening) {
  double along[3] = {0}, length = 0;
  for (int c = 0; c < 3; c++) {
    opening->centre_mm[c] = inner[c] + t * (outer[c] - inner[c]);
    opening->direction[c] = outer[c] - inner[c];
    length += opening->direction[c] * opening->direction[c];
  }
  along[face / 2] = face % 2 ? 1 : -1;
  ht_grid_to_lps(grid, along, opening->normal);
  for (int c = 0; c < 3; c++) opening->direction[c] /= sqrt(length);
  opening->radius_mm = inner[3] + t * (outer[3] - inner[3]);
  opening->area_mm2 = HT_PI * opening->radius_mm * opening->radius_mm;
  opening->at_border = 1;
}

/* The point of the tube that is deepest in the scan: a branch may be mostly outside. */
static int deepest_point(const ht_grid *grid, const ht_tube *tube) {
  int best = 0, face;
  double least = HUGE_VAL, index[3];
  for (int i = 0; i < tube->points; i++) {
    ht_grid_index(grid, tube->point[i], index);
    double over = beyond(grid, index, &face);
    if (over >= least) continue;
    least = over;
    best = i;
  }
  return best;
}

/* Follows the tube from its deepest point to one end. 0 where it does not leave the scan there. */
static int opening_find(const ht_grid *grid, const ht_tube *tube, int end, ht_opening *opening) {
  int step = end ? 1 : -1, face = 0;
  double from[3], to[3];
  for (int i = deepest_point(grid, tube) + step; i >= 0 && i < tube->points; i += step) {
    ht_grid_index(grid, tube->point[i], to);
    if (beyond(grid, to, &face) <= 0) continue;
    ht_grid_index(grid, tube->point[i - step], from);
    int axis = face / 2;
    double plane = face % 2 ? grid->dim[axis] - 1 : 0;
    double t = (plane - from[axis]) / (to[axis] - from[axis]);
    opening_at(grid, tube->point[i - step], tube->point[i], t, face, opening);
    return 1;
  }
  return 0;
}

static ht_status openings_find(const ht_grid *grid, const ht_shape *shape, ht_openings *openings) {
  for (int t = 0; t < shape->tubes; t++) {
    for (int end = 0; end < 2; end++) {
      const ht_tube_end *wanted = &shape->tube[t].end[end];
      if (!wanted->name) continue;
      ht_opening *opening = &openings->item[openings->count];
      if (!opening_find(grid, &shape->tube[t], end, opening))
        return ht_fail(HT_ERR_INTERNAL,
                       "the phantom's vessel '%s' does not reach the scan's border", wanted->name);
      snprintf(opening->name, sizeof opening->name, "%s", wanted->name);
      opening->role = wanted->role;
      opening->flow_ml_s = wanted->flow_ml_s;
      openings->count++;
    }
  }
  return HT_OK;
}

static double pipe_length(const ht_openings *openings) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    double d = openings->item[0].centre_mm[c] - openings->item[1].centre_mm[c];
    square += d * d;
  }
  return sqrt(square);
}

static ht_status fill(const ht_shape *shape, const ht_phantom_options *used,
                      const ht_progress *progress, ht_phantom *phantom) {
  ht_grid grid = grid_make(shape, used);
  HT_TRY(ht_volume_alloc(&grid, &phantom->scan));
  HT_TRY(ht_volume_alloc(&grid, &phantom->distance));
  HT_TRY(ht_mask_alloc(&grid, &phantom->truth));
  HT_TRY(openings_find(&grid, shape, &phantom->openings));
  HT_TRY(ht_phantom_paint(shape, used->seed, used->noise, progress, phantom));
  snprintf(phantom->scan.modality, sizeof phantom->scan.modality, "CT");
  phantom->pipe_radius_mm = shape->pipe_radius_mm;
  if (shape->pipe_radius_mm > 0) phantom->pipe_length_mm = pipe_length(&phantom->openings);
  phantom->narrowing = shape->narrowing;
  phantom->density_kg_m3 = shape->density_kg_m3;
  phantom->viscosity_pa_s = shape->viscosity_pa_s;
  return HT_OK;
}

ht_status ht_phantom_make(const ht_phantom_options *options, const ht_progress *progress,
                          ht_phantom *phantom) {
  memset(phantom, 0, sizeof *phantom);
  ht_phantom_options used;
  ht_shape *shape;
  if (!kind_known(options->kind))
    return ht_fail(HT_ERR_USAGE, "the phantom kind %d is not known", (int)options->kind);
  HT_TRY(ht_shape_make(options, &shape));
  ht_status status = options_resolve(shape, options, &used);
  if (status == HT_OK) status = fill(shape, &used, progress, phantom);
  if (status != HT_OK) ht_phantom_free(phantom);
  free(shape);
  return status;
}

void ht_phantom_free(ht_phantom *phantom) {
  if (!phantom) return;
  ht_volume_free(&phantom->scan);
  ht_volume_free(&phantom->distance);
  ht_mask_free(&phantom->truth);
  memset(phantom, 0, sizeof *phantom);
}

double ht_phantom_distance(ht_phantom_kind kind, const double position_mm[3]) {
  return ht_shape_distance(ht_shape_of(kind), position_mm, NULL);
}
