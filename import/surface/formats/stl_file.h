/* STL files: the triangles of a surface. Private to import/.
 *
 * The file is read here: Debian's ITK has no reader of STL (its IOMeshSTL is a remote module), and
 * VTK's weighs more than all the rest (docs/dependencies.md). The format: 80 bytes of any text, the
 * number of triangles, 50 bytes for each; or text, "solid NAME ... facet ... vertex X Y Z ...". It
 * has neither unit (surface_unit.h) nor axes: LPS is assumed, as in 3D Slicer since 4.11, unless
 * the text at its beginning has SPACE=RAS, as 3D Slicer writes it. */
#ifndef HT_STL_FILE_H
#define HT_STL_FILE_H

#include "import/surface/formats/surface_input.h"
#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Axes by the file. */
typedef enum { HT_STL_UNTOLD = 0, HT_STL_LPS, HT_STL_RAS } ht_stl_space;

typedef struct {
  int triangles;
  float (*corner)[3][3]; /* [triangles] corners x, y, z, the file's unit, LPS (before
                            ht_stl_check_corners the file's axes). Owned */
  ht_stl_space space;    /* from the file */
  ht_surface_unit unit;  /* chosen by ht_stl_to_mm; before it HT_UNIT_AUTO */
} ht_stl;

/* Finds the axes that a comment or header names: SPACE=LPS or SPACE=RAS, as 3D Slicer writes. */
ht_stl_space ht_stl_space_of(const char *text, size_t length);

/* Reads an STL file. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (damaged, truncated, no triangles, coordinates
 * that are no numbers), HT_ERR_MEMORY. Free with ht_stl_free. */
ht_status ht_stl_read(const char *path, ht_stl *surface); /* before ht_stl_check_corners */
void ht_stl_free(ht_stl *surface);

/* Turns RAS into LPS and -0 into 0. HT_ERR_FORMAT: no triangles, or a corner that is no number or
 * farther than 1e6 from 0. */
ht_status ht_stl_check_corners(const char *path, ht_stl *surface);

#ifdef __cplusplus
}
#endif
#endif
