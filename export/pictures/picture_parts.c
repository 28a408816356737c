/* The wall of the flow domain in three views, each rank's part in its own colour. */
#include "export/drawing/annotate.h"
#include "export/pixels/mesh_raster.h"
#include "export/pictures/pictures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "the picture of the parts";

/* ---- the part at a place ---- */

/* The ranks of the tiles on a grid of tiles. */
typedef struct {
  const ht_tile_places *tiles;
  int low[3], dim[3]; /* of the voxels of the first tiles; tiles */
  int32_t *part_of;   /* [dim z][dim y][dim x], -1: no tile. Owned */
} tile_grid;

static int64_t place_of(const tile_grid *grid, const int tile[3]) {
  return tile[0] + grid->dim[0] * (tile[1] + (int64_t)grid->dim[1] * tile[2]);
}

static ht_status make_grid(const ht_tile_places *tiles, const int32_t *part, tile_grid *grid) {
  *grid = (tile_grid){.tiles = tiles};
  for (int a = 0; a < 3; a++) {
    int high = grid->low[a] = tiles->first[a];
    for (int64_t t = 0; t < tiles->count; t++) {
      int at = tiles->first[3 * t + a];
      if (at < grid->low[a]) grid->low[a] = at;
      if (at > high) high = at;
    }
    grid->dim[a] = (high - grid->low[a]) / tiles->side + 1;
  }
  size_t places = (size_t)grid->dim[0] * (size_t)grid->dim[1] * (size_t)grid->dim[2];
  HT_TRY(ht_alloc((void **)&grid->part_of, places, sizeof *grid->part_of, what));
  for (size_t i = 0; i < places; i++) grid->part_of[i] = -1;
  for (int64_t t = 0; t < tiles->count; t++) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = (tiles->first[3 * t + a] - grid->low[a]) / tiles->side;
    grid->part_of[place_of(grid, at)] = part[t];
  }
  return HT_OK;
}

static int part_at(const tile_grid *grid, const double index[3]) {
  int at[3];
  for (int a = 0; a < 3; a++) {
    at[a] = (int)floor((floor(index[a] + 0.5) - grid->low[a]) / grid->tiles->side);
    if (at[a] < 0 || at[a] >= grid->dim[a]) return -1;
  }
  return grid->part_of[place_of(grid, at)];
}

/* The part of the wall at a triangle: that of the first tile inside of it. NAN: there is none. */
static float part_inside(const tile_grid *grid, const ht_grid *voxels, const ht_surface *surface,
                         const int32_t corner[3]) {
  static const double depth[] = {0.5, 1, 1.5, 2, 0, -0.5}; /* spacings */
  for (size_t d = 0; d < sizeof depth / sizeof *depth; d++) {
    double at[3], index[3];
    for (int r = 0; r < 3; r++) {
      at[r] = 0;
      for (int c = 0; c < 3; c++)
        at[r] += (surface->point_mm[3 * (int64_t)corner[c] + r] -
                  depth[d] * voxels->spacing_mm[0] * surface->normal[3 * (int64_t)corner[c] + r]) /
                 3;
    }
    ht_grid_index(voxels, at, index);
    int part = part_at(grid, index);
    if (part >= 0) return (float)part;
  }
  return NAN;
}

/* ---- a surface with a colour for each triangle ---- */

/* Builds the wall of the whole domain: the vessel with its extensions. */
static ht_status build_wall(const ht_domain *domain, ht_surface *surface) {
  ht_domain whole = *domain;
  size_t voxels = (size_t)ht_grid_voxels(&domain->mask.grid);
  HT_TRY(ht_alloc((void **)&whole.mask.inside, voxels, 1, what));
  for (size_t i = 0; i < voxels; i++)
    whole.mask.inside[i] = domain->mask.inside[i] ? HT_VESSEL : HT_SOLID;
  ht_status status = ht_surface_build(&whole, surface);
  free(whole.mask.inside);
  return status;
}

/* Gives each triangle three points of its own, so that no colour lies between two parts. */
static ht_status separate(const ht_surface *joined, ht_surface *flat) {
  const size_t points = 3 * (size_t)joined->triangles;
  *flat = (ht_surface){.points = (int64_t)points, .triangles = joined->triangles};
  HT_TRY(ht_alloc((void **)&flat->point_mm, points, 3 * sizeof(float), what));
  HT_TRY(ht_alloc((void **)&flat->normal, points, 3 * sizeof(float), what));
  HT_TRY(ht_alloc((void **)&flat->triangle, points, sizeof(int32_t), what));
  for (size_t i = 0; i < points; i++) {
    memcpy(flat->point_mm + 3 * i, joined->point_mm + 3 * (int64_t)joined->triangle[i],
           3 * sizeof(float));
    memcpy(flat->normal + 3 * i, joined->normal + 3 * (int64_t)joined->triangle[i],
           3 * sizeof(float));
    flat->triangle[i] = (int32_t)i;
  }
  return HT_OK;
}

static ht_status colour(const tile_grid *grid, const ht_grid *voxels, const ht_surface *flat,
                        float **values) {
  HT_TRY(ht_alloc((void **)values, (size_t)flat->points, sizeof(float), what));
  for (int64_t t = 0; t < flat->triangles; t++) {
    float part = part_inside(grid, voxels, flat, flat->triangle + 3 * t);
    for (int c = 0; c < 3; c++) (*values)[3 * t + c] = part;
  }
  return HT_OK;
}

/* ---- drawing ---- */

static ht_status draw(const char *path, const ht_domain *domain, const ht_surface *flat,
                      const float *values, int parts, const ht_picture_text *text) {
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm box;
  char note[160];
  const double last = parts > 1 ? parts - 1 : 1;
  ht_status status = HT_OK;
  ht_box_of_grid(&domain->mask.grid, &box);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  int bar = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP, notes = bar + HT_COLOUR_BAR_HEIGHT;
  HT_TRY(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + 2 * HT_NOTE_HEIGHT, ht_ground, &canvas));
  ht_annotate_title(&canvas, "Parts of the domain by rank", text);
  for (int v = 0; v < 3; v++) {
    ht_canvas_rect(&canvas, panel[v].x, panel[v].y, panel[v].width, panel[v].height, ht_empty);
    HT_TRY_DONE(ht_mesh_draw(&canvas, &panel[v], flat, values, HT_MAP_PLASMA, last));
    ht_annotate_panel(&canvas, &panel[v], panel[v].view->from);
  }
  ht_annotate_colour_scale(&canvas, bar, HT_MAP_PLASMA, 0, last, parts <= 9 ? (int)last : 4,
                           "number of the rank");
  snprintf(note, sizeof note,
           "The wall of the vessel and its flow extensions; %d ranks. Where the wall is seen from "
           "inside it is darker.",
           parts);
  ht_annotate_note(&canvas, notes, note);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_canvas_free(&canvas);
  return status;
}

ht_status ht_picture_parts(const char *path, const ht_domain *domain, const ht_tile_places *tiles,
                           int parts, const int32_t *part, const ht_picture_text *text) {
  ht_surface joined, flat;
  tile_grid grid = {.part_of = NULL};
  float *values = NULL;
  ht_status status = HT_OK;
  memset(&joined, 0, sizeof joined);
  memset(&flat, 0, sizeof flat);
  if (tiles->count == 0)
    return ht_fail(HT_ERR_VESSEL, "there is no tile on the mask: there is nothing to draw");
  HT_TRY_DONE(make_grid(tiles, part, &grid));
  HT_TRY_DONE(build_wall(domain, &joined));
  HT_TRY_DONE(separate(&joined, &flat));
  HT_TRY_DONE(colour(&grid, &domain->mask.grid, &flat, &values));
  HT_TRY_DONE(draw(path, domain, &flat, values, parts, text));
done:
  ht_surface_free(&joined);
  ht_surface_free(&flat);
  free(grid.part_of);
  free(values);
  return status;
}
