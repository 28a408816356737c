/* Segments that 3D Slicer names in the header of a segmentation (.seg.nrrd). Private to import/. */
#ifndef HT_NRRD_SEGMENTS_H
#define HT_NRRD_SEGMENTS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_SEGMENTS_MAX = 128, HT_SEGMENT_NAME_MAX = 72 };

typedef struct {
  int count;
  struct {
    char name[HT_SEGMENT_NAME_MAX];
    int value; /* of its voxels */
    int layer; /* number of the image that has them, from 0 */
  } segment[HT_SEGMENTS_MAX];
} ht_nrrd_segments;

/* Reads the segments; none for another format, or where the header names none. HT_ERR_NOT_FOUND. */
ht_status ht_nrrd_segments_read(const char *path, ht_nrrd_segments *segments);

#ifdef __cplusplus
}
#endif
#endif
