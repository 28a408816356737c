#include "phantom/image/padded_image.h"
#include "phantom/image/random_field.h"
#include <math.h>
#include <stdlib.h>

double ht_partial_share(double distance_mm, double width_mm) {
  return fmin(fmax(0.5 - distance_mm / width_mm, 0), 1);
}

double ht_partial_width(const ht_grid *grid, const double normal[3]) {
  double n[3], square = 0;
  ht_grid_from_lps(grid, normal, n);
  for (int a = 0; a < 3; a++) square += n[a] * n[a] * grid->spacing_mm[a] * grid->spacing_mm[a];
  return sqrt(fmax(square, 1e-12));
}

ht_status ht_padded_image_make(const ht_grid *grid, int pad, ht_padded_image *image) {
  size_t voxels = 1;
  *image = (ht_padded_image){.pad = pad};
  for (int a = 0; a < 3; a++) {
    image->dim[a] = grid->dim[a] + 2 * pad;
    voxels *= (size_t)image->dim[a];
  }
  return ht_alloc((void **)&image->value, voxels, sizeof(float), "the phantom's image");
}

/* weight[0] in the middle; returns the sum over the window. */
static double weights_make(double sigma, int pad, double *weight) {
  double sum = 0;
  for (int m = 0; m <= pad; m++) {
    weight[m] = exp(-0.5 * m * m / (sigma * sigma));
    sum += m ? 2 * weight[m] : weight[m];
  }
  return sum;
}

static void blur_line(const double *weight, double sum, int pad, float *line, int count,
                      int64_t stride, float *copy) {
  for (int i = 0; i < count; i++) copy[i] = line[i * stride];
  for (int i = pad; i < count - pad; i++) {
    double value = weight[0] * copy[i];
    for (int m = 1; m <= pad; m++) value += weight[m] * ((double)copy[i - m] + copy[i + m]);
    line[i * stride] = (float)(value / sum);
  }
}

ht_status ht_padded_image_blur(ht_padded_image *image, double sigma) {
  const int *n = image->dim;
  int64_t stride[3] = {1, n[0], (int64_t)n[0] * n[1]};
  int longest = n[0] > n[1] ? n[0] : n[1];
  if (n[2] > longest) longest = n[2];
  double *weight = NULL;
  float *copy = NULL;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&weight, (size_t)image->pad + 1, sizeof *weight, "the blur"));
  HT_TRY_DONE(ht_alloc((void **)&copy, (size_t)longest, sizeof *copy, "the blur"));
  double sum = weights_make(sigma, image->pad, weight);
  for (int axis = 0; axis < 3; axis++) {
    int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    for (int b = 0; b < n[v]; b++)
      for (int a = 0; a < n[u]; a++)
        blur_line(weight, sum, image->pad, image->value + a * stride[u] + b * stride[v], n[axis],
                  stride[axis], copy);
  }
done:
  free(weight);
  free(copy);
  return status;
}

void ht_padded_image_finish(const ht_padded_image *image, uint64_t stream, double noise,
                            ht_volume *scan) {
  const int *n = scan->grid.dim, pad = image->pad;
#pragma omp parallel for
  for (int k = 0; k < n[2]; k++) {
    for (int64_t r = 0; r < (int64_t)n[0] * n[1]; r++) {
      int64_t at = (int64_t)k * n[0] * n[1] + r, i = r % n[0], j = r / n[0];
      int64_t row = (k + pad) * (int64_t)image->dim[1] + j + pad;
      double value = image->value[row * image->dim[0] + i + pad];
      if (noise > 0) value += noise * ht_random_normal(stream, (uint64_t)at);
      scan->values[at] = (float)(nearbyint(value) + 0.0); /* + 0.0: no negative zero */
    }
  }
}
