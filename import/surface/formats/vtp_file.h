/* VTK's PolyData files (.vtp): the points and polygons of a surface. Private to import/.
 *
 * XML with arrays as text, base64 or raw appended bytes, each compressed by zlib or not; numbers of
 * every type; sizes of 32 or 64 bits (VTK file formats, section "XML file formats"). Points, Polys
 * and their pieces are read; strips of triangles are refused, lines and vertices skipped. No
 * library that is linked reads it; VTK is 280 packages. */
#ifndef HT_VTP_FILE_H
#define HT_VTP_FILE_H

#include "import/surface/formats/stl_file.h"

/* Reads a .vtp file. Errors and ownership as ht_surface_read. */
ht_status ht_vtp_read(const char *path, ht_stl *surface);

#endif
