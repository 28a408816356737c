/* The tiles on the mask, in the cross-section that cuts the most of them. */
#include "export/drawing/annotate.h"
#include "export/pictures/pictures.h"
#include "export/drawing/font.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of a voxel of the section. */
typedef enum { OUTSIDE, WASTED, IN_PARTIAL, IN_FULL, KINDS } kind;

static const ht_rgb kind_colour[KINDS] = {
    {26, 31, 38}, {196, 70, 64}, {240, 196, 92}, {64, 160, 176}};
static const ht_rgb tile_line = {13, 16, 21};
static const char axis_letter[] = "xyz"; /* of the lattice */

/* A section across one axis of the lattice, and the drawn part of it: a box of voxels whose axis
 * along[0] runs to the right and along[1] down. */
typedef struct {
  int through, depth; /* voxel `depth` of axis `through` */
  int along[2], backwards[2];
  int low[2], size[2]; /* voxels of the box; low may be negative */
  int64_t tiles, full; /* cut by it; of these, without a solid voxel */
  int64_t voxels[KINDS];
  uint8_t *what; /* [size[1]][size[0]] kind, owned */
} section;

/* ---- which section ---- */

/* The number of tiles that each plane of an axis cuts, and of the vessel's voxels in it. */
typedef struct {
  int64_t tiles, vessel;
} plane_count;

static void count_tiles(const ht_tile_places *tiles, const int dim[3], plane_count *plane[3]) {
  for (int64_t t = 0; t < tiles->count; t++)
    for (int a = 0; a < 3; a++)
      for (int i = 0; i < tiles->side; i++) {
        int at = tiles->first[3 * t + a] + i;
        if (at >= 0 && at < dim[a]) plane[a][at].tiles++;
      }
}

static void count_vessel(const ht_mask *mask, plane_count *plane[3]) {
  const int *dim = mask->grid.dim;
  const uint8_t *inside = mask->inside;
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++) {
        if (!*inside++) continue;
        plane[0][x].vessel++;
        plane[1][y].vessel++;
        plane[2][z].vessel++;
      }
}

static int is_better(plane_count one, plane_count other) {
  return one.tiles != other.tiles ? one.tiles > other.tiles : one.vessel > other.vessel;
}

static ht_status choose(const ht_mask *mask, const ht_tile_places *tiles, section *s) {
  plane_count *plane[3] = {NULL, NULL, NULL}, best = {0, 0};
  const int *dim = mask->grid.dim;
  ht_status status = HT_OK;
  for (int a = 0; a < 3; a++)
    HT_TRY_DONE(ht_alloc((void **)&plane[a], (size_t)dim[a], sizeof **plane, "the tiles' picture"));
  count_tiles(tiles, dim, plane);
  count_vessel(mask, plane);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < dim[a]; i++) {
      if (!is_better(plane[a][i], best)) continue;
      best = plane[a][i];
      s->through = a;
      s->depth = i;
    }
  s->tiles = best.tiles;
  if (best.tiles == 0)
    status = ht_fail(HT_ERR_VESSEL, "there is no tile on the mask: there is nothing to draw");
done:
  for (int a = 0; a < 3; a++) free(plane[a]);
  return status;
}

/* ---- the drawn part ---- */

static int meets(const ht_tile_places *tiles, int64_t tile, const section *s) {
  int from = tiles->first[3 * tile + s->through];
  return s->depth >= from && s->depth < from + tiles->side;
}

/* The patient's axis (0 to 2) that a lattice axis is nearest to; *down: it runs against it. */
static int nearest_axis(const ht_grid *grid, int axis, int *down) {
  int nearest = 0;
  for (int r = 1; r < 3; r++)
    if (fabs(grid->direction[r][axis]) > fabs(grid->direction[nearest][axis])) nearest = r;
  *down = grid->direction[nearest][axis] < 0;
  return nearest;
}

/* Chooses the section's axes: the longer side runs to the right; as in the other pictures the
 * patient's left and back are to the right or below, and the head is above. */
static void lay_out(const ht_grid *grid, const ht_tile_places *tiles, section *s) {
  int high[2] = {INT32_MIN, INT32_MIN};
  s->along[0] = s->through == 0 ? 1 : 0;
  s->along[1] = s->through == 2 ? 1 : 2;
  s->low[0] = s->low[1] = INT32_MAX;
  for (int64_t t = 0; t < tiles->count; t++)
    for (int d = 0; d < 2 && meets(tiles, t, s); d++) {
      int from = tiles->first[3 * t + s->along[d]];
      if (from < s->low[d]) s->low[d] = from;
      if (from + tiles->side > high[d]) high[d] = from + tiles->side;
    }
  for (int d = 0; d < 2; d++) {
    s->low[d] -= tiles->side; /* room for the letters */
    s->size[d] = high[d] + tiles->side - s->low[d];
  }
  if (s->size[1] > s->size[0]) {
    int axis = s->along[0], low = s->low[0], size = s->size[0];
    s->along[0] = s->along[1], s->low[0] = s->low[1], s->size[0] = s->size[1];
    s->along[1] = axis, s->low[1] = low, s->size[1] = size;
  }
  for (int d = 0; d < 2; d++) {
    int down, axis = nearest_axis(grid, s->along[d], &down);
    s->backwards[d] = d == 1 && axis == 2 ? !down : down;
  }
}

static int is_fluid(const ht_mask *mask, const int voxel[3]) {
  const int *dim = mask->grid.dim;
  return ht_voxel_in_grid(dim, voxel) && mask->inside[ht_voxel_index(dim, voxel)] != 0;
}

static int is_full(const ht_mask *mask, const int32_t first[3], int side) {
  for (int n = 0; n < side * side * side; n++) {
    int voxel[3] = {first[0] + n % side, first[1] + n / side % side, first[2] + n / side / side};
    if (!is_fluid(mask, voxel)) return 0;
  }
  return 1;
}

static void fill_tile(const ht_mask *mask, const int32_t first[3], int side, section *s) {
  int full = is_full(mask, first, side), voxel[3];
  s->full += full;
  voxel[s->through] = s->depth;
  for (int n = 0; n < side * side; n++) {
    int offset[2] = {n % side, n / side};
    for (int d = 0; d < 2; d++) voxel[s->along[d]] = first[s->along[d]] + offset[d];
    int x = voxel[s->along[0]] - s->low[0], y = voxel[s->along[1]] - s->low[1];
    kind what = !is_fluid(mask, voxel) ? WASTED : full ? IN_FULL : IN_PARTIAL;
    s->what[(size_t)y * (size_t)s->size[0] + (size_t)x] = (uint8_t)what;
    s->voxels[what]++;
  }
}

static ht_status fill(const ht_mask *mask, const ht_tile_places *tiles, section *s) {
  HT_TRY(ht_alloc((void **)&s->what, (size_t)s->size[0] * (size_t)s->size[1], 1,
                  "the tiles' picture"));
  for (int64_t t = 0; t < tiles->count; t++)
    if (meets(tiles, t, s)) fill_tile(mask, tiles->first + 3 * t, tiles->side, s);
  return HT_OK;
}

/* ---- drawing ---- */

enum { MOST_HEIGHT = 1000, LEAST_WIDTH = 1200, MOST_SCALE = 28, LEGEND_ROW = 30 };

/* Pixels per voxel: a whole number where it is more than one. */
static double scale_of(const section *s) {
  double scale = fmin((HT_PICTURE_WIDTH - 2.0 * HT_PICTURE_MARGIN) / s->size[0],
                      (double)ht_panel_height(MOST_HEIGHT) / s->size[1]);
  return scale > 1 ? fmin(floor(scale), MOST_SCALE) : scale;
}

/* Sets the letters of the picture's edges: the patient's sides that the ends of each lattice axis
 * are nearest to. */
static void edge_letters(const ht_grid *grid, const section *s, ht_view *view) {
  for (int d = 0; d < 2; d++) {
    double along[3];
    for (int r = 0; r < 3; r++) along[r] = grid->direction[r][s->along[d]];
    view->edge[2 * d] = ht_side_letter(along, s->backwards[d] ? 1 : -1);
    view->edge[2 * d + 1] = ht_side_letter(along, s->backwards[d] ? -1 : 1);
  }
}

/* Pixel of a voxel's lower face along one direction of the picture. */
static double edge_of(const ht_panel *panel, const section *s, int d, int voxel, double scale) {
  double at = (voxel - s->low[d]) * scale;
  if (s->backwards[d]) at = s->size[d] * scale - at;
  return (d ? panel->y : panel->x) + at;
}

static void draw_voxels(ht_canvas *canvas, const ht_panel *panel, const section *s, double scale) {
  for (int j = 0; j < panel->height; j++)
    for (int i = 0; i < panel->width; i++) {
      int x = (int)fmin((i + 0.5) / scale, s->size[0] - 1);
      int y = (int)fmin((j + 0.5) / scale, s->size[1] - 1);
      if (s->backwards[0]) x = s->size[0] - 1 - x;
      if (s->backwards[1]) y = s->size[1] - 1 - y;
      kind what = (kind)s->what[(size_t)y * (size_t)s->size[0] + (size_t)x];
      ht_canvas_blend(canvas, panel->x + i, panel->y + j, kind_colour[what], 1);
    }
}

/* Draws the lines between tiles; none where they would cover the tiles. */
static void draw_tiles(ht_canvas *canvas, const ht_panel *panel, const ht_tile_places *tiles,
                       const section *s, double scale) {
  if (tiles->side * scale < 6) return;
  double width = scale >= 8 ? 2 : 1;
  for (int64_t t = 0; t < tiles->count; t++) {
    double low[2], high[2];
    if (!meets(tiles, t, s)) continue;
    for (int d = 0; d < 2; d++) {
      int from = tiles->first[3 * t + s->along[d]];
      low[d] = edge_of(panel, s, d, from, scale);
      high[d] = edge_of(panel, s, d, from + tiles->side, scale);
    }
    for (int side = 0; side < 2; side++) {
      double x = side ? high[0] : low[0], y = side ? high[1] : low[1];
      ht_canvas_line(canvas, (double[2]){x, low[1]}, (double[2]){x, high[1]}, width, tile_line);
      ht_canvas_line(canvas, (double[2]){low[0], y}, (double[2]){high[0], y}, width, tile_line);
    }
  }
}

static void draw_legend(ht_canvas *canvas, int y, const section *s) {
  static const char *const words[KINDS] = {NULL, "empty place in a tile: no vessel",
                                           "vessel in a tile that is partly filled",
                                           "vessel in a tile that is full"};
  for (int row = 0; row < KINDS - 1; row++) {
    int what = KINDS - 1 - row;
    char text[160];
    ht_canvas_rect(canvas, HT_PICTURE_MARGIN, y + row * LEGEND_ROW, 26, 18, kind_colour[what]);
    snprintf(text, sizeof text, "%s (%lld nodes of this section)", words[what],
             (long long)s->voxels[what]);
    ht_font_draw(canvas, HT_PICTURE_MARGIN + 40, y + row * LEGEND_ROW + 2, 15, ht_ink, text);
  }
}

static void write_notes(ht_canvas *canvas, int y, const ht_grid *grid, const ht_tile_places *tiles,
                        const section *s) {
  char text[320];
  double vessel = (double)(s->voxels[IN_FULL] + s->voxels[IN_PARTIAL]);
  snprintf(text, sizeof text,
           "This section cuts the most tiles: %lld of %lld, %lld of them full; %.1f %% of its "
           "places in tiles are vessel.",
           (long long)s->tiles, (long long)tiles->count, (long long)s->full,
           100 * vessel / (vessel + (double)s->voxels[WASTED]));
  ht_annotate_note(canvas, y, text);
  snprintf(
      text, sizeof text,
      "A tile is %d x %d x %d nodes, a node %.3g mm. An entirely red tile has its vessel outside "
      "this section.",
      tiles->side, tiles->side, tiles->side, grid->spacing_mm[0]);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT, text);
  snprintf(text, sizeof text,
           "Lattice %c runs to the %s, %c %s; the letters are those of the patient's nearest axes.",
           axis_letter[s->along[0]], s->backwards[0] ? "left" : "right", axis_letter[s->along[1]],
           s->backwards[1] ? "up" : "down");
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT, text);
}

static void draw(ht_canvas *canvas, const ht_panel *panel, const ht_mask *mask,
                 const ht_tile_places *tiles, const section *s, double scale) {
  char title[96];
  draw_voxels(canvas, panel, s, scale);
  draw_tiles(canvas, panel, tiles, s, scale);
  snprintf(title, sizeof title, "section of the lattice at %c = %d", axis_letter[s->through],
           s->depth);
  ht_annotate_panel(canvas, panel, title);
  int below = panel->y + panel->height + HT_FOOTER_GAP;
  draw_legend(canvas, below, s);
  write_notes(canvas, below + (KINDS - 1) * LEGEND_ROW + 8, &mask->grid, tiles, s);
}

static ht_status write_picture(const char *path, const ht_mask *mask, const ht_tile_places *tiles,
                               const section *s, const ht_picture_text *text) {
  ht_canvas canvas;
  ht_view view = {.name = "section"};
  double scale = scale_of(s);
  int width = (int)ceil(s->size[0] * scale), height = (int)ceil(s->size[1] * scale);
  int whole = (int)fmax(LEAST_WIDTH, width + 2 * HT_PICTURE_MARGIN);
  ht_panel panel = {.view = &view,
                    .x = (whole - width) / 2,
                    .y = HT_HEADER_HEIGHT,
                    .width = width,
                    .height = height,
                    .mm_per_px = mask->grid.spacing_mm[0] / scale};
  edge_letters(&mask->grid, s, &view);
  int below = height + HT_FOOTER_GAP + (KINDS - 1) * LEGEND_ROW + 8 + 4 * HT_NOTE_HEIGHT;
  HT_TRY(ht_canvas_alloc(whole, HT_HEADER_HEIGHT + below, ht_ground, &canvas));
  ht_annotate_title(&canvas, "Tiles on the vessel", text);
  draw(&canvas, &panel, mask, tiles, s, scale);
  ht_status status = ht_canvas_write(&canvas, path);
  ht_canvas_free(&canvas);
  return status;
}

ht_status ht_picture_tiles(const char *path, const ht_mask *mask, const ht_tile_places *tiles,
                           const ht_picture_text *text) {
  section s;
  memset(&s, 0, sizeof s);
  HT_TRY(ht_grid_check(&mask->grid));
  HT_TRY(choose(mask, tiles, &s));
  lay_out(&mask->grid, tiles, &s);
  ht_status status = fill(mask, tiles, &s);
  if (status == HT_OK) status = write_picture(path, mask, tiles, &s, text);
  free(s.what);
  return status;
}
