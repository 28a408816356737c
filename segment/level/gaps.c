#include "segment/level/gaps.h"
#include "segment/voxels/block.h"
#include "segment/voxels/pieces.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_VOXELS = 30 };

/* The closing without the mask itself. */
static ht_status closing(const ht_mask *mask, double gap_mm, const ht_progress *progress,
                         ht_mask *added) {
  ht_mask grown = {0};
  const double *s = mask->grid.spacing_mm;
  double reach = gap_mm / 2 + 0.5 * fmax(s[0], fmax(s[1], s[2]));
  HT_TRY(ht_mask_grow(mask, reach, progress, &grown));
  ht_status status = ht_mask_ring(&grown, 0, reach, INFINITY, progress, added);
  ht_mask_free(&grown);
  if (status != HT_OK) return status;
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) added->inside[v] &= !mask->inside[v];
  return HT_OK;
}

/* The voxels of a piece of the mask that an added piece touches. */
typedef struct {
  int piece; /* of the mask; -1: none */
  int64_t count;
  double sum[3]; /* of the places, voxel indices */
} contact;

/* The first two pieces of the mask that an added piece touches. */
typedef struct {
  contact side[2];
} link;

/* A large piece of the mask at `next`, neighbour n of a voxel; -1. */
static int neighbour_piece(const ht_pieces *pieces, const int dim[3], const int at[3], int n,
                           int next[3]) {
  memcpy(next, at, 3 * sizeof *next);
  next[n / 2] += n % 2 ? 1 : -1;
  if (!ht_voxel_in_grid(dim, next)) return -1;
  int piece = ht_pieces_at(pieces, dim, next);
  return piece >= 0 && pieces->piece[piece].voxels >= FEWEST_VOXELS ? piece : -1;
}

static void touch(link *of, int piece, const int at[3]) {
  for (int s = 0; s < 2; s++) {
    contact *side = &of->side[s];
    if (side->piece >= 0 && side->piece != piece) continue;
    side->piece = piece;
    side->count++;
    for (int a = 0; a < 3; a++) side->sum[a] += at[a];
    return;
  }
}

static void find_links(const ht_grid *grid, const ht_pieces *mask, const ht_pieces *added,
                       link *links) {
  int64_t lines = (int64_t)grid->dim[1] * grid->dim[2];
  for (int p = 0; p < added->count; p++) links[p].side[0].piece = links[p].side[1].piece = -1;
  for (int64_t line = 0; line < lines; line++)
    for (int64_t r = added->row[line]; r < added->row[line + 1]; r++) {
      const ht_piece_run *run = &added->run[r];
      for (int x = run->first; x <= run->last; x++) {
        const int at[3] = {x, (int)(line % grid->dim[1]), (int)(line / grid->dim[1])};
        for (int n = 0; n < 6; n++) {
          int next[3], piece = neighbour_piece(mask, grid->dim, at, n, next);
          if (piece >= 0) touch(&links[run->piece], piece, next);
        }
      }
    }
}

/* The place of a contact, LPS mm. */
static void place_of(const ht_grid *grid, const contact *side, double place_mm[3]) {
  double index[3];
  for (int a = 0; a < 3; a++) index[a] = side->sum[a] / (double)side->count;
  ht_grid_position(grid, index, place_mm);
}

/* Second moments of the piece's voxels within `reach` of the place, about their mean. */
static int64_t moments_near(const ht_grid *grid, const ht_pieces *mask, const contact *side,
                            const double place_mm[3], double reach, double m[3][3]) {
  double sum[3] = {0}, p[3];
  int low[3], high[3], at[3];
  int64_t count = 0;
  memset(m, 0, 9 * sizeof(double));
  ht_grid_around(grid, place_mm, reach, low, high);
  for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)) {
    ht_grid_voxel_position(grid, ht_voxel_index(grid->dim, at), p);
    if (ht_distance(p, place_mm) > reach) continue;
    if (ht_pieces_at(mask, grid->dim, at) != side->piece) continue;
    count++;
    for (int a = 0; a < 3; a++) sum[a] += p[a] - place_mm[a];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) m[a][b] += (p[a] - place_mm[a]) * (p[b] - place_mm[b]);
  }
  for (int a = 0; a < 3 && count; a++)
    for (int b = 0; b < 3; b++)
      m[a][b] = m[a][b] / (double)count - sum[a] * sum[b] / (double)(count * count);
  return count;
}

/* The cosine of the direction with the longest axis of the moments, by powers of the matrix; 1
 * where no axis is clearly longer. */
static double along_axis(const double m[3][3], const double direction[3]) {
  enum { STEPS = 40 };
  const double clearly = 1.5;
  double axis[3] = {0.48, 0.6, 0.64}, next[3], trace = m[0][0] + m[1][1] + m[2][2];
  for (int s = 0; s < STEPS; s++) {
    for (int a = 0; a < 3; a++) next[a] = ht_dot(m[a], axis);
    double length = ht_length(next);
    if (!(length > 0)) return 1;
    for (int a = 0; a < 3; a++) axis[a] = next[a] / length;
  }
  for (int a = 0; a < 3; a++) next[a] = ht_dot(m[a], axis);
  double longest = ht_dot(next, axis);
  if (longest < clearly * (trace - longest) / 2) return 1;
  return fabs(ht_dot(axis, direction));
}

/* A gap lies between two ends, in the direction of both: vessels that run side by side have none.
 */
static int is_along(const ht_grid *grid, const ht_pieces *mask, const link *of, double gap_mm) {
  const double reach_least_mm = 6, reach_gaps = 3, steepest = 0.5; /* cosine */
  double place_mm[2][3], across[3], m[3][3];
  for (int s = 0; s < 2; s++) place_of(grid, &of->side[s], place_mm[s]);
  for (int a = 0; a < 3; a++) across[a] = place_mm[1][a] - place_mm[0][a];
  double length = ht_length(across);
  if (!(length > 0)) return 0;
  for (int a = 0; a < 3; a++) across[a] /= length;
  for (int s = 0; s < 2; s++) {
    moments_near(grid, mask, &of->side[s], place_mm[s], fmax(reach_least_mm, reach_gaps * gap_mm),
                 m);
    if (along_axis((const double(*)[3])m, across) < steepest) return 0;
  }
  return 1;
}

/* keep[piece] (zeroed) becomes 1 for each added piece that bridges a gap between two pieces. */
static ht_status judge(const ht_grid *grid, const ht_pieces *mask, const ht_pieces *added,
                       double gap_mm, uint8_t *keep) {
  link *links;
  HT_TRY(ht_alloc((void **)&links, (size_t)added->count + 1, sizeof *links, "bridges"));
  find_links(grid, mask, added, links);
  for (int p = 0; p < added->count; p++)
    keep[p] = links[p].side[1].piece >= 0 && is_along(grid, mask, &links[p], gap_mm);
  free(links);
  return HT_OK;
}

static ht_status bridge(ht_mask *mask, const ht_mask *added, double gap_mm, int *bridges) {
  ht_pieces own = {0}, more = {0};
  uint8_t *keep = NULL;
  ht_status status = ht_pieces_find(mask, 1, &own);
  if (status == HT_OK) status = ht_pieces_find(added, 1, &more);
  if (status == HT_OK)
    status = ht_alloc((void **)&keep, (size_t)more.count + 1, sizeof *keep, "bridges");
  if (status == HT_OK) status = judge(&mask->grid, &own, &more, gap_mm, keep);
  if (status == HT_OK) ht_pieces_paint(&more, keep, 1, 1, mask);
  for (int p = 0; p < more.count && status == HT_OK; p++) *bridges += keep[p];
  free(keep);
  ht_pieces_free(&own);
  ht_pieces_free(&more);
  return status;
}

ht_status ht_bridge_gaps(ht_mask *mask, double gap_mm, const ht_progress *progress, int *bridges) {
  ht_mask added = {0};
  *bridges = 0;
  if (!(gap_mm > 0) || ht_mask_count(mask) == 0) return HT_OK;
  HT_TRY(closing(mask, gap_mm, progress, &added));
  ht_status status = bridge(mask, &added, gap_mm, bridges);
  ht_mask_free(&added);
  return status;
}
