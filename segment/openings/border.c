#include "segment/openings/border.h"
#include "segment/shape/flood.h"
#include "segment/shape/layers.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_PATCH = 12, FACES = 6, FEWEST_LAYERS = 8 };

static const double steepest_degrees = HT_OPENING_STEEPEST_DEGREES;
static const double area_jump = 1.5; /* of one section to the next: a branch or a widening */

/* Face 2a is the first layer along axis a, face 2a + 1 the last; (u, v) are the other two axes in
 * order, u fastest. */
typedef struct {
  const ht_mask *mask;
  int64_t least; /* voxels of a patch that counts */
  int size[FACES][2];
  uint8_t *seen[FACES]; /* [v][u] */
} border;

/* One patch, over all the faces that it runs over. Sums are of voxels (u, v). */
typedef struct {
  int64_t count[FACES], sum[FACES][2];
  int64_t pixel[FACES]; /* a pixel of it on the face */
} patch;

/* ---- faces ---- */

static int axis_u(int axis) {
  return axis == 0 ? 1 : 0;
}

static int axis_v(int axis) {
  return axis == 2 ? 1 : 2;
}

static void place_at_depth(const ht_mask *mask, int face, int u, int v, int depth, int at[3]) {
  int axis = face / 2;
  at[axis] = face % 2 ? mask->grid.dim[axis] - 1 - depth : depth;
  at[axis_u(axis)] = u;
  at[axis_v(axis)] = v;
}

static int is_vessel(const ht_mask *mask, const int at[3]) {
  return mask->inside[ht_voxel_index(mask->grid.dim, at)] != 0;
}

static void border_free(border *b) {
  for (int f = 0; f < FACES; f++) free(b->seen[f]);
}

static ht_status border_make(const ht_mask *mask, int64_t least, border *b) {
  *b = (border){.mask = mask, .least = least};
  for (int f = 0; f < FACES; f++) {
    b->size[f][0] = mask->grid.dim[axis_u(f / 2)];
    b->size[f][1] = mask->grid.dim[axis_v(f / 2)];
    HT_TRY(ht_alloc((void **)&b->seen[f], (size_t)b->size[f][0] * b->size[f][1], 1, "the border"));
  }
  return HT_OK;
}

/* ---- patches ---- */

/* Items of the stack: the pixel on its face, and the face. */
static ht_status visit(border *b, int face, int u, int v, ht_stack *todo) {
  int at[3];
  if (u < 0 || v < 0 || u >= b->size[face][0] || v >= b->size[face][1]) return HT_OK;
  int64_t pixel = u + (int64_t)v * b->size[face][0];
  place_at_depth(b->mask, face, u, v, 0, at);
  if (b->seen[face][pixel] || !is_vessel(b->mask, at)) return HT_OK;
  b->seen[face][pixel] = 1;
  return ht_stack_push(todo, FACES * pixel + face);
}

/* A voxel at an edge of the grid lies on two faces: the patch goes on round the edge. */
static ht_status visit_other_faces(border *b, int face, const int at[3], ht_stack *todo) {
  for (int other = 0; other < FACES; other++) {
    int axis = other / 2, last = b->mask->grid.dim[axis] - 1;
    if (other != face && at[axis] == (other % 2 ? last : 0))
      HT_TRY(visit(b, other, at[axis_u(axis)], at[axis_v(axis)], todo));
  }
  return HT_OK;
}

static ht_status follow_patch(border *b, ht_stack *todo, patch *found) {
  while (todo->count > 0) {
    int64_t item = todo->item[--todo->count];
    int face = (int)(item % FACES), at[3];
    int u = (int)(item / FACES % b->size[face][0]), v = (int)(item / FACES / b->size[face][0]);
    found->count[face]++;
    found->sum[face][0] += u;
    found->sum[face][1] += v;
    found->pixel[face] = item / FACES;
    for (int k = 0; k < 9; k++) HT_TRY(visit(b, face, u + k % 3 - 1, v + k / 3 - 1, todo));
    place_at_depth(b->mask, face, u, v, 0, at);
    HT_TRY(visit_other_faces(b, face, at, todo));
  }
  return HT_OK;
}

static int main_face(const patch *found) {
  int best = 0;
  for (int f = 1; f < FACES; f++)
    if (found->count[f] > found->count[best]) best = f;
  return best;
}

/* ---- direction along the vessel ---- */

/* The vessel's sections inward of a patch, layer by layer. */
typedef struct {
  const ht_mask *mask;
  int face, size[2];
  int32_t *layer_of; /* [v][u] 1 + the last layer that the pixel was in; 0: none */
  ht_stack now, next;
  double sum[2]; /* of the pixels in next */
  int at_side;   /* 1: they reach another face, and are not the whole section */
} follower;

static ht_status follow_pixel(follower *f, int depth, int u, int v) {
  int at[3];
  if (u < 0 || v < 0 || u >= f->size[0] || v >= f->size[1]) return HT_OK;
  int64_t pixel = u + (int64_t)v * f->size[0];
  place_at_depth(f->mask, f->face, u, v, depth, at);
  if (f->layer_of[pixel] == depth + 1 || !is_vessel(f->mask, at)) return HT_OK;
  f->layer_of[pixel] = depth + 1;
  f->sum[0] += u;
  f->sum[1] += v;
  return ht_stack_push(&f->next, pixel);
}

/* Finds the section at `depth` that lies next to the pixels in now, 8-connected, into next. */
static ht_status follow_layer(follower *f, int depth) {
  f->next.count = f->at_side = 0;
  f->sum[0] = f->sum[1] = 0;
  for (int64_t i = 0; i < f->now.count; i++)
    HT_TRY(follow_pixel(f, depth, (int)(f->now.item[i] % f->size[0]),
                        (int)(f->now.item[i] / f->size[0])));
  for (int64_t i = 0; i < f->next.count; i++) {
    int u = (int)(f->next.item[i] % f->size[0]), v = (int)(f->next.item[i] / f->size[0]);
    f->at_side |= u == 0 || v == 0 || u == f->size[0] - 1 || v == f->size[1] - 1;
    for (int k = 0; k < 9; k++) HT_TRY(follow_pixel(f, depth, u + k % 3 - 1, v + k / 3 - 1));
  }
  return HT_OK;
}

/* The sections as far as they are those of one vessel, and whole. */
static ht_status take_sections(follower *f, int64_t seed, int layers, ht_layers *line) {
  const double *mm = f->mask->grid.spacing_mm;
  int axis = f->face / 2, across[2] = {axis_u(axis), axis_v(axis)};
  HT_TRY(ht_stack_push(&f->now, seed));
  int64_t before = 0;
  int begins_at_side = 0;
  for (int depth = 0; depth < layers; depth++) {
    HT_TRY(follow_layer(f, depth));
    int64_t count = f->next.count;
    int jumps = before && (count > area_jump * before || before > area_jump * count);
    begins_at_side |= depth == 0 && f->at_side;
    if (count == 0 || jumps || (f->at_side && !begins_at_side)) break;
    line->depth[line->count] = depth * mm[axis];
    line->area[line->count] = (double)count * mm[across[0]] * mm[across[1]];
    for (int a = 0; a < 2; a++)
      line->centroid[line->count][a] = f->sum[a] / (double)count * mm[across[a]];
    line->count++;
    before = count;
    ht_stack swap = f->now;
    f->now = f->next;
    f->next = swap;
  }
  return HT_OK;
}

/* Number of layers inward of the face in about two diameters. */
static int layers_to_fit(const ht_mask *mask, int face, double width_mm) {
  int axis = face / 2, depth = mask->grid.dim[axis];
  int layers = 2 * (int)ceil(width_mm / mask->grid.spacing_mm[axis]);
  if (layers < FEWEST_LAYERS) layers = FEWEST_LAYERS;
  if (layers > HT_SLOPE_PLACES) layers = HT_SLOPE_PLACES;
  return layers < depth ? layers : depth;
}

static void direction_from_fit(const ht_mask *mask, int face, const ht_layers *line,
                               double width_mm, double direction[3]) {
  int axis = face / 2, across[2] = {axis_u(axis), axis_v(axis)};
  double out[3], slope[2], steepest = tan(steepest_degrees * HT_PI / 180);
  const double *mm = mask->grid.spacing_mm;
  double voxel_mm = fmax(mm[0], fmax(mm[1], mm[2]));
  ht_layers_slope(line, width_mm, voxel_mm, slope);
  for (int a = 0; a < 2; a++) out[across[a]] = -slope[a];
  double slant = hypot(out[across[0]], out[across[1]]);
  for (int a = 0; a < 2 && slant > steepest; a++) out[across[a]] *= steepest / slant;
  out[axis] = 1;
  double length = ht_length(out);
  for (int a = 0; a < 3; a++) out[a] /= length;
  if (face % 2 == 0) out[axis] = -out[axis];
  ht_grid_to_lps(&mask->grid, out, direction);
}

/* Follows the vessel inward; `seed`: any pixel of the patch. */
static ht_status fit_direction(const ht_mask *mask, int face, int64_t seed, int64_t count,
                               double direction[3]) {
  follower f = {.mask = mask, .face = face};
  f.size[0] = mask->grid.dim[axis_u(face / 2)];
  f.size[1] = mask->grid.dim[axis_v(face / 2)];
  ht_layers line = {.count = 0};
  const double *mm = mask->grid.spacing_mm;
  double area_mm2 = (double)count * mm[axis_u(face / 2)] * mm[axis_v(face / 2)];
  double width_mm = 2 * sqrt(area_mm2 / HT_PI); /* of the section across the normal */
  HT_TRY(ht_alloc((void **)&f.layer_of, (size_t)f.size[0] * f.size[1], sizeof(int32_t),
                  "the sections behind an opening"));
  ht_status status = take_sections(&f, seed, layers_to_fit(mask, face, width_mm), &line);
  if (status == HT_OK) direction_from_fit(mask, face, &line, width_mm, direction);
  free(f.layer_of);
  free(f.now.item);
  free(f.next.item);
  return status;
}

/* ---- openings ---- */

/* Returns the area of the patch, mm2. */
static double describe_patch(const ht_mask *mask, const patch *found, int face,
                             ht_opening *opening) {
  const ht_grid *grid = &mask->grid;
  int axis = face / 2;
  double count = (double)found->count[face], index[3], normal[3] = {0, 0, 0};
  index[axis] = face % 2 ? grid->dim[axis] - 1 : 0;
  index[axis_u(axis)] = (double)found->sum[face][0] / count;
  index[axis_v(axis)] = (double)found->sum[face][1] / count;
  ht_grid_position(grid, index, opening->centre_mm);
  normal[axis] = face % 2 ? 1 : -1;
  ht_grid_to_lps(grid, normal, opening->normal);
  opening->at_border = 1;
  return count * grid->spacing_mm[axis_u(axis)] * grid->spacing_mm[axis_v(axis)];
}

static ht_status add_patch(const border *b, const patch *found, ht_openings *openings,
                           int *ignored) {
  const ht_mask *mask = b->mask;
  ht_opening opening = {.role = HT_ROLE_NONE};
  int face = main_face(found);
  if (found->count[face] < b->least) {
    ++*ignored;
    return HT_OK;
  }
  double patch_mm2 = describe_patch(mask, found, face, &opening);
  HT_TRY(fit_direction(mask, face, found->pixel[face], found->count[face], opening.direction));
  double pixels = 0;
  for (int f = 0; f < FACES; f++) pixels += (double)found->count[f];
  opening.cut_off = 1 - (double)found->count[face] / pixels;
  ht_opening_set_plane_mm2(&opening, patch_mm2);
  if (ht_openings_insert(openings, &opening)) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS,
                 "the vessel meets the border of the scan or region at more than %d places: "
                 "choose a smaller region around the vessel of interest, or a higher threshold",
                 HT_OPENINGS_MAX);
}

/* Adds the patch of a pixel, if it was not seen before. */
static ht_status patch_from(border *b, int face, int u, int v, ht_stack *todo,
                            ht_openings *openings, int *ignored) {
  patch found = {0};
  HT_TRY(visit(b, face, u, v, todo));
  if (todo->count == 0) return HT_OK;
  HT_TRY(follow_patch(b, todo, &found));
  return add_patch(b, &found, openings, ignored);
}

static ht_status all_patches(border *b, ht_openings *openings, int *ignored) {
  ht_stack todo = {0};
  ht_status status = HT_OK;
  for (int face = 0; face < FACES; face++)
    for (int v = 0; v < b->size[face][1]; v++)
      for (int u = 0; u < b->size[face][0] && status == HT_OK; u++)
        status = patch_from(b, face, u, v, &todo, openings, ignored);
  free(todo.item);
  return status;
}

ht_status ht_openings_of_patches(const ht_mask *mask, int least, ht_openings *openings,
                                 int *ignored) {
  border b;
  memset(openings, 0, sizeof *openings);
  *ignored = 0;
  ht_status status = border_make(mask, least, &b);
  if (status == HT_OK) status = all_patches(&b, openings, ignored);
  border_free(&b);
  if (status != HT_OK) memset(openings, 0, sizeof *openings);
  return status;
}

ht_status ht_openings_at_border(const ht_mask *mask, ht_openings *openings, int *ignored) {
  return ht_openings_of_patches(mask, SMALLEST_PATCH, openings, ignored);
}

/* ---- roles ---- */

static int count_role(const ht_openings *openings, ht_role role) {
  int count = 0;
  for (int i = 0; i < openings->count; i++) count += openings->item[i].role == role;
  return count;
}

/* Prefers, of two about equal openings, the one at the border, where the vessel really goes on. */
static int is_wider(const ht_opening *one, const ht_opening *other) {
  const double equal = 1.05;
  double bonus = one->at_border && !other->at_border   ? equal
                 : other->at_border && !one->at_border ? 1 / equal
                                                       : 1;
  return bonus * one->area_mm2 > other->area_mm2;
}

static void give_roles(ht_openings *openings) {
  int largest = -1;
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_NONE) continue;
    if (largest < 0 || is_wider(one, &openings->item[largest])) largest = i;
    one->role = HT_ROLE_OUTLET;
  }
  if (largest >= 0 && count_role(openings, HT_ROLE_INLET) == 0)
    openings->item[largest].role = HT_ROLE_INLET;
}

/* Place of an opening among those of its role, by area, from 1. */
static int rank_in_role(const ht_openings *openings, int i) {
  int rank = 1;
  const ht_opening *one = &openings->item[i];
  for (int k = 0; k < openings->count; k++) {
    const ht_opening *other = &openings->item[k];
    if (k == i || other->role != one->role) continue;
    rank += other->area_mm2 > one->area_mm2 || (other->area_mm2 == one->area_mm2 && k < i);
  }
  return rank;
}

static void give_names(ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    ht_opening *one = &openings->item[i];
    char name[HT_NAME_MAX];
    if (one->name[0]) continue; /* a name that a person gave stays */
    snprintf(name, sizeof name, "%s", ht_role_name(one->role));
    int number = rank_in_role(openings, i);
    if (one->role != HT_ROLE_INLET || number > 1 || ht_openings_named(openings, name)) do
        snprintf(name, sizeof name, "%s-%d", ht_role_name(one->role), number++);
      while (ht_openings_named(openings, name));
    memcpy(one->name, name, sizeof name);
  }
}

ht_status ht_openings_assign(ht_openings *openings) {
  if (openings->count == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "the vessel has no opening: choose a region that cuts through the vessel, or "
                   "give openings with their centre and normal");
  give_roles(openings);
  give_names(openings);
  if (count_role(openings, HT_ROLE_INLET) == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   openings->count == 1
                       ? "the only opening is no inlet: give it the role inlet"
                       : "none of the openings is an inlet: give one of them the role inlet");
  if (count_role(openings, HT_ROLE_OUTLET) == 0)
    return ht_fail(HT_ERR_OPENINGS,
                   "%s outlet, so what flows in at '%s' cannot leave: give one the role outlet, or "
                   "choose a region that cuts through the vessel at its other end too",
                   openings->count == 1 ? "the only opening is no" : "none of the openings is an",
                   openings->item[0].name);
  return HT_OK;
}

/* ---- connection ---- */

/* Distance of a voxel from the opening's centre; INFINITY beyond its plane. */
static double distance_mm(const ht_mask *mask, const ht_opening *opening, const int at[3]) {
  double off[3], index[3] = {at[0], at[1], at[2]};
  ht_grid_position(&mask->grid, index, off);
  for (int a = 0; a < 3; a++) off[a] -= opening->centre_mm[a];
  if (ht_dot(off, opening->normal) > 0.5 * mask->grid.spacing_mm[0]) return INFINITY;
  return ht_length(off);
}

/* The box of voxels within the opening's radius: the centroid of a crescent lies outside of it. */
static void box_around(const ht_mask *mask, const ht_opening *opening, int low[3], int high[3]) {
  double centre[3];
  ht_grid_index(&mask->grid, opening->centre_mm, centre);
  for (int a = 0; a < 3; a++) {
    double reach = opening->radius_mm / mask->grid.spacing_mm[a] + 2;
    low[a] = (int)fmax(0, ceil(centre[a] - reach));
    high[a] = (int)fmin(mask->grid.dim[a] - 1, floor(centre[a] + reach));
  }
}

/* The vessel voxel nearest to the opening's centre, on its inner side; -1: none near. */
static int64_t voxel_at(const ht_mask *mask, const ht_opening *opening) {
  double nearest_mm = INFINITY;
  int low[3], high[3], at[3];
  int64_t best = -1;
  box_around(mask, opening, low, high);
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        if (!is_vessel(mask, at)) continue;
        double mm = distance_mm(mask, opening, at);
        if (mm >= nearest_mm) continue;
        nearest_mm = mm;
        best = ht_voxel_index(mask->grid.dim, at);
      }
  return best;
}

static ht_status no_vessel_there(const ht_opening *opening) {
  return ht_fail(
      HT_ERR_OPENINGS,
      "there is no vessel at the opening '%s' (%.1f, %.1f, %.1f): the cut at another opening took "
      "it away, or an edit of the mask did: move one of the two along its vessel, or correct the "
      "mask",
      opening->name, opening->centre_mm[0], opening->centre_mm[1], opening->centre_mm[2]);
}

/* Numbers the connected piece of each inlet and outlet from 1 in piece[]; walls get 0. */
static ht_status number_pieces(const ht_mask *mask, const ht_openings *openings, uint8_t *mark,
                               uint8_t piece[HT_OPENINGS_MAX]) {
  uint8_t pieces = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *opening = &openings->item[i];
    piece[i] = 0;
    if (opening->role != HT_ROLE_INLET && opening->role != HT_ROLE_OUTLET) continue;
    int64_t seed = voxel_at(mask, opening);
    if (seed < 0) return no_vessel_there(opening);
    if (!mark[seed]) HT_TRY(ht_flood(mask->inside, mask->grid.dim, seed, ++pieces, mark));
    piece[i] = mark[seed];
  }
  return HT_OK;
}

static ht_status check_pieces(const ht_openings *openings, const uint8_t piece[HT_OPENINGS_MAX]) {
  for (int i = 0; i < openings->count; i++) {
    int partners = 0, inlet = openings->item[i].role == HT_ROLE_INLET;
    if (!piece[i]) continue;
    for (int k = 0; k < openings->count; k++)
      partners += piece[k] == piece[i] &&
                  openings->item[k].role == (inlet ? HT_ROLE_OUTLET : HT_ROLE_INLET);
    if (partners) continue;
    return ht_fail(HT_ERR_OPENINGS,
                   "%s '%s' (%.1f, %.1f, %.1f) is connected to no %s: the vessel between them is "
                   "interrupted; lower the threshold or edit the mask so that they are one, or "
                   "give this opening the role %s",
                   inlet ? "the inlet" : "the outlet", openings->item[i].name,
                   openings->item[i].centre_mm[0], openings->item[i].centre_mm[1],
                   openings->item[i].centre_mm[2], inlet ? "outlet" : "inlet", "wall");
  }
  return HT_OK;
}

ht_status ht_openings_connected(const ht_mask *mask, const ht_openings *openings) {
  uint8_t *mark, piece[HT_OPENINGS_MAX];
  HT_TRY(ht_alloc((void **)&mark, (size_t)ht_grid_voxels(&mask->grid), 1, "the connected vessel"));
  ht_status status = number_pieces(mask, openings, mark, piece);
  if (status == HT_OK) status = check_pieces(openings, piece);
  free(mark);
  return status;
}
