#include "export/pictures/picture_measured.h"
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include <math.h>
#include <stdio.h>

enum { PANELS = 4, TITLE_SIZE = 16, LETTER_SIZE = 14 };
/* What was taken away is drawn up to this part of venc: an offset is small. */
static const double REMOVED = 0.1;

/* The image that is drawn, and its colours. */
typedef struct {
  const ht_measured_flow *flow;
  const float *as_read;
  const uint8_t *noise;
  const ht_mask *vessel;
  int time, plane;
  double high_m_s, bright;
} view;

static int64_t voxel_at(const view *v, int i, int j) {
  const int *dim = v->flow->grid.dim;
  return i + (int64_t)dim[0] * (j + (int64_t)dim[1] * v->plane);
}

static double magnitude_at(const ht_measured_flow *flow, int time, int64_t voxel) {
  return flow->magnitude ? flow->magnitude[time * ht_grid_voxels(&flow->grid) + voxel] : 1;
}

static double as_read_at(const view *v, int encoding, int64_t voxel) {
  const int64_t image = (int64_t)v->time * v->flow->encodings + encoding;
  return v->as_read[image * ht_grid_voxels(&v->flow->grid) + voxel];
}

/* Sums the squares of velocity times magnitude over a plane at a time, of all directions. */
static double strength(const ht_measured_flow *flow, int time, int plane) {
  const int64_t pixels = (int64_t)flow->grid.dim[0] * flow->grid.dim[1];
  double sum = 0;
  for (int e = 0; e < flow->encodings; e++)
    for (int64_t i = plane * pixels; i < (plane + 1) * pixels; i++)
      sum += pow(ht_measured_part(flow, time, e)[i] * magnitude_at(flow, time, i), 2);
  return sum;
}

/* Finds time and plane of the strongest flow, and the ends of the colours. */
static void choose(view *v) {
  double most = -1;
  for (int t = 0; t < v->flow->times; t++)
    for (int k = 0; k < v->flow->grid.dim[2]; k++) {
      const double one = strength(v->flow, t, k);
      if (one > most) most = one, v->time = t, v->plane = k;
    }
  for (int j = 0; j < v->flow->grid.dim[1]; j++)
    for (int i = 0; i < v->flow->grid.dim[0]; i++) {
      const int64_t voxel = voxel_at(v, i, j);
      v->bright = fmax(v->bright, magnitude_at(v->flow, v->time, voxel));
      if (v->noise && v->noise[voxel]) continue;
      for (int e = 0; e < v->flow->encodings; e++)
        v->high_m_s = fmax(v->high_m_s, fabs(ht_measured_part(v->flow, v->time, e)[voxel]));
    }
  v->high_m_s = ht_nice_above(v->high_m_s);
}

static ht_rgb colour_at(const view *v, int encoding, int panel, int64_t voxel) {
  const double read = as_read_at(v, encoding, voxel);
  const double corrected = ht_measured_part(v->flow, v->time, encoding)[voxel];
  const double removed = REMOVED * fmax(v->flow->encoding[encoding].venc_m_s, 1e-6);
  if (panel == 0)
    return ht_rgb_mix((ht_rgb){0, 0, 0}, (ht_rgb){255, 255, 255},
                      fmin(1, magnitude_at(v->flow, v->time, voxel) / fmax(v->bright, 1e-6)));
  if (panel > 1 && v->noise && v->noise[voxel]) return ht_empty;
  const double value = panel == 1   ? read / v->high_m_s
                       : panel == 2 ? corrected / v->high_m_s
                                    : (read - corrected) / removed;
  return ht_map_colour(HT_MAP_DIFFERENCE, 0.5 + 0.5 * value);
}

/* An area of the canvas. */
typedef struct {
  int x, y, width, height;
} area;

static void draw_image(const view *v, int encoding, int panel, const area *at, ht_canvas *canvas) {
  const int *dim = v->flow->grid.dim;
  for (int y = 0; y < at->height; y++)
    for (int x = 0; x < at->width; x++) {
      const int64_t voxel = voxel_at(v, x * dim[0] / at->width, y * dim[1] / at->height);
      ht_canvas_rect(canvas, at->x + x, at->y + y, 1, 1, colour_at(v, encoding, panel, voxel));
    }
  ht_canvas_frame(canvas, at->x - 1, at->y - 1, at->width + 2, at->height + 2, ht_faint_ink);
}

/* Tells whether the vessel is at a pixel of an image. */
static int is_vessel(const view *v, const area *at, int x, int y) {
  const int *dim = v->flow->grid.dim;
  const double index[3] = {(x + 0.5) * dim[0] / at->width - 0.5,
                           (y + 0.5) * dim[1] / at->height - 0.5, v->plane};
  double place[3], in_mask[3];
  int voxel[3];
  ht_grid_position(&v->flow->grid, index, place);
  ht_grid_index(&v->vessel->grid, place, in_mask);
  for (int a = 0; a < 3; a++) voxel[a] = (int)floor(in_mask[a] + 0.5);
  return ht_voxel_in_grid(v->vessel->grid.dim, voxel) &&
         v->vessel->inside[ht_voxel_index(v->vessel->grid.dim, voxel)] != 0;
}

/* Draws the line around the vessel, two pixels wide. */
static void draw_outline(const view *v, const area *at, ht_canvas *canvas) {
  for (int y = 1; v->vessel && y < at->height; y++)
    for (int x = 1; x < at->width; x++) {
      const int here = is_vessel(v, at, x, y);
      if (here != is_vessel(v, at, x - 1, y) || here != is_vessel(v, at, x, y - 1))
        ht_canvas_rect(canvas, at->x + x - 1, at->y + y - 1, 2, 2, ht_vessel_line);
    }
}

/* Writes the patient's sides at the edges of an image. */
static void draw_sides(const view *v, const area *at, ht_canvas *canvas) {
  for (int axis = 0; axis < 2; axis++) {
    double direction[3];
    for (int r = 0; r < 3; r++) direction[r] = v->flow->grid.direction[r][axis];
    for (int sign = -1; sign <= 1; sign += 2) {
      const char letter[2] = {ht_side_letter(direction, sign), 0};
      const int far = sign > 0;
      const double x = axis == 0 ? (far ? at->x + at->width - LETTER_SIZE - 4 : at->x + 6)
                                 : at->x + 0.5 * at->width - 5;
      const double y = axis == 1 ? (far ? at->y + at->height - LETTER_SIZE - 6 : at->y + 6)
                                 : at->y + 0.5 * at->height - 7;
      ht_font_draw_rimmed(canvas, x, y, LETTER_SIZE, ht_ink, ht_ground, letter);
    }
  }
}

static void draw_row(const view *v, int encoding, area at, ht_canvas *canvas) {
  static const char *const titles[PANELS] = {"magnitude", "as read", "corrected", "taken away"};
  double d[3]; /* without a minus zero */
  for (int r = 0; r < 3; r++) {
    const double one = v->flow->encoding[encoding].direction[r];
    d[r] = fabs(one) < 0.005 ? 0 : one;
  }
  for (int panel = 0; panel < PANELS; panel++) {
    char title[96];
    snprintf(title, sizeof title, "%s", titles[panel]);
    if (panel == 1)
      snprintf(title, sizeof title, "as read, along [%.2f, %.2f, %.2f]", d[0], d[1], d[2]);
    if (panel == 3)
      snprintf(title, sizeof title, "taken away, colours to %.3g m/s",
               REMOVED * v->flow->encoding[encoding].venc_m_s);
    ht_font_draw(canvas, at.x, at.y - 29, TITLE_SIZE, ht_ink, title);
    draw_image(v, encoding, panel, &at, canvas);
    draw_outline(v, &at, canvas);
    draw_sides(v, &at, canvas);
    at.x += at.width + HT_PANEL_GAP;
  }
}

static void draw(const view *v, area first, int bar, const ht_picture_text *text,
                 ht_canvas *canvas) {
  char note[160];
  ht_annotate_title(canvas, "The measured flow", text);
  for (int e = 0; e < v->flow->encodings; e++) {
    draw_row(v, e, first, canvas);
    first.y += first.height + HT_PANEL_TITLE_HEIGHT;
  }
  ht_annotate_colour_scale(canvas, bar, HT_MAP_DIFFERENCE, -v->high_m_s, v->high_m_s, 4,
                           "velocity along the direction (m/s)");
  snprintf(note, sizeof note, "Plane %d of %d, %.0f ms after the R wave. Dark: noise.%s",
           v->plane + 1, v->flow->grid.dim[2], 1000 * v->flow->time_s[v->time],
           v->vessel ? " Green: outline of the vessel that was found." : "");
  ht_annotate_note(canvas, bar + HT_COLOUR_BAR_HEIGHT, note);
}

ht_status ht_picture_measured(const char *path, const ht_measured_flow *flow, const float *as_read,
                              const uint8_t *noise, const ht_mask *vessel,
                              const ht_picture_text *text) {
  view v = {.flow = flow, .as_read = as_read, .noise = noise, .vessel = vessel};
  const ht_grid *grid = &flow->grid;
  ht_canvas canvas;
  area first = {HT_PICTURE_MARGIN, HT_HEADER_HEIGHT, 0, 0};
  first.width = (HT_PICTURE_WIDTH - 2 * HT_PICTURE_MARGIN - (PANELS - 1) * HT_PANEL_GAP) / PANELS;
  first.height = ht_panel_height((int)(first.width * grid->dim[1] * grid->spacing_mm[1] /
                                       (grid->dim[0] * grid->spacing_mm[0])));
  const int rows = flow->encodings * (first.height + HT_PANEL_TITLE_HEIGHT);
  const int bar = HT_HEADER_HEIGHT + rows + HT_FOOTER_GAP - HT_PANEL_TITLE_HEIGHT;
  first.width = (int)fmin(
      first.width,
      first.height * grid->dim[0] * grid->spacing_mm[0] / (grid->dim[1] * grid->spacing_mm[1]) + 1);
  choose(&v);
  HT_TRY(ht_canvas_alloc(HT_PICTURE_WIDTH, bar + HT_COLOUR_BAR_HEIGHT + 2 * HT_NOTE_HEIGHT,
                         ht_ground, &canvas));
  draw(&v, first, bar, text, &canvas);
  ht_status status = ht_canvas_write(&canvas, path);
  ht_canvas_free(&canvas);
  return status;
}
