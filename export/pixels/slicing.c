#include "export/pixels/slicing.h"
#include "core/work/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ht_lookup lookup_of(const ht_grid *grid) {
  ht_lookup lookup;
  for (int a = 0; a < 3; a++) {
    lookup.dim[a] = grid->dim[a];
    lookup.shift[a] = 0;
    for (int r = 0; r < 3; r++) {
      lookup.row[a][r] = grid->direction[r][a] / grid->spacing_mm[a];
      lookup.shift[a] -= lookup.row[a][r] * grid->origin_mm[r];
    }
  }
  return lookup;
}

static void index_of(const ht_lookup *lookup, const double p[3], double index[3]) {
  for (int a = 0; a < 3; a++)
    index[a] = lookup->row[a][0] * p[0] + lookup->row[a][1] * p[1] + lookup->row[a][2] * p[2] +
               lookup->shift[a];
}

int ht_lookup_stencil(const ht_lookup *lookup, const double position_mm[3], ht_stencil *stencil) {
  double index[3];
  int64_t place[3][2], stride = 1; /* of the lower and the upper neighbour; -1: none */
  float share[3][2];
  index_of(lookup, position_mm, index);
  for (int a = 0; a < 3; a++) {
    if (!(index[a] > -1 && index[a] < lookup->dim[a])) return 0;
    int64_t low = (int64_t)(index[a] + 1) - 1; /* floor, without a call: index > -1 */
    share[a][1] = (float)(index[a] - (double)low);
    share[a][0] = 1 - share[a][1];
    place[a][0] = low >= 0 ? low * stride : -1;
    place[a][1] = low + 1 < lookup->dim[a] ? (low + 1) * stride : -1;
    stride *= lookup->dim[a];
  }
  for (int c = 0; c < 8; c++) {
    int64_t x = place[0][c & 1], y = place[1][c >> 1 & 1], z = place[2][c >> 2];
    stencil->weight[c] = share[0][c & 1] * share[1][c >> 1 & 1] * share[2][c >> 2];
    stencil->voxel[c] = (x | y | z) < 0 ? -1 : x + y + z;
  }
  return 1;
}

float ht_sample_scan(const void *scan_source, const double position_mm[3]) {
  const ht_scan_source *scan = scan_source;
  double index[3];
  int64_t low[3], step[3], stride = 1;
  float part[3], along[2][2];
  index_of(&scan->lookup, position_mm, index);
  for (int a = 0; a < 3; a++) {
    int dim = scan->lookup.dim[a];
    if (!(index[a] >= -0.5 && index[a] <= dim - 0.5)) return NAN;
    double at = index[a] < 0 ? 0 : index[a] > dim - 1 ? dim - 1 : index[a];
    low[a] = (int64_t)at < dim - 1 ? (int64_t)at : (dim > 1 ? dim - 2 : 0);
    part[a] = (float)(at - (double)low[a]);
    step[a] = dim > 1 ? stride : 0;
    low[a] *= stride;
    stride *= dim;
  }
  const float *v = scan->values + low[0] + low[1] + low[2];
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 2; j++) {
      const float *row = v + j * step[1] + k * step[2];
      along[k][j] = row[0] + part[0] * (row[step[0]] - row[0]);
    }
  float front = along[0][0] + part[1] * (along[0][1] - along[0][0]);
  float back = along[1][0] + part[1] * (along[1][1] - along[1][0]);
  float value = front + part[2] * (back - front);
  return isfinite(value) ? value : NAN;
}

/* Returns 1 where no vessel lies around a position, as at most positions of a projection: a fast
 * test. */
static int has_no_vessel(const ht_mask_source *mask, const double index[3]) {
  const int *dim = mask->lookup.dim;
  for (int a = 0; a < 3; a++)
    if (!(index[a] >= 0 && index[a] < dim[a] - 1)) return 0; /* at the border: checked elsewhere */
  int64_t row = dim[0], plane = row * dim[1];
  const uint8_t *v =
      mask->inside + (int64_t)index[0] + row * (int64_t)index[1] + plane * (int64_t)index[2];
  return !(v[0] | v[1] | v[row] | v[row + 1] | v[plane] | v[plane + 1] | v[plane + row] |
           v[plane + row + 1]);
}

float ht_sample_mask_at(const ht_mask_source *mask, const double position_mm[3],
                        ht_stencil *stencil) {
  float sum = 0;
  double index[3];
  index_of(&mask->lookup, position_mm, index);
  if (has_no_vessel(mask, index)) return 0;
  if (!ht_lookup_stencil(&mask->lookup, position_mm, stencil)) return 0;
  for (int c = 0; c < 8; c++) {
    if (stencil->voxel[c] < 0) continue;
    uint8_t inside = mask->inside[stencil->voxel[c]];
    if (mask->value ? inside == mask->value : inside != 0) sum += stencil->weight[c];
  }
  return sum;
}

float ht_sample_mask(const void *mask_source, const double position_mm[3]) {
  ht_stencil stencil;
  return ht_sample_mask_at(mask_source, position_mm, &stencil);
}

ht_scan_source ht_scan_source_make(const ht_volume *scan) {
  return (ht_scan_source){lookup_of(&scan->grid), scan->values};
}

ht_mask_source ht_mask_source_make(const ht_mask *mask, int value) {
  return (ht_mask_source){lookup_of(&mask->grid), mask->inside, value};
}

static ht_status field_alloc(int width, int height, ht_field *field) {
  *field = (ht_field){width, height, NULL};
  return ht_alloc((void **)&field->value, (size_t)width * (size_t)height, sizeof(float),
                  "a panel of a picture");
}

void ht_field_free(ht_field *field) {
  if (!field) return;
  free(field->value);
  memset(field, 0, sizeof *field);
}

typedef struct {
  ht_place_fn place;
  const void *with;
  ht_sample_fn sample;
  const void *source;
  ht_field *field;
} sampling;

static void sample_row(void *user, int j) {
  const sampling *s = user;
  float *row = s->field->value + (size_t)j * (size_t)s->field->width;
  for (int i = 0; i < s->field->width; i++) {
    double at[3];
    s->place(s->with, i, j, at);
    row[i] = s->sample(s->source, at);
  }
}

ht_status ht_field_sample(int width, int height, ht_place_fn place, const void *with,
                          ht_sample_fn sample, const void *source, ht_field *field) {
  sampling s = {place, with, sample, source, field};
  HT_TRY(field_alloc(width, height, field));
  ht_status status = ht_jobs_spread(height, sample_row, &s);
  if (status != HT_OK) ht_field_free(field);
  return status;
}

static void place_in_panel(const void *with, int i, int j, double position_mm[3]) {
  const ht_panel *panel = with;
  const double pixel[2] = {panel->x + i + 0.5, panel->y + j + 0.5};
  ht_panel_position(panel, pixel, position_mm);
}

ht_status ht_field_slice(const ht_panel *panel, ht_sample_fn sample, const void *source,
                         ht_field *field) {
  return ht_field_sample(panel->width, panel->height, place_in_panel, panel, sample, source, field);
}

double ht_projection_pitch(const ht_panel *panel, const ht_grid *grid, double part,
                           const ht_box_mm *within) {
  double finest = fmin(fmin(grid->spacing_mm[0], grid->spacing_mm[1]), grid->spacing_mm[2]);
  double longest = 0;
  for (int r = 0; r < 3; r++) longest = fmax(longest, within->high[r] - within->low[r]);
  return fmax(fmax(panel->mm_per_px, part * finest), longest / 500);
}

/* The rays of a projection. */
typedef struct {
  ht_projection of;
  double px;     /* pixels a ray */
  double voxels; /* between samples, along the axis of the vessel's grid that has the most */
  float enough;  /* a value that no sample exceeds but for rounding: the ray ends there */
  ht_field coarse, *field;
} projection;

/* A ray on the vessel's grid: the index of sample s is first + s step. */
typedef struct {
  double first[3], step[3];
} grid_ray;

/* The ray on the vessel's grid whose first sample is at `at`. */
static grid_ray on_grid(const projection *p, const double at[3]) {
  grid_ray ray;
  index_of(&p->of.vessel->lookup, at, ray.first);
  for (int a = 0; a < 3; a++)
    ray.step[a] = p->of.pitch_mm * p->of.vessel->lookup.row[a][p->of.panel->view->through];
  return ray;
}

/* Number of samples from s on that are known to be 0. */
static int empty_from(const projection *p, const grid_ray *ray, int s) {
  double index[3];
  for (int a = 0; a < 3; a++) index[a] = ray->first[a] + s * ray->step[a];
  const int voxels = ht_empty_space_ahead(p->of.space, index);
  return voxels ? 1 + (int)(voxels / p->voxels) : has_no_vessel(p->of.vessel, index);
}

static float largest_along(const projection *p, double at[3]) {
  float largest = NAN;
  int t = p->of.panel->view->through;
  double low = p->of.within->low[t];
  for (int a = 0; a < 3; a++)
    if (a != t && !(at[a] >= p->of.within->low[a] && at[a] <= p->of.within->high[a]))
      return p->of.beyond;
  int steps = (int)fmin(ceil((p->of.within->high[t] - low) / p->of.pitch_mm), 1e5);
  float value = 0;
  grid_ray ray = {{0}, {0}};
  at[t] = low + 0.5 * p->of.pitch_mm;
  if (p->of.vessel) ray = on_grid(p, at);
  for (int s = 0, empty; s < steps; s += empty ? empty : 1) {
    empty = p->of.vessel && value == 0 ? empty_from(p, &ray, s) : 0; /* none within the vessel */
    at[t] = low + (s + 0.5) * p->of.pitch_mm;
    value = empty ? 0 : p->of.sample(p->of.source, at);
    if (value > largest || largest != largest) largest = value;
    if (largest >= p->enough) break;
  }
  return largest;
}

/* Clamps x to 0 .. `most` without a call. */
static double clamped(double x, double most) {
  return x < 0 ? 0 : x > most ? most : x;
}

/* Interpolates linearly between the coarse rays; takes the nearest one where a neighbour is NaN. */
static float between_rays(const ht_field *coarse, double x, double y) {
  x = clamped(x, coarse->width - 1.0);
  y = clamped(y, coarse->height - 1.0);
  int i = (int)x, j = (int)y;
  int right = i + 1 < coarse->width, below = j + 1 < coarse->height ? coarse->width : 0;
  float px = (float)(x - i), py = (float)(y - j);
  const float *v = coarse->value + (size_t)j * (size_t)coarse->width + (size_t)i;
  float top = v[0] + px * (v[right] - v[0]);
  float bottom = v[below] + px * (v[below + right] - v[below]);
  float value = top + py * (bottom - top);
  return isfinite(value) ? value : v[(px > 0.5f ? right : 0) + (py > 0.5f ? below : 0)];
}

static void take_rays(void *user, int j) {
  projection *p = user;
  for (int i = 0; i < p->coarse.width; i++) {
    double pixel[2] = {p->of.panel->x + i * p->px, p->of.panel->y + j * p->px}, at[3];
    ht_panel_position(p->of.panel, pixel, at);
    p->coarse.value[(size_t)j * (size_t)p->coarse.width + (size_t)i] = largest_along(p, at);
  }
}

static void fill_row(void *user, int j) {
  projection *p = user;
  for (int i = 0; i < p->field->width; i++)
    p->field->value[(size_t)j * (size_t)p->field->width + (size_t)i] =
        between_rays(&p->coarse, (i + 0.5) / p->px, (j + 0.5) / p->px);
}

ht_status ht_field_project(const ht_projection *of, ht_field *field) {
  projection rays = {.of = *of, .field = field}, *p = &rays;
  const ht_panel *panel = of->panel;
  ht_status status = HT_OK;
  p->enough = of->sample == ht_sample_mask ? 1 - 1e-6f : INFINITY;
  p->px = fmax(of->pitch_mm / panel->mm_per_px, 1);
  for (int a = 0; of->vessel && a < 3; a++)
    p->voxels =
        fmax(p->voxels, fabs(of->vessel->lookup.row[a][panel->view->through]) * of->pitch_mm);
  HT_TRY(field_alloc(panel->width, panel->height, p->field));
  HT_TRY_DONE(field_alloc((int)ceil(panel->width / p->px) + 1, (int)ceil(panel->height / p->px) + 1,
                          &p->coarse));
  HT_TRY_DONE(ht_jobs_spread(p->coarse.height, take_rays, p));
  status = ht_jobs_spread(p->field->height, fill_row, p);
done:
  ht_field_free(&p->coarse);
  if (status != HT_OK) ht_field_free(p->field);
  return status;
}

/* Finds the point between two corners of a cell where the value is `level`. */
static void crossing(const double a[2], const double b[2], float va, float vb, float level,
                     double at[2]) {
  double t = (level - va) / (vb - va);
  for (int d = 0; d < 2; d++) at[d] = a[d] + t * (b[d] - a[d]);
}

/* Draws the outline in a cell by marching squares; the corners are in order around it. */
static void outline_cell(ht_canvas *canvas, const double corner[4][2], const float value[4],
                         float level, double width, ht_rgb colour) {
  double at[4][2];
  int found = 0;
  for (int e = 0; e < 4; e++) {
    int next = (e + 1) % 4;
    if ((value[e] >= level) == (value[next] >= level)) continue;
    crossing(corner[e], corner[next], value[e], value[next], level, at[found++]);
  }
  for (int s = 0; s + 1 < found; s += 2) ht_canvas_line(canvas, at[s], at[s + 1], width, colour);
}

void ht_field_outline(ht_canvas *canvas, const ht_panel *panel, const ht_field *field, float level,
                      double width, ht_rgb colour) {
  for (int j = 0; j + 1 < field->height; j++)
    for (int i = 0; i + 1 < field->width; i++) {
      const float *v = field->value + (size_t)j * (size_t)field->width + (size_t)i;
      const float value[4] = {v[0], v[1], v[field->width + 1], v[field->width]};
      int above = 0;
      for (int n = 0; n < 4; n++) above += value[n] >= level;
      if (above == 0 || above == 4) continue; /* most cells */
      double x = panel->x + i + 0.5, y = panel->y + j + 0.5;
      const double corner[4][2] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
      outline_cell(canvas, corner, value, level, width, colour);
    }
}

/* Finds the value of a rank (0: the smallest) by partitioning the part that holds it (Hoare's
 * FIND): on average a few passes over the values, where a sort takes log2(count). */
static float value_of_rank(float *values, int64_t count, int64_t rank) {
  int64_t first = 0, last = count - 1;
  while (first < last) {
    float pivot = values[first + (last - first) / 2];
    int64_t i = first, j = last;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      float value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (rank > j && rank < i) break;
    if (rank <= j)
      last = j;
    else
      first = i;
  }
  return values[rank];
}

double ht_percentile(float *values, int64_t count, double part) {
  int64_t finite = 0;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(values[i])) values[finite++] = values[i];
  if (finite == 0) return 0;
  return value_of_rank(values, finite, (int64_t)llround(part * (double)(finite - 1)));
}
