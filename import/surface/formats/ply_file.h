/* PLY files (Stanford polygon format 1.0): text, and binary of either byte order. Private to
 * import/.
 *
 * The header lists elements with their properties; "vertex" with x, y, z and "face" with the list
 * vertex_indices (or vertex_index) are read; all others are skipped. No library that is linked
 * reads it. */
#ifndef HT_PLY_FILE_H
#define HT_PLY_FILE_H

#include "import/surface/formats/stl_file.h"

/* Reads a PLY file. Errors and ownership as ht_surface_read. */
ht_status ht_ply_read(const char *path, ht_stl *surface);

#endif
