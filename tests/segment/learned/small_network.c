#include "tests/segment/learned/small_network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int widths[SMALL_LEVELS] = {16, 32, 48};

static unsigned random_below(unsigned count) {
  return (unsigned)rand() / 7 % count;
}

/* Returns the number of convolutions, and what they take and give. */
static int list_convolutions(int from[], int to[], int edge[]) {
  int count = 0;
  for (int n = 0; n < SMALL_LEVELS; n++)
    for (int two = 0; two < 2; two++, count++)
      from[count] = two ? widths[n] : n ? widths[n - 1] : 1, to[count] = widths[n], edge[count] = 3;
  for (int n = SMALL_LEVELS - 2; n >= 0; n--)
    for (int three = 0; three < 3; three++, count++)
      from[count] = three ? widths[n] : widths[n + 1], to[count] = widths[n],
      edge[count] = three ? 3 : 1;
  from[count] = widths[0], to[count] = 5, edge[count] = 1;
  return count + 1;
}

unsigned char *small_network_file(size_t *count) {
  int from[20], to[20], edge[20];
  const int layers = list_convolutions(from, to, edge);
  *count = 64;
  for (int n = 0; n < layers; n++)
    *count += 2 * (size_t)to[n] * from[n] * edge[n] * edge[n] * edge[n] + 4 * (size_t)to[n];
  unsigned char *file = calloc(*count, 1), *next = file + 64;
  const float limits[4] = {0.02f, 0.995f, -1, 3};
  memcpy(file, "HTVESSEL", 8);
  file[8] = 1, file[12] = SMALL_LEVELS;
  for (int n = 0; n < SMALL_LEVELS; n++) file[16 + 4 * n] = (unsigned char)widths[n];
  memcpy(file + 48, limits, sizeof limits);
  srand(3);
  for (int n = 0; n < layers; n++) {
    for (int w = 0; w < to[n] * from[n] * edge[n] * edge[n] * edge[n]; w++, next += 2) {
      /* From 2^-6 to 2^-3, half of them negative; the first layer and those of one voxel have
       * few terms, and larger weights. */
      const unsigned exponent = (from[n] == 1 || edge[n] == 1 ? 11 : 9) + random_below(3);
      const unsigned bits = random_below(2) << 15 | exponent << 10 | random_below(1024);
      next[0] = bits & 255, next[1] = (unsigned char)(bits >> 8);
    }
    for (int b = 0; b < to[n]; b++, next += 4) {
      const float bias = (float)random_below(100) / 100 - 0.4f;
      memcpy(next, &bias, 4);
    }
  }
  return file;
}

ht_volume small_scan(int nx, int ny, int nz) {
  const ht_grid grid = ht_grid_make(nx, ny, nz);
  ht_volume scan;
  if (ht_volume_alloc(&grid, &scan) != HT_OK) abort();
  srand(5);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    scan.values[v] = (float)random_below(100) + (v / nx % 7 < 3 ? 200 : 0);
  return scan;
}

typedef struct {
  int size[3], channels;
  double *value; /* [channel][z][y][x] */
} image;

static image make_image(const int size[3], int channels) {
  image made = {{size[0], size[1], size[2]}, channels, NULL};
  made.value = calloc((size_t)size[0] * size[1] * size[2] * channels, sizeof(double));
  return made;
}

static double *at(const image *of, int c, int x, int y, int z) {
  return of->value + (((size_t)c * of->size[2] + z) * of->size[1] + y) * of->size[0] + x;
}

static double half_value(const unsigned char *bytes) {
  const int bits = bytes[0] | bytes[1] << 8;
  return (bits & 0x8000 ? -1 : 1) * ldexp(1024 + (bits & 1023), (bits >> 10 & 31) - 25);
}

/* Adds to `out` one tap of one pair of channels. */
static void add_tap(const image *in, int from, image *out, int to, const int shift[3],
                    double weight) {
  const int *size = in->size;
  for (int z = 0; z < size[2]; z++)
    for (int y = 0; y < size[1]; y++) {
      const int iy = y + shift[1], iz = z + shift[2];
      if (iy < 0 || iy >= size[1] || iz < 0 || iz >= size[2]) continue;
      for (int x = shift[0] < 0 ? 1 : 0; x < size[0] - (shift[0] > 0); x++)
        *at(out, to, x, y, z) += weight * *at(in, from, x + shift[0], iy, iz);
    }
}

/* Frees `in`; `next` moves over the weights. */
static image convolve(image in, int channels, int edge, int is_relu, const unsigned char **next) {
  image out = make_image(in.size, channels);
  const size_t voxels = (size_t)in.size[0] * in.size[1] * in.size[2];
  for (int to = 0; to < channels; to++)
    for (int from = 0; from < in.channels; from++)
      for (int tap = 0; tap < edge * edge * edge; tap++, *next += 2) {
        const int shift[3] = {tap % edge - edge / 2, tap / edge % edge - edge / 2,
                              tap / edge / edge - edge / 2};
        add_tap(&in, from, &out, to, shift, half_value(*next));
      }
  for (int to = 0; to < channels; to++, *next += 4) {
    float bias;
    memcpy(&bias, *next, 4);
    for (double *value = at(&out, to, 0, 0, 0), *end = value + voxels; value < end; value++) {
      *value += bias;
      if (is_relu && *value < 0) *value = 0;
    }
  }
  free(in.value);
  return out;
}

static image pool(const image *in) {
  const int half[3] = {in->size[0] / 2, in->size[1] / 2, in->size[2] / 2};
  image out = make_image(half, in->channels);
  for (int c = 0; c < in->channels; c++)
    for (int v = 0; v < half[0] * half[1] * half[2]; v++) {
      const int x = v % half[0], y = v / half[0] % half[1], z = v / half[0] / half[1];
      double most = -INFINITY;
      for (int n = 0; n < 8; n++)
        most = fmax(most, *at(in, c, 2 * x + n % 2, 2 * y + n / 2 % 2, 2 * z + n / 4));
      *at(&out, c, x, y, z) = most;
    }
  return out;
}

static void add_doubled(image *sum, const image *low) {
  for (int c = 0; c < sum->channels; c++)
    for (int z = 0; z < sum->size[2]; z++)
      for (int y = 0; y < sum->size[1]; y++)
        for (int x = 0; x < sum->size[0]; x++)
          *at(sum, c, x, y, z) += *at(low, c, x / 2, y / 2, z / 2);
}

static image fill_up(const float *brightness, const int dim[3]) {
  const int step = 1 << (SMALL_LEVELS - 1);
  int size[3];
  for (int a = 0; a < 3; a++) size[a] = (dim[a] + step - 1) / step * step;
  image in = make_image(size, 1);
  for (int64_t v = 0; v < (int64_t)dim[0] * dim[1] * dim[2]; v++) {
    int place[3];
    ht_voxel_place(dim, v, place);
    *at(&in, 0, place[0], place[1], place[2]) = brightness[v];
  }
  return in;
}

void small_network_outputs(const unsigned char *file, const float *brightness, const int dim[3],
                           double *outputs) {
  const unsigned char *next = file + 64;
  image now = fill_up(brightness, dim), own[SMALL_LEVELS];
  for (int n = 0; n < SMALL_LEVELS; n++) {
    if (n > 0) now = pool(&own[n - 1]);
    for (int two = 0; two < 2; two++) now = convolve(now, widths[n], 3, 1, &next);
    own[n] = now;
  }
  for (int n = SMALL_LEVELS - 2; n >= 0; n--) {
    const image low = convolve(now, widths[n], 1, 0, &next);
    now = own[n];
    add_doubled(&now, &low);
    free(low.value);
    for (int two = 0; two < 2; two++) now = convolve(now, widths[n], 3, 1, &next);
  }
  now = convolve(now, 5, 1, 0, &next);
  for (int c = 0; c < 5; c++)
    for (int64_t v = 0; v < (int64_t)dim[0] * dim[1] * dim[2]; v++) {
      int place[3];
      ht_voxel_place(dim, v, place);
      *outputs++ = *at(&now, c, place[0], place[1], place[2]);
    }
  free(now.value);
}
