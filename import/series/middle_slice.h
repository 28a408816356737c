/* The middle slice of a series, to be shown in a list. */
#ifndef HT_MIDDLE_SLICE_H
#define HT_MIDDLE_SLICE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int width, height;    /* 0: the slice cannot be read */
  double spacing_mm[2]; /* of its pixels, to the right and down */
  float *values;        /* [height][width], owned; free with ht_middle_slice_free */
} ht_middle_slice;

void ht_middle_slice_free(ht_middle_slice *slice, int count); /* frees [count]; NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
