#include "export/pixels/sample_buffer.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_samples_free(ht_samples *samples) {
  free(samples->depth);
  free(samples->value);
  free(samples->light);
  memset(samples, 0, sizeof *samples);
}

ht_status ht_samples_alloc(const ht_panel *panel, const char *what, ht_samples *samples) {
  memset(samples, 0, sizeof *samples);
  samples->width = panel->width * HT_FINE;
  samples->height = panel->height * HT_FINE;
  samples->first[0] = samples->width;
  samples->first[1] = samples->height;
  samples->last[0] = samples->last[1] = -1;
  size_t count = (size_t)samples->width * (size_t)samples->height;
  HT_TRY(ht_alloc((void **)&samples->depth, count, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&samples->value, count, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&samples->light, count, sizeof(float), what));
  for (size_t i = 0; i < count; i++) samples->depth[i] = -INFINITY;
  return HT_OK;
}

void ht_samples_range(double low, double high, int size, int *first, int *last) {
  *first = (int)fmin(fmax(floor(low - 0.5), 0), size);
  *last = (int)fmax(fmin(ceil(high - 0.5), size - 1.0), -1);
}

void ht_samples_cover(ht_samples *samples, int x0, int x1, int y0, int y1) {
  if (x0 < samples->first[0]) samples->first[0] = x0;
  if (y0 < samples->first[1]) samples->first[1] = y0;
  if (x1 > samples->last[0]) samples->last[0] = x1;
  if (y1 > samples->last[1]) samples->last[1] = y1;
}

static ht_rgb lit(ht_rgb colour, double light) {
  static const ht_rgb black = {0, 0, 0}, white = {255, 255, 255};
  return light <= 1 ? ht_rgb_mix(black, colour, light) : ht_rgb_mix(colour, white, light - 1);
}

static ht_rgb colour_of(const ht_samples *samples, size_t at, ht_sample_colours by) {
  static const ht_rgb bone = {214, 205, 196};
  double value = isfinite(samples->value[at]) ? samples->value[at] / by.high : NAN;
  return lit(by.plain ? bone : ht_map_colour(by.map, value), samples->light[at]);
}

/* Draws the mean of a pixel's samples, blended with the image where they do not cover it. */
static void draw_pixel(const ht_samples *samples, ht_canvas *canvas, const ht_panel *panel,
                       ht_sample_colours by, int x, int y) {
  int covered = 0, sum[3] = {0, 0, 0};
  for (int s = 0; s < HT_FINE * HT_FINE; s++) {
    size_t row = (size_t)(y * HT_FINE + s / HT_FINE);
    size_t at = row * (size_t)samples->width + (size_t)(x * HT_FINE + s % HT_FINE);
    if (!(samples->depth[at] > -INFINITY)) continue;
    ht_rgb colour = colour_of(samples, at, by);
    sum[0] += colour.r;
    sum[1] += colour.g;
    sum[2] += colour.b;
    covered++;
  }
  if (!covered) return;
  ht_rgb mean = {(unsigned char)(sum[0] / covered), (unsigned char)(sum[1] / covered),
                 (unsigned char)(sum[2] / covered)};
  ht_canvas_blend(canvas, panel->x + x, panel->y + y, mean, (double)covered / (HT_FINE * HT_FINE));
}

void ht_samples_draw(const ht_samples *samples, ht_canvas *canvas, const ht_panel *panel,
                     ht_sample_colours colours) {
  for (int y = samples->first[1] / HT_FINE; y * HT_FINE <= samples->last[1]; y++)
    for (int x = samples->first[0] / HT_FINE; x * HT_FINE <= samples->last[0]; x++)
      draw_pixel(samples, canvas, panel, colours, x, y);
}
