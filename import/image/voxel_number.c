#include "import/image/voxel_number.h"
#include "core/formats/nifti_codes.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

int ht_number_bytes(int type) {
  switch (type) {
  case HT_NIFTI_UINT8:
  case HT_NIFTI_INT8:
    return 1;
  case HT_NIFTI_INT16:
  case HT_NIFTI_UINT16:
    return 2;
  case HT_NIFTI_INT32:
  case HT_NIFTI_UINT32:
  case HT_NIFTI_FLOAT:
    return 4;
  case HT_NIFTI_DOUBLE:
  case HT_NIFTI_INT64:
  case HT_NIFTI_UINT64:
    return 8;
  }
  return 0;
}

double ht_number_at(int type, const void *block, int i) {
  switch (type) {
  case HT_NIFTI_UINT8:
    return ((const uint8_t *)block)[i];
  case HT_NIFTI_INT8:
    return ((const int8_t *)block)[i];
  case HT_NIFTI_INT16:
    return ((const int16_t *)block)[i];
  case HT_NIFTI_UINT16:
    return ((const uint16_t *)block)[i];
  case HT_NIFTI_INT32:
    return ((const int32_t *)block)[i];
  case HT_NIFTI_UINT32:
    return ((const uint32_t *)block)[i];
  case HT_NIFTI_FLOAT:
    return (double)((const float *)block)[i];
  case HT_NIFTI_DOUBLE:
    return ((const double *)block)[i];
  case HT_NIFTI_INT64:
    return (double)((const int64_t *)block)[i];
  case HT_NIFTI_UINT64:
    return (double)((const uint64_t *)block)[i];
  }
  return NAN;
}

int ht_host_is_big(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

void ht_number_swap(unsigned char *number, int bytes, int count) {
  for (int i = 0; i < count; i++, number += bytes) {
    for (int b = 0; b < bytes / 2; b++) {
      unsigned char kept = number[b];
      number[b] = number[bytes - 1 - b];
      number[bytes - 1 - b] = kept;
    }
  }
}
