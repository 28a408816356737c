#include "segment/path/search.h"
#include "segment/shape/heap.h"
#include "segment/shape/neighbour.h"
#include "segment/path/places.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dark_cost = 60, bright_cost = 20, edge_cost = 15;
static const double dark_below = 0.85, bright_above = 1.4; /* of the contrast */
static const double most_detour = 15, least_reach = 200;   /* voxels */
static const double darkest_way = 0.9;  /* darkness (below) of a way along the brightest voxels */
static const double of_brightest = 0.7; /* of that way's darkest voxel: what is left out */
static const double wide_step = 0.75;   /* radii: voxels that tell a wide vessel from a thin one */

enum { NO_STEP = 255 };

/* Data of a voxel that the front reached. */
typedef struct {
  float value; /* smoothed; NAN: not yet, */
  float price; /* of a way through it; NAN: not yet */
  float cost;  /* from the root; INFINITY: not reached */
  uint8_t step, done;
} cell;

typedef struct {
  const ht_volume *scan;
  ht_blood_values values;
  double voxel_mm;
  int seeks_darkness; /* 1: costs are the darkness of the darkest voxel on the way */
  double darkest;     /* voxels that are darker are left out */
  ht_places places;   /* of the cells */
  cell *cell;
  int32_t cells, room;
  ht_heap heap;
} front;

void ht_paths_free(ht_paths *paths) {
  free(paths->voxel);
  free(paths->before);
  memset(paths, 0, sizeof *paths);
}

static ht_status front_make(const ht_volume *scan, const ht_blood_values *values, front *f) {
  const double *s = scan->grid.spacing_mm;
  memset(f, 0, sizeof *f);
  f->scan = scan;
  f->values = *values;
  f->voxel_mm = cbrt(s[0] * s[1] * s[2]);
  f->darkest = INFINITY;
  return ht_places_make(scan->grid.dim, &f->places);
}

static void front_free(front *f) {
  ht_places_free(&f->places);
  free(f->cell);
  free(f->heap.item);
}

static ht_status no_memory(void) {
  return ht_fail(HT_ERR_MEMORY, "no memory for the way between the points");
}

/* The number of a voxel's cell. */
static ht_status cell_at(front *f, const int at[3], int32_t *number) {
  *number = ht_places_get(&f->places, at);
  if (*number >= 0) return HT_OK;
  if (f->cells == f->room) {
    if (f->room > INT32_MAX / 2) return no_memory();
    int32_t room = f->room ? 2 * f->room : 4096;
    cell *more = realloc(f->cell, (size_t)room * sizeof *more);
    if (!more) return no_memory();
    f->cell = more;
    f->room = room;
  }
  *number = f->cells++;
  f->cell[*number] = (cell){NAN, NAN, INFINITY, NO_STEP, 0};
  return ht_places_set(&f->places, at, *number);
}

/* The mean over a voxel and those `step` voxels off, with the weights 1 2 1 along each axis. */
static double smoothed(const ht_volume *scan, const int at[3], const int step[3]) {
  const int *dim = scan->grid.dim;
  double sum = 0, weights = 0;
  for (int n = 0; n < 27; n++) {
    int next[3], offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      next[a] = at[a] + offset[a] * step[a];
      weight *= offset[a] ? 1 : 2;
    }
    if (!ht_voxel_in_grid(dim, next)) continue;
    double value = scan->values[ht_voxel_index(dim, next)];
    if (!isfinite(value)) continue;
    sum += weight * value;
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

static ht_status value_at(front *f, const int at[3], double *value) {
  int32_t c;
  HT_TRY(cell_at(f, at, &c));
  if (isnan(f->cell[c].value))
    f->cell[c].value = (float)smoothed(f->scan, at, (const int[3]){1, 1, 1});
  *value = f->cell[c].value;
  return HT_OK;
}

/* Computes the squared gradient, of the contrast over a voxel. */
static ht_status gradient_at(front *f, const int at[3], double *squared) {
  const int *dim = f->scan->grid.dim;
  double contrast = f->values.least_blood - f->values.tissue;
  *squared = 0;
  for (int a = 0; a < 3; a++) {
    int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    double below, above;
    low[a] -= at[a] > 0;
    high[a] += at[a] + 1 < dim[a];
    if (low[a] == high[a]) continue;
    HT_TRY(value_at(f, low, &below));
    HT_TRY(value_at(f, high, &above));
    double over = (high[a] - low[a]) * f->scan->grid.spacing_mm[a] / f->voxel_mm;
    double slope = (above - below) / contrast / over;
    *squared += slope * slope;
  }
  return HT_OK;
}

/* Darkness of a voxel that is filled by so much of the contrast: 0 as blood, 1 as tissue. */
static double darkness(double full) {
  return fmin(1, fmax(0, dark_below - full) / dark_below);
}

/* The contrast over the width of a vessel, which fills a thin one in part. */
static double wide_full(const front *f, const int at[3]) {
  const ht_blood_values *v = &f->values;
  int step[3];
  for (int a = 0; a < 3; a++)
    step[a] = (int)fmax(1, lround(wide_step * v->radius_mm / f->scan->grid.spacing_mm[a]));
  return (smoothed(f->scan, at, step) - v->tissue) / (v->least_blood - v->tissue);
}

static int is_closed(const front *f, int64_t voxel) {
  const ht_closed_ball *ball = &f->values.closed;
  double position[3];
  if (!(ball->radius_mm > 0)) return 0;
  ht_grid_voxel_position(&f->scan->grid, voxel, position);
  return ht_distance(position, ball->centre_mm) < ball->radius_mm;
}

/* Finds the price of a way of one mean voxel through this one. */
static ht_status price_of(front *f, const int at[3], double *price) {
  const ht_blood_values *v = &f->values;
  double value, edge;
  HT_TRY(value_at(f, at, &value));
  int64_t voxel = ht_voxel_index(f->scan->grid.dim, at);
  *price = INFINITY;
  if ((v->toll && isinf(v->toll[voxel])) || is_closed(f, voxel)) return HT_OK;
  double full = (value - v->tissue) / (v->least_blood - v->tissue);
  double bright = fmax(0, (value - v->tissue) / (v->most_blood - v->tissue) - bright_above);
  double dark = darkness(full);
  *price = fmin(1, dark + bright);
  if (f->seeks_darkness) return HT_OK;
  int is_out = *price > f->darkest;
  *price = INFINITY;
  if (is_out) return HT_OK;
  HT_TRY(gradient_at(f, at, &edge));
  if (v->by_brightest && v->radius_mm > 0) full = fmin(full, wide_full(f, at));
  if (v->fill) full = fmax(full, v->fill[voxel]);
  dark = darkness(full);
  *price = 1 + dark_cost * dark * dark + bright_cost * fmin(1, bright) + edge_cost * fmin(edge, 2);
  if (v->toll) *price += v->toll[voxel];
  return HT_OK;
}

static ht_status reach(front *f, const int next[3], int n, double from) {
  int32_t number;
  double price;
  HT_TRY(cell_at(f, next, &number));
  if (f->cell[number].done) return HT_OK;
  if (isnan(f->cell[number].price)) {
    HT_TRY(price_of(f, next, &price));
    f->cell[number].price = (float)price;
  }
  cell *c = &f->cell[number];
  double cost = from + c->price * ht_neighbour_mm(f->scan->grid.spacing_mm, n) / f->voxel_mm;
  if (f->seeks_darkness) cost = fmax(from, c->price);
  if (!(cost < c->cost)) return HT_OK;
  c->cost = (float)cost;
  c->step = (uint8_t)n;
  return ht_heap_push(&f->heap, c->cost, ht_voxel_index(f->scan->grid.dim, next));
}

/* Takes the cheapest voxel of the front; *voxel: -1 where it was taken before. */
static ht_status advance(front *f, int64_t *voxel, double *cost) {
  const int *dim = f->scan->grid.dim;
  ht_heap_item item = ht_heap_pop(&f->heap);
  int at[3], next[3];
  int32_t c;
  ht_voxel_place(dim, item.voxel, at);
  HT_TRY(cell_at(f, at, &c));
  *cost = item.key;
  *voxel = f->cell[c].done ? -1 : item.voxel;
  if (*voxel < 0) return HT_OK;
  f->cell[c].done = 1;
  for (int n = 0; n < HT_NEIGHBOURS; n++)
    if (ht_neighbour(dim, at, n, next)) HT_TRY(reach(f, next, n, item.key));
  return HT_OK;
}

static double straight(const front *f, int64_t from, int64_t to) {
  double a[3], b[3];
  ht_grid_voxel_position(&f->scan->grid, from, a);
  ht_grid_voxel_position(&f->scan->grid, to, b);
  return ht_distance(a, b) / f->voxel_mm;
}

static ht_status not_reached(const front *f, const int64_t *voxel, int point) {
  double a[3], b[3];
  ht_grid_voxel_position(&f->scan->grid, voxel[0], a);
  ht_grid_voxel_position(&f->scan->grid, voxel[point], b);
  return ht_fail(HT_ERR_VESSEL,
                 "no vessel joins point 1, [%.1f, %.1f, %.1f], and point %d, [%.1f, %.1f, %.1f]: "
                 "between them the scan is as dark as tissue, or as bright as bone; put both "
                 "points into one vessel, or give more points along it",
                 a[0], a[1], a[2], point + 1, b[0], b[1], b[2]);
}

/* Largest cost that is searched. */
static double limit_of(const front *f, const int64_t *voxel, int points) {
  double limit = 0;
  if (f->seeks_darkness) return darkest_way;
  if (f->values.toll || f->values.by_brightest) return INFINITY;
  for (int p = 1; p < points; p++)
    limit = fmax(limit, least_reach + most_detour * straight(f, voxel[0], voxel[p]));
  return limit;
}

/* Runs the front until all points are reached. */
static ht_status run(front *f, const int64_t *voxel, int points, const ht_progress *progress) {
  int left = points - 1, at[3], farthest = points - 1;
  double limit = limit_of(f, voxel, points), cost = 0;
  int32_t c;
  ht_voxel_place(f->scan->grid.dim, voxel[0], at);
  HT_TRY(cell_at(f, at, &c));
  f->cell[c].cost = 0;
  for (int p = 1; p < points; p++) left -= voxel[p] == voxel[0];
  HT_TRY(ht_heap_push(&f->heap, 0, voxel[0]));
  for (int64_t n = 0; left > 0 && f->heap.count > 0 && cost <= limit; n++) {
    int64_t taken;
    if (n % 65536 == 0)
      HT_TRY(ht_progress_report(progress, "segment", cost, 0, "the way between the points"));
    HT_TRY(advance(f, &taken, &cost));
    for (int p = 1; p < points && taken >= 0; p++) left -= taken == voxel[p];
  }
  for (int p = 1; p < points && left > 0; p++) {
    ht_voxel_place(f->scan->grid.dim, voxel[p], at);
    HT_TRY(cell_at(f, at, &c));
    if (!f->cell[c].done) farthest = p;
  }
  return left > 0 ? not_reached(f, voxel, farthest) : HT_OK;
}

/* Leaves out what is darker than the brightest ways to the points. */
static ht_status leave_dark_out(front *f, const int64_t *voxel, int points,
                                const ht_progress *progress) {
  f->seeks_darkness = 1;
  HT_TRY(run(f, voxel, points, progress));
  f->seeks_darkness = 0;
  f->darkest = 0;
  for (int p = 0; p < points; p++) {
    int at[3];
    int32_t c;
    ht_voxel_place(f->scan->grid.dim, voxel[p], at);
    HT_TRY(cell_at(f, at, &c));
    f->darkest = fmax(f->darkest, f->cell[c].cost);
  }
  f->darkest = 1 - of_brightest * (1 - f->darkest);
  f->heap.count = 0;
  for (int32_t c = 0; c < f->cells; c++)
    f->cell[c] = (cell){f->cell[c].value, NAN, INFINITY, NO_STEP, 0};
  return HT_OK;
}

static int place_in(const ht_paths *paths, int64_t voxel) {
  for (int n = 0; n < paths->count; n++)
    if (paths->voxel[n] == voxel) return n;
  return -1;
}

/* The way back from a point up to the paths already there: *length voxels into `way`. */
static ht_status trace(front *f, const ht_paths *paths, int64_t from, int64_t *way, int *length) {
  const int *dim = f->scan->grid.dim;
  int at[3];
  *length = 0;
  ht_voxel_place(dim, from, at);
  for (;;) {
    int32_t c;
    int64_t voxel = ht_voxel_index(dim, at);
    HT_TRY(cell_at(f, at, &c));
    if (place_in(paths, voxel) >= 0) return HT_OK;
    if (way) way[*length] = voxel;
    ++*length;
    if (f->cell[c].step == NO_STEP) return HT_OK;
    int back[3];
    ht_neighbour(dim, at, HT_NEIGHBOURS - 1 - f->cell[c].step, back);
    memcpy(at, back, sizeof at);
  }
}

/* Finds where the way to a point leaves the existing paths; -1 for the first. */
static ht_status parent_of(front *f, const ht_paths *paths, int64_t voxel, int *parent) {
  const int *dim = f->scan->grid.dim;
  int at[3], back[3];
  int32_t c;
  ht_voxel_place(dim, voxel, at);
  HT_TRY(cell_at(f, at, &c));
  *parent = -1;
  if (f->cell[c].step == NO_STEP) return HT_OK;
  ht_neighbour(dim, at, HT_NEIGHBOURS - 1 - f->cell[c].step, back);
  *parent = place_in(paths, ht_voxel_index(dim, back));
  return HT_OK;
}

static ht_status append(front *f, int64_t to, ht_paths *paths) {
  int length, at = paths->count, parent = -1;
  HT_TRY(trace(f, paths, to, NULL, &length));
  if (length == 0) return HT_OK;
  size_t room = (size_t)(at + length);
  int64_t *voxel = realloc(paths->voxel, room * sizeof *voxel);
  if (voxel) paths->voxel = voxel;
  int *before = realloc(paths->before, room * sizeof *before);
  if (before) paths->before = before;
  if (!voxel || !before) return no_memory();
  HT_TRY(trace(f, paths, to, voxel + at, &length));
  HT_TRY(parent_of(f, paths, voxel[at + length - 1], &parent));
  for (int i = 0; i < length / 2; i++) { /* the trace runs backwards */
    int64_t kept = voxel[at + i];
    voxel[at + i] = voxel[at + length - 1 - i];
    voxel[at + length - 1 - i] = kept;
  }
  for (int i = 0; i < length; i++) before[at + i] = i == 0 ? parent : at + i - 1;
  paths->count += length;
  return HT_OK;
}

ht_status ht_search_paths(const ht_volume *scan, const ht_blood_values *values,
                          const int64_t *voxel, int points, const ht_progress *progress,
                          ht_paths *paths, int *at_point) {
  front f;
  memset(paths, 0, sizeof *paths);
  ht_status status = front_make(scan, values, &f);
  if (status == HT_OK && values->by_brightest) status = leave_dark_out(&f, voxel, points, progress);
  if (status == HT_OK) status = run(&f, voxel, points, progress);
  for (int p = 1; p < points && status == HT_OK; p++) status = append(&f, voxel[p], paths);
  for (int p = 0; p < points && status == HT_OK; p++) at_point[p] = place_in(paths, voxel[p]);
  front_free(&f);
  if (status != HT_OK) ht_paths_free(paths);
  return status;
}
