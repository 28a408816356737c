/* Points and polygons of a surface file, on their way to triangles. Private to import/. */
#ifndef HT_SURFACE_POINTS_H
#define HT_SURFACE_POINTS_H

#include "import/surface/formats/stl_file.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *path; /* for messages. Borrowed */
  int64_t points, point_room;
  float (*point)[3]; /* [points]; owned */
  ht_stl *surface;   /* gets the triangles. Borrowed */
  int triangle_room;
} ht_surface_points;

enum { HT_POLYGON_MOST = 1000 };

/* Adds a point. HT_ERR_MEMORY; HT_ERR_FORMAT above 2^31 points. */
ht_status ht_surface_add_point(ht_surface_points *to, const double at[3]);

/* Adds a polygon by its points' numbers, from 0: its triangles from the first corner. `where`:
 * place of the polygon, for messages. HT_ERR_FORMAT: less than 3 corners or more than
 * HT_POLYGON_MOST, a number that no point has. HT_ERR_MEMORY. */
ht_status ht_surface_add_polygon(ht_surface_points *to, const int64_t *corner, int count,
                                 int64_t where);

/* Reads a file with a parser of its format: the whole file in memory, with a 0 after it; `size`
 * does not count the 0. The parser may change the bytes. HT_ERR_NOT_FOUND, HT_ERR_MEMORY;
 * HT_ERR_FORMAT: empty; the parser's. The triangles are the caller's, also after a failure. */
typedef ht_status (*ht_surface_parse)(ht_surface_points *to, char *bytes, size_t size);
ht_status ht_surface_parse_file(const char *path, ht_stl *surface, ht_surface_parse parse);

/* Reads the bytes of a file, with a 0 after them. Errors as above. The caller frees. */
ht_status ht_surface_bytes(const char *path, char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
