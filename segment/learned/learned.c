#include "segment/learned/learned.h"
#include "segment/learned/network.h"
#include "segment/learned/turn.h"
#include <stdlib.h>
#include <string.h>

/* Finds in a copy of the scan that is turned to the patient's axes. */
static ht_status find_turned(const ht_learned_weights *weights, const ht_axes_turn *turn,
                             const ht_volume *scan, const ht_learned_options *options,
                             ht_learned *found) {
  const int *dim = scan->grid.dim;
  const size_t voxels = (size_t)ht_grid_voxels(&scan->grid);
  ht_volume turned = {.grid =
                          ht_grid_make(dim[turn->axis[0]], dim[turn->axis[1]], dim[turn->axis[2]])};
  void *images = NULL;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&turned.values, voxels, sizeof *turned.values, "the turned scan"));
  ht_turn_values(turn, dim, scan->values, turned.values);
  HT_TRY_DONE(ht_learned_apply(weights, &turned, options, NULL, found));
  HT_TRY_DONE(ht_alloc(&images, voxels, HT_LEARNED_IMAGES, "what the network finds"));
  for (int n = 0; n < HT_LEARNED_IMAGES; n++)
    ht_turn_bytes_back(turn, dim, found->artery + n * voxels, (uint8_t *)images + n * voxels);
  memcpy(found->artery, images, HT_LEARNED_IMAGES * voxels);
  found->grid = scan->grid;
done:
  free(images);
  free(turned.values);
  if (status != HT_OK) ht_learned_free(found);
  return status;
}

ht_status ht_learned_find(const ht_volume *scan, const ht_learned_options *options,
                          ht_learned *found) {
  ht_learned_weights weights;
  memset(found, 0, sizeof *found);
  HT_TRY(ht_grid_check(&scan->grid));
  HT_TRY(ht_learned_weights_own(&weights));
  const ht_axes_turn turn = ht_turn_to_patient(&scan->grid);
  const ht_status status = ht_turn_is_none(&turn)
                               ? ht_learned_apply(&weights, scan, options, NULL, found)
                               : find_turned(&weights, &turn, scan, options, found);
  ht_learned_weights_free(&weights);
  return status;
}

void ht_learned_free(ht_learned *found) {
  if (!found) return;
  free(found->artery);
  memset(found, 0, sizeof *found);
}
