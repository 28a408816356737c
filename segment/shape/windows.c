#include "segment/shape/windows.h"
#include "core/work/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- along one axis ---- */

static void nearest2(const ht_window *window, const float *from, int n, int width, float *to) {
  int reach = window->reach;
  for (int i = 0; i < n * width; i++) to[i] = from[i + reach * width];
  for (int d = -reach; d <= reach; d++)
    for (int i = 0; i < n * width; i++)
      to[i] = ht_lesser(to[i], from[i + (d + reach) * width] + (float)(d * d));
}

static void largest(const ht_window *window, const float *from, int n, int width, float *to) {
  for (int i = 0; i < n * width; i++) to[i] = from[i];
  for (int d = 1; d <= 2 * window->reach; d++)
    for (int i = 0; i < n * width; i++) to[i] = ht_greater(to[i], from[i + d * width]);
}

static void weighted(const ht_window *window, const float *from, int n, int width, float *to) {
  for (int i = 0; i < n * width; i++) to[i] = 0;
  for (int d = 0; d <= 2 * window->reach; d++)
    for (int i = 0; i < n * width; i++) to[i] += window->weight[d] * from[i + d * width];
}

ht_window ht_window_nearest2(int reach) {
  return (ht_window){.reach = reach, .apply = nearest2};
}

ht_window ht_window_largest(int reach) {
  return (ht_window){.reach = reach, .apply = largest};
}

ht_window ht_window_gaussian(double sigma, int reach) {
  ht_window window = {.reach = reach, .apply = weighted};
  float sum = 0;
  for (int d = 0; d <= 2 * reach; d++)
    sum += window.weight[d] = (float)exp(-0.5 * (d - reach) * (d - reach) / (sigma * sigma));
  for (int d = 0; d <= 2 * reach; d++) window.weight[d] /= sum;
  return window;
}

/* ---- in place ---- */

/* The values of the lines, the first and the last repeated beyond the ends. Returns 1 where all are
 * the same. */
static int take_lines(const float *at, int64_t stride, int n, int width, int reach, float *lines) {
  int same = 1;
  for (int i = -reach; i < n + reach; i++) {
    const float *row = at + stride * (i < 0 ? 0 : i < n ? i : n - 1);
    for (int k = 0; k < width; k++) {
      lines[(i + reach) * width + k] = row[k];
      same &= row[k] == at[0];
    }
  }
  return same;
}

/* Panels of lines, up to HT_WINDOW_LINES of them side by side in memory (along axis 0 one). */
static void pass_panel(const ht_image *image, int axis, const ht_window *window, int64_t panel,
                       float *lines, float *result) {
  const int *dim = image->dim;
  int wide = axis == 0 ? 1 : HT_WINDOW_LINES, n = dim[axis];
  int64_t stride = axis == 0 ? 1 : axis == 1 ? dim[0] : (int64_t)dim[0] * dim[1];
  int64_t panels = axis == 0 ? 1 : (dim[0] + wide - 1) / wide, line = panel / panels;
  int first = (int)(panel % panels) * wide, left = dim[0] - first;
  int width = axis == 0 ? 1 : left < wide ? left : wide;
  int64_t begin = first + (axis == 1 ? line * dim[0] * dim[1] : line * dim[0]);
  float *at = image->value + begin;
  if (take_lines(at, stride, n, width, window->reach, lines)) return;
  window->apply(window, lines, n, width, result);
  for (int i = 0; i < n; i++)
    memcpy(at + i * stride, result + (int64_t)i * width, (size_t)width * sizeof(float));
}

/* Panels are independent: each core takes some at a time. */
typedef struct {
  const ht_image *image;
  const ht_window *window;
  int axis;
  int64_t panels;
  int failed;
} passing;

enum { TOGETHER = 64 };

static void pass_some(void *user, int piece) {
  passing *p = user;
  size_t each = (size_t)(p->image->dim[p->axis] + 2 * p->window->reach) * HT_WINDOW_LINES;
  float *buffer = malloc(2 * each * sizeof *buffer);
  int64_t first = (int64_t)piece * TOGETHER, end = first + TOGETHER;
  if (!buffer) {
#pragma omp atomic write
    p->failed = 1;
    return;
  }
  for (int64_t n = first; n < end && n < p->panels; n++)
    pass_panel(p->image, p->axis, p->window, n, buffer, buffer + each);
  free(buffer);
}

static ht_status pass(const ht_image *image, int axis, const ht_window *window) {
  const int *dim = image->dim;
  int64_t wide = (dim[0] + HT_WINDOW_LINES - 1) / HT_WINDOW_LINES;
  passing p = {.image = image, .axis = axis, .window = window};
  p.panels = axis == 0 ? (int64_t)dim[1] * dim[2] : wide * (axis == 1 ? dim[2] : dim[1]);
  HT_TRY(ht_jobs_spread((int)((p.panels + TOGETHER - 1) / TOGETHER), pass_some, &p));
  return p.failed ? ht_fail(HT_ERR_MEMORY, "not enough memory for the wall's surface") : HT_OK;
}

ht_status ht_window_pass(const ht_image *image, const ht_window *window) {
  for (int axis = 0; axis < 3; axis++) HT_TRY(pass(image, axis, window));
  return HT_OK;
}

/* ---- a panel ---- */

static int all_same(const float *value, int count) {
  int same = 1;
  for (int i = 1; i < count; i++) same &= value[i] == value[0];
  return same;
}

void ht_window_rows_same(const ht_image *image, uint8_t *same) {
  int64_t rows = (int64_t)image->dim[1] * image->dim[2];
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < rows; row++)
    same[row] = (uint8_t)all_same(image->value + row * image->dim[0], image->dim[0]);
}

typedef struct {
  const ht_window_source *source;
  const ht_window *window;
  int first;
  const ht_image *panel;
} narrowing;

/* Narrows a row along axis 0, of which the panel has a part. */
static void narrow_row(const narrowing *to, int64_t row) {
  float line[HT_PANEL_WIDTH + 2 * HT_WINDOW_REACH];
  const ht_window_source *source = to->source;
  int length = source->dim[0], reach = to->window->reach, width = to->panel->dim[0];
  int low = to->first - reach, high = to->first + width + reach;
  int from = low < 0 ? 0 : low, end = high < length ? high : length;
  source->read(source->values, row * length + from, end - from, line + (from - low));
  for (int x = low; x < from; x++) line[x - low] = line[from - low];
  for (int x = end; x < high; x++) line[x - low] = line[end - 1 - low];
  float *result = to->panel->value + row * width;
  if (source->same ? source->same[row] : all_same(line, high - low))
    memcpy(result, line + reach, (size_t)width * sizeof *result);
  else
    to->window->apply(to->window, line, width, 1, result);
}

enum { ROWS_TOGETHER = 1024 };

static void narrow_some(void *user, int piece) {
  const narrowing *to = user;
  int64_t rows = (int64_t)to->panel->dim[1] * to->panel->dim[2];
  int64_t first = (int64_t)piece * ROWS_TOGETHER, end = first + ROWS_TOGETHER;
  for (int64_t row = first; row < end && row < rows; row++) narrow_row(to, row);
}

ht_status ht_window_panel(const ht_window_source *source, const ht_window *window, int first,
                          const ht_image *panel) {
  narrowing to = {source, window, first, panel};
  int64_t rows = (int64_t)panel->dim[1] * panel->dim[2];
  HT_TRY(ht_jobs_spread((int)((rows + ROWS_TOGETHER - 1) / ROWS_TOGETHER), narrow_some, &to));
  for (int axis = 1; axis < 3; axis++) HT_TRY(pass(panel, axis, window));
  return HT_OK;
}
