#include "export/pixels/empty_space.h"
#include "core/work/jobs.h"
#include <stdlib.h>
#include <string.h>

enum { FAR = 255 };

typedef struct {
  const ht_mask *mask;
  ht_empty_space *space;
} marking;

/* Marks one layer of blocks: 0 where a block has vessel. */
static void mark_layer(void *user, int z) {
  const marking *m = user;
  const int *dim = m->mask->grid.dim, *blocks = m->space->dim;
  uint8_t *layer = m->space->away + (size_t)z * (size_t)blocks[0] * (size_t)blocks[1];
  int end = (z + 1) * HT_EMPTY_BLOCK < dim[2] ? (z + 1) * HT_EMPTY_BLOCK : dim[2];
  memset(layer, FAR, (size_t)blocks[0] * (size_t)blocks[1]);
  for (int k = z * HT_EMPTY_BLOCK; k < end; k++)
    for (int j = 0; j < dim[1]; j++) {
      const uint8_t *row = m->mask->inside + dim[0] * (j + (int64_t)dim[1] * k);
      uint8_t *to = layer + (size_t)(j / HT_EMPTY_BLOCK) * (size_t)blocks[0];
      for (int i = 0; i < dim[0]; i++)
        if (row[i]) to[i / HT_EMPTY_BLOCK] = 0;
    }
}

/* Sets a block's distance to one more than the least of the 13 neighbours that come before the
 * block in the order of `side` (-1: of the grid, 1: the other way round). Both ways give the
 * distance (Rosenfeld & Pfaltz, Pattern Recognition 1 (1968) 33). */
static void pass_block(const ht_empty_space *space, const int at[3], int side) {
  uint8_t *here = space->away + ht_voxel_index(space->dim, at);
  for (int n = 0; n < 13; n++) {
    const int before[3] = {at[0] - side * (n % 3 - 1), at[1] - side * (n / 3 % 3 - 1),
                           at[2] - side * (n / 9 - 1)};
    if (!ht_voxel_in_grid(space->dim, before)) continue;
    uint8_t there = space->away[ht_voxel_index(space->dim, before)];
    if (there < FAR && there + 1 < *here) *here = (uint8_t)(there + 1);
  }
}

static void measure(const ht_empty_space *space) {
  const int64_t blocks = (int64_t)space->dim[0] * space->dim[1] * space->dim[2];
  int at[3];
  for (int64_t b = 0; b < blocks; b++) {
    ht_voxel_place(space->dim, b, at);
    pass_block(space, at, -1);
  }
  for (int64_t b = blocks - 1; b >= 0; b--) {
    ht_voxel_place(space->dim, b, at);
    pass_block(space, at, 1);
  }
}

ht_status ht_empty_space_make(const ht_mask *mask, ht_empty_space *space) {
  marking m = {mask, space};
  size_t blocks = 1;
  for (int a = 0; a < 3; a++) {
    space->dim[a] = (mask->grid.dim[a] + HT_EMPTY_BLOCK - 1) / HT_EMPTY_BLOCK;
    blocks *= (size_t)space->dim[a];
  }
  HT_TRY(ht_alloc((void **)&space->away, blocks, 1, "a picture's view through the vessel"));
  ht_status status = ht_jobs_spread(space->dim[2], mark_layer, &m);
  if (status == HT_OK) measure(space);
  if (status != HT_OK) ht_empty_space_free(space);
  return status;
}

void ht_empty_space_free(ht_empty_space *space) {
  if (!space) return;
  free(space->away);
  memset(space, 0, sizeof *space);
}

int ht_empty_space_ahead(const ht_empty_space *space, const double index[3]) {
  int at[3];
  for (int a = 0; a < 3; a++) {
    if (!(index[a] >= 0)) return 0;
    at[a] = (int)(index[a] / HT_EMPTY_BLOCK);
    if (at[a] >= space->dim[a]) return 0;
  }
  int away = space->away[ht_voxel_index(space->dim, at)];
  /* All blocks up to one before the nearest are empty; interpolation reaches one voxel. */
  return away > 1 ? HT_EMPTY_BLOCK * (away - 1) - 1 : 0;
}
