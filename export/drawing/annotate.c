#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include "core/text/utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const ht_rgb ht_ground = {13, 16, 21};
const ht_rgb ht_ink = {232, 236, 241};
const ht_rgb ht_faint_ink = {150, 159, 170};
const ht_rgb ht_empty = {26, 31, 38}; /* a panel's pixels without an image or outside the vessel */
const ht_rgb ht_vessel_line = {72, 228, 172};
static const ht_rgb frame_line = {62, 70, 81};
static const ht_rgb rim = {8, 10, 13};

/* Shortens a text that is too wide, with dots at its end. */
static void fit(char *text, double size, double width) {
  static const char dots[] = "...";
  size_t length = strlen(text), kept = length > 3 ? length - 3 : 0;
  while (kept > 1 && ht_font_width(size, text) > width) {
    kept = (size_t)ht_utf8_fit(text, kept); /* drops one character */
    memcpy(text + kept, dots, sizeof dots);
  }
}

static void draw_mark(ht_canvas *canvas, const char *mark) {
  static const ht_rgb amber = {255, 176, 32};
  const int x = HT_PICTURE_MARGIN, y = 68, width = canvas->width - 2 * x;
  char shown[200];
  snprintf(shown, sizeof shown, "%s", mark);
  fit(shown, 16, width - 24);
  ht_canvas_rect(canvas, x, y, width, 26, amber);
  ht_font_draw(canvas, x + 12, y + 5, 16, rim, shown);
}

void ht_annotate_title(ht_canvas *canvas, const char *title, const ht_picture_text *text) {
  const char *right = canvas->width < 1200 ? "hemotile - not for clinical decisions"
                                           : "hemotile - for research, not for clinical decisions";
  const int named = text && text->name && text->name[0];
  double at = canvas->width - HT_PICTURE_MARGIN - ht_font_width(14, right);
  char shown[400];
  double size = 24, width = at - HT_PICTURE_MARGIN - 24;
  snprintf(shown, sizeof shown, "%s%s%s", title, named ? " - " : "", named ? text->name : "");
  while (size > 15 && ht_font_width(size, shown) > width) size--;
  fit(shown, size, width);
  ht_font_draw(canvas, HT_PICTURE_MARGIN, 32 + 0.5 * (24 - size), size, ht_ink, shown);
  ht_font_draw(canvas, at, 40, 14, ht_faint_ink, right);
  if (text && text->mark && text->mark[0]) draw_mark(canvas, text->mark);
}

/* The middle of the letter at the left, right, top or bottom edge (0 to 3). */
static void letter_place(const ht_panel *panel, int edge, double at[2]) {
  at[0] = panel->x + 0.5 * panel->width;
  at[1] = panel->y + 0.5 * panel->height;
  if (edge == 0) at[0] = panel->x + 20;
  if (edge == 1) at[0] = panel->x + panel->width - 20;
  if (edge == 2) at[1] = panel->y + 22;
  if (edge == 3) at[1] = panel->y + panel->height - 22;
}

static void edge_letters(ht_canvas *canvas, const ht_panel *panel) {
  for (int edge = 0; edge < 4; edge++) {
    const char text[2] = {panel->view->edge[edge], 0};
    double at[2];
    letter_place(panel, edge, at);
    ht_font_draw_rimmed(canvas, at[0] - 0.5 * ht_font_width(18, text), at[1] - 9, 18, ht_ink, rim,
                        text);
  }
}

static void scale_bar(ht_canvas *canvas, const ht_panel *panel) {
  char text[32];
  double length_mm = ht_nice_below(fmin(150, 0.35 * panel->width) * panel->mm_per_px);
  double y = panel->y + panel->height - 20, from[2] = {panel->x + 18.0, y};
  double to[2] = {from[0] + length_mm / panel->mm_per_px, y};
  ht_canvas_line(canvas, from, to, 7, rim);
  ht_canvas_line(canvas, from, to, 3, ht_ink);
  snprintf(text, sizeof text, "%g mm", length_mm);
  ht_font_draw_rimmed(canvas, from[0], y - 26, 14, ht_ink, rim, text);
}

void ht_annotate_panel(ht_canvas *canvas, const ht_panel *panel, const char *title) {
  char shown[120];
  snprintf(shown, sizeof shown, "%s", title);
  fit(shown, 16, panel->width);
  ht_canvas_frame(canvas, panel->x - 1, panel->y - 1, panel->width + 2, panel->height + 2,
                  frame_line);
  ht_font_draw(canvas, panel->x, panel->y - 29, 16, ht_ink, shown);
  edge_letters(canvas, panel);
  scale_bar(canvas, panel);
}

void ht_slice_title(const ht_panel *panel, char *text, int size) {
  double at = fabs(panel->depth_mm) < 0.05 ? 0 : panel->depth_mm; /* no "-0.0" */
  snprintf(text, (size_t)size, "%s slice, %c = %.1f mm", panel->view->name,
           "xyz"[panel->view->through], at);
}

static ht_rgb role_colour(ht_role role) {
  if (role == HT_ROLE_INLET) return (ht_rgb){255, 122, 92};
  if (role == HT_ROLE_OUTLET) return (ht_rgb){106, 182, 255};
  return role == HT_ROLE_WALL ? (ht_rgb){158, 167, 178} : (ht_rgb){240, 224, 150};
}

static const char *role_words(ht_role role) {
  if (role == HT_ROLE_INLET) return "inlet";
  if (role == HT_ROLE_OUTLET) return "outlet";
  return role == HT_ROLE_WALL ? "closed: wall" : "no role yet";
}

static const double badge_radius = 13;

static void badge(ht_canvas *canvas, const double at[2], int number, ht_rgb colour, int filled) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  ht_canvas_disc(canvas, at, badge_radius + 1.5, rim);
  if (filled) ht_canvas_disc(canvas, at, badge_radius, colour);
  if (!filled) ht_canvas_ring(canvas, at, badge_radius - 1, 2, colour);
  ht_font_draw(canvas, at[0] - 0.5 * ht_font_width(13, text), at[1] - 6.5, 13,
               filled ? rim : colour, text);
}

/* The places of the openings' numbers: next to each centre, away from the vessel, and clear of the
 * other numbers and of the orientation letters. */
typedef struct {
  int count;
  int item[HT_OPENINGS_MAX];
  double anchor[HT_OPENINGS_MAX][2], badge[HT_OPENINGS_MAX][2];
} markers;

static void place_marker(const ht_panel *panel, const ht_opening *opening, double at[2]) {
  double beyond[3], tip[2], step[2];
  for (int r = 0; r < 3; r++) beyond[r] = opening->centre_mm[r] + opening->direction[r];
  ht_panel_pixel(panel, beyond, tip);
  for (int a = 0; a < 2; a++) step[a] = (tip[a] - at[a]) * panel->mm_per_px;
  double length = hypot(step[0], step[1]);
  if (!(length > 0.3)) step[0] = 0.7, step[1] = -0.7, length = 1;
  for (int a = 0; a < 2; a++) at[a] += 34 * step[a] / length;
}

static int is_in_panel(const ht_panel *panel, const double at[2]) {
  return at[0] >= panel->x && at[0] < panel->x + panel->width && at[1] >= panel->y &&
         at[1] < panel->y + panel->height;
}

static void keep_in_panel(const ht_panel *panel, double at[2]) {
  double edge = badge_radius + 6;
  at[0] = fmin(fmax(at[0], panel->x + edge), panel->x + panel->width - edge);
  at[1] = fmin(fmax(at[1], panel->y + edge), panel->y + panel->height - edge);
  double above_scale_bar = panel->y + panel->height - 60.0 - badge_radius;
  if (at[0] < panel->x + 190 && at[1] > above_scale_bar) at[1] = above_scale_bar;
}

static void push_apart(double a[2], double b[2], double least) {
  double apart[2] = {b[0] - a[0], b[1] - a[1]}, distance = hypot(apart[0], apart[1]);
  if (distance >= least) return;
  if (distance < 1e-3) apart[0] = 0, apart[1] = distance = 1;
  for (int d = 0; d < 2; d++) {
    double shift = 0.5 * (least - fmin(distance, least)) * apart[d] / distance;
    a[d] -= shift;
    b[d] += shift;
  }
}

/* Moves a number off a letter, along the frame: there is room on both sides of a letter, but none
 * beyond it. */
static void clear_of_letters(const ht_panel *panel, double at[2]) {
  const double least = badge_radius + 15;
  for (int edge = 0; edge < 4; edge++) {
    int along = edge < 2; /* axis of the frame at this edge */
    double letter[2];
    letter_place(panel, edge, letter);
    double across = at[!along] - letter[!along], side = at[along] - letter[along];
    if (hypot(across, side) >= least) continue;
    at[along] = letter[along] + copysign(sqrt(least * least - across * across), side);
  }
}

/* Moves a number that the frame pushed onto its own dot to the dot's side. */
static void step_aside(const ht_panel *panel, const double anchor[2], double at[2]) {
  if (hypot(at[0] - anchor[0], at[1] - anchor[1]) > badge_radius + 7) return;
  at[0] = anchor[0] - 30;
  at[1] = anchor[1] - 16;
  keep_in_panel(panel, at);
}

static void place_markers(const ht_panel *panel, const ht_openings *openings, markers *m) {
  m->count = 0;
  for (int i = 0; i < openings->count && i < HT_OPENINGS_MAX; i++) {
    double at[2];
    ht_panel_pixel(panel, openings->item[i].centre_mm, at);
    if (!is_in_panel(panel, at)) continue; /* also where it is no number */
    memcpy(m->anchor[m->count], at, sizeof at);
    place_marker(panel, &openings->item[i], at);
    keep_in_panel(panel, at);
    step_aside(panel, m->anchor[m->count], at);
    memcpy(m->badge[m->count], at, sizeof at);
    m->item[m->count++] = i;
  }
  for (int round = 0; round < 60; round++)
    for (int i = 0; i < m->count; i++) {
      for (int j = i + 1; j < m->count; j++)
        push_apart(m->badge[i], m->badge[j], 2 * badge_radius + 6);
      clear_of_letters(panel, m->badge[i]);
      keep_in_panel(panel, m->badge[i]);
    }
}

void ht_annotate_openings(ht_canvas *canvas, const ht_panel *panel, const ht_openings *openings,
                          double slab_mm) {
  markers m;
  if (!openings) return;
  place_markers(panel, openings, &m);
  for (int i = 0; i < m.count; i++) {
    ht_rgb colour = role_colour(openings->item[m.item[i]].role);
    ht_canvas_line(canvas, m.anchor[i], m.badge[i], 4, rim);
    ht_canvas_line(canvas, m.anchor[i], m.badge[i], 1.6, colour);
    ht_canvas_disc(canvas, m.anchor[i], 5, rim);
    ht_canvas_disc(canvas, m.anchor[i], 3.5, colour);
  }
  for (int i = 0; i < m.count; i++) {
    const ht_opening *opening = &openings->item[m.item[i]];
    double off = fabs(opening->centre_mm[panel->view->through] - panel->depth_mm);
    badge(canvas, m.badge[i], m.item[i] + 1, role_colour(opening->role), off <= slab_mm);
  }
}

enum { LEGEND_COLUMNS = 3, LEGEND_ROW = 36 };

static int legend_count(const ht_openings *openings) {
  if (!openings || openings->count < 0) return 0;
  return openings->count < HT_OPENINGS_MAX ? openings->count : HT_OPENINGS_MAX;
}

int ht_legend_height(const ht_openings *openings) {
  int rows = (legend_count(openings) + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
  return rows ? rows * LEGEND_ROW + 8 : 0;
}

void ht_annotate_legend(ht_canvas *canvas, int y, const ht_openings *openings) {
  int count = legend_count(openings);
  int column = (canvas->width - 2 * HT_PICTURE_MARGIN) / LEGEND_COLUMNS;
  for (int i = 0; i < count; i++) {
    const ht_opening *opening = &openings->item[i];
    char name[HT_NAME_MAX], text[HT_NAME_MAX + 96];
    double at[2] = {HT_PICTURE_MARGIN + badge_radius + 2.0 + column * (i % LEGEND_COLUMNS),
                    y + badge_radius + 2.0 + LEGEND_ROW * (i / LEGEND_COLUMNS)};
    badge(canvas, at, i + 1, role_colour(opening->role), 1);
    snprintf(name, sizeof name, "%.*s", HT_NAME_MAX - 1, opening->name);
    fit(name, 15, 0.45 * column);
    snprintf(text, sizeof text, "%s (%s), radius %.2f mm", name, role_words(opening->role),
             opening->radius_mm);
    ht_font_draw(canvas, at[0] + badge_radius + 12, at[1] - 7.5, 15, ht_ink, text);
  }
}

/* Number of steps for which each tick is a round number (for the numbers of ht_nice_above). */
static int tick_steps(double high) {
  double lead = high / pow(10, floor(log10(high) + 1e-9));
  if (lead < 1.1) return 5;
  if (lead < 1.4) return 6;
  if (lead < 1.8) return 5;
  if (lead < 2.2) return 4;
  if (lead < 2.8) return 5;
  return lead < 3.5 || (lead > 5.5 && lead < 7) ? 6 : lead > 4.5 && lead < 5.5 ? 5 : 4;
}

void ht_annotate_colour_scale(ht_canvas *canvas, int y, ht_map map, double low, double high,
                              int steps, const char *label) {
  int x = HT_PICTURE_MARGIN, width = 620, height = 20;
  for (int i = 0; i < width; i++)
    ht_canvas_rect(canvas, x + i, y, 1, height, ht_map_colour(map, (i + 0.5) / width));
  ht_canvas_frame(canvas, x - 1, y - 1, width + 2, height + 2, frame_line);
  for (int s = 0; s <= steps; s++) {
    char text[32];
    double at = x + (double)width * s / steps;
    ht_canvas_rect(canvas, (int)lround(at) - (s == steps), y + height + 1, 1, 6, ht_faint_ink);
    snprintf(text, sizeof text, "%.3g", low + (high - low) * s / steps);
    double left = at - 0.5 * ht_font_width(14, text);
    ht_font_draw(canvas, fmax(left, x), y + height + 13, 14, ht_ink, text);
  }
  ht_font_draw(canvas, x + width + 28, y + 2, 16, ht_ink, label);
}

void ht_annotate_colour_bar(ht_canvas *canvas, int y, ht_map map, double high, const char *label) {
  ht_annotate_colour_scale(canvas, y, map, 0, high, tick_steps(high), label);
}

void ht_annotate_note(ht_canvas *canvas, int y, const char *text) {
  char shown[400];
  snprintf(shown, sizeof shown, "%s", text);
  fit(shown, 14, canvas->width - 2 * HT_PICTURE_MARGIN);
  ht_font_draw(canvas, HT_PICTURE_MARGIN, y, 14, ht_faint_ink, shown);
}
