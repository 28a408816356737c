#include "export/pixels/line_raster.h"
#include "export/pixels/sample_buffer.h"
#include <math.h>

/* Half of a line's width, and the width of its rim, pixels. */
static const double half_px = 1.5, rim_px = 0.9;
static const double rim_light = 0.15;

typedef struct {
  double x, y, depth, value; /* fine pixels, mm */
} place;

/* Finds the place of a point in the panel. Returns 0 if it cannot be drawn. */
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

/* A piece of a line. */
typedef struct {
  place a, b;
  double way[2], per_square; /* from a to b, 1 / its length squared; 0 where that is 0 */
} piece;

static piece piece_of(const place *a, const place *b) {
  piece made = {*a, *b, {b->x - a->x, b->y - a->y}, 0};
  const double square = made.way[0] * made.way[0] + made.way[1] * made.way[1];
  if (square > 0) made.per_square = 1 / square;
  return made;
}

/* Puts a sample near the piece: lit as a round wire, with the rim `behind_mm` behind it. */
static void put_sample(ht_samples *to, const piece *of, int x, int y, double behind_mm) {
  const double half = HT_FINE * half_px, reach = HT_FINE * (half_px + rim_px);
  const place *a = &of->a, *b = &of->b;
  const double *way = of->way;
  double from[2] = {x + 0.5 - a->x, y + 0.5 - a->y};
  double t = (from[0] * way[0] + from[1] * way[1]) * of->per_square;
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

/* Narrows a row x0..x1 to the samples near the part of the piece that is within `reach` of the row.
 */
static void narrow_row(const piece *of, int y, double reach, int *x0, int *x1) {
  const place *a = &of->a;
  double from = 0, to = 1, rise = of->way[1], off = y + 0.5 - a->y;
  if (rise != 0) {
    double t[2] = {(off - reach) / rise, (off + reach) / rise};
    from = fmax(from, rise > 0 ? t[0] : t[1]);
    to = fmin(to, rise > 0 ? t[1] : t[0]);
  }
  double x[2] = {a->x + from * of->way[0], a->x + to * of->way[0]};
  *x0 = (int)fmax(*x0, floor(fmin(x[0], x[1]) - reach - 1));
  *x1 = (int)fmin(*x1, ceil(fmax(x[0], x[1]) + reach));
}

static void draw_piece(ht_samples *to, const piece *of, double behind_mm) {
  const double reach = HT_FINE * (half_px + rim_px);
  const place *a = &of->a, *b = &of->b;
  const double nearest = fmax(a->depth, b->depth);
  int x0, x1, y0, y1;
  ht_samples_range(fmin(a->x, b->x) - reach, fmax(a->x, b->x) + reach, to->width, &x0, &x1);
  ht_samples_range(fmin(a->y, b->y) - reach, fmax(a->y, b->y) + reach, to->height, &y0, &y1);
  if (x0 > x1 || y0 > y1) return;
  ht_samples_cover(to, x0, x1, y0, y1);
  for (int y = y0; y <= y1; y++) {
    int first = x0, last = x1;
    narrow_row(of, y, reach, &first, &last);
    const float *depth = to->depth + (size_t)y * (size_t)to->width;
    for (int x = first; x <= last; x++) /* most places have a nearer line already */
      if (nearest > depth[x]) put_sample(to, of, x, y, behind_mm);
  }
}

ht_status ht_lines_draw(ht_canvas *canvas, const ht_panel *panel, const ht_streamlines *lines,
                        ht_map map, double high) {
  /* More than a line's depth changes within the width of its rim, unless it is steep. */
  const double behind_mm = 4 * (half_px + rim_px) * panel->mm_per_px;
  ht_samples samples;
  ht_status status = ht_samples_alloc(panel, "the picture of the streamlines", &samples);
  for (int64_t l = 0; status == HT_OK && l < lines->lines; l++)
    for (int32_t p = lines->first[l] + 1; p < lines->first[l + 1]; p++) {
      place a, b;
      if (!place_of(panel, lines, p - 1, &a) || !place_of(panel, lines, p, &b)) continue;
      const piece of = piece_of(&a, &b);
      draw_piece(&samples, &of, behind_mm);
    }
  if (status == HT_OK) ht_samples_draw(&samples, canvas, panel, (ht_sample_colours){map, 0, high});
  ht_samples_free(&samples);
  return status;
}
