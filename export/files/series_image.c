#include "export/files/series_image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the image on the domain: its voxels from `from` to `to` - 1 have `inside[x]`. */
typedef struct {
  int from, to;
  const uint8_t *inside;
} row;

static row row_of(const ht_flow_image *place, int64_t number) {
  const int *all = place->domain->mask.grid.dim, *dim = place->grid.dim, *low = place->low;
  int y = (int)(number % dim[1]) + low[1], z = (int)(number / dim[1]) + low[2];
  row of = {low[0] < 0 ? -low[0] : 0, all[0] - low[0] < dim[0] ? all[0] - low[0] : dim[0], NULL};
  if (y < 0 || y >= all[1] || z < 0 || z >= all[2]) of.to = of.from;
  if (of.to > of.from)
    of.inside = place->domain->mask.inside + (all[0] * (y + (int64_t)all[1] * z) + low[0]);
  return of;
}

static int is_vessel(const row *of, int x) {
  return x >= of->from && x < of->to && of->inside[x] == HT_VESSEL;
}

static int64_t count_in(const row *of, int to) {
  int64_t count = 0;
  for (int x = of->from; x < of->to && x < to; x++) count += of->inside[x] == HT_VESSEL;
  return count;
}

ht_status ht_series_image_make(const ht_domain *domain, const ht_flow *flow, const ht_grid *grid,
                               const ht_beat_series *series, ht_series_image *image) {
  int64_t rows = (int64_t)grid->dim[1] * grid->dim[2], sum = 0;
  memset(image, 0, sizeof *image);
  HT_TRY(ht_flow_image_make(domain, flow, grid, &image->place));
  HT_TRY(ht_alloc((void **)&image->before, (size_t)rows + 1, sizeof *image->before, "the image"));
  for (int64_t n = 0; n < rows; n++) {
    row of = row_of(&image->place, n);
    image->before[n] = sum;
    sum += count_in(&of, of.to);
  }
  image->series = series;
  if (sum == series->voxels) return HT_OK;
  ht_series_image_free(image);
  return ht_fail(HT_ERR_FORMAT,
                 "the samples of the beat belong to a vessel of %lld voxels, this one has %lld: "
                 "run `hemotile solve` again",
                 (long long)series->voxels, (long long)sum);
}

void ht_series_image_free(ht_series_image *image) {
  free(image->before);
  image->before = NULL;
}

enum { CHUNK = 8192 };

/* Fills in a chunk of voxels: they hold at most `count` numbers, which are consecutive in the file.
 */
static void fill_chunk(ht_series_image *image, int sample, int plane, int64_t first, int64_t count,
                       int apart, float *out) {
  float value[CHUNK];
  const int nx = image->place.grid.dim[0];
  int64_t have = 0, at = 0;
  row of = row_of(&image->place, first / nx),
      last = row_of(&image->place, (first + count - 1) / nx);
  int64_t from = image->before[first / nx] + count_in(&of, (int)(first % nx));
  int64_t to = image->before[(first + count - 1) / nx] +
               count_in(&last, (int)((first + count - 1) % nx) + 1);
  have = to - from;
  if (have > 0 && !ht_beat_series_read(image->series, sample, plane, from, have, value))
    __atomic_store_n(&image->unreadable, 1, __ATOMIC_RELAXED);
  for (int64_t v = first; v < first + count; v++, out += apart) {
    int x = (int)(v % nx);
    if (x == 0) of = row_of(&image->place, v / nx);
    *out = is_vessel(&of, x) ? value[at++] : 0;
  }
}

void ht_series_image_plane(ht_series_image *image, int sample, int plane, int64_t first,
                           int64_t count, int apart, float *out) {
  for (int64_t done = 0; done < count; done += CHUNK) {
    int64_t many = count - done < CHUNK ? count - done : CHUNK;
    fill_chunk(image, sample, plane, first + done, many, apart, out + apart * done);
  }
}

ht_status ht_series_image_check(const ht_series_image *image, const char *path) {
  if (!image->unreadable) return HT_OK;
  remove(path);
  return ht_fail(HT_ERR_FORMAT, "the samples of the beat cannot be read: run `hemotile solve` "
                                "again");
}
