#include "segment/path/left_out.h"
#include "segment/shape/flood.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_width = 0.2;  /* of the vessel's */
static const double least_behind = 2;   /* diameters of the section */
static const double least_voxels = 1.5; /* radius */

enum { NONE, BLOOD, CONTACT };

typedef struct {
  const ht_way *way;
  const int32_t *station;
  const ht_grid *grid;
  uint8_t *kind;   /* [voxels] of those left out; owned, as are the others */
  int32_t *behind; /* [voxels] voxels of the piece, in its first */
  int32_t *first;  /* [voxels] of the piece that each belongs to */
  ht_stack piece;  /* voxels of one piece or section */
  ht_segment_report *report;
} left_out;

/* Keeps a place where the vessel touches what is left out. */
static void add_contact(const double at_mm[3], double apart_mm, ht_segment_report *report) {
  for (int i = 0; i < report->contacts; i++)
    if (ht_distance(report->contact_mm[i], at_mm) < apart_mm) return;
  if (report->contacts < HT_SEGMENT_CONTACTS_MAX)
    memcpy(report->contact_mm[report->contacts++], at_mm, sizeof report->contact_mm[0]);
}

/* Tells whether a voxel touches the vessel, and its blood over a face. */
static int touches(const ht_volume *field, const ht_mask *vessel, int64_t voxel, int *over_face) {
  const int *dim = vessel->grid.dim;
  int at[3], next[3], any = 0;
  *over_face = 0;
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < HT_NEIGHBOURS; n++) {
    if (!ht_neighbour(dim, at, n, next)) continue;
    int64_t other = ht_voxel_index(dim, next);
    if (!vessel->inside[other]) continue;
    int steps = abs(next[0] - at[0]) + abs(next[1] - at[1]) + abs(next[2] - at[2]);
    any = 1;
    *over_face |= steps == 1 && field->values[other] > 0;
  }
  return any;
}

static void mark(left_out *l, const ht_volume *field, const ht_mask *others,
                 const ht_mask *vessel) {
  const double apart_mm = l->way->station[l->way->stations / 2].radius_mm / 2;
  for (int64_t v = 0; v < ht_grid_voxels(l->grid); v++) {
    int over_face;
    double at_mm[3];
    l->first[v] = -1;
    if (!others->inside[v]) continue;
    ht_grid_voxel_position(l->grid, v, at_mm);
    if (touches(field, vessel, v, &over_face)) add_contact(at_mm, apart_mm, l->report);
    if (field->values[v] > 0) l->kind[v] = over_face ? CONTACT : BLOOD;
  }
}

/* Collects the voxels that are connected with one, through those of a kind of `least` or more, in
 * l->piece; `seen` [voxels] becomes `number` there. */
static ht_status walk(left_out *l, int64_t from, int least, int32_t *seen, int32_t number) {
  l->piece.count = 0;
  seen[from] = number;
  HT_TRY(ht_stack_push(&l->piece, from));
  for (int64_t i = 0; i < l->piece.count; i++) {
    int at[3], next[3];
    ht_voxel_place(l->grid->dim, l->piece.item[i], at);
    for (int n = 0; n < HT_NEIGHBOURS; n++) {
      if (!ht_neighbour(l->grid->dim, at, n, next)) continue;
      int64_t voxel = ht_voxel_index(l->grid->dim, next);
      if (l->kind[voxel] < least || seen[voxel] == number) continue;
      seen[voxel] = number;
      HT_TRY(ht_stack_push(&l->piece, voxel));
    }
  }
  return HT_OK;
}

/* The section made of the voxels of l->piece, with `behind` voxels beyond it. */
static ht_segment_left section_of(const left_out *l, int32_t behind) {
  const double *s = l->grid->spacing_mm;
  double volume = s[0] * s[1] * s[2], count = (double)l->piece.count;
  ht_segment_left one = {.ml = behind * volume / 1000};
  for (int64_t i = 0; i < l->piece.count; i++) {
    double at[3];
    ht_grid_voxel_position(l->grid, l->piece.item[i], at);
    for (int r = 0; r < 3; r++) one.centre_mm[r] += at[r] / count;
  }
  one.radius_mm = sqrt(count * pow(volume, 2.0 / 3) / HT_PI);
  one.vessel_mm = l->way->station[l->station[l->piece.item[0]]].radius_mm;
  return one;
}

static int is_told(const left_out *l, const ht_segment_left *one) {
  double r = one->radius_mm, voxel = ht_mean_spacing(l->grid);
  double behind = least_behind * 2 * r * HT_PI * r * r / 1000;
  return r >= fmax(least_width * one->vessel_mm, least_voxels * voxel) && one->ml >= behind;
}

/* The opening of a branch is reported without it. */
static int is_at_branch(const ht_segment_report *report, const ht_segment_left *one) {
  for (int b = 0; b < report->branches; b++) {
    const ht_segment_branch *branch = &report->branch[b];
    if (ht_distance(one->centre_mm, branch->centre_mm) < 2 * branch->radius_mm) return 1;
  }
  return 0;
}

/* Inserts one into the list, widest first; a full list loses its thinnest. */
static void insert(ht_segment_report *report, const ht_segment_left *one) {
  int at = report->lefts < HT_SEGMENT_LEFTS_MAX ? report->lefts++ : HT_SEGMENT_LEFTS_MAX - 1;
  if (at == HT_SEGMENT_LEFTS_MAX - 1 && report->left[at].radius_mm > one->radius_mm) return;
  for (; at > 0 && report->left[at - 1].radius_mm < one->radius_mm; at--)
    report->left[at] = report->left[at - 1];
  report->left[at] = *one;
}

static ht_status find_sections(left_out *l) {
  int64_t voxels = ht_grid_voxels(l->grid);
  for (int64_t v = 0; v < voxels; v++) {
    if (l->kind[v] == NONE || l->first[v] >= 0) continue;
    HT_TRY(walk(l, v, BLOOD, l->first, (int32_t)v));
    l->behind[v] = (int32_t)l->piece.count;
  }
  for (int64_t v = 0; v < voxels; v++) {
    if (l->kind[v] != CONTACT) continue;
    int32_t behind = l->behind[l->first[v]];
    HT_TRY(walk(l, v, CONTACT, l->first, -2));
    ht_segment_left one = section_of(l, behind);
    for (int64_t i = 0; i < l->piece.count; i++) l->kind[l->piece.item[i]] = NONE;
    if (is_told(l, &one) && !is_at_branch(l->report, &one)) insert(l->report, &one);
  }
  return HT_OK;
}

ht_status ht_left_out_find(const ht_volume *field, const ht_way *way, const int32_t *station,
                           const ht_mask *others, const ht_mask *vessel,
                           ht_segment_report *report) {
  left_out l = {.way = way, .station = station, .grid = &vessel->grid, .report = report};
  size_t voxels = (size_t)ht_grid_voxels(&vessel->grid);
  report->contacts = report->lefts = 0;
  ht_status status = ht_alloc((void **)&l.kind, voxels, sizeof *l.kind, "what is left out");
  if (status == HT_OK)
    status = ht_alloc((void **)&l.behind, voxels, sizeof *l.behind, "what is left out");
  if (status == HT_OK)
    status = ht_alloc((void **)&l.first, voxels, sizeof *l.first, "what is left out");
  if (status == HT_OK) {
    mark(&l, field, others, vessel);
    status = find_sections(&l);
  }
  free(l.kind);
  free(l.behind);
  free(l.first);
  free(l.piece.item);
  return status;
}
