/* export/: results as files that 3D Slicer, ParaView and a person can open.
 *
 * wall.h: the wall's triangles and the load on them. result_files.h: images and VTK files.
 * series_files.h: those of a beat's samples. pictures.h: PNG pictures.
 */
#ifndef HT_EXPORT_H
#define HT_EXPORT_H

#include "pictures.h"
#include "result_files.h"
#include "series_files.h"
#include "wall.h"

#endif
