/* PLY files (Stanford polygon format 1.0): text, and binary of either byte order. Private to
 * import/.
 *
 * The header lists elements with their properties; read are "vertex" with x, y, z and "face" with
 * the list vertex_indices (or vertex_index); all others are passed over. No library that is linked
 * reads it. */
#ifndef HT_PLY_FILE_H
#define HT_PLY_FILE_H

#include "import/surface/formats/stl_file.h"

/* As ht_surface_read. */
ht_status ht_ply_read(const char *path, ht_stl *surface);

#endif
