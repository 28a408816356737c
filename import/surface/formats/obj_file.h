/* OBJ files (Wavefront): the points and faces of a surface. Private to import/.
 *
 * Lines "v X Y Z" and "f A B C ...", a corner as A, A/T, A/T/N or A//N; numbers from 1, or from the
 * end where they are negative. A line ended by a backslash goes on. Other lines (normals, textures,
 * groups, materials) are skipped. ITK 5.2 has a reader (OBJMeshIO): it silently takes negative
 * numbers, numbers of no point and coordinates that are no numbers, and loses the last corner of a
 * continued line (docs/dependencies.md). */
#ifndef HT_OBJ_FILE_H
#define HT_OBJ_FILE_H

#include "import/surface/formats/stl_file.h"

/* Reads an OBJ file. Errors and ownership as ht_surface_read. */
ht_status ht_obj_read(const char *path, ht_stl *surface);

#endif
