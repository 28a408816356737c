#include "segment/openings/plane_direction.h"
#include "segment/shape/layers.h"
#include "core/vessel/openings.h"
#include "segment/shape/section.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

static const double deepest = 2;       /* widths */
static const double area_jump = 1.5;   /* of one section to the next: a branch or a widening */
static const double area_change = 1.2; /* of the first: another vessel joins, little by little */
static const double least_turn = 3;    /* degrees: error of a direction at a plane */

/* A section that the border of the grid cuts off: its centroid is not the vessel's. */
static int is_cut_off(const ht_mask *mask, const ht_sheet *sheet, const ht_section *section) {
  for (int n = 0; n < section->size[0] * section->size[1]; n++) {
    double i = section->low[0] + n % section->size[0], j = section->low[1] + n / section->size[0];
    if (!section->inside[n]) continue;
    for (int a = 0; a < 3; a++) {
      double at = sheet->base[a] + i * sheet->step[0][a] + j * sheet->step[1][a];
      if (at < 0.5 || at > mask->grid.dim[a] - 1.5) return 1;
    }
  }
  return 0;
}

typedef struct {
  const ht_mask *mask;
  double across[2][3], pixel_mm, limit; /* limit: pixels */
} sections;

/* The section at a place of the vessel, which moves to its centroid. *area 0: there is none. */
static ht_status section_at(const sections *s, double at_mm[3], double *area_mm2, int *cut_off) {
  ht_sheet sheet = ht_sheet_across(&s->mask->grid, at_mm, s->across, s->pixel_mm);
  ht_section section;
  double away, off[2] = {0, 0};
  HT_TRY(ht_section_find(s->mask, &sheet, s->limit, &section, &away));
  if (away > s->limit) section.count = 0;
  *area_mm2 = (double)section.count * s->pixel_mm * s->pixel_mm;
  *cut_off = section.count > 0 && is_cut_off(s->mask, &sheet, &section);
  if (section.count > 0) ht_section_centroid(&section, off);
  for (int r = 0; r < 3; r++)
    at_mm[r] += s->pixel_mm * (off[0] * s->across[0][r] + off[1] * s->across[1][r]);
  ht_section_free(&section);
  return HT_OK;
}

/* Takes the sections as far as they are those of one vessel. */
static ht_status take_sections(const sections *s, const double centre_mm[3], const double normal[3],
                               double width_mm, ht_layers *line) {
  double voxel_mm = 2 * s->pixel_mm, at[3], off[3], area;
  int layers = (int)ceil(deepest * width_mm / voxel_mm), cut_off;
  if (layers > HT_SLOPE_PLACES) layers = HT_SLOPE_PLACES;
  memcpy(at, centre_mm, sizeof at);
  for (line->count = 0; line->count < layers;) {
    int n = line->count;
    HT_TRY(section_at(s, at, &area, &cut_off));
    double before = n > 0 ? line->area[n - 1] : area, first = n > 0 ? line->area[0] : area;
    if (!(area > 0) || cut_off || area > area_jump * before || before > area_jump * area) break;
    if (area > area_change * first || first > area_change * area) break;
    for (int r = 0; r < 3; r++) off[r] = at[r] - centre_mm[r];
    line->depth[n] = n * voxel_mm;
    line->area[n] = area;
    for (int k = 0; k < 2; k++) line->centroid[n][k] = ht_dot(off, s->across[k]);
    for (int r = 0; r < 3; r++) at[r] -= voxel_mm * normal[r];
    line->count++;
  }
  return HT_OK;
}

ht_status ht_plane_direction(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                             double width_mm, double direction[3]) {
  ht_layers line;
  const double *mm = mask->grid.spacing_mm;
  double slope[2], voxel_mm = fmin(mm[0], fmin(mm[1], mm[2]));
  sections s = {.mask = mask, .pixel_mm = voxel_mm / 2};
  s.limit = width_mm / 2 / s.pixel_mm;
  ht_span_across(normal, s.across);
  HT_TRY(take_sections(&s, centre_mm, normal, width_mm, &line));
  ht_layers_slope(&line, width_mm, voxel_mm, slope);
  double turn = hypot(slope[0], slope[1]), most = tan(HT_OPENING_STEEPEST_DEGREES * HT_PI / 180);
  double part = turn > most ? most / turn : turn > tan(least_turn * HT_PI / 180);
  memcpy(direction, normal, 3 * sizeof *direction);
  for (int r = 0; r < 3; r++)
    direction[r] -= part * (slope[0] * s.across[0][r] + slope[1] * s.across[1][r]);
  ht_normalise(direction);
  return HT_OK;
}
