#include "line_raster.h"
#include "sample_buffer.h"
#include <math.h>

/* Half of a line's width, and its rim's, pixels. */
static const double half_px = 1.5, rim_px = 0.9;
static const double rim_light = 0.15;

typedef struct {
  double x, y, depth, value; /* fine pixels, mm */
} place;

/* 0 where it cannot be drawn. */
static int place_of(const ht_panel *panel, const ht_streamlines *lines, int64_t point, place *p) {
  const float *mm = lines->point_mm + 3 * point;
  const double at[3] = {mm[0], mm[1], mm[2]};
  double pixel[2];
  if (!(fabs(at[0]) < 1e7 && fabs(at[1]) < 1e7 && fabs(at[2]) < 1e7)) return 0;
  ht_panel_pixel(panel, at, pixel);
  *p = (place){HT_FINE * (pixel[0] - panel->x), HT_FINE * (pixel[1] - panel->y),
               panel->view->toward * at[panel->view->through], lines->speed_m_s[point]};
  return 1;
}

/* A sample near the piece from a to b: round like a wire, the rim behind it. `behind_mm`: how far.
 */
static void put_sample(ht_samples *to, const place *a, const place *b, int x, int y,
                       double behind_mm) {
  const double half = HT_FINE * half_px, reach = HT_FINE * (half_px + rim_px);
  double way[2] = {b->x - a->x, b->y - a->y}, from[2] = {x + 0.5 - a->x, y + 0.5 - a->y};
  double square = way[0] * way[0] + way[1] * way[1];
  double t = square > 0 ? (from[0] * way[0] + from[1] * way[1]) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  double off[2] = {from[0] - t * way[0], from[1] - t * way[1]};
  double away2 = off[0] * off[0] + off[1] * off[1];
  if (!(away2 <= reach * reach)) return;
  double depth = a->depth + t * (b->depth - a->depth), value = a->value + t * (b->value - a->value);
  size_t at = (size_t)y * (size_t)to->width + (size_t)x;
  if (away2 <= half * half)
    ht_samples_put(to, at, depth, value, 1.05 - 0.3 * away2 / (half * half));
  else
    ht_samples_put(to, at, depth - behind_mm, value, rim_light);
}

static void draw_piece(ht_samples *to, const place *a, const place *b, double behind_mm) {
  const double reach = HT_FINE * (half_px + rim_px);
  int x0, x1, y0, y1;
  ht_samples_range(fmin(a->x, b->x) - reach, fmax(a->x, b->x) + reach, to->width, &x0, &x1);
  ht_samples_range(fmin(a->y, b->y) - reach, fmax(a->y, b->y) + reach, to->height, &y0, &y1);
  if (x0 > x1 || y0 > y1) return;
  ht_samples_cover(to, x0, x1, y0, y1);
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) put_sample(to, a, b, x, y, behind_mm);
}

ht_status ht_lines_draw(ht_canvas *canvas, const ht_panel *panel, const ht_streamlines *lines,
                        ht_map map, double high) {
  /* Farther than a line changes its depth within the width of its rim, unless it is steep. */
  const double behind_mm = 4 * (half_px + rim_px) * panel->mm_per_px;
  ht_samples samples;
  ht_status status = ht_samples_alloc(panel, "the picture of the streamlines", &samples);
  for (int64_t l = 0; status == HT_OK && l < lines->lines; l++)
    for (int32_t p = lines->first[l] + 1; p < lines->first[l + 1]; p++) {
      place a, b;
      if (place_of(panel, lines, p - 1, &a) && place_of(panel, lines, p, &b))
        draw_piece(&samples, &a, &b, behind_mm);
    }
  if (status == HT_OK) ht_samples_draw(&samples, canvas, panel, (ht_sample_colours){map, 0, high});
  ht_samples_free(&samples);
  return status;
}
