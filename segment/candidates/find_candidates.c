#include "segment/candidates/find_candidates.h"
#include "segment/voxels/component.h"
#include "segment/candidates/measure.h"
#include "segment/candidates/piece_tree.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { PIECES = 12, FOUND = PIECES * HT_PIECE_ENDS };
static const double least_ml = 0.02, most_voxels = 1e7;
static const double most_shared = 0.7;
static const double least_score = 0.02; /* bone has less, a vessel more than 0.1 */

typedef struct {
  const ht_volume *scan;
  const ht_agent *agent;
  const ht_grid *grid; /* of the pieces */
  const ht_pieces *pieces;
  int largest[PIECES], chosen; /* numbers of pieces, largest first */
  int count, dropped;
  ht_candidate *item; /* [FOUND] their lines are owned */
} search;

/* ---- pieces ---- */

static void choose_pieces(search *s) {
  const double *mm = s->grid->spacing_mm;
  double voxel_ml = 1e-3 * mm[0] * mm[1] * mm[2];
  for (int p = 0; p < s->pieces->count; p++) {
    int64_t voxels = s->pieces->piece[p].voxels;
    int at = s->chosen;
    if ((double)voxels * voxel_ml < least_ml) continue;
    while (at > 0 && s->pieces->piece[s->largest[at - 1]].voxels < voxels) at--;
    if (at == PIECES) continue;
    if (s->chosen < PIECES) s->chosen++;
    memmove(s->largest + at + 1, s->largest + at,
            (size_t)(s->chosen - 1 - at) * sizeof *s->largest);
    s->largest[at] = p;
  }
}

/* The piece alone, with a voxel of room. */
static ht_status crop_piece(const search *s, int piece, ht_mask *own) {
  const int *dim = s->grid->dim;
  ht_box box = {{dim[0], dim[1], dim[2]}, {-1, -1, -1}};
  for (int round = 0; round < 2; round++) {
    for (int64_t row = 0; row < (int64_t)dim[1] * dim[2]; row++)
      for (int64_t r = s->pieces->row[row]; r < s->pieces->row[row + 1]; r++) {
        const ht_piece_run *run = &s->pieces->run[r];
        const int low[3] = {run->first, (int)(row % dim[1]), (int)(row / dim[1])};
        const int high[3] = {run->last, low[1], low[2]};
        if (run->piece != piece) continue;
        for (int a = 0; a < 3 && round == 0; a++) {
          if (low[a] < box.first[a]) box.first[a] = low[a];
          if (high[a] > box.last[a]) box.last[a] = high[a];
        }
        if (round == 0) continue;
        int at[3];
        for (int a = 0; a < 3; a++) at[a] = low[a] - box.first[a];
        memset(own->inside + ht_voxel_index(own->grid.dim, at), 1,
               (size_t)(run->last - run->first + 1));
      }
    if (round == 1) break;
    box = ht_box_grow(s->grid, &box, 1);
    ht_grid grid = ht_box_grid(s->grid, &box);
    HT_TRY(ht_mask_alloc(&grid, own));
  }
  return HT_OK;
}

/* Resamples the box in isotropic voxels: each takes the voxel at its centre. */
static ht_status make_isotropic(const ht_mask *piece, ht_mask *cubes) {
  const ht_grid *from = &piece->grid;
  ht_grid grid = *from;
  double volume = 1, first[3], spacing = INFINITY;
  for (int a = 0; a < 3; a++) volume *= from->dim[a] * from->spacing_mm[a];
  for (int a = 0; a < 3; a++) spacing = fmin(spacing, from->spacing_mm[a]);
  spacing = fmax(spacing, cbrt(volume / most_voxels));
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (int)fmax(1, floor(from->dim[a] * from->spacing_mm[a] / spacing + 1e-6));
    grid.spacing_mm[a] = spacing;
    first[a] = 0.5 * spacing / from->spacing_mm[a] - 0.5;
  }
  ht_grid_position(from, first, grid.origin_mm);
  HT_TRY(ht_mask_alloc(&grid, cubes));
  for (int64_t v = 0, voxels = ht_grid_voxels(&grid); v < voxels; v++) {
    int at[3], near[3];
    ht_voxel_place(grid.dim, v, at);
    for (int a = 0; a < 3; a++) {
      near[a] = (int)((at[a] + 0.5) * spacing / from->spacing_mm[a]);
      if (near[a] > from->dim[a] - 1) near[a] = from->dim[a] - 1;
    }
    cubes->inside[v] = piece->inside[ht_voxel_index(from->dim, near)];
  }
  return HT_OK;
}

/* ---- candidates ---- */

/* Adds a candidate; takes over its line. */
static void add_way(search *s, ht_way_of_piece *way) {
  ht_candidate *c = &s->item[s->count];
  memset(c, 0, sizeof *c);
  c->stations = way->stations;
  c->station = way->station;
  c->from_at_border = way->at_border[0];
  c->to_at_border = way->at_border[1];
  c->branches_per_cm = way->branches;
  way->station = NULL;
  int is_vessel = ht_candidate_measure(s->scan, s->agent, s->grid, s->pieces, c);
  s->dropped += is_vessel < 0;
  if (is_vessel > 0)
    s->count++;
  else
    free(c->station);
}

static ht_status search_piece(search *s, int piece, const ht_progress *progress) {
  ht_mask own = {0}, cubes = {0};
  ht_piece_ways ways = {0};
  ht_status status = crop_piece(s, piece, &own);
  if (status == HT_OK) status = make_isotropic(&own, &cubes);
  if (status == HT_OK) status = ht_mask_keep_piece(&cubes, NULL, NULL, NULL);
  ht_mask_free(&own);
  if (status == HT_OK) status = ht_piece_ways_find(&cubes, &s->scan->grid, progress, &ways);
  ht_mask_free(&cubes);
  for (int w = 0; status == HT_OK && w < ways.count; w++)
    if (ways.way[w].stations > 0 && s->count < FOUND) add_way(s, &ways.way[w]);
  ht_piece_ways_free(&ways);
  return status;
}

static int by_score(const void *a, const void *b) {
  const ht_candidate *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? 1 : -1;
  return (x->length_mm < y->length_mm) - (x->length_mm > y->length_mm);
}

/* Share of the line of `one` that runs inside the vessel of `other`. */
static double share_of(const ht_candidate *one, const ht_candidate *other) {
  int shared = 0;
  for (int s = 0; s < one->stations; s++) {
    const double *p = one->station[s];
    int inside = 0;
    for (int t = 0; t < other->stations && !inside; t++)
      inside = ht_distance(p, other->station[t]) < fmax(p[3], other->station[t][3]);
    shared += inside;
  }
  return (double)shared / one->stations;
}

/* Keeps the best candidates that are distinct and no bone; frees the others. */
static void keep_distinct(search *s, ht_candidates *candidates) {
  qsort(s->item, (size_t)s->count, sizeof *s->item, by_score);
  for (int i = 0; i < s->count; i++) {
    int is_new = candidates->count < HT_CANDIDATES_MAX && s->item[i].score >= least_score;
    for (int k = 0; k < candidates->count && is_new; k++)
      is_new = share_of(&s->item[i], &candidates->item[k]) < most_shared;
    if (is_new)
      candidates->item[candidates->count++] = s->item[i];
    else
      free(s->item[i].station);
  }
}

static ht_status search_pieces(search *s, const ht_progress *progress, ht_candidates *candidates) {
  choose_pieces(s);
  if (s->chosen > 1)
    candidates->second_piece = (double)s->pieces->piece[s->largest[1]].voxels /
                               (double)s->pieces->piece[s->largest[0]].voxels;
  for (int p = 0; p < s->chosen; p++) {
    HT_TRY(ht_progress_report(progress, "segment", p, s->chosen, "candidates"));
    HT_TRY(search_piece(s, s->largest[p], progress));
  }
  return HT_OK;
}

/* Leaves a name to its best candidate: a body has one aorta. */
static void name_once(ht_candidates *candidates) {
  for (int i = 0; i < candidates->count; i++)
    for (int k = 0; k < i; k++)
      if (strstr(candidates->item[i].name, "the aorta") && candidates->item[k].name[0])
        candidates->item[i].name[0] = 0;
}

ht_status ht_candidates_find(const ht_volume *scan, const ht_agent *agent, unsigned signs,
                             const ht_grid *grid, const ht_pieces *pieces,
                             const ht_progress *progress, ht_candidates *candidates) {
  search s = {.scan = scan, .agent = agent, .grid = grid, .pieces = pieces};
  memset(candidates, 0, sizeof *candidates);
  HT_TRY(ht_alloc((void **)&s.item, FOUND, sizeof *s.item, "the vessels that could be meant"));
  ht_status status = search_pieces(&s, progress, candidates);
  if (status == HT_OK) {
    ht_candidates_score(&scan->grid, signs, s.item, s.count);
    keep_distinct(&s, candidates);
    name_once(candidates);
    candidates->dropped = s.dropped;
  } else {
    for (int i = 0; i < s.count; i++) free(s.item[i].station);
    memset(candidates, 0, sizeof *candidates);
  }
  free(s.item);
  return status;
}
