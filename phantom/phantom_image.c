#include "phantom_image.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 3, BLOBS_MAX = 32 };     /* PAD: 5 sigma of the blur */
static const double BLUR_SIGMA = 0.6; /* voxels */

/* ---- Random numbers by position, not by order, so that they do not depend on the threads ---- */

/* The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014). */
static uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* In (0, 1). */
static double uniform(uint64_t seed, uint64_t counter) {
  return ((double)(scramble(scramble(seed) ^ counter) >> 11) + 0.5) / 9007199254740992.0;
}

/* Standard normal (Box & Muller). */
static double normal(uint64_t seed, uint64_t counter) {
  double u = uniform(seed, 2 * counter), v = uniform(seed, 2 * counter + 1);
  return sqrt(-2 * log(u)) * cos(2 * HT_PI * v);
}

/* Smooth random texture in [-1, 1]: values on a lattice of `cell_mm`, joined by cubic steps. */
static double texture(uint64_t seed, const double p[3], double cell_mm) {
  double w[3], sum = 0;
  int64_t base[3];
  for (int c = 0; c < 3; c++) {
    double x = p[c] / cell_mm, t = x - floor(x);
    base[c] = (int64_t)floor(x);
    w[c] = t * t * (3 - 2 * t);
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    uint64_t key = 0;
    for (int c = 0; c < 3; c++) {
      int up = corner >> c & 1;
      weight *= up ? w[c] : 1 - w[c];
      key = key << 21 | (uint64_t)(base[c] + up + (1 << 20));
    }
    sum += weight * (2 * uniform(seed, key) - 1);
  }
  return sum;
}

/* ---- Tissue ---- */

typedef struct {
  double centre[3], radius, delta;
} soft_blob;

typedef struct {
  const ht_shape *shape;
  uint64_t seed;
  double scale; /* of the structures, 1 in a head */
  soft_blob blob[BLOBS_MAX];
} tissue_field;

enum { SEED_COARSE = 1, SEED_FINE, SEED_BLOOD, SEED_BONE, SEED_BLOBS, SEED_NOISE };

static uint64_t stream_of(uint64_t seed, int which) {
  return scramble(seed + 0x51ed2701u * (uint64_t)which);
}

static void tissue_prepare(const ht_shape *shape, uint64_t seed, tissue_field *field) {
  memset(field, 0, sizeof *field);
  field->shape = shape;
  field->seed = seed;
  field->scale = shape->box_mm[0] / 32;
  uint64_t stream = stream_of(seed, SEED_BLOBS), next = 0;
  for (int i = 0; i < shape->blobs; i++) {
    soft_blob *blob = &field->blob[i];
    for (int c = 0; c < 3; c++)
      blob->centre[c] = (uniform(stream, next++) - 0.5) * 1.1 * shape->box_mm[c];
    blob->radius = (1.2 + 2.6 * uniform(stream, next++)) * field->scale;
    blob->delta = -110 + 140 * uniform(stream, next++); /* fat to muscle */
  }
}

/* 1 inside, 0 outside, linear over `width` around distance 0. */
static double ramp(double distance, double width) {
  return fmin(fmax(0.5 - distance / width, 0), 1);
}

static double blob_share(const soft_blob *blob, const double p[3], double edge) {
  double square = 0, reach = blob->radius + edge;
  for (int c = 0; c < 3; c++) square += (p[c] - blob->centre[c]) * (p[c] - blob->centre[c]);
  return square < reach * reach ? ramp(sqrt(square) - blob->radius, edge) : 0;
}

/* HU of everything except the vessel. */
static double tissue_at(const tissue_field *field, const double p[3], double voxel_mm) {
  const ht_shape *shape = field->shape;
  double value = shape->tissue;
  value += 14 * texture(stream_of(field->seed, SEED_COARSE), p, 7.3 * field->scale);
  value += 7 * texture(stream_of(field->seed, SEED_FINE), p, 2.9 * field->scale);
  for (int i = 0; i < shape->blobs; i++)
    value += field->blob[i].delta * blob_share(&field->blob[i], p, field->scale);
  double bone = ramp(ht_bone_distance(shape, p), 2 * voxel_mm);
  if (bone > 0) {
    double grain = 35 * texture(stream_of(field->seed, SEED_BONE), p, 1.3 * field->scale);
    value += bone * (shape->bone_value + grain - value);
  }
  if (shape->has_vein) {
    double vein = ramp(ht_tube_distance(&shape->vein, p, voxel_mm, NULL), voxel_mm);
    value += vein * (shape->vein_value - value);
  }
  return value;
}

/* The share of a voxel that lies behind a plane at this distance is close to a ramp whose width has
 * the variance of the voxel's projection on the plane's normal. */
static double ramp_width(const ht_grid *grid, const double normal_lps[3]) {
  double n[3], square = 0;
  ht_grid_from_lps(grid, normal_lps, n);
  for (int a = 0; a < 3; a++) square += n[a] * n[a] * grid->spacing_mm[a] * grid->spacing_mm[a];
  return sqrt(fmax(square, 1e-12));
}

/* ---- The padded picture before blur ---- */

typedef struct {
  int dim[3]; /* of the scan plus PAD on each side */
  float *value;
} padded;

static void paint_row(const tissue_field *field, ht_phantom *phantom, padded *image, int j, int k) {
  const ht_grid *grid = &phantom->scan.grid;
  const ht_shape *shape = field->shape;
  float *row = image->value + ((int64_t)k * image->dim[1] + j) * image->dim[0];
  int inner_row = j >= PAD && j < image->dim[1] - PAD && k >= PAD && k < image->dim[2] - PAD;
  int64_t at = ((int64_t)(k - PAD) * grid->dim[1] + j - PAD) * grid->dim[0];
  for (int i = 0; i < image->dim[0]; i++) {
    double index[3] = {i - PAD, j - PAD, k - PAD}, p[3], gradient[3];
    ht_grid_position(grid, index, p);
    double d = ht_shape_distance(shape, p, gradient);
    double share = ramp(d, ramp_width(grid, gradient));
    double value = share < 1 ? tissue_at(field, p, grid->spacing_mm[2]) : 0;
    double mixing = texture(stream_of(field->seed, SEED_BLOOD), p, 5.1 * field->scale);
    value += share * (shape->blood * (1 + 0.02 * mixing) - value);
    row[i] = (float)value;
    if (!inner_row || i < PAD || i >= image->dim[0] - PAD) continue;
    phantom->distance.values[at + i - PAD] = (float)d;
    phantom->truth.inside[at + i - PAD] = d < 0;
  }
}

static ht_status paint_all(const tissue_field *field, const ht_progress *progress,
                           ht_phantom *phantom, padded *image) {
  for (int k = 0; k < image->dim[2]; k++) {
    HT_TRY(ht_progress_report(progress, "phantom", k, image->dim[2], ""));
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < image->dim[1]; j++) paint_row(field, phantom, image, j, k);
  }
  return HT_OK;
}

/* ---- Blur (separable; only voxels PAD away from the edge come out right) ---- */

static void blur_line(float *line, int count, int64_t stride, float *copy) {
  double weight[PAD + 1], sum = 0;
  for (int m = 0; m <= PAD; m++) {
    weight[m] = exp(-0.5 * m * m / (BLUR_SIGMA * BLUR_SIGMA));
    sum += m ? 2 * weight[m] : weight[m];
  }
  for (int i = 0; i < count; i++) copy[i] = line[i * stride];
  for (int i = PAD; i < count - PAD; i++) {
    double value = weight[0] * copy[i];
    for (int m = 1; m <= PAD; m++) value += weight[m] * ((double)copy[i - m] + copy[i + m]);
    line[i * stride] = (float)(value / sum);
  }
}

static ht_status blur(padded *image) {
  const int *n = image->dim;
  int64_t stride[3] = {1, n[0], (int64_t)n[0] * n[1]};
  int longest = n[0] > n[1] ? n[0] : n[1];
  float *copy = NULL;
  if (n[2] > longest) longest = n[2];
  HT_TRY(ht_alloc((void **)&copy, (size_t)longest, sizeof *copy, "the blur"));
  for (int axis = 0; axis < 3; axis++) {
    int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    for (int b = 0; b < n[v]; b++)
      for (int a = 0; a < n[u]; a++)
        blur_line(image->value + a * stride[u] + b * stride[v], n[axis], stride[axis], copy);
  }
  free(copy);
  return HT_OK;
}

/* Crops, adds the noise and rounds to whole numbers as a scanner does. */
static void finish(const padded *image, uint64_t seed, double sigma, ht_volume *scan) {
  const int *n = scan->grid.dim;
  uint64_t stream = stream_of(seed, SEED_NOISE);
#pragma omp parallel for
  for (int k = 0; k < n[2]; k++) {
    for (int64_t r = 0; r < (int64_t)n[0] * n[1]; r++) {
      int64_t at = (int64_t)k * n[0] * n[1] + r, i = r % n[0], j = r / n[0];
      double value =
          image->value[((k + PAD) * (int64_t)image->dim[1] + j + PAD) * image->dim[0] + i + PAD];
      if (sigma > 0) value += sigma * normal(stream, (uint64_t)at);
      scan->values[at] = (float)(nearbyint(value) + 0.0); /* + 0.0: no negative zero */
    }
  }
}

ht_status ht_phantom_paint(const ht_shape *shape, uint64_t seed, double noise,
                           const ht_progress *progress, ht_phantom *phantom) {
  ht_status status = HT_OK;
  padded image = {{0}, NULL};
  tissue_field field;
  tissue_prepare(shape, seed, &field);
  size_t voxels = 1;
  for (int a = 0; a < 3; a++) {
    image.dim[a] = phantom->scan.grid.dim[a] + 2 * PAD;
    voxels *= (size_t)image.dim[a];
  }
  HT_TRY_DONE(ht_alloc((void **)&image.value, voxels, sizeof(float), "the phantom's image"));
  HT_TRY_DONE(paint_all(&field, progress, phantom, &image));
  HT_TRY_DONE(blur(&image));
  finish(&image, seed, noise * (shape->blood - shape->tissue), &phantom->scan);
done:
  free(image.value);
  return status;
}
