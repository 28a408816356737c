#include "import/image/nifti_tilt.h"
#include "import/slices/slice_resample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slice k, from the sform: RAS to LPS turns the first two signs. */
static void place_slice(ht_nifti_header *header, int k, ht_slice *slice) {
  slice->path = header->voxels;
  slice->frame = k;
  slice->frames = (int)header->dim[3];
  slice->has_image = 1;
  slice->rows = (int)header->dim[2];
  slice->columns = (int)header->dim[1];
  for (int a = 0; a < 2; a++) {
    double square = 0;
    for (int r = 0; r < 3; r++) square += header->rows[r][a] * header->rows[r][a];
    slice->spacing_mm[a] = sqrt(square);
    for (int r = 0; r < 3; r++)
      slice->axes[a][r] = (r < 2 ? -1 : 1) * header->rows[r][a] / slice->spacing_mm[a];
  }
  for (int r = 0; r < 3; r++)
    slice->position_mm[r] = (r < 2 ? -1 : 1) * (header->rows[r][3] + k * header->rows[r][2]);
}

/* The caller frees the slices, which own nothing, with free(); also after a failure. */
static ht_status make_stack(ht_nifti_header *header, ht_slice **slice, ht_stack *stack) {
  int count = (int)header->dim[3];
  memset(stack, 0, sizeof *stack);
  HT_TRY(ht_alloc((void **)slice, (size_t)count, sizeof **slice, "the slices' places"));
  for (int k = 0; k < count; k++) place_slice(header, k, &(*slice)[k]);
  return ht_stack_check(*slice, &count, NULL, stack);
}

ht_status ht_nifti_tilt_grid(ht_nifti_header *header, ht_grid *grid, char remark[128]) {
  ht_slice *slice = NULL;
  ht_stack stack;
  ht_status status = make_stack(header, &slice, &stack);
  free(slice);
  *grid = stack.grid;
  snprintf(remark, 128, "%.127s", stack.remark);
  return status;
}

static ht_status copy_slice(void *user, const ht_slice *slice, float *values) {
  const ht_volume *stored = user;
  size_t pixels = (size_t)slice->rows * (size_t)slice->columns;
  memcpy(values, stored->values + (size_t)slice->frame * pixels, pixels * sizeof *values);
  return HT_OK;
}

ht_status ht_nifti_shear_back(const char *path, const ht_progress *progress, ht_volume *volume) {
  ht_nifti_header header;
  ht_slice *slice = NULL;
  ht_stack stack;
  ht_volume straight = {0};
  HT_TRY(ht_nifti_header_read(path, &header));
  ht_status status = make_stack(&header, &slice, &stack);
  if (status == HT_OK) status = ht_volume_alloc(&stack.grid, &straight);
  if (status == HT_OK)
    status = ht_stack_resample(slice, (int)header.dim[3], copy_slice, volume, progress, &straight);
  free(slice);
  if (status != HT_OK) {
    ht_volume_free(&straight);
    return status == HT_ERR_INTERRUPTED ? status : ht_fail_in(status, path);
  }
  ht_volume_free(volume);
  *volume = straight;
  return HT_OK;
}
