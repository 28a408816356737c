#include "segment/domain/sweep.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* A cut plane this near to the direction's nearest axis keeps its own axis for the port. */
static const double own_axis_bonus = 0.05;

/* Distances are counted in 1e-4 pixels: coarse enough that mirror images are exactly equal. The rim
 * of a layer is looked for within a pixel. */
enum { PIXEL = 10000, RIM = PIXEL };

/* Depth of the slab inward of the plane, voxels along the normal; reach around the section, pixels
 * (not a possible distance of a pixel, so that mirror images are equal); largest difference of the
 * number of nodes from the section's. */
enum { SLAB = 6 };
static const double slab_rim = 1.47, alike = 0.12;

static const double least_along = 0.2; /* of normal and direction: 78.5 degrees */

/* ---- geometry ---- */

static int is_vector(const double v[3]) {
  return fabs(ht_dot(v, v) - 1) < 1e-3;
}

static ht_status check_opening(const ht_opening *opening) {
  double along = ht_dot(opening->normal, opening->direction);
  if (!is_vector(opening->normal) || !is_vector(opening->direction) || along < least_along ||
      !(opening->radius_mm > 0))
    return ht_fail(HT_ERR_OPENINGS,
                   "the opening '%s' has a radius of %g mm, and its direction and normal (unit "
                   "vectors) have a product of %g: the radius has to be above 0 and the product "
                   "above %g; place the openings again",
                   opening->name, opening->radius_mm, along, least_along);
  return HT_OK;
}

static void choose_axis(ht_sweep *s) {
  double best = 0;
  for (int a = 0; a < 3; a++) {
    double fit = fabs(s->direction[a]) + (fabs(s->normal[a]) > 0.999 ? own_axis_bonus : 0);
    if (fit <= best) continue;
    best = fit;
    s->axis = a;
  }
  s->sign = s->direction[s->axis] > 0 ? 1 : -1;
  for (int k = 0; k < 2; k++) {
    s->across[k] = k == 0 ? (s->axis == 0 ? 1 : 0) : (s->axis == 2 ? 1 : 2);
    s->slope[k] = s->direction[s->across[k]] / fabs(s->direction[s->axis]);
  }
  s->home = (int)lround(s->sign * s->centre[s->axis]);
}

/* Voxels from the cut plane, outward. */
double ht_sweep_beyond(const ht_sweep *s, const double at[3]) {
  double off[3];
  for (int a = 0; a < 3; a++) off[a] = at[a] - s->centre[a];
  return ht_dot(off, s->normal);
}

void ht_sweep_meet(const ht_sweep *s, double u, double v, double at[3]) {
  at[s->axis] = s->sign * s->home;
  at[s->across[0]] = u;
  at[s->across[1]] = v;
  double back = ht_sweep_beyond(s, at) / ht_dot(s->direction, s->normal);
  for (int a = 0; a < 3; a++) at[a] -= back * s->direction[a];
}

/* Distance inward of the plane at which the mask is sampled, voxels along the normal. A plane
 * through a layer of voxel centres: 0. Others: far enough that all eight voxels of a sample are on
 * the inner side (the vessel may have been cut off beyond). */
static double sample_depth(const ht_sweep *s) {
  for (int a = 0; a < 3; a++)
    if (fabs(s->normal[a]) > 1 - 1e-6 &&
        fabs(s->centre[a] - nearbyint(s->centre[a])) < HT_PLANE_SLACK)
      return 0;
  return fabs(s->normal[0]) + fabs(s->normal[1]) + fabs(s->normal[2]);
}

/* The sheet inward of the cut plane whose pixels are the voxels of layer `home` moved along the
 * direction; pixel (0, 0) is that of the centre. */
static ht_sheet sheet_of(const ht_sweep *s, const int origin[2]) {
  ht_sheet sheet;
  double depth = s->depth / ht_dot(s->direction, s->normal), step[2][3];
  ht_sweep_meet(s, origin[0], origin[1], sheet.base);
  ht_sweep_meet(s, origin[0] + 1, origin[1], step[0]);
  ht_sweep_meet(s, origin[0], origin[1] + 1, step[1]);
  for (int k = 0; k < 2; k++)
    for (int a = 0; a < 3; a++) sheet.step[k][a] = step[k][a] - sheet.base[a];
  for (int a = 0; a < 3; a++) sheet.base[a] -= depth * s->direction[a];
  return sheet;
}

ht_status ht_sweep_too_coarse(const ht_sweep *s, double spacing_mm) {
  const double fine_mm = s->opening->radius_mm / 2.5;
  return ht_fail(HT_ERR_OPENINGS,
                 "the opening '%s' has %lld lattice nodes, at least %d are needed (it is %.2f mm "
                 "wide, the spacing is %.3g mm): choose a --spacing of %.3g mm or finer, or %.1f "
                 "times the --nodes-across, or give the opening the role wall",
                 s->opening->name, (long long)s->section.count, HT_OPENING_FEWEST_NODES,
                 2 * s->opening->radius_mm, spacing_mm, fine_mm,
                 ceil(10 * fmax(spacing_mm / fine_mm, 1.1)) / 10);
}

/* The extension must continue the section on which the opening was measured. */
static ht_status check_section(const ht_sweep *s, double spacing_mm) {
  const ht_opening *opening = s->opening;
  double across = spacing_mm * spacing_mm * fabs(s->direction[s->axis]); /* a pixel's area */
  double expected = opening->area_mm2 / across;
  double ratio = (double)s->section.count / expected;
  if (s->section.count < HT_OPENING_FEWEST_NODES) return ht_sweep_too_coarse(s, spacing_mm);
  if (!(opening->area_mm2 > 0) || (ratio > 0.5 && ratio < 2)) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS,
                 "the vessel's section at the opening '%s' (%.1f, %.1f, %.1f) has %.3g times the "
                 "area that was found when it was placed (%.3g mm2): it is in pieces, or vessels "
                 "meet there; move the opening away from there, edit the mask, or give it the role "
                 "wall",
                 opening->name, opening->centre_mm[0], opening->centre_mm[1], opening->centre_mm[2],
                 ratio, opening->area_mm2);
}

/* A section that is thinner than a square everywhere, as a cross of five pixels, becomes a
 * square. */
static ht_status clean_section(ht_section *section) {
  uint8_t *whole;
  size_t pixels = (size_t)section->size[0] * section->size[1];
  HT_TRY(ht_alloc((void **)&whole, pixels, 1, "a section"));
  memcpy(whole, section->inside, pixels);
  ht_status status = ht_section_clean(section->inside, section->size, &section->count);
  if (status == HT_OK && section->count < HT_OPENING_FEWEST_NODES) {
    memcpy(section->inside, whole, pixels);
    ht_section_square(section->inside, section->size, &section->count);
  }
  free(whole);
  return status;
}

/* Part of a voxel that lies in the slab inward of the plane, within the section moved along the
 * direction. */
static double part_in_slab(const ht_sweep *s, const int at[3]) {
  const double index[3] = {at[0], at[1], at[2]}, layers = s->sign * at[s->axis] - s->home;
  const double behind = -ht_sweep_beyond(s, index) - s->depth;
  if (behind < -0.5 || behind > SLAB + 0.5) return 0;
  const double inside = ht_section_at(&s->section, at[s->across[0]] - s->slope[0] * layers,
                                      at[s->across[1]] - s->slope[1] * layers);
  return inside > -slab_rim ? fmin(1, fmin(behind + 0.5, SLAB + 0.5 - behind)) : 0;
}

/* Finds the number of the vessel's voxels in a layer, the mean over a slab inward of the plane. The
 * section of an oblique vessel has some per cent fewer pixels or more, which would change the
 * momentum of the blood that enters. Where the slab holds another shape, as at a branch, takes the
 * section's own count. */
static void find_nodes(const ht_mask *mask, ht_sweep *s) {
  const double along = ht_dot(s->normal, s->direction);
  const double wide = fmax(s->section.size[0], s->section.size[1]) / along + SLAB;
  double sum = 0;
  int low[3], high[3], at[3];
  for (int a = 0; a < 3; a++) {
    low[a] = (int)fmax(0, floor(s->centre[a] - wide));
    high[a] = (int)fmin(mask->grid.dim[a] - 1, ceil(s->centre[a] + wide));
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        if (mask->inside[ht_voxel_index(mask->grid.dim, at)]) sum += part_in_slab(s, at);
  const double nodes = sum * along / (SLAB * fabs(s->direction[s->axis]));
  s->nodes = s->section.count;
  if (fabs(nodes / (double)s->nodes - 1) <= alike)
    s->nodes = lround(nodes - 1e-6); /* halves alike */
}

static ht_status find_section(const ht_mask *mask, ht_sweep *s) {
  double away, spacing_mm = mask->grid.spacing_mm[0];
  int origin[2];
  for (int k = 0; k < 2; k++) {
    double shift = s->slope[k] * (s->home - s->sign * s->centre[s->axis]);
    origin[k] = (int)lround(s->centre[s->across[k]] + shift);
  }
  ht_sheet sheet = sheet_of(s, origin);
  HT_TRY(ht_section_find(mask, &sheet, s->opening->radius_mm / spacing_mm + 2, &s->section, &away));
  if (s->section.count == 0)
    return ht_fail(
        HT_ERR_OPENINGS,
        "there is no vessel at the opening '%s' (%.1f, %.1f, %.1f): the cut at another opening "
        "took "
        "it away, or an edit of the mask did: move one of the two along its vessel, or correct the "
        "mask",
        s->opening->name, s->opening->centre_mm[0], s->opening->centre_mm[1],
        s->opening->centre_mm[2]);
  HT_TRY(clean_section(&s->section));
  HT_TRY(check_section(s, spacing_mm));
  for (int k = 0; k < 2; k++) s->section.low[k] += origin[k];
  HT_TRY(ht_section_measure(&s->section));
  find_nodes(mask, s);
  return HT_OK;
}

/* Finds the first layer wholly beyond the plane, and the layer of the port. */
static void set_layers(ht_sweep *s, double length) {
  const ht_section *section = &s->section;
  double low = INFINITY, high = -INFINITY, corner[3][3], rise = 0;
  for (int n = 0; n < section->size[0] * section->size[1]; n++) {
    double at[3];
    if (!section->inside[n]) continue;
    ht_sweep_meet(s, section->low[0] + n % section->size[0], section->low[1] + n / section->size[0],
                  at);
    low = fmin(low, s->sign * at[s->axis]);
    high = fmax(high, s->sign * at[s->axis]);
  }
  for (int k = 0; k < 3; k++) ht_sweep_meet(s, k == 1, k == 2, corner[k]);
  /* A layer's rim may be a pixel off the section's. */
  for (int k = 1; k < 3; k++) rise += fabs(corner[k][s->axis] - corner[0][s->axis]);
  s->first = (int)floor(low - rise);
  s->full = (int)floor(high + rise + HT_PLANE_SLACK) + 1;
  double end = s->sign * s->centre[s->axis] + length * fabs(s->direction[s->axis]);
  s->last = (int)ceil(end - HT_PLANE_SLACK);
  if (s->last < s->full + HT_SWEEP_FEWEST_LAYERS - 1)
    s->last = s->full + HT_SWEEP_FEWEST_LAYERS - 1;
}

ht_status ht_sweep_make(const ht_mask *mask, const ht_opening *opening, double diameters,
                        ht_sweep *s) {
  double spacing_mm = mask->grid.spacing_mm[0];
  s->opening = opening;
  HT_TRY(check_opening(opening));
  ht_grid_index(&mask->grid, opening->centre_mm, s->centre);
  ht_grid_from_lps(&mask->grid, opening->normal, s->normal);
  ht_grid_from_lps(&mask->grid, opening->direction, s->direction);
  choose_axis(s);
  s->depth = sample_depth(s);
  HT_TRY(find_section(mask, s));
  double length_mm = diameters * 2 * opening->radius_mm;
  /* The last nodes before a slanted port have a jump of pressure: they stay clear of the plane. */
  if (!opening->at_border) length_mm += ht_opening_overhang_mm(opening);
  set_layers(s, length_mm / spacing_mm);
  size_t pixels = (size_t)s->section.size[0] * s->section.size[1];
  HT_TRY(ht_alloc((void **)&s->shape, pixels, 1, "an extension"));
  HT_TRY(ht_alloc((void **)&s->value, pixels, sizeof(int), "an extension"));
  return ht_alloc((void **)&s->sorted, pixels, sizeof(int), "an extension");
}

void ht_sweep_free(ht_sweep *s) {
  if (!s) return;
  ht_section_free(&s->section);
  free(s->shape);
  free(s->value);
  free(s->sorted);
}

/* ---- the shape of a layer ---- */

/* Pixel (0, 0) of the section's window in layer w, as a voxel of the grid. */
void ht_sweep_window(const ht_sweep *s, int w, int low[2]) {
  for (int k = 0; k < 2; k++) low[k] = s->section.low[k] + (int)floor(s->slope[k] * (w - s->home));
}

static int falling(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

/* Distance of each pixel of layer w from the rim of the section moved there. */
static void measure_layer(const ht_sweep *s, int w) {
  const ht_section *section = &s->section;
  double part[2];
  for (int k = 0; k < 2; k++) {
    double shift = s->slope[k] * (w - s->home);
    part[k] = shift - floor(shift);
  }
  for (int j = 0, n = 0; j < section->size[1]; j++)
    for (int i = 0; i < section->size[0]; i++, n++)
      s->value[n] = (int)lround(PIXEL * ht_section_at(section, section->low[0] + i - part[0],
                                                      section->low[1] + j - part[1]));
}

/* Makes the shape the square that lies deepest in the section. */
static void square_shape(const ht_sweep *s, int64_t *count) {
  const int row = s->section.size[0];
  int best = -1, most = 0;
  for (int j = 0; j + 1 < s->section.size[1]; j++) {
    for (int i = 0; i + 1 < row; i++) {
      const int n = i + j * row, *v = s->value + n, sum = v[0] + v[1] + v[row] + v[row + 1];
      if (best < 0 || sum > most) most = sum, best = n;
    }
  }
  memset(s->shape, 0, (size_t)row * s->section.size[1]);
  s->shape[best] = s->shape[best + 1] = s->shape[best + row] = s->shape[best + row + 1] = 1;
  *count = HT_OPENING_FEWEST_NODES;
}

/* The pixels at least `level` inside, cleaned; where a thin section has no square among them, as a
 * cross, the deepest square: every layer has nodes. */
static ht_status shape_at_level(const ht_sweep *s, int level, int64_t *count) {
  int pixels = s->section.size[0] * s->section.size[1];
  for (int n = 0; n < pixels; n++) s->shape[n] = s->value[n] >= level;
  HT_TRY(ht_section_clean(s->shape, s->section.size, count));
  if (*count < HT_OPENING_FEWEST_NODES) square_shape(s, count);
  return HT_OK;
}

/* The values of the pixels near the rim, largest first, into s->sorted; returns how many pixels are
 * further inside. */
static int64_t sort_rim(const ht_sweep *s, int *count) {
  int64_t deeper = 0;
  *count = 0;
  for (int n = 0; n < s->section.size[0] * s->section.size[1]; n++) {
    if (s->value[n] > RIM)
      deeper++;
    else if (s->value[n] > -RIM)
      s->sorted[(*count)++] = s->value[n];
  }
  qsort(s->sorted, (size_t)*count, sizeof(int), falling);
  return deeper;
}

/* The rim's level is chosen by the number of nodes, so that the area does not vary from layer to
 * layer. */
ht_status ht_sweep_shape(const ht_sweep *s, int w) {
  int rim, best_level = 0;
  int64_t wanted = s->nodes, count, best_off = INT64_MAX;
  measure_layer(s, w);
  if (s->follows) return shape_at_level(s, 1, &count);
  int64_t from = wanted - 1 - sort_rim(s, &rim), all = rim;
  if (from > all - 1) from = all - 1;
  while (from > 0 && s->sorted[from - 1] == s->sorted[from]) from--; /* all pixels equal to it, */
  for (int64_t n = from > 1 ? from - 1 : 0; n < all; n++) {          /* and the level before them */
    if (n + 1 < all && s->sorted[n + 1] == s->sorted[n]) continue;   /* equals come together */
    HT_TRY(shape_at_level(s, s->sorted[n], &count));
    int64_t off = count > wanted ? count - wanted : wanted - count;
    if (off < best_off) best_off = off, best_level = s->sorted[n];
    if (count >= wanted) break;
  }
  return shape_at_level(s, best_level, &count);
}

void ht_sweep_voxel(const ht_sweep *s, int w, const int low[2], int n, int at[3]) {
  at[s->axis] = s->sign * w;
  at[s->across[0]] = low[0] + n % s->section.size[0];
  at[s->across[1]] = low[1] + n / s->section.size[0];
}

void ht_sweep_move(ht_sweep *s, const int by[3]) {
  int along = s->sign * by[s->axis];
  for (int a = 0; a < 3; a++) s->centre[a] += by[a];
  for (int k = 0; k < 2; k++) s->section.low[k] += by[s->across[k]];
  s->home += along;
  s->first += along;
  s->full += along;
  s->last += along;
}
