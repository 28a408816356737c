#include "tests/segment/truth/scene_score.h"
#include "phantom/image/padded_image.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 6, RAYS = 32 };

/* A Gaussian moves the middle of a step with curvature k by k sigma^2 / 2 inward, and
 * lowers it there by k sigma: in (1 + a) G - a G G this cancels for a = 1 / (sqrt(2) - 1). */
static const double share = 1 + 1.41421356237309505;

static const double leak_voxels = 1.5; /* farther outside is leak, not wall */

/* ---- Lists of numbers ---- */

typedef struct {
  int64_t count, room;
  double *item;
} list;

static ht_status list_add(list *l, double value) {
  if (l->count == l->room) {
    int64_t room = l->room ? 2 * l->room : 4096;
    double *item = realloc(l->item, (size_t)room * sizeof *item);
    if (!item) return ht_fail(HT_ERR_MEMORY, "no memory for the scores of a scene");
    l->item = item;
    l->room = room;
  }
  l->item[l->count++] = value;
  return HT_OK;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value that a share of the list lies below; sorts it; 0 of an empty list. */
static double list_quantile(list *l, double share) {
  if (l->count == 0) return 0;
  qsort(l->item, (size_t)l->count, sizeof *l->item, ascending);
  return l->item[(int64_t)(share * (double)(l->count - 1))];
}

static double list_mean(const list *l) {
  double sum = 0;
  for (int64_t i = 0; i < l->count; i++) sum += l->item[i];
  return l->count ? sum / (double)l->count : 0;
}

/* ---- The found vessel as a smooth field: > 1/2 inside ---- */

typedef struct {
  const ht_scene *scene;
  ht_grid grid; /* of the mask */
  ht_padded_image smooth;
  list wall, surface; /* signed at the found wall; sizes, both ways */
} comparison;

static ht_status field_make(const ht_mask *found, comparison *c) {
  ht_padded_image twice = {0}, *once = &c->smooth;
  const int *dim = found->grid.dim;
  ht_status status = HT_OK;
  c->grid = found->grid;
  HT_TRY_DONE(ht_padded_image_make(&found->grid, PAD, once));
  HT_TRY_DONE(ht_padded_image_make(&found->grid, PAD, &twice));
  for (int64_t v = 0; v < ht_grid_voxels(&found->grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    for (int a = 0; a < 3; a++) at[a] += PAD;
    once->value[ht_voxel_index(once->dim, at)] = found->inside[v] != 0;
  }
  size_t size = (size_t)once->dim[0] * (size_t)once->dim[1] * (size_t)once->dim[2];
  HT_TRY_DONE(ht_padded_image_blur(once, 1));
  memcpy(twice.value, once->value, size * sizeof *once->value);
  HT_TRY_DONE(ht_padded_image_blur(&twice, 1));
  for (size_t v = 0; v < size; v++)
    once->value[v] = (float)((1 + share) * once->value[v] - share * twice.value[v]);
done:
  free(twice.value);
  return status;
}

/* Linear between the nodes; 0 outside. */
static double field_at(const comparison *c, const double p[3]) {
  double index[3], value = 0;
  int base[3];
  ht_grid_index(&c->grid, p, index);
  for (int a = 0; a < 3; a++) {
    index[a] += PAD;
    base[a] = (int)floor(index[a]);
    if (!(index[a] >= 0 && base[a] + 1 < c->smooth.dim[a])) return 0;
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int at[3];
    for (int a = 0; a < 3; a++) {
      int up = corner >> a & 1;
      at[a] = base[a] + up;
      weight *= up ? index[a] - base[a] : 1 - (index[a] - base[a]);
    }
    value += weight * c->smooth.value[ht_voxel_index(c->smooth.dim, at)];
  }
  return value;
}

/* ---- The voxels ---- */

static void count_voxels(comparison *c, ht_scene_score *score) {
  const ht_scene *scene = c->scene;
  const ht_grid *grid = &scene->scan.grid;
  int64_t truth = 0, found = 0, both = 0, all = 0, leak = 0;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    double p[3], away = scene->distance.values[v] / scene->voxel_mm;
    ht_grid_voxel_position(grid, v, p);
    int is = scene->truth.inside[v], has = field_at(c, p) >= 0.5;
    all += has;
    leak += has && away > leak_voxels;
    if ((!is && !has) || !ht_scene_counts(scene, p)) continue;
    truth += is;
    found += has;
    both += is && has;
  }
  double ml = grid->spacing_mm[0] * grid->spacing_mm[1] * grid->spacing_mm[2] * 1e-3;
  score->dice = 2 * (double)both / fmax(1, (double)(truth + found));
  score->leak = (double)leak / fmax(1, (double)all);
  score->leak_ml = (double)leak * ml;
}

/* ---- The walls ---- */

static ht_status found_wall_at(comparison *c, const double p[3]) {
  if (!ht_scene_counts(c->scene, p)) return HT_OK;
  double away = ht_scene_distance(c->scene, p) / c->scene->voxel_mm;
  away = fmin(fmax(away, -HT_SCENE_FAR), HT_SCENE_FAR);
  HT_TRY(list_add(&c->wall, away));
  return list_add(&c->surface, fabs(away));
}

/* The way (voxels) to the found wall along the true wall's normal. */
static double way_to_found(const comparison *c, const double p[3], const double normal[3]) {
  double step = 0.1 * c->scene->voxel_mm;
  int inside = field_at(c, p) >= 0.5;
  for (int n = 1; n <= 10 * HT_SCENE_FAR; n++) {
    double q[3]; /* a wall that is too far out is found outwards, and the other way round */
    for (int k = 0; k < 3; k++) q[k] = p[k] + (inside ? n : -n) * step * normal[k];
    if ((field_at(c, q) >= 0.5) != inside) return 0.1 * (n - 0.5);
  }
  return HT_SCENE_FAR;
}

static ht_status true_wall_at(comparison *c, const double p[3]) {
  double normal[3], step = 0.05 * c->scene->voxel_mm;
  if (!ht_scene_counts(c->scene, p)) return HT_OK;
  for (int k = 0; k < 3; k++) {
    double q[3] = {p[0], p[1], p[2]}, ahead;
    q[k] += step;
    ahead = ht_scene_distance(c->scene, q);
    q[k] -= 2 * step;
    normal[k] = ahead - ht_scene_distance(c->scene, q);
  }
  ht_normalise(normal);
  return list_add(&c->surface, way_to_found(c, p, normal));
}

/* Calls `visit` wherever a field [nz][ny][nx] crosses a level between two neighbours of a grid,
 * whose first node is (first, first, first) of it. */
static ht_status each_crossing(comparison *c, const ht_grid *grid, const float *value,
                               const int dim[3], int first, double level,
                               ht_status (*visit)(comparison *, const double p[3])) {
  const int64_t stride[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  for (int64_t v = 0; v < stride[2] * dim[2]; v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    for (int a = 0; a < 3; a++) {
      if (at[a] + 1 == dim[a]) continue;
      double here = value[v] - level, next = value[v + stride[a]] - level;
      if ((here < 0) == (next < 0)) continue;
      double index[3], p[3];
      for (int k = 0; k < 3; k++) index[k] = at[k] - first;
      index[a] += here / (here - next);
      ht_grid_position(grid, index, p);
      HT_TRY(visit(c, p));
    }
  }
  return HT_OK;
}

static ht_status compare_walls(comparison *c, ht_scene_score *score) {
  const ht_volume *truth = &c->scene->distance;
  HT_TRY(each_crossing(c, &c->grid, c->smooth.value, c->smooth.dim, PAD, 0.5, found_wall_at));
  HT_TRY(each_crossing(c, &truth->grid, truth->values, truth->grid.dim, 0, 0, true_wall_at));
  score->surface_mean = list_mean(&c->surface);
  score->surface_p95 = list_quantile(&c->surface, 0.95);
  score->wall_bias = list_mean(&c->wall);
  for (int64_t i = 0; i < c->wall.count; i++) c->wall.item[i] = fabs(c->wall.item[i]);
  score->wall_median = list_quantile(&c->wall, 0.5);
  return HT_OK;
}

/* ---- The centreline ---- */

typedef struct {
  double radius, centre[2]; /* of the circle with the area; centroid, from the axis */
} section;

/* > 0 inside. */
static double depth_at(const comparison *c, int of_truth, const double p[3]) {
  return of_truth ? -ht_scene_distance(c->scene, p) : field_at(c, p) - 0.5;
}

/* Length of the vessel from the axis along a ray, at most `limit`. */
static double ray_length(const comparison *c, int of_truth, const double from[3],
                         const double ray[3], double limit) {
  double step = 0.25 * c->scene->voxel_mm, last = depth_at(c, of_truth, from);
  for (double s = step; s < limit; s += step) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = from[k] + s * ray[k];
    double here = depth_at(c, of_truth, p);
    if (here < 0) return s - step + step * last / (last - here);
    last = here;
  }
  return limit;
}

static section section_at(const comparison *c, int of_truth, const double station[4],
                          const double across[2][3]) {
  double length[RAYS], way[RAYS][2], area = 0, moment[2] = {0, 0};
  for (int n = 0; n < RAYS; n++) {
    double angle = 2 * HT_PI * n / RAYS, ray[3];
    way[n][0] = cos(angle);
    way[n][1] = sin(angle);
    for (int k = 0; k < 3; k++) ray[k] = way[n][0] * across[0][k] + way[n][1] * across[1][k];
    length[n] = ray_length(c, of_truth, station, ray, 3 * station[3] + 2 * c->scene->voxel_mm);
  }
  for (int n = 0; n < RAYS; n++) { /* triangles from the axis */
    int m = (n + 1) % RAYS;
    double part = 0.5 * length[n] * length[m] * sin(2 * HT_PI / RAYS);
    area += part;
    for (int k = 0; k < 2; k++)
      moment[k] += part * (length[n] * way[n][k] + length[m] * way[m][k]) / 3;
  }
  double round = RAYS * sin(2 * HT_PI / RAYS) / 2; /* a polygon is smaller than its circle */
  return (section){sqrt(area / round), {moment[0] / area, moment[1] / area}};
}

static ht_status compare_station(comparison *c, int path, int i, list *centre, list *radius) {
  const ht_scene_path *way = &c->scene->path[path];
  int before = i > 0 ? i - 1 : i, after = i + 1 < way->stations ? i + 1 : i;
  double along[3], across[2][3], voxel = c->scene->voxel_mm;
  for (int k = 0; k < 3; k++) along[k] = way->station[after][k] - way->station[before][k];
  ht_normalise(along);
  ht_span_across(along, across);
  section truth = section_at(c, 1, way->station[i], across);
  section found = section_at(c, 0, way->station[i], across);
  double off = hypot(found.centre[0] - truth.centre[0], found.centre[1] - truth.centre[1]);
  HT_TRY(list_add(centre, off / voxel));
  return list_add(radius, (found.radius - truth.radius) / voxel);
}

static ht_status compare_centrelines(comparison *c, ht_scene_score *score) {
  list centre = {0}, radius = {0};
  int64_t stations = 0, covered = 0;
  ht_status status = HT_OK;
  for (int path = 0; path + 1 < c->scene->points; path++)
    for (int i = 0; i < c->scene->path[path].stations; i++) {
      const double *p = c->scene->path[path].station[i];
      if (!ht_scene_counts(c->scene, p)) continue;
      int is = field_at(c, p) >= 0.5;
      stations++;
      covered += is;
      if (is && ht_scene_is_plain(c->scene, path, i))
        HT_TRY_DONE(compare_station(c, path, i, &centre, &radius));
    }
  score->overlap = (double)covered / fmax(1, (double)stations);
  score->plain = radius.count;
  score->radius_bias = list_mean(&radius);
  score->centre_median = list_quantile(&centre, 0.5);
  score->centre_most = list_quantile(&centre, 1);
done:
  free(centre.item);
  free(radius.item);
  return status;
}

ht_status ht_scene_score_mask(const ht_scene *scene, const ht_mask *found, ht_scene_score *score) {
  comparison c = {.scene = scene};
  ht_status status = HT_OK;
  memset(score, 0, sizeof *score);
  HT_TRY_DONE(field_make(found, &c));
  count_voxels(&c, score);
  HT_TRY_DONE(compare_walls(&c, score));
  HT_TRY_DONE(compare_centrelines(&c, score));
done:
  free(c.smooth.value);
  free(c.wall.item);
  free(c.surface.item);
  return status;
}

const char *const ht_scene_bar_words[HT_SCENE_BARS] = {"not whole", "leak", "wall", "centreline"};

unsigned ht_scene_score_missed(const ht_scene_score *score) {
  const int missed[HT_SCENE_BARS] = {score->overlap<0.98, score->leak> 0.02,
                                     score->wall_median > 0.25, score->centre_median > 0.5};
  unsigned bits = 0;
  for (int n = 0; n < HT_SCENE_BARS; n++) bits |= missed[n] ? 1u << n : 0;
  return bits;
}
