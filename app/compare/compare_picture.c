#include "app/compare/compare_picture.h"
#include "export/drawing/annotate.h"
#include "export/pixels/mesh_raster.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char what[] = "the picture of the difference";
static const double beyond = 0.01; /* fraction of the points that may lie above the last colour */
static const int row_height = 560;

/* A colour bar: round numbers at its ends. */
typedef struct {
  double low, high;
  int steps;
} scale;

/* ---- ranges of colours ---- */

static int by_size(const void *a, const void *b) {
  float one = *(const float *)a, other = *(const float *)b;
  return (one > other) - (one < other);
}

static int64_t add_finite(const float *values, int64_t points, int in_size, float *to) {
  int64_t count = 0;
  for (int64_t p = 0; p < points; p++)
    if (isfinite(values[p])) to[count++] = in_size ? fabsf(values[p]) : values[p];
  return count;
}

static scale scale_between(double low, double high) {
  double step = ht_nice_below(high > low ? (high - low) / 4 : 0.25);
  scale found = {step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9), 0};
  if (!(found.high > found.low)) found.high = found.low + 4 * step;
  found.steps = (int)lround((found.high - found.low) / step);
  return found;
}

/* Finds the range of both walls; from 0 for a number that is never below. */
static ht_status scale_of(const ht_compared_wall *a, const ht_compared_wall *b, int number,
                          scale *found) {
  float *all;
  int64_t points = a->surface.points + b->surface.points;
  if (number == HT_OF_OSI) {
    *found = (scale){0, 0.5, 5};
    return HT_OK;
  }
  HT_TRY(ht_alloc((void **)&all, (size_t)points + 1, sizeof *all, what));
  int64_t count = add_finite(a->values[number], a->surface.points, 0, all);
  count += add_finite(b->values[number], b->surface.points, 0, all + count);
  qsort(all, (size_t)count, sizeof *all, by_size);
  double low = count ? all[(int64_t)(beyond * (double)(count - 1))] : 0;
  double high = count ? all[(int64_t)((1 - beyond) * (double)(count - 1))] : 1;
  free(all);
  *found = scale_between(number == HT_OF_PRESSURE ? low : 0, high);
  return HT_OK;
}

/* Finds a range that reaches as far below 0 as above. */
static ht_status scale_of_difference(const ht_wall_map *map, int number, scale *found) {
  float *all;
  HT_TRY(ht_alloc((void **)&all, (size_t)map->points + 1, sizeof *all, what));
  int64_t count = add_finite(map->difference[number], map->points, 1, all);
  qsort(all, (size_t)count, sizeof *all, by_size);
  double high = ht_nice_above(count ? all[(int64_t)((1 - beyond) * (double)(count - 1))] : 0);
  free(all);
  *found = (scale){-high, high, 4};
  return HT_OK;
}

/* ---- drawing ---- */

static void box_of(const ht_surface *surface, ht_box_mm *box) {
  for (int r = 0; r < 3; r++) box->low[r] = INFINITY, box->high[r] = -INFINITY;
  for (int64_t i = 0; i < 3 * surface->points; i++) {
    box->low[i % 3] = fmin(box->low[i % 3], surface->point_mm[i]);
    box->high[i % 3] = fmax(box->high[i % 3], surface->point_mm[i]);
  }
  ht_box_widen(box, 0.06, 1);
  ht_box_balance(box);
}

static ht_status draw_row(ht_canvas *canvas, const ht_panel panel[3], const ht_surface *surface,
                          const float *values, ht_map map, const scale *colours,
                          const char *label) {
  float *part;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&part, (size_t)surface->points, sizeof *part, what));
  for (int64_t p = 0; p < surface->points; p++)
    part[p] = (float)((values[p] - colours->low) / (colours->high - colours->low));
  for (int v = 0; v < 3 && status == HT_OK; v++) {
    char title[120];
    ht_canvas_rect(canvas, panel[v].x, panel[v].y, panel[v].width, panel[v].height, ht_empty);
    status = ht_mesh_draw(canvas, &panel[v], surface, part, map, 1);
    snprintf(title, sizeof title, v == 0 ? "%s, %s" : "%.0s%s", label, panel[v].view->from);
    ht_annotate_panel(canvas, &panel[v], title);
  }
  free(part);
  return status;
}

static void write_notes(ht_canvas *canvas, int y, const ht_compared_case *other,
                        const ht_wall_map *map, ht_wall_number number) {
  const ht_wall_difference *of = &map->number[number];
  const ht_wall_number_kind *kind = &ht_wall_number_kinds[number];
  const char *space = *kind->unit ? " " : "";
  char text[400];
  snprintf(text, sizeof text,
           "Red: %s has more. Over the common wall: median difference %.3g%s%s, 95 %% differs by "
           "less than %.3g%s%s. Where the wall is seen from inside it is darker.",
           other->label, of->median, space, kind->unit, of->p95, space, kind->unit);
  ht_annotate_note(canvas, y, text);
  snprintf(text, sizeof text,
           "Magenta: no value: the wall of %s is farther away than %.3g mm, or has none there "
           "(%.3g %% of the area).",
           other->label, map->reach_mm, 100 - of->area_percent);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT, text);
}

static void label_of(ht_wall_number number, const char *before, char label[160]) {
  const ht_wall_number_kind *kind = &ht_wall_number_kinds[number];
  snprintf(label, 160, "%s%s, %s", before, kind->words, *kind->unit ? kind->unit : "no unit");
}

typedef struct {
  const ht_compared_case *one, *other;
  const ht_wall_map *map;
  ht_wall_number number;
  scale values, difference;
} picture;

static ht_status draw(ht_canvas *canvas, const picture *of, ht_panel row[3][3], const int bar[2]) {
  const ht_compared_wall *a = &of->one->wall, *b = &of->other->wall;
  char label[160];
  HT_TRY(draw_row(canvas, row[0], &a->surface, a->values[of->number], HT_MAP_PLASMA, &of->values,
                  of->one->label));
  HT_TRY(draw_row(canvas, row[1], &b->surface, b->values[of->number], HT_MAP_PLASMA, &of->values,
                  of->other->label));
  HT_TRY(draw_row(canvas, row[2], &a->surface, of->map->difference[of->number], HT_MAP_DIFFERENCE,
                  &of->difference, "Difference"));
  label_of(of->number, "", label);
  ht_annotate_colour_scale(canvas, bar[0], HT_MAP_PLASMA, of->values.low, of->values.high,
                           of->values.steps, label);
  label_of(of->number, "Difference: ", label);
  ht_annotate_colour_scale(canvas, bar[1], HT_MAP_DIFFERENCE, of->difference.low,
                           of->difference.high, of->difference.steps, label);
  return HT_OK;
}

ht_status ht_compare_picture(const char *path, const ht_compared_case *reference,
                             const ht_compared_case *other, const ht_wall_map *map,
                             ht_wall_number number) {
  picture of = {reference, other, map, number, {0, 1, 1}, {0, 1, 1}};
  ht_canvas canvas = {0};
  ht_panel row[3][3];
  ht_box_mm box;
  char names[120];
  ht_status status;
  HT_TRY(scale_of(&reference->wall, &other->wall, number, &of.values));
  HT_TRY(scale_of_difference(map, number, &of.difference));
  box_of(&reference->wall.surface, &box);
  int y = HT_HEADER_HEIGHT;
  y += ht_panels_place(&box, HT_PICTURE_WIDTH, y, row_height, row[0]) + HT_PANEL_TITLE_HEIGHT;
  y += ht_panels_place(&box, HT_PICTURE_WIDTH, y, row_height, row[1]) + HT_FOOTER_GAP;
  int bar[2] = {y, 0};
  y += HT_COLOUR_BAR_HEIGHT + HT_PANEL_TITLE_HEIGHT;
  y += ht_panels_place(&box, HT_PICTURE_WIDTH, y, row_height, row[2]) + HT_FOOTER_GAP;
  bar[1] = y;
  y += HT_COLOUR_BAR_HEIGHT;
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, y + 2 * HT_NOTE_HEIGHT + HT_FOOTER_GAP, ht_ground,
                              &canvas));
  snprintf(names, sizeof names, "%s and %s", reference->label, other->label);
  const ht_picture_text text = {.name = names};
  ht_annotate_title(&canvas, ht_wall_number_kinds[number].words, &text);
  HT_TRY_DONE(draw(&canvas, &of, row, bar));
  write_notes(&canvas, y, other, map, number);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_canvas_free(&canvas);
  return status;
}
