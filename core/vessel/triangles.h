/* A surface of triangles, as it comes from a file: the wall of a vessel, closed by caps. */
#ifndef HT_TRIANGLES_H
#define HT_TRIANGLES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int count;
  float (*corner)[3][3]; /* [count] corners, x, y, z, LPS mm. Owned; NULL: there is no surface */
  int of_voxels;         /* 1: it lies between the voxels of a scan, and has their steps */
} ht_triangles;

/* Frees the triangles; NULL is allowed. */
void ht_triangles_free(ht_triangles *triangles);

#ifdef __cplusplus
}
#endif
#endif
