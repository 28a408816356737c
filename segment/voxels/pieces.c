#include "segment/voxels/pieces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The smallest run of a connected set. Runs point at earlier runs; path halving shortens the way.
 */
static int64_t root_of(int64_t *same, int64_t run) {
  while (same[run] != run) run = same[run] = same[same[run]];
  return run;
}

static void join(int64_t *same, int64_t a, int64_t b) {
  a = root_of(same, a);
  b = root_of(same, b);
  if (a < b)
    same[b] = a;
  else
    same[a] = b;
}

/* Joins the runs of two lines that lie side by side. */
static void join_lines(const ht_pieces *pieces, int64_t line, int64_t other, int64_t *same) {
  int64_t a = pieces->row[line], b = pieces->row[other];
  const ht_piece_run *run = pieces->run;
  while (a < pieces->row[line + 1] && b < pieces->row[other + 1]) {
    if (run[a].first <= run[b].last && run[b].first <= run[a].last) join(same, a, b);
    if (run[a].last < run[b].last)
      a++;
    else
      b++;
  }
}

/* Counts the runs of one line; stores them where `run` is not NULL. */
static int64_t runs_of_line(const uint8_t *inside, int nx, int wanted, ht_piece_run *run) {
  int64_t count = 0;
  for (int x = 0; x < nx; x++) {
    if ((inside[x] != 0) != wanted) continue;
    int first = x;
    while (x + 1 < nx && (inside[x + 1] != 0) == wanted) x++;
    if (run) run[count] = (ht_piece_run){first, x, 0};
    count++;
  }
  return count;
}

static ht_status find_runs(const ht_mask *mask, int wanted, ht_pieces *pieces) {
  int nx = mask->grid.dim[0];
  int64_t lines = (int64_t)mask->grid.dim[1] * mask->grid.dim[2];
  HT_TRY(ht_alloc((void **)&pieces->row, (size_t)lines + 1, sizeof *pieces->row, "lines of runs"));
  for (int64_t r = 0; r < lines; r++)
    pieces->row[r + 1] = pieces->row[r] + runs_of_line(mask->inside + r * nx, nx, wanted, NULL);
  HT_TRY(ht_alloc((void **)&pieces->run, (size_t)pieces->row[lines] + 1, sizeof *pieces->run,
                  "runs of voxels"));
  for (int64_t r = 0; r < lines; r++)
    runs_of_line(mask->inside + r * nx, nx, wanted, pieces->run + pieces->row[r]);
  return HT_OK;
}

/* Numbers the pieces in the order of their first run, which is their root. */
static ht_status number_pieces(const ht_grid *grid, int64_t *same, ht_pieces *pieces) {
  const int *dim = grid->dim;
  int64_t lines = (int64_t)dim[1] * dim[2], runs = pieces->row[lines];
  for (int64_t r = 0; r < runs; r++)
    pieces->run[r].piece =
        root_of(same, r) == r ? pieces->count++ : pieces->run[root_of(same, r)].piece;
  HT_TRY(ht_alloc((void **)&pieces->piece, (size_t)pieces->count + 1, sizeof *pieces->piece,
                  "pieces of the mask"));
  for (int64_t line = 0; line < lines; line++) {
    int64_t j = line % dim[1], k = line / dim[1];
    int border = j == 0 || j == dim[1] - 1 || k == 0 || k == dim[2] - 1;
    for (int64_t r = pieces->row[line]; r < pieces->row[line + 1]; r++) {
      const ht_piece_run *run = &pieces->run[r];
      pieces->piece[run->piece].voxels += run->last - run->first + 1;
      pieces->piece[run->piece].at_border |= border || run->first == 0 || run->last == dim[0] - 1;
    }
  }
  return HT_OK;
}

static ht_status connect(const ht_grid *grid, ht_pieces *pieces) {
  int ny = grid->dim[1];
  int64_t lines = (int64_t)ny * grid->dim[2], runs = pieces->row[lines], *same;
  HT_TRY(ht_alloc((void **)&same, (size_t)runs + 1, sizeof *same, "connections of runs"));
  for (int64_t r = 0; r < runs; r++) same[r] = r;
  for (int64_t line = 0; line < lines; line++) {
    if (line % ny > 0) join_lines(pieces, line, line - 1, same);
    if (line >= ny) join_lines(pieces, line, line - ny, same);
  }
  ht_status status = number_pieces(grid, same, pieces);
  free(same);
  return status;
}

ht_status ht_pieces_find(const ht_mask *mask, int wanted, ht_pieces *pieces) {
  memset(pieces, 0, sizeof *pieces);
  ht_status status = find_runs(mask, wanted, pieces);
  if (status == HT_OK) status = connect(&mask->grid, pieces);
  if (status != HT_OK) ht_pieces_free(pieces);
  return status;
}

void ht_pieces_free(ht_pieces *pieces) {
  if (!pieces) return;
  free(pieces->piece);
  free(pieces->run);
  free(pieces->row);
  memset(pieces, 0, sizeof *pieces);
}

void ht_pieces_paint(const ht_pieces *pieces, const uint8_t *keep, int chosen, uint8_t value,
                     ht_mask *mask) {
  int nx = mask->grid.dim[0];
  int64_t lines = (int64_t)mask->grid.dim[1] * mask->grid.dim[2];
  for (int64_t line = 0; line < lines; line++)
    for (int64_t r = pieces->row[line]; r < pieces->row[line + 1]; r++) {
      const ht_piece_run *run = &pieces->run[r];
      if (keep[run->piece] != chosen) continue;
      memset(mask->inside + line * nx + run->first, value, (size_t)(run->last - run->first + 1));
    }
}

int ht_pieces_at(const ht_pieces *pieces, const int dim[3], const int at[3]) {
  int64_t line = at[1] + (int64_t)dim[1] * at[2];
  int64_t low = pieces->row[line], high = pieces->row[line + 1] - 1;
  while (low <= high) {
    int64_t middle = (low + high) / 2;
    const ht_piece_run *run = &pieces->run[middle];
    if (at[0] < run->first)
      high = middle - 1;
    else if (at[0] > run->last)
      low = middle + 1;
    else
      return run->piece;
  }
  return -1;
}

int ht_pieces_largest(const ht_pieces *pieces) {
  int best = -1;
  for (int p = 0; p < pieces->count; p++)
    if (best < 0 || pieces->piece[p].voxels > pieces->piece[best].voxels) best = p;
  return best;
}

int ht_pieces_nearest(const ht_pieces *pieces, const ht_grid *grid, const double position_mm[3]) {
  double at[3], best = INFINITY;
  int nearest = -1;
  const double *s = grid->spacing_mm;
  int64_t lines = (int64_t)grid->dim[1] * grid->dim[2];
  ht_grid_index(grid, position_mm, at);
  for (int64_t line = 0; line < lines; line++)
    for (int64_t r = pieces->row[line]; r < pieces->row[line + 1]; r++) {
      const ht_piece_run *run = &pieces->run[r];
      double i = fmin(fmax(round(at[0]), run->first), run->last);
      double x = (i - at[0]) * s[0], y = ((double)(line % grid->dim[1]) - at[1]) * s[1],
             z = ((double)(line / grid->dim[1]) - at[2]) * s[2], square = x * x + y * y + z * z;
      if (square >= best) continue;
      best = square;
      nearest = run->piece;
    }
  return nearest;
}
