/* VTK ImageData files (.vti) from arrays of a grid's voxels. Private to export/. */
#ifndef HT_VTI_H
#define HT_VTI_H

#include "core/vessel/volume.h"
#include "export/files/vtk_file.h"

/* Writes a .vti file. The first array is the file's vector, the second its scalar. HT_ERR_WRITE,
 * HT_ERR_MEMORY. */
ht_status ht_vti_write(const char *path, const ht_grid *grid, const ht_vtk_array *array,
                       int arrays);

#endif
