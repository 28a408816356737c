/* Triangles of a surface file of any format. Private to import/. */
#ifndef HT_SURFACE_READ_H
#define HT_SURFACE_READ_H

#include "import/surface/formats/stl_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HT_SURFACE_ENDINGS ".stl, .vtp, .obj, .ply"

/* Returns 1 where the name has one of these endings (large or small letters). */
int ht_surface_named(const char *path);

/* Name of the format, "STL", "OBJ", "PLY" or "VTP", by the file's name. Static. */
const char *ht_surface_format(const char *path);

/* Reads a surface by the file's ending; polygons become triangles. Corners are finite, at most 1e6,
 * and -0 is 0. Axes are LPS where the file says nothing. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (damaged,
 * truncated, no triangles, an unsupported kind of the format), HT_ERR_MEMORY. Free with
 * ht_stl_free. */
ht_status ht_surface_read(const char *path, ht_stl *surface);

#ifdef __cplusplus
}
#endif
#endif
