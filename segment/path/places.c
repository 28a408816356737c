#include "segment/path/places.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, BLOCK = SIDE * SIDE * SIDE };

ht_status ht_places_make(const int dim[3], ht_places *places) {
  size_t count = 1;
  memset(places, 0, sizeof *places);
  for (int a = 0; a < 3; a++) {
    places->blocks[a] = (dim[a] + SIDE - 1) / SIDE;
    count *= (size_t)places->blocks[a];
  }
  return ht_alloc((void **)&places->block, count, sizeof *places->block, "places in the scan");
}

void ht_places_free(ht_places *places) {
  size_t count = (size_t)places->blocks[0] * (size_t)places->blocks[1] * (size_t)places->blocks[2];
  for (size_t b = 0; places->block && b < count; b++) free(places->block[b]);
  free(places->block);
  memset(places, 0, sizeof *places);
}

static int32_t **block_of(const ht_places *places, const int at[3], int64_t *inner) {
  const int side[3] = {SIDE, SIDE, SIDE};
  int of[3], in[3];
  for (int a = 0; a < 3; a++) {
    of[a] = at[a] / SIDE;
    in[a] = at[a] % SIDE;
  }
  *inner = ht_voxel_index(side, in);
  return &places->block[ht_voxel_index(places->blocks, of)];
}

int32_t ht_places_get(const ht_places *places, const int at[3]) {
  int64_t inner;
  int32_t **block = block_of(places, at, &inner);
  return *block ? (*block)[inner] : -1;
}

ht_status ht_places_set(ht_places *places, const int at[3], int32_t number) {
  int64_t inner;
  int32_t **block = block_of(places, at, &inner);
  if (!*block) {
    HT_TRY(ht_alloc((void **)block, BLOCK, sizeof **block, "places in the scan"));
    for (int n = 0; n < BLOCK; n++) (*block)[n] = -1;
  }
  (*block)[inner] = number;
  return HT_OK;
}
