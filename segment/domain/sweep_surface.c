#include "segment/domain/sweep_surface.h"
#include "segment/shape/triangle_distance.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* Pixels farther than this from the mask's rim are on the same side of the surface's. */
static const double sure = 1.75;

/* A line of the section, in the pixels of layer `home`. */
typedef struct {
  double from[2], to[2];
} rim_line;

typedef struct {
  int64_t count, room;
  rim_line *item;
} rim;

/* The pixel of layer `home` that lies along the direction from a place on the plane. */
static void pixel_of(const ht_sweep *s, const double at[3], double pixel[2]) {
  double along = (s->sign * s->home - at[s->axis]) / s->direction[s->axis];
  for (int k = 0; k < 2; k++) pixel[k] = at[s->across[k]] + along * s->direction[s->across[k]];
}

static ht_status add_line(const ht_sweep *s, double at[2][3], rim *lines) {
  if (lines->count == lines->room) {
    int64_t room = lines->room ? 2 * lines->room : 256;
    void *larger = realloc(lines->item, (size_t)room * sizeof *lines->item);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for a section of the surface");
    lines->item = larger;
    lines->room = room;
  }
  rim_line *one = &lines->item[lines->count++];
  pixel_of(s, at[0], one->from);
  pixel_of(s, at[1], one->to);
  return HT_OK;
}

static ht_status find_lines(const ht_mask *mask, const ht_triangles *surface, const ht_sweep *s,
                            rim *lines) {
  for (int t = 0; t < surface->count; t++) {
    double corner[3][3], at[2][3];
    for (int c = 0; c < 3; c++) {
      const float *p = surface->corner[t][c];
      const double lps[3] = {p[0], p[1], p[2]};
      ht_grid_index(&mask->grid, lps, corner[c]);
    }
    if (ht_plane_cuts(s->centre, s->normal, (const double(*)[3])corner, at))
      HT_TRY(add_line(s, at, lines));
  }
  return HT_OK;
}

static double from_line(const rim_line *line, const double pixel[2]) {
  double way[2], off[2], length2 = 0, along = 0;
  for (int k = 0; k < 2; k++) {
    way[k] = line->to[k] - line->from[k];
    off[k] = pixel[k] - line->from[k];
    length2 += way[k] * way[k];
    along += way[k] * off[k];
  }
  double part = length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0;
  return hypot(off[0] - part * way[0], off[1] - part * way[1]);
}

/* Tells whether a line crosses the pixel's row to its left; every second such crossing leads
 * outside again. */
static int crosses_left(const rim_line *line, const double pixel[2]) {
  if ((line->from[1] > pixel[1]) == (line->to[1] > pixel[1])) return 0;
  double part = (pixel[1] - line->from[1]) / (line->to[1] - line->from[1]);
  return line->from[0] + part * (line->to[0] - line->from[0]) < pixel[0];
}

static double distance_of(const rim *lines, const double pixel[2]) {
  double nearest = HT_SECTION_REACH;
  int inside = 0;
  for (int64_t i = 0; i < lines->count; i++) {
    nearest = fmin(nearest, from_line(&lines->item[i], pixel));
    inside ^= crosses_left(&lines->item[i], pixel);
  }
  return inside ? nearest : -nearest;
}

/* Returns 0 where the lines are not the section's rim. */
static int measure(const rim *lines, const ht_section *section, double *distance) {
  for (int n = 0; n < section->size[0] * section->size[1]; n++) {
    const double pixel[2] = {section->low[0] + n % section->size[0],
                             section->low[1] + n / section->size[0]};
    double before = section->distance[n];
    distance[n] = before;
    if (fabs(before) >= HT_SECTION_REACH - 1) continue; /* far from the rim */
    double found = distance_of(lines, pixel);
    if (fabs(before) <= sure || (found > 0) == (before > 0))
      distance[n] = found;
    else
      return 0;
  }
  return 1;
}

ht_status ht_sweep_follow(const ht_mask *mask, const ht_triangles *surface, ht_sweep *s) {
  rim lines = {0};
  double *distance = NULL;
  ht_section *section = &s->section;
  size_t pixels = (size_t)section->size[0] * (size_t)section->size[1];
  ht_status status = find_lines(mask, surface, s, &lines);
  if (status == HT_OK)
    status = ht_alloc((void **)&distance, pixels, sizeof *distance, "a section of the surface");
  if (status == HT_OK && measure(&lines, section, distance)) {
    memcpy(section->distance, distance, pixels * sizeof *distance);
    s->follows = 1;
  }
  free(lines.item);
  free(distance);
  return status;
}
