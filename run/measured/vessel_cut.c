#include "run/measured/vessel_cut.h"
#include "core/numbers/vector3.h"
#include "segment/shape/flood.h"
#include <stdlib.h>
#include <string.h>

enum { FEWEST_PIXELS = 4 };

static int is_vessel(const ht_mask *mask, const double place_mm[3]) {
  double index[3];
  int at[3];
  ht_grid_index(&mask->grid, place_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)floor(index[a] + 0.5);
  return ht_voxel_in_grid(mask->grid.dim, at) &&
         mask->inside[ht_voxel_index(mask->grid.dim, at)] != 0;
}

/* ---- The plane ---- */

/* Lays the plane's pixels over all of the mask: a disc around the projection of its middle. */
static void lay(const ht_mask *mask, const double point_mm[3], const double normal[3],
                ht_grid *grid) {
  const ht_grid *of = &mask->grid;
  double middle[3], across[2][3], half[3], square = 0;
  for (int a = 0; a < 3; a++) {
    half[a] = 0.5 * (of->dim[a] - 1);
    square += pow(0.5 * of->dim[a] * of->spacing_mm[a], 2);
  }
  ht_grid_position(of, half, middle);
  const int pixels = (int)ceil(sqrt(square) / of->spacing_mm[0]);
  *grid = ht_grid_make(2 * pixels + 1, 2 * pixels + 1, 1);
  ht_span_across(normal, across);
  for (int r = 0; r < 3; r++) {
    double off = 0;
    for (int q = 0; q < 3; q++) off += (middle[q] - point_mm[q]) * normal[q];
    grid->spacing_mm[r] = of->spacing_mm[0];
    grid->direction[r][0] = across[0][r];
    grid->direction[r][1] = across[1][r];
    grid->direction[r][2] = normal[r];
    grid->origin_mm[r] =
        middle[r] - off * normal[r] - pixels * of->spacing_mm[0] * (across[0][r] + across[1][r]);
  }
}

/* Numbers the connected parts. Those beyond the most, or too small, become 0. */
static ht_status number_sections(const uint8_t *inside, ht_vessel_cut *cut) {
  const int64_t pixels = ht_grid_voxels(&cut->grid);
  const double pixel_mm2 = cut->grid.spacing_mm[0] * cut->grid.spacing_mm[1];
  for (int64_t p = 0; p < pixels && cut->sections < HT_CUT_SECTIONS_MAX; p++) {
    if (!inside[p] || cut->label[p]) continue;
    const uint8_t number = (uint8_t)(cut->sections + 1);
    ht_cut_section *section = &cut->section[cut->sections];
    int64_t count = 0;
    double sum[3] = {0}, at[3];
    HT_TRY(ht_flood(inside, cut->grid.dim, p, number, cut->label));
    for (int64_t q = p; q < pixels; q++) {
      if (cut->label[q] != number) continue;
      ht_grid_voxel_position(&cut->grid, q, at);
      for (int r = 0; r < 3; r++) sum[r] += at[r];
      count++;
    }
    for (int r = 0; r < 3; r++) section->centre_mm[r] = sum[r] / (double)count;
    section->area_mm2 = (double)count * pixel_mm2;
    if (count >= FEWEST_PIXELS) {
      cut->sections++;
      continue;
    }
    for (int64_t q = p; q < pixels; q++)
      if (cut->label[q] == number) cut->label[q] = UINT8_MAX;
  }
  for (int64_t p = 0; p < pixels; p++)
    if (cut->label[p] == UINT8_MAX) cut->label[p] = 0;
  return HT_OK;
}

ht_status ht_vessel_cut_make(const ht_mask *mask, const double point_mm[3], const double normal[3],
                             ht_vessel_cut *cut) {
  uint8_t *inside = NULL;
  *cut = (ht_vessel_cut){.mask = mask};
  lay(mask, point_mm, normal, &cut->grid);
  const int64_t pixels = ht_grid_voxels(&cut->grid);
  ht_status status = ht_alloc((void **)&inside, (size_t)pixels, 1, "a plane");
  if (status == HT_OK) status = ht_alloc((void **)&cut->label, (size_t)pixels, 1, "a plane");
  for (int64_t p = 0; status == HT_OK && p < pixels; p++) {
    double at[3];
    ht_grid_voxel_position(&cut->grid, p, at);
    inside[p] = (uint8_t)is_vessel(mask, at);
  }
  if (status == HT_OK) status = number_sections(inside, cut);
  free(inside);
  if (status != HT_OK) ht_vessel_cut_free(cut);
  return status;
}

void ht_vessel_cut_free(ht_vessel_cut *cut) {
  if (!cut) return;
  free(cut->label);
  memset(cut, 0, sizeof *cut);
}

int ht_vessel_cut_nearest(const ht_vessel_cut *cut, const double place_mm[3], double reach_mm,
                          double *away_mm) {
  const ht_grid *grid = &cut->grid;
  double index[3], reach = reach_mm / grid->spacing_mm[0] + 1e-6, best = reach * reach;
  int low[2], high[2], nearest = -1;
  ht_grid_index(grid, place_mm, index);
  for (int a = 0; a < 2; a++) {
    low[a] = (int)fmax(0, floor(index[a] - reach));
    high[a] = (int)fmin(grid->dim[a] - 1, ceil(index[a] + reach));
  }
  for (int j = low[1]; j <= high[1]; j++)
    for (int i = low[0]; i <= high[0]; i++) {
      const int label = cut->label[i + (int64_t)grid->dim[0] * j];
      /* Distance to the pixel's rim: a place in a pixel is in its section. */
      if (!label) continue;
      const double x = fmax(0, fabs(index[0] - i) - 0.5), y = fmax(0, fabs(index[1] - j) - 0.5);
      const double away = x * x + y * y;
      if (away >= best) continue;
      best = away;
      nearest = label - 1;
    }
  if (away_mm) *away_mm = sqrt(best) * grid->spacing_mm[0];
  return nearest;
}

/* ---- The sides ---- */

/* Distance from the plane along its normal. */
static double height_mm(const ht_vessel_cut *cut, int64_t voxel) {
  double at[3], index[3];
  ht_grid_voxel_position(&cut->mask->grid, voxel, at);
  ht_grid_index(&cut->grid, at, index);
  return index[2] * cut->grid.spacing_mm[2];
}

/* Copies the mask without the voxels in the section: so thick that none of the others on one side
 * touches one on the other side by a face. */
static ht_status close_section(const ht_vessel_cut *cut, int section, uint8_t **made) {
  const ht_grid *grid = &cut->mask->grid;
  const int64_t voxels = ht_grid_voxels(grid);
  double along[3], half = 0, at[3];
  const double normal[3] = {cut->grid.direction[0][2], cut->grid.direction[1][2],
                            cut->grid.direction[2][2]};
  ht_grid_from_lps(grid, normal, along);
  for (int a = 0; a < 3; a++) half += 0.5 * fabs(along[a]) * grid->spacing_mm[a];
  HT_TRY(ht_alloc((void **)made, (size_t)voxels, 1, "the parts of the vessel"));
  for (int64_t v = 0; v < voxels; v++) {
    (*made)[v] = cut->mask->inside[v] != 0;
    if (!(*made)[v] || fabs(height_mm(cut, v)) > half + 1e-6) continue;
    ht_grid_voxel_position(grid, v, at);
    if (ht_vessel_cut_nearest(cut, at, 1.5 * grid->spacing_mm[0], NULL) == section) (*made)[v] = 0;
  }
  return HT_OK;
}

/* Finds the vessel's voxel nearest to the opening's centre; -1: none within its radius. */
static int64_t find_seed(const ht_mask *mask, const uint8_t *open, const ht_opening *opening) {
  const ht_grid *grid = &mask->grid;
  double best = opening->radius_mm + 2 * grid->spacing_mm[0];
  int64_t seed = -1;
  int low[3], high[3], at[3];
  ht_grid_around(grid, opening->centre_mm, best, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    const int64_t voxel = ht_voxel_index(grid->dim, at);
    double place[3];
    if (!open[voxel]) continue;
    ht_grid_voxel_position(grid, voxel, place);
    const double away = ht_distance(place, opening->centre_mm);
    if (away >= best) continue;
    best = away;
    seed = voxel;
  }
  return seed;
}

/* Counts the part's voxels and finds its side, by those next to the section. */
static void measure_piece(const ht_vessel_cut *cut, int section, const uint8_t *mark,
                          ht_cut_piece *piece) {
  const ht_grid *grid = &cut->mask->grid;
  const double near_mm = 3 * grid->spacing_mm[0];
  double sum = 0, at[3];
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    if (!mark[v]) continue;
    piece->voxels++;
    const double height = height_mm(cut, v);
    if (fabs(height) > near_mm) continue;
    ht_grid_voxel_position(grid, v, at);
    if (ht_vessel_cut_nearest(cut, at, near_mm, NULL) == section) sum += height;
  }
  piece->side = sum > 0 ? 1 : -1;
}

ht_status ht_vessel_cut_piece(const ht_vessel_cut *cut, int section, const ht_openings *openings,
                              int from, ht_cut_piece *piece) {
  uint8_t *open = NULL, *mark = NULL;
  memset(piece, 0, sizeof *piece);
  ht_status status = close_section(cut, section, &open);
  const size_t voxels = (size_t)ht_grid_voxels(&cut->mask->grid);
  if (status == HT_OK) status = ht_alloc((void **)&mark, voxels, 1, "the parts of the vessel");
  const int64_t seed = status == HT_OK ? find_seed(cut->mask, open, &openings->item[from]) : -1;
  if (seed >= 0) status = ht_flood(open, cut->mask->grid.dim, seed, 1, mark);
  if (status == HT_OK && seed >= 0) {
    measure_piece(cut, section, mark, piece);
    piece->alone = 1;
    for (int i = 0; i < openings->count; i++) {
      const ht_opening *other = &openings->item[i];
      if (i == from || (other->role != HT_ROLE_INLET && other->role != HT_ROLE_OUTLET)) continue;
      const int64_t there = find_seed(cut->mask, open, other);
      if (there < 0 || mark[there]) piece->alone = 0;
    }
  }
  free(open);
  free(mark);
  return status;
}
